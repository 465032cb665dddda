package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"sync"

	"assay/corpus"
	"assay/corpus/index/internal/disk"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"
)

// fresh builds a whole index: texts are written as they come, each shard has a goroutine. It is a Sink.
type fresh struct {
	ctx    context.Context // ends with the caller's, or when a shard fails
	cancel context.CancelCauseFunc
	store  *store
	opt    BuildOptions

	rows     []texts.Row
	ids      []texts.ID
	known    map[string]uint32 // ordinals
	sums     []uint64          // of the records, to tell repeats from conflicts
	seed     maphash.Seed
	repeated int

	lanes [shardCount]lane
	done  sync.WaitGroup
	ended bool
}

// lane is the way into a shard.
type lane struct {
	name    string
	writer  *shardWriter
	jobs    chan []job
	waiting []job
	size    int
	used    bool
}

// Chunks travel to the shards in small loads, so that the channel costs nothing and memory is bounded.
const (
	loadChunks = 64
	loadBytes  = 256 << 10
)

func newFresh(ctx context.Context, folder string, opt BuildOptions, a *words.Analyzer, segment uint32) *fresh {
	f := &fresh{store: newStore(folder, opt.create, segment), opt: opt, known: map[string]uint32{}, seed: maphash.MakeSeed()}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	for i := range f.lanes {
		l := &f.lanes[i]
		l.name = shardName(i)
		l.writer = newShardWriter(folder, i, a)
		l.jobs = make(chan []job, 4)
		f.done.Go(func() {
			if err := l.run(f.ctx); err != nil {
				f.cancel(err)
			}
		})
	}
	return f
}

