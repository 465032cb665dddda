package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// readJSON reads what is kept there into v; false where nothing is.
func readJSON(tx *bolt.Tx, at place, v any) (bool, error) {
	r, _, err := at.read(tx)
	if err != nil || len(r.value) == 0 {
		return false, err
	}
	if err := json.Unmarshal(r.value, v); err != nil {
		return false, fmt.Errorf("read %s: %w", at, err)
	}
	return true, nil
}

// one reads one value in a transaction of its own.
func one[T any](db *DB, at place) (v T, ok bool, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		ok, err = readJSON(tx, at, &v)
		return err
	})
	return v, ok, err
}

// row is a record with its key, copied out of the file.
type row struct {
	key    []byte
	record record
}

// copyRow copies a record; live is false where its subject was removed.
func copyRow(k, v []byte) (r row, live bool, err error) {
	rec, err := decodeRecord(v)
	if err != nil {
		return row{}, false, fmt.Errorf("read %q: %w", k, err)
	}
	if len(rec.value) == 0 {
		return row{}, false, nil
	}
	buf := make([]byte, 0, len(k)+len(rec.value))
	buf = append(append(buf, k...), rec.value...)
	rec.value = buf[len(k):]
	return row{buf[:len(k):len(k)], rec}, true, nil
}

// rowsOf copies the live records whose keys begin with the prefix.
func (db *DB) rowsOf(bucket string, prefix []byte) ([]row, error) {
	var rows []row
	err := db.view(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(bucket)).Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			r, live, err := copyRow(k, v)
			if err != nil {
				return err
			}
			if live {
				rows = append(rows, r)
			}
		}
		return nil
	})
	return rows, err
}

// pageRows is how many records eachRow copies in one transaction.
const pageRows = 2048

