package retrieval

import (
	"math"
	"slices"

	"assay/corpus"
)

// unjudged stands for every grade that says nothing about relevance: none at all, or a negative one.
const unjudged corpus.Grade = -1

// sheet is one query seen through its labels: the grade of each hit, repeats removed, best first.
type sheet struct {
	grades   []corpus.Grade // of the hits; unjudged or ≥ 0
	ideal    []corpus.Grade // all grades above 0 of the query, highest first
	relevant int            // how many chunks of the query count as relevant
	from     corpus.Grade   // lowest grade that does
	log2     []float64      // log2[i] is log2(i+2), the discount of rank i+1; at least as long as grades and ideal
}

// depth is how many hits a cut-off of k sees.
func (s *sheet) depth(k int) int {
	if k == 0 {
		return len(s.grades)
	}
	return min(k, len(s.grades))
}

func (s *sheet) hits(k int) int {
	n := 0
	for _, g := range s.grades[:s.depth(k)] {
		if g >= s.from {
			n++
		}
	}
	return n
}

// value is the measure as metrics.md section 2 defines it. Sums are plain float64 sums by rank, divided last: that
// gives trec_eval's digits.
func (s *sheet) value(m Measure) float64 {
	switch m.kind {
	case precision:
		return float64(s.hits(m.k)) / float64(m.k)
	case recall, setRecall:
		return ratio(s.hits(m.k), s.relevant)
	case success:
		return float64(min(1, s.hits(m.k)))
	case setPrecision:
		return ratio(s.hits(0), len(s.grades))
	case rPrecision:
		if s.relevant == 0 {
			return 0 // and hits(0) would mean full depth
		}
		return ratio(s.hits(s.relevant), s.relevant)
	case judgedShare:
		return s.judged(m.k)
	case reciprocalRank:
		for i, g := range s.grades[:s.depth(m.k)] {
			if g >= s.from {
				return 1 / float64(i+1)
			}
		}
		return 0
	case averagePrecision:
		return s.averagePrecision(m.k)
	default:
		return s.ndcg(m.k)
	}
}

// judged is the share of the top k that has a grade, of those returned (ir_measures' denominator).
func (s *sheet) judged(k int) float64 {
	n := 0
	for _, g := range s.grades[:s.depth(k)] {
		if g != unjudged {
			n++
		}
	}
	return ratio(n, s.depth(k))
}

func (s *sheet) averagePrecision(k int) float64 {
	hits, sum := 0, 0.0
	for i, g := range s.grades[:s.depth(k)] {
		if g >= s.from {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	if s.relevant == 0 {
		return 0
	}
	return sum / float64(s.relevant)
}

// ndcg takes the grade itself as gain, whatever counts as relevant, and the ideal from all judged chunks, cut at k
// where there is a k.
func (s *sheet) ndcg(k int) float64 {
	ideal := s.ideal
	if k > 0 && len(ideal) > k {
		ideal = ideal[:k]
	}
	best := s.gain(ideal)
	if best == 0 {
		return 0
	}
	return s.gain(s.grades[:s.depth(k)]) / best
}

func (s *sheet) gain(grades []corpus.Grade) float64 {
	sum := 0.0
	for i, g := range grades {
		if g > 0 {
			sum += float64(g) / s.log2[i]
		}
	}
	return sum
}

// ratio is a/b, 0 where b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// growDiscounts makes log2 at least n long.
func growDiscounts(log2 []float64, n int) []float64 {
	for i := len(log2); i < n; i++ {
		log2 = append(log2, math.Log2(float64(i+2)))
	}
	return log2
}

// idealOf are the grades above 0, highest first, in the space of into.
func idealOf(grades map[string]corpus.Grade, into []corpus.Grade) []corpus.Grade {
	into = into[:0]
	for _, g := range grades {
		if g > 0 {
			into = append(into, g)
		}
	}
	slices.SortFunc(into, func(a, b corpus.Grade) int { return int(b) - int(a) })
	return into
}
