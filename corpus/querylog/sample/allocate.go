package sample

import (
	"cmp"
	"math"
	"slices"
)

// least is how many each stratum gets where N allows: fewer have no spread.
const least = 2

// allocate shares n out over strata by their sizes, in whole numbers that sum to n or to all there is: at least two each
// where n allows (one where that is too much), at most what they have. Draw gives the square root of the traffic as size
// (power allocation, Bankier 1988), which lies between a part as large as the traffic's, of which small strata get
// nothing, and equal parts, of which large ones get too little. It does not look at what was drawn before, so that it
// does not depend on chance.
func allocate(n int, sizes []float64, have []int) []int {
	parts := make([]int, len(sizes))
	all := 0
	for _, h := range have {
		all += h
	}
	if n >= all {
		copy(parts, have)
		return parts
	}
	low := make([]float64, len(sizes))
	for floor := least; floor > 0; floor-- {
		need := 0
		for i, h := range have {
			low[i] = float64(min(floor, h))
			need += min(floor, h)
		}
		if need <= n {
			break
		}
		clear(low)
	}
	at := func(i int, level float64) float64 { return min(float64(have[i]), max(low[i], level*sizes[i])) }
	// The level at which the parts sum to n lies between 0, and where some stratum alone would get more than there is.
	from, to := 0.0, 0.0
	for i, s := range sizes {
		if have[i] > 0 && s > 0 {
			to = max(to, float64(have[i])/s)
		}
	}
	for range 200 {
		level, sum := (from+to)/2, 0.0
		for i := range sizes {
			sum += at(i, level)
		}
		if sum > float64(n) {
			to = level
		} else {
			from = level
		}
	}
	order, rest := make([]int, len(sizes)), n
	fraction := make([]float64, len(sizes))
	for i := range sizes {
		exact := at(i, from)
		parts[i] = int(math.Floor(exact + 1e-9))
		fraction[i] = exact - float64(parts[i])
		rest -= parts[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fraction[b], fraction[a]) })
	for rest > 0 { // the largest remainders round up
		for _, i := range order {
			if rest > 0 && parts[i] < have[i] {
				parts[i]++
				rest--
			}
		}
	}
	return parts
}
