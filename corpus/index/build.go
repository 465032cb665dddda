package index

import (
	"context"
	"errors"

	"assay/corpus"
)

// Sink takes what a feed reads. A document comes before its chunks or after them; chunks may come without one.
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
	Progress func(Progress) // may be nil; called from the goroutine that feeds
}

// Progress is how far a build is. Total is 0 where unknown.
type Progress struct {
	Stage string // "read", "index", "write"
	Done  int
	Total int
}

// Result says what a build changed. The lists of ids are in byte order.
type Result struct {
	Chunks     int
	Added      int
	Changed    int
	Gone       int
	Unchanged  int
	Repeated   int  // chunks fed again with the same id and content; ignored
	Rebuilt    bool // the whole index was built, rather than what changed
	AddedIDs   []string
	ChangedIDs []string
	GoneIDs    []string
	EmptyIDs   []string // chunks whose title and text hold no word: kept, never found by words
	Info       corpus.Info
}

// Build makes or refreshes the index under dir (<workspace>/corpus) from what feed puts into the sink: all of the
// corpus, not only what is new. On any error the index that was there stays.
func Build(ctx context.Context, dir string, opt BuildOptions, feed func(context.Context, Sink) error) (Result, error) {
	return Result{}, errors.New("build index: not written yet")
}

// DefaultLanguage is taken where none is named.
const DefaultLanguage = "en"

// Languages lists the names that BuildOptions.Language takes, sorted.
func Languages() []string { return []string{"en", "none"} }
