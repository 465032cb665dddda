package report

import (
	"fmt"
	"math"
	"slices"

	"assay/corpus/retrieval"
	"assay/corpus/text"
)

// unanswerableLine says how the retriever treats unanswerable queries.
func unanswerableLine(u *retrieval.Unanswerable) string {
	line := fmt.Sprintf("Of %s, the retriever returned something for %d.", text.Count(u.Queries, "unanswerable query", "unanswerable queries"), u.Returned)
	if u.Separation != nil && !math.IsNaN(*u.Separation) {
		line += fmt.Sprintf(" An answerable query's best score is above an unanswerable one's with probability %.2f (0.50: no threshold tells them apart).", *u.Separation)
	}
	return line
}

func latencyLine(l *retrieval.Latency) string {
	return fmt.Sprintf("Latency over %s: median %s, 95%% within %s, 99%% within %s, at most %s.",
		queries(l.N), Millis(l.P50), Millis(l.P95), Millis(l.P99), Millis(l.Max))
}

// Millis is a duration given in milliseconds, as it is printed everywhere: three digits that matter, from a second on in
// seconds.
func Millis(ms float64) string {
	switch {
	case ms > 0 && ms < 0.005:
		return "<0.01 ms"
	case ms < 999.5:
		return threeDigits(ms) + " ms"
	}
	return threeDigits(ms/1000) + " s"
}

func threeDigits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// thinned keeps few points of a curve with many: the ends, and round depths (1, 2, 5, 10, 20, …).
func thinned(points []retrieval.CurvePoint, most int) []retrieval.CurvePoint {
	if len(points) <= most {
		return points
	}
	var kept []retrieval.CurvePoint
	for i, p := range points {
		if i == 0 || i == len(points)-1 || roundDepth(p.K) {
			kept = append(kept, p)
		}
	}
	return kept
}

func roundDepth(k int) bool {
	for k >= 10 && k%10 == 0 {
		k /= 10
	}
	return k == 1 || k == 2 || k == 5
}

// strided keeps at most about n points, evenly along the list, and the last.
func strided(points []retrieval.CurvePoint, most int) []retrieval.CurvePoint {
	step := max(1, (len(points)+most-1)/most)
	var kept []retrieval.CurvePoint
	for i, p := range points {
		if i%step == 0 || i < most/4 || i == len(points)-1 || roundDepth(p.K) {
			kept = append(kept, p)
		}
	}
	return kept
}

// theyScore says what becomes of queries without a ranking.
func theyScore(n int) string {
	if n == 1 {
		return "which scores 0"
	}
	return "which score 0"
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
