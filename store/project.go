package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// fill is how full pages become that only ever grow at their end.
const fill = 0.95

// projector applies events to the state. It is used twice: when an event is written, and when all events are
// replayed to prove that the state is what they make it.
type projector struct {
	tx *bolt.Tx
	// event finds an earlier event.
	event func(corpus.EventID) (corpus.Event, error)
	// replay applies events in replay order. Otherwise an event that comes before the one that set its subject
	// changes the journal only: so the state does not depend on the order in which events arrive.
	replay  bool
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
		if now.grade, err = p.moveInDoc(e.Subject, old.value, e.After); err != nil {
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
	at := place{bucket, "", []byte(named.ID)}
	if _, late, err := p.old(at, now); err != nil || late {
		return err
	}
	return at.put(p.tx, now.encode())
}

// docKey is where the label stands in its document: nested buckets for corpus and document, in these the start, then
// whose label it is. ok is false where the label's anchor has no span.
func docKey(s corpus.Subject, l corpus.Label) (doc string, key []byte, ok bool) {
	a := l.Anchor
	if a.Start == nil || *a.Start < 0 || corpus.CheckID(a.DocID) != nil || corpus.CheckID(s.Corpus) != nil {
		return "", nil, false
	}
	return a.DocID, append(seqKey(uint64(*a.Start)), joinKey(s.Query, s.Chunk, s.Annotator)...), true
}

// moveInDoc keeps the index of labels by document. It returns the new label's grade.
func (p *projector) moveInDoc(s corpus.Subject, before, after []byte) (corpus.Grade, error) {
	var was, is corpus.Label
	if len(before) > 0 {
		if err := json.Unmarshal(before, &was); err != nil {
			return 0, err
		}
	}
	if len(after) > 0 {
		if err := json.Unmarshal(after, &is); err != nil {
			return 0, err
		}
	}
	docWas, keyWas, gone := docKey(s, was)
	docIs, keyIs, come := docKey(s, is)
	if gone && come && docWas == docIs && bytes.Equal(keyWas, keyIs) {
		return is.Grade, nil
	}
	if gone {
		b, err := p.docBucket(s.Corpus, docWas)
		if err != nil {
			return 0, err
		}
		if err := b.Delete(keyWas); err != nil {
			return 0, err
		}
	}
	if come {
		b, err := p.docBucket(s.Corpus, docIs)
		if err != nil {
			return 0, err
		}
		if err := b.Put(keyIs, []byte{1}); err != nil {
			return 0, err
		}
	}
	return is.Grade, nil
}

func (p *projector) docBucket(corpusID, doc string) (*bolt.Bucket, error) {
	b, err := p.tx.Bucket([]byte(bucketByDoc)).CreateBucketIfNotExists([]byte(corpusID))
	if err != nil {
		return nil, err
	}
	return b.CreateBucketIfNotExists([]byte(doc))
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
	reverted := ""
	if e.Reverts != "" {
		if r, err := p.event(e.Reverts); err == nil {
			reverted = r.Batch
		}
	}
	s.add(e, reverted)
	return nil
}

func (p *projector) list(bucket, name string, seq uint64) error {
	b, err := p.tx.Bucket([]byte(bucket)).CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return err
	}
	b.FillPercent = fill
	return b.Put(seqKey(seq), []byte{1})
}

// summary is what Batches says of one batch, kept beside the list of its events.
type summary struct {
	First      corpus.HLC               `json:"first"`
	Last       corpus.HLC               `json:"last"`
	Annotators []string                 `json:"annotators"` // sorted
	Kinds      map[corpus.EventKind]int `json:"kinds"`
	Reverts    map[string]int           `json:"reverts,omitempty"` // how many events of which batch
}

func (s *summary) add(e corpus.Event, reverted string) {
	if s.First == 0 || e.HLC < s.First {
		s.First = e.HLC
	}
	s.Last = max(s.Last, e.HLC)
	if i, found := slices.BinarySearch(s.Annotators, e.Annotator); !found && e.Annotator != "" {
		s.Annotators = slices.Insert(s.Annotators, i, e.Annotator)
	}
	s.Kinds[e.Kind]++
	if reverted != "" {
		if s.Reverts == nil {
			s.Reverts = map[string]int{}
		}
		s.Reverts[reverted]++
	}
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
	s := &summary{Annotators: []string{}, Kinds: map[corpus.EventKind]int{}}
	b := tx.Bucket([]byte(bucketByBatch)).Bucket([]byte(id))
	if b == nil {
		return s, nil
	}
	raw := b.Get([]byte(keySummary))
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
		at := place{bucketByBatch, id, []byte(keySummary)}
		if err := at.put(p.tx, raw); err != nil {
			return fmt.Errorf("write summary of batch %q: %w", id, err)
		}
	}
	p.batches = nil
	return nil
}
