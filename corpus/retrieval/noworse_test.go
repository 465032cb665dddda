package retrieval

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/corpus/stats"
)

// fixed is a report of R@5 alone, made by hand.
func fixed(name string, values ...float64) Report {
	r := Report{Run: name, Labels: "l", Corpus: "c", Scale: "s"}
	sum := 0.0
	for i, v := range values {
		sum += v
		r.Queries = append(r.Queries, QueryValues{fmt.Sprintf("q%04d", i), map[string]*float64{"R@5": &v}})
	}
	sum /= float64(len(values))
	r.Measures = []Mean{{Name: "R@5", Mean: &sum, N: len(values)}}
	return r
}

// mix is n values of which the first so many are low.
func mix(n, lows int, low, high float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = high
		if i < lows {
			values[i] = low
		}
	}
	return values
}

func TestNoWorse(t *testing.T) {
	for _, c := range []struct {
		name      string
		base, now []float64
		drop      float64
		verdict   Verdict
		line      string
	}{
		{"the same", mix(50, 20, 0, 1), mix(50, 20, 0, 1), 0, Pass, "R@5 went from 0.6000 to 0.6000, +0.0000 (95% interval 0.0000 to 0.0000, n = 50)"},
		{"better only", mix(10, 5, 0, 1), mix(10, 4, 0, 1), 0, Pass, "+0.1000"},
		{"much better", mix(50, 40, 0, 1), mix(50, 10, 0, 1), 0, Pass, "+0.6000"},
		{"a clear fall", mix(50, 10, 0, 1), mix(50, 40, 0, 1), 0, Fail, "R@5 went from 0.8000 to 0.2000, -0.6000 (95% interval -0."},
		{"says p", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0, Fail, "p = 0.0312; allowed is a fall of 0"},
		{"a fall of five queries", mix(50, 10, 0, 1), mix(50, 15, 0, 1), 0, Unclear, "n = 50): no significant fall (p = 0.0625, adjusted for 1 measure); one below 0.123 might not show"},
		{"allowed", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.25, Pass, "-0.1200"},
		{"allowed, not sure", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.15, Unclear, "adjusted for 1 measure); one below 0.283 might not show"},
		{"more than allowed, not sure", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.1, Unclear, "no significant fall (p = 0."},
		{"more than allowed", mix(200, 40, 0, 1), mix(200, 160, 0, 1), 0.1, Fail, "allowed is a fall of 0.1"},
		{"everywhere the same fall", mix(50, 0, 0, .8), mix(50, 0, 0, .7), 0, Fail, "-0.1000"},
		{"just what is allowed, in floats more", mix(50, 0, 0, .8), mix(50, 0, 0, .7), 0.1, Pass, "-0.1000"},
		{"a hair more than is allowed", mix(50, 0, 0, .8), mix(50, 0, 0, .6999), 0.1, Unclear, "-0.1001 (95% interval -0.1001 to -0.1001, n = 50): no significant fall (p = 1, adjusted for 1 measure)"},
		{"a hair less than is allowed", mix(50, 0, 0, .8), mix(50, 0, 0, .7001), 0.1, Pass, "-0.0999"},
		// Where all fall by .3 and .1 is allowed, 2 of 13 that rise to 1 would make up for it: (11/13)^n may be.
		{"everywhere more than is allowed", mix(23, 0, 0, .8), mix(23, 0, 0, .5), 0.1, Fail, "-0.3000 (95% interval -0.3000 to -0.3000, n = 23), adjusted p = 0.0429; allowed is a fall of 0.1"},
		{"everywhere, but few", mix(22, 0, 0, .8), mix(22, 0, 0, .5), 0.1, Unclear, "no significant fall (p = 0.0507, adjusted for 1 measure)"},
		{"one query", mix(1, 0, 0, 1), mix(1, 1, 0, 1), 0, Unclear, "-1.0000 (no interval, n = 1): too few queries to tell"},
		{"one query, the same", mix(1, 0, 0, 1), mix(1, 0, 0, 1), 0, Unclear, "+0.0000 (no interval, n = 1): too few queries to tell"},
		{"one query, better", mix(1, 1, 0, 1), mix(1, 0, 0, 1), 0, Unclear, "+1.0000 (no interval, n = 1): too few queries to tell"},
		{"two queries, the same", mix(2, 1, 0, 1), mix(2, 1, 0, 1), 0, Pass, "+0.0000"},
		{"one query, all allowed", mix(1, 0, 0, 1), mix(1, 1, 0, 1), 1, Unclear, "too few queries to tell"},
	} {
		got, _, err := NoWorse(fixed("base", c.base...), fixed("now", c.now...), c.drop, CompareOptions{Resamples: 2000, Seed: 1})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		g := got[0]
		if g.Verdict != c.verdict || !strings.Contains(g.Line, c.line) || strings.Contains(g.Line, "\n") {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, g.Verdict, g.Line, c.verdict, c.line)
		}
		if c.name == "just what is allowed, in floats more" && *g.P != 1 {
			t.Errorf("%s: p = %v", c.name, *g.P)
		}
		if g.Gate != "R@5 no worse than base" || g.Measure != "R@5" || g.Bound != -c.drop || g.N != len(c.base) || g.P == nil || g.Slice != "" {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

// The fall that an unclear gate names is what Holm's strictest step would show, four times out of five.
func TestNoWorseNamesADetectableFall(t *testing.T) {
	c := collection{queries: 40, seed: 12}
	const measures = "R@5 RR nDCG@10 P@5"
	a, b := evaluate(t, c.run(1, .8), measures), evaluate(t, c.run(2, .85), measures)
	opt := CompareOptions{Resamples: 300, Alpha: .1}
	unclear := 0
	for _, drop := range []float64{0, .02} {
		unclear += namesDetectableFalls(t, a, b, drop, opt)
	}
	if unclear < 5 {
		t.Errorf("%d of the gates are unclear", unclear)
	}
}

func namesDetectableFalls(t *testing.T, a, b Report, drop float64, opt CompareOptions) (unclear int) {
	t.Helper()
	results, _, err := NoWorse(a, b, drop, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range compared(t, opt, a, b).Pairs[0].Deltas {
		if results[i].Verdict != Unclear {
			continue
		}
		unclear++
		spread := math.Abs(*d.Delta / *d.EffectSize)
		want := drop + stats.Detectable(spread, d.N, .1/4, .8)
		if drop > 0 {
			// Or what a fall must be, four times out of five, for it not to be likely that queries went unseen which rise to 1.
			unseen := 1 - math.Pow(.1/4/2, 1/float64(d.N))
			want = max(want, drop+(1+drop)*unseen/(1-unseen)+.84*spread/math.Sqrt(float64(d.N)))
		}
		if words := fmt.Sprintf("adjusted for 4 measures); one below %.3f might not show", want); !strings.HasSuffix(results[i].Line, words) || want < drop+*d.Detectable*1.1 {
			t.Errorf("%q, want %q; alone it would be %.3f", results[i].Line, words, *d.Detectable)
		}
	}
	return unclear
}

// Of many gates on runs that differ by chance alone, no more fail than alpha says, all measures of a build together.
func TestNoWorseSeldomFailsByChance(t *testing.T) {
	const builds = 200
	failed := 0
	for seed := range uint64(builds) {
		c := collection{queries: 40, seed: seed}
		base, now := c.run(1, .5), c.run(2, .5)
		results, _, err := NoWorse(evaluate(t, base, "R@5 RR nDCG@10 P@5"), evaluate(t, now, "R@5 RR nDCG@10 P@5"), 0, CompareOptions{Resamples: 300, Seed: seed})
		if err != nil || len(results) != 4 {
			t.Fatal(results, err)
		}
		for _, g := range results {
			if g.Verdict == Fail {
				failed++
				break
			}
		}
	}
	// A fall is one side of a two-sided test: at most 0.025 of the builds are expected, 5 of 200; 12 would be p < .007.
	if failed > 11 || failed == 0 {
		t.Errorf("%d of %d builds failed by chance", failed, builds)
	}
}

// Where the true fall is just what is allowed, and most queries fall a little while a tenth gains much, a fall seems
// significant too often to whoever supposes that differences lie evenly about their mean.
func TestNoWorseSeldomFailsWhereAllowedFallsAreUneven(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of comparisons")
	}
	const builds, share, low = 2000, .1, -.222
	const drop = -(share + (1-share)*low)
	failed := map[int]float64{}
	for _, n := range []int{10, 30, 100, 300} {
		for seed := range uint64(builds) {
			rnd := rand.New(rand.NewPCG(seed, 15))
			before, after := make([]float64, n), make([]float64, n)
			for i := range before {
				if before[i] = -low; rnd.Float64() < share {
					before[i], after[i] = 0, 1
				}
			}
			gates, _, err := NoWorse(fixed("base", before...), fixed("now", after...), drop, CompareOptions{Resamples: 150, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if gates[0].Verdict == Fail {
				failed[n]++
			}
		}
		t.Logf("%d queries: %.4f of the builds fail", n, failed[n]/builds)
		if failed[n]/builds > .025+.0105 { // three standard errors
			t.Errorf("%d queries: %.4f of the builds fail", n, failed[n]/builds)
		}
	}
	if failed[300] == 0 {
		t.Error("nothing ever fails")
	}
	// A fall of three times as much does fail the build, mostly.
	found := 0
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 16))
		before, after := make([]float64, 100), make([]float64, 100)
		for i := range before {
			if before[i] = .45; rnd.Float64() < share {
				before[i], after[i] = 0, 1
			}
		}
		gates, _, err := NoWorse(fixed("base", before...), fixed("now", after...), drop, CompareOptions{Resamples: 300, Seed: seed})
		if err == nil && gates[0].Verdict == Fail {
			found++
		}
	}
	if found < 160 {
		t.Errorf("a fall of three times what is allowed was found %d times of 200", found)
	}
}

func TestNoWorseRefuses(t *testing.T) {
	a, b := fixed("a", mix(9, 3, 0, 1)...), fixed("b", mix(9, 3, 0, 1)...)
	for _, drop := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if _, _, err := NoWorse(a, b, drop, CompareOptions{}); err == nil {
			t.Errorf("a drop of %v is taken", drop)
		}
	}
	b.Labels = "others"
	if _, _, err := NoWorse(a, b, 0, CompareOptions{}); !errors.Is(err, ErrNotComparable) || !strings.Contains(err.Error(), "the labels differ") {
		t.Errorf("other labels: %v", err)
	}
	if results, _, err := NoWorse(a, b, 0, CompareOptions{Force: true}); err != nil || results[0].Verdict != Pass {
		t.Errorf("forced: %v, %v", results, err)
	}
}

