package retrieval

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/corpus"
	"assay/corpus/retrieval/measure"
)

// relabeled is the input with every chunk that was returned in the top k (all of it where k is 0) of a query that counts,
// and that nobody judged, given the grade.
func relabeled(in Input, counts map[string]bool, k int, grade corpus.Grade) Input {
	in.Queries = slices.Clone(in.Queries)
	for i, q := range in.Queries {
		if !counts[q.ID] {
			continue
		}
		grades := maps.Clone(q.Grades)
		for rank, id := range order(in.Run.Rankings[q.ID]) {
			if g, ok := q.Grades[id]; (k == 0 || rank < k) && (!ok || g < 0) {
				grades[id] = grade
			}
		}
		in.Queries[i].Grades = grades
	}
	return in
}

// Bounds are what comes out when somebody labels what was never judged, all one way or all the other.
func TestBoundsEqualRelabeling(t *testing.T) {
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 200
	}
	bounded, compared := map[measure.Kind]bool{}, 0
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 4))
		in := arbitrary(rnd)
		in.Compat, in.Best = Compat(seed%3), corpus.Grade(rnd.IntN(5))
		k := 1 + rnd.IntN(8)
		measures := everyMeasure(t, k, 1+rnd.IntN(3), float64(rnd.IntN(11))/10)
		r, err := Evaluate(in, measures)
		if err != nil {
			continue // a repeated chunk under compat
		}
		counts := map[string]bool{}
		best := max(in.Best, in.RelevantFrom, 1)
		for _, q := range r.Queries {
			counts[q.QueryID] = true
		}
		for _, q := range in.Queries {
			for _, g := range q.Grades {
				if in.Best == 0 && counts[q.ID] {
					best = max(best, g)
				}
			}
		}
		for _, depth := range []int{0, k} {
			low, err := Evaluate(relabeled(in, counts, depth, 0), measures)
			if err != nil {
				t.Fatal(err)
			}
			high, err := Evaluate(relabeled(in, counts, depth, best), measures)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range measures {
				if m.Cutoff() != depth || m.Indifferent() || r.Measures[i].Mean == nil {
					continue
				}
				mean, want := r.Measures[i], Bounds{*low.Measures[i].Mean, *high.Measures[i].Mean}
				got := Bounds{*mean.Mean, *mean.Mean}
				if mean.Bounds != nil {
					got = *mean.Bounds
					bounded[m.Kind()] = true
				}
				compared++
				if math.Abs(got.Irrelevant-want.Irrelevant) > 1e-12 || math.Abs(got.Relevant-want.Relevant) > 1e-12 {
					t.Fatalf("seed %d, compat %v: %s is %v, with all unjudged one way or the other %+v, want %+v", seed, in.Compat, m, *mean.Mean, got, want)
				}
			}
		}
		for i, m := range measures {
			if m.Indifferent() && r.Measures[i].Bounds != nil {
				t.Errorf("seed %d: %s has bounds %+v", seed, m, r.Measures[i].Bounds)
			}
		}
	}
	for k := range measure.Kind(len(measure.Known())) {
		if !measure.Of(k, 0).Indifferent() && !bounded[k] {
			t.Errorf("%s never had bounds", k)
		}
	}
	if compared < int(seeds)*10 {
		t.Errorf("%d figures were compared", compared)
	}
}

// What is judged of what a measure looks at: of each query that has a ranking its share, and the mean of those.
func TestJudgedShareOfWhatAMeasureLooksAt(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		in := arbitrary(rnd)
		k := 1 + rnd.IntN(8)
		measures := everyMeasure(t, k, 2, .5)
		r, err := Evaluate(in, measures)
		if err != nil {
			t.Fatal(err)
		}
		grades := map[string]map[string]corpus.Grade{}
		for _, q := range in.Queries {
			grades[q.ID] = q.Grades
		}
		want := map[int]float64{}
		for _, depth := range []int{0, k} {
			sum, n := 0.0, 0.0
			for _, q := range r.Queries {
				ids := order(in.Run.Rankings[q.QueryID])
				if depth > 0 {
					ids = ids[:min(depth, len(ids))]
				}
				judged := 0.0
				for _, id := range ids {
					if g, ok := grades[q.QueryID][id]; ok && g >= 0 {
						judged++
					}
				}
				if len(ids) > 0 {
					sum, n = sum+judged/float64(len(ids)), n+1
				}
			}
			want[depth] = sum / n
		}
		for i, m := range measures {
			got := r.Measures[i].Judged
			none := m.Summed() || m.Kind() == measure.JudgedShare || m.Kind() == measure.EvidenceSets || len(r.Queries) == 0 || math.IsNaN(want[m.Cutoff()])
			if (got == nil) != none || got != nil && math.Abs(*got-want[m.Cutoff()]) > 1e-12 {
				t.Fatalf("seed %d: judged of %s is %v, want %v", seed, m, show(got), want[m.Cutoff()])
			}
		}
	}
}

