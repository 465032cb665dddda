package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// Forgotten counts what left the file with the queries that Forget removed.
type Forgotten struct {
	Queries    int      // forgotten now
	Already    []string // were forgotten before, and nothing of them is there any more
	Events     int      // of the journal, each now an EventForgotten
	Labels     int
	Statements int // tags and all else that was said
	Searches   int
	Drafts     int // about them, or with their text in it
	Texts      int // of chunks, which no other label needs
	Mentions   int // in what is said of other queries: taken out
	// SameText are other queries that ask the very same, by id. They are queries of their own and stay.
	SameText []string
}

// ErrNoQuery says that nothing is known of a query.
var ErrNoQuery = errors.New("there is no such query")

// ErrTraces says that queries were forgotten and the file could not be rewritten without what its free pages still hold.
// Another Forget, or the next Open, tries again.
var ErrTraces = errors.New("it is forgotten, but the file still holds traces in its free pages; forget it again to remove them")

// Forget removes queries for good, from the state, the journal and the file's free pages: the query, all that was said
// of it, and what names or quotes it in what was said of others. The journal keeps in their place that there was
// something, and who forgot a query with an id of this SHA-256. Nothing is written under such an id again.
//
// It is all or nothing: ErrNoQuery says that of one of the ids nothing is known. One that was forgotten before is no
// error. What the disk itself keeps of files that were deleted, and backups, are out of reach: see Holds. With ErrTraces
// the queries are forgotten, but not yet gone from the file. The author's batch is not used, so
// that no batch's undo meets it; a batch of which all was forgotten is no more.
func (db *DB) Forget(ctx context.Context, by Author, ids ...string) (Forgotten, error) {
	by.Batch = ""
	var out Forgotten
	if len(ids) == 0 {
		return out, errors.New("forget: no query is named")
	}
	for _, id := range ids {
		if err := checkName("query", id); err != nil {
			return out, fmt.Errorf("forget: %w", err)
		}
	}
	_, err := db.write(ctx, by, func(w *writer) error {
		f := newForgetting(ctx, w, ids)
		err := f.run()
		out = f.out
		return err
	})
	if err != nil {
		return Forgotten{}, fmt.Errorf("forget: %w", err)
	}
	if err := db.dropTraces(); err != nil {
		return out, fmt.Errorf("forget: %w: %w", ErrTraces, err)
	}
	return out, nil
}

// dropTraces rewrites the file where it may hold in free pages what was forgotten.
func (db *DB) dropTraces() error {
	var pending bool
	err := db.view(func(tx *bolt.Tx) error {
		pending = tx.Bucket([]byte(bucketMeta)).Get([]byte(keyTraces)) != nil
		return nil
	})
	if err != nil || !pending {
		return err
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := db.revive(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.file == nil {
		return db.gone()
	}
	db.file, err = db.opt.rewrite(db.file, func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketMeta)).Delete([]byte(keyTraces))
	})
	if db.file == nil {
		db.lost = explain(db.path, err)
	}
	return explain(db.path, err)
}

// forgetting is one transaction that forgets queries.
type forgetting struct {
	ctx context.Context
	w   *writer
	tx  *bolt.Tx
	out Forgotten

	ids     []string
	mention mention              // what to look for: ids and each text that a query ever had
	seen    map[string]bool      // ids that something is known of
	seqs    []uint64             // of their events
	chunks  map[corpus.Hash]bool // texts that their labels, at whatever time, pointed to
	batches map[string]bool      // that their events belonged to
}

func newForgetting(ctx context.Context, w *writer, ids []string) *forgetting {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return &forgetting{ctx: ctx, w: w, tx: w.tx, ids: ids, mention: newMention(ids),
		seen: map[string]bool{}, chunks: map[corpus.Hash]bool{}, batches: map[string]bool{}}
}

func (f *forgetting) run() error {
	if err := f.gather(); err != nil {
		return err
	}
	if err := f.noteKnown(); err != nil {
		return err
	}
	if len(f.ids) == 0 {
		return nil
	}
	steps := []func() error{f.bury, f.forgetState, f.cleanOthers, f.forgetTexts, f.forgetDrafts, f.findSame, f.noteForgotten}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return f.tx.Bucket([]byte(bucketMeta)).Put([]byte(keyTraces), []byte{1})
}

// noteKnown leaves in ids those that there is something to forget of.
func (f *forgetting) noteKnown() error {
	var left []string
	for _, id := range f.ids {
		if f.seen[id] {
			left = append(left, id)
			continue
		}
		switch before, err := isForgotten(f.tx, id); {
		case err != nil:
			return err
		case !before:
			return fmt.Errorf("%w: %q", ErrNoQuery, id)
		}
		f.out.Already = append(f.out.Already, id)
	}
	f.ids = left
	return nil
}

