package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketEntry  = 0x01

	// maxDepth is far above what bbolt makes (a handful of levels in each of a handful of nested buckets) and far
	// below what would exhaust a stack.
	maxDepth = 100
)

// Check walks all pages of a bbolt file that its newest transaction reaches and reports as *Damage what bbolt must
// not be let near. It does not look into values, other than nested buckets. The file must not be written meanwhile.
func Check(r io.ReaderAt, size int64) error {
	m, err := readMeta(r, size)
	if err != nil {
		return err
	}
	return checkPages(r, m)
}

func checkPages(r io.ReaderAt, m meta) error {
	w := &walker{r: r, meta: m, used: make([]uint64, m.pages/64+1)}
	w.take(0)
	w.take(1)
	if err := w.tree(m.root, 0, nil, nil); err != nil {
		return err
	}
	if m.freelist == noFreelist {
		return nil
	}
	return w.freelist()
}

type walker struct {
	r    io.ReaderAt
	meta meta
	used []uint64 // a bit a page
	bufs [maxDepth][]byte
}

// take marks a page as used and reports whether it was free to be.
func (w *walker) take(id uint64) bool {
	word, bit := id/64, uint64(1)<<(id%64)
	if w.used[word]&bit != 0 {
		return false
	}
	w.used[word] |= bit
	return true
}

// page is a page in memory, its overflow included.
type page struct {
	id    uint64
	flags uint16
	count int
	data  []byte
}

// load reads the page, which stays valid until the next load at the same depth.
func (w *walker) load(id uint64, depth int) (page, error) {
	if id < 2 || id >= w.meta.pages {
		return page{}, damaged("page %d of %d is referred to", id, w.meta.pages)
	}
	size := w.meta.pageSize
	buf := w.bufs[depth]
	if int64(len(buf)) < size {
		buf = make([]byte, size)
		w.bufs[depth] = buf
	}
	if err := w.read(buf[:size], id); err != nil {
		return page{}, err
	}
	overflow := uint64(order.Uint32(buf[12:]))
	if overflow >= w.meta.pages-id {
		return page{}, damaged("page %d claims to reach beyond the end", id)
	}
	for i := id; i <= id+overflow; i++ {
		if !w.take(i) {
			return page{}, damaged("page %d is used twice", i)
		}
	}
	if total := size * int64(overflow+1); total > size {
		if int64(len(buf)) < total {
			grown := make([]byte, total)
			copy(grown, buf[:size])
			buf = grown
			w.bufs[depth] = buf
		}
		if err := w.read(buf[size:total], id+1); err != nil {
			return page{}, err
		}
		buf = buf[:total]
	} else {
		buf = buf[:size]
	}
	p := page{id: id, flags: order.Uint16(buf[8:]), count: int(order.Uint16(buf[10:])), data: buf}
	if own := order.Uint64(buf); own != id {
		return page{}, damaged("page %d holds something else", id)
	}
	return p, nil
}

func (w *walker) read(b []byte, id uint64) error {
	if _, err := w.r.ReadAt(b, int64(id)*w.meta.pageSize); err != nil {
		if errors.Is(err, io.EOF) {
			return damaged("page %d is cut off", id)
		}
		return fmt.Errorf("read page %d: %w", id, err)
	}
	return nil
}

// tree walks a branch or leaf page and what it reaches. Its keys must lie in [lo, hi); nil is unbounded.
func (w *walker) tree(id uint64, depth int, lo, hi []byte) error {
	if depth >= maxDepth {
		return damaged("its pages nest too deep at page %d", id)
	}
	p, err := w.load(id, depth)
	if err != nil {
		return err
	}
	switch p.flags {
	case leafPage:
		return w.leaf(p, depth, lo, hi, false)
	case branchPage:
		return w.branch(p, depth, lo, hi)
	}
	return damaged("page %d is of unknown kind %#x", id, p.flags)
}

func (w *walker) branch(p page, depth int, lo, hi []byte) error {
	if p.count == 0 {
		return damaged("page %d is an empty branch", p.id)
	}
	key, child, err := p.branchElement(0)
	if err != nil {
		return err
	}
	for i := range p.count {
		if err := p.inOrder(key, lo, hi, i == 0); err != nil {
			return err
		}
		next, nextChild := hi, uint64(0)
		if i+1 < p.count {
			if next, nextChild, err = p.branchElement(i + 1); err != nil {
				return err
			}
		}
		if err := w.tree(child, depth+1, key, next); err != nil {
			return err
		}
		lo, key, child = key, next, nextChild
	}
	return nil
}

