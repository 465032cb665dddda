package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
	"assay/store/internal/boltfile"
)

// Where the file can't be rewritten the error says so; another Forget, or the next Open, finishes it.
func TestForgetWithoutRoomToRewrite(t *testing.T) {
	ctx := context.Background()
	for _, again := range []string{"forget", "open"} {
		t.Run(again, func(t *testing.T) {
			full := true
			opt := testOptions()
			opt.rewrite = func(f *boltfile.File, change func(*bolt.Tx) error) (*boltfile.File, error) {
				if full {
					return f, errors.New("no room")
				}
				return f.Rewrite(change)
			}
			path := filepath.Join(t.TempDir(), "labels.db")
			db := openDB(t, path, opt)
			write(t, db, Author{}, SetScale(corpus.DefaultScale()))
			tellAll(t, db, "query-0001")
			out, err := db.Forget(ctx, Author{}, "query-0001")
			if !errors.Is(err, ErrTraces) || !strings.Contains(err.Error(), "no room") || out.Queries != 1 {
				t.Fatalf("got %+v, %v", out, err)
			}
			if is, err := db.IsForgotten("query-0001"); !is || err != nil {
				t.Errorf("it is not forgotten: %v", err)
			}
			verified(t, db)
			if !bytes.Contains(raw(t, db), []byte(secret)) {
				t.Error("there are no traces: this test shows nothing")
			}
			if out, err := db.Forget(ctx, Author{}, "query-0001"); !errors.Is(err, ErrTraces) || len(out.Already) != 1 {
				t.Errorf("still no room: %+v, %v", out, err)
			}
			if again == "open" {
				db.Close()
				db = openDB(t, path, opt) // no room is no reason not to work
				write(t, db, Author{}, PutQuery(corpus.Query{ID: "more", Text: "more"}))
				db.Close()
				full = false
				db = openDB(t, path, opt)
			} else {
				full = false
				if out := forget(t, db, "query-0001"); len(out.Already) != 1 || out.Queries != 0 {
					t.Errorf("finishing: %+v", out)
				}
			}
			gone(t, db, "query-0001")
			verified(t, db)
			// There is nothing left to rewrite for.
			before := raw(t, db)
			forget(t, db, "query-0001")
			if !bytes.Equal(before, raw(t, db)) {
				t.Error("the file was rewritten for nothing")
			}
		})
	}
}

// A process that is killed while it forgets leaves all of the query or nothing, and the next Open removes the rest.
func TestForgetKilled(t *testing.T) {
	const step, file = "STORE_TEST_STEP", "STORE_TEST_FILE"
	die := func() {
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
	if at := os.Getenv(step); at != "" {
		opt := testOptions()
		opt.rewrite = func(f *boltfile.File, change func(*bolt.Tx) error) (*boltfile.File, error) {
			if at == "committed" {
				die()
			}
			next, err := f.Rewrite(func(tx *bolt.Tx) error {
				if at == "copied" {
					die()
				}
				return change(tx)
			})
			if at == "rewritten" {
				die()
			}
			return next, err
		}
		looks := 0
		now := opt.Now
		if db, err := Open(os.Getenv(file), opt); err == nil {
			db.opt.Now = func() time.Time {
				if looks++; at == "forgetting" && looks == 2 { // the clock is looked at again for the last event
					die()
				}
				return now()
			}
			_, _ = db.Forget(context.Background(), Author{}, "query-0001")
		}
		t.Fatal("it was not killed")
	}
	for _, at := range []string{"forgetting", "committed", "copied", "rewritten"} {
		t.Run(at, func(t *testing.T) {
			db := told(t, "query-0001")
			path := db.path
			before, err := db.Labels("query-0001")
			if err != nil {
				t.Fatal(err)
			}
			db.Close()
			cmd := exec.Command(os.Args[0], "-test.run", "^TestForgetKilled$")
			cmd.Env = append(os.Environ(), step+"="+at, file+"="+path)
			if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("FAIL")) {
				t.Fatalf("%v\n%s", err, out)
			}
			if left, _ := filepath.Glob(path + ".rewrite-*"); (len(left) == 1) != (at == "copied") {
				t.Errorf("left: %v", left)
			} else if len(left) == 1 {
				if b, _ := os.ReadFile(left[0]); bytes.Contains(b, []byte(secret)) {
					t.Error("what is left holds what was forgotten")
				}
			}
			db = openDB(t, path, testOptions())
			verified(t, db)
			if at == "forgetting" {
				labels, err := db.Labels("query-0001")
				if is, _ := db.IsForgotten("query-0001"); is || err != nil || !reflect.DeepEqual(before, labels) {
					t.Errorf("half of it is forgotten: %+v %v", labels, err)
				}
				forget(t, db, "query-0001")
			}
			gone(t, db, "query-0001")
			checkOthers(t, db)
		})
	}
}

// Others read and write on while a query is forgotten.
func TestForgetBesideOthers(t *testing.T) {
	db := told(t, "query-0001")
	write(t, db, Author{}, PutQuery(corpus.Query{ID: "query-0002", Text: "another xyzzy question"}))
	var others sync.WaitGroup
	stop := make(chan struct{})
	fail := func(what string, err error) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range 2 {
		others.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				_, err := db.Counts()
				fail("count", err)
				fail("walk", db.EachLabel(context.Background(), func(corpus.Label) error { return nil }))
				_, err = db.Write(context.Background(), Author{}, grade(another, fmt.Sprintf("c%d-%d", i, n%7), "ann", corpus.Grade(n%4)))
				fail("write", err)
				r, err := OpenCopy(db.path, Options{})
				if fail("copy", err); err == nil {
					r.Close()
				}
			}
		})
	}
	forget(t, db, "query-0001")
	forget(t, db, "query-0002")
	close(stop)
	others.Wait()
	gone(t, db, "query-0001")
	verified(t, db)
}

