package stats

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Methods of Test.
const (
	MethodExact         = "exact"         // every assignment of signs was counted
	MethodMcNemar       = "mcnemar"       // all differences have one size: the binomial distribution of their signs
	MethodRandomization = "randomization" // seeded random signs
	MethodNone          = "none"          // nothing differs, or nothing can be said (P is NaN)
)

// Test is a two-sided p-value and how it was found.
type Test struct {
	P      float64
	Method string
}

const (
	enumerated = 20    // how many non-zero differences are enumerated at most: half of 2^20 sums
	slack      = 1e-10 // of the sum of all sizes: above what adding up loses, below what tells sums apart
)

// SignFlip is the two-sided paired randomization test of mean difference 0: how often a random sign for each difference
// brings a sum at least as far from 0 as the one observed. Differences of 0 have no say. Exact by McNemar's binomial
// where all sizes are the same, and by enumeration up to 20 differences; else p = (b+1)/(B+1) from B = resamples draws
// (1 for none). Without differences p is 1; with NaN or ±Inf among them it is NaN. The order of diffs does not matter.
func SignFlip(diffs []float64, resamples int, seed uint64) Test {
	if !allFinite(diffs) {
		return Test{math.NaN(), MethodNone}
	}
	changed := signedSizes(diffs)
	if len(changed) == 0 {
		return Test{1, MethodNone}
	}
	smallest, biggest := changed[len(changed)-1].size, changed[0].size
	if biggest-smallest <= noise*biggest {
		wins := 0
		for _, d := range changed {
			if !d.negative {
				wins++
			}
		}
		return Test{signP(wins, len(changed)), MethodMcNemar}
	}
	sizes := make([]float64, len(changed))
	var total, observed float64
	for i, d := range changed {
		sizes[i] = d.size
		total += d.size
		if d.negative {
			observed -= d.size
		} else {
			observed += d.size
		}
	}
	threshold := math.Abs(observed) - slack*total
	if len(sizes) <= enumerated {
		return Test{shareReaching(sizes, threshold), MethodExact}
	}
	b := drawsReaching(sizes, threshold, resamples, rand.NewPCG(seed, streamSigns))
	return Test{float64(b+1) / float64(max(resamples, 0)+1), MethodRandomization}
}

type signed struct {
	size     float64 // of the largest difference: at most 1
	negative bool
}

// signedSizes are the differences that are one, largest first, as shares of the largest: sums then neither overflow nor
// depend on the order or unit of what was measured.
func signedSizes(diffs []float64) []signed {
	biggest := largest(diffs)
	var s []signed
	for _, d := range diffs {
		if size := math.Abs(d); size > noise*biggest {
			s = append(s, signed{size / biggest, d < 0})
		}
	}
	slices.SortFunc(s, func(a, b signed) int { return cmp.Compare(b.size, a.size) })
	return s
}

// shareReaching is the share of all assignments of signs whose sum is at least threshold in size. Neighbours in Gray code
// differ in one sign, so each sum is the one before plus or minus twice a size. The last sign stays: the other half of the
// assignments mirrors this one.
func shareReaching(sizes []float64, threshold float64) float64 {
	var sum float64
	for _, s := range sizes {
		sum += s
	}
	assignments := uint(1) << (len(sizes) - 1)
	reached := 0
	if sum >= threshold {
		reached++
	}
	for i := uint(1); i < assignments; i++ {
		flipped := bits.TrailingZeros(i)
		step := 2 * sizes[flipped]
		if (i^i>>1)>>flipped&1 == 1 {
			sum -= step
		} else {
			sum += step
		}
		if math.Abs(sum) >= threshold {
			reached++
		}
	}
	return float64(reached) / float64(assignments)
}

// group is how many sizes share a table of their signed sums; 16 such tables take a random word's bits.
const group = 4

// drawsReaching counts how many draws of random signs have a sum of at least threshold in size. Each bit of a random word
// is one sign, and four bits look up the sum of four signed sizes.
func drawsReaching(sizes []float64, threshold float64, draws int, source *rand.PCG) int {
	tables := signedSums(sizes)
	reached := 0
	for range draws {
		var sum float64
		for i := 0; i < len(tables); i += 64 / group {
			word := source.Uint64()
			taken := tables[i:min(i+64/group, len(tables))]
			for j := range taken {
				sum += taken[j][word&(1<<group-1)]
				word >>= group
			}
		}
		if math.Abs(sum) >= threshold {
			reached++
		}
	}
	return reached
}

func signedSums(sizes []float64) [][1 << group]float64 {
	tables := make([][1 << group]float64, (len(sizes)+group-1)/group)
	for i, size := range sizes {
		t := &tables[i/group]
		for signs := range t {
			if signs>>(i%group)&1 == 1 {
				t[signs] -= size
			} else {
				t[signs] += size
			}
		}
	}
	return tables
}
