package retrieval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/corpus"
	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
)

// The interval of a mean is the bootstrap of its column: it holds the mean, and hangs on nothing but values and seed.
func TestIntervals(t *testing.T) {
	methods := map[string]int{}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		in := varied(rnd)
		in.Resamples, in.Seed = 200, seed
		k := 1 + rnd.IntN(4)
		measures := everyMeasure(t, k, 2, .5)
		r, err := Evaluate(in, measures)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range measures {
			mean := r.Measures[i]
			if m.Summed() || mean.N < 2 {
				if mean.Interval != nil {
					t.Errorf("seed %d: %s over %d has an interval", seed, m, mean.N)
				}
				continue
			}
			if mean.Interval == nil || mean.Interval.Lo > *mean.Mean+1e-12 || mean.Interval.Hi < *mean.Mean-1e-12 || mean.Interval.Lo < 0 || mean.Interval.Hi > 1+1e-12 {
				t.Errorf("seed %d: the interval of %s, %v, is %+v", seed, m, *mean.Mean, mean.Interval)
				continue
			}
			methods[mean.Interval.Method]++
			var column []float64
			for _, q := range r.Queries {
				v := math.NaN()
				if got := q.Values[m.String()]; got != nil {
					v = *got
				}
				if m.Kind() == measure.GMAP {
					v = math.Log(max(v, 1e-5))
				}
				column = append(column, v)
			}
			percentiles, ok := stats.Bootstrap(column, .95, 200, seed)
			// The percentiles stand as far from the mean as t and the spread of so few ask, but not beyond what a mean can be.
			center, by, least := *mean.Mean, stats.Widening(mean.N, .95), 0.0
			if m.Kind() == measure.GMAP {
				center, least = math.Log(center), math.Log(1e-5)
			}
			want := stats.Interval{Lo: center + by*(percentiles.Lo-center), Hi: center + by*(percentiles.Hi-center)}
			if m.Kind() == measure.GMAP {
				want.Lo, want.Hi, least = math.Exp(want.Lo), math.Exp(want.Hi), 1e-5
			}
			cut := want.Lo < least || want.Hi > 1
			want.Lo, want.Hi = max(want.Lo, least), min(want.Hi, 1)
			same := slices.Min(column) == slices.Max(column)
			if mean.Interval.Method == "bootstrap" && (!ok || same || math.Abs(mean.Interval.Lo-want.Lo) > 1e-12 || math.Abs(mean.Interval.Hi-want.Hi) > 1e-12) ||
				mean.Interval.Method == "wilson" && percentiles.Lo != percentiles.Hi {
				t.Errorf("seed %d: the interval of %s is %+v, want %+v of %v", seed, m, mean.Interval, want, column)
			}
			if mean.Interval.Method == "bootstrap" && cut {
				methods["cut"]++
			}
		}
		text := asJSON(t, r)
		rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
		if again, err := Evaluate(in, measures); err != nil || asJSON(t, again) != text {
			t.Fatalf("seed %d: the order of queries shows in the report", seed)
		}
		slices.Reverse(measures)
		again, err := Evaluate(in, measures)
		if slices.Reverse(again.Measures); err != nil || asJSON(t, again.Measures) != asJSON(t, r.Measures) {
			t.Fatalf("seed %d: the order of measures shows in their figures", seed)
		}
		slices.Reverse(measures)
		in.Resamples = 0
		without, err := Evaluate(in, measures)
		for _, m := range without.Measures {
			if m.Interval != nil || err != nil {
				t.Fatalf("nobody asked for %+v, %v", m, err)
			}
		}
		if asJSON(t, without.Queries) != asJSON(t, r.Queries) {
			t.Errorf("seed %d: resampling changes values", seed)
		}
	}
	if methods["bootstrap"] < 300+methods["cut"] || methods["cut"] < 50 || methods["wilson"] < 10 || len(methods) != 3 {
		t.Errorf("methods %v", methods)
	}
}

