package bench

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"assay/corpus"
	"assay/corpus/querylog/sample"
	"assay/corpus/retrieval"
)

// log is a log of queries with a retriever's rankings for all of them: what is asked often it knows better.
type log struct {
	units []sample.Unit
	run   Retrieved
	truth float64 // R@5 over all that was asked
}

const relevant = 3 // chunks of each query: r0, r1, r2

func newLog(queries int) log {
	r := rand.New(rand.NewPCG(4, 2))
	l := log{run: Retrieved{Run: corpus.Run{Name: "run", Rankings: map[string]corpus.Ranking{}}}}
	var found, all float64
	for i := range queries {
		u := sample.Unit{ID: fmt.Sprintf("q%04d", i), Count: max(1, int(600/math.Pow(float64(i+1), .7)))}
		ranking, hits := corpus.Ranking{{ChunkID: "other", Score: .5}}, 0
		for c := range relevant {
			if r.Float64() < .4+.5*math.Exp(-float64(i)/500) {
				hits++
				ranking = append(ranking, corpus.Hit{ChunkID: fmt.Sprint("r", c), Score: 1})
			}
		}
		l.units, l.run.Rankings[u.ID] = append(l.units, u), ranking
		found += float64(u.Count) * float64(hits) / relevant
		all += float64(u.Count)
	}
	l.truth = found / all
	return l
}

func (l log) walk() iter.Seq2[sample.Unit, error] {
	return func(yield func(sample.Unit, error) bool) {
		for _, u := range l.units {
			if !yield(u, nil) {
				return
			}
		}
	}
}

// measured is R@5 for the traffic from a sample of which the given share is labeled, first to last.
func (l log) measured(t *testing.T, d sample.Design, labeled float64) (truth float64, traffic retrieval.Traffic) {
	t.Helper()
	drawn, err := sample.Draw(l.walk(), d)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, u := range l.units {
		counts[u.ID] = u.Count
	}
	b := Bench{Scale: corpus.NewScale(0, 1, nil, 1)}
	for i, p := range drawn.Picks {
		row := corpus.GoldRow{QueryID: p.ID, Query: &p.ID, Count: counts[p.ID], Weight: &p.Weight, State: corpus.Open}
		if float64(i) < labeled*float64(len(drawn.Picks)) {
			row.State, row.Grades = corpus.Done, map[string]corpus.Grade{}
			for c := range relevant {
				row.Grades[fmt.Sprint("r", c)] = 1
			}
		}
		b.Queries = append(b.Queries, retrieval.StatusOf(row))
	}
	measures, err := retrieval.ParseMeasures("R@5")
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Measure(l.run, Measuring{Measures: measures})
	if err != nil {
		t.Fatal(err)
	}
	return l.truth, *report.Measures[0].Traffic
}

// From a draw to the figure in a report: the traffic's R@5 lies in its interval for at least 95 of 100 seeds, also where
// only the first half of the sample is labeled.
func TestTheTrafficsFigureIsRecovered(t *testing.T) {
	l := newLog(3000)
	for _, by := range []sample.By{sample.Random, sample.Proportional, sample.Stratified} {
		for _, labeled := range []float64{1, .5} {
			seeds, least := 100, 95
			if testing.Short() {
				seeds, least = 20, 17
			}
			held, width := 0, 0.0
			for seed := range seeds {
				truth, f := l.measured(t, sample.Design{By: by, N: 150, Seed: uint64(seed)}, labeled)
				if f.Interval.Low <= truth && truth <= f.Interval.High {
					held++
				}
				width += (f.Interval.High - f.Interval.Low) / float64(seeds)
			}
			t.Logf("%s, %.0f%% labeled: held in %d of %d, width %.3f", by, 100*labeled, held, seeds, width)
			if held < least {
				t.Errorf("%s, %.0f%% labeled: held in %d of %d", by, 100*labeled, held, seeds)
			}
		}
	}
}
