package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/index/internal/disk"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"
)

// Sink takes what a feed reads. A document may come before its chunks, after them, or not at all.
type Sink interface {
	Document(corpus.Document) error
	Chunk(corpus.Chunk) error
}

// BuildOptions say what is built.
type BuildOptions struct {
	CorpusID string // "" → the one so far, else derived from the fingerprint
	Language string // one of Languages; "" → the one so far, else DefaultLanguage
	Chunking string // how documents were cut; recorded
	Sources  []corpus.Source
	Progress func(Progress)   // may be nil; called from the goroutine of Build or of the feed
	Now      func() time.Time // for the lock's note of who builds since when; nil → time.Now

	create func(path string) (disk.File, error) // tests put in files that fail
	link   func(from, to string) error
}

// Progress is how far a build is. Total is 0 where unknown.
type Progress struct {
	Stage string // "read", "index", "write"
	Done  int
	Total int
}

// Result says what a build changed. Chunks = Added + Changed + Moved + Unchanged. The lists are in byte order;
// those of what changed are nil where there was no index before.
type Result struct {
	Chunks     int
	Added      int
	Changed    int // the text, the title or the document is another: indexed anew
	Moved      int // the words are the same; the place in the document or the metadata is another
	Gone       int
	Unchanged  int
	Repeated   int    // chunks fed again with the same id and content: ignored
	Rebuilt    bool   // the whole index was built, rather than what changed
	Repaired   string // why the index that was there could not be used, "" where it could or there was none
	AddedIDs   []string
	ChangedIDs []string
	GoneIDs    []string
	EmptyIDs   []string // chunks in whose title and text is no word: kept, but no search for words finds them
	Info       corpus.Info
}

// DefaultLanguage is taken where none is named.
const DefaultLanguage = words.DefaultLanguage

// Languages lists the names that BuildOptions.Language takes, sorted.
func Languages() []string { return words.Languages() }

// Build makes or refreshes the index under dir (<workspace>/corpus) from what feed puts into the sink: all of the
// corpus, not only what is new. Whatever goes wrong, the index that was there stays; it is replaced in one step at
// the very end. Another process that builds is a *BuildingError.
func Build(ctx context.Context, dir string, opt BuildOptions, feed func(context.Context, Sink) error) (Result, error) {
	result, err := build(ctx, dir, opt, feed)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
			err = cause
		}
		if b := (*BuildingError)(nil); errors.As(err, &b) {
			return Result{}, err
		}
		return Result{}, fmt.Errorf("build index: %w", err)
	}
	return result, nil
}

func build(ctx context.Context, dir string, opt BuildOptions, feed func(context.Context, Sink) error) (Result, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.create == nil {
		opt.create = disk.Create
	}
	if opt.link == nil {
		opt.link = os.Link
	}
	if opt.Progress == nil {
		opt.Progress = func(Progress) {}
	}
	if _, err := words.Canonical(opt.Language); err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Result{}, err
	}
	unlock, held, err := disk.Lock(filepath.Join(dir, lockFile), opt.Now())
	if err != nil {
		return Result{}, err
	}
	if held != nil {
		return Result{}, &BuildingError{held.PID, held.Host, held.Since}
	}
	defer unlock()

	name, err := current(dir)
	old, repaired := (*oldIndex)(nil), ""
	if err == nil {
		old, err = openOld(ctx, filepath.Join(dir, name))
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil && !errors.Is(err, ErrNone):
		repaired = strings.TrimPrefix(err.Error(), "open index: ")
	}
	if old != nil {
		defer old.close()
	}
	if err := sweep(dir, name); err != nil {
		return Result{}, err
	}
	if opt.Language == "" && old != nil {
		opt.Language = old.manifest.Language
	}
	analyzer, err := words.New(opt.Language, words.Building)
	if err != nil {
		return Result{}, err
	}
	folder, err := os.MkdirTemp(dir, nextFolder(name))
	if err != nil {
		return Result{}, err
	}
	w := &work{dir: dir, folder: folder, opt: opt, analyzer: analyzer}
	defer func() { os.RemoveAll(w.folder) }()
	w.result.Repaired = repaired

	if old == nil {
		err = w.first(ctx, feed)
	} else {
		err = w.again(ctx, old, feed)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !w.ready {
		return w.result, err
	}
	if err := w.swap(filepath.Base(folder)); err != nil {
		return w.result, err
	}
	w.folder = filepath.Join(dir, name)
	if name == "" || !folderName.MatchString(name) {
		w.folder = ""
	}
	return w.result, nil
}

// nextFolder is the pattern of the next build's name. The random part keeps apart what a cancelled build, whose
// engine may still be merging, and the one after it write.
func nextFolder(name string) string {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, "build-"), "-")
	n, _ := strconv.Atoi(number)
	return fmt.Sprintf("build-%06d-*", n+1)
}

// work is one build. folder is removed at the end: that of the new build if it failed, else that of the old one.
type work struct {
	dir, folder string
	opt         BuildOptions
	analyzer    *words.Analyzer
	result      Result
	ready       bool // the folder holds a whole index that is to be the current one
}

