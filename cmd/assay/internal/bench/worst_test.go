package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/export/report"
)

func ptr(v float64) *float64 { return &v }

func hits(scored ...any) corpus.Ranking {
	var r corpus.Ranking
	for i := 0; i < len(scored); i += 2 {
		r = append(r, corpus.Hit{ChunkID: scored[i].(string), Score: scored[i+1].(float64)})
	}
	return r
}

func ids(r corpus.Ranking) string {
	var all []string
	for _, h := range r {
		all = append(all, h.ChunkID)
	}
	return strings.Join(all, " ")
}

func TestTopIsSortedWithoutRepeats(t *testing.T) {
	for _, c := range []struct {
		name    string
		ranking corpus.Ranking
		n       int
		want    string
	}{
		{"nothing", nil, 3, ""},
		{"fewer than asked for", hits("a", 2., "b", 1.), 3, "a b"},
		{"more than asked for", hits("a", 3., "b", 2., "c", 1.), 2, "a b"},
		{"none asked for", hits("a", 3.), 0, ""},
		{"a repeat keeps its best place", hits("a", 3., "b", 2., "a", 1., "c", 0.5), 3, "a b c"},
		{"out of order", hits("c", 1., "a", 3., "b", 2.), 2, "a b"},
		{"ties as trec_eval has them", hits("a", 1., "c", 1., "b", 1.), 3, "c b a"},
		{"hostile ids byte for byte", hits("\x1b[2J", 2., "\xff", 1.), 2, "\x1b[2J \xff"},
	} {
		before := ids(c.ranking)
		if got := ids(Top(c.ranking, c.n)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if ids(c.ranking) != before {
			t.Errorf("%s: the ranking itself changed", c.name)
		}
	}
}

func TestRanksSkipRepeats(t *testing.T) {
	ranks := Ranks(hits("b", 2., "a", 3., "a", 2.5, "c", 1.))
	if want := (map[string]Ranked{"a": {1, 3}, "b": {2, 2}, "c": {3, 1}}); fmt.Sprint(ranks) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", ranks, want)
	}
	if r := ranks["missing"]; r.Rank != 0 {
		t.Errorf("what was not returned has rank %d", r.Rank)
	}
}

