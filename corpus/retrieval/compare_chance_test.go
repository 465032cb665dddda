package retrieval

import (
	"math"
	"slices"
	"testing"
)

// uniform is the greatest distance of the values from the uniform distribution on 0…1.
func uniform(values []float64) (distance float64) {
	n := float64(len(values))
	for i, v := range slices.Sorted(slices.Values(values)) {
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	return distance
}

// Two runs of one retriever, which differ by its noise alone: p is uniform, over 200 collections from queries to p.
func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	seeds, queries := 200, 40
	var randomized, student []float64
	for seed := range uint64(seeds) {
		c := collection{queries: queries, seed: 1000 + seed}
		d := compared(t, CompareOptions{Resamples: 400, Seed: seed}, evaluate(t, c.run(1, .7), "nDCG@10"), evaluate(t, c.run(2, .7), "nDCG@10")).Pairs[0].Deltas[0]
		randomized, student = append(randomized, *d.P), append(student, *d.T)
		if d.Method != "randomization" {
			t.Fatalf("seed %d: %s", seed, d.Method)
		}
	}
	for name, p := range map[string][]float64{"randomization": randomized, "t": student} {
		if d := uniform(p); d > 1.358/math.Sqrt(float64(seeds)) { // 5% point of Kolmogorov and Smirnov
			t.Errorf("%s: the p-values of runs that don't differ lie %.3f from uniform: %.2f", name, d, slices.Sorted(slices.Values(p)))
		}
	}
	// The check itself can fail: the same p-values a fifth smaller.
	for i := range randomized {
		randomized[i] *= .8
	}
	if uniform(randomized) <= 1.358/math.Sqrt(float64(seeds)) {
		t.Error("p-values that are too small go unnoticed")
	}
}

// Two retrievers of which one sees worse. What the paired t test's power hangs on is how far their nDCG@10 lies apart
// and how much that varies from query to query; all samples together say so. In each sample alone the difference must be
// found as often as that power promises.
func TestDifferencesAreFoundAsOftenAsExpected(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of comparisons")
	}
	const good, bad, seeds = .6, 1.1, 200
	for _, n := range []int{50, 100} {
		found, sum, squares := 0, 0.0, 0.0
		for seed := range uint64(seeds) {
			some := collection{queries: n, seed: 2000 + seed}
			a, b := evaluate(t, some.run(1, good), "nDCG@10"), evaluate(t, some.run(2, bad), "nDCG@10")
			d := compared(t, CompareOptions{Resamples: 250, Seed: seed}, a, b).Pairs[0].Deltas[0]
			if *d.P <= .05 && *d.Delta < 0 {
				found++
			}
			after := values(b, "nDCG@10")
			for id, before := range values(a, "nDCG@10") {
				sum += after[id] - before
				squares += (after[id] - before) * (after[id] - before)
			}
		}
		size := float64(n * seeds)
		delta := sum / size
		spread := math.Sqrt(squares/size - delta*delta)
		critical := 1.96 + 2.37/float64(n) // Student's t, by the first term of its expansion
		power := .5 * math.Erfc((critical+delta/spread*math.Sqrt(float64(n)))/math.Sqrt2)
		share := float64(found) / seeds
		t.Logf("%.4f with a spread of %.4f among %d queries is found %.3f of the time; expected is %.3f", delta, spread, n, share, power)
		if power < .4 || power > .95 || math.Abs(share-power) > 2.6*math.Sqrt(power*(1-power)/seeds) {
			t.Errorf("%.4f with a spread of %.4f among %d queries is found %.3f of the time; expected is %.3f", delta, spread, n, share, power)
		}
	}
}
