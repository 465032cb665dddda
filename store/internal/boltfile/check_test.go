package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// fill gives a database buckets of all shapes: flat and deep, nested, inline, with values over many pages, and free
// pages between.
func fill(tx *bolt.Tx) error {
	if _, err := tx.CreateBucketIfNotExists([]byte("meta")); err != nil {
		return err
	}
	flat, err := tx.CreateBucketIfNotExists([]byte("flat"))
	if err != nil {
		return err
	}
	for i := range 2000 {
		if err := flat.Put(fmt.Appendf(nil, "key %06d", i), bytes.Repeat([]byte{byte(i)}, i%300)); err != nil {
			return err
		}
	}
	nested, err := tx.CreateBucketIfNotExists([]byte("nested"))
	if err != nil {
		return err
	}
	for i := range 20 {
		b, err := nested.CreateBucketIfNotExists(fmt.Appendf(nil, "bucket %d", i))
		if err != nil {
			return err
		}
		for j := range i * 5 { // from empty over inline to pages of its own
			if err := b.Put(fmt.Appendf(nil, "%d", j), bytes.Repeat([]byte("v"), 40)); err != nil {
				return err
			}
		}
	}
	return nested.Put([]byte("large"), bytes.Repeat([]byte("large "), 5000))
}

// sample is the bytes of a filled database; pageSize 0 is the system's.
func sample(t testing.TB, pageSize int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.db")
	db, err := bolt.Open(path, Mode, &bolt.Options{PageSize: pageSize})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(db.Update(fill), db.Update(func(tx *bolt.Tx) error {
		for i := range 900 {
			if err := tx.Bucket([]byte("flat")).Delete(fmt.Appendf(nil, "key %06d", i*2)); err != nil {
				return err
			}
		}
		return nil
	}), db.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("flat")).Put([]byte("last"), []byte("x")) }), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func check(b []byte) error { return Check(bytes.NewReader(b), int64(len(b))) }

