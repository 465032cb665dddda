package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/corpus/retrieval"
)

func TestRunsAreListed(t *testing.T) {
	p := newPlace(t, texts...)
	c := p.checker("R@5")
	runs, err := c.Runs(context.Background())
	if err != nil || len(runs) != 3 || runs[0].Name != "" || runs[0].Title() != "built-in search" || runs[0].Words == "" || runs[1].Name != "search:exact" || runs[2].Name != "search:phrase" {
		t.Fatalf("without a folder: %+v %v", runs, err)
	}
	p.run("z.run", "q1 Q0 c1 1 1 z\n")
	p.run("a b.jsonl", `{"query": "q1", "chunks": ["c1"]}`+"\n")
	p.run("both.jsonl", `{"query": "q1", "chunks": ["c2"]}`+"\n")
	p.run("both.run", "q1 Q0 c1 1 1 both\n")
	p.run(".hidden.run", "q1 Q0 c1 1 1 h\n")
	p.run("notes.txt", "no run")
	p.run(".run", "no name")
	if err := os.Mkdir(filepath.Join(c.Dir, "folder.run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if runs, err = c.Runs(context.Background()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range runs[3:] {
		names = append(names, r.Name)
		if r.When.IsZero() || r.Words != "1 kB" {
			t.Errorf("%s: %v %q", r.Name, r.When, r.Words)
		}
	}
	if got := strings.Join(names, ","); got != "a b,both,z" {
		t.Error(got)
	}
	both, err := c.Ranking(context.Background(), "both", "q1")
	if err != nil || both.Hits[0].ChunkID != "c1" {
		t.Errorf("of two files the first ending counts: %v %v", both, err)
	}
	for _, name := range []string{"none", "../labels", "folder", ".hidden", "notes.txt", "z.run"} {
		if _, err := c.Check(context.Background(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestKeptRunsAreMeasured(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.done(d, "q1")
	p.run("mine.run", "q1 Q0 c2 1 2 tag\nq1 Q0 c1 2 1 tag\nbad line\n")
	c := p.checker("RR R@1")
	r, err := c.Check(ctx, "mine")
	if err != nil || *r.Measures[0].Mean != 0.5 || r.Run != "mine" || r.Scorer != "" {
		t.Fatalf("%+v %v", r, err)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "1 line of the run's file was rejected") {
		t.Errorf("warnings %q", r.Warnings)
	}
	ranking, err := c.Ranking(ctx, "mine", "q1")
	if err != nil || len(ranking.Hits) != 2 || ranking.Hits[0].ChunkID != "c2" || !reflect.DeepEqual(ranking.Judged, map[string]bool{"c1": true}) {
		t.Errorf("%+v %v", ranking, err)
	}
	p.run("empty.run", "bad\n")
	if _, err := c.Check(ctx, "empty"); err == nil || !strings.Contains(err.Error(), `run "empty" holds no ranking`) {
		t.Error(err)
	}
	// Without an index a kept run is measured all the same.
	c.Index = nil
	if r, err := c.Check(ctx, "mine"); err != nil || *r.Measures[0].Mean != 0.5 {
		t.Errorf("%+v %v", r.Measures, err)
	}
}

// No more files stay in memory than can be looked at.
func TestOnlySomeRunsStayInMemory(t *testing.T) {
	p := newPlace(t, texts...)
	for i := range 7 {
		p.run(fmt.Sprintf("r%d.run", i), "q1 Q0 c1 1 2 tag\n")
	}
	c := p.checker("RR")
	for _, i := range []int{0, 1, 2, 3, 0, 4, 0, 5, 6} {
		if _, err := c.Ranking(context.Background(), fmt.Sprintf("r%d", i), "q1"); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, f := range c.kept.files {
		names = append(names, f.name)
	}
	if got := strings.Join(names, " "); got != "r4 r0 r5 r6" {
		t.Errorf("in memory are %s", got)
	}
}

// A run that a live retriever's answers were kept in says what failed, how long it took and who was asked.
func TestKeptAnswersSayWhatFailed(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	p.grade(d, "q1", "c1", 2)
	p.grade(d, "q2", "c2", 2)
	p.done(d, "q1", "q2")
	p.run("live.jsonl", `{"assay":"run","version":1,"name":"live","retriever":{"kind":"exec","command":"find"},"depth":10,"corpus":"elsewhere","program":"t","started":"2026-03-01T09:00:00Z"}
{"query_id":"q1","query_sha256":"x","chunks":[{"id":"c1","score":1.5}],"latency_ms":12,"attempts":1,"at":"2026-03-01T09:00:01Z"}
{"query_id":"q2","query_sha256":"x","error":"timed out","attempts":3,"at":"2026-03-01T09:00:02Z"}
`)
	c := p.checker("R@1")
	r, err := c.Check(ctx, "live")
	if err != nil || len(r.Failed) != 1 || r.Failed[0] != (retrieval.Failed{QueryID: "q2", Error: "timed out"}) || *r.Measures[0].Mean != 0.5 {
		t.Fatalf("%+v %v", r, err)
	}
	if r.Latency == nil || r.Latency.N != 1 || !strings.Contains(r.Scorer, "find") || !strings.Contains(strings.Join(r.Warnings, "\n"), "another corpus") {
		t.Errorf("%+v %q %q", r.Latency, r.Scorer, r.Warnings)
	}
	ranking, err := c.Ranking(ctx, "live", "q2")
	if err != nil || ranking.Error != "timed out" || len(ranking.Hits) != 0 {
		t.Errorf("%+v %v", ranking, err)
	}
}

// The modes of the built-in search are runs like any other, each with rankings of its own.
func TestModesAreRuns(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, "rotating keys", "rotate a key", "a key to rotate")
	c := p.checker("NumRet")
	d := p.desk("ann")
	saved, err := d.AddQuery(ctx, "rotate key")
	if err != nil {
		t.Fatal(err)
	}
	q := saved.QueryID
	p.grade(d, q, "c2", 1)
	p.done(d, q)
	found := map[string]float64{}
	for _, name := range []string{"", "search:exact", "search:phrase", ""} {
		r, err := c.Check(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = *r.Measures[0].Mean
		ranking, err := c.Ranking(ctx, name, q)
		if err != nil || float64(len(ranking.Hits)) != found[name] {
			t.Errorf("%q: %d hits, measured %v (%v)", name, len(ranking.Hits), found[name], err)
		}
		if (name == "") != (r.Run == "built-in search") || r.Scorer == "" {
			t.Errorf("%q is called %q, %q", name, r.Run, r.Scorer)
		}
	}
	if found[""] != 3 || found["search:exact"] != 2 || found["search:phrase"] != 0 {
		t.Errorf("%v", found)
	}
	if _, err := c.Check(ctx, "search:fuzzy"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a mode that is none: %v", err)
	}
}
