package retrieval

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"assay/corpus"
)

// literal reads metrics.md section 2 word by word, one measure at a time, without any shared work: slow, and hard to
// get wrong.
func literal(measure string, k int, grades map[string]corpus.Grade, ranking []string, from corpus.Grade) float64 {
	rel := func(id string) bool { g, ok := grades[id]; return ok && g >= from }
	gain := func(id string) float64 { return math.Max(float64(grades[id]), 0) }
	R := 0
	for id := range grades {
		if rel(id) {
			R++
		}
	}
	n := len(ranking)
	hits := func(k int) (h int) {
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				h++
			}
		}
		return h
	}
	over := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	if k == 0 {
		k = n
	}
	switch measure {
	case "P":
		return float64(hits(k)) / float64(k)
	case "R", "SetR":
		return over(float64(hits(k)), float64(R))
	case "Success":
		if hits(k) > 0 {
			return 1
		}
		return 0
	case "SetP":
		return over(float64(hits(n)), float64(n))
	case "Rprec":
		return over(float64(hits(R)), float64(R))
	case "RR":
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				return 1 / float64(i+1)
			}
		}
		return 0
	case "AP":
		sum := 0.0
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				sum += float64(hits(i+1)) / float64(i+1)
			}
		}
		return over(sum, float64(R))
	case "Judged":
		judged := 0
		for i := 0; i < k && i < n; i++ {
			if g, ok := grades[ranking[i]]; ok && g >= 0 {
				judged++
			}
		}
		return over(float64(judged), float64(min(k, n)))
	case "nDCG", "nDCG uncut":
		var best []float64
		for id := range grades {
			best = append(best, gain(id))
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(best)))
		if measure == "nDCG" && len(best) > k {
			best = best[:k]
		}
		dcg, ideal := 0.0, 0.0
		for i := 0; i < k && i < n; i++ {
			dcg += gain(ranking[i]) / math.Log2(float64(i+2))
		}
		for i, g := range best {
			ideal += g / math.Log2(float64(i+2))
		}
		return over(dcg, ideal)
	}
	panic(measure)
}

// order is metrics.md section 1: score descending, then id descending by bytes; of repeats the first counts.
func order(ranking corpus.Ranking) []string {
	hits := slices.Clone(ranking)
	sort.SliceStable(hits, func(i, j int) bool {
		if hits[i].Score != hits[j].Score {
			return hits[i].Score > hits[j].Score
		}
		return hits[i].ChunkID > hits[j].ChunkID
	})
	var ids []string
	seen := map[string]bool{}
	for _, h := range hits {
		if !seen[h.ChunkID] {
			ids = append(ids, h.ChunkID)
		}
		seen[h.ChunkID] = true
	}
	return ids
}

