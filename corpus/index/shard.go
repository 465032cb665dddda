package index

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"assay/corpus/index/internal/disk"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
)

// A chunk goes to one of two shards by its ordinal, so that both cores build and search, and to one of two others
// where it is long. A Builder takes its batches by number: the long ones have small batches, so that a batch is
// bounded in bytes (B047).
const (
	shardCount = 4
	longChunk  = 8 << 10 // bytes of title and text
	batchShort = 1000
	batchLong  = 32
	mergeMax   = 48 // segments merged, and so files open, at a time
)

func shardOf(ordinal uint32, size int) uint8 {
	n := uint8(ordinal & 1)
	if size > longChunk {
		n += 2
	}
	return n
}

func shardName(n int) string { return fmt.Sprintf("shard-%d", n) }

// leanMapping describes what the shards hold to bleve's own tools. Nothing is ever mapped with it: entries are
// analysed before bleve sees them.
func leanMapping() ([]byte, error) {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultAnalyzer = keyword.Name
	m.StoreDynamic, m.IndexDynamic, m.DocValuesDynamic = false, false, false
	for _, name := range []string{fieldText, fieldDoc} {
		f := mapping.NewKeywordFieldMapping()
		f.Store, f.IncludeTermVectors, f.IncludeInAll, f.DocValues = false, false, false, false
		f.SkipFreqNorm = name == fieldDoc
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	return util.MarshalJSON(m)
}

// job is a chunk on its way into a shard.
type job struct {
	ordinal            uint32
	docID, title, text string
}

// shardWriter builds a shard that was not there before. A Builder is single-threaded inside and must not be closed
// without a document, so it is made with the first.
type shardWriter struct {
	dir, scratch string
	batch        int
	counter      *counter
	builder      *scorch.Builder
	lengths      []length
}

// length is how many words a chunk has.
type length struct {
	ordinal, words uint32
}

func newShardWriter(folder string, n int, a *words.Analyzer) *shardWriter {
	w := &shardWriter{dir: filepath.Join(folder, shardName(n)), scratch: folder, batch: batchShort, counter: newCounter(a)}
	if n >= 2 {
		w.batch = batchLong
	}
	return w
}

// add indexes a chunk. What bleve panics over is an error of the build.
func (w *shardWriter) add(j job) (err error) {
	defer recovered(&err)
	if w.builder == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	terms, n := w.counter.count(j.title, j.text)
	w.lengths = append(w.lengths, length{j.ordinal, uint32(n)})
	return w.builder.Index(entry(j.ordinal, j.docID, terms))
}

func (w *shardWriter) open() error {
	described, err := leanMapping()
	if err != nil {
		return err
	}
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		return err
	}
	meta := fmt.Sprintf(`{"storage":%q,"index_type":%q}`, scorch.Name, scorch.Name)
	if err := os.WriteFile(filepath.Join(w.dir, "index_meta.json"), []byte(meta), 0o600); err != nil {
		return err
	}
	w.builder, err = scorch.NewBuilder(map[string]any{
		"path": filepath.Join(w.dir, "store"), "buildPathPrefix": w.scratch, "batchSize": w.batch, "mergeMax": mergeMax,
		"internal": map[string][]byte{string(util.MappingInternalKey): described},
	})
	return err
}

// close merges what was added. It takes a while and heeds no context.
func (w *shardWriter) close() (err error) {
	defer recovered(&err)
	if w.builder == nil {
		return nil
	}
	return w.builder.Close()
}

// recovered turns a panic of the engine into an error. A memory map of a file that was cut short since it was opened
// would otherwise end the process.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the search engine failed: %v", p)
	}
}

// guard makes faults on memory maps panics, so that recovered sees them; undo it with the function returned.
func guard() func() {
	old := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(old) }
}

// change is one step of a refresh: a chunk to index anew, or, where entry is nil, one to take out.
type change struct {
	ordinal uint32
	entry   *document.Document
	size    int
}

