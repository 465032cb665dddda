package report

import (
	"fmt"
	"math"
	"slices"

	"assay/corpus/retrieval"
)

// unanswerableLine says how the retriever treats unanswerable queries.
func unanswerableLine(u *retrieval.Unanswerable) string {
	line := fmt.Sprintf("Of %s, the retriever returned something for %d.", count(u.Queries, "unanswerable query", "unanswerable queries"), u.Returned)
	if u.Separation != nil && !math.IsNaN(*u.Separation) {
		line += fmt.Sprintf(" An answerable query's best score is above an unanswerable one's with probability %.2f (0.50: no threshold tells them apart).", *u.Separation)
	}
	return line
}

func latencyLine(l *retrieval.Latency) string {
	return fmt.Sprintf("Latency over %s: median %s, 95%% within %s, 99%% within %s, at most %s.",
		queries(l.N), millis(l.P50), millis(l.P95), millis(l.P99), millis(l.Max))
}

// millis is a duration in milliseconds with three digits that matter.
func millis(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// thinned keeps at most n points of a curve, evenly spread over the logarithm of the depth, the ends among them.
func thinned(points []retrieval.CurvePoint, n int) []retrieval.CurvePoint {
	if len(points) <= n {
		return points
	}
	lo, hi := math.Log(float64(max(points[0].K, 1))), math.Log(float64(max(points[len(points)-1].K, 2)))
	var kept []retrieval.CurvePoint
	for i := range n {
		want := lo + (hi-lo)*float64(i)/float64(n-1)
		best := slices.MinFunc(points, func(a, b retrieval.CurvePoint) int {
			da, db := math.Abs(math.Log(float64(max(a.K, 1)))-want), math.Abs(math.Log(float64(max(b.K, 1)))-want)
			switch {
			case da < db:
				return -1
			case da > db:
				return 1
			}
			return 0
		})
		if len(kept) == 0 || kept[len(kept)-1].K < best.K {
			kept = append(kept, best)
		}
	}
	return kept
}

// sliceColumns are the measures that a table of slices shows: the report's, else what the slices hold.
func sliceColumns(list []retrieval.Slice, measures []retrieval.Mean, most int) []string {
	var names []string
	add := func(m retrieval.Mean) {
		if len(names) < most && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	held := func(name string) bool {
		return slices.ContainsFunc(list, func(s retrieval.Slice) bool {
			return slices.ContainsFunc(s.Measures, func(m retrieval.Mean) bool { return m.Name == name })
		})
	}
	for _, m := range measures {
		if held(m.Name) {
			add(m)
		}
	}
	for _, s := range list {
		for _, m := range s.Measures {
			add(m)
		}
	}
	return names
}

// meanOf is the mean by that name; one without a figure where there is none.
func meanOf(list []retrieval.Mean, name string) retrieval.Mean {
	if i := slices.IndexFunc(list, func(m retrieval.Mean) bool { return m.Name == name }); i >= 0 {
		return list[i]
	}
	return retrieval.Mean{Name: name}
}