// arbitrary makes a gold set and a run with what breaks evaluators: ties, repeats, negative and zero grades, missing
// and empty rankings, unknown queries, ids that are prefixes of each other.
func arbitrary(rnd *rand.Rand) Input {
	in := Input{RelevantFrom: corpus.Grade(rnd.IntN(4)), Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	id := func() string { return strings.Repeat("d", 1+rnd.IntN(2)) + fmt.Sprint(rnd.IntN(14)) }
	for q := range 1 + rnd.IntN(5) {
		query := Query{ID: fmt.Sprint(q * 7), Done: rnd.IntN(6) > 0, Unanswerable: rnd.IntN(8) == 0, Grades: map[string]corpus.Grade{}}
		for range rnd.IntN(12) {
			query.Grades[id()] = corpus.Grade(rnd.IntN(6) - 2)
		}
		in.Queries = append(in.Queries, query)
		if rnd.IntN(5) == 0 {
			continue
		}
		ranking := corpus.Ranking{}
		for range rnd.IntN(16) {
			ranking = append(ranking, corpus.Hit{ChunkID: id(), Score: float64(rnd.IntN(5)) / 2})
		}
		in.Run.Rankings[query.ID] = ranking
	}
	rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
	if rnd.IntN(3) == 0 {
		in.Run.Rankings["nobody asked"] = corpus.Ranking{{ChunkID: "d1", Score: 1}}
	}
	return in
}

func TestEqualsLiteralReading(t *testing.T) {
	const cases = 5000
	kinds := []string{"P", "R", "Success", "SetP", "SetR", "Rprec", "RR", "AP", "Judged", "nDCG"}
	for seed := range uint64(cases) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := arbitrary(rnd)
		from := max(1, in.RelevantFrom)
		k := 1 + rnd.IntN(12)
		measures := parse(t, fmt.Sprintf("P@%[1]d R@%[1]d Success@%[1]d Judged@%[1]d RR RR@%[1]d AP AP@%[1]d nDCG nDCG@%[1]d SetP SetR Rprec", k))
		r, err := Evaluate(in, measures)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]QueryValues{}
		excluded := map[string]Why{}
		for _, q := range in.Queries {
			relevant := 0
			for _, g := range q.Grades {
				if g >= from {
					relevant++
				}
			}
			switch {
			case !q.Done:
				excluded[q.ID] = WhyUnfinished
				continue
			case relevant == 0 && q.Unanswerable:
				excluded[q.ID] = WhyUnanswerable
				continue
			case relevant == 0:
				excluded[q.ID] = WhyNoRelevant
				continue
			}
			ids := order(in.Run.Rankings[q.ID])
			values := map[string]*float64{}
			for _, m := range measures {
				kind := kinds[slices.IndexFunc(kinds, func(s string) bool { return s == names[m.kind].name })]
				if m.String() == "nDCG" {
					kind = "nDCG uncut"
				}
				v := literal(kind, m.k, q.Grades, ids, from)
				values[m.String()] = &v
			}
			want[q.ID] = QueryValues{q.ID, values}
		}
		if len(r.Queries) != len(want) || len(r.Excluded) != len(excluded) {
			t.Fatalf("seed %d: %d queries count and %d don't, want %d and %d", seed, len(r.Queries), len(r.Excluded), len(want), len(excluded))
		}
		for _, e := range r.Excluded {
			if excluded[e.QueryID] != e.Why {
				t.Errorf("seed %d: query %s is out as %s, want %s", seed, e.QueryID, e.Why, excluded[e.QueryID])
			}
		}
		sums := map[string]float64{}
		for i, q := range r.Queries {
			if i > 0 && r.Queries[i-1].QueryID >= q.QueryID {
				t.Errorf("seed %d: queries are not sorted", seed)
			}
			for name, v := range q.Values {
				if w := *want[q.QueryID].Values[name]; *v != w {
					t.Errorf("seed %d: %s of query %s is %v, want %v", seed, name, q.QueryID, *v, w)
				}
				if *v < 0 || *v > 1+1e-12 {
					t.Errorf("seed %d: %s of query %s is %v", seed, name, q.QueryID, *v)
				}
				sums[name] += *v
			}
		}
		for _, m := range r.Measures {
			switch {
			case m.N != len(want) || (m.Mean == nil) != (m.N == 0) || (m.Why == "") != (m.N > 0):
				t.Errorf("seed %d: %+v over %d queries", seed, m, len(want))
			case m.N > 0 && *m.Mean != sums[m.Name]/float64(m.N):
				t.Errorf("seed %d: mean %s is %v, want %v", seed, m.Name, *m.Mean, sums[m.Name]/float64(m.N))
			}
		}
	}
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

// Under compat all queries with grades count; those without a relevant chunk score 0.
func TestCompatCountsAllWithGrades(t *testing.T) {
	for seed := range uint64(500) {
		in := arbitrary(rand.New(rand.NewPCG(seed, 3)))
		in.Compat = TrecEval10
		repeated := false
		graded := 0
		for _, q := range in.Queries {
			if len(q.Grades) == 0 {
				continue
			}
			graded++
			repeated = repeated || len(order(in.Run.Rankings[q.ID])) < len(in.Run.Rankings[q.ID])
		}
		r, err := Evaluate(in, parse(t, DefaultMeasures))
		if repeated != (err != nil) {
			t.Fatalf("seed %d: repeats %v, error %v", seed, repeated, err)
		}
		if err == nil && len(r.Queries) != graded {
			t.Errorf("seed %d: %d queries count, want %d", seed, len(r.Queries), graded)
		}
	}
}
