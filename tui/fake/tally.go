package fake

import (
	"maps"
	"slices"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/port"
)

// measured are the measures of the fake checker, in order.
var measured = []string{"R@5", "P@5", "RR"}

// judged is a ranking judged: which ranks hold a relevant chunk, from 1, and what is known of the query.
type judged struct {
	ranks    []int
	relevant int
	share    float64 // of the top five, judged
}

func (c *Checker) judge(r port.QueueRow, hits corpus.Ranking) judged {
	j := judged{relevant: r.Relevant}
	known := 0
	for i, h := range hits {
		g, ok := c.Desk.GradeOf(r.Query.ID, h.ChunkID)
		if ok && i < 5 {
			known++
		}
		if ok && c.Desk.ws.Scale.Relevant(g) {
			j.ranks = append(j.ranks, i+1)
		}
	}
	if n := min(5, len(hits)); n > 0 {
		j.share = float64(known) / float64(n)
	}
	return j
}

func (j judged) within(k int) float64 {
	n := 0
	for _, r := range j.ranks {
		if r <= k {
			n++
		}
	}
	return float64(n)
}

// of is the value of a measure by its place in measured.
func (j judged) of(measure int) float64 {
	switch {
	case measure == 0:
		return j.within(5) / float64(j.relevant)
	case measure == 1:
		return j.within(5) / 5
	case len(j.ranks) > 0:
		return 1 / float64(j.ranks[0])
	}
	return 0
}

func (j judged) values() map[string]*float64 {
	values := map[string]*float64{}
	for i, name := range measured {
		v := j.of(i)
		values[name] = &v
	}
	return values
}

// tally gathers judged rankings.
type tally struct{ all []judged }

func (t *tally) add(j judged) { t.all = append(t.all, j) }

// means have an interval a tenth wide on each side: no resampling, so that frames stay the same.
func (t *tally) means() []retrieval.Mean {
	var list []retrieval.Mean
	for i, name := range measured {
		m := retrieval.Mean{Name: name, N: len(t.all)}
		if m.N == 0 {
			m.Why = "no query counts"
			list = append(list, m)
			continue
		}
		sum, share := 0.0, 0.0
		for _, j := range t.all {
			sum += j.of(i)
			share += j.share
		}
		sum, share = sum/float64(m.N), share/float64(m.N)
		m.Mean, m.Judged = &sum, &share
		if m.N > 1 {
			m.Interval = &retrieval.Interval{Lo: max(0, sum-0.1), Hi: min(1, sum+0.1), Method: "bootstrap"}
		}
		if share < 1 {
			m.Bounds = &retrieval.Bounds{Irrelevant: sum, Relevant: min(1, sum+1-share)}
		}
		list = append(list, m)
	}
	return list
}

func (t *tally) curve() []retrieval.CurvePoint {
	if len(t.all) == 0 {
		return nil
	}
	var points []retrieval.CurvePoint
	for _, k := range []int{1, 2, 3, 5, 10, 20, 50, 100} {
		sum := 0.0
		for _, j := range t.all {
			sum += j.within(k) / float64(j.relevant)
		}
		points = append(points, retrieval.CurvePoint{K: k, Mean: sum / float64(len(t.all))})
	}
	return points
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
