package export

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockRun takes the file for this process, until it is closed. The byte is far behind the end, so that others can read.
func lockRun(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrRunLocked
	}
	return err
}
