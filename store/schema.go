package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
	"assay/store/internal/boltfile"
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
	bucketForgotten   = "forgotten"
)

// Keys of the meta bucket.
const (
	keySchema    = "schema"
	keyWorkspace = "workspace_id"
	keyClock     = "hlc"
	keyTraces    = "traces"
)

// sep joins ids to a key, hashed marks one that stands there by its hash. No valid UTF-8 text holds these bytes, so
// that no id needs escaping. keyInForce, which is therefore no id either, is the key of the scale and the corpus in
// force.
const (
	sep        = "\xff"
	hashed     = "\xfe"
	keyInForce = sep
)

// maxKeyID is the longest id that stands in a key as it is. bbolt's keys end at 32 KiB, which the longest ids would
// exceed where several are joined.
const maxKeyID = 1 << 10

// projected are the buckets that a replay of all events must fill alike.
func projected() []string {
	return []string{
		bucketScales, bucketCorpora, bucketEventIDs, bucketByAnnotator, bucketByBatch, bucketQueries, bucketLabels,
		bucketWork, bucketTags, bucketSets, bucketByDoc, bucketSearches, bucketForgotten,
	}
}

func allBuckets() []string {
	return append(projected(),
		bucketMeta, bucketTexts, bucketEvents, bucketAgreed, bucketVerdicts, bucketSnapshots, bucketDrafts)
}

// keyID is what stands for an id in a key.
func keyID(id string) string {
	if len(id) <= maxKeyID {
		return id
	}
	return hashed + string(corpus.HashText(id))
}

// joinKey makes a key of ids. With "" as the last it is the prefix of all keys that begin with the others.
func joinKey(ids ...string) []byte {
	key := make([]byte, 0, 128)
	for i, id := range ids {
		if i > 0 {
			key = append(key, sep...)
		}
		key = append(key, keyID(id)...)
	}
	return key
}

// splitKey takes a key apart into its first n ids and whatever follows. whole is false where one of them stands there
// by its hash.
func splitKey(key []byte, n int) (ids []string, rest []byte, whole bool, err error) {
	ids, whole = make([]string, n), true
	for i := range ids {
		id, after, found := bytes.Cut(key, []byte(sep))
		if !found && i < n-1 {
			return nil, nil, false, fmt.Errorf("the key has %d parts, not %d", i+1, n)
		}
		ids[i], key = string(id), after
		whole = whole && !bytes.HasPrefix(id, []byte(hashed))
	}
	return ids, key, whole, nil
}

// seqKey orders by number.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func seqOfKey(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// textKey is the key of a text.
func textKey(hash corpus.Hash) ([]byte, bool) {
	b, err := hex.DecodeString(string(hash))
	return b, err == nil && len(b) == sha256.Size
}

// place is where the state of a subject is kept: a bucket and a key in it.
type place struct {
	bucket string
	key    []byte
}

// placeOf is where an event's subject is kept. seqOf finds the local sequence number of an event.
func placeOf(kind corpus.EventKind, s corpus.Subject, seqOf func(corpus.EventID) uint64) (place, error) {
	p := place{}
	var ids []string
	switch kind {
	case corpus.EventQuery:
		p, ids = place{bucketQueries, joinKey(s.Query)}, []string{s.Query}
	case corpus.EventLabel:
		p, ids = place{bucketLabels, joinKey(s.Query, s.Corpus, s.Chunk, s.Annotator)}, []string{s.Query, s.Chunk, s.Annotator}
		if s.Corpus != "" { // labels may come before any corpus
			ids = append(ids, s.Corpus)
		}
	case corpus.EventWork:
		p, ids = place{bucketWork, joinKey(s.Annotator, s.Query)}, []string{s.Annotator, s.Query}
	case corpus.EventSaid:
		if !utf8.ValidString(s.Value) {
			return place{}, errors.New("the value is not valid UTF-8")
		}
		p, ids = place{bucketSets, joinKey(s.Query, s.Annotator, string(s.What), s.Value)}, []string{s.Query, s.Annotator, string(s.What)}
		if s.What == corpus.SaidTag {
			p.bucket = bucketTags
		}
	case corpus.EventSearch:
		seq := seqOf(corpus.EventID(s.Value))
		if seq == 0 {
			return place{}, fmt.Errorf("there is no search %q", s.Value)
		}
		p, ids = place{bucketSearches, append(joinKey(s.Query, s.Annotator, ""), seqKey(seq)...)}, []string{s.Query, s.Annotator}
	case EventForget:
		at, ok := forgottenPlace(corpus.Hash(s.Value))
		if !ok {
			return place{}, fmt.Errorf("%q is no hash", s.Value)
		}
		return at, nil
	case corpus.EventScale:
		return place{bucketScales, []byte(keyInForce)}, nil
	case corpus.EventCorpus:
		return place{bucketCorpora, []byte(keyInForce)}, nil
	}
	if p.bucket == "" {
		return place{}, fmt.Errorf("unknown kind %q", kind)
	}
	for _, id := range ids {
		if err := corpus.CheckID(id); err != nil {
			return place{}, err
		}
	}
	return p, nil
}

