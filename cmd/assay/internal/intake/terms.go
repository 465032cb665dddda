package intake

import (
	"context"
	"slices"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/querylog/propose"
)

// terms asks the index how many chunks hold a word, once for each word.
type terms struct {
	ctx   context.Context
	ix    *index.Index
	known map[string]int
}

// Holding implements propose.Terms.
func (t *terms) Holding(word string) (int, error) {
	if n, ok := t.known[word]; ok {
		return n, nil
	}
	r, err := t.ix.Search(t.ctx, corpus.SearchRequest{Text: word, Mode: corpus.Plain, Limit: 1})
	if err != nil {
		return 0, err
	}
	t.known[word] = r.Total
	return r.Total, nil
}

// guessGaps proposes unanswerable for the queries of which the corpus lacks most words.
func guessGaps(ctx context.Context, ix *index.Index, queries []corpus.Query, progress func(done, total int)) error {
	if ix == nil || ix.Info().Chunks == 0 {
		return nil
	}
	t := &terms{ctx, ix, map[string]int{}}
	for i := range queries {
		q := &queries[i]
		gap, err := propose.Unanswerable(propose.Query{Text: q.Text, Language: q.Language}, t)
		if err != nil {
			return err
		}
		if gap && !slices.Contains(q.Proposed, corpus.TagUnanswerable) {
			q.Proposed = append(slices.Clone(q.Proposed), corpus.TagUnanswerable)
			slices.Sort(q.Proposed)
		}
		progress(i+1, len(queries))
	}
	return nil
}
