package stats

import (
	"math"
	"slices"
	"testing"
)

func TestWeightedMeanByHand(t *testing.T) {
	// Σwx = 10·1 + 4·.5 + 2·0 + 4·1 = 16 of 20; Σw² = 136.
	w, ok := WeightedMean([]float64{1, .5, 0, 1}, []float64{10, 4, 2, 4}, nil, .95)
	if !ok || !near(w.Mean, .8, 1e-15) || w.N != 4 || !near(w.Effective, 400./136, 1e-12) {
		t.Errorf("%+v %v", w, ok)
	}
	// z is share·(x−.8): .1, −.06, −.08, .04; they sum to 0, their squares to .0216, times 4/3 is .0288. Spread and Kish
	// give (.5·.04 + .2·.09 + .1·.64 + .2·.04)·.34 = .11·.34 = .0374, which is more. Answers are .16/.0374; degrees of freedom
	// .34²/(.5⁴+.2⁴+.1⁴+.2⁴) − 1 = .1156/.0658 − 1, below 1 and so 1.
	student := 12.706204736432095 // of one degree of freedom, at .975
	n := .16 / .0374 * math.Pow(1.959963984540054/student, 2)
	want := clopperPearson(.8, n, .025)
	want.Lo, want.Hi = want.Lo*2/3, want.Hi*2/3+1./3 // the heaviest is half of all, and so a third of one and a half
	if !near(w.Interval.Lo, want.Lo, 1e-12) || !near(w.Interval.Hi, want.Hi, 1e-12) {
		t.Errorf("interval %v, want %v of %v answers", w.Interval, want, n)
	}
}

// Equal weights and 0 or 1 make it a share: then the interval is Clopper and Pearson's but for Student's t, here of
// 262 degrees of freedom, the factor n/(n−1), and room for one more value.
func TestWeightedMeanOfEqualWeightsIsAShare(t *testing.T) {
	x, w := make([]float64, 263), make([]float64, 263)
	for i := range x {
		if w[i] = 7; i < 81 {
			x[i] = 1
		}
	}
	got, ok := WeightedMean(x, w, nil, .95)
	if !ok || !near(got.Mean, 81./263, 1e-12) || !near(got.Effective, 263, 1e-9) {
		t.Fatalf("%+v %v", got, ok)
	}
	// Newcombe 1998, table I, method 5: .2527 to .3676.
	if !near(got.Interval.Lo, .2527, 2e-3) || !near(got.Interval.Hi, .3676, 3e-3) || got.Interval.Lo > .2527 || got.Interval.Hi < .3676 {
		t.Errorf("interval %v", got.Interval)
	}
}

func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		yes, n, tail float64
		lo, hi       float64
	}{
		{81, 263, .025, .2527, .3676}, // Newcombe 1998, table I, method 5
		{15, 148, .025, .0578, .1617},
		{0, 20, .025, 0, .1684},
		{1, 29, .025, .0009, .1776},
		{3, 10, .025, .0667, .6525},
	} {
		i := clopperPearson(c.yes/c.n, c.n, c.tail)
		if !near(i.Lo, c.lo, 5e-5) || !near(i.Hi, c.hi, 5e-5) {
			t.Errorf("%v of %v: %v, want %v to %v", c.yes, c.n, i, c.lo, c.hi)
		}
	}
	for _, n := range []float64{1e-6, .1, 1, 33.3, 1e4, 1e9, 1e13} {
		for _, p := range []float64{0, 1e-16, 1e-6, .2, .5, .9, 1 - 1e-9, 1 - 1e-16, 1} {
			i := clopperPearson(p, n, .025)
			if !(i.Lo >= 0 && i.Lo <= p && i.Hi >= p && i.Hi <= 1) || p == 0 && i.Lo != 0 || p == 1 && i.Hi != 1 {
				t.Errorf("%v of %v: %v", p, n, i)
			}
		}
	}
}

func TestWeightedMeanKnowsWhatWasCertain(t *testing.T) {
	x, w := []float64{1, 0, 1, 1, 0, 1}, []float64{500, 300, 10, 10, 10, 10}
	all, _ := WeightedMean(x, w, nil, .95)
	some, _ := WeightedMean(x, w, []float64{1, 1, .1, .1, .1, .1}, .95)
	none, ok := WeightedMean(x, w, []float64{1, 1, 1, 1, 1, 1}, .95)
	switch {
	case all.Mean != some.Mean || all.Mean != none.Mean:
		t.Errorf("means %v, %v, %v", all.Mean, some.Mean, none.Mean)
	case !ok || none.Interval != (Interval{none.Mean, none.Mean}):
		t.Errorf("nothing was left to chance: %+v", none)
	case some.Interval.Hi-some.Interval.Lo > .2 || all.Interval.Hi-all.Interval.Lo < .8:
		t.Errorf("%v where two thirds were certain, %v where nothing was", some.Interval, all.Interval)
	case all.Effective != some.Effective:
		t.Errorf("effective %v and %v", all.Effective, some.Effective)
	}
	// Only four of 840 were left to chance, which can move the mean by 40/840 at most.
	if some.Interval.Lo < some.Mean-.06 || some.Interval.Hi > some.Mean+.06 {
		t.Errorf("%v about %v", some.Interval, some.Mean)
	}
}

