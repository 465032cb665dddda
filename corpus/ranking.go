package corpus

import (
	"cmp"
	"slices"
	"strings"
)

// Hit is one retrieved chunk. A higher score is better.
type Hit struct {
	ChunkID string
	Score   float64
}

// Ranking is a retriever's result for one query, best first.
type Ranking []Hit

// CompareHits orders by score descending, then by chunk id descending by bytes, as trec_eval does. Scores are
// never NaN: readers reject it.
func CompareHits(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return strings.Compare(b.ChunkID, a.ChunkID)
}

// Sort puts the ranking in the order of CompareHits, in place.
func (r Ranking) Sort() { slices.SortFunc(r, CompareHits) }

// Run is a retriever's rankings by query id. A query may have an empty ranking, which is not the same as none.
type Run struct {
	Name     string
	Rankings map[string]Ranking
}

// Qrels are grades by query id and chunk id: a gold set's TREC form.
type Qrels map[string]map[string]Grade
