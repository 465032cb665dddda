package texts

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/corpus/index/internal/disk"
)

// written makes a file of records and says where they lie.
func written(t testing.TB, path string, segment uint32, records [][]byte) []Ref {
	t.Helper()
	f, err := disk.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(f, segment)
	if err != nil {
		t.Fatal(err)
	}
	refs := make([]Ref, len(records))
	for i, r := range records {
		if refs[i], err = w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(nil); err == nil {
		t.Error("a closed writer takes records")
	}
	return refs
}

func someRecords(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([][]byte, n)
	for i := range records {
		records[i] = []byte(strings.Repeat(fmt.Sprintf("record %d ", i), r.IntN(200)))
	}
	records[n/2] = bytes.Repeat([]byte("long "), 100_000)
	noise := make([]byte, 50_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	records[n/3] = noise
	records[0], records[n-1] = nil, []byte{}
	return records
}

func TestRecordsComeBack(t *testing.T) {
	dir := t.TempDir()
	records := someRecords(500)
	one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	refs := append(written(t, one, 1, records[:300]), written(t, two, 7, records[300:])...)
	b, err := OpenBlocks(map[uint32]string{1: one, 7: two})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(g)))
			for range 2000 {
				i := r.IntN(len(records))
				got, err := b.Read(refs[i])
				if err != nil || !bytes.Equal(got, records[i]) {
					t.Errorf("record %d: %d bytes, %v", i, len(got), err)
				}
			}
		})
	}
	wg.Wait()
	if b.size > cachedSize {
		t.Errorf("%d bytes are kept", b.size)
	}
	if _, err := b.Read(Ref{Segment: 3}); err == nil {
		t.Error("a record of a file that is not there")
	}
	if _, err := b.Read(Ref{Segment: 1, Block: refs[0].Block, Len: 1 << 30}); err == nil {
		t.Error("a record longer than its block")
	}
}

// A file that was cut or changed is an error wherever it is read, never a panic and never other bytes.
func TestDamagedBlocks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "1")
	records := someRecords(60)
	refs := written(t, path, 1, records)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	failed := 0
	for round := range 60 {
		damaged := bytes.Clone(whole)
		if round%2 == 0 {
			damaged = damaged[:r.IntN(len(damaged))]
		} else {
			for range 1 + r.IntN(20) {
				damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
			}
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBlocks(map[uint32]string{1: path})
		if err != nil {
			t.Fatal(err)
		}
		for i, ref := range refs {
			got, err := b.Read(ref)
			if err != nil {
				failed++
			} else if !bytes.Equal(got, records[i]) {
				t.Errorf("record %d is another", i)
			}
		}
		b.Close()
	}
	if failed == 0 {
		t.Error("no damage was noticed")
	}
	if _, err := OpenBlocks(map[uint32]string{1: filepath.Join(dir, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

var errFull = errors.New("no space left on device")

// full is a file on a disk that has room for a number of bytes.
type full struct {
	room   int
	synced bool
	closed bool
}

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return max(0, len(b)+f.room), errFull
	}
	return len(b), nil
}

func (f *full) Sync() error  { f.synced = true; return nil }
func (f *full) Close() error { f.closed = true; return nil }

func TestFullDisk(t *testing.T) {
	records := someRecords(200)
	for _, room := range []int{0, 4, 100, 20_000, 50_000} {
		f := &full{room: room}
		w, err := NewWriter(f, 1)
		for _, r := range records {
			if err == nil {
				_, err = w.Append(r)
			}
		}
		cerr := w.Close()
		if err == nil {
			err = cerr
		}
		if !errors.Is(err, errFull) || !f.closed {
			t.Errorf("room for %d: %v, closed %v", room, err, f.closed)
		}
	}
	f := &full{room: 1 << 30}
	w, err := NewWriter(f, 1)
	if err == nil {
		err = w.Close()
	}
	if err != nil || !f.synced || !f.closed {
		t.Errorf("an empty file: %v, %+v", err, f)
	}
}

func TestFilesAreNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Create(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "1")
	records := make([][]byte, 20_000)
	for i := range records {
		records[i] = []byte(strings.Repeat(fmt.Sprintf("the words of chunk %d are these ", i), 30))
	}
	refs := written(b, path, 1, records)
	blocks, err := OpenBlocks(map[uint32]string{1: path})
	if err != nil {
		b.Fatal(err)
	}
	defer blocks.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		if _, err := blocks.Read(refs[r.IntN(len(refs))]); err != nil {
			b.Fatal(err)
		}
	}
}
