package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/corpus"
)

// eachEvent calls fn with each event of the journal as it is kept, valid within the call only.
func (f *forgetting) eachEvent(fn func(seq uint64, raw []byte) error) error {
	c := f.tx.Bucket([]byte(bucketEvents)).Cursor()
	n := 0
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if n++; n%1024 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if err := fn(seqOfKey(k), v); err != nil {
			return fmt.Errorf("event %d: %w", seqOfKey(k), err)
		}
	}
	return nil
}

// gather reads the journal for the queries' events, every text that the queries ever had, and the chunks that were
// labeled.
func (f *forgetting) gather() error {
	err := f.eachEvent(func(seq uint64, raw []byte) error {
		if !f.mention.maybe(raw) {
			return nil
		}
		e, err := decodeEvent(raw)
		if err != nil {
			return err
		}
		own := f.mention.ids[e.Subject.Query]
		if own {
			f.seen[e.Subject.Query] = true
			f.seqs = append(f.seqs, seq)
		}
		for _, value := range []json.RawMessage{e.Before, e.After} {
			if value == nil {
				continue
			}
			if own {
				eachChunkHash(value, func(h corpus.Hash) { f.chunks[h] = true })
			}
			if e.Kind == corpus.EventQuery {
				if err := f.gatherTexts(value, own); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// A draft may be all that there is of a query, or a label that came without one.
	return f.sweep(bucketDrafts, nil, func(_, v []byte) bool {
		var d draft
		if json.Unmarshal(v, &d) == nil && f.mention.ids[draftQuery(d.Name)] {
			f.seen[draftQuery(d.Name)] = true
		}
		return false
	})
}

// gatherTexts learns the text that a query has in an event: its own or, in another's, that of a variant.
func (f *forgetting) gatherTexts(value []byte, own bool) error {
	var q corpus.Query
	if err := json.Unmarshal(value, &q); err != nil {
		return err
	}
	if own {
		f.mention.learn(q.Text)
		return nil
	}
	for _, v := range q.Variants {
		if f.mention.ids[v.ID] {
			f.seen[v.ID] = true
			f.mention.learn(v.Text)
		}
	}
	for _, id := range []string{q.ParentID, q.Group} {
		if f.mention.ids[id] {
			f.seen[id] = true
		}
	}
	return nil
}

// chunkHashKey comes before a chunk's hash in a label's anchor, as this program and JSON encoders without spaces write it.
const chunkHashKey = `"chunk_sha256":`

// eachChunkHash finds the hashes of chunks in JSON, without decoding it.
func eachChunkHash(raw []byte, fn func(corpus.Hash)) {
	for {
		_, after, found := bytes.Cut(raw, []byte(chunkHashKey))
		if !found {
			return
		}
		raw = after
		after = bytes.TrimLeft(after, " \"")
		if len(after) >= 64 {
			fn(corpus.Hash(strings.ToLower(string(after[:64]))))
		}
	}
}

// bury puts a tombstone in the place of each of the queries' events and takes it out of the lists of its annotator and
// its batch, as a replay of the tombstone would leave it.
func (f *forgetting) bury() error {
	journal := f.tx.Bucket([]byte(bucketEvents))
	for _, seq := range f.seqs {
		e, err := eventAt(f.tx, seq)
		if err != nil {
			return err
		}
		for bucket, name := range map[string]string{bucketByAnnotator: e.Annotator, bucketByBatch: e.Batch} {
			if name == "" {
				continue
			}
			if err := f.tx.Bucket([]byte(bucket)).Delete(listKey(name, seq)); err != nil {
				return err
			}
		}
		if e.Batch != "" {
			f.batches[e.Batch] = true
		}
		raw, err := encodeEvent(corpus.Event{V: e.V, Kind: EventForgotten, ID: e.ID, Seq: e.Seq, HLC: e.HLC, At: e.At})
		if err != nil {
			return err
		}
		if err := journal.Put(seqKey(seq), raw); err != nil {
			return err
		}
		f.out.Events++
	}
	for id := range f.batches {
		if err := f.sumUp(id); err != nil {
			return err
		}
	}
	return nil
}

// sumUp writes a batch's summary anew, or drops that of a batch that has no event left.
func (f *forgetting) sumUp(id string) error {
	s := &summary{ID: id, Annotators: []string{}, Kinds: map[corpus.EventKind]int{}}
	var bad error
	empty := true
	eachListed(f.tx, bucketByBatch, id, func(seq uint64) {
		empty = false
		// No more than the summary needs: an import may have a million events.
		var e struct {
			Kind      corpus.EventKind `json:"kind"`
			HLC       corpus.HLC       `json:"hlc"`
			Annotator string           `json:"annotator"`
		}
		if err := json.Unmarshal(f.tx.Bucket([]byte(bucketEvents)).Get(seqKey(seq)), &e); err != nil {
			bad = fmt.Errorf("event %d: %w", seq, err)
			return
		}
		s.add(corpus.Event{Kind: e.Kind, HLC: e.HLC, Annotator: e.Annotator})
	})
	if bad != nil {
		return bad
	}
	at := place{bucketByBatch, joinKey(id, "")}
	if empty {
		return f.tx.Bucket([]byte(bucketByBatch)).Delete(at.key)
	}
	raw, err := encodeJSON(s)
	if err != nil {
		return err
	}
	return at.put(f.tx, raw)
}

// cleanOthers takes mentions of the queries out of the events that are left and out of the state that these set. It
// also finds out which chunks' texts others need.
func (f *forgetting) cleanOthers() error {
	cleaned := map[uint64]corpus.Event{}
	mentions := map[string]int{} // by place: the most that one event held
	err := f.eachEvent(func(seq uint64, raw []byte) error {
		if len(f.chunks) > 0 {
			eachChunkHash(raw, func(h corpus.Hash) { delete(f.chunks, h) })
		}
		if !f.mention.maybe(raw) {
			return nil
		}
		e, err := decodeEvent(raw)
		if err != nil {
			return err
		}
		n, err := f.mention.event(&e)
		if err != nil || n == 0 {
			return err
		}
		cleaned[seq] = e
		at := fmt.Sprint(e.Kind, e.Subject)
		mentions[at] = max(mentions[at], n)
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range mentions {
		f.out.Mentions += n
	}
	for seq, e := range cleaned {
		if err := f.replace(seq, e); err != nil {
			return fmt.Errorf("event %d: %w", seq, err)
		}
	}
	return nil
}

// replace writes a cleaned event, and the record where it is the one that set it last.
func (f *forgetting) replace(seq uint64, e corpus.Event) error {
	raw, err := encodeEvent(e)
	if err != nil {
		return err
	}
	if err := f.tx.Bucket([]byte(bucketEvents)).Put(seqKey(seq), raw); err != nil {
		return err
	}
	at, err := placeOf(e.Kind, e.Subject, func(id corpus.EventID) uint64 { return seqOf(f.tx, id) })
	if err != nil {
		return nil // it sets no state
	}
	r, ok, err := at.read(f.tx)
	if err != nil || !ok || r.event != e.ID {
		return err
	}
	r.value = slices.Clone(e.After)
	return at.put(f.tx, r.encode())
}
