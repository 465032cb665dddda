package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// noisyPair draws the scores that two runs of one noisy system would get: each query has its own difficulty, both runs
// err around it independently, and scores are cut to 0…1 as measures are.
func noisyPair(queries int, r *rand.Rand) (diffs []float64) {
	cut := func(v float64) float64 { return min(1, max(0, v)) }
	for range queries {
		ease := r.Float64()
		diffs = append(diffs, cut(ease+.2*r.NormFloat64())-cut(ease+.2*r.NormFloat64()))
	}
	return diffs
}

// kolmogorovSmirnov gives the largest distance between the distribution of p and the uniform one, and how likely a
// larger one is if p is uniform (Kolmogorov's series with Stephens's correction for n).
func kolmogorovSmirnov(p []float64) (distance, probability float64) {
	n := float64(len(p))
	for i, v := range slices.Sorted(slices.Values(p)) {
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	lambda := (math.Sqrt(n) + .12 + .11/math.Sqrt(n)) * distance
	for k := 1.0; k <= 100; k++ {
		probability += 2 * math.Pow(-1, k-1) * math.Exp(-2*k*k*lambda*lambda)
	}
	return distance, min(1, max(0, probability))
}

func TestKolmogorovSmirnov(t *testing.T) {
	if d, _ := kolmogorovSmirnov([]float64{.3, .6}); !near(d, .4, 1e-15) {
		t.Errorf("distance %v, want .4", d)
	}
	even, low := make([]float64, 200), make([]float64, 200)
	for i := range even {
		even[i] = (float64(i) + .5) / 200
		low[i] = even[i] * .85 // p-values that are too small by a seventh
	}
	if d, p := kolmogorovSmirnov(even); d > .003 || p < .999 {
		t.Errorf("even p-values: D %v, p %v", d, p)
	}
	if d, p := kolmogorovSmirnov(low); d < .14 || p > .001 {
		t.Errorf("p-values too small: D %v, p %v", d, p)
	}
	// The 5% point of the limit is 1.358/√n.
	x := slices.Clone(even)
	for i := range x {
		x[i] = min(1, x[i]+1.358/(math.Sqrt(200)+.12)-.0025)
	}
	if _, p := kolmogorovSmirnov(x); math.Abs(p-.05) > .005 {
		t.Errorf("at the 5%% point p is %v", p)
	}
}

// With nothing to find, p must be uniform. D and its p are written here as they come out. The enumerated test is quick
// enough for 2000 seeds, and gets them: its first 200 samples happen to be odd ones, on which the t test, which shares
// nothing with it, has the same D of .12.
func TestUniformWhereNothingDiffers(t *testing.T) {
	for _, c := range []struct {
		name           string
		queries, seeds int
		test           func(diffs []float64, seed uint64) float64
		d, p           float64
	}{
		{"exact", 14, 2000, func(x []float64, seed uint64) float64 { return signFlipBy(t, MethodExact, x, seed) }, 0.019, 0.47},
		{"randomization", 100, 200, func(x []float64, seed uint64) float64 { return signFlipBy(t, MethodRandomization, x, seed) }, 0.057, 0.53},
		{"paired t", 100, 200, func(x []float64, _ uint64) float64 { p, _ := PairedT(x); return p }, 0.049, 0.70},
	} {
		var p []float64
		for seed := range uint64(c.seeds) {
			p = append(p, c.test(noisyPair(c.queries, seeded(1000+seed)), seed))
		}
		d, probability := kolmogorovSmirnov(p)
		if probability < .05 || math.Abs(d-c.d) > .001 || math.Abs(probability-c.p) > .01 {
			t.Errorf("%s of %d queries: D = %.3f, p = %.2f; written here are %v and %v", c.name, c.queries, d, probability, c.d, c.p)
		}
	}
}

func signFlipBy(t *testing.T, method string, diffs []float64, seed uint64) float64 {
	t.Helper()
	got := SignFlip(diffs, 2000, seed)
	if got.Method != method {
		t.Fatalf("%d differences were tested by %q", len(diffs), got.Method)
	}
	return got.P
}

// Whatever the sizes and their ties, an exact test that rejects at its own p is wrong in at most that share of cases: all
// assignments of signs are tried, which are equally likely where nothing differs.
func TestExactTestsKeepTheirLevel(t *testing.T) {
	for name, sizes := range map[string][]float64{
		"all different": {.11, .23, .31, .47, .53, .61, .83, .97},
		"some tied":     {.1, .1, .2, .2, .3, .3, .3, .5},
		"all the same":  {1, 1, 1, 1, 1, 1, 1, 1},
	} {
		var all []float64
		for signs := range 1 << len(sizes) {
			diffs := slices.Clone(sizes)
			for i := range diffs {
				if signs>>i&1 == 1 {
					diffs[i] *= -1
				}
			}
			all = append(all, SignFlip(diffs, 1, 1).P)
		}
		slices.Sort(all)
		for i, p := range all {
			if share := float64(i+1) / float64(len(all)); share > p+1e-12 {
				t.Errorf("%s: p ≤ %v in %v of all cases", name, p, share)
				break
			}
		}
	}
}

// How often a real effect is found must be what the noncentral t says, within three standard errors of 500 trials
// (.05 at most) for the t test, and within .05 of it for the test of signs.
func TestPowerAtAKnownEffect(t *testing.T) {
	const trials, tolerance = 500, .05
	for _, c := range []struct {
		queries int
		effect  float64
	}{{14, .8}, {60, .4}, {100, .2}} {
		want := noncentralPower(c.effect, c.queries, .05)
		var byT, bySigns float64
		for seed := range uint64(trials) {
			diffs := normals(c.queries, c.effect*.25, .25, seeded(2000+seed))
			if p, _ := PairedT(diffs); p <= .05 {
				byT++
			}
			if SignFlip(diffs, 999, seed).P <= .05 {
				bySigns++
			}
		}
		if math.Abs(byT/trials-want) > tolerance || math.Abs(bySigns/trials-want) > tolerance {
			t.Errorf("%d queries, d_z %v: power %v by t, %v by signs, want %v", c.queries, c.effect, byT/trials, bySigns/trials, want)
		}
	}
}

// The percentile bootstrap is known to be a little short for few rows: over 5000 other seeds it covered .939 and .948 of
// these. Three standard errors of 2000 trials are .016.
func TestBootstrapCovers(t *testing.T) {
	const trials, mean, tolerance = 2000, .2 + .4*.5, .016
	for rows, want := range map[int]float64{50: .939, 150: .948} {
		var covered, coveredDefined float64
		for seed := range uint64(trials) {
			r := seeded(3000 + seed)
			scores, some := make([]float64, rows), make([]float64, 0, 2*rows)
			for i := range scores {
				scores[i] = lumpy(r)
				some = append(some, lumpy(r), nan) // as many defined values, among as many without
			}
			if i, _ := Bootstrap(scores, .95, 400, seed); i.Lo <= mean && mean <= i.Hi {
				covered++
			}
			if i, _ := Bootstrap(some, .95, 400, seed); i.Lo <= mean && mean <= i.Hi {
				coveredDefined++
			}
		}
		for name, share := range map[string]float64{"all defined": covered / trials, "half defined": coveredDefined / trials} {
			if math.Abs(share-want) > tolerance {
				t.Errorf("%d values, %s: the mean was covered in %v of all trials, want %v", rows, name, share, want)
			}
		}
	}
}

// lumpy draws values as measures have them: .4 are 0, .2 are 1, the rest lies between.
func lumpy(r *rand.Rand) float64 {
	switch u := r.Float64(); {
	case u < .4:
		return 0
	case u < .6:
		return 1
	}
	return r.Float64()
}

// Large samples need no resampling: the interval is the normal one.
func TestBootstrapOfManyRowsIsNormal(t *testing.T) {
	x := normals(4000, .3, .25, seeded(17))
	i, ok := Bootstrap(x, .95, 4000, 1)
	half := 1.959964 * StdDev(x) / math.Sqrt(4000)
	if mean := Mean(x); !ok || math.Abs(i.Lo-(mean-half)) > .1*half || math.Abs(i.Hi-(mean+half)) > .1*half {
		t.Errorf("%v, want %v to %v", i, mean-half, mean+half)
	}
}
