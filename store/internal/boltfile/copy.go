package boltfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// ErrBusy says that a file changed again each time that it was copied.
var ErrBusy = errors.New("the file changes too fast to be copied")

// Copy opens a private copy of the file as its last transaction left it, without taking a lock. It tries for wait at
// most. The copy is removed on Close or, where the system allows, as soon as it is open.
func Copy(path string, wait time.Duration) (*File, error) {
	src, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	dst, err := os.CreateTemp("", "assay-*.db")
	if err != nil {
		return nil, fmt.Errorf("make room for a copy: %w", err)
	}
	name := dst.Name()
	gone := false
	discard := func() {
		dst.Close()
		if !gone {
			os.Remove(name)
		}
	}
	if err := copyStable(dst, src, time.Now().Add(wait)); err != nil {
		discard()
		return nil, err
	}
	db, err := openBolt(dst, name, wait)
	if err != nil {
		discard()
		return nil, err
	}
	f := &File{bolt: db, file: dst, path: path}
	if gone = removeOpen(name); !gone {
		f.temp = name
	}
	return f, nil
}

// copyStable copies until nothing was committed meanwhile, and checks the result.
func copyStable(dst, src *os.File, end time.Time) error {
	return copyStableBetween(dst, src, end, func() {})
}

// copyStableBetween lets something happen between a copy and the look whether something happened.
func copyStableBetween(dst, src *os.File, end time.Time, between func()) error {
	for first := true; first || time.Now().Before(end); first = false {
		before, err := currentMeta(src)
		if err != nil {
			return err
		}
		if err := copyPages(dst, src, before); err != nil {
			return err
		}
		between()
		after, err := currentMeta(src)
		if err != nil {
			return err
		}
		if before.raw != after.raw {
			continue
		}
		return checkPages(dst, before)
	}
	return ErrBusy
}

// currentMeta reads the newest header against the size that the file has after that: it only grows.
func currentMeta(f *os.File) (meta, error) {
	for try := 0; ; try++ {
		info, err := f.Stat()
		if err != nil {
			return meta{}, fmt.Errorf("look at the file: %w", err)
		}
		m, err := readMeta(f, info.Size())
		var bad *Damage
		if !errors.As(err, &bad) || try == 3 {
			return m, err
		}
	}
}

// copyPages copies what the transaction can reach and gives the copy that transaction's header twice.
func copyPages(dst, src *os.File, m meta) error {
	body := 2 * m.pageSize
	n := int64(m.pages)*m.pageSize - body
	if _, err := src.Seek(body, io.SeekStart); err != nil {
		return fmt.Errorf("copy the file: %w", err)
	}
	if _, err := dst.Seek(body, io.SeekStart); err != nil {
		return fmt.Errorf("copy the file: %w", err)
	}
	// Both being files, this is left to the system where it knows how.
	switch done, err := io.Copy(dst, io.LimitReader(src, n)); {
	case err != nil:
		return fmt.Errorf("copy the file: %w", err)
	case done < n:
		return damaged("it is cut off: %d bytes are missing", n-done)
	}
	header := make([]byte, m.pageSize)
	copy(header, m.raw[:])
	for slot := range int64(2) {
		order.PutUint64(header, uint64(slot))
		if _, err := dst.WriteAt(header, slot*m.pageSize); err != nil {
			return fmt.Errorf("copy the file: %w", err)
		}
	}
	return nil
}