// swap makes the new build the current one. This is the one step after which readers see it.
func (w *work) swap(name string) error {
	return disk.Replace(w.opt.create, filepath.Join(w.dir, currentFile), []byte(name+"\n"))
}

// first builds where there is nothing to compare with.
func (w *work) first(ctx context.Context, feed func(context.Context, Sink) error) error {
	f := newFresh(ctx, w.folder, w.opt, w.analyzer, 1)
	defer f.abandon()
	if err := feed(f.ctx, f); err != nil {
		return f.reason(err)
	}
	content, err := f.finish()
	if err != nil {
		return err
	}
	w.result.Rebuilt = true
	w.result.Added = len(content.ids)
	w.result.Repeated = f.repeated
	return w.seal(ctx, content, "", nil)
}

// content is what a build holds when all chunks are in place.
type content struct {
	rows         []texts.Row
	ids          []texts.ID
	docs         []texts.Doc
	texts, files []uint32 // numbers of the segments of chunks and of documents
	shards       []string
}

// seal writes the tables and the manifest. Files that old and the folder share keep the hashes that they had.
func (w *work) seal(ctx context.Context, c content, corpusID string, shared map[string]fileInfo) error {
	w.opt.Progress(Progress{Stage: "write"})
	texts.SortIDs(c.ids)
	texts.SortDocs(c.docs)
	m := &manifest{
		Format: formatVersion, Bleve: bleveVersion, Analyzer: analyzerName(w.analyzer.Language()), Language: w.analyzer.Language(),
		Chunks: len(c.ids), Documents: len(c.docs), Rows: len(c.rows), Texts: c.texts, Docs: c.files,
	}
	w.result.EmptyIDs = nil
	for rank, id := range c.ids {
		row := &c.rows[id.Ordinal]
		row.Rank = uint32(rank)
		m.Words += uint64(row.Words)
		if row.Words == 0 {
			w.result.EmptyIDs = append(w.result.EmptyIDs, id.ID)
		}
	}
	if err := texts.WriteTables(w.opt.create, w.folder, c.rows, c.ids, c.docs); err != nil {
		return err
	}
	if err := w.sealShards(ctx, m, c); err != nil {
		return err
	}
	var err error
	if m.Mapping, err = mappingHash(); err != nil {
		return err
	}
	m.Info = w.info(corpus.Fingerprint(func(yield func(string, [32]byte) bool) {
		for _, id := range c.ids {
			if !yield(id.ID, id.Hash) {
				return
			}
		}
	}), corpusID, len(c.ids))
	if m.Files, err = listFiles(ctx, w.folder, shared); err != nil {
		return err
	}
	b, err := encodeManifest(m)
	if err != nil {
		return err
	}
	if err := disk.Replace(w.opt.create, filepath.Join(w.folder, manifestFile), b); err != nil {
		return err
	}
	if err := disk.SyncTree(w.folder); err != nil {
		return err
	}
	w.result.Chunks, w.result.Info = len(c.ids), m.Info
	w.ready = true
	return nil
}

// info describes the corpus; its id is the one asked for, the one it had, or one made of its content.
func (w *work) info(fingerprint corpus.Hash, id string, chunks int) corpus.Info {
	if w.opt.CorpusID != "" {
		id = w.opt.CorpusID
	}
	if id == "" {
		id = "c-" + string(fingerprint[:12])
	}
	return corpus.Info{ID: id, Fingerprint: fingerprint, Chunks: chunks, Chunking: w.opt.Chunking, Sources: slices.Clone(w.opt.Sources)}
}

// sealShards opens the shards as a search will, and writes what is to be known of them beforehand.
func (w *work) sealShards(ctx context.Context, m *manifest, c content) error {
	var readers []*reader
	total := uint64(0)
	for _, name := range c.shards {
		s, err := openShard(w.folder, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer s.close()
		n, err := s.count()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Shards = append(m.Shards, shardInfo{name, n})
		total += n
		if err := writeDocTable(ctx, w.opt.create, w.folder, s, c.rows); err != nil {
			return err
		}
		r, err := s.reader()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		readers = append(readers, r)
	}
	if total != uint64(len(c.ids)) {
		return fmt.Errorf("%d chunks came in and %d are in the index", len(c.ids), total)
	}
	return writeFrequent(ctx, w.opt.create, w.folder, readers)
}

// describe writes a manifest of the same files with other information on the corpus.
func (w *work) describe(old *oldIndex) error {
	m := *old.manifest
	info := w.info(m.Info.Fingerprint, m.Info.ID, m.Chunks)
	w.result.Chunks, w.result.Info = m.Chunks, info
	if reflect.DeepEqual(info, m.Info) {
		return nil
	}
	m.Info = info
	b, err := encodeManifest(&m)
	if err != nil {
		return err
	}
	return disk.Replace(w.opt.create, filepath.Join(old.folder, manifestFile), b)
}
