package retrieval

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/corpus"
)

// large is a collection as check meets it at its largest: so many queries of 1,000 hits, of which one in forty has a
// grade. Queries share ids, as those of one corpus do.
func large(queries int) Input {
	rnd := rand.New(rand.NewPCG(1, 1))
	ids := make([]string, 200_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("msmarco_passage_%08d", i*40)
	}
	in := Input{Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	for q := range queries {
		query := Query{ID: fmt.Sprint(q), Done: true, Grades: map[string]corpus.Grade{}, Tags: []string{fmt.Sprint("tag ", q%5)}}
		ranking := make(corpus.Ranking, 1000)
		first := rnd.IntN(len(ids))
		for i := range ranking {
			id := ids[(first+i*199)%len(ids)] // no id twice
			ranking[i] = corpus.Hit{ChunkID: id, Score: float64(1000-i) / 7}
			if i%40 == 0 {
				query.Grades[id] = corpus.Grade(rnd.IntN(4))
			}
		}
		in.Queries = append(in.Queries, query)
		in.Run.Rankings[query.ID] = ranking
	}
	return in
}

// BenchmarkEvaluate is check's share after reading.
func BenchmarkEvaluate(b *testing.B) {
	measures, err := ParseMeasures(DefaultMeasures)
	if err != nil {
		b.Fatal(err)
	}
	limits := DefaultLimits()
	for _, queries := range []int{700, 7000} {
		in := large(queries)
		intervals, all := in, in
		intervals.Resamples = 2000
		all.Resamples, all.By, all.Limits = 2000, []Facet{ByTag}, &limits
		for _, c := range []struct {
			name string
			Input
		}{{"plain", in}, {"intervals", intervals}, {"everything", all}} {
			b.Run(fmt.Sprintf("queries=%d/%s", queries, c.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Evaluate(c.Input, measures); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompare is two runs of 1,000 queries by the measures that check reports.
func BenchmarkCompare(b *testing.B) {
	c := collection{queries: 1000, seed: 1}
	measures, err := ParseMeasures(DefaultMeasures)
	if err != nil {
		b.Fatal(err)
	}
	var reports []Report
	for number := range uint64(2) {
		r, err := Evaluate(c.run(number+1, .7), measures)
		if err != nil {
			b.Fatal(err)
		}
		reports = append(reports, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(reports, CompareOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
