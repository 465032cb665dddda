package sample

import (
	"math/rand/v2"
	"testing"

	"assay/corpus/stats"
)

// traffic is a population whose recall is known: what is asked often is found more often, the rest is noise.
type traffic struct {
	units  []Unit
	recall map[string]float64
	truth  float64 // over all that was asked
}

// asked makes n queries asked as often as most/rank^s. Recall of a query is a share of one to four chunks, or 0 or 1.
func asked(n int, most, s float64, binary bool) traffic {
	r := rand.New(rand.NewPCG(9, 9))
	t := traffic{units: zipf(n, most, s), recall: map[string]float64{}}
	counts := map[int]int{}
	for _, u := range t.units {
		counts[u.Count]++
	}
	band := bands(counts)
	var found, all float64
	for _, u := range t.units {
		likely := map[string]float64{head: .9, torso: .7, tail: .45}[band[u.Count]]
		relevant, hits := 1, 0
		if !binary {
			relevant += r.IntN(4)
		}
		for range relevant {
			if r.Float64() < likely {
				hits++
			}
		}
		t.recall[u.ID] = float64(hits) / float64(relevant)
		found += t.recall[u.ID] * float64(u.Count)
		all += float64(u.Count)
	}
	t.truth = found / all
	return t
}

// estimate draws by each step in turn and estimates recall from what was drawn alone.
func (tr traffic) estimate(t *testing.T, steps []Design, seed uint64) stats.Weighted {
	units := append([]Unit(nil), tr.units...)
	for _, d := range steps {
		d.Seed = seed
		draw(t, units, d)
	}
	var x, weights, inclusions []float64
	for _, u := range units {
		if u.Inclusion > 0 {
			x, weights, inclusions = append(x, tr.recall[u.ID]), append(weights, float64(u.Count)/u.Inclusion), append(inclusions, u.Inclusion)
		}
	}
	w, ok := stats.WeightedMean(x, weights, inclusions, .95)
	if !ok {
		t.Fatal("no interval")
	}
	return w
}

var ways = map[string][]Design{
	"random":                   {{By: Random, N: 200}},
	"proportional":             {{By: Proportional, N: 200}},
	"stratified":               {{By: Stratified, N: 200}},
	"random twice":             {{By: Random, N: 120}, {By: Random, N: 80}},
	"proportional twice":       {{By: Proportional, N: 120}, {By: Proportional, N: 80}},
	"stratified twice":         {{By: Stratified, N: 120}, {By: Stratified, N: 80}},
	"random, then strata":      {{By: Random, N: 120}, {By: Stratified, N: 80}},
	"proportional, then all":   {{By: Proportional, N: 120}, {By: Random, N: 80}},
	"top, then random":         {{By: Top, N: 50}, {By: Random, N: 150}},
	"top, then strata":         {{By: Top, N: 50}, {By: Stratified, N: 150}},
	"strata, then by traffic":  {{By: Stratified, N: 100}, {By: Proportional, N: 100}},
	"few, by traffic":          {{By: Proportional, N: 50}},
	"few, by strata":           {{By: Stratified, N: 50}},
	"few at random, then more": {{By: Random, N: 20}, {By: Random, N: 20}, {By: Proportional, N: 20}},
}

// Traffic with a known R@5 is recovered within its interval in at least 95 of 100 samples, whatever the ways to draw.
func TestTrafficIsRecovered(t *testing.T) {
	seeds, least := uint64(100), 95
	if testing.Short() {
		seeds, least = 20, 17
	}
	for _, pop := range []traffic{asked(4000, 2000, 1, false), asked(4000, 600, .7, true)} {
		for name, steps := range ways {
			held, width, off := 0, 0.0, 0.0
			for seed := range seeds {
				w := pop.estimate(t, steps, seed)
				if w.Interval.Lo <= pop.truth && pop.truth <= w.Interval.Hi {
					held++
				}
				width += w.Interval.Hi - w.Interval.Lo
				off += w.Mean - pop.truth
			}
			t.Logf("%-26s held in %d of %d, width %.3f, off by %+.4f", name, held, seeds, width/float64(seeds), off/float64(seeds))
			if held < least {
				t.Errorf("%s: %.3f was held in %d of %d samples", name, pop.truth, held, seeds)
			}
		}
	}
}

// The sample's plain mean is not the traffic's: what the weights are for.
func TestPlainMeansMissTheTraffic(t *testing.T) {
	pop := asked(4000, 2000, 1, false)
	for _, by := range []By{Top, Proportional, Stratified} {
		var plain, weighted float64 // squared errors
		for seed := range uint64(10) {
			d := Design{By: by, N: 150, Seed: seed}
			units := append([]Unit(nil), pop.units...)
			mean := 0.0
			for _, p := range draw(t, units, d).Picks {
				mean += pop.recall[p.ID] / 150
			}
			w := pop.estimate(t, []Design{d}, seed)
			plain += (mean - pop.truth) * (mean - pop.truth)
			weighted += (w.Mean - pop.truth) * (w.Mean - pop.truth)
		}
		switch {
		case by == Top: // of which nothing stands for the tail: weights don't help
			if weighted < .05*.05*10 {
				t.Errorf("top: the weighted mean errs by %v only", weighted)
			}
		case weighted > .6*plain:
			t.Errorf("%s: plain means err by %v, weighted by %v", by, plain, weighted)
		}
	}
}
