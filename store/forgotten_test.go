package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

func TestForgottenIsNotWritten(t *testing.T) {
	ctx := context.Background()
	db := told(t, "query-0001")
	forget(t, db, "query-0001")
	key := keyOf("query-0001", "c2", "ann")
	for name, c := range map[string]Change{
		"query":  PutQuery(corpus.Query{ID: "query-0001", Text: "something else"}),
		"label":  grade("query-0001", "c2", "ann", 1),
		"clear":  ClearLabel(key),
		"work":   PutWork(corpus.Work{QueryID: "query-0001", Annotator: "ann", State: corpus.Done}),
		"tag":    PutSaid(corpus.Said{QueryID: "query-0001", What: corpus.SaidTag, Value: "x", Annotator: "ann"}),
		"drop":   DropSaid(corpus.Said{QueryID: "query-0001", What: corpus.SaidNote, Annotator: "ann"}),
		"search": AddSearch(corpus.SearchTried{QueryID: "query-0001", Annotator: "ann", Text: "x"}),
	} {
		_, err := db.Write(ctx, Author{Annotator: "ann"}, PutQuery(corpus.Query{ID: "new", Text: "new"}), c)
		if !errors.Is(err, ErrForgotten) || strings.Contains(err.Error(), "query-0001") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok, _ := db.Query("new"); ok {
		t.Error("half of a write was done")
	}
	for _, name := range []string{"note/query-0001/c2", "queries/edit/query-0001"} {
		if err := db.PutDraft(ctx, "ann", name, "x"); !errors.Is(err, ErrForgotten) {
			t.Errorf("draft %s: %v", name, err)
		}
		if err := db.DropDraft(ctx, "ann", name); err != nil {
			t.Errorf("dropping draft %s: %v", name, err)
		}
	}
	// An import of the same log again: the rows of others come in, without what names the query.
	again := corpus.Query{ID: "follows", Text: "and in production?", ParentID: "query-0001", Turns: []corpus.Turn{{Role: "user", Content: "where is xyzzy?"}}}
	if events := write(t, db, Author{}, PutQuery(again)); len(events) != 0 {
		t.Errorf("the follow-up again: %+v", events)
	}
	fresh := again
	fresh.ID, fresh.Turns = "fresh", append(fresh.Turns, corpus.Turn{Role: "Assistant", Content: "it is there"})
	write(t, db, Author{}, PutQuery(fresh),
		PutQuery(corpus.Query{ID: "rep", Text: "rep", Count: 5, Group: "rep", Variants: []corpus.Variant{{ID: "query-0001", Text: "xyzzy", Count: 4}}}),
		PutSaid(corpus.Said{QueryID: "fresh", What: corpus.SaidTag, Value: corpus.TagFollowUp, Annotator: "ann", Proof: []byte(`{"parent_id":"query-0001","standalone_query":"s"}`)}))
	if again.ParentID == "" || again.Turns[0].Content != "where is xyzzy?" {
		t.Error("the caller's query was changed")
	}
	q, _, err := db.Query("fresh")
	if err != nil || q.ParentID != "" || q.Turns[0].Content != "[forgotten]" || q.Turns[1].Content != "it is there" {
		t.Errorf("a new follow-up: %+v %v", q, err)
	}
	if q, _, err := db.Query("rep"); err != nil || len(q.Variants) != 0 || q.Group != "" || q.Count != 5 {
		t.Errorf("a new group: %+v %v", q, err)
	}
	gone(t, db, "query-0001")
	verified(t, db)
}

func TestForgetUnknown(t *testing.T) {
	ctx := context.Background()
	db := told(t, "query-0001")
	before := raw(t, db)
	for _, ids := range [][]string{{"nobody"}, {"query-0001", "nobody"}, {"query-000"}, {"query-00011"}} {
		if _, err := db.Forget(ctx, Author{}, ids...); !errors.Is(err, ErrNoQuery) {
			t.Errorf("%q: %v", ids, err)
		}
	}
	for _, ids := range [][]string{nil, {""}, {"\xff"}, {strings.Repeat("k", corpus.MaxIDLen+1)}} {
		if _, err := db.Forget(ctx, Author{}, ids...); err == nil {
			t.Errorf("%.20q was forgotten", ids)
		}
	}
	if _, err := db.Forget(ctx, Author{Annotator: "\xff"}, "query-0001"); err == nil {
		t.Error("nobody forgot it")
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Forget(stopped, Author{}, "query-0001"); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if !bytes.Equal(before, raw(t, db)) {
		t.Error("the file changed")
	}
	reader, err := OpenCopy(db.path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := reader.Forget(ctx, Author{}, "query-0001"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
}

// What is known of a query may be no more than a label, a draft or another's variant.
func TestForgetWhatNeverWasAQuery(t *testing.T) {
	db := testDB(t)
	write(t, db, Author{}, grade("labeled", "c1", "ann", 1),
		PutQuery(corpus.Query{ID: "rep", Text: "rep", Variants: []corpus.Variant{{ID: "variant", Text: "xyzzy asked so", Count: 1}}}),
		PutSaid(corpus.Said{QueryID: "rep", What: corpus.SaidNote, Value: "see xyzzy asked so", Annotator: "ann"}))
	if err := db.PutDraft(context.Background(), "ann", "note/drafted", "xyzzy"); err != nil {
		t.Fatal(err)
	}
	if out := forget(t, db, "labeled", "variant", "drafted", "variant"); out.Queries != 3 || out.Labels != 1 || out.Drafts != 1 || out.Mentions != 2 {
		t.Errorf("got %+v", out)
	}
	for _, id := range []string{"labeled", "variant", "drafted"} {
		gone(t, db, id)
	}
	verified(t, db)
}

// Other queries with the same text are named: they are not forgotten with it.
func TestForgetNamesItsTwins(t *testing.T) {
	db := testDB(t)
	write(t, db, Author{}, PutQuery(corpus.Query{ID: "one", Text: "why,  oh why?"}), PutQuery(corpus.Query{ID: "two", Text: "why, oh why? "}),
		PutQuery(corpus.Query{ID: "onetwo", Text: "why, oh why, oh why?"}), grade("onetwo", "c1", "ann", 2), grade("one", "c1", "ann", 2))
	out := forget(t, db, "one")
	if !slices.Equal(out.SameText, []string{"two"}) || out.Mentions != 0 {
		t.Errorf("got %+v", out)
	}
	if q, ok, _ := db.Query("two"); !ok || q.Text != "why, oh why? " {
		t.Errorf("the twin is %+v", q)
	}
	if g := gradeOf(t, db, "onetwo", "c1", "ann"); g != "2" { // "one" begins its id
		t.Errorf("the label is %s", g)
	}
	if labels, err := db.LabelsIn("c1", "doc/c1"); err != nil || len(labels) != 1 {
		t.Errorf("labels in the document: %+v %v", labels, err)
	}
	verified(t, db)
}

// A file of the first schema has no room for what was forgotten; the step makes it.
func TestSchemaWithoutForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.db")
	db := openDB(t, path, testOptions())
	write(t, db, Author{}, SetScale(corpus.DefaultScale()), PutQuery(corpus.Query{ID: "query-0001", Text: "xyzzy"}))
	err := db.update(func(tx *bolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte(bucketForgotten)), tx.Bucket([]byte(bucketMeta)).Put([]byte(keySchema), []byte("1")))
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	reader, err := OpenCopy(path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if is, err := reader.IsForgotten("query-0001"); is || err != nil {
		t.Errorf("forgotten: %v %v", is, err)
	}
	reader.Close()
	db = openDB(t, path, testOptions())
	verified(t, db)
	old := testOptions()
	old.schema = &schema{version: 1} // would write again what was forgotten
	var newer *NewerError
	if _, err := OpenCopy(path, old); !errors.As(err, &newer) || newer.Has != 2 {
		t.Errorf("an older program: %v", err)
	}
	backups, _ := filepath.Glob(path + ".*schema1.backup")
	if len(backups) != 1 {
		t.Fatalf("backups %v", backups)
	}
	forget(t, db, "query-0001")
	if held, err := Holds(path, "query-0001", []string{"xyzzy"}); held || err != nil {
		t.Errorf("the file holds it: %v", err)
	}
	if held, err := Holds(backups[0], "query-0001", nil); !held || err != nil {
		t.Errorf("the backup does not hold it: %v", err)
	}
}

// A whole import's worth of queries goes in one transaction.
func TestForgetMany(t *testing.T) {
	db := told(t, "query-0001")
	var ids []string
	var changes []Change
	for i := range 3 * manyNeedles {
		id := fmt.Sprintf("many-%03d", i)
		ids = append(ids, id)
		changes = append(changes, PutQuery(corpus.Query{ID: id, Text: "xyzzy asked for number " + id}), grade(id, "shared", "ann", 1))
	}
	write(t, db, Author{Annotator: "ann", Batch: "many"}, changes...)
	out := forget(t, db, append(ids, "query-0001")...)
	if out.Queries != len(ids)+1 || out.Labels != len(ids)+2 {
		t.Errorf("got %+v", out)
	}
	if all, err := db.Forgotten(); err != nil || len(all) != len(ids)+1 || !all.Has("many-007") || all.Has("many-07") {
		t.Errorf("%d are forgotten, %v", len(all), err)
	}
	gone(t, db, "query-0001")
	gone(t, db, "many-")
	checkOthers(t, db)
	verified(t, db)
}