func TestCheckAcceptsWhatBboltWrites(t *testing.T) {
	for _, size := range []int{0, 1 << 10, 1 << 12, 1 << 14} {
		if err := check(sample(t, size)); err != nil {
			t.Errorf("page size %d: %v", size, err)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	path := filepath.Join(t.TempDir(), "random.db")
	db, err := bolt.Open(path, Mode, &bolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 300 {
		err := db.Update(func(tx *bolt.Tx) error {
			for range rnd.IntN(60) {
				b, err := tx.CreateBucketIfNotExists([]byte{byte('a' + rnd.IntN(4))})
				if err != nil {
					return err
				}
				if rnd.IntN(3) == 0 {
					if b, err = b.CreateBucketIfNotExists([]byte{byte('A' + rnd.IntN(8))}); err != nil {
						return err
					}
				}
				key := fmt.Appendf(nil, "k%d", rnd.IntN(400))
				if rnd.IntN(3) == 0 {
					err = b.Delete(key)
				} else {
					err = b.Put(key, make([]byte, rnd.IntN(1500)))
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(b); err != nil {
			t.Fatal(err)
		}
	}
}

// parts knows where things are in a sample, so that a test can break one of them.
type parts struct {
	data []byte
	meta meta
}

func partsOf(t *testing.T, data []byte) *parts {
	t.Helper()
	m, err := readMeta(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return &parts{data, m}
}

func (p *parts) page(id uint64) []byte { return p.data[int64(id)*p.meta.pageSize:] }

// find is the first page in use of a kind.
func (p *parts) find(t *testing.T, flags uint16, more func([]byte) bool) (uint64, []byte) {
	t.Helper()
	free := map[uint64]bool{}
	list := p.page(p.meta.freelist)
	for i := range uint64(order.Uint16(list[10:])) {
		free[order.Uint64(list[pageHeaderSize+8*i:])] = true
	}
	for id := uint64(2); id < p.meta.pages; id += uint64(order.Uint32(p.page(id)[12:])) + 1 {
		if b := p.page(id); !free[id] && order.Uint16(b[8:]) == flags && order.Uint64(b) == id && (more == nil || more(b)) {
			return id, b
		}
	}
	t.Fatalf("no page of kind %#x", flags)
	return 0, nil
}

// setMeta changes the newest header and makes its checksum right.
func (p *parts) setMeta(offset int, value uint64) {
	b := p.data[int64(p.meta.slot)*p.meta.pageSize+pageHeaderSize:]
	order.PutUint64(b[offset:], value)
	h := fnv.New64a()
	h.Write(b[:56])
	order.PutUint64(b[56:], h.Sum64())
}

func TestCheckNamesTheDamage(t *testing.T) {
	whole := sample(t, 4096)
	tests := []struct {
		name  string
		spoil func(t *testing.T, p *parts) []byte
		want  string
	}{
		{"empty", func(*testing.T, *parts) []byte { return nil }, "empty (0 bytes)"},
		{"short", func(_ *testing.T, p *parts) []byte { return p.data[:1000] }, "only 1000 bytes long"},
		{"zeros", func(_ *testing.T, p *parts) []byte { return make([]byte, len(p.data)) }, "not a bbolt file"},
		{"both headers flipped", func(_ *testing.T, p *parts) []byte {
			p.data[pageHeaderSize+20] ^= 1
			p.data[4096+pageHeaderSize+20] ^= 1
			return p.data
		}, "both of its headers are damaged"},
		{"second header only, first of another size", func(_ *testing.T, p *parts) []byte {
			b := p.data[4096+pageHeaderSize:]
			order.PutUint32(b[8:], 8192)
			h := fnv.New64a()
			h.Write(b[:56])
			order.PutUint64(b[56:], h.Sum64())
			return p.data
		}, "different page sizes"},
		{"page size", func(_ *testing.T, p *parts) []byte {
			for slot := range 2 {
				b := p.data[slot*4096+pageHeaderSize:]
				order.PutUint32(b[8:], 5000)
				h := fnv.New64a()
				h.Write(b[:56])
				order.PutUint64(b[56:], h.Sum64())
			}
			return p.data
		}, "page size of 5000"},
		{"cut", func(_ *testing.T, p *parts) []byte { return p.data[:int64(p.meta.pages-1)*4096] }, "cut off"},
		{"cut in half", func(_ *testing.T, p *parts) []byte { return p.data[:len(p.data)/4] }, "cut off"},
		{"high-water mark", func(_ *testing.T, p *parts) []byte { p.setMeta(40, 1<<40); return p.data }, "cut off"},
		{"high-water mark of nothing", func(_ *testing.T, p *parts) []byte { p.setMeta(40, 0); return p.data }, "header points to page"},
		{"root", func(_ *testing.T, p *parts) []byte { p.setMeta(16, 1<<60); return p.data }, "header points to page"},
		{"root is a header", func(_ *testing.T, p *parts) []byte { p.setMeta(16, 1); return p.data }, "header points to page 1"},
		{"root is the free list", func(_ *testing.T, p *parts) []byte { p.setMeta(16, p.meta.freelist); return p.data }, "unknown kind 0x10"},
		{"free list", func(_ *testing.T, p *parts) []byte { p.setMeta(32, 1<<50); return p.data }, "for its free pages"},
		{"free list is the root", func(_ *testing.T, p *parts) []byte { p.setMeta(32, p.meta.root); return p.data }, "used twice"},
		{"kind of page", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, nil)
			order.PutUint16(b[8:], 3)
			return p.data
		}, "unknown kind 0x3"},
		{"page's own number", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, nil)
			order.PutUint64(b, 999)
			return p.data
		}, "holds something else"},
		{"overflow", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, nil)
			order.PutUint32(b[12:], 1<<31)
			return p.data
		}, "reach beyond the end"},
		{"count", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, nil)
			order.PutUint16(b[10:], 0xffff)
			return p.data
		}, ""},
		{"entry outside", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, func(b []byte) bool { return order.Uint16(b[10:]) > 2 })
			order.PutUint32(b[pageHeaderSize+elementSize+4:], 1<<31)
			return p.data
		}, "lies outside"},
		{"empty key", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, func(b []byte) bool { return order.Uint16(b[10:]) > 2 })
			order.PutUint32(b[pageHeaderSize+8:], 0)
			return p.data
		}, "lies outside"},
		{"key order", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, leafPage, func(b []byte) bool { return order.Uint16(b[10:]) > 2 })
			at := pageHeaderSize + elementSize
			key := b[at+int(order.Uint32(b[at+4:])):]
			key[0] = 0
			return p.data
		}, "not in order"},
		{"branch to itself", func(t *testing.T, p *parts) []byte {
			id, b := p.find(t, branchPage, nil)
			order.PutUint64(b[pageHeaderSize+8:], id)
			return p.data
		}, "used twice"},
		{"branch to nowhere", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, branchPage, nil)
			order.PutUint64(b[pageHeaderSize+8:], 1<<62)
			return p.data
		}, "is referred to"},
		{"empty branch", func(t *testing.T, p *parts) []byte {
			_, b := p.find(t, branchPage, nil)
			order.PutUint16(b[10:], 0)
			return p.data
		}, "empty branch"},
		{"bucket cut short", func(t *testing.T, p *parts) []byte {
			bucketEntryOf(t, p, func(e, _ []byte) { order.PutUint32(e[12:], 3) })
			return p.data
		}, "holds a bucket of 3 bytes"},
		{"bucket to nowhere", func(t *testing.T, p *parts) []byte {
			bucketEntryOf(t, p, func(_, v []byte) { order.PutUint64(v, 1<<40) })
			return p.data
		}, "is referred to"},
		{"a page in use is free", func(t *testing.T, p *parts) []byte {
			list := p.page(p.meta.freelist)
			order.PutUint64(list[pageHeaderSize:], p.meta.root)
			return p.data
		}, "is listed as free and is not"},
		{"a page is free twice", func(t *testing.T, p *parts) []byte {
			list := p.page(p.meta.freelist)
			order.PutUint64(list[pageHeaderSize+8:], order.Uint64(list[pageHeaderSize:]))
			return p.data
		}, "is listed as free and is not"},
		{"too many free pages", func(t *testing.T, p *parts) []byte {
			list := p.page(p.meta.freelist)
			order.PutUint16(list[10:], 0xffff)
			order.PutUint64(list[pageHeaderSize:], 1<<40)
			return p.data
		}, "claims to list"},
		{"free list of another kind", func(t *testing.T, p *parts) []byte {
			order.PutUint16(p.page(p.meta.freelist)[8:], leafPage)
			return p.data
		}, "should list the free pages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := check(tt.spoil(t, partsOf(t, bytes.Clone(whole))))
			var damage *Damage
			if !errors.As(err, &damage) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want damage about %q", err, tt.want)
			}
		})
	}
}

