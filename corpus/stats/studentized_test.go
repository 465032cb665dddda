package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// studentizedPlainly forms each t from its own two passes over the values as they are.
func studentizedPlainly(x []float64, resamples int, seed uint64) float64 {
	t := func(x []float64, from float64) float64 {
		mean, sd := Mean(x)-from, StdDev(x)
		if sd <= 1e-9*largest(x) && math.Abs(mean) <= 1e-9*largest(x) {
			return 0
		}
		if sd <= 1e-9*largest(x) {
			return math.Inf(int(math.Copysign(1, mean)))
		}
		return mean / sd * math.Sqrt(float64(len(x)))
	}
	observed, mean := t(x, 0), Mean(x)
	source, rows, drawn := rand.NewPCG(seed, streamStudent), make([]uint32, len(x)), make([]float64, len(x))
	below, above := 0, 0
	for range resamples {
		drawRows(rows, source)
		for i, row := range rows {
			drawn[i] = x[row]
		}
		star := t(drawn, mean)
		if star <= observed+1e-9*math.Abs(observed) {
			below++
		}
		if star >= observed-1e-9*math.Abs(observed) {
			above++
		}
	}
	return min(1, 2*float64(min(below, above)+1)/float64(resamples+1))
}

func TestStudentizedIsThePlainWay(t *testing.T) {
	r, lumps, resampled := seeded(21), []float64{-.2, -.1, 0, .1, .3}, 0
	for range 300 {
		n := 2 + r.IntN(30)
		x := normals(n, .3, 1, r)
		if r.IntN(2) == 0 {
			for i := range x {
				x[i] = lumps[r.IntN(len(lumps))] + .05
			}
		}
		lo, hi := min(0, slices.Min(x)), max(0, slices.Max(x))
		got := Studentized(x, lo, hi, 300, 7)
		if got.Method == MethodUnanimous {
			continue
		}
		want := max(studentizedPlainly(x, 300, 7), unseenP(Mean(x), n, lo, hi))
		if !near(got.P, want, 1e-12) || got.Method != MethodStudentized {
			t.Fatalf("%v: %+v, want %v", x, got, want)
		}
		if plain := studentizedPlainly(x, 300, 7); want == plain {
			resampled++
		}
	}
	if resampled < 100 {
		t.Errorf("resampling decided %d times", resampled)
	}
}

