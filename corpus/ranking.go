package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// ParseScore reads a score as runs and replies write it. The error says why it is none: no number, beyond what a
// float64 holds, or NaN, which has no place in an order.
func ParseScore(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	const most = 60
	shown := text
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "…"
	}
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(f, 0):
		return 0, fmt.Errorf("score %q is beyond what a float64 holds", shown)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("score %q is not a number", shown)
	case math.IsNaN(f):
		return 0, fmt.Errorf("score %q can't be ordered", shown)
	}
	return f, nil
}

// RankingOf is the ranking of hits in the order in which they came, with their scores as text, not sorted yet. Where
// scores is nil the order counts: the first of n hits gets the score n, the last 1. An id that comes twice is there
// twice. The error names the first bad hit.
func RankingOf(ids, scores []string) (Ranking, error) {
	if scores != nil && len(scores) != len(ids) {
		return nil, fmt.Errorf("%d ids have %d scores", len(ids), len(scores))
	}
	ranking := make(Ranking, len(ids))
	for i, id := range ids {
		score, err := float64(len(ids)-i), CheckID(id)
		if err == nil && scores != nil {
			score, err = ParseScore(scores[i])
		}
		if err != nil {
			return nil, fmt.Errorf("hit %d: %w", i+1, err)
		}
		ranking[i] = Hit{id, score}
	}
	return ranking, nil
}

// Run is a retriever's rankings by query id. A query may have an empty ranking, which is not the same as none.
type Run struct {
	Name     string
	Rankings map[string]Ranking
}

// BuiltinRun is what the built-in search is called where runs are listed.
const BuiltinRun = "built-in search"

// Qrels are grades by query id and chunk id: a gold set's TREC form.
type Qrels map[string]map[string]Grade