// applyChanges brings a shard that was linked into a fresh folder up to date, in online batches.
func applyChanges(ctx context.Context, dir string, next func() (change, bool, error)) (err error) {
	defer recovered(&err)
	ix, err := bleve.OpenUsing(dir, map[string]any{"bolt_timeout": "1s"})
	if err != nil {
		return err
	}
	defer func() {
		if cerr := ix.Close(); err == nil {
			err = cerr
		}
	}()
	batch, size := ix.NewBatch(), 0
	flush := func() error {
		if batch.Size() == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := ix.Batch(batch); err != nil {
			return err
		}
		batch, size = ix.NewBatch(), 0 // Reset would race with a goroutine that Batch leaves behind
		return nil
	}
	for {
		c, ok, err := next()
		if err != nil {
			return err
		}
		if !ok {
			return flush()
		}
		if c.entry == nil {
			batch.Delete(bleveID(c.ordinal))
		} else if err := batch.IndexAdvanced(c.entry); err != nil {
			return err
		}
		if size += c.size; batch.Size() >= 1000 || size >= 4<<20 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// shard is a shard that is open for searching.
type shard struct {
	name     string
	bleve    bleve.Index
	snapshot *scorch.IndexSnapshot
	docs     docTable
}

func openShard(folder, name string) (s *shard, err error) {
	defer recovered(&err)
	defer guard()()
	ix, err := bleve.OpenUsing(filepath.Join(folder, name), map[string]any{"read_only": true, "bolt_timeout": "1s"})
	if err != nil {
		return nil, err
	}
	s = &shard{name: name, bleve: ix}
	defer func() {
		if err != nil {
			ix.Close()
		}
	}()
	advanced, err := ix.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := advanced.Reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, errors.New("the index is not scorch's")
	}
	s.snapshot = snapshot
	for _, seg := range snapshot.Segments() {
		s.docs.size += int(seg.Segment().Count())
	}
	return s, nil
}

// count is the number of chunks that the shard holds.
func (s *shard) count() (uint64, error) { return s.snapshot.DocCount() }

func (s *shard) close() error {
	err := errors.Join(s.snapshot.Close(), s.bleve.Close())
	if s.docs.file != nil {
		err = errors.Join(err, s.docs.file.Close())
	}
	return err
}

// docTable says, for each number that a shard gives its chunks, which chunk it is. bleve numbers chunks as it likes
// and keeps no lengths that BM25 can use: the table is what makes scores and ties the same in every build. It is
// read with the first search, from a file that is open since the index is: a build may take its name away meanwhile.
type docTable struct {
	file  *os.File
	size  int
	once  sync.Once
	err   error
	ranks []uint32 // position of the chunk's id in byte order; gone where the chunk is no more
	words []uint32 // the chunk's length
}

const gone = ^uint32(0)

func docTablePath(folder, shard string) string { return filepath.Join(folder, shard+".docs") }

func (t *docTable) load() error {
	t.once.Do(func() {
		b, err := readAll(t.file)
		if err == nil && len(b) != 8*t.size {
			err = fmt.Errorf("%s has %d bytes, not %d", filepath.Base(t.file.Name()), len(b), 8*t.size)
		}
		if err != nil {
			t.err = err
			return
		}
		t.ranks, t.words = make([]uint32, t.size), make([]uint32, t.size)
		for i := range t.ranks {
			t.ranks[i] = binary.LittleEndian.Uint32(b[8*i:])
			t.words[i] = binary.LittleEndian.Uint32(b[8*i+4:])
		}
	})
	return t.err
}

// readAll reads a file that is open from its beginning.
func readAll(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(io.NewSectionReader(f, 0, info.Size()), b)
	return b, err
}

// writeDocTable makes the table of a shard as it is now.
func writeDocTable(ctx context.Context, create func(string) (disk.File, error), folder string, s *shard, rows []texts.Row) (err error) {
	f, err := create(docTablePath(folder, s.name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer func() {
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			err = f.Sync()
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	var b [8]byte
	for _, snapshot := range s.snapshot.Segments() {
		deleted := snapshot.Deleted()
		for n := range snapshot.Segment().Count() {
			if n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			rank, length := gone, uint32(0)
			if deleted == nil || !deleted.Contains(uint32(n)) {
				id, err := snapshot.DocID(n)
				if err != nil {
					return err
				}
				ordinal, err := ordinalOf(id)
				if err != nil || int(ordinal) >= len(rows) || !rows[ordinal].Live {
					return fmt.Errorf("%s holds %q, which is no chunk", s.name, id)
				}
				rank, length = rows[ordinal].Rank, rows[ordinal].Words
			}
			binary.LittleEndian.PutUint32(b[:], rank)
			binary.LittleEndian.PutUint32(b[4:], length)
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
