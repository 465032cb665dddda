package retrieval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/corpus"
)

// only keeps the queries that keep says.
func only(in Input, keep func(q Query) bool) Input {
	in.Queries = slices.DeleteFunc(slices.Clone(in.Queries), func(q Query) bool { return !keep(q) })
	return in
}

// Each point of the curve is the recall of that name.
func TestRecallCurve(t *testing.T) {
	uneven := 0
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		in := varied(rnd)
		if seed%2 == 0 {
			deep := kindOf{[]int{1, 3, 15, 44, 0}, 10 + rnd.IntN(100) + 34}
			deep.add(&in, "deep")
		}
		in.Compat = Assay
		r := evaluate(t, in, "R@1 R@2 R@3 R@5 R@10 R@20 R@30 R@50 R@100 R@200")
		deepest := 0
		for _, q := range r.Queries {
			if _, failed := in.Failed[q.QueryID]; !failed {
				deepest = max(deepest, len(order(in.Run.Rankings[q.QueryID])))
			}
		}
		at := 0
		for i, k := range []int{1, 2, 3, 5, 10, 20, 30, 50, 100, 200} {
			if k > deepest {
				break
			}
			at++
			if i >= len(r.Recall) || r.Recall[i].K != k || math.Abs(r.Recall[i].Mean-*r.Measures[i].Mean) > 1e-12 {
				t.Fatalf("seed %d, %d deep: %+v, R@%d is %v", seed, deepest, r.Recall, k, *r.Measures[i].Mean)
			}
		}
		if deepest > 0 && (at == 0 || r.Recall[at-1].K < deepest) { // then the last point is where the deepest ranking ends
			end := r.Recall[len(r.Recall)-1]
			name := fmt.Sprintf("R@%d", deepest)
			if want := *evaluate(t, in, name).Measures[0].Mean; end.K != deepest || math.Abs(end.Mean-want) > 1e-12 {
				t.Errorf("seed %d: the curve ends with %+v, %s is %v", seed, end, name, want)
			}
			at++
			uneven++
		}
		if len(r.Recall) != at {
			t.Errorf("seed %d, %d deep: %+v", seed, deepest, r.Recall)
		}
	}
	if uneven < 20 || uneven == 40 {
		t.Errorf("%d of 40 runs end at no round depth", uneven)
	}
	if r := evaluate(t, one(map[string]corpus.Grade{"a": 1}, nil), "RR"); r.Recall != nil {
		t.Errorf("nothing was returned, and yet %v", r.Recall)
	}
	var ids []string
	for i := range 1200 {
		ids = append(ids, string(rune(0x4e00+i)))
	}
	r := evaluate(t, one(map[string]corpus.Grade{ids[0]: 1, ids[250]: 1, ids[999]: 1, ids[1100]: 1}, ranked(ids...)), "RR")
	want := `[{"k":1,"mean":0.25},{"k":2,"mean":0.25},{"k":3,"mean":0.25},{"k":5,"mean":0.25},{"k":10,"mean":0.25},{"k":20,"mean":0.25},{"k":30,"mean":0.25},` +
		`{"k":50,"mean":0.25},{"k":100,"mean":0.25},{"k":200,"mean":0.25},{"k":300,"mean":0.5},{"k":500,"mean":0.5},{"k":1000,"mean":0.75},{"k":1200,"mean":1}]`
	if got := asJSON(t, r.Recall); got != want {
		t.Errorf("%s", got)
	}
}

// Separation is read word by word: of all pairs of an answerable and an unanswerable query, in how many the first scores
// higher.
func TestUnanswerableBlock(t *testing.T) {
	separated, unasked := 0, 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		in := varied(rnd)
		r := evaluate(t, in, "RR")
		why := map[string]Why{}
		for _, e := range r.Excluded {
			why[e.QueryID] = e.Why
		}
		var with, without []float64
		queries := 0
		for _, q := range in.Queries {
			best, some := math.Inf(-1), false
			for _, hit := range in.Run.Rankings[q.ID] {
				best, some = max(best, hit.Score), true
			}
			_, failed := in.Failed[q.ID]
			some = some && !failed
			switch {
			case why[q.ID] == WhyUnanswerable && failed:
				unasked++
			case why[q.ID] == WhyUnanswerable:
				queries++
				if some {
					without = append(without, best)
				}
			case why[q.ID] == "" && some:
				with = append(with, best)
			}
		}
		u := r.Unanswerable
		if queries == 0 {
			if u != nil {
				t.Errorf("seed %d: %+v", seed, u)
			}
			continue
		}
		if u.Queries != queries || u.Returned != len(without) {
			t.Fatalf("seed %d: %+v, want %d of %d returned", seed, u, len(without), queries)
		}
		checkQuantiles(t, u.TopScore, without)
		checkQuantiles(t, u.Answerable, with)
		above := 0.0
		for _, a := range with {
			for _, b := range without {
				switch {
				case a > b:
					above++
				case a == b:
					above += .5
				}
			}
		}
		above /= float64(len(with) * len(without))
		if (u.Separation == nil) != math.IsNaN(above) || u.Separation != nil && math.Abs(*u.Separation-above) > 1e-12 {
			t.Errorf("seed %d: separation %v, want %v of %v and %v", seed, show(u.Separation), above, with, without)
		}
		if u.Separation != nil && *u.Separation > 0 && *u.Separation < 1 {
			separated++
		}
	}
	if separated < 50 || unasked < 50 {
		t.Errorf("only %d separations tell anything, and %d queries failed", separated, unasked)
	}
}

