package texts

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"assay/corpus"
	"assay/corpus/index/internal/disk"
)

// FuzzBlocks reads a file of any content at any place: records or errors, never a panic, never memory that no file
// has.
func FuzzBlocks(f *testing.F) {
	dir := f.TempDir()
	refs := written(f, filepath.Join(dir, "1"), 1, [][]byte{[]byte("one"), []byte("two"), bytes.Repeat([]byte("three "), 5000)})
	whole, err := os.ReadFile(filepath.Join(dir, "1"))
	if err != nil {
		f.Fatal(err)
	}
	for _, r := range refs {
		f.Add(whole, r.Block, r.At, r.Len)
	}
	f.Add([]byte{}, uint64(0), uint32(0), uint32(0))
	f.Add([]byte("assaytx1\xff\xff\xff\xff\xff\xff\xff\xff"), uint64(8), uint32(0), uint32(1))
	f.Add([]byte("assaytx1\x04\x00\x00\x00\xff\xff\xff\x3fabcd"), uint64(8), uint32(0), uint32(1))
	f.Add(whole, uint64(1)<<62, uint32(1)<<31, ^uint32(0))
	f.Fuzz(func(t *testing.T, content []byte, block uint64, at, n uint32) {
		path := filepath.Join(t.TempDir(), "1")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := OpenBlocks(map[uint32]string{1: path})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		record, err := b.Read(Ref{1, block, at, n})
		if err == nil && len(record) != int(n) {
			t.Fatalf("%d bytes, not %d", len(record), n)
		}
	})
}

// Tables of any size give back what went in, and find what is there and nothing else.
func TestRandomTables(t *testing.T) {
	for round := range 30 {
		r := rand.New(rand.NewPCG(1, uint64(round)))
		name := func() string {
			b := make([]byte, r.IntN(12))
			for i := range b {
				b[i] = "ab\x00\xff/é"[r.IntN(7)]
			}
			return string(b)
		}
		known := map[string]uint32{}
		for range r.IntN(300) {
			id := name()
			if _, ok := known[id]; !ok {
				known[id] = uint32(len(known))
			}
		}
		rows := make([]Row, len(known))
		var ids []ID
		for id, ordinal := range known {
			ids = append(ids, ID{id, ordinal, sha256.Sum256([]byte(id))})
			rows[ordinal] = Row{Text: Ref{r.Uint32(), r.Uint64(), r.Uint32(), r.Uint32()}, Words: r.Uint32(), Rank: r.Uint32(), Shard: uint8(r.Uint32()), Live: r.IntN(2) == 0}
		}
		var docs []Doc
		for i := range r.IntN(50) {
			docs = append(docs, Doc{sha256.Sum256(fmt.Append(nil, round, i)), Ref{r.Uint32(), r.Uint64(), r.Uint32(), r.Uint32()}})
		}
		SortIDs(ids)
		SortDocs(docs)
		if !slices.IsSortedFunc(docs, func(a, b Doc) int { return bytes.Compare(a.Hash[:], b.Hash[:]) }) || !sort.SliceIsSorted(ids, func(i, j int) bool { return ids[i].ID < ids[j].ID }) {
			t.Fatal("not sorted")
		}
		dir := t.TempDir()
		if err := WriteTables(disk.Create, dir, rows, ids, docs); err != nil {
			t.Fatal(err)
		}
		tables, err := OpenTables(dir)
		if err != nil {
			t.Fatal(err)
		}
		for ordinal, want := range rows {
			if got, err := tables.Row(uint32(ordinal)); err != nil || got != want {
				t.Errorf("round %d: row %d is %+v, not %+v (%v)", round, ordinal, got, want, err)
			}
		}
		for range 200 {
			id := name()
			rank, ok, err := tables.Find(id)
			_, want := known[id]
			if err != nil || ok != want || ok && ids[rank].ID != id {
				t.Errorf("round %d: %q is at %d, %v (%v)", round, id, rank, ok, err)
			}
		}
		for _, d := range docs {
			if ref, ok, err := tables.FindDoc(d.Hash); err != nil || !ok || ref != d.Text {
				t.Errorf("round %d: document %x: %v (%v)", round, d.Hash[:4], ok, err)
			}
			d.Hash[31]++
			if _, ok, _ := tables.FindDoc(d.Hash); ok {
				t.Errorf("round %d: a document that is not there", round)
			}
		}
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
		if _, _, err := tables.Find("x"); err == nil && len(ids) > 0 {
			t.Error("a closed table finds")
		}
	}
}

// Records of any chunk come back, one after the other in the same block.
func TestRandomRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		b := make([]byte, r.IntN(n))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return string(b)
	}
	var records [][]byte
	var chunks []corpus.Chunk
	for range 500 {
		c := corpus.Chunk{ID: text(40), DocID: text(40), Ordinal: int(r.Int32()), Title: text(60), Text: text(3000)}
		if r.IntN(2) == 0 {
			c.Span = &corpus.Span{Start: int(r.Int32()), End: int(r.Int32())}
			c.DocHash = corpus.HashText(c.DocID)
		}
		if r.IntN(2) == 0 {
			c.Meta = []byte(text(100))
		}
		chunks = append(chunks, c)
		records = append(records, AppendChunk(nil, c))
	}
	path := filepath.Join(t.TempDir(), "1")
	refs := written(t, path, 3, records)
	b, err := OpenBlocks(map[uint32]string{3: path})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i, ref := range refs {
		record, err := b.Read(ref)
		if err != nil {
			t.Fatal(err)
		}
		c, err := DecodeChunk(record)
		if err != nil || !bytes.Equal(AppendChunk(nil, c), records[i]) || c.Text != chunks[i].Text || c.ID != chunks[i].ID {
			t.Errorf("chunk %d is another (%v)", i, err)
		}
		for _, n := range []int{0, 1, len(record) / 2, len(record) - 1} {
			if _, err := DecodeChunk(record[:n]); err == nil {
				t.Errorf("chunk %d of %d bytes is read from %d", i, len(record), n)
			}
		}
		if _, err := DecodeChunk(append(bytes.Clone(record), 0)); err == nil {
			t.Errorf("chunk %d is read with a byte too many", i)
		}
	}
}
