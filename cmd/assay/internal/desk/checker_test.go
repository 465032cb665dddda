package desk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/tui/port"
)

func (p *place) checker(measures string) *Checker {
	p.t.Helper()
	list, err := retrieval.ParseMeasures(measures)
	if err != nil {
		p.t.Fatal(err)
	}
	return &Checker{
		DB: p.db, Index: p.ix, Dir: filepath.Join(p.dir, "runs"), Measures: list, Limits: retrieval.DefaultLimits(), Depth: 10,
		Rule: corpus.Majority, Program: "assay test",
	}
}

// run writes a file into the folder of runs.
func (p *place) run(name, content string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, "runs", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *place) done(d *Desk, queries ...string) {
	p.t.Helper()
	for _, q := range queries {
		if _, err := d.SetState(context.Background(), q, corpus.Done, ""); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestCheckFollowsLabels(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	c := p.checker("R@5 RR")
	r, err := c.Check(ctx, "")
	if err != nil || r.Measures[0].N != 0 || len(r.Excluded) != 3 {
		t.Fatalf("before any label: %+v %v", r, err)
	}
	p.grade(d, "q1", "c1", 2)
	p.grade(d, "q1", "c3", 1)
	p.done(d, "q1")
	r, err = c.Check(ctx, "")
	if err != nil || r.Measures[0].N != 1 || *r.Measures[0].Mean != 0.5 || *r.Measures[1].Mean != 1 {
		t.Errorf("one of two relevant chunks is found first: %+v %v", r.Measures, err)
	}
	before := r.Labels
	p.grade(d, "q1", "c3", 0)
	r, err = c.Check(ctx, "")
	if err != nil || *r.Measures[0].Mean != 1 || r.Labels == before {
		t.Errorf("after c3 is no longer relevant: %+v %v", r.Measures, err)
	}
	if r.Run != corpus.BuiltinRun || r.Scorer != p.ix.Scorer() || len(r.Recall) == 0 {
		t.Errorf("the report does not say what it is of: %+v", r)
	}
	again, err := c.Check(ctx, "")
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("measured again, nothing changed: %+v\nwas %+v %v", again, r, err)
	}
	ranking, err := c.Ranking(ctx, "", "q1")
	if err != nil || len(ranking.Hits) == 0 || ranking.Hits[0].ChunkID != "c1" {
		t.Errorf("ranking %v %v", ranking, err)
	}
	if r, err := c.Ranking(ctx, "", "nobody asked this"); err != nil || len(r.Hits) != 0 {
		t.Errorf("of no query: %v %v", r, err)
	}
	for _, run := range []string{"", "none"} {
		none := &Checker{DB: p.db}
		if _, err := none.Check(ctx, run); err == nil || run == "" && !errors.Is(err, index.ErrNone) {
			t.Errorf("without index and folder, run %q: %v", run, err)
		}
		if _, err := none.Ranking(ctx, run, "q1"); err == nil {
			t.Errorf("ranked without index and folder, run %q", run)
		}
	}
}

// Every statement changes what is measured next, also one that is no label.
func TestCheckSeesEveryStatement(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	c := p.checker("R@5")
	p.grade(d, "q1", "c1", 2)
	for name, step := range map[string]func() error{
		"unfinished":   func() error { _, err := d.SetState(ctx, "q1", corpus.Done, ""); return err },
		"unanswerable": func() error { _, err := d.SetState(ctx, "q2", corpus.Done, ""); return err },
	} {
		before, err := c.Check(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := step(); err != nil {
			t.Fatal(err)
		}
		after, err := c.Check(ctx, "")
		if err != nil || reflect.DeepEqual(before.Excluded, after.Excluded) {
			t.Errorf("%s: left out %v as before, %v", name, after.Excluded, err)
		}
	}
	if _, err := d.Say(ctx, corpus.Said{QueryID: "q2", What: corpus.SaidTag, Value: corpus.TagUnanswerable}); err != nil {
		t.Fatal(err)
	}
	r, err := c.Check(ctx, "")
	if err != nil || !slices.Contains(r.Excluded, retrieval.Excluded{QueryID: "q2", Why: retrieval.WhyUnanswerable}) {
		t.Errorf("a tag was not seen: %v %v", r.Excluded, err)
	}
	if r.Unanswerable == nil || r.Unanswerable.Queries != 1 {
		t.Errorf("unanswerable queries have no block: %+v", r.Unanswerable)
	}
}

// Judged says who was at it, not what they said: others' grades are as good as one's own, can't judge is none.
func TestJudgedByAnybody(t *testing.T) {
	p := newPlace(t, texts...)
	p.grade(p.desk("ann"), "q1", "c1", 2)
	p.grade(p.desk("ben"), "q1", "c2", 0)
	p.grade(p.desk("chi"), "q1", "c3", corpus.CannotJudge)
	p.grade(p.desk("chi"), "q2", "c3", 1)
	r, err := p.checker("R@5").Ranking(context.Background(), "", "q1")
	if err != nil || !reflect.DeepEqual(r.Judged, map[string]bool{"c1": true, "c2": true}) {
		t.Errorf("%v %v", r.Judged, err)
	}
}

// A run's file is read once, and again when it changed; nothing is searched for twice.
func TestNothingIsReadOrSearchedTwice(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.done(d, "q1")
	path := p.run("mine.run", "q1 Q0 c1 1 2 tag\n")
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	stamp := func(at time.Time) {
		t.Helper()
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	rr := func(c *Checker, run string) float64 {
		t.Helper()
		r, err := c.Check(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		return *r.Measures[0].Mean
	}
	stamp(old)
	c := p.checker("RR")
	if got := rr(c, "mine"); got != 1 {
		t.Fatal(got)
	}
	// Same size, same time: what was read stays, whatever the file says.
	p.run("mine.run", "q1 Q0 c9 1 2 tag\n")
	stamp(old)
	p.grade(d, "q1", "c2", 0)
	if got := rr(c, "mine"); got != 1 {
		t.Error("the file was read again:", got)
	}
	stamp(old.Add(time.Second))
	if got := rr(c, "mine"); got != 0 {
		t.Error("the file changed and was not read again:", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Check(ctx, "mine"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a run that is gone:", err)
	}

	if got := rr(c, ""); got != 1 {
		t.Fatal(got)
	}
	q1, _, err := p.db.Query("q1")
	if err != nil {
		t.Fatal(err)
	}
	c.searched.by[q1.Text] = corpus.Ranking{{ChunkID: "c2", Score: 2}, {ChunkID: "c1", Score: 1}} // a search would not say so
	p.grade(d, "q1", "c3", 0)
	if got := rr(c, ""); got != 0.5 {
		t.Error("searched again:", got)
	}
}

// Checks, rankings and grades may come at once.
func TestCheckerIsSafeToShare(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.done(d, "q1")
	p.run("mine.run", "q1 Q0 c1 1 2 tag\n")
	c := p.checker("RR")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			run := []string{"", "mine"}[i%2]
			for range 5 {
				if _, err := c.Check(ctx, run); err != nil {
					t.Error(err)
				}
				if _, err := c.Ranking(ctx, run, "q1"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 10 {
			if _, err := d.Grade(ctx, port.Grading{QueryID: "q1", ChunkID: "c2", Grade: corpus.Grade(i % 2)}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
}
