package index

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"assay/corpus/index/internal/words"
)

// maxVerified is how many chunks are read to see whether the words of a phrase follow one another. The index keeps
// no positions: they would make it 2.5 times as large for phrases alone.
const maxVerified = 5000

// verify keeps of the candidates, best first, those that have the phrases.
func (ix *Index) verify(ctx context.Context, p plan, f *found) error {
	if !slices.ContainsFunc(p.phrases, func(ph phrase) bool { return ph.not || len(ph.words) > 1 }) {
		return nil // a word in quotes is in the index as it is
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
				for _, ph := range p.phrases {
					in := false
					for _, text := range []string{c.Title, c.Text} {
						tokens = ix.analyzer.Tokens(tokens[:0], text)
						in = in || len(occurrences(ph.words, tokens)) > 0
					}
					holds[i] = holds[i] && in != ph.not
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

// occurrences are the places where the words of a phrase follow one another: pairs of first and last token.
func occurrences(phrase []string, tokens []words.Token) (spans [][2]words.Token) {
	var row []words.Token // the words alone, which are in order
	for _, t := range tokens {
		if t.Kind == words.Word {
			row = append(row, t)
		}
	}
	for i := 0; i+len(phrase) <= len(row); {
		n := 0
		for n < len(phrase) && row[i+n].Term == phrase[n] {
			n++
		}
		if n < len(phrase) {
			i++
			continue
		}
		spans = append(spans, [2]words.Token{row[i], row[i+n-1]})
		i += n
	}
	return spans
}
