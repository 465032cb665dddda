package sample

import (
	"fmt"
	"iter"
	"math"
	"testing"
)

// walk gives units as Draw takes them.
func walk(units []Unit) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		for _, u := range units {
			if !yield(u, nil) {
				return
			}
		}
	}
}

// draw draws and marks what was drawn in units, as the next draw wants it.
func draw(t testing.TB, units []Unit, d Design) Drawn {
	t.Helper()
	out, err := Draw(walk(units), d)
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]int, len(units))
	for i, u := range units {
		at[u.ID] = i
	}
	for _, p := range out.Picks {
		units[at[p.ID]].Inclusion = p.Inclusion
	}
	return out
}

// zipf are queries asked as often as most/rank^s, at least once.
func zipf(n int, most, s float64) []Unit {
	units := make([]Unit, n)
	for i := range units {
		units[i] = Unit{ID: fmt.Sprintf("q%d", i), Count: max(1, int(most/math.Pow(float64(i+1), s)))}
	}
	return units
}

// The weights are right if what the sample stands for is the whole on average, and 1/inclusion the number of queries,
// whatever draws follow on each other. The samples are small, so that a wrong limit shows.
func TestWeightsAreRightOnAverage(t *testing.T) {
	for name, steps := range map[string][]Design{
		"random":                     {{By: Random, N: 4}},
		"proportional":               {{By: Proportional, N: 4}},
		"stratified":                 {{By: Stratified, N: 7}},
		"random twice":               {{By: Random, N: 3}, {By: Random, N: 4}},
		"proportional twice":         {{By: Proportional, N: 3}, {By: Proportional, N: 4}},
		"stratified twice":           {{By: Stratified, N: 5}, {By: Stratified, N: 6}},
		"random, proportional":       {{By: Random, N: 3}, {By: Proportional, N: 3}},
		"proportional, random":       {{By: Proportional, N: 3}, {By: Random, N: 3}},
		"random, stratified":         {{By: Random, N: 4}, {By: Stratified, N: 6}},
		"stratified, random":         {{By: Stratified, N: 6}, {By: Random, N: 4}},
		"stratified, proportional":   {{By: Stratified, N: 6}, {By: Proportional, N: 4}},
		"top, random":                {{By: Top, N: 3}, {By: Random, N: 4}},
		"random, top":                {{By: Random, N: 4}, {By: Top, N: 3}},
		"proportional, top":          {{By: Proportional, N: 4}, {By: Top, N: 3}},
		"random, proportional, rest": {{By: Random, N: 3}, {By: Proportional, N: 3}, {By: Random, N: 3}},
		"stratified, random, strata": {{By: Stratified, N: 5}, {By: Random, N: 3}, {By: Stratified, N: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			seeds := uint64(4000)
			if testing.Short() {
				seeds = 2000
			}
			const n = 30
			var sums, squares [n + 1]float64 // of 1/inclusion by query, then of their sum
			add := func(i int, x float64) { sums[i] += x; squares[i] += x * x }
			for seed := range seeds {
				units := zipf(n, 40, .9)
				for _, d := range steps {
					d.Seed = seed
					draw(t, units, d)
				}
				total := 0.0
				for i, u := range units {
					if u.Inclusion > 0 {
						add(i, 1/u.Inclusion)
						total += 1 / u.Inclusion
					}
				}
				add(n, total)
			}
			for i := range sums {
				want, most := 1.0, 5.5 // standard errors of the mean; of 30 queries and 16 designs, skewed ones
				if i == n {
					want, most = n, 3.5
				}
				mean := sums[i] / float64(seeds)
				sd := math.Sqrt(max(0, squares[i]/float64(seeds)-mean*mean) / float64(seeds))
				bias := 0.0
				if len(steps) > 2 {
					bias = .03 * want // close, not exact: see the package comment
				}
				if math.Abs(mean-want) > most*sd+bias+1e-9 {
					t.Errorf("query %d: on average %.4f, want %v, with a standard error of %.4f", i, mean, want, sd)
				}
			}
		})
	}
}

// A beginning of what was drawn is a sample by the same chances: each query is as likely among the first half as any
// other that was drawn, so that the weights hold but for a factor.
func TestBeginningsAreFair(t *testing.T) {
	for _, by := range []By{Random, Proportional, Stratified} {
		drawn, first := map[string]float64{}, map[string]float64{}
		for seed := range uint64(2000) {
			out := draw(t, zipf(40, 60, 1), Design{By: by, N: 12, Seed: seed})
			for i, p := range out.Picks {
				drawn[p.ID]++
				if i < 6 {
					first[p.ID]++
				}
			}
		}
		for id, n := range drawn {
			share := first[id] / n
			if sd := math.Sqrt(.25 / n); math.Abs(share-.5) > 5*sd+.06 { // a stratum with one has no middle
				t.Errorf("%s: %s is in the first half with %.3f of %v", by, id, share, n)
			}
		}
	}
}

// Every beginning has strata in the mix of the whole, to within one query of each.
func TestBeginningsMixStrata(t *testing.T) {
	out := draw(t, zipf(500, 400, 1), Design{By: Stratified, N: 60, Seed: 3})
	of, seen := map[string]float64{}, map[string]float64{}
	for _, p := range out.Picks {
		of[p.Stratum]++
	}
	if len(of) != 3 {
		t.Fatalf("strata %v", of)
	}
	for i, p := range out.Picks {
		seen[p.Stratum]++
		for s, n := range of {
			if want := n * float64(i+1) / 60; math.Abs(seen[s]-want) > 1.01 {
				t.Errorf("the first %d hold %v of %s, want %.1f", i+1, seen[s], s, want)
			}
		}
	}
}

func TestUniformIsUniformAndItsSeeds(t *testing.T) {
	const n = 20000
	var bins [20]int
	var together float64
	for i := range n {
		id := fmt.Sprintf("q%d", i)
		u, v := uniform(1, id), uniform(2, id)
		if u <= 0 || u >= 1 || u != uniform(1, id) {
			t.Fatalf("u of %s is %v", id, u)
		}
		bins[int(u*20)]++
		together += (u - .5) * (v - .5) * 12
	}
	square := 0.0
	for _, b := range bins {
		square += float64((b-n/20)*(b-n/20)) / (n / 20)
	}
	if square > 19+4*math.Sqrt(2*19) {
		t.Errorf("χ² is %.1f over 20 bins", square)
	}
	if r := together / n; math.Abs(r) > 4/math.Sqrt(n) {
		t.Errorf("two seeds correlate by %.3f", r)
	}
	// Pinned: another u would draw another sample for the same seed.
	if got := uniform(1, "q1"); got != pinned {
		t.Errorf("u of q1 is %.17g", got)
	}
}

const pinned = 0.16120838735895721
