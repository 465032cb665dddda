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

// row is a record with its key, copied out of the file. nested is the bucket within the top one, "" where there is
// none.
type row struct {
	nested string
	key    []byte
	record record
}

// rowsOf copies the live records of one bucket: of top or, where nested is given, of that bucket within.
func (db *DB) rowsOf(top, nested string) ([]row, error) {
	var rows []row
	err := db.view(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(top))
		if nested != "" {
			b = b.Bucket([]byte(nested))
		}
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v == nil {
				continue
			}
			r, live, err := copyRow(nested, k, v)
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

// copyRow copies a record; live is false where its subject was removed.
func copyRow(nested string, k, v []byte) (r row, live bool, err error) {
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
	return row{nested, buf[:len(k):len(k)], rec}, true, nil
}

// pageRows is how many records eachRow copies in one transaction.
const pageRows = 2048

// eachRow calls fn with each live record of the nested buckets of top, in key order. It reads page by page and calls
// fn between transactions, so that fn may take its time and use the DB: a record that is written meanwhile may or may
// not be among them.
func (db *DB) eachRow(ctx context.Context, top string, fn func(row) error) error {
	var nested, key []byte // of the last row of the page before
	for {
		var page []row
		done := false
		err := db.view(func(tx *bolt.Tx) (err error) {
			page, done, err = pageAfter(tx.Bucket([]byte(top)), nested, key)
			return err
		})
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, r := range page {
			if err := fn(r); err != nil {
				return err
			}
		}
		if done {
			return nil
		}
		last := page[len(page)-1]
		nested, key = []byte(last.nested), last.key
	}
}

// pageAfter copies the live records that follow (nested, key), in order; done says that these are the last.
func pageAfter(top *bolt.Bucket, nested, key []byte) (page []row, done bool, err error) {
	outer := top.Cursor()
	name, v := outer.First()
	if nested != nil {
		name, v = outer.Seek(nested)
	}
	for ; name != nil; name, v = outer.Next() {
		if v != nil {
			continue
		}
		inner := top.Bucket(name).Cursor()
		k, v := inner.First()
		if nested != nil && bytes.Equal(name, nested) {
			if k, v = inner.Seek(key); bytes.Equal(k, key) {
				k, v = inner.Next()
			}
		}
		for ; k != nil; k, v = inner.Next() {
			r, live, err := copyRow(string(name), k, v)
			if err != nil {
				return nil, false, err
			}
			if live {
				page = append(page, r)
			}
			if len(page) == pageRows {
				return page, false, nil
			}
		}
	}
	return page, true, nil
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
func each[T any](ctx context.Context, db *DB, top string, fn func(T) error) error {
	return db.eachRow(ctx, top, func(r row) error {
		var v T
		if err := json.Unmarshal(r.record.value, &v); err != nil {
			return fmt.Errorf("read %q: %w", r.key, err)
		}
		return fn(v)
	})
}

// Queries lists all queries, excluded ones too, in the order of their first import.
func (db *DB) Queries() ([]corpus.Query, error) {
	rows, err := db.rowsOf(bucketQueries, "")
	if err != nil {
		return nil, err
	}
	queries, err := decodeAll[corpus.Query](rows)
	slices.SortStableFunc(queries, func(a, b corpus.Query) int { return cmp.Compare(a.Order, b.Order) })
	return queries, err
}

// Query finds a query by id.
func (db *DB) Query(id string) (corpus.Query, bool, error) {
	return one[corpus.Query](db, place{bucketQueries, "", []byte(id)})
}

// Labels lists the labels of a query, by corpus, chunk and annotator.
func (db *DB) Labels(queryID string) ([]corpus.Label, error) {
	rows, err := db.rowsOf(bucketLabels, queryID)
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
	return one[corpus.Label](db, place{bucketLabels, k.QueryID, joinKey(k.CorpusID, k.ChunkID, k.Annotator)})
}

// EachLabel calls fn with each label, query by query. fn may use the DB; a label that is written meanwhile may or may
// not be among them.
func (db *DB) EachLabel(ctx context.Context, fn func(corpus.Label) error) error {
	return each(ctx, db, bucketLabels, fn)
}

// EachGrade is EachLabel for callers that need no more than the grade. It is several times faster.
func (db *DB) EachGrade(ctx context.Context, fn func(corpus.LabelKey, corpus.Grade) error) error {
	return db.eachRow(ctx, bucketLabels, func(r row) error {
		ids, err := splitKey(r.key, 3)
		if err != nil {
			return fmt.Errorf("read labels of %q: %w", r.nested, err)
		}
		return fn(corpus.LabelKey{QueryID: r.nested, CorpusID: ids[0], ChunkID: ids[1], Annotator: ids[2]}, r.record.grade)
	})
}

// LabelsIn lists the labels on a document of a corpus whose anchors have a span, by its start.
func (db *DB) LabelsIn(corpusID, docID string) ([]corpus.Label, error) {
	var labels []corpus.Label
	err := db.view(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucketByDoc)).Bucket([]byte(corpusID))
		if b != nil {
			b = b.Bucket([]byte(docID))
		}
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, _ []byte) error {
			ids, err := splitKey(k[min(8, len(k)):], 3)
			if err != nil {
				return fmt.Errorf("read labels in %q: %w", docID, err)
			}
			var l corpus.Label
			at := place{bucketLabels, ids[0], joinKey(corpusID, ids[1], ids[2])}
			if ok, err := readJSON(tx, at, &l); err != nil || !ok {
				return err
			}
			labels = append(labels, l)
			return nil
		})
	})
	return labels, err
}

// Work is how far an annotator is with a query; false where nothing was said of it, that is, it is open.
func (db *DB) Work(annotator, queryID string) (corpus.Work, bool, error) {
	return one[corpus.Work](db, place{bucketWork, annotator, []byte(queryID)})
}

// EachWork calls fn with each annotator's state of each query.
func (db *DB) EachWork(ctx context.Context, fn func(corpus.Work) error) error {
	return each(ctx, db, bucketWork, fn)
}

// Said lists what annotators said of a query: tags first, then the rest, each by annotator, kind and value.
func (db *DB) Said(queryID string) ([]corpus.Said, error) {
	tags, err := db.rowsOf(bucketTags, queryID)
	if err != nil {
		return nil, err
	}
	sets, err := db.rowsOf(bucketSets, queryID)
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
	rows, err := db.rowsOf(bucketSearches, queryID)
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
		s := corpus.SearchTried{QueryID: r.nested}
		if err := json.Unmarshal(r.record.value, &s); err != nil {
			return fmt.Errorf("read searches of %q: %w", r.nested, err)
		}
		return fn(s)
	})
}

// Scale is the one in force; false where none is.
func (db *DB) Scale() (corpus.Scale, bool, error) {
	return one[corpus.Scale](db, place{bucketScales, "", []byte(keyInForce)})
}

// ScaleByID finds a scale that is or was in force.
func (db *DB) ScaleByID(id string) (corpus.Scale, bool, error) {
	return one[corpus.Scale](db, place{bucketScales, "", []byte(id)})
}

// CurrentCorpus is the one in force; false where none is.
func (db *DB) CurrentCorpus() (corpus.Info, bool, error) {
	return one[corpus.Info](db, place{bucketCorpora, "", []byte(keyInForce)})
}

// Corpus finds a corpus that is or was in force, as it was last described.
func (db *DB) Corpus(id string) (corpus.Info, bool, error) {
	return one[corpus.Info](db, place{bucketCorpora, "", []byte(id)})
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
