package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// fill is how full pages become that only ever grow at their end, bulkFill those that an import fills: bbolt leaves
// them half empty otherwise.
const (
	fill     = 0.95
	bulkFill = 0.85
)

// bulk prepares the transaction for many changes.
func (p *projector) bulk() {
	for _, name := range append(projected(), bucketTexts) {
		p.tx.Bucket([]byte(name)).FillPercent = bulkFill
	}
}

// record is the state of one subject: what was said last, and by which event. A subject that was removed keeps its
// record, without a value, so that the next event knows its parent and an undo whether it comes too late.
type record struct {
	hlc   corpus.HLC
	event corpus.EventID
	grade corpus.Grade // of a label, so that counting decodes no JSON; else 0
	value []byte       // JSON; empty where the subject was removed
}

const recordVersion = 1

// recordHead is the length of a record without event id and value: version 1, hlc 8, grade 4, length of the id 2.
const recordHead = 15

func (r record) encode() []byte {
	b := make([]byte, 0, recordHead+len(r.event)+len(r.value))
	b = append(b, recordVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(r.hlc))
	b = binary.BigEndian.AppendUint32(b, uint32(int32(r.grade)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(r.event)))
	b = append(b, r.event...)
	return append(b, r.value...)
}

// decodeRecord reads a record; its value is part of b.
func decodeRecord(b []byte) (record, error) {
	if len(b) < recordHead || b[0] != recordVersion {
		return record{}, errors.New("it is no record")
	}
	n := int(binary.BigEndian.Uint16(b[13:]))
	if len(b) < recordHead+n {
		return record{}, errors.New("it is cut off")
	}
	return record{
		hlc:   corpus.HLC(binary.BigEndian.Uint64(b[1:])),
		grade: corpus.Grade(int32(binary.BigEndian.Uint32(b[9:]))),
		event: corpus.EventID(b[recordHead : recordHead+n]),
		value: b[recordHead+n:],
	}, nil
}

// olderThan reports whether the event at (hlc, id) comes after the record's, in replay order.
func (r record) olderThan(hlc corpus.HLC, id corpus.EventID) bool {
	if r.hlc != hlc {
		return r.hlc < hlc
	}
	return r.event < id
}

// projector applies events to the state. It is used twice: when an event is written, and when all events are
// replayed to prove that the state is what they make it.
type projector struct {
	tx *bolt.Tx
	// replay applies events in replay order. Otherwise an event that comes before the one that set its subject
	// changes the journal only: so the state does not depend on the order in which events arrive.
	replay bool
	// fresh is the label that the next event's After holds, where that need not be decoded.
	fresh   *corpus.Label
	batches map[string]*summary
}

// apply projects the event. Its subject's place must be known: see placeOf.
func (p *projector) apply(e corpus.Event) error {
	if err := p.index(e); err != nil {
		return fmt.Errorf("index event %q: %w", e.ID, err)
	}
	at, err := placeOf(e.Kind, e.Subject, func(id corpus.EventID) uint64 { return seqOf(p.tx, id) })
	if err != nil {
		return nil // of a kind that this program does not know, or about nothing: kept, but there is no state to set
	}
	if err := p.set(at, e); err != nil {
		return fmt.Errorf("apply event %q: %w", e.ID, err)
	}
	return nil
}

func (p *projector) set(at place, e corpus.Event) error {
	now := record{hlc: e.HLC, event: e.ID, value: e.After}
	switch e.Kind {
	case corpus.EventScale:
		if err := p.remember(bucketScales, now); err != nil {
			return err
		}
	case corpus.EventCorpus:
		if err := p.remember(bucketCorpora, now); err != nil {
			return err
		}
	}
	old, late, err := p.old(at, now)
	if err != nil || late {
		return err
	}
	if e.Kind == corpus.EventLabel {
		if now.grade, err = p.moveInDoc(e.Subject, at.key, old.value, e.After); err != nil {
			return err
		}
	}
	return at.put(p.tx, now.encode())
}

// old is what the record would replace; late says that it must not.
func (p *projector) old(at place, now record) (old record, late bool, err error) {
	old, known, err := at.read(p.tx)
	return old, known && !p.replay && !old.olderThan(now.hlc, now.event), err
}