// How often the interval of a mean of so many values holds the true mean: as often as Student's would, which is .95 where
// values lie as normal ones do, and a little less where they lie on a side.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of intervals")
	}
	const trials, error = 3000, .012 // three standard errors
	for _, c := range []struct {
		name   string
		draw   func(r *rand.Rand) float64
		mean   float64
		covers map[int]float64 // at least
	}{
		{"uniform", func(r *rand.Rand) float64 { return r.Float64() }, .5, map[int]float64{2: .90, 3: .915, 5: .93, 10: .94, 20: .945}},
		{"hill", func(r *rand.Rand) float64 { return (r.Float64() + r.Float64()) / 2 }, .5, map[int]float64{2: .92, 3: .93, 5: .935, 10: .94, 20: .945}},
		{"ramp", func(r *rand.Rand) float64 { return max(r.Float64(), r.Float64()) }, 2. / 3, map[int]float64{2: .90, 3: .91, 5: .92, 10: .935, 20: .94}},
	} {
		for n, want := range c.covers {
			covered, percentiles := 0.0, 0.0
			for seed := range uint64(trials) {
				r := rand.New(rand.NewPCG(seed, 14))
				values := make([]float64, n)
				for i := range values {
					values[i] = c.draw(r)
				}
				in, mean := Input{Resamples: 300, Seed: seed}, stats.Mean(values)
				means := []Mean{{Mean: &mean, N: n}}
				in.intervals(parse(t, "RR"), [][]float64{values}, means)
				if i := means[0].Interval; i.Lo <= c.mean && c.mean <= i.Hi {
					covered++
				}
				if i, _ := stats.Bootstrap(values, .95, 300, seed); i.Lo <= c.mean && c.mean <= i.Hi {
					percentiles++
				}
			}
			t.Logf("%s, %d values: %.4f, percentiles alone %.4f", c.name, n, covered/trials, percentiles/trials)
			if covered/trials < want-error || covered/trials > .95+error {
				t.Errorf("%s: intervals of %d values cover their mean in %.4f of the trials, want %.3f to .95 and %.3f more or less", c.name, n, covered/trials, want, error)
			}
			if n <= 10 && percentiles/trials > .92 {
				t.Errorf("%s: percentiles alone cover the mean of %d in %.4f of the trials: nothing is shown", c.name, n, percentiles/trials)
			}
		}
	}
}

func TestSeedsOfIntervals(t *testing.T) {
	in := collection{queries: 40, seed: 4}.run(1, 1)
	in.Resamples = 300
	interval := func(seed uint64) Interval {
		in.Seed = seed
		return *evaluate(t, in, "nDCG@10").Measures[0].Interval
	}
	if interval(1) != interval(1) || interval(1) == interval(2) {
		t.Errorf("%v, %v, then %v", interval(1), interval(1), interval(2))
	}
}

// Where all values are the same, resampling would claim that the mean is certain.
func TestIntervalsWhereAllAreTheSame(t *testing.T) {
	for _, c := range []struct {
		measure string
		kind    kindOf
		n       int
		lo, hi  float64
	}{
		{"R@5", kindOf{[]int{1}, 10}, 10, .7225, 1}, // Wilson's of 10 of 10
		{"R@5", kindOf{[]int{0}, 10}, 10, 0, .2775},
		{"Success@5", kindOf{[]int{1}, 10}, 96, .9615, 1},
		{"R@5", kindOf{[]int{1, 0}, 10}, 10, .5 * .7225, .5 + .5*.2775}, // up to .2775 of the queries may have 0, or 1
		{"P@5", kindOf{[]int{1}, 10}, 96, .2 * .9615, .2 + .8*.0385},
		{"GMAP", kindOf{[]int{1}, 10}, 10, math.Pow(1e-5, .2775), 1},
		{"GMAP", kindOf{[]int{0}, 10}, 10, 1e-5, 1e-5 * math.Pow(1e5, .2775)},
		{"GMAP", kindOf{[]int{2}, 10}, 10, .5 * math.Pow(1e-5/.5, .2775), .5 * math.Pow(2, .2775)},
		{"R@5", kindOf{[]int{1}, 10}, 2, .3424, 1},
	} {
		in := Input{Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}, Resamples: 100}
		for i := range c.n {
			c.kind.add(&in, string(rune('A'+i)))
		}
		m := evaluate(t, in, c.measure).Measures[0]
		if i := m.Interval; i == nil || i.Method != "wilson" || math.Abs(i.Lo-c.lo) > 1e-4 || math.Abs(i.Hi-c.hi) > 1e-4 {
			t.Errorf("%s of %v over %d: %v in %+v, want %.4f to %.4f", c.measure, c.kind.ranks, c.n, *m.Mean, m.Interval, c.lo, c.hi)
		}
		in.Queries = in.Queries[:1]
		if m := evaluate(t, in, c.measure).Measures[0]; m.Interval != nil || m.N != 1 {
			t.Errorf("%s of one query: %+v", c.measure, m)
		}
	}
}

// trec_eval has no number where IPrec is asked of nothing: no mean, and no interval of what is left.
func TestNoIntervalWithoutAMean(t *testing.T) {
	in := Input{Compat: TrecEval10, Resamples: 50, Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	for _, id := range []string{"a", "b", "c"} {
		in.Queries = append(in.Queries, Query{ID: id, Done: true, Grades: map[string]corpus.Grade{"x": 1}})
		in.Run.Rankings[id] = ranked("x")
	}
	in.Run.Rankings["c"] = ranked("never judged")
	in.Queries[2].Grades = map[string]corpus.Grade{"x": 0}
	m := evaluate(t, in, "IPrec(judged_only=True)@0").Measures[0]
	if m.Mean != nil || m.Interval != nil || m.N != 2 || m.Why == "" {
		t.Errorf("%+v", m)
	}
}
