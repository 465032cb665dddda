package desk

import (
	"context"

	"assay/corpus"
	"assay/corpus/index"
	"assay/tui/port"
)

// Finder implements port.Finder over an index, or over nothing where there is none.
type Finder struct {
	ix *index.Index
}

var _ port.Finder = Finder{}

// NewFinder makes a finder; ix may be nil.
func NewFinder(ix *index.Index) Finder { return Finder{ix} }

// Search implements port.Finder.
func (f Finder) Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error) {
	if f.ix == nil {
		return corpus.SearchResult{Request: r}, nil
	}
	return f.ix.Search(ctx, r)
}

// Chunk implements port.Finder.
func (f Finder) Chunk(ctx context.Context, chunkID string) (corpus.Chunk, error) {
	if f.ix == nil {
		return corpus.Chunk{}, index.ErrNoChunk
	}
	return f.ix.Chunk(ctx, chunkID)
}

// Document implements port.Finder.
func (f Finder) Document(ctx context.Context, chunkID string) ([]corpus.Chunk, error) {
	if f.ix == nil {
		return nil, index.ErrNoChunk
	}
	return f.ix.Document(ctx, chunkID)
}

// Matches implements port.Finder.
func (f Finder) Matches(search string, mode corpus.Mode, text string) []corpus.Span {
	if f.ix == nil {
		return nil
	}
	return f.ix.Matches(search, mode, text)
}
