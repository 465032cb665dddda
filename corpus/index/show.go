package index

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/words"
)

// show reads what a list shows of the hits.
func (ix *Index) show(ctx context.Context, p ask.Plan, r corpus.SearchRequest, best []candidate) ([]corpus.SearchHit, error) {
	if len(best) == 0 {
		return nil, nil
	}
	hits := make([]corpus.SearchHit, len(best))
	m := ask.NewMatcher(ix.analyzer, p)
	var next atomic.Int64
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(best)/16+1))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			var tokens []words.Token
			for {
				i := int(next.Add(1)) - 1
				if i >= len(best) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] != nil {
					return
				}
				c, err := ix.chunkAt(best[i].rank)
				if err != nil {
					errs[w] = err
					return
				}
				hit := corpus.SearchHit{ChunkID: c.ID, DocID: c.DocID, Title: c.Title, Score: best[i].score}
				hit.Snippet, tokens = m.Snippet(c.Text, tokens)
				hits[i] = hit
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// Matches are the spans of text, in bytes, that the search lights up: in order, not overlapping. The last word of a
// plain search also lights what it is the beginning of, where the text does not have the word itself. A search that
// can't be read lights nothing.
func (ix *Index) Matches(search string, mode corpus.Mode, text string) []corpus.Span {
	p, err := ask.For(ix.analyzer, corpus.SearchRequest{Text: search, Mode: mode, Prefix: true})
	if err != nil {
		return nil
	}
	return ask.NewMatcher(ix.analyzer, p).Spans(text)
}

// maxVerified is how many chunks are read to see whether the words of a phrase follow one another. The index keeps
// no positions: they would make it 2.5 times as large for phrases alone.
const maxVerified = 5000

// verify keeps of the candidates, best first, those that have the phrases.
func (ix *Index) verify(ctx context.Context, p ask.Plan, f *found) error {
	// A word in quotes is in the index as it is.
	phrases := slices.DeleteFunc(slices.Clone(p.Phrases), func(ph ask.Phrase) bool { return !ph.Not && len(ph.Words) == 1 })
	if len(phrases) == 0 {
		return nil
	}
	if f.total > maxVerified {
		f.partial = true
		f.note = fmt.Sprintf("the phrase was looked for in the best %d of %d chunks that have its words", maxVerified, f.total)
		f.best = f.best[:min(len(f.best), maxVerified)]
	}
	holds := make([]bool, len(f.best))
	var next atomic.Int64
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(f.best)/16+1))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			var tokens []words.Token
			for {
				i := int(next.Add(1)) - 1
				if i >= len(f.best) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] != nil {
					return
				}
				c, err := ix.chunkAt(f.best[i].rank)
				if err != nil {
					errs[w] = err
					return
				}
				holds[i] = true
				for _, ph := range phrases {
					in := false
					for _, text := range []string{c.Title, c.Text} {
						tokens = ix.analyzer.Tokens(tokens[:0], text)
						in = in || len(ask.Occurrences(ph.Words, tokens)) > 0
					}
					holds[i] = holds[i] && in != ph.Not
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	kept := f.best[:0]
	for i, c := range f.best {
		if holds[i] {
			kept = append(kept, c)
		}
	}
	f.best, f.total = kept, len(kept)
	return nil
}
