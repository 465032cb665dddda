package index

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"
)

// Index is a built corpus, open for reading. Its methods may be called from several goroutines at once. It goes on
// showing what it was opened on while another process builds anew.
type Index struct {
	folder   string
	manifest *manifest
	analyzer *words.Analyzer
	tables   *texts.Tables
	blocks   *texts.Blocks
	docs     *texts.Blocks
	shards   []*shard
	frequent frequentTerms
}

// Open opens the index under dir (<workspace>/corpus) read-only. It reports ErrNone where none was built and a
// *DamagedError where the files are not those that were built. It reads a few small files and the sizes of the
// others; Verify reads all.
func Open(dir string) (*Index, error) {
	name, err := current(dir)
	for {
		if err != nil {
			return nil, err
		}
		ix, openErr := openFolder(filepath.Join(dir, name))
		if openErr == nil {
			return ix, nil
		}
		// A build that ended meanwhile has taken the folder away: look again.
		var newer string
		if newer, err = current(dir); err != nil || newer == name {
			return nil, openErr
		}
		name = newer
	}
}

func openFolder(folder string) (ix *Index, err error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, damaged(manifestFile, err)
	}
	if err := m.usable(); err != nil {
		return nil, &DamagedError{What: "the index was made by another version of this program", Err: err}
	}
	if err := m.checkFiles(context.Background(), folder, false); err != nil {
		return nil, damaged("the files", err)
	}
	ix = &Index{folder: folder, manifest: m}
	defer func() {
		if err != nil {
			ix.Close()
			ix, err = nil, damaged("the files", err)
		}
	}()
	if ix.analyzer, err = words.New(m.Language, words.Searching); err != nil {
		return ix, err
	}
	if ix.tables, err = texts.OpenTables(folder); err != nil {
		return ix, err
	}
	if ix.blocks, err = texts.OpenBlocks(segmentPaths(folder, textSegment, m.Texts)); err != nil {
		return ix, err
	}
	if ix.docs, err = texts.OpenBlocks(segmentPaths(folder, docSegment, m.Docs)); err != nil {
		return ix, err
	}
	if ix.tables.IDs() != m.Chunks || ix.tables.Rows() != m.Rows || ix.tables.Docs() != m.Documents {
		return ix, errors.New("the tables don't hold as many chunks as were built")
	}
	if ix.frequent.file, err = os.Open(filepath.Join(folder, frequentFile)); err != nil {
		return ix, err
	}
	for _, info := range m.Shards {
		s, err := openShard(folder, info.Name)
		if err != nil {
			return ix, fmt.Errorf("%s: %w", info.Name, err)
		}
		ix.shards = append(ix.shards, s)
		if s.docs.file, err = os.Open(docTablePath(folder, info.Name)); err != nil {
			return ix, err
		}
		n, err := s.count()
		if err == nil && n != info.Chunks {
			err = fmt.Errorf("it holds %d chunks, not %d", n, info.Chunks)
		}
		if err != nil {
			return ix, fmt.Errorf("%s: %w", info.Name, err)
		}
	}
	return ix, nil
}

// damaged makes err a *DamagedError unless it is one.
func damaged(what string, err error) error {
	if d := (*DamagedError)(nil); errors.As(err, &d) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &DamagedError{What: what, Err: err}
}

// The names of the files of texts: chunks and decoded documents.
const (
	textSegment = "texts"
	docSegment  = "documents"
)

func segmentPath(folder, kind string, number uint32) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%06d.blk", kind, number))
}

func segmentPaths(folder, kind string, numbers []uint32) map[uint32]string {
	paths := make(map[uint32]string, len(numbers))
	for _, n := range numbers {
		paths[n] = segmentPath(folder, kind, n)
	}
	return paths
}

// Close releases the files. Searches must have ended.
func (ix *Index) Close() error {
	var errs []error
	for _, s := range ix.shards {
		errs = append(errs, s.close())
	}
	if ix.frequent.file != nil {
		errs = append(errs, ix.frequent.file.Close())
	}
	if ix.tables != nil {
		errs = append(errs, ix.tables.Close())
	}
	for _, b := range []*texts.Blocks{ix.blocks, ix.docs} {
		if b != nil {
			errs = append(errs, b.Close())
		}
	}
	return errors.Join(errs...)
}

// Info describes the corpus.
func (ix *Index) Info() corpus.Info {
	info := ix.manifest.Info
	info.Sources = slices.Clone(info.Sources)
	return info
}

// Language is the analyzer's language, e.g. "en" or "none".
func (ix *Index) Language() string { return ix.manifest.Language }

// Has reports whether the corpus holds a chunk of that id.
func (ix *Index) Has(id string) bool {
	_, ok, err := ix.tables.Find(id)
	return ok && err == nil
}

// EachID calls yield with every chunk's id and the SHA-256 of its text, ordered by id bytes, until yield returns false.
func (ix *Index) EachID(yield func(id string, hash [32]byte) bool) error {
	err := ix.tables.EachID(func(_ uint32, id texts.ID) bool { return yield(id.ID, id.Hash) })
	if err != nil {
		return damaged("the table of ids", err)
	}
	return nil
}

