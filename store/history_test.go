package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

// Any history leaves a state that is what its events make it, for the writer, after a restart, and for a reader.
func TestRandomHistories(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			path := filepath.Join(t.TempDir(), "labels.db")
			opt := testOptions()
			clock := &testClock{now: opt.Now()}
			opt.Now = clock.Now
			db := openDB(t, path, opt)
			write(t, db, Author{}, SetScale(corpus.NewScale(0, 9, nil, 1)))
			h := &history{t: t, rnd: rnd, db: db, batch: "b0"}
			for step := range 150 {
				h.step(step)
				switch rnd.IntN(40) {
				case 0: // the wall clock steps back
					clock.set(clock.Now().AddDate(0, 0, -3))
				case 1: // a restart, as the same process id or another
					if err := h.db.Close(); err != nil {
						t.Fatal(err)
					}
					if rnd.IntN(2) == 0 {
						opt.Process = fmt.Sprintf("%032x", rnd.Uint64())
					}
					h.db = openDB(t, path, opt)
				}
			}
			report := verified(t, h.db)
			events, err := h.db.Events(0, 0)
			if err != nil || len(events) != report.Events {
				t.Fatalf("%d events, %v; %d verified", len(events), err, report.Events)
			}
			ids := map[corpus.EventID]bool{}
			for i, e := range events {
				if e.Seq != uint64(i+1) || ids[e.ID] || i > 0 && e.HLC <= events[i-1].HLC {
					t.Fatalf("event %d is %s at %d with number %d", i, e.ID, e.HLC, e.Seq)
				}
				ids[e.ID] = true
			}
			want := snapshot(t, h.db)
			reader, err := OpenCopy(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			verified(t, reader)
			if got := snapshot(t, reader); got != want {
				t.Errorf("the reader sees\n%s\nthe writer\n%s", got, want)
			}
			a, err1 := reader.LabelsFingerprint()
			b, err2 := h.db.LabelsFingerprint()
			if a != b || errors.Join(err1, err2) != nil {
				t.Errorf("fingerprints %s and %s, %v, %v", a, b, err1, err2)
			}
		})
	}
}

// history makes random changes, undos and redos over few subjects, so that they meet.
type history struct {
	t     *testing.T
	rnd   *rand.Rand
	db    *DB
	batch string
	ids   []corpus.EventID
}

func (h *history) pick(from ...string) string { return from[h.rnd.IntN(len(from))] }

func (h *history) change() Change {
	q, who := h.pick("q1", "q2", "a\x00b/ÿ", "q1ÿ"), h.pick("ann", "bob")
	k := h.pick("k1", "k2", "http://x/?a=b", strings.Repeat("k", 2000))
	switch h.rnd.IntN(13) {
	case 0:
		return PutQuery(corpus.Query{ID: q, Text: h.pick("how", "why", "what <b>"), Excluded: h.rnd.IntN(4) == 0})
	case 1, 2, 3, 4:
		g := corpus.Grade(h.rnd.IntN(5))
		if g == 4 {
			g = corpus.CannotJudge
		}
		return grade(q, k, who, g)
	case 5:
		return ClearLabel(keyOf(q, k, who))
	case 6:
		return PutWork(corpus.Work{QueryID: q, Annotator: who, State: corpus.State(h.pick("open", "later", "skipped", "done"))})
	case 7:
		return PutSaid(corpus.Said{QueryID: q, Annotator: who, What: corpus.What(h.pick("tag", "hard_negative", "note", "answer")),
			Value: h.pick("x", "y\x00", strings.Repeat("long ", 500))})
	case 8:
		return PutSaid(corpus.Said{QueryID: q, Annotator: who, What: corpus.SaidConflict, Value: `["k1","k2"]`,
			Proof: []byte(h.pick(`{"holds":"k1"}`, `{"holds":"k2"}`))})
	case 9:
		return DropSaid(corpus.Said{QueryID: q, Annotator: who, What: corpus.What(h.pick("tag", "note", "conflict")),
			Value: h.pick("x", `["k1","k2"]`)})
	case 10:
		return AddSearch(corpus.SearchTried{QueryID: q, Annotator: who, Text: h.pick("a", "b"), Deepest: h.rnd.IntN(3)})
	case 11:
		return PutCorpus(corpus.Info{ID: h.pick("c1", "c2"), Chunks: h.rnd.IntN(2)})
	}
	return SetScale(corpus.NewScale(0, 9, nil, corpus.Grade(h.rnd.IntN(3)+1)))
}

func (h *history) step(n int) {
	ctx := context.Background()
	switch h.rnd.IntN(6) {
	case 0, 1, 2:
		by := Author{Annotator: h.pick("ann", "bob", "")}
		changes := []Change{h.change()}
		if h.rnd.IntN(3) == 0 {
			by.Batch = h.batch
			for range h.rnd.IntN(8) {
				changes = append(changes, h.change())
			}
		}
		for _, e := range write(h.t, h.db, by, changes...) {
			h.ids = append(h.ids, e.ID)
		}
	case 3, 4:
		if len(h.ids) == 0 {
			return
		}
		recent := h.ids[max(0, len(h.ids)-6):]
		e, err := h.db.Undo(ctx, Author{Annotator: "ann"}, recent[h.rnd.IntN(len(recent))])
		if errors.Is(err, ErrChangedSince) {
			return
		}
		if err != nil {
			h.t.Fatal(err)
		}
		h.ids = append(h.ids, e.ID)
	case 5:
		if h.rnd.IntN(3) > 0 {
			return
		}
		batch := h.batch
		if h.rnd.IntN(3) == 0 {
			batch = "undo " + batch
		} else {
			h.batch = fmt.Sprint("b", n)
		}
		if _, _, err := h.db.UndoBatch(ctx, Author{}, batch); err != nil && !errors.Is(err, ErrNoBatch) {
			h.t.Fatal(err)
		}
	}
}

// The journal is enough: what two processes said in turn comes out the same in any order of arrival.
func TestStateDoesNotDependOnArrival(t *testing.T) {
	db := testDB(t)
	h := &history{t: t, rnd: rand.New(rand.NewPCG(3, 3)), db: db, batch: "b"}
	write(t, db, Author{}, SetScale(corpus.NewScale(0, 9, nil, 1)))
	for step := range 80 {
		h.step(step)
	}
	events, err := db.Events(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, db)
	for seed := range uint64(3) {
		other := emptyDB(t)
		rnd := rand.New(rand.NewPCG(seed, 1))
		order := rnd.Perm(len(events))
		// Searches are listed by the number that they got here, and are named by an event that must have come: so
		// creations stay in front, as any merge would keep them.
		_, err := other.write(context.Background(), Author{}, func(w *writer) error {
			journal := w.tx.Bucket([]byte(bucketEvents))
			for _, searches := range []bool{true, false} {
				for n, i := range order {
					e := events[i]
					if searches {
						e = events[n]
					}
					if (e.Kind == corpus.EventSearch) != searches {
						continue
					}
					seq, err := journal.NextSequence()
					if err != nil {
						return err
					}
					e.Seq, w.clock = seq, max(w.clock, e.HLC)
					raw, err := encodeEvent(e)
					if err != nil {
						return err
					}
					if err := errors.Join(journal.Put(seqKey(seq), raw), w.projector.apply(e)); err != nil {
						return err
					}
					w.events = append(w.events, e)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := snapshot(t, other); got != want {
			t.Errorf("order %d gives\n%s\nwant\n%s", seed, got, want)
		}
		verified(t, other)
	}
}