// By hand: three returned, one of them relevant, one judged irrelevant, one never judged.
func TestBoundsByHand(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1, "b": 0, "c": 1}, ranked("x", "a", "b"))
	in.Best = 2
	r := evaluate(t, in, "P@1 P@2 R@1 R@3 RR Success@1 nDCG@1 Judged@3 Bpref NumRelRet")
	for name, want := range map[string]string{
		"P@1":       `{"name":"P@1","mean":0,"n":1,"judged":0,"bounds":{"irrelevant":0,"relevant":1}}`,
		"P@2":       `{"name":"P@2","mean":0.5,"n":1,"judged":0.5,"bounds":{"irrelevant":0.5,"relevant":1}}`,
		"R@1":       `{"name":"R@1","mean":0,"n":1,"judged":0,"bounds":{"irrelevant":0,"relevant":0.3333333333333333}}`,
		"R@3":       `{"name":"R@3","mean":0.5,"n":1,"judged":0.6666666666666666,"bounds":{"irrelevant":0.5,"relevant":0.6666666666666666}}`,
		"RR":        `{"name":"RR","mean":0.5,"n":1,"judged":0.6666666666666666,"bounds":{"irrelevant":0.5,"relevant":1}}`,
		"nDCG@1":    `{"name":"nDCG@1","mean":0,"n":1,"judged":0,"bounds":{"irrelevant":0,"relevant":1}}`,
		"Judged@3":  `{"name":"Judged@3","mean":0.6666666666666666,"n":1}`,
		"Bpref":     `{"name":"Bpref","mean":0.5,"n":1,"judged":0.6666666666666666,"bounds":{"irrelevant":0.25,"relevant":0.6666666666666666}}`,
		"NumRelRet": `{"name":"NumRelRet","mean":1,"n":1}`,
	} {
		i := slices.IndexFunc(r.Measures, func(m Mean) bool { return m.Name == name })
		if got := asJSON(t, r.Measures[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// More relevant chunks ask more of a ranking: both extremes may lie on one side of each other.
func TestRelevantMayBeTheLowerBound(t *testing.T) {
	r := evaluate(t, one(map[string]corpus.Grade{"a": 1, "b": 0}, ranked("a", "b", "x")), "AP R@1 nDCG@3")
	if m := r.Measures[0]; *m.Mean != 1 || m.Bounds.Irrelevant != 1 || math.Abs(m.Bounds.Relevant-(1+2.0/3)/2) > 1e-12 {
		t.Errorf("%s", asJSON(t, m))
	}
	if m := r.Measures[1]; m.Bounds != nil || *m.Judged != 1 { // x lies deeper than it looks
		t.Errorf("%s", asJSON(t, m))
	}
	if m := r.Measures[2]; m.Bounds == nil || m.Bounds.Relevant >= 1 {
		t.Errorf("%s", asJSON(t, m))
	}
}

// All is judged, or nothing came back: there is nothing to bound.
func TestNoBoundsWhereNothingIsOpen(t *testing.T) {
	for name, ranking := range map[string]corpus.Ranking{"all judged": ranked("a", "b"), "nothing returned": nil} {
		for _, m := range evaluate(t, one(map[string]corpus.Grade{"a": 1, "b": 0}, ranking), everything()).Measures {
			if m.Bounds != nil {
				t.Errorf("%s: %s has bounds %+v", name, m.Name, *m.Bounds)
			}
			if (m.Judged != nil) && (ranking == nil || *m.Judged != 1) {
				t.Errorf("%s: %v of %s is judged", name, *m.Judged, m.Name)
			}
		}
	}
}

// The grades of the input are not touched by supposing others.
func TestBoundsLeaveTheInputAlone(t *testing.T) {
	in := collection{queries: 20, seed: 3}.run(1, 1)
	before := fmt.Sprint(in.Queries, in.Run.Rankings)
	evaluate(t, in, DefaultMeasures+" Bpref infAP")
	if after := fmt.Sprint(in.Queries, in.Run.Rankings); after != before {
		t.Error("the input was changed")
	}
}