// By hand: of n values of −.1, as many others at .9 as make the mean 0 are a tenth; twice .9^n.
func TestStudentizedOfTheUnseen(t *testing.T) {
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		x      []float64
		lo, hi float64
		p      float64
		method string
	}{
		{same(-.1, 1), -1, .9, 1, MethodUnanimous},
		{same(-.1, 30), -1, .9, 2 * math.Pow(.9, 30), MethodUnanimous},
		{same(.1, 30), -.9, 1, 2 * math.Pow(.9, 30), MethodUnanimous},
		{same(-.1, 30), -1, 0, 0, MethodUnanimous}, // nothing could make the mean 0
		{same(0, 30), -1, 1, 1, MethodNone},
		{same(-.1, 6), -1, .1, 2. / 64, MethodUnanimous},
		{[]float64{.1 + .2, .3, .3, .3, .3, .3}, -.3, 1, 2. / 64, MethodUnanimous}, // rounding is no spread
		// A little spread does not make others seen.
		{append(same(-.0999, 15), same(-.1001, 15)...), -1, .9, 2 * math.Pow(.9, 30), MethodStudentized},
	} {
		if got := Studentized(c.x, c.lo, c.hi, 2000, 1); !near(got.P, c.p, 1e-9) || got.Method != c.method {
			t.Errorf("%v in %v…%v: %+v, want %v by %s", c.x, c.lo, c.hi, got, c.p, c.method)
		}
	}
	for _, c := range []struct {
		x      []float64
		lo, hi float64
	}{{nil, -1, 1}, {[]float64{1, nan}, -1, 1}, {[]float64{1, inf}, -1, 1}, {[]float64{1, 2}, 1, 2}, {[]float64{1, 2}, -1, nan}} {
		if got := Studentized(c.x, c.lo, c.hi, 100, 1); !math.IsNaN(got.P) || got.Method != MethodNone {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	for _, resamples := range []int{0, -5} {
		if got := Studentized([]float64{1, 2, 3}, -1, 3, resamples, 1); got.P != 1 {
			t.Errorf("%d resamples: %+v", resamples, got)
		}
	}
}

func TestUnseenMeanIsWhereTheUnseenEnd(t *testing.T) {
	for _, n := range []int{1, 2, 10, 30, 300, 7000} {
		for _, far := range []float64{.9, 1, 1.1} {
			for _, alpha := range []float64{.05, .01, .05 / 7} {
				m := UnseenMean(n, far, alpha)
				if p := unseenP(-m, n, -1, far); !near(p, alpha, 1e-9) {
					t.Errorf("%d values, far end %v: p of a mean of %v is %v, want %v", n, far, -m, p, alpha)
				}
				if p := unseenP(m, n, -far, 1); !near(p, alpha, 1e-9) {
					t.Errorf("%d values, far end %v: p of a mean of %v is %v, want %v", n, -far, m, p, alpha)
				}
			}
		}
	}
	if m := UnseenMean(0, 1, .05); !math.IsInf(m, 1) {
		t.Errorf("of nothing: %v", m)
	}
	for _, m := range []float64{UnseenMean(5, 1, 0), UnseenMean(5, 1, nan), UnseenMean(5, -1, .05), UnseenMean(5, nan, .05)} {
		if !math.IsNaN(m) {
			t.Errorf("%v", m)
		}
	}
}

func TestStudentizedProperties(t *testing.T) {
	r := seeded(22)
	for range 60 {
		x := normals(2+r.IntN(60), .2, 1, r)
		lo, hi := min(0, slices.Min(x)), max(0, slices.Max(x))
		got := Studentized(x, lo, hi, 300, 3)
		if !(got.P > 0 && got.P <= 1) {
			t.Fatalf("p of %v: %+v", x, got)
		}
		for name, same := range map[string]Test{
			"once more":  Studentized(x, lo, hi, 300, 3),
			"scaled":     Studentized(scaled(x, 1e-3), lo*1e-3, hi*1e-3, 300, 3),
			"scaled far": Studentized(scaled(x, 1e100), lo*1e100, hi*1e100, 300, 3),
			"negated":    Studentized(scaled(x, -1), -hi, -lo, 300, 3),
		} {
			if !near(same.P, got.P, 1e-9) || same.Method != got.Method {
				t.Fatalf("%s: %+v, was %+v", name, same, got)
			}
		}
		if wider := Studentized(x, lo-1, hi+1, 300, 3); wider.P < got.P {
			t.Fatalf("in %v…%v %+v, in a wider range %+v", lo, hi, got, wider)
		}
	}
	x := normals(200, .1, 1, seeded(13))
	first := Studentized(x, -5, 5, 5000, 1)
	if other := Studentized(x, -5, 5, 5000, 2); first == other || math.Abs(first.P-other.P) > 9*math.Sqrt(first.P/5000) {
		t.Errorf("two seeds: %+v and %+v", first, other)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := Studentized(x, -5, 5, 5000, 1); again != first {
		t.Errorf("%+v, on one core %+v", first, again)
	}
}

// Where the true mean is 0 and values lie unevenly about it, the side on which most values lie seems significant too often
// to tests that suppose otherwise: at .05, .025 of the trials may be so, and three standard errors of 3000 are .0086.
func TestStudentizedKeepsItsLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of tests")
	}
	const trials, allowed = 3000, .025 + .0086
	rare := func(share, low float64) func(r *rand.Rand) float64 { // 1 on a share of the rows, else low
		mean := share + (1-share)*low
		return func(r *rand.Rand) float64 {
			if r.Float64() < share {
				return 1 - mean
			}
			return low - mean
		}
	}
	for _, c := range []struct {
		name  string
		draw  func(r *rand.Rand) float64
		hi    float64
		worst float64 // the test of signs errs at least so often for some n
	}{
		{"a tenth gains", rare(.1, -.222), 1.0998, .1},
		{"an eighth gains", rare(.133, -.222), 1.0595, .06},
		{"a twentieth gains", rare(.05, -.1), 1.045, .15},
		{"a tenth gains, with noise", func(r *rand.Rand) float64 { return rare(.1, -.222)(r) + .03*r.NormFloat64() }, 1.0998, .1},
		{"normal", func(r *rand.Rand) float64 { return .25 * r.NormFloat64() }, 1.1, 0},
	} {
		worst := 0.0
		for _, n := range []int{10, 30, 100, 300} {
			wrong, signs := 0.0, 0.0
			for seed := range uint64(trials) {
				r := seeded(4000 + seed)
				x := make([]float64, n)
				for i := range x {
					x[i] = c.draw(r)
				}
				if Mean(x) >= 0 {
					continue
				}
				if Studentized(x, c.hi-2, c.hi, 200, seed).P <= .05 {
					wrong++
				}
				if n == 30 && SignFlip(x, 200, seed).P <= .05 {
					signs++
				}
			}
			t.Logf("%s, %d values: %.4f, by signs %.4f", c.name, n, wrong/trials, signs/trials)
			if wrong/trials > allowed {
				t.Errorf("%s: of %d values the mean was found below 0 in %.4f of the trials", c.name, n, wrong/trials)
			}
			worst = max(worst, signs/trials)
		}
		if worst < c.worst {
			t.Errorf("%s: the trials are too easy, even the test of signs errs in %.4f only", c.name, worst)
		}
	}
}

// What is there is still found: about as often as by Student's t where that is right and the rows are enough.
func TestStudentizedFindsWhatIsThere(t *testing.T) {
	const trials = 500
	for n, effect := range map[int]float64{100: .3, 300: .2} {
		found, byT := 0.0, 0.0
		for seed := range uint64(trials) {
			x := normals(n, -effect*.25, .25, seeded(5000+seed))
			if Studentized(x, -.9, 1.1, 300, seed).P <= .05 {
				found++
			}
			if p, _ := PairedT(x); p <= .05 {
				byT++
			}
		}
		if found < byT-.06*trials || byT < .7*trials {
			t.Errorf("%d values: found %v times, by Student %v of %d", n, found, byT, trials)
		}
	}
}
