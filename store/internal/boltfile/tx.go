package boltfile

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// CommitError says that a transaction was not saved, for a reason that lies outside of it: the disk is full or gone.
type CommitError struct{ Err error }

func (e *CommitError) Error() string { return e.Err.Error() }
func (e *CommitError) Unwrap() error { return e.Err }

// View runs fn in a read transaction.
func (f *File) View(fn func(*bolt.Tx) error) error {
	return Protect(func() error { return f.bolt.View(fn) })
}

// Update runs fn in a write transaction and returns once it is on disk. After a *CommitError or a *PanicError the
// file must be recovered before it is used again.
func (f *File) Update(fn func(*bolt.Tx) error) error {
	var txid uint64
	err := Protect(func() error {
		tx, err := f.bolt.Begin(true)
		if err != nil {
			return &CommitError{err}
		}
		if err := fn(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		txid = uint64(tx.ID())
		if err := tx.Commit(); err != nil {
			return &CommitError{err}
		}
		return nil
	})
	var commit *CommitError
	var broke *PanicError
	if errors.As(err, &commit) || errors.As(err, &broke) {
		f.failed, f.txid = err, txid
	}
	return err
}

// NeedsRecovery reports whether Recover has to be called.
func (f *File) NeedsRecovery() bool { return f.failed != nil }

// Recover makes the file usable after a failed transaction. No transaction may run meanwhile. Either the same File is
// usable again and returned, or a new one in its place; after an error the old one is still to be recovered or, where
// that is nil, gone.
//
// A transaction whose last fsync failed may stand in the file although its writer was told that it was not saved. It
// is taken back first, while the lock is still held, so that what was reported is what is.
func (f *File) Recover() (*File, error) {
	withdrawn, err := f.withdraw()
	if err != nil {
		return f, fmt.Errorf("take back what could not be saved: %w", err)
	}
	var broke *PanicError
	if !withdrawn && !errors.As(f.failed, &broke) && f.works() {
		f.failed = nil
		return f, nil
	}
	_ = f.release()
	next, err := Open(f.path, LockWait, f.holder)
	if err != nil {
		return nil, err
	}
	return next, nil
}

// works tries what a failed growth of the mapping breaks.
func (f *File) works() bool {
	return f.View(func(tx *bolt.Tx) error {
		tx.Bucket([]byte("meta"))
		return nil
	}) == nil
}

// withdraw overwrites the header of the failed transaction with the one before it.
func (f *File) withdraw() (bool, error) {
	if f.txid == 0 {
		return false, nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	now, err := readMeta(f.file, info.Size())
	var bad *Damage
	if errors.As(err, &bad) {
		return false, nil // Open will say so
	} else if err != nil {
		return false, err
	}
	if now.txid != f.txid {
		return false, nil
	}
	before, ok, _, err := metaAt(f.file, int64(1-now.slot)*now.pageSize)
	if err != nil {
		return false, err
	}
	if !ok || before.txid >= now.txid {
		return false, errors.New("there is no earlier state to return to")
	}
	if _, err := f.file.WriteAt(before.raw[:], int64(now.slot)*now.pageSize); err != nil {
		return false, err
	}
	return true, f.file.Sync()
}