// remember keeps each scale and corpus that was ever in force under its own id: labels refer to them.
func (p *projector) remember(bucket string, now record) error {
	if len(now.value) == 0 {
		return nil
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(now.value, &named); err != nil {
		return err
	}
	if err := corpus.CheckID(named.ID); err != nil {
		return err
	}
	at := place{bucket, joinKey(named.ID)}
	if _, late, err := p.old(at, now); err != nil || late {
		return err
	}
	return at.put(p.tx, now.encode())
}

// docKey is where a label stands in its document: corpus, document, start, then whose label it is. It is nil where
// the label's anchor has no span.
func docKey(s corpus.Subject, l corpus.Label) []byte {
	a := l.Anchor
	if a.Start == nil || *a.Start < 0 || corpus.CheckID(a.DocID) != nil || corpus.CheckID(s.Corpus) != nil {
		return nil
	}
	key := append(joinKey(s.Corpus, a.DocID, ""), seqKey(uint64(*a.Start))...)
	return append(key, joinKey(s.Query, s.Chunk, s.Annotator)...)
}

// moveInDoc keeps the index of labels by document, whose values are the labels' own keys. It returns the new label's
// grade.
func (p *projector) moveInDoc(s corpus.Subject, label, before, after []byte) (corpus.Grade, error) {
	var was, is corpus.Label
	if len(before) > 0 {
		if err := json.Unmarshal(before, &was); err != nil {
			return 0, err
		}
	}
	if p.fresh != nil {
		is, p.fresh = *p.fresh, nil
	} else if len(after) > 0 {
		if err := json.Unmarshal(after, &is); err != nil {
			return 0, err
		}
	}
	left, entered := docKey(s, was), docKey(s, is)
	if bytes.Equal(left, entered) {
		return is.Grade, nil
	}
	docs := p.tx.Bucket([]byte(bucketByDoc))
	if left != nil {
		if err := docs.Delete(left); err != nil {
			return 0, err
		}
	}
	if entered != nil {
		if err := docs.Put(entered, label); err != nil {
			return 0, err
		}
	}
	return is.Grade, nil
}

// index makes the event findable by id, annotator and batch.
func (p *projector) index(e corpus.Event) error {
	ids := p.tx.Bucket([]byte(bucketEventIDs))
	if err := ids.Put([]byte(e.ID), seqKey(e.Seq)); err != nil {
		return err
	}
	if e.Annotator != "" {
		if err := p.list(bucketByAnnotator, e.Annotator, e.Seq); err != nil {
			return err
		}
	}
	if e.Batch == "" {
		return nil
	}
	if err := p.list(bucketByBatch, e.Batch, e.Seq); err != nil {
		return err
	}
	s, err := p.batch(e.Batch)
	if err != nil {
		return err
	}
	s.add(e)
	return nil
}

// listKey is the key of an event in the list of a name.
func listKey(name string, seq uint64) []byte { return append(joinKey(name, ""), seqKey(seq)...) }

func (p *projector) list(bucket, name string, seq uint64) error {
	b := p.tx.Bucket([]byte(bucket))
	b.FillPercent = fill
	return b.Put(listKey(name, seq), []byte{1})
}

// summary is what Batches says of one batch, kept in front of the list of its events.
type summary struct {
	ID         string                   `json:"id"`
	First      corpus.HLC               `json:"first"`
	Last       corpus.HLC               `json:"last"`
	Annotators []string                 `json:"annotators"` // sorted
	Kinds      map[corpus.EventKind]int `json:"kinds"`
}

func (s *summary) add(e corpus.Event) {
	if s.First == 0 || e.HLC < s.First {
		s.First = e.HLC
	}
	s.Last = max(s.Last, e.HLC)
	if i, found := slices.BinarySearch(s.Annotators, e.Annotator); !found && e.Annotator != "" {
		s.Annotators = slices.Insert(s.Annotators, i, e.Annotator)
	}
	s.Kinds[e.Kind]++
}

// batch is the summary so far; flush writes it.
func (p *projector) batch(id string) (*summary, error) {
	if s := p.batches[id]; s != nil {
		return s, nil
	}
	s, err := readSummary(p.tx, id)
	if err != nil {
		return nil, err
	}
	if p.batches == nil {
		p.batches = map[string]*summary{}
	}
	p.batches[id] = s
	return s, nil
}

func readSummary(tx *bolt.Tx, id string) (*summary, error) {
	s := &summary{ID: id, Annotators: []string{}, Kinds: map[corpus.EventKind]int{}}
	raw := place{bucketByBatch, joinKey(id, "")}.get(tx)
	if raw == nil {
		return s, nil
	}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("read summary of batch %q: %w", id, err)
	}
	return s, nil
}

// flush writes the batch summaries; it ends each transaction.
func (p *projector) flush() error {
	for _, id := range slices.Sorted(maps.Keys(p.batches)) {
		raw, err := encodeJSON(p.batches[id])
		if err != nil {
			return fmt.Errorf("write summary of batch %q: %w", id, err)
		}
		at := place{bucketByBatch, joinKey(id, "")}
		if err := at.put(p.tx, raw); err != nil {
			return fmt.Errorf("write summary of batch %q: %w", id, err)
		}
	}
	p.batches = nil
	return nil
}