func TestRanksAreThoseOfTop(t *testing.T) {
	property := func(picks []uint8) bool {
		var r corpus.Ranking
		for _, p := range picks {
			r = append(r, corpus.Hit{ChunkID: fmt.Sprint(p % 16), Score: float64(p / 16)})
		}
		top, ranks := Top(r, len(r)), Ranks(r)
		for i, hit := range top {
			if ranks[hit.ChunkID] != (Ranked{i + 1, hit.Score}) || i > 0 && corpus.CompareHits(top[i-1], hit) > 0 {
				return false
			}
		}
		return len(top) == len(ranks)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

// lines are worst queries in short: of each hit its rank, its id and its grade.
func lines(worst []report.WorstQuery) string {
	var all []string
	list := func(hits []report.WorstHit) string {
		var of []string
		for _, h := range hits {
			g := "?"
			if h.Grade != nil {
				g = h.Grade.String()
			}
			of = append(of, fmt.Sprintf("%d:%s=%s", h.Rank, h.ChunkID, g))
		}
		return strings.Join(of, " ")
	}
	for _, q := range worst {
		all = append(all, fmt.Sprintf("%s (%s) [%s] [%s]", q.QueryID, q.Text, list(q.Hits), list(q.Missed)))
	}
	return strings.Join(all, "\n")
}

func worstBench() (Bench, retrieval.Report, Retrieved) {
	b := Bench{Scale: corpus.DefaultScale(), Queries: []retrieval.Query{
		{ID: "q1", Grades: map[string]corpus.Grade{"a": 3, "b": 0, "far": 1, "never": 2, "unsure": corpus.CannotJudge}},
		{ID: "q2", Grades: map[string]corpus.Grade{"a": 1, "pooled": -1}},
		{ID: "q3"}, {ID: "q4"},
	}}
	r := retrieval.Report{
		Measures: []retrieval.Mean{{Name: "RR"}, {Name: "P@5"}},
		Queries: []retrieval.QueryValues{
			{QueryID: "q1", Values: map[string]*float64{"RR": ptr(0.5), "P@5": ptr(0)}},
			{QueryID: "q4", Values: map[string]*float64{"RR": ptr(0.25), "P@5": ptr(1)}},
			{QueryID: "q2", Values: map[string]*float64{"RR": ptr(0.25), "P@5": ptr(1)}},
			{QueryID: "q3", Values: map[string]*float64{"RR": nil, "P@5": ptr(0)}},
		},
	}
	run := Retrieved{}
	long := hits("a", 99., "unsure", 98., "a", 97., "b", 96.)
	for i := range 9 {
		long = append(long, corpus.Hit{ChunkID: fmt.Sprintf("x%d", i), Score: float64(50 - i)})
	}
	run.Rankings = map[string]corpus.Ranking{"q1": append(long, corpus.Hit{ChunkID: "far", Score: 1}), "q2": hits("pooled", 2., "\x1b]0;", 1.)}
	return b, r, run
}

func TestWorstByTheFirstMeasure(t *testing.T) {
	b, r, run := worstBench()
	worst, err := b.Worst(t.Context(), r, run, nil, map[string]string{"q1": "refunds", "q2": "two"}, 10)
	if err != nil {
		t.Fatal(err)
	}
	// Ten hits of q1 are shown: the repeat of a takes no place. What was missed: the best grade first, with its rank.
	want := "q2 (two) [1:pooled=? 2:\x1b]0;=?] [0:a=1]\n" +
		"q4 () [] []\n" +
		"q1 (refunds) [1:a=3 2:unsure=? 3:b=0 4:x0=? 5:x1=? 6:x2=? 7:x3=? 8:x4=? 9:x5=? 10:x6=?] [0:never=2 13:far=1]"
	if got := lines(worst); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if v := worst[2].Values["P@5"]; v == nil || *v != 0 {
		t.Errorf("values are %v", worst[2].Values)
	}
	if missed := worst[2].Missed[1]; missed.Score != 1 {
		t.Errorf("%+v", missed)
	}
	if r.Queries[0].QueryID != "q1" {
		t.Error("the report's own queries are in another order now")
	}
	for n := range 3 {
		if worst, err = b.Worst(t.Context(), r, run, nil, nil, n); err != nil || len(worst) != n || n > 0 && worst[0].QueryID != "q2" {
			t.Errorf("%d of %d wanted, %v", len(worst), n, err)
		}
	}
	if worst, err = b.Worst(t.Context(), retrieval.Report{}, run, nil, nil, 3); err != nil || worst != nil {
		t.Errorf("%v of a report without measures, %v", worst, err)
	}
}

func TestWorstCountsRelevantByTheScale(t *testing.T) {
	b, r, run := worstBench()
	b.RelevantFrom(2)
	worst, err := b.Worst(t.Context(), r, run, nil, nil, 10)
	if err != nil || !strings.HasSuffix(lines(worst), "[0:never=2]") || len(worst[0].Missed) != 0 {
		t.Errorf("%s, %v", lines(worst), err)
	}
	b.RelevantFrom(0) // never below 1: grade 0 is not relevant
	b.Queries[1].Grades = map[string]corpus.Grade{"zero": 0}
	if worst, err = b.Worst(t.Context(), r, run, nil, nil, 1); err != nil || len(worst[0].Missed) != 0 {
		t.Errorf("%s, %v", lines(worst), err)
	}
}

func TestWorstShowsTheBeginningOfChunks(t *testing.T) {
	b, r, run := worstBench()
	ix := indexOf(t, corpus.Chunk{ID: "a", Title: "Refunds \x1b[2J", Text: strings.Repeat("ü", 300)}, corpus.Chunk{ID: "never", Text: "short"})
	worst, err := b.Worst(t.Context(), r, run, ix, nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	a, never, b0 := worst[2].Hits[0], worst[2].Missed[0], worst[2].Hits[2]
	if a.Title != "Refunds \x1b[2J" || a.Text != strings.Repeat("ü", 200)+"…" { // who shows it makes it safe
		t.Errorf("%q %q", a.Title, a.Text)
	}
	if never.Text != "short" || b0.Text != "" {
		t.Errorf("%q and %q", never.Text, b0.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Worst(ctx, r, run, ix, nil, 10); err == nil {
		t.Error("it went on after the end of its context")
	}
}

func TestBeginningCutsWholeCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aüü", 4, "aü…"}, {"üü", 1, "…"}, {"", 0, ""}, {"\xff\xff\xff", 2, "\xff\xff…"}, {"\x80\x80\x80", 2, "…"}} {
		if got := beginning(c.text, c.most); got != c.want {
			t.Errorf("%q cut to %d is %q, want %q", c.text, c.most, got, c.want)
		}
	}
	property := func(text string, most uint8) bool {
		got := beginning(text, int(most))
		return !utf8.ValidString(text) || utf8.ValidString(got) && len(got) <= max(int(most)+len("…"), len(text))
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

// indexOf is an index of these chunks.
func indexOf(t *testing.T, chunks ...corpus.Chunk) *index.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	_, err := index.Build(t.Context(), dir, index.BuildOptions{Language: "en"}, func(_ context.Context, s index.Sink) error {
		for _, c := range chunks {
			if err := s.Chunk(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}