// Chunk is the chunk of that id, or ErrNoChunk.
func (ix *Index) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return corpus.Chunk{}, err
	}
	rank, ok, err := ix.tables.Find(id)
	if err != nil {
		return corpus.Chunk{}, damaged("the table of ids", err)
	}
	if !ok {
		return corpus.Chunk{}, fmt.Errorf("chunk %q: %w", id, ErrNoChunk)
	}
	c, err := ix.chunkAt(rank)
	if err != nil {
		return corpus.Chunk{}, damaged("the texts", err)
	}
	return c, nil
}

// chunkAt is the chunk whose id has the rank.
func (ix *Index) chunkAt(rank uint32) (corpus.Chunk, error) {
	id, err := ix.tables.ID(rank)
	if err != nil {
		return corpus.Chunk{}, err
	}
	row, err := ix.tables.Row(id.Ordinal)
	if err != nil {
		return corpus.Chunk{}, err
	}
	record, err := ix.blocks.Read(row.Text)
	if err != nil {
		return corpus.Chunk{}, err
	}
	c, err := texts.DecodeChunk(record)
	if err == nil && c.ID != id.ID {
		err = fmt.Errorf("chunk %q has the text of %q", id.ID, c.ID)
	}
	return c, err
}

// Document lists the chunks of the document that the chunk belongs to, in order. A chunk without a document is alone.
func (ix *Index) Document(ctx context.Context, chunkID string) (chunks []corpus.Chunk, err error) {
	c, err := ix.Chunk(ctx, chunkID)
	if err != nil {
		return nil, err
	}
	if c.DocID == "" {
		return []corpus.Chunk{c}, nil
	}
	defer recovered(&err)
	defer guard()()
	for _, s := range ix.shards {
		if err := s.docs.load(); err != nil {
			return nil, damaged("a table of chunks", err)
		}
		r, err := s.reader()
		if err != nil {
			return nil, damaged(s.name, err)
		}
		for _, seg := range r.segments {
			p, err := seg.docs.PostingsList([]byte(c.DocID), seg.deleted, nil)
			if err != nil {
				return nil, damaged(s.name, err)
			}
			var failed error
			eachPosting(p, func(n uint32) {
				if failed == nil {
					failed = ctx.Err()
				}
				if failed != nil {
					return
				}
				var c corpus.Chunk
				c, failed = ix.chunkAt(s.docs.ranks[seg.offset+n])
				chunks = append(chunks, c)
			})
			if failed != nil {
				return nil, damaged("the texts", failed)
			}
		}
	}
	slices.SortFunc(chunks, compareInDocument)
	return chunks, nil
}

// compareInDocument orders the chunks of a document: by ordinal where they have one, by place, by id.
func compareInDocument(a, b corpus.Chunk) int {
	start := func(c corpus.Chunk) int {
		if c.Span == nil {
			return -1
		}
		return c.Span.Start
	}
	return cmp.Or(cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(start(a), start(b)), cmp.Compare(a.ID, b.ID))
}

// DocumentText is the decoded document of that hash, or ErrNoDocument.
func (ix *Index) DocumentText(ctx context.Context, hash corpus.Hash) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var sum [32]byte
	if n, err := hex.Decode(sum[:], []byte(hash[:min(len(hash), 64)])); err != nil || n != len(sum) || len(hash) != 64 {
		return "", fmt.Errorf("document %q: %w", hash, ErrNoDocument)
	}
	ref, ok, err := ix.tables.FindDoc(sum)
	if err != nil {
		return "", damaged("the table of documents", err)
	}
	if !ok {
		return "", fmt.Errorf("document %s: %w", hash, ErrNoDocument)
	}
	text, err := ix.docs.Read(ref)
	if err != nil {
		return "", damaged("the documents", err)
	}
	return string(text), nil
}

// Verify reads every file and compares it with what was built; a *DamagedError names the first that differs.
func (ix *Index) Verify(ctx context.Context) error {
	return ix.manifest.checkFiles(ctx, ix.folder, true)
}

// ErrNone says that nothing was indexed yet.
var ErrNone = errors.New("nothing is indexed yet")

// ErrNoChunk says that the corpus holds no chunk of that id.
var ErrNoChunk = errors.New("no such chunk")

// ErrNoDocument says that the corpus holds no document of that hash.
var ErrNoDocument = errors.New("no such document")

// DamagedError says that the index on disk is not what was built. `assay index` builds it anew.
type DamagedError struct {
	What string // the file or the figure that is wrong
	Err  error  // may be nil
}

func (e *DamagedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("open index: %s: %v", e.What, e.Err)
	}
	return "open index: " + e.What
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *DamagedError) Hint() string {
	return "run `assay index` to build it anew; labels are not touched"
}

// BuildingError says that another process is building the index.
type BuildingError struct {
	PID   int
	Host  string
	Since time.Time
}

func (e *BuildingError) Error() string {
	return fmt.Sprintf("build index: process %d on %s is building it since %s", e.PID, e.Host, e.Since.Format(time.RFC3339))
}

// SyntaxError is a mistake in a search in query mode. Pos is a byte offset into the text.
type SyntaxError = ask.SyntaxError
