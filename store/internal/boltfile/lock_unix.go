//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package boltfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockFile takes the lock that bbolt will ask for on the same open file, where asking again is granted: so the file
// is ours from before the check until it is closed.
func lockFile(f *os.File, wait time.Duration) error {
	const pause = 20 * time.Millisecond
	for end := time.Now().Add(wait); ; time.Sleep(pause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("lock the file: %w", err)
		case time.Now().Add(pause).After(end):
			return errHeld
		}
	}
}

// unlockFile gives the lock back of a file that stays mapped after it is closed.
func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// removeOpen removes a file that stays open, which is then gone whatever happens to this process.
func removeOpen(path string) bool { return os.Remove(path) == nil }

// renamesOpen says that a file may take another's name while both are open.
const renamesOpen = true
