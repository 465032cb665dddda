package retrieval

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/corpus/retrieval/measure"
)

// Which queries count, and what becomes of the values of each: the values themselves are measure's to test.
func TestMeansOfWhatCounts(t *testing.T) {
	cases := uint64(6000)
	if testing.Short() {
		cases = 2000
	}
	kinds := map[measure.Kind]bool{}
	for seed := range cases {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := arbitrary(rnd)
		in.Compat = Compat(seed % 3)
		measures := everyMeasure(t, 1+rnd.IntN(12), 1+rnd.IntN(4), float64(rnd.IntN(21))/20)
		r, err := Evaluate(in, measures)
		repeats := false
		want, excluded := map[string]*measure.Sheet{}, map[string]Why{}
		for _, q := range in.Queries {
			from := max(1, in.RelevantFrom)
			relevant := 0
			for _, g := range q.Grades {
				if g >= from {
					relevant++
				}
			}
			counts := in.Compat != Assay && len(q.Grades) > 0 || in.Compat == Assay && q.Done && relevant > 0
			switch {
			case counts:
				sheet, out := measure.NewJudge(from, in.Compat).Read(q.Grades, q.Sets, in.Run.Rankings[q.ID])
				repeats = repeats || out.Repeats > 0
				want[q.ID] = sheet
			case in.Compat == Assay && !q.Done:
				excluded[q.ID] = WhyUnfinished
			case q.Unanswerable:
				excluded[q.ID] = WhyUnanswerable
			case q.Done:
				excluded[q.ID] = WhyNoRelevant
			default:
				excluded[q.ID] = WhyUnfinished
			}
		}
		if in.Compat != Assay && repeats {
			if err == nil {
				t.Fatalf("seed %d: a repeated chunk is taken under compat", seed)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Queries) != len(want) || len(r.Excluded) != len(excluded) {
			t.Fatalf("seed %d: %d queries count and %d don't, want %d and %d", seed, len(r.Queries), len(r.Excluded), len(want), len(excluded))
		}
		for _, e := range r.Excluded {
			if excluded[e.QueryID] != e.Why {
				t.Errorf("seed %d: query %s is out as %s, want %s", seed, e.QueryID, e.Why, excluded[e.QueryID])
			}
		}
		if !slices.IsSortedFunc(r.Queries, func(a, b QueryValues) int { return strings.Compare(a.QueryID, b.QueryID) }) {
			t.Errorf("seed %d: queries are not sorted", seed)
		}
		for i, m := range measures {
			kinds[m.Kind()] = true
			n, sum, logs := 0, 0.0, 0.0
			for _, q := range r.Queries {
				got, w := q.Values[m.String()], want[q.QueryID].Value(m)
				if (got == nil) != math.IsNaN(w) || got != nil && *got != w {
					t.Fatalf("seed %d: %s of query %s is %v, want %v", seed, m, q.QueryID, show(got), w)
				}
				if got == nil {
					continue
				}
				if !m.Summed() && (*got < 0 || *got > 1+1e-12) {
					t.Errorf("seed %d: %s of query %s is %v", seed, m, q.QueryID, *got)
				}
				n++
				sum += *got
				logs += math.Log(math.Max(*got, 0.00001))
			}
			mean := r.Measures[i]
			switch {
			case m.Kind() == measure.Interpolated && n < len(want):
				if mean.Mean != nil || mean.Why == "" || mean.N != n {
					t.Errorf("seed %d: %+v, where trec_eval prints -nan", seed, mean)
				}
			case mean.N != n || (mean.Mean == nil) != (n == 0) || (mean.Why == "") != (n > 0):
				t.Errorf("seed %d: %+v over %d queries", seed, mean, n)
			case n == 0 || m.Kind() == measure.NumRel && in.Compat != Assay: // trec_eval sums what is above 0: see the edge collections
			case m.Kind() == measure.GMAP && math.Abs(*mean.Mean-math.Exp(logs/float64(n))) > 1e-12,
				m.Summed() && *mean.Mean != sum, m.Kind() != measure.GMAP && !m.Summed() && *mean.Mean != sum/float64(n):
				t.Errorf("seed %d: %s is %v over %d, sum %v", seed, m, *mean.Mean, n, sum)
			}
		}
	}
	if len(kinds) != len(measure.Known()) {
		t.Errorf("%d kinds of measure were compared, there are %d", len(kinds), len(measure.Known()))
	}
}

func show(v *float64) any {
	if v == nil {
		return "undefined"
	}
	return *v
}

// The order of queries, hits and maps must not show.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		in := arbitrary(rnd)
		first := evaluate(t, in, DefaultMeasures)
		for id, ranking := range in.Run.Rankings {
			ranking = slices.Clone(ranking)
			rnd.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
			in.Run.Rankings[id] = ranking
		}
		rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
		before := maps.Clone(in.Run.Rankings)
		again := evaluate(t, in, DefaultMeasures)
		if a, b := asJSON(t, first), asJSON(t, again); a != b {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
		for id, ranking := range before {
			if !slices.Equal(ranking, in.Run.Rankings[id]) {
				t.Errorf("seed %d: the run was changed", seed)
			}
		}
	}
}