// Random histories: what is said of the queries that are left is the same before and after, the journal proves it, and
// undoing goes on.
func TestForgetInHistories(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 11))
			db := testDB(t)
			queries := []string{"q-a", "q-aa", "q-b", "q", strings.Repeat("q", 2000), "q\x00"}
			pick := func(from ...string) string { return from[rng.IntN(len(from))] }
			var events []corpus.Event
			batch := 0
			for range 120 {
				q, who := pick(queries...), pick("ann", "ben")
				by := Author{Annotator: who}
				if rng.IntN(3) == 0 {
					by.Batch = fmt.Sprint("batch ", rng.IntN(4))
				}
				var changes []Change
				switch rng.IntN(8) {
				case 0:
					changes = append(changes, PutQuery(corpus.Query{ID: q, Text: pick("what is this?", "what is that?", "and what was it then?") + " " + q}))
				case 1:
					changes = append(changes, ClearLabel(keyOf(q, "c1", who)))
				case 2:
					changes = append(changes, AddSearch(corpus.SearchTried{QueryID: q, Annotator: who, Text: "s " + q}))
				case 3:
					changes = append(changes, PutSaid(corpus.Said{QueryID: q, What: corpus.SaidNote, Value: "note on " + q, Annotator: who}))
				case 4:
					if len(events) > 0 {
						if e, err := db.Undo(ctx, by, events[rng.IntN(len(events))].ID); err == nil {
							events = append(events, e)
						} else if !errors.Is(err, ErrChangedSince) {
							t.Fatal(err)
						}
					}
				case 5:
					batch++
					if _, _, err := db.UndoBatch(ctx, Author{Annotator: who, Batch: fmt.Sprint("undo ", batch)}, fmt.Sprint("batch ", rng.IntN(4))); err != nil && !errors.Is(err, ErrNoBatch) {
						t.Fatal(err)
					}
				default:
					changes = append(changes, grade(q, pick("c1", "c2", "c3"), who, corpus.Grade(rng.IntN(4))), grade(pick(queries...), "c1", who, 1))
				}
				events = append(events, write(t, db, by, changes...)...)
			}
			drop := []string{pick(queries...), pick(queries...)}
			write(t, db, Author{}, grade(drop[0], "c1", "chi", 1), grade(drop[1], "c1", "chi", 2))
			before := said(t, db, drop)
			forget(t, db, drop...)
			if after := said(t, db, drop); !reflect.DeepEqual(before, after) {
				t.Errorf("what is left changed from\n%q to\n%q", before, after)
			}
			verified(t, db)
			for _, id := range drop {
				if held, err := Holds(db.path, "", []string{"note on " + id, "s " + id}); held || err != nil {
					t.Errorf("the file holds what was said of %.10q: %v", id, err)
				}
				if quoted, err := encodeJSON(id); err != nil || bytes.Contains(raw(t, db), quoted) {
					t.Errorf("the file holds %.10q: %v", id, err)
				}
			}
			for _, e := range events { // an undo of whatever event brings none of them back
				_, err := db.Undo(ctx, Author{}, e.ID)
				if wasForgotten := slices.Contains(drop, e.Subject.Query); errors.Is(err, ErrForgotten) != wasForgotten || err != nil && !wasForgotten && !errors.Is(err, ErrChangedSince) {
					t.Errorf("undo of %+v: %v", e, err)
				}
			}
			batches, err := db.Batches()
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range batches {
				if _, _, err := db.UndoBatch(ctx, Author{Batch: "last undo of " + b.ID}, b.ID); err != nil {
					t.Errorf("undo of %s: %v", b.ID, err)
				}
			}
			for _, id := range drop {
				if labels, err := db.Labels(id); len(labels) > 0 || err != nil {
					t.Errorf("%.10q has labels again: %v", id, err)
				}
			}
			verified(t, db)
		})
	}
}

// said is all that is said of other queries than those.
func said(t *testing.T, db *DB, but []string) (all []string) {
	t.Helper()
	ctx := context.Background()
	add := func(id string, v any) error {
		if !slices.Contains(but, id) {
			raw, err := encodeJSON(v)
			all = append(all, string(raw))
			return err
		}
		return nil
	}
	queries, err := db.Queries()
	for _, q := range queries {
		err = errors.Join(err, add(q.ID, q))
	}
	err = errors.Join(err,
		db.EachLabel(ctx, func(l corpus.Label) error { return add(l.QueryID, l) }),
		db.EachWork(ctx, func(w corpus.Work) error { return add(w.QueryID, w) }),
		db.EachSaid(ctx, func(s corpus.Said) error { return add(s.QueryID, s) }),
		db.EachSearch(ctx, func(s corpus.SearchTried) error { return add(s.QueryID, s) }))
	inDoc, err2 := db.LabelsIn("c1", "doc/c1")
	for _, l := range inDoc {
		err = errors.Join(err, add(l.QueryID, l))
	}
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return all
}
