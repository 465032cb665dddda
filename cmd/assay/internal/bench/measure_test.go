package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/retrieval"
	"assay/store"
)

// workspace is a store in which ann and ben labeled: q1 is done, with sets, q2 unanswerable, q3 open, with a tie.
func workspace(t *testing.T) *store.DB {
	t.Helper()
	clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	db, err := store.Open(filepath.Join(t.TempDir(), "labels.db"), store.Options{
		Create: true, Now: func() time.Time { clock = clock.Add(time.Second); return clock }, Process: strings.Repeat("ab", 16), Program: "assay test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	changes := []store.Change{store.SetScale(corpus.DefaultScale())}
	for i, text := range []string{"refunds", "warranty of the moon", "cancel"} {
		changes = append(changes, store.PutQuery(corpus.Query{ID: fmt.Sprintf("q%d", i+1), Text: text, Count: 1, Order: i + 1}))
	}
	for _, l := range []corpus.Label{
		{QueryID: "q1", ChunkID: "c1", Annotator: "ann", Grade: 2}, {QueryID: "q1", ChunkID: "c2", Annotator: "ann", Grade: 0},
		{QueryID: "q3", ChunkID: "c3", Annotator: "ann", Grade: 1}, {QueryID: "q3", ChunkID: "c1", Annotator: "ann", Grade: 3},
		{QueryID: "q3", ChunkID: "c1", Annotator: "ben", Grade: 0},
	} {
		changes = append(changes, store.PutLabel(l, corpus.Found{Route: corpus.RouteSearch}, ""))
	}
	changes = append(changes,
		store.PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}),
		store.PutWork(corpus.Work{QueryID: "q2", Annotator: "ann", State: corpus.Done}),
		store.PutSaid(corpus.Said{QueryID: "q2", Annotator: "ann", What: corpus.SaidTag, Value: corpus.TagUnanswerable}),
		store.PutSaid(corpus.Said{QueryID: "q1", Annotator: "ann", What: corpus.SaidSet, Value: `["c1","c2"]`}),
		store.PutSaid(corpus.Said{QueryID: "q1", Annotator: "ann", What: corpus.SaidSet, Value: `["c3"]`}),
	)
	if _, err := db.Write(t.Context(), store.Author{Annotator: "ann"}, changes...); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestGoldOfWhatWasSaid(t *testing.T) {
	db := workspace(t)
	in, err := Said(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Queries) != 3 || len(in.Labels) != 5 || len(in.Works) != 2 || len(in.Said) != 3 || in.Scale.ID != corpus.DefaultScale().ID {
		t.Errorf("%+v", in)
	}
	set, err := GoldIn(in, corpus.Majority, "assay test", "g1")
	if err != nil || set.Header.Rule != corpus.Majority || set.Header.Program != "assay test" || set.Header.GuidelinesSHA256 != "g1" {
		t.Errorf("%+v, %v", set.Header, err)
	}
	read, err := Gold(t.Context(), db, corpus.Majority, "assay test", "g1")
	if err != nil || New(read, nil).Labels != New(set, nil).Labels {
		t.Errorf("read at once the gold set is another, %v", err)
	}
	if _, err := Gold(t.Context(), db, corpus.Single, "", ""); err == nil {
		t.Error("two annotators pass for a single one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Said(ctx, db); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRankingsOfTheBuiltinSearch(t *testing.T) {
	ix := indexOf(t, corpus.Chunk{ID: "c1", Text: "refunds are paid in time"}, corpus.Chunk{ID: "c2", Text: "a refund"}, corpus.Chunk{ID: "c3", Text: "the warranty"})
	queries := []corpus.Query{{ID: "q1", Text: "refunds"}, {ID: "q2", Text: "zzz"}}
	var done []int
	r, err := Rankings(t.Context(), ix, queries, corpus.Plain, 10, func(n int) { done = append(done, n) })
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != corpus.BuiltinRun || r.Scorer != ix.Scorer() || r.Corpus != ix.Info().Fingerprint || fmt.Sprint(done) != "[1 2]" {
		t.Errorf("%+v, progress %v", r, done)
	}
	if q2, there := r.Rankings["q2"]; len(r.Rankings["q1"]) != 2 || !there || len(q2) != 0 {
		t.Errorf("%v", r.Rankings)
	}
	r, err = Rankings(t.Context(), ix, queries, corpus.Exact, 1, nil)
	if err != nil || len(r.Rankings["q1"]) != 1 || r.Name != "built-in search, exact" || r.Scorer != ix.ScorerOf(corpus.Exact) {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Rankings(ctx, ix, queries, corpus.Plain, 10, nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `"q1"`) {
		t.Errorf("%v", err)
	}
}

func TestMeasureSaysWhatItStandsOn(t *testing.T) {
	b, err := FromLabels(read(t, "q.qrels", "q1 0 a 2\nq1 0 b 1\nq2 0 a 1\n"), "", 0, "assay test")
	if err != nil {
		t.Fatal(err)
	}
	measures, err := retrieval.ParseMeasures("R@5 RR")
	if err != nil {
		t.Fatal(err)
	}
	run := Retrieved{Scorer: "BM25", Corpus: "c0ffee", Failed: map[string]string{"q2": "late"}, Warnings: []string{"of the run"}}
	run.Name, run.Rankings = "mine", map[string]corpus.Ranking{"q1": hits("x", 2., "a", 1.)}
	b.Warnings = []string{"of the labels"}
	r, err := b.Measure(run, Measuring{Measures: measures, Resamples: 50, Seed: Seed})
	if err != nil {
		t.Fatal(err)
	}
	if r.Run != "mine" || r.Scorer != "BM25" || r.Labels != string(b.Labels) || r.Program != "assay test" || len(r.Failed) != 1 || r.Failed[0].QueryID != "q2" {
		t.Errorf("%+v", r)
	}
	if v := r.Queries[0].Values; *v["R@5"] != 0.5 || *v["RR"] != 0.5 {
		t.Errorf("R@5 %v, RR %v", *v["R@5"], *v["RR"])
	}
	warned := func(words string) bool { return strings.Contains(strings.Join(r.Warnings, "\n"), words) }
	if !warned("of the run") || !warned("of the labels") || warned("another corpus") {
		t.Errorf("%q", r.Warnings)
	}
	b.Corpus = run.Corpus
	if r, err = b.Measure(run, Measuring{Measures: measures}); err != nil || warned("another corpus") {
		t.Errorf("%q, %v", r.Warnings, err)
	}
	b.Corpus = "decaf"
	if r, err = b.Measure(run, Measuring{Measures: measures}); err != nil || !warned("another corpus") {
		t.Errorf("%q, %v", r.Warnings, err)
	}
	if len(b.Warnings) != 1 || len(run.Warnings) != 1 {
		t.Errorf("warnings of the bench %q and the run %q grew", b.Warnings, run.Warnings)
	}
	b.RelevantFrom(2)
	if r, err = b.Measure(run, Measuring{Measures: measures}); err != nil || *r.Queries[0].Values["R@5"] != 1 {
		t.Errorf("relevant from 2: %v, %v", r.Queries, err)
	}
	b.Queries = append(b.Queries, b.Queries[0])
	if _, err = b.Measure(run, Measuring{Measures: measures}); err == nil {
		t.Error("a query that is there twice was measured")
	}
}

func TestNewAsksTheIndexWhatThereIs(t *testing.T) {
	set, err := agreement.Gold(agreement.Input{Scale: corpus.DefaultScale(), Corpus: corpus.Info{ID: "old", Fingerprint: "0ld"}})
	if err != nil {
		t.Fatal(err)
	}
	if b := New(set, nil); b.InCorpus != nil || b.Corpus != "0ld" {
		t.Errorf("%+v", b)
	}
	ix := indexOf(t, corpus.Chunk{ID: "c1", Text: "refunds"})
	b := New(set, ix)
	if b.Corpus != ix.Info().Fingerprint || !b.InCorpus("c1") || b.InCorpus("c2") {
		t.Errorf("%+v", b)
	}
}

func TestGradesOfAQuery(t *testing.T) {
	b := Bench{Queries: some()}
	if g := b.Grades("q1"); g["a"] != 2 {
		t.Errorf("%v", g)
	}
	if g := b.Grades("unknown"); g != nil {
		t.Errorf("%v of a query that is not there", g)
	}
}