// get reads what is kept there, nil where nothing is.
func (p place) get(tx *bolt.Tx) []byte { return tx.Bucket([]byte(p.bucket)).Get(p.key) }

func (p place) put(tx *bolt.Tx, value []byte) error {
	return tx.Bucket([]byte(p.bucket)).Put(p.key, value)
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
func (p place) String() string { return fmt.Sprintf("%s/%q", p.bucket, p.key) }

// schema is a version of the file's layout and how to get there. A change that older programs can live with (a new
// optional field) needs no new version.
type schema struct {
	version int
	steps   []step // in order; the step to n starts from n-1
}

// step brings a file from the version before to the version to.
type step struct {
	to   int
	name string // what it does, for errors
	run  func(*bolt.Tx) error
}

// currentSchema is this program's.
func currentSchema() schema {
	return schema{version: 2, steps: []step{{2, "make room for what was forgotten", addForgotten}}}
}

// addForgotten is all that a file needs in which nothing was forgotten yet.
func addForgotten(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists([]byte(bucketForgotten))
	return err
}

// create fills an empty file.
func (s schema) create(tx *bolt.Tx) error {
	for _, name := range allBuckets() {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return fmt.Errorf("create bucket %s: %w", name, err)
		}
	}
	id, err := randomID()
	if err != nil {
		return err
	}
	meta := tx.Bucket([]byte(bucketMeta))
	return errors.Join(
		meta.Put([]byte(keyWorkspace), []byte(id)),
		meta.Put([]byte(keySchema), strconv.AppendInt(nil, int64(s.version), 10)))
}

// upgrade brings the file to this version, in one transaction after a backup of what it was.
func (s schema) upgrade(f *boltfile.File, path string, backup bool, now time.Time) error {
	var has int
	err := f.View(func(tx *bolt.Tx) (err error) {
		has, err = schemaOf(tx)
		return err
	})
	switch {
	case err != nil:
		return err
	case has > s.version:
		return &NewerError{path, has, s.version}
	case has < s.version:
		if backup {
			name := fmt.Sprintf("%s.%s-schema%d", path, now.UTC().Format("20060102-150405"), has)
			if err := backUp(f, name); err != nil {
				return fmt.Errorf("back up labels before changing their schema: %w", err)
			}
		}
		if err := f.Update(func(tx *bolt.Tx) error { return s.run(tx, has) }); err != nil {
			return fmt.Errorf("bring labels from schema %d to %d: %w", has, s.version, err)
		}
	}
	return f.View(checkBuckets)
}

func (s schema) run(tx *bolt.Tx, has int) error {
	for _, step := range s.steps {
		if step.to <= has {
			continue
		}
		if step.to != has+1 {
			return fmt.Errorf("there is no way from schema %d to %d", has, has+1)
		}
		if err := step.run(tx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		has = step.to
	}
	if has != s.version {
		return fmt.Errorf("there is no way from schema %d to %d", has, s.version)
	}
	return tx.Bucket([]byte(bucketMeta)).Put([]byte(keySchema), strconv.AppendInt(nil, int64(has), 10))
}

// schemaOf reads the file's version.
func schemaOf(tx *bolt.Tx) (int, error) {
	meta := tx.Bucket([]byte(bucketMeta))
	if meta == nil {
		return 0, &boltfile.Damage{Reason: "it is a bbolt file, but not one of assay's"}
	}
	n, err := strconv.Atoi(string(meta.Get([]byte(keySchema))))
	if err != nil || n < 0 {
		return 0, &boltfile.Damage{Reason: "it does not say which schema it has"}
	}
	return n, nil
}

// checkBuckets makes sure that the buckets are there that all code takes for granted.
func checkBuckets(tx *bolt.Tx) error {
	for _, name := range allBuckets() {
		if tx.Bucket([]byte(name)) == nil {
			return &boltfile.Damage{Reason: fmt.Sprintf("its bucket %s is missing", name)}
		}
	}
	return nil
}

// backUp writes the file as it is to name + ".backup", or under the next free number.
func backUp(f *boltfile.File, name string) error {
	var out *os.File
	var err error
	for n := 1; ; n++ {
		numbered := name
		if n > 1 {
			numbered += "-" + strconv.Itoa(n)
		}
		out, err = os.OpenFile(numbered+".backup", os.O_WRONLY|os.O_CREATE|os.O_EXCL, boltfile.Mode)
		if !errors.Is(err, fs.ErrExist) || n == 100 {
			break
		}
	}
	if err != nil {
		return err
	}
	err = f.View(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(out)
		return err
	})
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(out.Name())
	}
	return err
}