// run indexes what comes until the lane is closed.
func (l *lane) run(ctx context.Context) error {
	for jobs := range l.jobs {
		for _, j := range jobs {
			if ctx.Err() != nil {
				return nil // whoever ended it says why
			}
			if err := l.writer.add(j); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if err := l.writer.close(); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return nil
}

// reason is why the build ended: what failed in a shard rather than the context that it ended.
func (f *fresh) reason(err error) error {
	if cause := context.Cause(f.ctx); cause != nil && errors.Is(err, context.Canceled) {
		return cause
	}
	return err
}

// Document keeps a decoded document.
func (f *fresh) Document(d corpus.Document) error {
	_, err := f.store.document(d)
	return err
}

// Chunk keeps a chunk and sends it to its shard.
func (f *fresh) Chunk(c corpus.Chunk) error {
	if err := checkChunk(c); err != nil {
		return err
	}
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	record := f.store.encode(c)
	sum := maphash.Bytes(f.seed, record)
	if ordinal, ok := f.known[c.ID]; ok {
		if f.sums[ordinal] != sum {
			return repeatedError(c.ID)
		}
		f.repeated++
		return nil
	}
	f.sums = append(f.sums, sum)
	if err := f.add(c, record); err != nil {
		return err
	}
	if n := len(f.rows); n%256 == 0 {
		f.opt.Progress(Progress{Stage: "read", Done: n})
	}
	return nil
}

func repeatedError(id string) error {
	return fmt.Errorf("chunk %q comes twice with different content", id)
}

// add keeps a chunk's record, gives it its ordinal and sends it to its shard.
func (f *fresh) add(c corpus.Chunk, record []byte) error {
	if len(f.rows) >= math.MaxUint32 {
		return errors.New("there are more chunks than an index can hold")
	}
	ref, err := f.store.chunk(record)
	if err != nil {
		return err
	}
	ordinal := uint32(len(f.rows))
	n := shardOf(ordinal, len(c.Title)+len(c.Text))
	f.rows = append(f.rows, texts.Row{Text: ref, Shard: n, Live: true})
	f.ids = append(f.ids, texts.ID{ID: c.ID, Ordinal: ordinal, Hash: sha256.Sum256([]byte(c.Text))})
	f.known[c.ID] = ordinal
	l := &f.lanes[n]
	l.used = true
	l.waiting = append(l.waiting, job{ordinal, c.DocID, c.Title, c.Text})
	if l.size += len(c.Title) + len(c.Text); len(l.waiting) < loadChunks && l.size < loadBytes {
		return nil
	}
	return f.send(l)
}

func (f *fresh) send(l *lane) error {
	if len(l.waiting) == 0 {
		return nil
	}
	select {
	case l.jobs <- l.waiting:
		l.waiting, l.size = nil, 0
		return nil
	case <-f.ctx.Done():
		return context.Cause(f.ctx)
	}
}

// finish waits for the shards.
func (f *fresh) finish() (content, error) {
	for i := range f.lanes {
		if err := f.send(&f.lanes[i]); err != nil {
			return content{}, err
		}
	}
	f.opt.Progress(Progress{Stage: "index", Done: len(f.rows), Total: len(f.rows)})
	f.close()
	done := make(chan struct{})
	go func() {
		f.done.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-f.ctx.Done(): // a merge does not stop: leave it behind
	}
	if err := context.Cause(f.ctx); err != nil {
		return content{}, err
	}
	c := content{rows: f.rows, ids: f.ids}
	for i := range f.lanes {
		l := &f.lanes[i]
		for _, n := range l.writer.lengths {
			c.rows[n.ordinal].Words = n.words
		}
		if l.used {
			c.shards = append(c.shards, l.name)
		}
	}
	return c, f.store.close(&c)
}

func (f *fresh) close() {
	if !f.ended {
		f.ended = true
		for i := range f.lanes {
			close(f.lanes[i].jobs)
		}
	}
}

// abandon ends whatever still runs.
func (f *fresh) abandon() {
	f.cancel(context.Canceled)
	f.close()
	f.store.abandon()
}

func checkChunk(c corpus.Chunk) error {
	if err := corpus.CheckID(c.ID); err != nil {
		return fmt.Errorf("chunk %q: %w", words.Cut(c.ID, 80), err)
	}
	if c.DocID != "" {
		if err := corpus.CheckID(c.DocID); err != nil {
			return fmt.Errorf("chunk %q: its document: %w", words.Cut(c.ID, 80), err)
		}
	}
	return nil
}

// store writes the texts of one build: a segment of chunks, a segment of documents.
type store struct {
	folder  string
	segment uint32
	create  func(string) (disk.File, error)
	chunks  *texts.Writer
	docs    *texts.Writer
	docList []texts.Doc
	docSeen map[[32]byte]bool
	record  []byte
}

func newStore(folder string, create func(string) (disk.File, error), segment uint32) *store {
	return &store{folder: folder, segment: segment, create: create, docSeen: map[[32]byte]bool{}}
}

func (s *store) writer(w **texts.Writer, kind string) error {
	if *w != nil {
		return nil
	}
	f, err := s.create(segmentPath(s.folder, kind, s.segment))
	if err != nil {
		return err
	}
	if *w, err = texts.NewWriter(f, s.segment); err != nil {
		f.Close()
		*w = nil
	}
	return err
}

// encode is a chunk's record, good until the next one.
func (s *store) encode(c corpus.Chunk) []byte {
	s.record = texts.AppendChunk(s.record[:0], c)
	return s.record
}

// chunk keeps a chunk's record.
func (s *store) chunk(record []byte) (texts.Ref, error) {
	if err := s.writer(&s.chunks, textSegment); err != nil {
		return texts.Ref{}, err
	}
	return s.chunks.Append(record)
}

// document keeps a document once and reports whether it is new here.
func (s *store) document(d corpus.Document) (bool, error) {
	sum := sha256.Sum256([]byte(d.Text))
	if d.Hash != "" && string(d.Hash) != hex.EncodeToString(sum[:]) {
		return false, fmt.Errorf("document %q: its hash is not that of its text", words.Cut(d.ID, 80))
	}
	if s.docSeen[sum] {
		return false, nil
	}
	if err := s.writer(&s.docs, docSegment); err != nil {
		return false, err
	}
	ref, err := s.docs.Append([]byte(d.Text))
	if err != nil {
		return false, err
	}
	s.docSeen[sum] = true
	s.docList = append(s.docList, texts.Doc{Hash: sum, Text: ref})
	return true, nil
}

// close makes the segments whole and adds them to the content.
func (s *store) close(c *content) error {
	c.docs = append(c.docs, s.docList...)
	if s.chunks != nil {
		c.texts = append(c.texts, s.segment)
		w := s.chunks
		s.chunks = nil
		if err := w.Close(); err != nil {
			return err
		}
	}
	if s.docs != nil {
		c.files = append(c.files, s.segment)
		w := s.docs
		s.docs = nil
		return w.Close()
	}
	return nil
}

func (s *store) abandon() {
	for _, w := range []*texts.Writer{s.chunks, s.docs} {
		if w != nil {
			w.Close()
		}
	}
	s.chunks, s.docs = nil, nil
}