// eachRow calls fn with each live record of a bucket, in key order. It reads page by page and calls fn between
// transactions, so that fn may take its time and use the DB: a record that is written meanwhile may or may not be
// among them.
func (db *DB) eachRow(ctx context.Context, bucket string, fn func(row) error) error {
	var next []byte // the key to go on from
	for page := make([]row, 0, pageRows); ; page = page[:0] {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := db.view(func(tx *bolt.Tx) error {
			c := tx.Bucket([]byte(bucket)).Cursor()
			k, v := c.Seek(next)
			for next = nil; k != nil; k, v = c.Next() {
				if len(page) == pageRows {
					next = bytes.Clone(k)
					return nil
				}
				r, live, err := copyRow(k, v)
				if err != nil {
					return err
				}
				if live {
					page = append(page, r)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range page {
			if err := fn(r); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
	}
}

// subjectOf is what a record is about, where its key does not tell: an id stands there by its hash.
func subjectOf(tx *bolt.Tx, r record) (corpus.Subject, error) {
	e, err := eventByID(tx, r.event)
	return e.Subject, err
}

// subject is subjectOf in a transaction of its own.
func (db *DB) subject(r record) (s corpus.Subject, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		s, err = subjectOf(tx, r)
		return err
	})
	return s, err
}

// decodeAll decodes the rows' values.
func decodeAll[T any](rows []row) ([]T, error) {
	out := make([]T, len(rows))
	for i, r := range rows {
		if err := json.Unmarshal(r.record.value, &out[i]); err != nil {
			return nil, fmt.Errorf("read %q: %w", r.key, err)
		}
	}
	return out, nil
}

// each decodes one row after the other.
func each[T any](ctx context.Context, db *DB, bucket string, fn func(T) error) error {
	return db.eachRow(ctx, bucket, func(r row) error {
		var v T
		if err := json.Unmarshal(r.record.value, &v); err != nil {
			return fmt.Errorf("read %q: %w", r.key, err)
		}
		return fn(v)
	})
}

// Queries lists all queries, excluded ones too, in the order of their first import.
func (db *DB) Queries() ([]corpus.Query, error) {
	rows, err := db.rowsOf(bucketQueries, nil)
	if err != nil {
		return nil, err
	}
	queries, err := decodeAll[corpus.Query](rows)
	slices.SortStableFunc(queries, func(a, b corpus.Query) int { return cmp.Compare(a.Order, b.Order) })
	return queries, err
}

// Query finds a query by id.
func (db *DB) Query(id string) (corpus.Query, bool, error) {
	return one[corpus.Query](db, place{bucketQueries, joinKey(id)})
}

// Labels lists the labels of a query, by corpus, chunk and annotator.
func (db *DB) Labels(queryID string) ([]corpus.Label, error) {
	rows, err := db.rowsOf(bucketLabels, joinKey(queryID, ""))
	if err != nil {
		return nil, err
	}
	labels, err := decodeAll[corpus.Label](rows)
	slices.SortFunc(labels, func(a, b corpus.Label) int {
		return cmp.Or(strings.Compare(a.CorpusID, b.CorpusID), strings.Compare(a.ChunkID, b.ChunkID),
			strings.Compare(a.Annotator, b.Annotator))
	})
	return labels, err
}

// Label finds one label.
func (db *DB) Label(k corpus.LabelKey) (corpus.Label, bool, error) {
	return one[corpus.Label](db, place{bucketLabels, joinKey(k.QueryID, k.CorpusID, k.ChunkID, k.Annotator)})
}

// EachLabel calls fn with each label, query by query. fn may use the DB; a label that is written meanwhile may or may
// not be among them.
func (db *DB) EachLabel(ctx context.Context, fn func(corpus.Label) error) error {
	return each(ctx, db, bucketLabels, fn)
}

// EachGrade is EachLabel for callers that need no more than the grade. It is several times faster.
func (db *DB) EachGrade(ctx context.Context, fn func(corpus.LabelKey, corpus.Grade) error) error {
	return db.eachRow(ctx, bucketLabels, func(r row) error {
		ids, _, whole, err := splitKey(r.key, 4)
		if err != nil {
			return fmt.Errorf("read %q: %w", r.key, err)
		}
		key := corpus.LabelKey{}
		if whole {
			key = corpus.LabelKey{QueryID: ids[0], CorpusID: ids[1], ChunkID: ids[2], Annotator: ids[3]}
		} else {
			var l corpus.Label
			if err := json.Unmarshal(r.record.value, &l); err != nil {
				return fmt.Errorf("read %q: %w", r.key, err)
			}
			key = l.Key()
		}
		return fn(key, r.record.grade)
	})
}

// LabelsIn lists the labels on a document of a corpus whose anchors have a span, by its start.
func (db *DB) LabelsIn(corpusID, docID string) ([]corpus.Label, error) {
	var labels []corpus.Label
	err := db.view(func(tx *bolt.Tx) error {
		prefix := joinKey(corpusID, docID, "")
		c := tx.Bucket([]byte(bucketByDoc)).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			var l corpus.Label
			if ok, err := readJSON(tx, place{bucketLabels, v}, &l); err != nil || !ok {
				return err
			}
			labels = append(labels, l)
		}
		return nil
	})
	return labels, err
}

// Work is how far an annotator is with a query; false where nothing was said of it, that is, it is open.
func (db *DB) Work(annotator, queryID string) (corpus.Work, bool, error) {
	return one[corpus.Work](db, place{bucketWork, joinKey(annotator, queryID)})
}

// EachWork calls fn with each annotator's state of each query.
func (db *DB) EachWork(ctx context.Context, fn func(corpus.Work) error) error {
	return each(ctx, db, bucketWork, fn)
}

// Said lists what annotators said of a query: tags first, then the rest, each by annotator, kind and value.
func (db *DB) Said(queryID string) ([]corpus.Said, error) {
	tags, err := db.rowsOf(bucketTags, joinKey(queryID, ""))
	if err != nil {
		return nil, err
	}
	sets, err := db.rowsOf(bucketSets, joinKey(queryID, ""))
	if err != nil {
		return nil, err
	}
	return decodeAll[corpus.Said](append(tags, sets...))
}

// EachSaid calls fn with each statement, all tags first.
func (db *DB) EachSaid(ctx context.Context, fn func(corpus.Said) error) error {
	if err := each(ctx, db, bucketTags, fn); err != nil {
		return err
	}
	return each(ctx, db, bucketSets, fn)
}

// Searches lists the searches that were tried for a query, by annotator in the order in which they were noted.
func (db *DB) Searches(queryID string) ([]corpus.SearchTried, error) {
	rows, err := db.rowsOf(bucketSearches, joinKey(queryID, ""))
	if err != nil {
		return nil, err
	}
	searches, err := decodeAll[corpus.SearchTried](rows)
	for i := range searches {
		searches[i].QueryID = queryID
	}
	return searches, err
}

// EachSearch calls fn with each search that was tried.
func (db *DB) EachSearch(ctx context.Context, fn func(corpus.SearchTried) error) error {
	return db.eachRow(ctx, bucketSearches, func(r row) error {
		ids, _, whole, err := splitKey(r.key, 1)
		if err == nil && !whole {
			var s corpus.Subject
			s, err = db.subject(r.record)
			ids = []string{s.Query}
		}
		if err != nil {
			return fmt.Errorf("read %q: %w", r.key, err)
		}
		s := corpus.SearchTried{QueryID: ids[0]}
		if err := json.Unmarshal(r.record.value, &s); err != nil {
			return fmt.Errorf("read %q: %w", r.key, err)
		}
		return fn(s)
	})
}

// Scale is the one in force; false where none is.
func (db *DB) Scale() (corpus.Scale, bool, error) {
	return one[corpus.Scale](db, place{bucketScales, []byte(keyInForce)})
}

// ScaleByID finds a scale that is or was in force.
func (db *DB) ScaleByID(id string) (corpus.Scale, bool, error) {
	return one[corpus.Scale](db, place{bucketScales, joinKey(id)})
}

// CurrentCorpus is the one in force; false where none is.
func (db *DB) CurrentCorpus() (corpus.Info, bool, error) {
	return one[corpus.Info](db, place{bucketCorpora, []byte(keyInForce)})
}

// Corpus finds a corpus that is or was in force, as it was last described.
func (db *DB) Corpus(id string) (corpus.Info, bool, error) {
	return one[corpus.Info](db, place{bucketCorpora, joinKey(id)})
}

// Text is the text of a labeled chunk by its hash; false where it was not at hand when the label was made.
func (db *DB) Text(hash corpus.Hash) (text string, ok bool, err error) {
	key, ok := textKey(hash)
	if !ok {
		return "", false, nil
	}
	if hash == corpus.HashText("") {
		return "", true, nil
	}
	err = db.view(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucketTexts)).Get(key)
		text, ok = string(b), b != nil
		return nil
	})
	return text, ok, err
}
