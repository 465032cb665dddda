package retrieval

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
)

func ranked(ids ...string) corpus.Ranking {
	var r corpus.Ranking
	for i, id := range ids {
		r = append(r, corpus.Hit{ChunkID: id, Score: float64(len(ids) - i)})
	}
	return r
}

func one(grades map[string]corpus.Grade, ranking corpus.Ranking) Input {
	return Input{Queries: []Query{{ID: "q", Done: true, Grades: grades}}, Run: corpus.Run{Rankings: map[string]corpus.Ranking{"q": ranking}}}
}

// Equal scores go by id, descending by bytes, and that is said where it decides.
func TestTies(t *testing.T) {
	tie := corpus.Ranking{{ChunkID: "c9", Score: 1}, {ChunkID: "c10", Score: 1}, {ChunkID: "b", Score: 1}, {ChunkID: "a", Score: 0}}
	r := evaluate(t, one(map[string]corpus.Grade{"c10": 1}, tie), "RR R@1 R@2 R@3")
	for name, want := range map[string]float64{"RR": 0.5, "R@1": 0, "R@2": 1} {
		if got := mean(t, r.Measures, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if !warned(r, `equal scores across rank 1 decide by id alone in 1 query: "q"`) || !warned(r, "across rank 2 ") || warned(r, "across rank 3 ") {
		t.Errorf("warnings %q", r.Warnings)
	}
	// Nothing hangs on a tie between equals.
	if r := evaluate(t, one(map[string]corpus.Grade{"a": 1, "b": 0}, tie), "R@1 R@2"); warned(r, "equal scores") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestWarnsWhereLittleIsJudged(t *testing.T) {
	if r := evaluate(t, one(map[string]corpus.Grade{"a": 1}, ranked("a", "x", "y")), "R@5 Judged@10"); !warned(r, "Judged@10 is 0.33: many hits were never judged") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if r := evaluate(t, one(map[string]corpus.Grade{"a": 1}, ranked("a")), "R@5 Judged@10"); len(r.Warnings) != 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestLongListsAreCutInWarnings(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1}, ranked("a"))
	for i := range 9 {
		in.Run.Rankings[fmt.Sprintf("x%d\x1b", i)] = nil
	}
	r := evaluate(t, in, "R@5")
	if len(r.Unknown) != 9 || !warned(r, `"x4\x1b" and 4 more`) || warned(r, "\x1b") {
		t.Errorf("unknown %q, warnings %q", r.Unknown, r.Warnings)
	}
}

func TestQueryListedTwiceIsRefused(t *testing.T) {
	if _, err := Evaluate(Input{Queries: []Query{{ID: "q"}, {ID: "p"}, {ID: "q"}}}, parse(t, "RR")); err == nil || !strings.Contains(err.Error(), `query "q" is in the gold set twice`) {
		t.Errorf("%v", err)
	}
}

func TestReportNamesWhatWasMeasured(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1}, ranked("a"))
	in.Run.Name, in.Labels, in.Corpus, in.Scorer, in.Scale, in.Program = "mine", "1234", "5678", "bm25", "s1", "assay 1"
	got := asJSON(t, evaluate(t, in, "R@5"))
	want := `{"assay":"check","version":1,"program":"assay 1","run":"mine","labels":"1234","corpus":"5678","scale":"s1","scorer":"bm25","depth":1,` +
		`"measures":[{"name":"R@5","mean":1,"n":1,"judged":1}],"excluded":[],"queries":[{"query_id":"q","values":{"R@5":1}}],"recall_by_k":[{"k":1,"mean":1}]}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The depth is that of the longest ranking that counts, without repeats, failed and excluded queries.
func TestDepth(t *testing.T) {
	for seed := range uint64(200) {
		in := varied(rand.New(rand.NewPCG(seed, 12)))
		r := evaluate(t, in, "RR")
		want := 0
		for _, q := range r.Queries {
			if _, failed := in.Failed[q.QueryID]; !failed {
				want = max(want, len(order(in.Run.Rankings[q.QueryID])))
			}
		}
		if r.Depth != want {
			t.Errorf("seed %d: %d deep, want %d", seed, r.Depth, want)
		}
	}
	if r := evaluate(t, Input{}, "RR"); r.Depth != 0 {
		t.Errorf("nothing is %d deep", r.Depth)
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

func TestQueriesOfGoldRows(t *testing.T) {
	text := "how"
	gold := corpus.GoldSet{Rows: []corpus.GoldRow{
		{QueryID: "a", Query: &text, State: corpus.Done, Tags: []string{"free", corpus.TagUnanswerable}, Grades: map[string]corpus.Grade{"c": 0}},
		{QueryID: "b", State: corpus.Skipped},
	}}
	want := []Query{
		{ID: "a", Grades: gold.Rows[0].Grades, Done: true, Unanswerable: true, Tags: gold.Rows[0].Tags},
		{ID: "b", NoText: true},
	}
	if got := QueriesOf(gold); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
