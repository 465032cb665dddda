package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval, ends included.
type Interval struct{ Lo, Hi float64 }

// Wilson is the score interval of a share at the given level, without continuity correction. Not ok where n < 1,
// successes lie outside 0…n or level outside 0…1.
func Wilson(successes, n int, level float64) (Interval, bool) {
	if n < 1 || successes < 0 || successes > n || !proper(level) {
		return Interval{}, false
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	size, share := float64(n), float64(successes)/float64(n)
	denominator := 1 + z*z/size
	center := (share + z*z/(2*size)) / denominator
	half := z / denominator * math.Sqrt(share*(1-share)/size+z*z/(4*size*size))
	i := Interval{Lo: max(0, center-half), Hi: min(1, center+half)}
	if successes == 0 {
		i.Lo = 0 // exactly, which the subtraction above misses by its rounding
	}
	if successes == n {
		i.Hi = 1
	}
	return i, true
}

// proper reports whether p is a probability strictly between 0 and 1.
func proper(p float64) bool { return p > 0 && p < 1 }

// Widening is by how much an interval that takes the spread of n values for the true one has to be widened about the
// mean: Student's t over the normal quantile, times √(n/(n−1)), since resampling also sees too little spread. 1 where
// n < 2 or the level is not between 0 and 1.
func Widening(n int, level float64) float64 {
	if n < 2 || !proper(level) {
		return 1
	}
	tail := (1 + level) / 2
	return studentQuantile(tail, float64(n-1)) / distuv.UnitNormal.Quantile(tail) * math.Sqrt(float64(n)/float64(n-1))
}
