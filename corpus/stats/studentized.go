package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Methods of Studentized, besides MethodNone.
const (
	MethodStudentized = "bootstrap-t" // resampled t statistics
	MethodUnanimous   = "unanimous"   // all values are the same: how likely others would have gone unseen
)

// Studentized is the two-sided test of mean 0 for values from lo to hi that need not lie evenly about their mean, as
// SignFlip and Student's t suppose: twice the smaller tail, beyond the t observed, of the t of so many resamples about the
// mean observed. A resample without spread lies beyond any t. What no value shows resampling can't know: p is at least
// twice the chance that none of so many values is of a kind, at the far end of lo…hi, that would be frequent enough to make
// the mean 0. Where all values are the same that is all there is to say. NaN where x is empty or holds NaN or ±Inf, or
// where 0 lies outside lo…hi. The order of x matters as it does to Bootstrap.
func Studentized(x []float64, lo, hi float64, resamples int, seed uint64) Test {
	if len(x) == 0 || !allFinite(x) || !(lo <= 0 && hi >= 0) {
		return Test{math.NaN(), MethodNone}
	}
	mean, spread := Mean(x), 0.0
	for _, v := range x {
		spread = max(spread, math.Abs(v-mean))
	}
	same := spread <= noise*largest(x)
	if same && mean == 0 {
		return Test{1, MethodNone}
	}
	unseen := unseenP(mean, len(x), lo, hi)
	if same {
		return Test{unseen, MethodUnanimous}
	}
	centered := make([]float64, len(x))
	for i, v := range x {
		centered[i] = (v - mean) / spread // no larger than 1, so that squares keep their digits
	}
	observed := mean / spread * math.Sqrt(float64(len(x))) / StdDev(centered)
	least := slack * math.Abs(observed)
	below, above := 0, 0
	rows, source := make([]uint32, len(x)), rand.NewPCG(seed, streamStudent)
	for range resamples {
		drawRows(rows, source)
		t := tOf(centered, rows)
		if t <= observed+least {
			below++
		}
		if t >= observed-least {
			above++
		}
	}
	p := 2 * float64(min(below, above)+1) / float64(max(resamples, 0)+1)
	return Test{min(1, max(p, unseen)), MethodStudentized}
}

// unseenP is twice the chance that n values are all of kinds with this mean, where the mean of all is 0 because of others
// at the end of lo…hi beyond 0: the least share of those that would do is the likeliest not to be seen.
func unseenP(mean float64, n int, lo, hi float64) float64 {
	far := hi
	if mean > 0 {
		far = lo
	}
	if mean == 0 {
		return 1
	}
	return min(1, 2*math.Pow(max(0, 1-mean/(mean-far)), float64(n)))
}

// UnseenMean is the size of the least mean of n values with which Studentized can reach alpha where far is the size of the
// far end: below it, others could have gone unseen. +Inf where n < 1; NaN where alpha is outside 0…1 or far below 0.
func UnseenMean(n int, far, alpha float64) float64 {
	if !proper(alpha) || !(far >= 0) {
		return math.NaN()
	}
	if n < 1 {
		return math.Inf(1)
	}
	seen := math.Pow(alpha/2, 1/float64(n)) // the share of kinds that were
	return far * (1 - seen) / seen
}

const streamStudent = 0x73747564656e7421

// tOf is Student's t of the rows drawn; ±Inf where they have no spread.
func tOf(values []float64, rows []uint32) float64 {
	var sum, squares float64
	for _, row := range rows {
		v := values[row]
		sum += v
		squares += v * v
	}
	n := float64(len(rows))
	mean := sum / n
	variance := (squares - sum*mean) / (n - 1)
	if variance < 1e-12 { // what is left may be rounding only
		first := values[rows[0]]
		if !slices.ContainsFunc(rows, func(row uint32) bool { return math.Abs(values[row]-first) > noise }) {
			if math.Abs(mean) <= noise {
				return 0
			}
			return math.Inf(int(math.Copysign(1, mean)))
		}
		variance = max(variance, noise*noise)
	}
	return mean / math.Sqrt(variance/n)
}
