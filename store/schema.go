package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// Bucket names; see the package comment for what they hold.
const (
	bucketMeta        = "meta"
	bucketScales      = "scales"
	bucketCorpora     = "corpora"
	bucketTexts       = "texts"
	bucketEvents      = "events"
	bucketEventIDs    = "event_ids"
	bucketByAnnotator = "by_annotator"
	bucketByBatch     = "by_batch"
	bucketQueries     = "queries"
	bucketLabels      = "labels"
	bucketWork        = "work"
	bucketTags        = "tags"
	bucketSets        = "sets"
	bucketByDoc       = "by_doc"
	bucketAgreed      = "agreed"
	bucketVerdicts    = "verdicts"
	bucketSnapshots   = "snapshots"
	bucketDrafts      = "drafts"
	bucketSearches    = "searches"
)

// Keys of the meta bucket.
const (
	keySchema    = "schema"
	keyWorkspace = "workspace_id"
	keyClock     = "hlc"
)

// sep joins ids to a key. No valid UTF-8 text holds this byte, so that no id needs escaping. keyInForce, which is
// therefore no id either, is the key of the scale and the corpus in force; keySummary that of a batch's summary.
const (
	sep        = "\xff"
	keyInForce = sep
	keySummary = sep
)

// maxValueKey is the longest value that is its own key; longer ones go by their hash.
const maxValueKey = 1 << 10

// projected are the buckets that a replay of all events must fill alike.
func projected() []string {
	return []string{
		bucketScales, bucketCorpora, bucketEventIDs, bucketByAnnotator, bucketByBatch, bucketQueries, bucketLabels,
		bucketWork, bucketTags, bucketSets, bucketByDoc, bucketSearches,
	}
}

func allBuckets() []string {
	return append(projected(),
		bucketMeta, bucketTexts, bucketEvents, bucketAgreed, bucketVerdicts, bucketSnapshots, bucketDrafts)
}

// joinKey makes a key of ids.
func joinKey(ids ...string) []byte {
	n := len(ids) - 1
	for _, id := range ids {
		n += len(id)
	}
	key := make([]byte, 0, n)
	for i, id := range ids {
		if i > 0 {
			key = append(key, sep...)
		}
		key = append(key, id...)
	}
	return key
}

// splitKey takes a key apart into n ids; the last is whatever is left.
func splitKey(key []byte, n int) ([]string, error) {
	parts := bytes.SplitN(key, []byte(sep), n)
	if len(parts) != n {
		return nil, fmt.Errorf("the key %q does not have %d parts", key, n)
	}
	ids := make([]string, n)
	for i, p := range parts {
		ids[i] = string(p)
	}
	return ids, nil
}

// seqKey orders by number.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func seqOfKey(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// valueKey is the part of a key that stands for a value of any length and content.
func valueKey(value string) string {
	if len(value) <= maxValueKey {
		return "=" + value
	}
	sum := sha256.Sum256([]byte(value))
	return "#" + string(sum[:])
}

// textKey is the key of a text.
func textKey(hash corpus.Hash) ([]byte, bool) {
	b, err := hex.DecodeString(string(hash))
	return b, err == nil && len(b) == sha256.Size
}

// place is where the state of a subject is kept.
type place struct {
	top    string
	nested string // a bucket within top; "" where there is none
	key    []byte
}

// placeOf is where an event's subject is kept. seqOf finds the local sequence number of an event.
func placeOf(kind corpus.EventKind, s corpus.Subject, seqOf func(corpus.EventID) uint64) (place, error) {
	checked := func(p place, ids ...string) (place, error) {
		for _, id := range ids {
			if err := corpus.CheckID(id); err != nil {
				return place{}, err
			}
		}
		return p, nil
	}
	switch kind {
	case corpus.EventQuery:
		return checked(place{bucketQueries, "", []byte(s.Query)}, s.Query)
	case corpus.EventLabel:
		if s.Corpus != "" {
			if err := corpus.CheckID(s.Corpus); err != nil {
				return place{}, err
			}
		}
		return checked(place{bucketLabels, s.Query, joinKey(s.Corpus, s.Chunk, s.Annotator)}, s.Query, s.Chunk, s.Annotator)
	case corpus.EventWork:
		return checked(place{bucketWork, s.Annotator, []byte(s.Query)}, s.Annotator, s.Query)
	case corpus.EventSaid:
		if !utf8.ValidString(s.Value) {
			return place{}, errors.New("the value is not valid UTF-8")
		}
		if s.What == corpus.SaidTag {
			return checked(place{bucketTags, s.Query, joinKey(s.Annotator, valueKey(s.Value))}, s.Query, s.Annotator)
		}
		return checked(place{bucketSets, s.Query, joinKey(s.Annotator, string(s.What), valueKey(s.Value))},
			s.Query, s.Annotator, string(s.What))
	case corpus.EventSearch:
		seq := seqOf(corpus.EventID(s.Value))
		if seq == 0 {
			return place{}, fmt.Errorf("there is no search %q", s.Value)
		}
		return checked(place{bucketSearches, s.Query, joinKey(s.Annotator, string(seqKey(seq)))}, s.Query, s.Annotator)
	case corpus.EventScale:
		return place{bucketScales, "", []byte(keyInForce)}, nil
	case corpus.EventCorpus:
		return place{bucketCorpora, "", []byte(keyInForce)}, nil
	}
	return place{}, fmt.Errorf("unknown kind %q", kind)
}

// get reads what is kept there, nil where nothing is.
func (p place) get(tx *bolt.Tx) []byte {
	b := tx.Bucket([]byte(p.top))
	if b != nil && p.nested != "" {
		b = b.Bucket([]byte(p.nested))
	}
	if b == nil {
		return nil
	}
	return b.Get(p.key)
}

func (p place) put(tx *bolt.Tx, value []byte) error {
	b := tx.Bucket([]byte(p.top))
	if b == nil {
		return fmt.Errorf("the bucket %s is missing", p.top)
	}
	if p.nested != "" {
		var err error
		if b, err = b.CreateBucketIfNotExists([]byte(p.nested)); err != nil {
			return err
		}
	}
	return b.Put(p.key, value)
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

// read is get, decoded. The value is valid within the transaction only.
func (p place) read(tx *bolt.Tx) (record, bool, error) {
	b := p.get(tx)
	if b == nil {
		return record{}, false, nil
	}
	r, err := decodeRecord(b)
	if err != nil {
		return record{}, false, fmt.Errorf("read %s: %w", p, err)
	}
	return r, true, nil
}

// String names the place for people.
func (p place) String() string {
	if p.nested == "" {
		return fmt.Sprintf("%s/%q", p.top, p.key)
	}
	return fmt.Sprintf("%s/%q/%q", p.top, p.nested, p.key)
}

// newer reports whether the event at (hlc, id) comes after the one that the record holds, in replay order.
func (r record) olderThan(hlc corpus.HLC, id corpus.EventID) bool {
	if r.hlc != hlc {
		return r.hlc < hlc
	}
	return r.event < id
}
