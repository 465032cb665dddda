package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"

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
		count := func(to *int) func(string, []byte, record) error {
			return func(string, []byte, record) error { *to++; return nil }
		}
		if k, _ := tx.Bucket([]byte(bucketEvents)).Cursor().Last(); k != nil {
			n.Events = int(seqOfKey(k))
		}
		included := map[string]bool{}
		err := eachLive(tx, bucketQueries, func(_ string, k []byte, r record) error {
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
		if err := eachLive(tx, bucketTags, count(&n.Tags)); err != nil {
			return err
		}
		if err := eachLive(tx, bucketSets, count(&n.Said)); err != nil {
			return err
		}
		return eachLive(tx, bucketSearches, count(&n.Searches))
	})
	if err != nil {
		return Counts{}, fmt.Errorf("count: %w", err)
	}
	return n, nil
}

func (n *Counts) countLabels(tx *bolt.Tx) error {
	by := map[string]int{}
	last := ""
	err := eachLive(tx, bucketLabels, func(query string, k []byte, _ record) error {
		ids, err := splitKey(k, 3)
		if err != nil {
			return err
		}
		if n.Labels == 0 || query != last {
			n.Labeled++
			last = query
		}
		n.Labels++
		by[ids[2]]++
		return nil
	})
	for annotator, labels := range by {
		n.Annotators[annotator] = AnnotatorCounts{Labels: labels, States: map[corpus.State]int{}}
	}
	return err
}

func (n *Counts) countWork(tx *bolt.Tx, included map[string]bool) error {
	return eachLive(tx, bucketWork, func(annotator string, k []byte, r record) error {
		var w struct {
			State corpus.State `json:"state"`
		}
		if err := json.Unmarshal(r.value, &w); err != nil {
			return err
		}
		a, ok := n.Annotators[annotator]
		if !ok {
			a.States = map[corpus.State]int{}
		}
		a.States[w.State]++
		n.Annotators[annotator] = a
		if w.State == corpus.Done && included[string(k)] {
			delete(included, string(k))
			n.Done++
		}
		return nil
	})
}

// eachLive calls fn with each live record of a bucket and of the buckets within. The key and the value are valid
// within the call only.
func eachLive(tx *bolt.Tx, top string, fn func(nested string, key []byte, r record) error) error {
	b := tx.Bucket([]byte(top))
	rows := func(b *bolt.Bucket, nested string) error {
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v == nil {
				continue
			}
			r, err := decodeRecord(v)
			if err == nil && len(r.value) > 0 {
				err = fn(nested, k, r)
			}
			if err != nil {
				return fmt.Errorf("read %s: %w", place{top, nested, k}, err)
			}
		}
		return nil
	}
	if err := rows(b, ""); err != nil {
		return err
	}
	return b.ForEachBucket(func(name []byte) error { return rows(b.Bucket(name), string(name)) })
}

// LabelsFingerprint identifies what was said by its content: the SHA-256 over all labels' (query, chunk, annotator,
// grade), sorted, then all statements' (query, annotator, what, value, proof), sorted, each part with its length
// before it. Two workspaces that say the same of the same chunks have the same fingerprint, however it got there.
func (db *DB) LabelsFingerprint() (corpus.Hash, error) {
	h := sha256.New()
	err := db.view(func(tx *bolt.Tx) error {
		// A query's labels lie together, in byte order of the queries: only within a query is there sorting to do.
		var last string
		var rows [][4]string
		flush := func() {
			slices.SortFunc(rows, func(a, b [4]string) int {
				return cmp.Or(strings.Compare(a[1], b[1]), strings.Compare(a[2], b[2]), strings.Compare(a[3], b[3]))
			})
			for _, r := range rows {
				hashParts(h, "label", r[0], r[1], r[2], r[3])
			}
			rows = rows[:0]
		}
		err := eachLive(tx, bucketLabels, func(query string, k []byte, r record) error {
			ids, err := splitKey(k, 3)
			if err != nil {
				return err
			}
			if query != last {
				flush()
				last = query
			}
			rows = append(rows, [4]string{query, ids[1], ids[2], r.grade.String()})
			return nil
		})
		if err != nil {
			return err
		}
		flush()
		return hashSaid(h, tx)
	})
	if err != nil {
		return "", fmt.Errorf("fingerprint labels: %w", err)
	}
	return corpus.Hash(hex.EncodeToString(h.Sum(nil))), nil
}

func hashSaid(h hash.Hash, tx *bolt.Tx) error {
	var rows [][5]string
	for _, bucket := range []string{bucketTags, bucketSets} {
		err := eachLive(tx, bucket, func(query string, _ []byte, r record) error {
			var s corpus.Said
			if err := json.Unmarshal(r.value, &s); err != nil {
				return err
			}
			rows = append(rows, [5]string{query, s.Annotator, string(s.What), s.Value, string(orNil(s.Proof))})
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(rows, func(a, b [5]string) int { return slices.Compare(a[:], b[:]) })
	for _, r := range rows {
		hashParts(h, "said", r[0], r[1], r[2], r[3], r[4])
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