func TestWeightedMeanOfEqualValues(t *testing.T) {
	for _, v := range []float64{0, .1, 1. / 3, 1} {
		n := 40
		x, w := slices.Repeat([]float64{v}, n), slices.Repeat([]float64{3}, n)
		got, ok := WeightedMean(x, w, nil, .95)
		if !ok || !near(got.Mean, v, 1e-15) || got.Interval.Lo > got.Mean || got.Interval.Hi < got.Mean {
			t.Fatalf("%v: %+v", v, got)
		}
		if width := got.Interval.Hi - got.Interval.Lo; width < .05 || width > .4 {
			t.Errorf("%v forty times: %v", v, got.Interval)
		}
	}
	// One small weight that differs hardly makes them more certain.
	x, w := slices.Repeat([]float64{1}, 30), slices.Repeat([]float64{50}, 30)
	same, _ := WeightedMean(x, w, nil, .95)
	x[0], w[0] = 0, .001
	but, _ := WeightedMean(x, w, nil, .95)
	if but.Interval.Hi-but.Interval.Lo < .8*(same.Interval.Hi-same.Interval.Lo) {
		t.Errorf("all equal %v, all but a trifle %v", same.Interval, but.Interval)
	}
}

func TestWeightedMeanOfOne(t *testing.T) {
	for _, v := range []float64{0, .4, 1} {
		w, ok := WeightedMean([]float64{nan, v}, []float64{9, 12}, nil, .95)
		if !ok || w.Mean != v || w.N != 1 || w.Effective != 1 || w.Interval.Hi-w.Interval.Lo < .9 {
			t.Errorf("%v alone: %+v %v", v, w, ok)
		}
	}
}

func TestWeightedMeanRefuses(t *testing.T) {
	x, w := []float64{.5, 1}, []float64{1, 2}
	for name, c := range map[string]struct {
		x, w, in []float64
		level    float64
	}{
		"none":                {nil, nil, nil, .95},
		"all undefined":       {[]float64{nan, nan}, w, nil, .95},
		"above 1":             {[]float64{.5, 1.1}, w, nil, .95},
		"below 0":             {[]float64{-.1, 1}, w, nil, .95},
		"weight 0":            {x, []float64{0, 1}, nil, .95},
		"weight below 0":      {x, []float64{1, -1}, nil, .95},
		"weight NaN":          {x, []float64{1, nan}, nil, .95},
		"weight infinite":     {x, []float64{1, inf}, nil, .95},
		"weights run over":    {x, []float64{math.MaxFloat64, math.MaxFloat64}, nil, .95},
		"inclusion above 1":   {x, w, []float64{.5, 1.01}, .95},
		"inclusion below 0":   {x, w, []float64{.5, -.1}, .95},
		"inclusion undefined": {x, w, []float64{.5, nan}, .95},
		"level 1":             {x, w, nil, 1},
		"level undefined":     {x, w, nil, nan},
	} {
		if got, ok := WeightedMean(c.x, c.w, c.in, c.level); ok || got != (Weighted{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, ok := WeightedMean([]float64{.5, nan}, []float64{1, -1}, []float64{.2, 7}, .95); !ok {
		t.Error("a weight without a value was looked at")
	}
	for _, bad := range [][2][]float64{{w[:1], nil}, {w, w[:1]}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("lists of different length were taken")
				}
			}()
			WeightedMean(x, bad[0], bad[1], .95)
		}()
	}
}

func TestWeightedMeanProperties(t *testing.T) {
	r := seeded(8)
	for range 300 {
		n := 1 + r.IntN(40)
		x, w, in := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], w[i], in[i] = math.Round(4*r.Float64())/4, math.Exp(6*r.Float64()), r.Float64()
			if r.IntN(4) == 0 {
				in[i] = 1
			}
		}
		got, ok := WeightedMean(x, w, in, .95)
		i := got.Interval
		if !ok || !(0 <= i.Lo && i.Lo <= got.Mean && got.Mean <= i.Hi && i.Hi <= 1) || got.Effective < 1-1e-9 || got.Effective > float64(n)+1e-9 {
			t.Fatalf("%v %v %v: %+v", x, w, in, got)
		}
		if wide, _ := WeightedMean(x, w, in, .99); wide.Interval.Lo > i.Lo+1e-12 || wide.Interval.Hi < i.Hi-1e-12 {
			t.Fatalf("%v at .95, %v at .99", i, wide.Interval)
		}
		if unsure, _ := WeightedMean(x, w, nil, .95); got.N > 1 && in[0] < 1 && unsure.Interval.Hi-unsure.Interval.Lo <= 0 {
			t.Fatalf("%v without inclusions", unsure.Interval)
		}
		if s, _ := WeightedMean(x, scaled(w, 1<<20), in, .95); s != got {
			t.Fatalf("%+v, of weights times 2^20 %+v", got, s)
		}
		mirror := make([]float64, n)
		for j := range x {
			mirror[j] = 1 - x[j]
		}
		m, _ := WeightedMean(mirror, w, in, .95)
		if !near(m.Mean, 1-got.Mean, 1e-12) || !near(m.Interval.Lo, 1-i.Hi, 1e-9) || !near(m.Interval.Hi, 1-i.Lo, 1e-9) {
			t.Fatalf("%+v, mirrored %+v", got, m)
		}
	}
}