func checkQuantiles(t *testing.T, got *Quantiles, values []float64) {
	t.Helper()
	if len(values) == 0 {
		if got != nil {
			t.Errorf("quantiles %+v of nothing", got)
		}
		return
	}
	slices.Sort(values)
	at := func(share float64) float64 { // linear between the two ranks beside it
		place := share * float64(len(values)-1)
		low, high := values[int(math.Floor(place))], values[int(math.Ceil(place))]
		return low + (high-low)*(place-math.Floor(place))
	}
	want := Quantiles{len(values), values[0], at(.25), at(.5), at(.75), values[len(values)-1]}
	if got == nil || got.N != want.N || math.Abs(got.Min-want.Min)+math.Abs(got.Q1-want.Q1)+math.Abs(got.Median-want.Median)+math.Abs(got.Q3-want.Q3)+math.Abs(got.Max-want.Max) > 1e-9 {
		t.Errorf("quantiles of %v are %+v, want %+v", values, got, want)
	}
}

// A score may be infinite, which JSON can't say: the order still tells how well the scores separate.
func TestInfiniteScoresOfUnanswerableQueries(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1}, corpus.Ranking{{ChunkID: "a", Score: math.Inf(1)}})
	in.Queries = append(in.Queries, Query{ID: "u", Done: true, Unanswerable: true})
	in.Run.Rankings["u"] = corpus.Ranking{{ChunkID: "a", Score: 2}, {ChunkID: "b", Score: math.Inf(-1)}}
	want := `{"queries":1,"returned":1,"top_score":{"n":1,"min":2,"q1":2,"median":2,"q3":2,"max":2},"answerable_top_score":null,"separation":1}`
	if got := asJSON(t, evaluate(t, in, "RR").Unanswerable); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Means without the failed queries are those of a gold set without them; a failed query scores 0 even if the run has a
// ranking for it from before.
func TestWithoutFailed(t *testing.T) {
	differ := 0
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		in := varied(rnd)
		in.Resamples, in.Seed = 40, seed
		r := evaluate(t, in, DefaultMeasures+" AP Sets@5 GMAP NumRet Bpref")
		failed := func(q Query) bool { _, bad := in.Failed[q.ID]; return bad }
		if len(r.Failed) != len(in.Failed) || !slices.IsSortedFunc(r.Failed, func(a, b Failed) int { return cmpStrings(a.QueryID, b.QueryID) }) {
			t.Fatalf("seed %d: failed %v, want %v", seed, r.Failed, in.Failed)
		}
		for _, f := range r.Failed {
			if f.Error != "connection refused" || slices.Contains(r.NoResult, f.QueryID) {
				t.Errorf("seed %d: %+v; nothing for %v", seed, f, r.NoResult)
			}
		}
		if len(r.Failed) == 0 {
			if r.WithoutFailed != nil {
				t.Errorf("seed %d: %+v", seed, r.WithoutFailed)
			}
			continue
		}
		answered := only(in, func(q Query) bool { return !failed(q) })
		answered.Failed = nil
		want := evaluate(t, answered, DefaultMeasures+" AP Sets@5 GMAP NumRet Bpref")
		if a, b := asJSON(t, r.WithoutFailed), asJSON(t, want.Measures); a != b || want.WithoutFailed != nil {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, a, b)
		}
		gone := in
		gone.Failed = nil
		gone.Run.Rankings = map[string]corpus.Ranking{}
		for id, ranking := range in.Run.Rankings {
			if _, bad := in.Failed[id]; !bad {
				gone.Run.Rankings[id] = ranking
			}
		}
		if a, b := asJSON(t, r.Measures), asJSON(t, evaluate(t, gone, DefaultMeasures+" AP Sets@5 GMAP NumRet Bpref").Measures); a != b {
			t.Fatalf("seed %d: failed queries don't score 0:\n%s\nwant\n%s", seed, a, b)
		}
		if *r.WithoutFailed[0].Mean != *r.Measures[0].Mean {
			differ++
		}
	}
	if differ < 30 {
		t.Errorf("failing changed the figures %d times", differ)
	}
}

func cmpStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestLatency(t *testing.T) {
	if r := evaluate(t, Input{}, "RR"); r.Latency != nil {
		t.Errorf("%+v", r.Latency)
	}
	took := map[string]time.Duration{}
	for i := range 101 {
		took[string(rune('0'+i))] = time.Duration(i) * time.Millisecond
	}
	want := Latency{101, 50, 50, 95, 99, 100}
	for range 5 { // a map is read in another order each time
		if got := evaluate(t, Input{Latency: took}, "RR").Latency; *got != want {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
	if got := *latency(map[string]time.Duration{"q": 1500 * time.Microsecond}); got != (Latency{1, 1.5, 1.5, 1.5, 1.5, 1.5}) {
		t.Errorf("%+v", got)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var first *Latency
	for range 20 {
		in := varied(rand.New(rand.NewPCG(3, 3)))
		rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
		l := evaluate(t, in, "RR").Latency
		if first == nil {
			first = l
		}
		if *l != *first || !(l.P50 <= l.P95 && l.P95 <= l.P99 && l.P99 <= l.Max) || l.N != len(in.Latency) {
			t.Errorf("%+v, then %+v", *first, *l)
		}
	}
}
