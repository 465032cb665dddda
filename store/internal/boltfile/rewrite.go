package boltfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// rewriteMark is in the names of files that are to take another's place. Only who holds the lock makes them.
const rewriteMark = ".rewrite-"

// rewriteTx is about how many bytes one transaction of a rewrite copies.
const rewriteTx = 32 << 20

// Rewrite copies all that the file holds, and none of what its free pages still hold, into a new file, lets change
// alter that, and puts it in the old one's place, which it takes whole or not at all. No transaction may run meanwhile.
// The File returned is the one to use from here on: after an error f itself, or nil where it is gone.
//
// The new file is locked before it gets its name, so that no other writer comes between. One who waits for the lock of
// the old file gets that, sees that it is no longer the one of that name, and leaves.
func (f *File) Rewrite(change func(*bolt.Tx) error) (*File, error) {
	return f.rewrite(change, func(string) {})
}

// rewrite tells before each step which it is.
func (f *File) rewrite(change func(*bolt.Tx) error, before func(step string)) (*File, error) {
	target, err := filepath.EvalSymlinks(f.path) // a link stays one
	if err != nil {
		return f, fmt.Errorf("rewrite the file: %w", err)
	}
	before("make")
	temp, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+rewriteMark+"*")
	if err != nil {
		return f, fmt.Errorf("rewrite the file: %w", err)
	}
	name := temp.Name()
	next, err := f.fill(temp, change, before)
	if err != nil {
		return f, errors.Join(fmt.Errorf("rewrite the file: %w", err), os.Remove(name))
	}
	before("rename")
	if !renamesOpen {
		return f.exchangeClosed(next, name, target)
	}
	if err := os.Rename(name, target); err != nil {
		return f, errors.Join(fmt.Errorf("rewrite the file: %w", err), next.release(), os.Remove(name))
	}
	before("sync")
	err = syncDir(filepath.Dir(target))
	before("release")
	_ = f.release() // it has no name any more
	return next, err
}

// fill makes temp, which it closes if it fails, a copy of f that is on disk, sound and locked.
func (f *File) fill(temp *os.File, change func(*bolt.Tx) error, before func(step string)) (*File, error) {
	if err := lockFile(temp, LockWait); err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	db, err := openBolt(temp, temp.Name(), LockWait)
	if err != nil {
		return nil, err
	}
	next := &File{bolt: db, file: temp, path: f.path, holder: f.holder}
	err = func() error {
		db.NoSync = true
		before("copy")
		if err := Protect(func() error { return bolt.Compact(db, f.bolt, rewriteTx) }); err != nil {
			return err
		}
		if err := next.Update(change); err != nil {
			return err
		}
		db.NoSync = false
		before("save")
		if err := temp.Sync(); err != nil {
			return err
		}
		info, err := temp.Stat()
		if err != nil {
			return err
		}
		return Check(temp, info.Size())
	}()
	if err != nil {
		return nil, errors.Join(err, next.release())
	}
	return next, nil
}

// exchangeClosed is for systems that rename no open file: for a moment nobody holds the lock.
func (f *File) exchangeClosed(next *File, name, target string) (*File, error) {
	err := errors.Join(next.release(), f.release())
	if err == nil {
		err = os.Rename(name, target)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("rewrite the file: %w", err), os.Remove(name))
	}
	again, opening := Open(f.path, LockWait, f.holder)
	return again, errors.Join(err, opening)
}

// dropRewrites removes what a process left that ended in the middle of a rewrite. The lock must be held.
func dropRewrites(path string) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), filepath.Base(target)+rewriteMark) {
			os.Remove(filepath.Join(filepath.Dir(target), e.Name()))
		}
	}
}
