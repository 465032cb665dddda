package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// Author says who writes, and in what circumstances.
type Author struct {
	Annotator  string        // "": the annotator that the change is about
	Role       string        // e.g. "annotator", "import", "adjudicator"
	Guidelines corpus.Hash   // of the guidelines in force; given to labels that name none
	Batch      string        // groups the changes of one import; "" for none
	Active     time.Duration // time spent on it, idle excluded; of a Write with several changes the first has it
}

func (by Author) check() error {
	for _, name := range []struct{ what, id string }{{"annotator", by.Annotator}, {"role", by.Role}, {"batch", by.Batch}} {
		if name.id == "" {
			continue
		}
		if err := checkName(name.what, name.id); err != nil {
			return err
		}
	}
	return nil
}

// Write makes the changes in one transaction, all or none, and returns once they are on disk. It returns an event for
// each change that did change something. An import writes a few thousand changes at a time under one Author.Batch.
func (db *DB) Write(ctx context.Context, by Author, changes ...Change) ([]corpus.Event, error) {
	for _, c := range changes {
		if c.err != nil {
			return nil, fmt.Errorf("write %s: %w", c.kind, c.err)
		}
	}
	return db.write(ctx, by, func(w *writer) error {
		for i, c := range changes {
			if i%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := w.change(c); err != nil {
				return fmt.Errorf("write %s: %w", c.kind, err)
			}
		}
		return nil
	})
}

