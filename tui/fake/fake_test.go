package fake

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"assay/corpus"
	"assay/tui/port"
)

var (
	_ port.Desk     = (*Desk)(nil)
	_ port.Finder   = (*Finder)(nil)
	_ port.Checker  = (*Checker)(nil)
	_ port.Exporter = (*Exporter)(nil)
)

func TestEveryWriteIsUndoneAndRedone(t *testing.T) {
	ctx := context.Background()
	writes := map[string]func(*Desk) (port.Saved, error){
		"grade": func(d *Desk) (port.Saved, error) {
			return d.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: "x", Grade: 2})
		},
		"regrade": func(d *Desk) (port.Saved, error) {
			return d.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: "c", Grade: 0})
		},
		"clear": func(d *Desk) (port.Saved, error) { return d.Clear(ctx, "q0001", "c") },
		"note":  func(d *Desk) (port.Saved, error) { return d.Note(ctx, "q0001", "c", "n") },
		"state": func(d *Desk) (port.Saved, error) { return d.SetState(ctx, "q0001", corpus.Done, "") },
		"say": func(d *Desk) (port.Saved, error) {
			return d.Say(ctx, corpus.Said{QueryID: "q0001", What: corpus.SaidTag, Value: "t"})
		},
		"unsay": func(d *Desk) (port.Saved, error) {
			return d.Unsay(ctx, corpus.Said{QueryID: "q0001", What: corpus.SaidTag, Value: "old"})
		},
		"add":     func(d *Desk) (port.Saved, error) { return d.AddQuery(ctx, "new") },
		"edit":    func(d *Desk) (port.Saved, error) { return d.EditQuery(ctx, "q0001", "other") },
		"exclude": func(d *Desk) (port.Saved, error) { return d.Exclude(ctx, "q0001", true) },
	}
	for name, write := range writes {
		d := Sample(Plain, nil).Desk
		_, _ = d.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: "c", Grade: 1})
		_, _ = d.Say(ctx, corpus.Said{QueryID: "q0001", What: corpus.SaidTag, Value: "old"})
		state := func() any {
			q, _ := d.Queue(ctx)
			s, _ := d.Sheet(ctx, "q0001")
			return []any{q, s}
		}
		before := state()
		if s, err := write(d); err != nil || !s.Changed {
			t.Fatalf("%s: %v %v", name, s, err)
		}
		after := state()
		if reflect.DeepEqual(before, after) {
			t.Errorf("%s changed nothing", name)
		}
		if name != "add" {
			if s, err := write(d); err != nil || s.Changed {
				t.Errorf("%s again: %v %v", name, s, err)
			}
		}
		if _, err := d.Undo(ctx); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(before, state()) {
			t.Errorf("%s was not undone:\n%v\n%v", name, before, state())
		}
		if _, err := d.Redo(ctx); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(after, state()) {
			t.Errorf("%s was not redone", name)
		}
	}
}

func TestNothingToUndo(t *testing.T) {
	d := Sample(Plain, nil).Desk
	if _, err := d.Undo(context.Background()); !errors.Is(err, port.ErrNothing) {
		t.Error(err)
	}
	if _, err := d.Redo(context.Background()); !errors.Is(err, port.ErrNothing) {
		t.Error(err)
	}
}

func TestAFailedWriteChangesNothing(t *testing.T) {
	d := Sample(Plain, nil).Desk
	full := errors.New("disk full")
	d.Fail("Grade", full)
	if _, err := d.Grade(context.Background(), port.Grading{QueryID: "q0001", ChunkID: "c", Grade: 1}); !errors.Is(err, full) {
		t.Fatal(err)
	}
	if _, ok := d.GradeOf("q0001", "c"); ok || d.Written() != 0 {
		t.Error("the failed grade was kept")
	}
	d.Fail("Grade", nil)
	if _, err := d.Grade(context.Background(), port.Grading{QueryID: "q0001", ChunkID: "c", Grade: 1}); err != nil {
		t.Fatal(err)
	}
}

func TestSearchAndCheckAgree(t *testing.T) {
	ctx := context.Background()
	k := Sample(Plain, nil)
	res, err := k.Finder.Search(ctx, corpus.SearchRequest{Text: "rotate signing key", Limit: 10})
	if err != nil || len(res.Hits) == 0 {
		t.Fatal(res, err)
	}
	_, _ = k.Desk.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: res.Hits[0].ChunkID, Grade: 3})
	_, _ = k.Desk.SetState(ctx, "q0001", corpus.Done, "")
	rep, err := k.Checker.Check(ctx, "")
	if err != nil || len(rep.Queries) != 1 || len(rep.Excluded) != 5 {
		t.Fatal(rep, err)
	}
	if v := rep.Queries[0].Values["R@5"]; v == nil || *v != 1 {
		t.Error(v)
	}
	runs, err := k.Checker.Runs(ctx)
	if err != nil || len(runs) != 2 || runs[0].Name != "" || runs[1].Name != "bm25" {
		t.Error(runs, err)
	}
	if rep, err = k.Checker.Check(ctx, "bm25"); err != nil || rep.Run != "bm25" || *rep.Queries[0].Values["RR"] != 1 {
		t.Error(rep, err)
	}
	if _, err := k.Checker.Check(ctx, "none"); err == nil {
		t.Error("a run that is not there was measured")
	}
	k.Checker.Others = map[string]map[string]bool{"q0001": {"docs/faq.md#3": true}}
	r, err := k.Checker.Ranking(ctx, "bm25", "q0001")
	if err != nil || len(r.Hits) != 5 || !r.Judged["docs/faq.md#3"] || !r.Judged["docs/keys.md#1"] || len(r.Judged) != 2 {
		t.Error(r, err)
	}
	for _, f := range []Flavour{CJK, Emoji, Hostile} {
		k := Sample(f, nil)
		if res, _ := k.Finder.Search(ctx, corpus.SearchRequest{Text: "refund 返金 key", Limit: 10}); len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", f)
		}
	}
}
