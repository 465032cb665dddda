package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

func undo(t testing.TB, db *DB, id corpus.EventID) corpus.Event {
	t.Helper()
	e, err := db.Undo(context.Background(), Author{Annotator: "ann"}, id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestUndoAndRedo(t *testing.T) {
	db := testDB(t)
	by := Author{Annotator: "ann"}
	first := write(t, db, by, grade("q1", "k1", "ann", 1))[0]
	second := write(t, db, by, grade("q1", "k1", "ann", 2))[0]
	ctx := context.Background()

	if _, err := db.Undo(ctx, by, first.ID); !errors.Is(err, ErrChangedSince) {
		t.Errorf("undoing what was changed since: %v", err)
	}
	u := undo(t, db, second.ID)
	if u.Reverts != second.ID || u.Parent != second.ID || string(u.After) != string(second.Before) || string(u.Before) != string(second.After) {
		t.Errorf("undo is %+v", u)
	}
	if got := gradeOf(t, db, "q1", "k1", "ann"); got != "1" {
		t.Errorf("after undo: %s", got)
	}
	if _, err := db.Undo(ctx, by, second.ID); !errors.Is(err, ErrChangedSince) {
		t.Errorf("undoing twice: %v", err)
	}
	r := undo(t, db, u.ID) // redo
	if got := gradeOf(t, db, "q1", "k1", "ann"); got != "2" {
		t.Errorf("after redo: %s", got)
	}
	if _, err := db.Undo(ctx, by, u.ID); !errors.Is(err, ErrChangedSince) {
		t.Errorf("redoing twice: %v", err)
	}
	// After a redo both names of what stands can be undone: the redo, or what it brought back.
	undo(t, db, second.ID)
	if _, err := db.Undo(ctx, by, r.ID); !errors.Is(err, ErrChangedSince) {
		t.Errorf("undoing a redo that does not stand: %v", err)
	}
	// All the way back, across the first.
	undo(t, db, first.ID)
	if got := gradeOf(t, db, "q1", "k1", "ann"); got != "none" {
		t.Errorf("at the beginning: %s", got)
	}
	if _, err := db.Undo(ctx, by, "nope-1"); !errors.Is(err, ErrNoEvent) {
		t.Errorf("undoing nothing: %v", err)
	}
	verified(t, db)
}

// Undo as a session does it: back over everything that was said, whatever the subject, and forward again.
func TestUndoOfEachKind(t *testing.T) {
	db := testDB(t)
	by := Author{Annotator: "ann"}
	proof := []byte(`{"identifier":"ERR_1"}`)
	changes := []Change{
		PutQuery(corpus.Query{ID: "q3", Text: "new"}),
		PutQuery(corpus.Query{ID: "q1", Text: "reworded"}),
		grade("q1", "k1", "ann", 2),
		grade("q1", "k1", "ann", 3),
		ClearLabel(keyOf("q1", "k1", "ann")),
		PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Later}),
		PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}),
		PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "identifier", Annotator: "ann", Proof: proof}),
		PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidNote, Value: "odd", Annotator: "ann"}),
		DropSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "identifier", Annotator: "ann"}),
		AddSearch(corpus.SearchTried{QueryID: "q1", Text: "key", Annotator: "ann"}),
		SetScale(corpus.NewScale(0, 4, nil, 1)),
		PutCorpus(corpus.Info{ID: "c2", Fingerprint: "f2"}),
	}
	prints := []string{snapshot(t, db)}
	var ids []corpus.EventID
	for _, c := range changes {
		ids = append(ids, write(t, db, by, c)[0].ID)
		prints = append(prints, snapshot(t, db))
	}
	var undone []corpus.EventID
	for i := len(ids) - 1; i >= 0; i-- {
		undone = append(undone, undo(t, db, ids[i]).ID)
		if got := snapshot(t, db); got != prints[i] {
			t.Fatalf("undoing change %d gives\n%s\nwant\n%s", i, got, prints[i])
		}
	}
	for i := len(undone) - 1; i >= 0; i-- {
		undo(t, db, undone[i])
		if got, want := snapshot(t, db), prints[len(ids)-i]; got != want {
			t.Fatalf("redoing change %d gives\n%s\nwant\n%s", len(ids)-1-i, got, want)
		}
	}
	verified(t, db)
}

