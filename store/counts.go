package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// Counts says how much there is.
type Counts struct {
	Queries    int // excluded ones too
	Excluded   int
	Done       int // queries, excluded ones aside, that some annotator finished
	Labels     int
	Labeled    int // queries with a label, also such that were never imported
	Tags       int
	Said       int // statements other than tags
	Searches   int
	Events     int
	Annotators map[string]AnnotatorCounts
}

// AnnotatorCounts says how much one annotator did.
type AnnotatorCounts struct {
	Labels int
	States map[corpus.State]int // queries that are not counted here are open
}

// Counts counts, in one transaction.
func (db *DB) Counts() (Counts, error) {
	n := Counts{Annotators: map[string]AnnotatorCounts{}}
	err := db.view(func(tx *bolt.Tx) error {
		if k, _ := tx.Bucket([]byte(bucketEvents)).Cursor().Last(); k != nil {
			n.Events = int(seqOfKey(k))
		}
		included := map[string]bool{} // by key
		err := eachLive(tx, bucketQueries, func(k []byte, r record) error {
			var q struct {
				Excluded bool `json:"excluded"`
			}
			if err := json.Unmarshal(r.value, &q); err != nil {
				return err
			}
			n.Queries++
			if q.Excluded {
				n.Excluded++
			} else {
				included[string(k)] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := n.countLabels(tx); err != nil {
			return err
		}
		if err := n.countWork(tx, included); err != nil {
			return err
		}
		for _, b := range []struct {
			bucket string
			to     *int
		}{{bucketTags, &n.Tags}, {bucketSets, &n.Said}, {bucketSearches, &n.Searches}} {
			if err := eachLive(tx, b.bucket, func([]byte, record) error { *b.to++; return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	return n, nil
}

func (n *Counts) countLabels(tx *bolt.Tx) error {
	last := ""
	return eachLive(tx, bucketLabels, func(k []byte, r record) error {
		ids, _, whole, err := splitKey(k, 4)
		if err != nil {
			return err
		}
		if n.Labels == 0 || ids[0] != last {
			n.Labeled++
			last = ids[0]
		}
		n.Labels++
		annotator := ids[3]
		if !whole {
			s, err := subjectOf(tx, r)
			if err != nil {
				return err
			}
			annotator = s.Annotator
		}
		a := n.annotator(annotator)
		a.Labels++
		n.Annotators[annotator] = a
		return nil
	})
}

func (n *Counts) annotator(name string) AnnotatorCounts {
	a, ok := n.Annotators[name]
	if !ok {
		a.States = map[corpus.State]int{}
	}
	return a
}

func (n *Counts) countWork(tx *bolt.Tx, included map[string]bool) error {
	return eachLive(tx, bucketWork, func(_ []byte, r record) error {
		var w corpus.Work
		if err := json.Unmarshal(r.value, &w); err != nil {
			return err
		}
		a := n.annotator(w.Annotator)
		a.States[w.State]++
		n.Annotators[w.Annotator] = a
		if query := string(joinKey(w.QueryID)); w.State == corpus.Done && included[query] {
			delete(included, query)
			n.Done++
		}
		return nil
	})
}

// eachLive calls fn with each live record of a bucket. The key and the value are valid within the call only.
func eachLive(tx *bolt.Tx, bucket string, fn func(key []byte, r record) error) error {
	c := tx.Bucket([]byte(bucket)).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		r, err := decodeRecord(v)
		if err == nil && len(r.value) > 0 {
			err = fn(k, r)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", place{bucket, k}, err)
		}
	}
	return nil
}

// LabelsFingerprint identifies what was said by its content: the SHA-256 over each query's labels as (chunk,
// annotator, grade), sorted, the queries sorted by id; then over all statements as (query, annotator, what, value,
// proof), sorted; each part with its length before it. Two workspaces that say the same of the same chunks have the
// same fingerprint, however it got there.
func (db *DB) LabelsFingerprint() (corpus.Hash, error) {
	h := sha256.New()
	err := db.view(func(tx *bolt.Tx) error {
		if err := hashLabels(h, tx); err != nil {
			return err
		}
		return hashSaid(h, tx)
	})
	if err != nil {
		return "", fmt.Errorf("fingerprint labels: %w", err)
	}
	return corpus.Hash(hex.EncodeToString(h.Sum(nil))), nil
}

// hashLabels keeps one query's labels in memory at a time, since these lie together.
func hashLabels(h hash.Hash, tx *bolt.Tx) error {
	queries := map[string]string{} // id → hash of its labels
	var query string
	var rows [][3]string
	flush := func() {
		slices.SortFunc(rows, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
		one := sha256.New()
		for _, r := range rows {
			hashParts(one, r[:]...)
		}
		if len(rows) > 0 {
			queries[query] = string(one.Sum(nil))
		}
		rows = rows[:0]
	}
	err := eachLive(tx, bucketLabels, func(k []byte, r record) error {
		ids, _, whole, err := splitKey(k, 4)
		if err != nil {
			return err
		}
		if !whole {
			s, err := subjectOf(tx, r)
			if err != nil {
				return err
			}
			ids = []string{s.Query, s.Corpus, s.Chunk, s.Annotator}
		}
		if ids[0] != query {
			flush()
			query = ids[0]
		}
		rows = append(rows, [3]string{ids[2], ids[3], r.grade.String()})
		return nil
	})
	if err != nil {
		return err
	}
	flush()
	for _, id := range slices.Sorted(maps.Keys(queries)) {
		hashParts(h, "labels", id, queries[id])
	}
	return nil
}

func hashSaid(h hash.Hash, tx *bolt.Tx) error {
	var rows [][5]string
	for _, bucket := range []string{bucketTags, bucketSets} {
		err := eachLive(tx, bucket, func(_ []byte, r record) error {
			var s corpus.Said
			if err := json.Unmarshal(r.value, &s); err != nil {
				return err
			}
			rows = append(rows, [5]string{s.QueryID, s.Annotator, string(s.What), s.Value, string(orNil(s.Proof))})
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(a, b [5]string) int { return slices.Compare(a[:], b[:]) })
	for _, r := range rows {
		hashParts(h, append([]string{"said"}, r[:]...)...)
	}
	return nil
}

func hashParts(h hash.Hash, parts ...string) {
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
}

// Tally is what an annotator graded of one query.
type Tally struct {
	Judged   int // chunks with a grade that says something: neither "can't judge" nor negative
	Relevant int // of these, at or above the threshold
	Labels   int
}

// Tallies counts, per query, what an annotator graded in a corpus ("": in all). relevantFrom is the scale's.
func (db *DB) Tallies(ctx context.Context, annotator, corpusID string, relevantFrom corpus.Grade) (map[string]Tally, error) {
	tallies := map[string]Tally{}
	err := db.EachGrade(ctx, func(k corpus.LabelKey, g corpus.Grade) error {
		if k.Annotator != annotator || corpusID != "" && k.CorpusID != corpusID {
			return nil
		}
		t := tallies[k.QueryID]
		t.Labels++
		if g >= 0 {
			t.Judged++
			if g >= relevantFrom {
				t.Relevant++
			}
		}
		tallies[k.QueryID] = t
		return nil
	})
	return tallies, err
}
