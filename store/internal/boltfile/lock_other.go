//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package boltfile

import (
	"os"
	"time"
)

// lockFile leaves the locking to bbolt, whose lock can't be taken twice here: between the check and bbolt's lock
// another writer may come, which is no danger as long as it is one of ours.
func lockFile(*os.File, time.Duration) error { return nil }

// unlockFile has nothing to do: closing the file gives the lock back.
func unlockFile(*os.File) error { return nil }

// removeOpen can't remove a file that is open here; it is removed on Close.
func removeOpen(string) bool { return false }

// renamesOpen says that a file may take another's name while both are open.
const renamesOpen = false
