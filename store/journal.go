package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// Events lists up to limit events (0: all) after a local sequence number, oldest first.
func (db *DB) Events(after uint64, limit int) ([]corpus.Event, error) {
	var events []corpus.Event
	err := db.view(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(bucketEvents)).Cursor()
		for k, v := c.Seek(seqKey(after + 1)); k != nil && (limit <= 0 || len(events) < limit); k, v = c.Next() {
			e, err := decodeEvent(v)
			if err != nil {
				return fmt.Errorf("event %d: %w", seqOfKey(k), err)
			}
			events = append(events, e)
		}
		return nil
	})
	return events, err
}

// EventsBy lists up to limit (0: all) of the events that an annotator wrote before a local sequence number (0: all of
// them), newest first.
func (db *DB) EventsBy(annotator string, before uint64, limit int) ([]corpus.Event, error) {
	return db.listed(bucketByAnnotator, annotator, before, limit)
}

// EventsOf is EventsBy for the events of a batch.
func (db *DB) EventsOf(batch string, before uint64, limit int) ([]corpus.Event, error) {
	return db.listed(bucketByBatch, batch, before, limit)
}

func (db *DB) listed(bucket, name string, before uint64, limit int) ([]corpus.Event, error) {
	var events []corpus.Event
	err := db.view(func(tx *bolt.Tx) error {
		prefix := joinKey(name, "")
		c := tx.Bucket([]byte(bucket)).Cursor()
		if before == 0 {
			before = math.MaxInt64
		}
		k, _ := c.Seek(listKey(name, before))
		if k == nil {
			k, _ = c.Last()
		} else {
			k, _ = c.Prev()
		}
		for ; bytes.HasPrefix(k, prefix) && (limit <= 0 || len(events) < limit); k, _ = c.Prev() {
			seq := seqOfKey(k[len(prefix):])
			if seq == 0 {
				break // the batch's summary
			}
			e, err := eventAt(tx, seq)
			if err != nil {
				return err
			}
			events = append(events, e)
		}
		return nil
	})
	return events, err
}

// eachListed calls fn with the sequence number of each event in the list of a name, oldest first.
func eachListed(tx *bolt.Tx, bucket, name string, fn func(seq uint64)) {
	prefix := joinKey(name, "")
	c := tx.Bucket([]byte(bucket)).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		if seq := seqOfKey(k[len(prefix):]); seq != 0 {
			fn(seq)
		}
	}
}

// Event finds an event by id.
func (db *DB) Event(id corpus.EventID) (e corpus.Event, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		e, err = eventByID(tx, id)
		return err
	})
	return e, err
}

// Batch describes the events that were written under one batch id.
type Batch struct {
	ID         string
	First      time.Time // when the first and the last of them was written, UTC
	Last       time.Time
	Annotators []string // who wrote them, sorted
	Kinds      map[corpus.EventKind]int
	Events     int
	Reverts    []string // the batch that it takes back; empty where it is no undo
	Reverted   int      // how many of its events UndoBatch took back that were not put back since
}

// Undone reports whether UndoBatch took any of it back.
func (b Batch) Undone() bool { return b.Reverted > 0 }

// Batches lists all batches in the order in which they were begun.
func (db *DB) Batches() ([]Batch, error) {
	var batches []Batch
	err := db.view(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(bucketByBatch)).Cursor()
		for k, v := c.First(); k != nil; {
			// The summary comes first, after it the events, whose numbers begin with a small byte.
			name, _, found := bytes.Cut(k, []byte(sep))
			s := &summary{}
			if !found || json.Unmarshal(v, s) != nil {
				return fmt.Errorf("%q is no summary", k)
			}
			b := Batch{ID: s.ID, First: wallTime(s.First), Last: wallTime(s.Last), Annotators: s.Annotators, Kinds: s.Kinds}
			for _, n := range s.Kinds {
				b.Events += n
			}
			k, _ = c.Next()
			of, err := revertedBatch(tx, seqOfKey(k[max(0, len(k)-8):]))
			if err != nil {
				return err
			}
			if of != "" {
				b.Reverts = []string{of}
			}
			batches = append(batches, b)
			k, v = c.Seek(append(bytes.Clone(name), sep+sep...))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list batches: %w", err)
	}
	slices.SortFunc(batches, func(a, b Batch) int { return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.ID, b.ID)) })
	countReverted(batches)
	return batches, nil
}

// revertedBatch is the batch that the event with this number takes a part of back.
func revertedBatch(tx *bolt.Tx, seq uint64) (string, error) {
	e, err := eventAt(tx, seq)
	if err != nil || e.Reverts == "" {
		return "", err
	}
	r, err := eventByID(tx, e.Reverts)
	if errors.Is(err, ErrNoEvent) {
		return "", nil
	}
	return r.Batch, err
}

// countReverted fills in Reverted: an undo that was itself undone took nothing back.
func countReverted(batches []Batch) {
	undoers := map[string][]int{}
	for i, b := range batches {
		for _, of := range b.Reverts {
			undoers[of] = append(undoers[of], i)
		}
	}
	open := map[string]bool{} // guards against batches that were made to undo each other
	var reverted func(id string) int
	reverted = func(id string) (n int) {
		if open[id] {
			return 0
		}
		open[id] = true
		defer delete(open, id)
		for _, i := range undoers[id] {
			n += max(batches[i].Events-reverted(batches[i].ID), 0)
		}
		return n
	}
	for i := range batches {
		batches[i].Reverted = reverted(batches[i].ID)
	}
}

// PutDraft keeps an annotator's unfinished text under a name, e.g. "note/q1/c7". "" drops it. Drafts are not events.
func (db *DB) PutDraft(ctx context.Context, annotator, name, text string) error {
	if err := checkName("annotator", annotator); err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	if name == "" || !utf8.ValidString(name) {
		return fmt.Errorf("save draft: %q is no name", name)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := db.update(func(tx *bolt.Tx) error {
		if id := draftQuery(name); id != "" && text != "" {
			if forgotten, err := isForgotten(tx, id); err != nil || forgotten {
				return cmp.Or(err, ErrForgotten)
			}
		}
		at := place{bucketDrafts, joinKey(annotator, name)}
		raw, err := encodeJSON(draft{name, text})
		if err != nil {
			return err
		}
		old := at.get(tx)
		switch {
		case old == nil && text == "", bytes.Equal(old, raw):
			return errNothing
		case text == "":
			return tx.Bucket([]byte(bucketDrafts)).Delete(at.key)
		}
		return at.put(tx, raw)
	})
	if err != nil && !errors.Is(err, errNothing) {
		return fmt.Errorf("save draft: %w", err)
	}
	return nil
}

type draft struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// DropDraft drops a draft, if there is one.
func (db *DB) DropDraft(ctx context.Context, annotator, name string) error {
	return db.PutDraft(ctx, annotator, name, "")
}

// Drafts are an annotator's unfinished texts by name.
func (db *DB) Drafts(annotator string) (map[string]string, error) {
	drafts := map[string]string{}
	err := db.view(func(tx *bolt.Tx) error {
		prefix := joinKey(annotator, "")
		c := tx.Bucket([]byte(bucketDrafts)).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			var d draft
			if err := json.Unmarshal(v, &d); err != nil {
				return fmt.Errorf("read draft %q: %w", k, err)
			}
			drafts[d.Name] = d.Text
		}
		return nil
	})
	return drafts, err
}
