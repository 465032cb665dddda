package stats

import (
	"math"
	"slices"
	"sort"
)

// Mean is the sum in the order given, divided last, as trec_eval forms it; NaN for none.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// StdDev is the sample's standard deviation (n−1); 0 where n < 2, exactly 0 where all values are equal.
func StdDev(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	// Deviations from the first value instead of from zero keep the digits of values that lie close together.
	n, first := float64(len(x)), x[0]
	var sum float64
	for _, v := range x {
		sum += v - first
	}
	shift := sum / n
	var squares float64
	for _, v := range x {
		d := v - first - shift
		squares += d * d
	}
	return math.Sqrt(squares / (n - 1))
}

// Quantiles are those of x at the given shares, linearly interpolated (type 7, as R and NumPy have it by default). x is
// not changed. nil for none; NaN at shares outside 0…1, and everywhere if x holds NaN or ±Inf.
func Quantiles(x []float64, at ...float64) []float64 {
	if len(x) == 0 {
		return nil
	}
	sorted := slices.Clone(x)
	sort.Float64s(sorted)
	bad := !allFinite(sorted)
	q := make([]float64, len(at))
	for i, share := range at {
		if q[i] = math.NaN(); !bad && share >= 0 && share <= 1 {
			q[i] = quantile(sorted, share)
		}
	}
	return q
}

// quantile is type 7 over sorted, finite values.
func quantile(sorted []float64, share float64) float64 {
	h := share * float64(len(sorted)-1)
	lower := int(h)
	if lower+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	a, b := sorted[lower], sorted[lower+1]
	return a + float64((h-float64(lower))*(b-a)) // rounded before it is added, on every processor alike
}

// AUC is the probability that a value of a exceeds one of b, ties counting half: Mann–Whitney's U over |a||b|. Not ok,
// and NaN, where one is empty or holds NaN.
func AUC(a, b []float64) (float64, bool) {
	if len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN(), false
	}
	sa, sb := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	var below, notAbove int // how many of b are < v, how many ≤ v
	var doubled float64     // 2U, a whole number
	for _, v := range sa {
		for below < len(sb) && sb[below] < v {
			below++
		}
		for notAbove < len(sb) && sb[notAbove] <= v {
			notAbove++
		}
		doubled += float64(below + notAbove)
	}
	return doubled / 2 / float64(len(a)) / float64(len(b)), true
}

func allFinite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
