package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/cmd/assay/internal/bench"
	"assay/corpus"
	"assay/corpus/index"
	"assay/export"
	"assay/store"
	"assay/tui/port"
)

// place is a workspace's store and index, real ones, with a clock that moves by a second at every look.
type place struct {
	t     *testing.T
	dir   string
	db    *store.DB
	ix    *index.Index
	clock time.Time
}

func (p *place) now() time.Time {
	p.clock = p.clock.Add(time.Second)
	return p.clock
}

func newPlace(t *testing.T, chunks ...string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), clock: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	var err error
	p.db, err = store.Open(filepath.Join(p.dir, "labels.db"), store.Options{
		Create: true, Now: p.now, Process: strings.Repeat("ab", 16), Program: "assay test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.db.Close() })
	p.index(chunks...)
	changes := []store.Change{store.SetScale(corpus.DefaultScale()), store.PutCorpus(p.ix.Info())}
	for i, text := range []string{"how long do refunds take", "cancel order", "warranty"} {
		changes = append(changes, store.PutQuery(corpus.Query{ID: fmt.Sprintf("q%d", i+1), Text: text, Count: 1, Order: i + 1}))
	}
	if _, err := p.db.Write(context.Background(), store.Author{Role: "setup"}, changes...); err != nil {
		t.Fatal(err)
	}
	return p
}

// index (re)builds the corpus: chunk c1 holds the first text, and so on.
func (p *place) index(chunks ...string) {
	p.t.Helper()
	if p.ix == nil {
		p.t.Cleanup(func() { p.ix.Close() })
	} else {
		p.ix.Close()
	}
	ctx := context.Background()
	_, err := index.Build(ctx, filepath.Join(p.dir, "corpus"), index.BuildOptions{Language: "en"}, func(_ context.Context, s index.Sink) error {
		for i, text := range chunks {
			if err := s.Chunk(corpus.Chunk{ID: fmt.Sprintf("c%d", i+1), Text: text}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if p.ix, err = index.Open(filepath.Join(p.dir, "corpus")); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) desk(annotator string) *Desk {
	p.t.Helper()
	d, err := New(Options{DB: p.db, Index: p.ix, Annotator: annotator, Scale: corpus.DefaultScale(), Name: "w", GuidelinesHash: "g1", Now: p.now})
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

var texts = []string{
	"Refunds are paid within 14 days of the return.",
	"Orders can be cancelled before dispatch.",
	"The warranty lasts 24 months.",
}

func (p *place) grade(d *Desk, query, chunk string, g corpus.Grade) port.Saved {
	p.t.Helper()
	s, err := d.Grade(context.Background(), port.Grading{
		QueryID: query, ChunkID: chunk, Grade: g, Found: corpus.Found{Route: corpus.RouteSearch, Search: "refund", Rank: 1},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func (p *place) sheet(d *Desk, query string) port.Sheet {
	p.t.Helper()
	s, err := d.Sheet(context.Background(), query)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func TestGradeKeepsWhatItPointsTo(t *testing.T) {
	p := newPlace(t, texts...)
	d := p.desk("ann")
	s := p.grade(d, "q1", "c1", 2)
	if !s.Changed || s.Words != "graded 2 relevant" || s.QueryID != "q1" || s.ChunkID != "c1" {
		t.Errorf("saved %+v", s)
	}
	l := p.sheet(d, "q1").Labels["c1"]
	if l.Grade != 2 || l.Found != corpus.RouteSearch || l.Anchor.ChunkSHA256 != corpus.HashText(texts[0]) || l.GuidelinesSHA256 != "g1" ||
		l.QuerySHA256 != corpus.HashText("how long do refunds take") || l.ScaleID != corpus.DefaultScale().ID || l.At.IsZero() {
		t.Errorf("label %+v", l)
	}
	if text, ok, err := p.db.Text(l.Anchor.ChunkSHA256); err != nil || !ok || text != texts[0] {
		t.Errorf("kept text %q %v %v", text, ok, err)
	}
	// B013: Public report: geti#5704. The same again is no change.
	if again := p.grade(d, "q1", "c1", 2); again.Changed {
		t.Errorf("the same grade again: %+v", again)
	}
	if _, err := d.Grade(context.Background(), port.Grading{QueryID: "q1", ChunkID: "c1", Grade: 7}); err == nil {
		t.Error("a grade off the scale was saved")
	}
	if _, err := d.Grade(context.Background(), port.Grading{QueryID: "q1", ChunkID: "nope", Grade: 1}); !errors.Is(err, index.ErrNoChunk) {
		t.Errorf("an unknown chunk: %v", err)
	}
	if _, err := d.Grade(context.Background(), port.Grading{QueryID: "nope", ChunkID: "c1", Grade: 1}); err == nil {
		t.Error("an unknown query was graded")
	}
}

func TestOthersStayHidden(t *testing.T) {
	p := newPlace(t, texts...)
	ann, ben := p.desk("ann"), p.desk("ben")
	p.grade(ann, "q1", "c1", 3)
	if _, err := ann.SetState(context.Background(), "q1", corpus.Done, ""); err != nil {
		t.Fatal(err)
	}
	if s := p.sheet(ben, "q1"); len(s.Labels) != 0 || s.State != corpus.Open {
		t.Errorf("ben sees %+v", s)
	}
	rows, err := ben.Queue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Judged != 0 || r.State != corpus.Open || !r.AnyDone {
		t.Errorf("ben's row %+v", r)
	}
	rows, _ = ann.Queue(context.Background())
	if r := rows[0]; r.Judged != 1 || r.Relevant != 1 || r.State != corpus.Done {
		t.Errorf("ann's row %+v", r)
	}
}

func TestUndoGoesBackAcrossQueries(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	if _, err := d.Undo(ctx); !errors.Is(err, port.ErrNothing) {
		t.Errorf("undo of nothing: %v", err)
	}
	p.grade(d, "q1", "c1", 2)
	p.grade(d, "q1", "c1", 3)
	p.grade(d, "q2", "c2", 1)
	if _, err := d.SetState(ctx, "q2", corpus.Done, ""); err != nil {
		t.Fatal(err)
	}
	want := []port.Saved{
		{QueryID: "q2", Words: "took back: finished", Changed: true},
		{QueryID: "q2", ChunkID: "c2", Words: "took back: graded 1 partly", Changed: true},
		{QueryID: "q1", ChunkID: "c1", Words: "took back: graded 3 perfect", Changed: true},
	}
	for _, w := range want {
		if got, err := d.Undo(ctx); err != nil || got != w {
			t.Errorf("undo: %+v %v, want %+v", got, err, w)
		}
	}
	if g := p.sheet(d, "q1").Labels["c1"].Grade; g != 2 {
		t.Errorf("after three undos q1/c1 is %d", g)
	}
	for range want {
		if _, err := d.Redo(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Redo(ctx); !errors.Is(err, port.ErrNothing) {
		t.Errorf("redo of nothing: %v", err)
	}
	if s := p.sheet(d, "q2"); s.State != corpus.Done || s.Labels["c2"].Grade != 1 {
		t.Errorf("after redo %+v", s)
	}
	// A new change ends what could be done again.
	if _, err := d.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	p.grade(d, "q3", "c3", 2)
	if _, err := d.Redo(ctx); !errors.Is(err, port.ErrNothing) {
		t.Errorf("redo after a new change: %v", err)
	}
	if r, err := p.db.Verify(ctx); err != nil || !r.Clean() {
		t.Errorf("the journal does not give the state: %+v %v", r, err)
	}
}

// TestUndoLeavesLaterChangesAlone: two desks of one annotator (two sessions) change the same label.
func TestUndoLeavesLaterChangesAlone(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	first, second := p.desk("ann"), p.desk("ann")
	p.grade(first, "q1", "c1", 1)
	p.grade(first, "q1", "c2", 0)
	p.grade(second, "q1", "c2", 3)
	if _, err := first.Undo(ctx); !errors.Is(err, store.ErrChangedSince) {
		t.Errorf("undo of an overtaken change: %v", err)
	}
	if g := p.sheet(first, "q1").Labels["c2"].Grade; g != 3 {
		t.Errorf("the later grade is %d", g)
	}
	if got, err := first.Undo(ctx); err != nil || got.ChunkID != "c1" {
		t.Errorf("older changes can be undone still: %+v %v", got, err)
	}
}

func TestClearAndNote(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	if _, err := d.Note(ctx, "q1", "c1", "why"); err == nil {
		t.Error("a note on a chunk without a grade")
	}
	p.grade(d, "q1", "c1", 2)
	if _, err := d.Note(ctx, "q1", "c1", "only for EU orders"); err != nil {
		t.Fatal(err)
	}
	p.grade(d, "q1", "c1", 1)
	if l := p.sheet(d, "q1").Labels["c1"]; l.Note != "only for EU orders" || l.Grade != 1 {
		t.Errorf("a new grade and the note: %+v", l)
	}
	if _, err := d.Note(ctx, "q1", "", "about the query"); err != nil {
		t.Fatal(err)
	}
	if said := p.sheet(d, "q1").Said; len(said) != 1 || said[0].Value != "about the query" {
		t.Errorf("said %+v", said)
	}
	if _, err := d.Note(ctx, "q1", "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Clear(ctx, "q1", "c1"); err != nil {
		t.Fatal(err)
	}
	if s := p.sheet(d, "q1"); len(s.Labels) != 0 || len(s.Said) != 0 {
		t.Errorf("after clearing: %+v", s)
	}
}

func TestStaleLabels(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.grade(d, "q1", "c2", 0)
	p.grade(d, "q1", "c3", 0)
	p.grade(d, "q2", "c2", 3)
	p.index("Refunds take a month now.", texts[1])
	d = p.desk("ann")
	s := p.sheet(d, "q1")
	if !s.Stale["c1"] || s.Stale["c2"] || !s.Stale["c3"] {
		t.Errorf("stale %v", s.Stale)
	}
	// B011: Public report: label-studio#540. A reworded query makes its labels stale too.
	if _, err := d.EditQuery(ctx, "q2", "cancel my order"); err != nil {
		t.Fatal(err)
	}
	if s := p.sheet(d, "q2"); !s.Stale["c2"] {
		t.Error("a label on the old wording is not stale")
	}
	drift, err := DriftOf(ctx, p.db, p.ix)
	if err != nil || drift != (Drift{Stale: 2, Gone: 1}) {
		t.Errorf("drift %+v %v", drift, err)
	}
	p.grade(d, "q1", "c1", 2)
	if s := p.sheet(d, "q1"); s.Stale["c1"] {
		t.Error("graded again on the new text, and still stale")
	}
}

func TestQueriesByHand(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	s, err := d.AddQuery(ctx, "  Do you ship to the moon? ")
	if err != nil || !s.Changed {
		t.Fatalf("%+v %v", s, err)
	}
	if again, err := d.AddQuery(ctx, "do you ship  to the moon?"); err != nil || again.Changed || again.QueryID != s.QueryID {
		t.Errorf("the same query again: %+v %v", again, err)
	}
	if _, err := d.AddQuery(ctx, " \t"); err == nil {
		t.Error("an empty query was added")
	}
	rows, err := d.Queue(ctx)
	if err != nil || len(rows) != 4 || rows[3].Query.ID != s.QueryID || rows[3].Query.Kind != corpus.Written {
		t.Errorf("queue %+v %v", rows, err)
	}
	if _, err := d.Exclude(ctx, "q1", true); err != nil {
		t.Fatal(err)
	}
	gold, err := bench.Gold(ctx, p.db, corpus.Majority, "assay test", "")
	if err != nil || len(gold.Rows) != 3 {
		t.Errorf("%d rows with one query left out: %v", len(gold.Rows), err)
	}
	if _, err := d.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	if gold, _ = bench.Gold(ctx, p.db, corpus.Majority, "assay test", ""); len(gold.Rows) != 4 {
		t.Errorf("%d rows after the undo", len(gold.Rows))
	}
}

func TestDrafts(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	if err := d.Draft(ctx, "note/q1/c1", "half a th"); err != nil {
		t.Fatal(err)
	}
	got, err := p.desk("ann").Drafts(ctx)
	if err != nil || got["note/q1/c1"] != "half a th" {
		t.Errorf("drafts %v %v", got, err)
	}
	if others, _ := p.desk("ben").Drafts(ctx); len(others) != 0 {
		t.Errorf("ben has ann's drafts: %v", others)
	}
	if err := d.Draft(ctx, "note/q1/c1", ""); err != nil {
		t.Fatal(err)
	}
	if got, _ := d.Drafts(ctx); len(got) != 0 {
		t.Errorf("after removing: %v", got)
	}
}

func TestExporterWritesWhereItSays(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	p.grade(p.desk("ann"), "q1", "c1", 2)
	e := Exporter{DB: p.db, Index: p.ix, Dir: p.dir, Name: "../a/b", Rule: corpus.Majority, Program: "assay test"}
	for _, f := range e.Formats() {
		paths, _, err := e.Export(ctx, f)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if filepath.Dir(paths[0]) != p.dir {
			t.Errorf("%s left its folder: %s", f, paths[0])
		}
		if _, err := os.Stat(paths[0]); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := e.Export(ctx, "sonnet"); err == nil {
		t.Error("an unknown format was written")
	}
}

func TestFileNames(t *testing.T) {
	for in, want := range map[string]string{"": "gold", "a b": "a b", "../x": "_._x", ".hidden": "_hidden", "a\x00\nb": "a__b", `c:\x`: "c:_x"} {
		if got := DefaultPath("d", in, export.TREC); got != filepath.Join("d", want+".qrels") {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

func TestFinderWithoutIndex(t *testing.T) {
	f := NewFinder(nil)
	r, err := f.Search(context.Background(), corpus.SearchRequest{Text: "x", Limit: 3})
	if err != nil || len(r.Hits) != 0 {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := f.Chunk(context.Background(), "c1"); !errors.Is(err, index.ErrNoChunk) {
		t.Errorf("%v", err)
	}
}

// B053: Public report: iotex-core#3686. What the status line says of a write that failed, and what it still is.
func TestFailuresInFewWords(t *testing.T) {
	full := fmt.Errorf("save to labels.db: %w", &os.PathError{Op: "write", Path: "/w/labels.db", Err: syscall.ENOSPC})
	if got := brief(full); got.Error() != "disk full" || !errors.Is(got, syscall.ENOSPC) {
		t.Errorf("%v", got)
	}
	if got := brief(&os.PathError{Op: "write", Path: "/w/labels.db", Err: syscall.EROFS}); got.Error() != "read-only file system" {
		t.Errorf("%v", got)
	}
	if got := brief(port.ErrNothing); got != port.ErrNothing {
		t.Errorf("%v", got)
	}
}
