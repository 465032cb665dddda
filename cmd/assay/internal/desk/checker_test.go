package desk

import (
	"context"
	"errors"
	"testing"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
)

func TestCheckFollowsLabels(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t, texts...)
	d := p.desk("ann")
	measures, err := retrieval.ParseMeasures("R@5 RR")
	if err != nil {
		t.Fatal(err)
	}
	c := &Checker{DB: p.db, Index: p.ix, Measures: measures, Depth: 10, Rule: corpus.Majority, Program: "assay test"}
	r, err := c.Check(ctx, "")
	if err != nil || r.Measures[0].N != 0 || len(r.Excluded) != 3 {
		t.Fatalf("before any label: %+v %v", r, err)
	}
	p.grade(d, "q1", "c1", 2)
	p.grade(d, "q1", "c3", 1)
	if _, err := d.SetState(ctx, "q1", corpus.Done, ""); err != nil {
		t.Fatal(err)
	}
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
	ranking, err := c.Ranking(ctx, "", "q1")
	if err != nil || len(ranking.Hits) == 0 || ranking.Hits[0].ChunkID != "c1" {
		t.Errorf("ranking %v %v", ranking, err)
	}
	if _, err := (&Checker{DB: p.db}).Check(ctx, ""); !errors.Is(err, index.ErrNone) {
		t.Errorf("without an index: %v", err)
	}
}
