package querylog

import (
	"math"
	"time"

	"assay/corpus"
)

// Merge takes what a further row says of a query into the query that is kept: counts add up, times widen, and of
// everything else the first that a row says stays.
func Merge(kept *corpus.Query, again corpus.Query) {
	if kept.Count > math.MaxInt-again.Count {
		kept.Count = math.MaxInt
	} else {
		kept.Count += again.Count
	}
	kept.FirstSeen = earlier(kept.FirstSeen, again.FirstSeen)
	kept.LastSeen = later(kept.LastSeen, again.LastSeen)
	for _, f := range textFields {
		if at := f.of(kept); *at == "" {
			*at = *f.of(&again)
		}
	}
	if kept.Turns == nil {
		kept.Turns = again.Turns
	}
	if kept.Weight == nil {
		kept.Weight = again.Weight
	}
}

func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}
