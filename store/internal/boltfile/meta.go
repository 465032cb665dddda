package boltfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of a bbolt file, version 2. Integers are in the machine's own byte order.
const (
	magic          = 0xED0CDAED
	version        = 2
	pageHeaderSize = 16 // id 8, flags 2, count 2, overflow 4
	elementSize    = 16
	bucketHeader   = 16 // root page 8, sequence 8
	metaSize       = 64
	metaEnd        = pageHeaderSize + metaSize
	noFreelist     = ^uint64(0)
	minPageSize    = 1 << 10
	maxPageSize    = 16 << 20
)

var order = binary.NativeEndian

// Damage says in plain words what is wrong with a file.
type Damage struct{ Reason string }

func (d *Damage) Error() string { return d.Reason }

func damaged(format string, args ...any) error { return &Damage{fmt.Sprintf(format, args...)} }

// meta is what one of the two header pages says.
type meta struct {
	slot     int
	pageSize int64
	root     uint64
	freelist uint64
	pages    uint64 // the high-water mark: pages that were ever used, the two header pages included
	txid     uint64
	raw      [metaEnd]byte
}

// parseMeta reads the first bytes of a page; ok is false where they are no valid meta page.
func parseMeta(b []byte) (m meta, ok bool) {
	if len(b) < metaEnd {
		return m, false
	}
	v := b[pageHeaderSize:metaEnd]
	if order.Uint32(v) != magic || order.Uint32(v[4:]) != version {
		return m, false
	}
	h := fnv.New64a()
	h.Write(v[:metaSize-8])
	if h.Sum64() != order.Uint64(v[56:]) {
		return m, false
	}
	m.pageSize = int64(order.Uint32(v[8:]))
	m.root = order.Uint64(v[16:])
	m.freelist = order.Uint64(v[32:])
	m.pages = order.Uint64(v[40:])
	m.txid = order.Uint64(v[48:])
	copy(m.raw[:], b)
	return m, true
}

// readMeta finds the newest valid meta page, as bbolt would, and checks that what it says can be.
func readMeta(r io.ReaderAt, size int64) (meta, error) {
	if size == 0 {
		return meta{}, damaged("it is empty (0 bytes)")
	}
	if size < 2*minPageSize+metaEnd {
		return meta{}, damaged("it is only %d bytes long", size)
	}
	first, ok, sawMagic, err := metaAt(r, 0)
	if err != nil {
		return meta{}, err
	}
	best := first
	if ok {
		if err := checkPageSize(first.pageSize); err != nil {
			return meta{}, err
		}
		second, ok2, _, err := metaAt(r, first.pageSize)
		if err != nil {
			return meta{}, err
		}
		if ok2 && second.pageSize != first.pageSize {
			return meta{}, damaged("its two headers name different page sizes, %d and %d", first.pageSize, second.pageSize)
		}
		if ok2 && second.txid > first.txid {
			best = second
			best.slot = 1
		}
	} else {
		// The page size is only known from the header that can't be read: look wherever the second may be.
		found := false
		for pos := int64(minPageSize); pos <= maxPageSize && pos < size && !found; pos *= 2 {
			m, ok, saw, err := metaAt(r, pos)
			if err != nil {
				return meta{}, err
			}
			sawMagic = sawMagic || saw
			if ok && m.pageSize == pos {
				best, found = m, true
				best.slot = 1
			}
		}
		switch {
		case !found && sawMagic:
			return meta{}, damaged("both of its headers are damaged")
		case !found:
			return meta{}, damaged("it is not a bbolt file")
		}
	}
	return best, best.check(size)
}

func metaAt(r io.ReaderAt, pos int64) (m meta, ok, sawMagic bool, err error) {
	var b [metaEnd]byte
	if _, err := r.ReadAt(b[:], pos); errors.Is(err, io.EOF) {
		return m, false, false, nil
	} else if err != nil {
		return m, false, false, fmt.Errorf("read header at byte %d: %w", pos, err)
	}
	m, ok = parseMeta(b[:])
	return m, ok, order.Uint32(b[pageHeaderSize:]) == magic, nil
}

func checkPageSize(n int64) error {
	if n < minPageSize || n > maxPageSize || n&(n-1) != 0 {
		return damaged("its header names a page size of %d bytes", n)
	}
	return nil
}

func (m meta) check(size int64) error {
	if err := checkPageSize(m.pageSize); err != nil {
		return err
	}
	switch {
	case m.pages < 4 || m.root < 2 || m.root >= m.pages:
		return damaged("its header points to page %d of %d", m.root, m.pages)
	case m.freelist != noFreelist && (m.freelist < 2 || m.freelist >= m.pages):
		return damaged("its header points to page %d of %d for its free pages", m.freelist, m.pages)
	case m.pages > uint64(size/m.pageSize):
		return damaged("it is cut off: it is %d bytes long and uses %d pages of %d bytes", size, m.pages, m.pageSize)
	}
	return nil
}