func (w *walker) leaf(p page, depth int, lo, hi []byte, inline bool) error {
	for i := range p.count {
		flags, key, value, err := p.leafElement(i)
		if err != nil {
			return err
		}
		if err := p.inOrder(key, lo, hi, i == 0); err != nil {
			return err
		}
		lo = key
		if flags&bucketEntry == 0 {
			continue
		}
		if inline {
			return damaged("page %d holds a bucket within a bucket within itself", p.id)
		}
		if err := w.bucket(p.id, value, depth); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a nested bucket, whose pages are elsewhere or, where it is small, in the value itself.
func (w *walker) bucket(in uint64, value []byte, depth int) error {
	if len(value) < bucketHeader {
		return damaged("page %d holds a bucket of %d bytes", in, len(value))
	}
	if root := order.Uint64(value); root != 0 {
		return w.tree(root, depth+1, nil, nil)
	}
	data := value[bucketHeader:]
	if len(data) < pageHeaderSize {
		return damaged("page %d holds a bucket of %d bytes", in, len(value))
	}
	p := page{id: in, flags: order.Uint16(data[8:]), count: int(order.Uint16(data[10:])), data: data}
	if p.flags != leafPage {
		return damaged("page %d holds a bucket of unknown kind %#x", in, p.flags)
	}
	return w.leaf(p, depth, nil, nil, true)
}

// inOrder checks the key against the one before it, lo, which the first may equal and later ones must not.
func (p page) inOrder(key, lo, hi []byte, first bool) error {
	c := 1
	if lo != nil {
		c = bytes.Compare(key, lo)
	}
	if c < 0 || c == 0 && !first || hi != nil && bytes.Compare(key, hi) >= 0 {
		return damaged("the keys of page %d are not in order", p.id)
	}
	return nil
}

func (p page) element(i int) ([]byte, int, error) {
	at := pageHeaderSize + i*elementSize
	if at+elementSize > len(p.data) {
		return nil, 0, damaged("page %d claims to hold %d entries", p.id, p.count)
	}
	return p.data[at : at+elementSize], at, nil
}

func (p page) leafElement(i int) (flags uint32, key, value []byte, err error) {
	e, at, err := p.element(i)
	if err != nil {
		return 0, nil, nil, err
	}
	start := uint64(at) + uint64(order.Uint32(e[4:]))
	mid := start + uint64(order.Uint32(e[8:]))
	end := mid + uint64(order.Uint32(e[12:]))
	if start < uint64(pageHeaderSize+p.count*elementSize) || end > uint64(len(p.data)) || mid == start {
		return 0, nil, nil, damaged("entry %d of page %d lies outside of it", i, p.id)
	}
	return order.Uint32(e), p.data[start:mid:mid], p.data[mid:end:end], nil
}

func (p page) branchElement(i int) (key []byte, child uint64, err error) {
	e, at, err := p.element(i)
	if err != nil {
		return nil, 0, err
	}
	start := uint64(at) + uint64(order.Uint32(e))
	end := start + uint64(order.Uint32(e[4:]))
	if start < uint64(pageHeaderSize+p.count*elementSize) || end > uint64(len(p.data)) || end == start {
		return nil, 0, damaged("entry %d of page %d lies outside of it", i, p.id)
	}
	return p.data[start:end:end], order.Uint64(e[8:]), nil
}

// freelist checks that no page that is in use is given out as free.
func (w *walker) freelist() error {
	p, err := w.load(w.meta.freelist, 0)
	if err != nil {
		return err
	}
	if p.flags != freelistPage {
		return damaged("page %d should list the free pages and does not", p.id)
	}
	ids, n := p.data[pageHeaderSize:], uint64(p.count)
	if p.count == 0xFFFF { // too many for 16 bits: the first entry is the number
		if len(ids) < 8 {
			return damaged("page %d claims to list too many free pages", p.id)
		}
		n, ids = order.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids)/8) {
		return damaged("page %d claims to list %d free pages", p.id, n)
	}
	for i := range n {
		id := order.Uint64(ids[i*8:])
		if id < 2 || id >= w.meta.pages || !w.take(id) {
			return damaged("page %d is listed as free and is not", id)
		}
	}
	return nil
}
