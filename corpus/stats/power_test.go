package stats

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The table is planned with Student's quantiles: those of the normal distribution would give .094 for sd .15, n 20.
func TestDetectableTable(t *testing.T) {
	sizes := []int{20, 50, 100, 200, 500, 1000}
	for _, c := range []struct {
		sd   float64
		want []string
	}{
		{.15, []string{"0.099", "0.061", "0.042", "0.030", "0.019", "0.013"}},
		{.25, []string{"0.165", "0.101", "0.071", "0.050", "0.031", "0.022"}},
		{.35, []string{"0.231", "0.141", "0.099", "0.070", "0.044", "0.031"}},
	} {
		for i, n := range sizes {
			if got := fmt.Sprintf("%.3f", Detectable(c.sd, n, .05, .8)); got != c.want[i] {
				t.Errorf("sd %v, %d queries: %s, want %s", c.sd, n, got, c.want[i])
			}
		}
	}
}

// noncentralPower is the power of the two-sided t test for a mean of d standard deviations.
func noncentralPower(d float64, n int, alpha float64) float64 {
	degrees := float64(n - 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(1 - alpha/2)
	t := distuv.NoncentralT{Nu: degrees, Mu: d * math.Sqrt(float64(n))}
	return 1 - t.CDF(critical) + t.CDF(-critical)
}

func TestDetectableHasThePower(t *testing.T) {
	// The yardstick itself, against SciPy's.
	for n, want := range map[int]float64{5: .10766356652783493, 20: .3969938256097958, 60: .861617430544765} {
		if got := noncentralPower(.4, n, .05); !near(got, want, 1e-9) {
			t.Fatalf("power of %d pairs is %v, want %v", n, got, want)
		}
	}
	for _, n := range []int{6, 10, 20, 50, 200, 1000} {
		d := Detectable(1, n, .05, .8)
		closeness := .01
		if n >= 20 {
			closeness = .0003
		}
		below, above := noncentralPower(d*(1-closeness), n, .05), noncentralPower(d*(1+closeness), n, .05)
		if below > .8 || above < .8 {
			t.Errorf("%d pairs detect %v with power %v to %v", n, d, below, above)
		}
	}
}

func TestDetectableEdges(t *testing.T) {
	for _, c := range []struct {
		sd           float64
		n            int
		alpha, power float64
		want         float64
	}{
		{0, 50, .05, .8, 0},
		{.2, 1, .05, .8, inf},
		{.2, 0, .05, .8, inf},
		{.2, -4, .05, .8, inf},
		{-.2, 50, .05, .8, nan},
		{nan, 50, .05, .8, nan},
		{.2, 50, 0, .8, nan},
		{.2, 50, .05, 1, nan},
		{.2, 50, nan, .8, nan},
		{.2, 50, .9, .1, 0}, // chance alone finds anything more often
	} {
		if got := Detectable(c.sd, c.n, c.alpha, c.power); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for n := 2; n < 400; n++ {
		if a, b := Detectable(1, n, .05, .8), Detectable(1, n+1, .05, .8); !(b < a) {
			t.Fatalf("%d pairs detect %v, one more %v", n, a, b)
		}
	}
}

func TestStudentQuantileJoins(t *testing.T) {
	for _, p := range []float64{.6, .8, .9, .975, .9995} {
		exact := distuv.StudentsT{Sigma: 1, Nu: expansionFrom}.Quantile(p)
		if got := studentQuantile(p, expansionFrom); !near(got, exact, 1e-9) {
			t.Errorf("t of %v: %v by expansion, %v by inverse", p, got, exact)
		}
		if got, z := studentQuantile(p, 1e15), distuv.UnitNormal.Quantile(p); !near(got, z, 1e-12) {
			t.Errorf("t of %v is %v at the end, z %v", p, got, z)
		}
	}
	for _, c := range []struct{ p, degrees, want float64 }{ // printed in every book
		{.975, 1, 12.706}, {.975, 9, 2.262}, {.95, 20, 1.725}, {.995, 30, 2.750}, {.975, 120, 1.980},
	} {
		if got := studentQuantile(c.p, c.degrees); math.Abs(got-c.want) > .0005 {
			t.Errorf("t of %v with %v degrees of freedom: %v, want %v", c.p, c.degrees, got, c.want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		sd, difference float64
		want           int
	}{
		{1, .5, 34},  // Cohen 1988, and G*Power: 34 pairs for d_z = .5
		{1, .2, 199}, // G*Power: 199
		{1, .8, 15},  // G*Power: 15
		{.25, -.05, 199},
		{1, 1e300, 2},
		{0, .1, 0},
		{.2, 0, 0},
		{-1, .1, 0},
		{nan, .1, 0},
		{.1, nan, 0},
		{1, 1e-300, math.MaxInt},
	} {
		if got := Needed(c.sd, c.difference, .05, .8); got != c.want {
			t.Errorf("sd %v, difference %v: %d, want %d", c.sd, c.difference, got, c.want)
		}
	}
	if Needed(1, .5, 0, .8) != 0 || Needed(1, .5, .05, 1) != 0 || Needed(1, .5, nan, .8) != 0 {
		t.Error("without a level or power some n would do")
	}
	if n := Needed(1, 1e-9, .05, .8); math.Abs(float64(n)/7.8489e18-1) > 1e-4 { // (1.95996+.84162)²·10^18
		t.Errorf("a difference of 1e-9 needs %d", n)
	}
}

func TestNeededUndoesDetectable(t *testing.T) {
	for _, n := range []int{2, 3, 7, 20, 199, 1000, 7000, 99999, 100001, 100002, 123456} {
		for _, sd := range []float64{.05, .25, 3} {
			if got := Needed(sd, Detectable(sd, n, .05, .8), .05, .8); got != n {
				t.Errorf("%d pairs detect what needs %d", n, got)
			}
		}
	}
}

func TestWinsNeeded(t *testing.T) {
	for changed, want := range map[int]int{6: 6, 7: 7, 8: 8, 9: 8, 10: 9, 12: 10, 15: 12, 20: 15, 25: 18, 50: 33, 100: 61} {
		if got, ok := WinsNeeded(changed, .05); !ok || got != want {
			t.Errorf("%d changed need %d %v, want %d", changed, got, ok, want)
		}
	}
	for _, changed := range []int{-3, 0, 1, 2, 3, 4, 5} {
		if got, ok := WinsNeeded(changed, .05); ok || got != 0 {
			t.Errorf("%d changed can do with %d", changed, got)
		}
	}
	for _, alpha := range []float64{0, 1, -1, nan} {
		if _, ok := WinsNeeded(20, alpha); ok {
			t.Errorf("level %v can be reached", alpha)
		}
	}
	if got, ok := WinsNeeded(5, .0625); !ok || got != 5 { // 2/32 is .0625 to the bit
		t.Errorf("at .0625, 5 changed need %d %v", got, ok)
	}
}

func TestWinsNeededIsTheFewest(t *testing.T) {
	for _, changed := range []int{6, 11, 30, 77, 300, 999, 1000, 1001, 7000} {
		for _, alpha := range []float64{.2, .05, .04} {
			wins, ok := WinsNeeded(changed, alpha)
			if !ok || signP(wins, changed) > alpha || signP(wins-1, changed) <= alpha || 2*wins <= changed {
				t.Errorf("%d changed at %v: %d wins %v, p %v, with one less %v",
					changed, alpha, wins, ok, signP(wins, changed), signP(wins-1, changed))
			}
		}
	}
}