// A measure that the baseline lacks is unclear, and said to be; one that is undefined in one of them fails, since nothing
// was held against anything. What this run was not measured by has no gate.
func TestNoWorseWhereMeasuresAreMissing(t *testing.T) {
	a, b := fixed("a\x1b", mix(9, 3, 0, 1)...), fixed("b", mix(9, 3, 0, 1)...)
	half := 0.5
	for i := range a.Queries {
		a.Queries[i].Values["Sets@5"] = &half
		a.Queries[i].Values["P@5"] = &half
		a.Queries[i].Values["ours alone"] = &half
		b.Queries[i].Values["ours alone"] = &half
		b.Queries[i].Values["Sets@5"] = nil
		b.Queries[i].Values["RR"] = &half
	}
	given := func(names ...string) (list []Mean) {
		for _, name := range names {
			list = append(list, Mean{Name: name, N: 9, Mean: &half})
		}
		return list
	}
	a.Measures = append(a.Measures, given("Sets@5", "P@5", "ours alone")...)
	b.Measures = append(b.Measures, given("RR", "NumRel", "Judged@10", "GMAP", "theirs alone", "ours alone")...)
	b.Measures = append(b.Measures, Mean{Name: "Sets@5"})
	results, warnings, err := NoWorse(a, b, .1, CompareOptions{Resamples: 100})
	if err != nil || warnings != nil {
		t.Fatalf("%q, %v", warnings, err)
	}
	var got []string
	for _, g := range results {
		got = append(got, fmt.Sprintf("%s %s", g.Measure, g.Verdict))
	}
	if want := []string{"R@5 pass", "Sets@5 fail", "ours alone pass", "RR unclear", "theirs alone unclear"}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if g := results[1]; g.Figure != nil || g.P != nil || g.Line != "no query has Sets@5 in both" {
		t.Errorf("%+v", g)
	}
	if g := results[3]; g.Gate != "RR no worse than a\x1b" || g.Figure != nil || g.Bound != -.1 || g.Interval != nil || g.P != nil || g.N != 0 || g.Line != "RR: the baseline a\x1b does not have it" {
		t.Errorf("%+v", g)
	}
	asJSON(t, results)
	b.Measures = given("RR")
	if _, _, err := NoWorse(a, b, 0, CompareOptions{}); err == nil || !strings.Contains(err.Error(), "no measure in common") {
		t.Errorf("nothing in common: %v", err)
	}
}

// An interval that reaches what is allowed keeps a gate from failing, whatever p says.
func TestNoWorseFailsOnlyBelowTheInterval(t *testing.T) {
	seen := map[Verdict]int{}
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 17))
		n := 5 + rnd.IntN(40)
		before, after := make([]float64, n), make([]float64, n)
		for i := range before {
			before[i], after[i] = rnd.Float64(), rnd.Float64()*rnd.Float64()
		}
		drop := float64(rnd.IntN(3)) / 20
		gates, _, err := NoWorse(fixed("base", before...), fixed("now", after...), drop, CompareOptions{Resamples: 400, Seed: seed, Alpha: .3})
		if err != nil {
			t.Fatal(err)
		}
		g := gates[0]
		seen[g.Verdict]++
		below, above, significant := g.Interval.Hi < -drop, g.Interval.Lo >= -drop, *g.P <= .3
		if (g.Verdict == Fail) != (below && significant) || above && g.Verdict != Pass {
			t.Errorf("seed %d: %+v", seed, g)
		}
		if significant && !below && *g.Figure < -drop {
			seen["saved"]++
		}
	}
	if seen[Fail] < 50 || seen[Unclear] < 50 || seen["saved"] < 20 {
		t.Errorf("%v", seen)
	}
}
