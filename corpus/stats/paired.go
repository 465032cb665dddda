package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairedT is the two-sided p of Student's paired t test of mean difference 0. Not ok, and NaN, where n < 2, a difference
// is not finite, or all are equal but not 0; all 0 gives 1.
func PairedT(diffs []float64) (p float64, ok bool) {
	n := len(diffs)
	if n < 2 || !allFinite(diffs) {
		return math.NaN(), false
	}
	if largest(diffs) == 0 {
		return 1, true
	}
	dz, ok := EffectSize(diffs)
	if !ok {
		return math.NaN(), false
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
	return min(1, 2*student.Survival(math.Abs(dz)*math.Sqrt(float64(n)))), true
}

// EffectSize is d_z, the mean difference in standard deviations of the differences. Not ok, and NaN, where these are all
// equal, fewer than two, or not finite.
func EffectSize(diffs []float64) (dz float64, ok bool) {
	sd := StdDev(diffs)
	if !allFinite(diffs) || math.IsInf(sd, 0) || sd <= noise*largest(diffs) {
		return math.NaN(), false
	}
	return Mean(diffs) / sd, true
}

// noise is the share of the largest difference below which a difference is one of rounding only.
const noise = 1e-9

// largest is the largest size among x; 0 for none.
func largest(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// Holm adjusts p-values for their number, step down: the result is in the order given, monotone in p, and at most 1. NaN
// stays NaN and does not count.
func Holm(p []float64) []float64 {
	adjusted := slices.Clone(p)
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	var reached float64
	for rank, i := range order {
		reached = max(reached, min(1, p[i]*float64(len(order)-rank)))
		adjusted[i] = reached
	}
	return adjusted
}
