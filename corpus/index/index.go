package index

import (
	"context"
	"errors"

	"assay/corpus"
)

// ErrNone says that nothing was indexed yet.
var ErrNone = errors.New("nothing is indexed yet")

// ErrNoChunk says that the corpus holds no chunk of that id.
var ErrNoChunk = errors.New("no such chunk")

// ErrNoDocument says that the corpus holds no document of that hash.
var ErrNoDocument = errors.New("no such document")

// Index is a built corpus, open for reading. Its methods may be called from several goroutines at once.
type Index struct{}

// Open opens the index under dir (<workspace>/corpus) read-only. It reports ErrNone where none was built and a
// *DamagedError where the files are not those that were built.
func Open(dir string) (*Index, error) { return nil, ErrNone }

// Close releases the files.
func (ix *Index) Close() error { return nil }

// Search answers r. A blank text has no hits and is no error; in query mode a mistake is a *SyntaxError.
func (ix *Index) Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error) {
	return corpus.SearchResult{}, ErrNone
}

// Ranking is Search without what a list shows: ids and scores only, for measuring.
func (ix *Index) Ranking(ctx context.Context, r corpus.SearchRequest) (corpus.Ranking, error) {
	return nil, ErrNone
}

// Chunk is the chunk of that id, or ErrNoChunk.
func (ix *Index) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	return corpus.Chunk{}, ErrNoChunk
}

// Document lists the chunks of the document that the chunk belongs to, in order. A chunk without a document is alone.
func (ix *Index) Document(ctx context.Context, chunkID string) ([]corpus.Chunk, error) {
	return nil, ErrNoChunk
}

// DocumentText is the decoded document of that hash, or ErrNoDocument.
func (ix *Index) DocumentText(ctx context.Context, hash corpus.Hash) (string, error) {
	return "", ErrNoDocument
}

// Matches are the spans of text, in bytes, that the search lights up: in order, not overlapping.
func (ix *Index) Matches(search string, mode corpus.Mode, text string) []corpus.Span { return nil }

// Info describes the corpus.
func (ix *Index) Info() corpus.Info { return corpus.Info{} }

// Language is the analyzer's language, e.g. "en" or "none".
func (ix *Index) Language() string { return "" }

// Scorer says what ranks: function, parameters, analyzer.
func (ix *Index) Scorer() string { return "" }

// Has reports whether the corpus holds a chunk of that id.
func (ix *Index) Has(id string) bool { return false }

// EachID calls yield with every chunk's id and the SHA-256 of its text, ordered by id bytes, until yield returns false.
func (ix *Index) EachID(yield func(id string, hash [32]byte) bool) error { return nil }

// Verify reads every file and compares it with what was built; a *DamagedError names the first that differs.
func (ix *Index) Verify(ctx context.Context) error { return nil }