// noteForgotten appends who forgot what, which is known by its hash only.
func (f *forgetting) noteForgotten() error {
	for _, id := range f.ids {
		hash := corpus.HashText(id)
		after, err := encodeJSON(forgottenID{hash})
		if err != nil {
			return err
		}
		at, _ := forgottenPlace(hash)
		old, _, err := at.read(f.tx)
		if err != nil {
			return err
		}
		err = f.w.append(corpus.Event{Kind: EventForget, At: f.w.now, Subject: corpus.Subject{Value: string(hash)},
			Before: orNil(bytes.Clone(old.value)), After: after, Parent: old.event})
		if err != nil {
			return err
		}
		f.out.Queries++
	}
	return nil
}

// forgottenID is what an EventForget says.
type forgottenID struct {
	SHA256 corpus.Hash `json:"id_sha256"`
}

// sweep deletes the keys of a bucket that drop picks; the slices are valid within the call only.
func (f *forgetting) sweep(bucket string, prefix []byte, drop func(k, v []byte) bool) error {
	b := f.tx.Bucket([]byte(bucket))
	var keys [][]byte
	c, n := b.Cursor(), 0
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if n++; n%1024 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		if drop(k, v) {
			keys = append(keys, bytes.Clone(k))
		}
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return fmt.Errorf("forget %s: %w", place{bucket, k}, err)
		}
	}
	return nil
}

// forgetState removes the records about the queries.
func (f *forgetting) forgetState() error {
	// counted drops all and counts those that are live.
	counted := func(n *int) func(k, v []byte) bool {
		return func(_, v []byte) bool {
			if r, err := decodeRecord(v); err == nil && len(r.value) > 0 {
				*n++
			}
			return true
		}
	}
	var any int
	for _, id := range f.ids {
		under := joinKey(id, "")
		if err := f.tx.Bucket([]byte(bucketQueries)).Delete(joinKey(id)); err != nil {
			return fmt.Errorf("forget %s: %w", bucketQueries, err)
		}
		for _, b := range []struct {
			bucket string
			n      *int
		}{
			{bucketLabels, &f.out.Labels}, {bucketTags, &f.out.Statements}, {bucketSets, &f.out.Statements},
			{bucketSearches, &f.out.Searches}, {bucketAgreed, &any},
		} {
			if err := f.sweep(b.bucket, under, counted(b.n)); err != nil {
				return err
			}
		}
	}
	// What is not kept by query is looked through.
	keys := map[string]bool{}
	for _, id := range f.ids {
		keys[keyID(id)] = true
	}
	err := f.sweep(bucketByDoc, nil, func(_, label []byte) bool {
		query, _, _ := bytes.Cut(label, []byte(sep))
		return keys[string(query)]
	})
	if err != nil {
		return err
	}
	return f.sweep(bucketWork, nil, func(k, _ []byte) bool {
		_, query, _ := bytes.Cut(k, []byte(sep))
		return keys[string(query)]
	})
}

// forgetTexts drops the chunks' texts that only labels on the queries pointed to. One that some other event points to
// stays, for an undo may bring its label back.
func (f *forgetting) forgetTexts() error {
	texts := f.tx.Bucket([]byte(bucketTexts))
	for hash := range f.chunks {
		key, ok := textKey(hash)
		if !ok || texts.Get(key) == nil {
			continue
		}
		if err := texts.Delete(key); err != nil {
			return fmt.Errorf("forget texts: %w", err)
		}
		f.out.Texts++
	}
	return nil
}

// forgetDrafts drops drafts about the queries and takes their text out of others.
func (f *forgetting) forgetDrafts() error {
	changed := map[string]draft{}
	var bad error
	err := f.sweep(bucketDrafts, nil, func(k, v []byte) bool {
		var d draft
		if err := json.Unmarshal(v, &d); err != nil {
			bad = fmt.Errorf("read draft %q: %w", k, err)
			return false
		}
		if slices.ContainsFunc(f.ids, func(id string) bool { return namesInDraft(d.Name, id) }) {
			f.out.Drafts++
			return true
		}
		text, n := f.mention.draft(d.Text)
		if n == 0 {
			return false
		}
		f.out.Drafts++
		if text == "" {
			return true
		}
		changed[string(k)] = draft{d.Name, text}
		return false
	})
	if err == nil {
		err = bad
	}
	for k, d := range changed {
		raw, encoding := encodeJSON(d)
		if err != nil || encoding != nil {
			break
		}
		err = place{bucketDrafts, []byte(k)}.put(f.tx, raw)
	}
	return err
}

// findSame lists the other queries that ask the same.
func (f *forgetting) findSame() error {
	err := eachLive(f.tx, bucketQueries, func(_ []byte, r record) error {
		if !f.mention.maybe(r.value) {
			return nil
		}
		var q corpus.Query
		if err := json.Unmarshal(r.value, &q); err != nil {
			return err
		}
		if f.mention.asked(q.Text) {
			f.out.SameText = append(f.out.SameText, q.ID)
		}
		return nil
	})
	slices.SortFunc(f.out.SameText, strings.Compare)
	return err
}
