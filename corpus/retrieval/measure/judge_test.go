package measure

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/corpus"
)

// The table is emptied by counting up; the count may wrap.
func TestTableSurvivesManyRounds(t *testing.T) {
	tab := newTable()
	tab.reset(4)
	tab.put("old", 3)
	tab.current = ^uint32(0) - 1
	for range 5 {
		tab.reset(4)
		if g, seen := tab.see("old"); g != unjudged || seen {
			t.Fatalf("round %d: grade %d, seen %v", tab.current, g, seen)
		}
		tab.put("old", 3)
		tab.put("new", 2)
		if g, seen := tab.see("old"); g != 3 || !seen {
			t.Fatalf("round %d: grade %d, seen %v", tab.current, g, seen)
		}
	}
}

// What is supposed of the unjudged is what comes out when somebody judges them so.
func TestSuppositionsEqualRelabeling(t *testing.T) {
	cases := uint64(8000)
	if testing.Short() {
		cases = 1500
	}
	changed := map[Kind]bool{}
	for seed := range cases {
		rnd := rand.New(rand.NewPCG(seed, 2))
		grades, sets, ranking := arbitrary(rnd)
		from, compat := corpus.Grade(1+rnd.IntN(3)), Compat(seed%3)
		best := from + corpus.Grade(rnd.IntN(3))
		j := NewJudge(from, compat)
		sheet, _ := j.Read(grades, sets, ranking)
		k := 1 + rnd.IntN(8)
		measures := everyMeasure(t, k, 1+rnd.IntN(3), .5)
		before := make([]float64, len(measures))
		for i, m := range measures {
			before[i] = sheet.Value(m)
		}
		check := func(what string, supposed *Sheet, depth int, grade corpus.Grade) {
			relabeled := maps.Clone(grades)
			for _, id := range order(ranking)[:min(len(order(ranking)), max(depth, 100*(1-min(depth, 1))))] {
				if g, ok := grades[id]; !ok || g < 0 {
					relabeled[id] = grade
				}
			}
			positive := 0
			for _, g := range relabeled {
				if g > 0 {
					positive++
				}
			}
			if supposed.Positive() != positive {
				t.Fatalf("seed %d, %s at %d: %d grades above 0, want %d", seed, what, depth, supposed.Positive(), positive)
			}
			l := reading{relabeled, sets, order(ranking), from, compat}
			for i, m := range measures {
				if m.Cutoff() != depth || m.Indifferent() {
					continue
				}
				got, want := supposed.Value(m), l.literal(m)
				if !same(got, want) {
					t.Fatalf("seed %d, %s at %d: %s is %v, want %v", seed, what, depth, m, got, want)
				}
				if !same(got, before[i]) {
					changed[m.Kind()] = true
				}
			}
		}
		check("optimist", j.Optimist(0, best), 0, best)
		check("optimist", j.Optimist(k, best), k, best)
		check("pessimist", j.Pessimist(), 0, 0)
		for i, m := range measures {
			if after := sheet.Value(m); !same(after, before[i]) {
				t.Fatalf("seed %d: supposing changed %s from %v to %v", seed, m, before[i], after)
			}
		}
	}
	for k := range Kind(len(names)) {
		if indifferent := Of(k, 0).Indifferent(); indifferent == changed[k] {
			t.Errorf("%s is changed by what is supposed: %v", k, changed[k])
		}
	}
}

// Found is recall before it is divided.
func TestFound(t *testing.T) {
	depths := []int{1, 2, 3, 5, 10, 20}
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		grades, sets, ranking := arbitrary(rnd)
		sheet, _ := NewJudge(1, Assay).Read(grades, sets, ranking)
		found := sheet.Found(depths)
		for i, k := range depths {
			if want := sheet.Value(Of(Precision, k)) * float64(k); math.Abs(float64(found[i])-want) > 1e-9 {
				t.Fatalf("seed %d: %d relevant in %d, want %v", seed, found[i], k, want)
			}
		}
		if want := sheet.Value(Of(NumRelRet, 0)); len(found) != len(depths)+1 || float64(found[len(depths)]) != want {
			t.Fatalf("seed %d: %v relevant, want %v in all", seed, found, want)
		}
	}
}

// Only where hits on both sides of a rank have one score and not one grade does the order of ids decide.
func TestTieAcross(t *testing.T) {
	ties := 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		grades, sets, ranking := arbitrary(rnd)
		j := NewJudge(1, Assay)
		sheet, _ := j.Read(grades, sets, ranking)
		score := map[string]float64{}
		for _, hit := range ranking {
			score[hit.ChunkID] = max(score[hit.ChunkID], hit.Score)
		}
		ids := order(ranking)
		if len(ids) > 0 && j.TopScore() != score[ids[0]] || len(ids) == 0 && j.TopScore() != 0 {
			t.Fatalf("seed %d: the best score of %v is %v", seed, ranking, j.TopScore())
		}
		for k := -1; k <= len(ids)+1; k++ {
			want := false
			if k > 0 && k < len(ids) && score[ids[k-1]] == score[ids[k]] {
				seen := map[corpus.Grade]bool{}
				for _, id := range ids {
					if score[id] == score[ids[k]] {
						seen[max(0, grades[id])] = true
					}
				}
				want = len(seen) > 1
			}
			if got := j.TieAcross(k); got != want {
				t.Fatalf("seed %d: across %d of %v, grades %v: %v, want %v", seed, k, ranking, grades, got, want)
			}
			if want {
				ties++
			}
		}
		_ = sheet
	}
	if ties < 500 {
		t.Errorf("%d ties", ties)
	}
}

// A judge leaves alone what it is given, and reads it in any order.
func TestReadLeavesItsInputAlone(t *testing.T) {
	for seed := range uint64(500) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		grades, sets, ranking := arbitrary(rnd)
		before := fmt.Sprint(grades, sets, ranking)
		j := NewJudge(1, Compat(seed%3))
		measures := everyMeasure(t, 3, 2, .5)
		var first []float64
		for range 4 {
			sheet, _ := j.Read(grades, sets, ranking)
			j.Optimist(0, 3)
			j.Pessimist()
			var now []float64
			for _, m := range measures {
				now = append(now, sheet.Value(m))
			}
			if first == nil {
				first = now
			}
			if !slices.EqualFunc(now, first, same) {
				t.Fatalf("seed %d: %v, then %v", seed, first, now)
			}
			if after := fmt.Sprint(grades, sets, ranking); after != before {
				t.Fatalf("seed %d: %s became %s", seed, before, after)
			}
			ranking = slices.Clone(ranking)
			rnd.Shuffle(len(ranking), func(i, k int) { ranking[i], ranking[k] = ranking[k], ranking[i] })
			before = fmt.Sprint(grades, sets, ranking)
		}
	}
}

// trec_eval 9 reads scores as float32: what differs less is a tie.
func TestTrecEval9RoundsScores(t *testing.T) {
	ranking := corpus.Ranking{{ChunkID: "a", Score: 1 + 1e-9}, {ChunkID: "b", Score: 1}}
	for compat, want := range map[Compat]float64{Assay: 1, TrecEval10: 1, TrecEval9: .5} {
		sheet, _ := NewJudge(1, compat).Read(map[string]corpus.Grade{"a": 1}, nil, ranking)
		if got := sheet.Value(Of(ReciprocalRank, 0)); got != want {
			t.Errorf("%q: RR is %v, want %v", compat, got, want)
		}
	}
}