// write runs fn in a write transaction and returns the events that it appended.
func (db *DB) write(ctx context.Context, by Author, fn func(*writer) error) ([]corpus.Event, error) {
	if err := by.check(); err != nil {
		return nil, fmt.Errorf("write: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var events []corpus.Event
	err := db.update(func(tx *bolt.Tx) error {
		w := &writer{db: db, tx: tx, by: by, now: db.opt.Now().UTC().Truncate(time.Millisecond), clock: db.clock}
		w.projector = &projector{tx: tx}
		if by.Batch != "" {
			w.projector.bulk()
		}
		if err := fn(w); err != nil {
			return err
		}
		events = w.events
		return w.finish()
	})
	if err != nil && !errors.Is(err, errNothing) {
		return nil, err
	}
	return events, nil
}

// writer is one write transaction of one author. It is used under the DB's writing lock.
type writer struct {
	db        *DB
	tx        *bolt.Tx
	by        Author
	now       time.Time
	clock     corpus.HLC
	events    []corpus.Event
	projector *projector
	kept      bool // a text was kept
}

// known is what a writer looked up and the next one need not: decoding it takes longer than the rest of a label. It is
// forgotten with each event that says otherwise, and with each transaction that fails.
type known struct {
	inForce map[string]string       // by bucket: the id of the scale and the corpus in force
	scales  map[string]corpus.Scale // by id
	// forgotten is nil until somebody asks.
	forgotten ForgottenIDs
}

func newKnown() known {
	return known{inForce: map[string]string{}, scales: map[string]corpus.Scale{}}
}

// errNothing ends a transaction that has nothing to save.
var errNothing = errors.New("there is nothing to save")

func (w *writer) when(at time.Time) time.Time {
	if at.IsZero() {
		return w.now
	}
	return at.UTC()
}

// change settles one change against the state and appends the event that it makes.
func (w *writer) change(c Change) error {
	if err := w.mayChange(c.subject); err != nil {
		return err
	}
	var old record
	if c.kind != corpus.EventSearch { // each search is its own subject
		at, err := placeOf(c.kind, c.subject, nil)
		if err != nil {
			return err
		}
		if old, _, err = at.read(w.tx); err != nil {
			return err
		}
	}
	before := orNil(bytes.Clone(old.value))
	after, err := c.settle(w, before)
	same := errors.Is(err, errSame)
	if err != nil && !same {
		return err
	}
	if c.text != "" { // also where an earlier label came without it
		if err := w.keepText(c.text); err != nil {
			return err
		}
	}
	if same {
		return nil
	}
	e := corpus.Event{Kind: c.kind, At: w.when(c.at), Subject: c.subject, Before: before, After: after,
		Parent: old.event, Found: c.found, CorpusID: c.corpus, ScaleID: c.scale, GuidelinesHash: w.by.Guidelines}
	return w.append(e)
}

// append gives the event its place in the journal and projects it.
func (w *writer) append(e corpus.Event) error {
	var err error
	if w.clock, err = nextHLC(w.clock, w.db.opt.Now()); err != nil {
		return err
	}
	journal := w.tx.Bucket([]byte(bucketEvents))
	journal.FillPercent = fill
	if e.Seq, err = journal.NextSequence(); err != nil {
		return err
	}
	w.db.counter++
	e.V, e.HLC = eventVersion, w.clock
	e.ID = corpus.EventID(w.db.opt.Process + "-" + strconv.FormatUint(w.db.counter, 10))
	if e.Annotator = w.by.Annotator; e.Annotator == "" {
		e.Annotator = e.Subject.Annotator
	}
	e.Role, e.Batch, e.Program = w.by.Role, w.by.Batch, w.db.opt.Program
	if len(w.events) == 0 {
		e.ActiveMS = w.by.Active.Milliseconds()
	}
	if e.Kind == corpus.EventSearch && e.Subject.Value == "" {
		e.Subject.Value = string(e.ID)
	}
	if e.Kind == corpus.EventLabel && e.ScaleID == "" {
		if e.ScaleID, err = w.idInForce(bucketScales); err != nil {
			return err
		}
	}
	if e.CorpusID == "" {
		if e.CorpusID, err = w.idInForce(bucketCorpora); err != nil {
			return err
		}
	}
	raw, err := encodeEvent(e)
	if err != nil {
		return err
	}
	if err := journal.Put(seqKey(e.Seq), raw); err != nil {
		return err
	}
	if err := w.projector.apply(e); err != nil {
		return err
	}
	switch e.Kind {
	case corpus.EventScale, corpus.EventCorpus, EventForget:
		w.db.known = newKnown()
	}
	w.events = append(w.events, e)
	return nil
}

// finish writes what a transaction keeps beside its events.
func (w *writer) finish() error {
	if len(w.events) == 0 {
		if w.kept {
			return nil
		}
		return errNothing
	}
	if err := w.projector.flush(); err != nil {
		return err
	}
	// The clock never runs backwards, not even in a process that starts after the wall clock was set back.
	w.db.clock = w.clock
	return w.tx.Bucket([]byte(bucketMeta)).Put([]byte(keyClock), seqKey(uint64(w.clock)))
}

// idInForce is the id of the scale or the corpus in force, "" where there is none.
func (w *writer) idInForce(bucket string) (string, error) {
	if id, ok := w.db.known.inForce[bucket]; ok {
		return id, nil
	}
	r, _, err := place{bucket, []byte(keyInForce)}.read(w.tx)
	if err != nil {
		return "", err
	}
	var named struct {
		ID string `json:"id"`
	}
	if len(r.value) > 0 {
		if err := json.Unmarshal(r.value, &named); err != nil {
			return "", fmt.Errorf("read %s: %w", bucket, err)
		}
	}
	w.db.known.inForce[bucket] = named.ID
	return named.ID, nil
}

// scaleOf finds the scale that a label is on: the one that it names, else the one in force.
func (w *writer) scaleOf(id string) (corpus.Scale, error) {
	if id == "" {
		var err error
		if id, err = w.idInForce(bucketScales); err != nil {
			return corpus.Scale{}, err
		}
		if id == "" {
			return corpus.Scale{}, errors.New("no scale is in force")
		}
	}
	if s, ok := w.db.known.scales[id]; ok {
		return s, nil
	}
	var s corpus.Scale
	ok, err := readJSON(w.tx, place{bucketScales, joinKey(id)}, &s)
	if err != nil {
		return s, err
	}
	if !ok {
		return s, fmt.Errorf("there is no scale %q", id)
	}
	w.db.known.scales[id] = s
	return s, nil
}

// keepText keeps a labeled chunk's text, once.
func (w *writer) keepText(text string) error {
	key, _ := textKey(corpus.HashText(text))
	texts := w.tx.Bucket([]byte(bucketTexts))
	if texts.Get(key) != nil {
		return nil
	}
	w.kept = true
	return texts.Put(key, []byte(text))
}

// hasSearch reports whether the search is noted already, word for word.
func (w *writer) hasSearch(s corpus.SearchTried, raw []byte) (bool, error) {
	prefix := joinKey(s.QueryID, s.Annotator, "")
	c := w.tx.Bucket([]byte(bucketSearches)).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		r, err := decodeRecord(v)
		if err != nil {
			return false, err
		}
		if bytes.Equal(r.value, raw) {
			return true, nil
		}
	}
	return false, nil
}