// snapshot is everything that the DB says, as text.
func snapshot(t testing.TB, db *DB) string {
	t.Helper()
	var b strings.Builder
	ctx := context.Background()
	queries, err := db.Queries()
	for _, q := range queries {
		fmt.Fprintf(&b, "query %s %q %d\n", q.ID, q.Text, q.Order)
	}
	scale, _, err1 := db.Scale()
	info, _, err2 := db.CurrentCorpus()
	fmt.Fprintf(&b, "scale %s corpus %s %s\n", scale.ID, info.ID, info.Fingerprint)
	err = errors.Join(err, err1, err2,
		db.EachLabel(ctx, func(l corpus.Label) error {
			_, err := fmt.Fprintf(&b, "label %+v %s %s\n", l.Key(), l.Grade, l.At)
			return err
		}),
		db.EachWork(ctx, func(w corpus.Work) error { _, err := fmt.Fprintf(&b, "work %+v\n", w); return err }),
		db.EachSaid(ctx, func(s corpus.Said) error {
			_, err := fmt.Fprintf(&b, "said %s %s %q %s %s\n", s.QueryID, s.What, s.Value, s.Proof, s.At)
			return err
		}),
		db.EachSearch(ctx, func(s corpus.SearchTried) error { _, err := fmt.Fprintf(&b, "search %+v\n", s); return err }))
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestUndoBatch(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	write(t, db, Author{}, grade("q1", "k0", "bob", 1))
	before := snapshot(t, db)
	by := Author{Annotator: "imp", Batch: "b1"}
	write(t, db, by, SetScale(corpus.NewScale(0, 4, nil, 1)), PutQuery(corpus.Query{ID: "q3", Text: "x"}))
	write(t, db, by, grade("q1", "k1", "ann", 4), grade("q1", "k2", "ann", 4), grade("q1", "k0", "bob", 3))
	write(t, db, by, grade("q1", "k1", "ann", 2)) // the same subject twice
	full := snapshot(t, db)

	if _, _, err := db.UndoBatch(ctx, Author{}, "nope"); !errors.Is(err, ErrNoBatch) {
		t.Errorf("unknown batch: %v", err)
	}
	if _, _, err := db.UndoBatch(ctx, Author{Batch: "b1"}, "b1"); err == nil {
		t.Error("a batch may not undo itself")
	}
	n, kept, err := db.UndoBatch(ctx, Author{Annotator: "ann"}, "b1")
	if err != nil || n != 6 || len(kept) != 0 {
		t.Fatalf("undone %d, kept %d, %v", n, len(kept), err)
	}
	if got := snapshot(t, db); got != before {
		t.Errorf("after undo\n%s\nwant\n%s", got, before)
	}
	// Again: nothing is left to do, and nothing kept.
	if n, kept, err := db.UndoBatch(ctx, Author{Annotator: "ann"}, "b1"); err != nil || n != 0 || len(kept) != 0 {
		t.Errorf("undone again: %d, kept %v, %v", n, kept, err)
	}
	// Redo, as the undo of the undo.
	if n, kept, err := db.UndoBatch(ctx, Author{Annotator: "ann"}, "undo b1"); err != nil || n != 6 || len(kept) != 0 {
		t.Errorf("redone %d, kept %d, %v", n, len(kept), err)
	}
	if got := snapshot(t, db); got != full {
		t.Errorf("after redo\n%s\nwant\n%s", got, full)
	}
	verified(t, db)
}

func TestUndoBatchKeepsWhatWasChangedSince(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	events := write(t, db, Author{Batch: "b1"}, grade("q1", "k1", "ann", 1), grade("q1", "k2", "ann", 1), grade("q1", "k1", "ann", 2),
		grade("q1", "k3", "ann", 1), grade("q1", "k4", "ann", 1))
	write(t, db, Author{Annotator: "ann"}, grade("q1", "k1", "ann", 3)) // corrected by hand since
	undo(t, db, events[3].ID)                                           // taken back by hand
	undo(t, db, events[4].ID)                                           // taken back and said anew
	write(t, db, Author{Annotator: "ann"}, grade("q1", "k4", "ann", 0))
	n, kept, err := db.UndoBatch(ctx, Author{}, "b1")
	if err != nil || n != 1 {
		t.Errorf("undone %d, %v", n, err)
	}
	var ids []corpus.EventID
	for _, e := range kept {
		ids = append(ids, e.ID)
	}
	if want := []corpus.EventID{events[4].ID, events[2].ID}; !slices.Equal(ids, want) {
		t.Errorf("kept %v, want %v", ids, want)
	}
	for chunk, want := range map[string]string{"k1": "3", "k2": "none", "k3": "none", "k4": "0"} {
		if got := gradeOf(t, db, "q1", chunk, "ann"); got != want {
			t.Errorf("%s is %s, want %s", chunk, got, want)
		}
	}
	verified(t, db)
}

// cancelAfter is a context that is cancelled once it was asked so many times.
type cancelAfter struct {
	context.Context
	left int
}

func (c *cancelAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func (c *cancelAfter) Deadline() (time.Time, bool) { return time.Time{}, false }

// A batch that is larger than a transaction is undone in several, and where that is cut short, calling again finishes.
func TestUndoBatchIsResumed(t *testing.T) {
	db := testDB(t)
	before := snapshot(t, db)
	const n = undoRows + 500
	for i := 0; i < n; i += 3500 {
		write(t, db, Author{Batch: "big"}, benchLabels(i, 3500, 8)...)
	}
	// Enough for the first transaction, not for the second.
	ctx := &cancelAfter{context.Background(), undoRows/256 + 2}
	reverted, kept, err := db.UndoBatch(ctx, Author{}, "big")
	if !errors.Is(err, context.Canceled) || reverted != undoRows || len(kept) != 0 {
		t.Fatalf("cut short: %d reverted, %d kept, %v", reverted, len(kept), err)
	}
	rest, kept, err := db.UndoBatch(context.Background(), Author{}, "big")
	if err != nil || rest != n-undoRows || len(kept) != 0 {
		t.Fatalf("resumed: %d reverted, %d kept, %v", rest, len(kept), err)
	}
	if got := snapshot(t, db); got != before {
		t.Error("the batch is not gone")
	}
	batches, err := db.Batches()
	if err != nil || len(batches) != 2 || batches[0].Reverted != n || batches[1].Events != n {
		t.Errorf("batches are %+v, %v", batches, err)
	}
	verified(t, db)
}
