package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// undoRows is how many events of a batch one transaction takes back.
const undoRows = 10_000

// Undo takes an event back: it appends a new one that sets the subject to what it was before, and returns that. To
// redo is to undo the undo. ErrChangedSince says that something else set the subject since (or that the event is
// undone already), ErrNoEvent that there is no such event, ErrForgotten that its query was forgotten.
func (db *DB) Undo(ctx context.Context, by Author, id corpus.EventID) (corpus.Event, error) {
	events, err := db.write(ctx, by, func(w *writer) error {
		e, err := eventByID(w.tx, id)
		if err != nil {
			return err
		}
		if isOfForgotten(e) {
			return ErrForgotten
		}
		_, old, err := w.subject(e)
		if err != nil {
			return err
		}
		switch standing, err := w.standing(e, old.event); {
		case err != nil:
			return err
		case standing != stands:
			return ErrChangedSince
		}
		return w.revert(e, old)
	})
	if err != nil {
		return corpus.Event{}, fmt.Errorf("undo: %w", err)
	}
	return events[0], nil
}

// UndoBatch takes back what a batch changed and nobody changed since. It returns how many events it took back, and of
// the subjects that are left alone the batch's newest event. Its own events form one batch (by.Batch, else "undo " and
// the batch's id), which can be undone in turn. Where it is cut short, what it did so far stays, and calling it again
// finishes it.
func (db *DB) UndoBatch(ctx context.Context, by Author, batch string) (reverted int, kept []corpus.Event, err error) {
	if by.Batch == "" {
		by.Batch = "undo " + batch
	}
	if by.Batch == batch {
		return 0, nil, errors.New("undo batch: the undo must be a batch of its own")
	}
	var seqs []uint64
	err = db.view(func(tx *bolt.Tx) error {
		eachListed(tx, bucketByBatch, batch, func(seq uint64) { seqs = append(seqs, seq) })
		return nil
	})
	if err == nil && len(seqs) == 0 {
		err = fmt.Errorf("%w: %q", ErrNoBatch, batch)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("undo batch: %w", err)
	}
	slices.Reverse(seqs) // the newest first: what was changed twice goes back in two steps
	left := map[string]bool{}
	for chunk := range slices.Chunk(seqs, undoRows) {
		var keptNow []corpus.Event
		events, err := db.write(ctx, by, func(w *writer) error {
			keptNow = nil
			for i, seq := range chunk {
				if i%256 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				e, isKept, err := w.revertSeq(seq, left)
				if err != nil {
					return err
				}
				if isKept {
					keptNow = append(keptNow, e)
				}
			}
			return nil
		})
		if err != nil {
			return reverted, kept, fmt.Errorf("undo batch: %w", err)
		}
		reverted += len(events)
		kept = append(kept, keptNow...)
	}
	return reverted, kept, nil
}

// revertSeq takes an event back if it still stands. kept says that it does not, because of something that was said
// since; left holds the subjects that this was said of already.
func (w *writer) revertSeq(seq uint64, left map[string]bool) (e corpus.Event, kept bool, err error) {
	e, err = eventAt(w.tx, seq)
	if err != nil || isOfForgotten(e) {
		return e, false, err
	}
	at, old, err := w.subject(e)
	if err != nil {
		return e, false, err
	}
	standing, err := w.standing(e, old.event)
	if err != nil {
		return e, false, err
	}
	switch standing {
	case stands:
		return e, false, w.revert(e, old)
	case replaced:
		name := string(at.key)
		kept, left[name] = !left[name], true
	}
	return e, kept, nil
}

// subject is where the event's subject is kept and what is there.
func (w *writer) subject(e corpus.Event) (place, record, error) {
	at, err := placeOf(e.Kind, e.Subject, func(id corpus.EventID) uint64 { return seqOf(w.tx, id) })
	if err != nil {
		return at, record{}, fmt.Errorf("event %q: %w", e.ID, err)
	}
	old, _, err := at.read(w.tx)
	old.value = bytes.Clone(old.value)
	return at, old, err
}

// standing is what became of an event.
type standing int

const (
	stands   standing = iota // the subject is as the event left it
	undone                   // the event was taken back
	replaced                 // something else was said since
)

// standing follows the undos from the event that last set the subject, for after an undo it is as the event before
// the undone one left it. Where that leads to before e, e was taken back.
func (w *writer) standing(e corpus.Event, last corpus.EventID) (standing, error) {
	for last != e.ID {
		if last == "" {
			return undone, nil
		}
		head, err := eventByID(w.tx, last)
		if err != nil {
			return replaced, err
		}
		if head.Reverts == "" {
			if (record{hlc: head.HLC, event: head.ID}).olderThan(e.HLC, e.ID) {
				return undone, nil
			}
			return replaced, nil
		}
		taken, err := eventByID(w.tx, head.Reverts)
		if err != nil {
			return replaced, err
		}
		last = taken.Parent
	}
	return stands, nil
}

// revert appends the event that takes e back.
func (w *writer) revert(e corpus.Event, old record) error {
	return w.append(corpus.Event{Kind: e.Kind, At: w.now, Subject: e.Subject, Before: orNil(old.value), After: e.Before,
		Parent: old.event, Reverts: e.ID, CorpusID: e.CorpusID, ScaleID: e.ScaleID, GuidelinesHash: w.by.Guidelines})
}
