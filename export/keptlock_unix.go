//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package export

import (
	"errors"
	"os"
	"syscall"
)

// lockRun takes the file for this process, until it is closed.
func lockRun(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrRunLocked
		case errors.Is(err, errors.ErrUnsupported): // some network file systems
			return nil
		}
		return err
	}
}
