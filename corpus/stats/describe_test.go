package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)

	// sleep is what each of Student's ten patients gained more from the second drug than from the first (Student 1908).
	sleep = []float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, .8, 4.6, 1.4}
	// darwin is how much taller each crossed plant of maize grew than its self-fertilised twin, in eighths of an inch
	// (Darwin 1876); Fisher 1935 tried the randomization test on it.
	darwin = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
)

func near(a, b, tolerance float64) bool { return a == b || math.Abs(a-b) <= tolerance }

func scaled(x []float64, by float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] *= by
	}
	return y
}

func shuffled(x []float64, r *rand.Rand) []float64 {
	y := slices.Clone(x)
	r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	return y
}

func normals(n int, mean, sd float64, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = mean + sd*r.NormFloat64()
	}
	return x
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

func TestMean(t *testing.T) {
	if !math.IsNaN(Mean(nil)) {
		t.Error("the mean of nothing is something")
	}
	if got := Mean([]float64{1, 2, 6}); got != 3 {
		t.Errorf("mean %v, want 3", got)
	}
	// In order, one by one: pairwise summation or a running mean would keep the ones.
	if got := Mean([]float64{1e16, 1, 1, -1e16}); got != 0 {
		t.Errorf("mean %v is not that of a plain sum", got)
	}
	if !math.IsNaN(Mean([]float64{1, nan})) || !math.IsInf(Mean([]float64{1, inf}), 1) {
		t.Error("NaN or Inf got lost")
	}
}

func TestStdDev(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{7}, 0},
		{[]float64{1, 3}, math.Sqrt2},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, math.Sqrt(32.0 / 7)},
		{sleep, 1.2299954832798732},
		{[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, 1},
	} {
		if got := StdDev(c.x); !near(got, c.want, 1e-14) {
			t.Errorf("standard deviation of %v is %v, want %v", c.x, got, c.want)
		}
	}
	for _, v := range []float64{.1, 1.0 / 3, 1e17, -.7} {
		if got := StdDev([]float64{v, v, v, v, v, v, v}); got != 0 {
			t.Errorf("seven times %v spreads by %v", v, got)
		}
	}
	if !math.IsNaN(StdDev([]float64{1, nan, 2})) || !math.IsNaN(StdDev([]float64{1, inf, 2})) {
		t.Error("NaN or Inf got lost")
	}
}

func TestQuantiles(t *testing.T) {
	x := []float64{3, 1, 4, 1, 5, 9, 2, 6}
	before := slices.Clone(x)
	got := Quantiles(x, 0, .1, .25, .5, .9, 1) // the values are NumPy's
	for i, want := range []float64{1, 1, 1.75, 3.5, 6.9, 9} {
		if !near(got[i], want, 1e-14) {
			t.Errorf("quantiles %v", got)
		}
	}
	if !slices.Equal(x, before) {
		t.Error("x was sorted")
	}
	if Quantiles(nil, .5) != nil || Quantiles([]float64{}, .5) != nil {
		t.Error("nothing has quantiles")
	}
	if got := Quantiles(x); len(got) != 0 {
		t.Errorf("quantiles %v, asked for none", got)
	}
	if got := Quantiles([]float64{8}, 0, .3, 1); !slices.Equal(got, []float64{8, 8, 8}) {
		t.Errorf("quantiles of one value: %v", got)
	}
	for _, v := range append(Quantiles([]float64{1, nan, 3}, 0, .5), append(Quantiles([]float64{1, inf}, .1), Quantiles(x, -.1, 1.1, nan)...)...) {
		if !math.IsNaN(v) {
			t.Errorf("a quantile that isn't one: %v", v)
		}
	}
}

func TestQuantilesKeepOrderAndScale(t *testing.T) {
	r := seeded(1)
	for range 200 {
		x := normals(1+r.IntN(30), 0, 1, r)
		a, b := r.Float64(), r.Float64()
		q := Quantiles(x, min(a, b), max(a, b))
		if q[0] > q[1] || q[0] < slices.Min(x) || q[1] > slices.Max(x) {
			t.Fatalf("quantiles %v of %v", q, x)
		}
		if got := Quantiles(scaled(shuffled(x, r), 8), min(a, b), max(a, b)); got[0] != 8*q[0] || got[1] != 8*q[1] {
			t.Fatalf("scaled by 8, %v became %v", q, got)
		}
	}
}

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{3, 4}, []float64{1, 2}, 1},
		{[]float64{1, 2}, []float64{3, 4}, 0},
		{[]float64{5, 5, 5}, []float64{5, 5}, .5},
		{[]float64{.1, .4, .35, .8}, []float64{.2, .35, .05}, 9.5 / 12},
		{[]float64{inf, -inf}, []float64{0}, .5},
		{[]float64{-inf}, []float64{-inf}, .5},
	} {
		if got, ok := AUC(c.a, c.b); !ok || !near(got, c.want, 1e-15) {
			t.Errorf("AUC(%v, %v) = %v %v, want %v", c.a, c.b, got, ok, c.want)
		}
	}
	for _, c := range [][2][]float64{{nil, {1}}, {{1}, nil}, {nil, nil}, {{1, nan}, {2}}, {{1}, {nan}}} {
		if got, ok := AUC(c[0], c[1]); ok || !math.IsNaN(got) {
			t.Errorf("AUC(%v, %v) = %v %v", c[0], c[1], got, ok)
		}
	}
}

func TestAUCCountsPairs(t *testing.T) {
	r := seeded(2)
	draw := func() []float64 {
		x := make([]float64, 1+r.IntN(12))
		for i := range x {
			x[i] = float64(r.IntN(6)) // many ties
		}
		return x
	}
	for range 500 {
		a, b := draw(), draw()
		var pairs float64
		for _, v := range a {
			for _, w := range b {
				switch {
				case v > w:
					pairs++
				case v == w:
					pairs += .5
				}
			}
		}
		before := slices.Clone(a)
		got, ok := AUC(a, b)
		if !ok || !near(got, pairs/float64(len(a)*len(b)), 1e-15) {
			t.Fatalf("AUC(%v, %v) = %v %v, want %v of %d", a, b, got, ok, pairs, len(a)*len(b))
		}
		if !slices.Equal(a, before) {
			t.Fatal("a was sorted")
		}
		if other, _ := AUC(b, a); !near(got+other, 1, 1e-15) {
			t.Fatalf("AUC %v one way, %v the other", got, other)
		}
	}
}
