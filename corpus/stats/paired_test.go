package stats

import (
	"math"
	"slices"
	"testing"
)

func TestPairedTOfBooks(t *testing.T) {
	for _, c := range []struct {
		name  string
		diffs []float64
		p, dz float64
	}{
		{"Student's sleep", sleep, .002832890197384273, 1.2845575625910546}, // R: t.test(extra ~ group, paired = TRUE)
		{"Darwin's maize", darwin, .049702944021800866, .5546079777065185},  // Fisher 1935: t = 2.148
		{"one degree of freedom", []float64{1, 3}, 2 * math.Atan(.5) / math.Pi, math.Sqrt2},
		{"two, of mean zero", []float64{-1, 1}, 1, 0},
	} {
		p, ok := PairedT(c.diffs)
		if !ok || !near(p, c.p, 1e-12) {
			t.Errorf("%s: p %v %v, want %v", c.name, p, ok, c.p)
		}
		if dz, ok := EffectSize(c.diffs); !ok || !near(dz, c.dz, 1e-13) {
			t.Errorf("%s: d_z %v %v, want %v", c.name, dz, ok, c.dz)
		}
	}
}

// With one degree of freedom t has Cauchy's distribution, with two p = 1 − t/√(2+t²): closed forms for any values.
func TestPairedTAgainstClosedForms(t *testing.T) {
	r := seeded(14)
	for range 200 {
		x := normals(3, .5, 1, r)
		mean, sd := Mean(x[:2]), math.Abs(x[0]-x[1])/math.Sqrt2
		stat := math.Abs(mean) / sd * math.Sqrt2
		if p, ok := PairedT(x[:2]); !ok || !near(p, 1-2*math.Atan(stat)/math.Pi, 1e-12) {
			t.Fatalf("%v: p %v %v", x[:2], p, ok)
		}
		stat = math.Abs(Mean(x)) / StdDev(x) * math.Sqrt(3)
		if p, ok := PairedT(x); !ok || !near(p, 1-stat/math.Sqrt(2+stat*stat), 1e-12) {
			t.Fatalf("%v: p %v %v", x, p, ok)
		}
	}
}

func TestPairedTEdges(t *testing.T) {
	tenths := []float64{.4, .3, .2, .1, 0}
	noisy := make([]float64, 4) // one value but for noise
	for i := range noisy {
		noisy[i] = tenths[i] - tenths[i+1]
	}
	if StdDev(noisy) == 0 {
		t.Fatal("the differences of tenths are free of noise")
	}
	for _, c := range []struct {
		diffs []float64
		p     float64
		ok    bool
	}{
		{nil, nan, false},
		{[]float64{.3}, nan, false},
		{[]float64{0}, nan, false},
		{[]float64{0, 0, 0}, 1, true},
		{[]float64{.1, .1, .1}, nan, false},
		{noisy, nan, false},
		{[]float64{1, nan}, nan, false},
		{[]float64{1, inf, 2}, nan, false},
	} {
		p, ok := PairedT(c.diffs)
		if ok != c.ok || !(p == c.p || math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("PairedT(%v) = %v %v, want %v %v", c.diffs, p, ok, c.p, c.ok)
		}
		if dz, ok := EffectSize(c.diffs); ok || !math.IsNaN(dz) {
			t.Errorf("EffectSize(%v) = %v %v", c.diffs, dz, ok)
		}
	}
	if _, ok := EffectSize([]float64{1e200, -1e200, 3e200}); ok {
		t.Error("a spread beyond floats has an effect size")
	}
}

func TestPairedTProperties(t *testing.T) {
	r := seeded(15)
	for range 200 {
		x := normals(2+r.IntN(50), .3, 1, r)
		p, _ := PairedT(x)
		dz, _ := EffectSize(x)
		if q, ok := PairedT(scaled(x, 1e-6)); !ok || !near(p, q, 1e-9) {
			t.Fatalf("p %v, of a millionth %v %v", p, q, ok)
		}
		if d, ok := EffectSize(scaled(x, -5)); !ok || !near(dz, -d, 1e-9) {
			t.Fatalf("d_z %v, of −5 times the values %v %v", dz, d, ok)
		}
		if q, _ := PairedT(shuffled(x, r)); !near(p, q, 1e-9) {
			t.Fatalf("p %v, shuffled %v", p, q)
		}
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		// By hand: 4·.005, 3·.01, 2·.03, and .04 raised to what .03 reached.
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.01, nan, .04, .03, .005}, []float64{.03, nan, .06, .06, .02}},
		{[]float64{.5, .6, .9}, []float64{1, 1, 1}},
		{[]float64{.02}, []float64{.02}},
		{[]float64{.01, .01, .01}, []float64{.03, .03, .03}},
		{[]float64{nan, nan}, []float64{nan, nan}},
		{[]float64{0, 1}, []float64{0, 1}},
		{nil, nil},
	} {
		before := slices.Clone(c.p)
		got := Holm(c.p)
		if len(got) != len(c.want) {
			t.Fatalf("Holm(%v) = %v", c.p, got)
		}
		for i := range got {
			if !near(got[i], c.want[i], 1e-15) && !(math.IsNaN(got[i]) && math.IsNaN(c.want[i])) {
				t.Errorf("Holm(%v) = %v, want %v", c.p, got, c.want)
			}
			if got[i] != got[i] != (before[i] != before[i]) || c.p[i] != before[i] && before[i] == before[i] {
				t.Errorf("Holm changed %v into %v", before, c.p)
			}
		}
	}
}

// Rejecting where the adjusted p is at most alpha is Holm's procedure as he wrote it: go up from the smallest p and stop
// at the first that exceeds alpha over the number still to try.
func TestHolmIsTheProcedure(t *testing.T) {
	r := seeded(16)
	for range 500 {
		p := make([]float64, 1+r.IntN(9))
		for i := range p {
			p[i] = r.Float64() * r.Float64() * .3
		}
		alpha := .01 + .1*r.Float64()
		sorted := slices.Sorted(slices.Values(p))
		var rejected []float64
		for i, v := range sorted {
			if v*float64(len(p)-i) > alpha {
				break
			}
			rejected = append(rejected, v)
		}
		for i, a := range Holm(p) {
			if a < p[i] || a > 1 || (a <= alpha) != slices.Contains(rejected, p[i]) {
				t.Fatalf("p %v at %v: adjusted %v, the procedure rejects %v", p, alpha, Holm(p), rejected)
			}
		}
	}
}
