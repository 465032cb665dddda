package boltfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Mode is what a file may be for its owner and nobody else.
const Mode = 0o600

// LockWait is how long Open waits for the lock; CopyWait how long Copy tries.
const (
	LockWait = time.Second
	CopyWait = 2 * time.Second
)

// File is an open bbolt file. Its methods may be called from several goroutines, but for Close and Recover.
type File struct {
	bolt   *bolt.DB
	file   *os.File // the one that bbolt uses; bbolt closes it
	path   string
	holder Holder
	temp   string // a private copy to remove on Close
	failed error  // a transaction failed in a way that may have left bbolt unusable
	txid   uint64 // of that transaction; 0 where it can't have reached the file
}

// Open opens the file for its single writer. A missing file is an fs.ErrNotExist, one that can't be used a *Damage,
// one that somebody holds a *LockedError.
func Open(path string, wait time.Duration, holder Holder) (*File, error) {
	f, err := openRegular(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := prepare(f, path, wait); err != nil {
		f.Close()
		return nil, err
	}
	dropRewrites(path)
	db, err := openBolt(f, path, wait)
	if err != nil {
		return nil, err
	}
	_ = writeNote(path, holder) // see there
	return &File{bolt: db, file: f, path: path, holder: holder}, nil
}

// prepare locks and checks the file.
func prepare(f *os.File, path string, wait time.Duration) error {
	if err := lockFile(f, wait); errors.Is(err, errHeld) {
		return &LockedError{Path: path, Holder: readNote(path)}
	} else if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	if now, err := os.Stat(path); err != nil || !os.SameFile(info, now) {
		return &LockedError{Path: path} // replaced while we waited; whoever did that is at work
	}
	if err := Check(f, info.Size()); err != nil {
		return err
	}
	if info.Mode().Perm()&^Mode != 0 {
		_ = f.Chmod(Mode) // what people said is nobody else's; a file system without modes can't help it
	}
	return nil
}

func openRegular(path string, flag int) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, damaged("it is not a regular file")
	}
	return os.OpenFile(path, flag, 0)
}

// openBolt hands the open, checked file to bbolt, which closes it if it fails.
func openBolt(f *os.File, path string, wait time.Duration) (db *bolt.DB, err error) {
	err = Protect(func() error {
		db, err = bolt.Open(path, Mode, &bolt.Options{
			Timeout:      wait,
			FreelistType: bolt.FreelistArrayType,
			OpenFile:     func(string, int, fs.FileMode) (*os.File, error) { return f, nil },
		})
		return err
	})
	var broke *PanicError
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, &LockedError{Path: path, Holder: readNote(path)}
	case errors.As(err, &broke):
		f.Close()
		return nil, &Damage{broke.Error()}
	case err != nil:
		return nil, fmt.Errorf("open the file: %w", err)
	}
	return db, nil
}

// Create makes a file in one step: build fills it under another name, and it appears when all of it is on disk. A
// file that is there already is left alone and reported as fs.ErrExist.
func Create(path string, build func(*bolt.Tx) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+".new-*")
	if err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	temp := f.Name()
	defer os.Remove(temp)
	if err := f.Close(); err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	db, err := bolt.Open(temp, Mode, &bolt.Options{Timeout: LockWait})
	if err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	err = db.Update(build)
	if err == nil {
		err = db.Sync()
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	if err := place(temp, path); err != nil {
		return fmt.Errorf("create the file: %w", err)
	}
	return syncDir(dir)
}

// place gives the finished file its name unless that is taken.
func place(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// No hard links on this file system.
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(temp, path)
}

// syncDir makes a new name last. Some systems can't sync a folder; there the file's own sync has to do.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	_ = d.Sync()
	return d.Close()
}

// Close gives the lock back, and with it the note.
func (f *File) Close() error {
	if f.temp != "" {
		defer os.Remove(f.temp)
	}
	if f.holder.PID != 0 {
		dropNote(f.path, f.holder)
	}
	return f.release()
}

// release closes bbolt or, where a panic may have left its locks taken, only the file under it. The mapping is then
// lost to this process; the alternative is to wait for ever.
func (f *File) release() error {
	var broke *PanicError
	if errors.As(f.failed, &broke) {
		return errors.Join(unlockFile(f.file), f.file.Close())
	}
	return Protect(f.bolt.Close)
}