// bucketEntryOf hands the first nested bucket's entry and value to fn.
func bucketEntryOf(t *testing.T, p *parts, fn func(element, value []byte)) {
	t.Helper()
	_, b := p.find(t, leafPage, func(b []byte) bool {
		return order.Uint16(b[10:]) > 0 && order.Uint32(b[pageHeaderSize:])&bucketEntry != 0
	})
	e := b[pageHeaderSize:]
	fn(e, e[order.Uint32(e[4:])+order.Uint32(e[8:]):])
}

// The older header counts where the newest was cut short: that transaction was never acknowledged.
func TestOlderHeaderCounts(t *testing.T) {
	data := sample(t, 0)
	p := partsOf(t, data)
	data[int64(p.meta.slot)*p.meta.pageSize+pageHeaderSize+48] ^= 1
	if err := check(data); err != nil {
		t.Errorf("with one header left: %v", err)
	}
	m, err := readMeta(bytes.NewReader(data), int64(len(data)))
	if err != nil || m.txid != p.meta.txid-1 || m.slot == p.meta.slot {
		t.Errorf("read transaction %d from slot %d, %v", m.txid, m.slot, err)
	}
}

// A file that passes the check can be read and written by bbolt; one that does not is never shown to it.
func useChecked(t testing.TB, data []byte) {
	path := filepath.Join(t.TempDir(), "any.db")
	if err := os.WriteFile(path, data, Mode); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, time.Second, Holder{})
	if err != nil {
		return
	}
	defer f.Close()
	var walk func(b *bolt.Bucket) error
	walk = func(b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(b.Bucket(k))
			}
			_ = append(bytes.Clone(k), v...)
			return nil
		})
	}
	err = f.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return walk(b) })
	})
	if err != nil {
		t.Fatalf("a checked file can't be read: %v", err)
	}
	err = f.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("one more"))
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), bytes.Repeat([]byte("v"), 9000))
	})
	if err != nil {
		t.Fatalf("a checked file can't be written: %v", err)
	}
}

// Flipped bits and cut ends, at random: never a panic, never a SIGBUS.
func TestRandomDamage(t *testing.T) {
	whole := sample(t, 0)
	rnd := rand.New(rand.NewPCG(5, 5))
	pages := len(whole) / os.Getpagesize()
	rounds := 250
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		data := bytes.Clone(whole)
		switch rnd.IntN(4) {
		case 0:
			data = data[:rnd.IntN(len(data))]
		case 1: // in the first bytes of a page, where its structure is
			for range rnd.IntN(4) + 1 {
				data[rnd.IntN(pages)*os.Getpagesize()+rnd.IntN(64)] ^= 1 << rnd.IntN(8)
			}
		case 2:
			for range rnd.IntN(40) + 1 {
				data[rnd.IntN(len(data))] ^= 1 << rnd.IntN(8)
			}
		case 3: // one page in the place of another
			from, to := rnd.IntN(pages)*os.Getpagesize(), rnd.IntN(pages)*os.Getpagesize()
			copy(data[to:to+os.Getpagesize()], whole[from:])
		}
		useChecked(t, data)
	}
}

func FuzzOpenDamaged(f *testing.F) {
	whole := sample(f, 1024)
	f.Add(uint32(len(whole)), uint32(0), []byte{})
	f.Add(uint32(len(whole)/2), uint32(0), []byte{})
	f.Add(uint32(len(whole)), uint32(1024+pageHeaderSize+16), []byte{1, 2, 3})
	f.Add(uint32(len(whole)), uint32(3*1024+10), []byte{0xff, 0xff})
	f.Add(uint32(len(whole)), uint32(5*1024+12), []byte{9, 0, 0, 0})
	f.Fuzz(func(t *testing.T, size, at uint32, patch []byte) {
		data := bytes.Clone(whole[:min(int(size), len(whole))])
		if int(at) < len(data) {
			copy(data[at:], patch)
		}
		useChecked(t, data)
	})
}

func FuzzCheck(f *testing.F) {
	f.Add(sample(f, 1024)[:16<<10])
	f.Add([]byte{})
	f.Add(make([]byte, 4096))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := check(data)
		var damage *Damage
		if err != nil && !errors.As(err, &damage) {
			t.Errorf("%v is no damage", err)
		}
	})
}
