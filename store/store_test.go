package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// testClock is a clock that moves on by a second each time that it is asked.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

func (c *testClock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

const testProcess = "00000000000000000000000000000001"

func testOptions() Options {
	c := &testClock{now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}
	return Options{Create: true, Now: c.Now, Process: testProcess, Program: "assay test", lockWait: 50 * time.Millisecond}
}

// emptyDB is a DB with nothing in it.
func emptyDB(t testing.TB) *DB {
	t.Helper()
	return openDB(t, filepath.Join(t.TempDir(), "labels.db"), testOptions())
}

func openDB(t testing.TB, path string, opt Options) *DB {
	t.Helper()
	db, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// testDB is a DB with a scale, a corpus and two queries.
func testDB(t testing.TB) *DB {
	t.Helper()
	db := emptyDB(t)
	write(t, db, Author{Annotator: "ann"}, SetScale(corpus.DefaultScale()),
		PutCorpus(corpus.Info{ID: "c1", Fingerprint: "f1", Chunks: 3}),
		PutQuery(corpus.Query{ID: "q1", Text: "how do i rotate the key?"}),
		PutQuery(corpus.Query{ID: "q2", Text: "why?"}))
	return db
}

func write(t testing.TB, db *DB, by Author, changes ...Change) []corpus.Event {
	t.Helper()
	events, err := db.Write(context.Background(), by, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func testChunk(id string) corpus.Chunk {
	return corpus.Chunk{ID: id, DocID: "doc/" + id, DocHash: corpus.HashText("doc " + id),
		Span: &corpus.Span{Start: 10, End: 20}, Text: "the text of " + id}
}

// grade is a label on a test chunk.
func grade(query, chunk, annotator string, g corpus.Grade) Change {
	c := testChunk(chunk)
	return PutLabel(corpus.Label{QueryID: query, CorpusID: "c1", ChunkID: chunk, Annotator: annotator, Grade: g,
		Anchor: corpus.AnchorOf("c1", c)}, corpus.Found{Route: corpus.RouteSearch, Search: "rotate", Rank: 2}, c.Text)
}

func keyOf(query, chunk, annotator string) corpus.LabelKey {
	return corpus.LabelKey{QueryID: query, CorpusID: "c1", ChunkID: chunk, Annotator: annotator}
}

// gradeOf is the grade of a label, in words.
func gradeOf(t testing.TB, db *DB, query, chunk, annotator string) string {
	t.Helper()
	l, ok, err := db.Label(keyOf(query, chunk, annotator))
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "none"
	}
	return l.Grade.String()
}

// verified fails the test unless the state is what the events make it.
func verified(t testing.TB, db *DB) VerifyReport {
	t.Helper()
	r, err := db.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Clean() {
		t.Fatalf("%d differences: %v", r.Total, r.Differences)
	}
	return r
}

func TestOpenMissing(t *testing.T) {
	opt := testOptions()
	opt.Create = false
	path := filepath.Join(t.TempDir(), "labels.db")
	if _, err := Open(path, opt); !errors.Is(err, ErrNone) {
		t.Errorf("Open: %v, want ErrNone", err)
	}
	if _, err := OpenCopy(path, opt); !errors.Is(err, ErrNone) {
		t.Errorf("OpenCopy: %v, want ErrNone", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening made a file")
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "labels.db")
	db := openDB(t, path, testOptions())
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
	id := db.WorkspaceID()
	if len(id) != 32 {
		t.Errorf("workspace id is %q", id)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	// Nothing stays behind but the file.
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
	if again := openDB(t, path, testOptions()); again.WorkspaceID() != id {
		t.Errorf("workspace id changed from %s to %s", id, again.WorkspaceID())
	}
}

func TestOpenTightensMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.db")
	openDB(t, path, testOptions()).Close()
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openDB(t, path, testOptions())
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v", info.Mode())
	}
}

func TestProcessID(t *testing.T) {
	for _, bad := range []string{"1", strings.Repeat("g", 32), strings.Repeat("A", 32), strings.Repeat("a", 34)} {
		opt := testOptions()
		opt.Process = bad
		if _, err := Open(filepath.Join(t.TempDir(), "labels.db"), opt); err == nil {
			t.Errorf("process %q was accepted", bad)
		}
	}
	opt := testOptions()
	opt.Process = ""
	a := openDB(t, filepath.Join(t.TempDir(), "labels.db"), opt)
	b := openDB(t, filepath.Join(t.TempDir(), "labels.db"), opt)
	if len(a.Process()) != 32 || a.Process() == b.Process() {
		t.Errorf("processes are %q and %q", a.Process(), b.Process())
	}
}

// B045, B049 (blevesearch/bleve#1491, etcd-io/bbolt#782): a second writer hears who holds the file, readers are not
// disturbed.
func TestSecondWriterHearsWhoHoldsTheFile(t *testing.T) {
	db := testDB(t)
	_, err := Open(db.path, testOptions())
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("Open: %v, want a LockedError", err)
	}
	if locked.PID != os.Getpid() || locked.Since.IsZero() {
		t.Errorf("held by %+v, want this process", locked.Holder)
	}
	if want := fmt.Sprintf("labels.db is in use by process %d", os.Getpid()); !strings.HasPrefix(err.Error(), want) {
		t.Errorf("message is %q", err)
	}
	if locked.Hint() == "" {
		t.Error("no hint")
	}
	write(t, db, Author{Annotator: "ann"}, grade("q1", "k1", "ann", 2))
	reader, err := OpenCopy(db.path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := gradeOf(t, reader, "q1", "k1", "ann"); got != "2" {
		t.Errorf("the reader sees grade %s, want the one saved last", got)
	}
	write(t, db, Author{Annotator: "ann"}, grade("q1", "k1", "ann", 3))
	if got := gradeOf(t, reader, "q1", "k1", "ann"); got != "2" {
		t.Errorf("the copy changed to %s", got)
	}
	// The writer is gone: whoever waits gets the file.
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openDB(t, db.path, testOptions())
}

func TestStaleNoteIsHarmless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "labels.db")
	openDB(t, path, testOptions()).Close()
	for _, note := range []string{`{"pid":1,"host":"gone","since":"2020-01-01T00:00:00Z"}`, "{", "", strings.Repeat("x", 1<<20)} {
		if err := os.WriteFile(path+".lock", []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := openDB(t, path, testOptions()).Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + ".lock"); err == nil {
			t.Error("the note stayed after Close")
		}
	}
}

func TestCopyIsReadOnly(t *testing.T) {
	db := testDB(t)
	reader, err := OpenCopy(db.path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if !reader.ReadOnly() || db.ReadOnly() {
		t.Error("ReadOnly is the wrong way round")
	}
	ctx := context.Background()
	if _, err := reader.Write(ctx, Author{}, grade("q1", "k1", "ann", 1)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Write: %v", err)
	}
	if err := reader.PutDraft(ctx, "ann", "note", "x"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("PutDraft: %v", err)
	}
	verified(t, reader)
}

func TestClosed(t *testing.T) {
	db := testDB(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Queries(); !errors.Is(err, ErrClosed) {
		t.Errorf("Queries: %v", err)
	}
	if _, err := db.Write(context.Background(), Author{}, grade("q1", "k1", "ann", 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("Write: %v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "labels.db")
	tests := []struct {
		name, content, want string
	}{
		{"empty", "", "empty (0 bytes)"},
		{"short", "hello", "only 5 bytes long"},
		{"text", strings.Repeat("these are not the labels you are looking for\n", 1000), "not a bbolt file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, open := range []func(string, Options) (*DB, error){Open, OpenCopy} {
				_, err := open(path, testOptions())
				var damaged *DamagedError
				if !errors.As(err, &damaged) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a DamagedError about %q", err, tt.want)
				}
			}
			if got, _ := os.ReadFile(path); string(got) != tt.content {
				t.Error("the file was changed")
			}
		})
	}
	// The newest backup that holds something is named.
	if err := os.MkdirAll(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"backups/labels-1.db", "backups/labels-2.db", "labels.db.x.backup", "backups/labels-3.db"} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		content := "x"
		if i == 3 {
			content = ""
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2024, 1, []int{1, 3, 2, 4}[i], 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(path, testOptions())
	var damaged *DamagedError
	if !errors.As(err, &damaged) || !strings.HasSuffix(damaged.Hint(), filepath.Join("backups", "labels-2.db")) {
		t.Errorf("the hint for %v does not name the newest backup", err)
	}
}

func TestForeignFile(t *testing.T) {
	make := func(fn func(*bolt.Tx) error) string {
		path := filepath.Join(t.TempDir(), "labels.db")
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(fn), db.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	meta := func(tx *bolt.Tx, version string) error {
		b, err := tx.CreateBucketIfNotExists([]byte(bucketMeta))
		if err != nil {
			return err
		}
		return b.Put([]byte(keySchema), []byte(version))
	}
	tests := []struct {
		name string
		fill func(*bolt.Tx) error
		want string
	}{
		{"somebody else's", func(*bolt.Tx) error { return nil }, "not one of assay's"},
		{"without a version", func(tx *bolt.Tx) error { return meta(tx, "") }, "which schema"},
		{"with a bad version", func(tx *bolt.Tx) error { return meta(tx, "one") }, "which schema"},
		{"without buckets", func(tx *bolt.Tx) error { return meta(tx, "1") }, "is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := make(tt.fill)
			for _, open := range []func(string, Options) (*DB, error){Open, OpenCopy} {
				_, err := open(path, testOptions())
				var damaged *DamagedError
				if !errors.As(err, &damaged) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want a DamagedError about %q", err, tt.want)
				}
			}
		})
	}
	path := make(func(tx *bolt.Tx) error { return meta(tx, "99") })
	for _, open := range []func(string, Options) (*DB, error){Open, OpenCopy} {
		_, err := open(path, testOptions())
		var newer *NewerError
		if !errors.As(err, &newer) || newer.Has != 99 || newer.Know != currentSchema().version || newer.Hint() == "" {
			t.Errorf("got %v, want a NewerError from 99 to this one", err)
		}
	}
}

// The frame of migrations: an older file is brought up to date in one transaction, after a backup.
func TestMigration(t *testing.T) {
	// Schema 0 kept queries as plain texts.
	zero := func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "labels.db")
		opt := testOptions()
		opt.schema = &schema{version: 0}
		db := openDB(t, path, opt)
		err := db.update(func(tx *bolt.Tx) error {
			return tx.Bucket([]byte(bucketQueries)).Put([]byte("q1"), []byte("how?"))
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var order []string
	steps := []step{
		{1, "give queries a record", func(tx *bolt.Tx) error {
			order = append(order, "1")
			queries := tx.Bucket([]byte(bucketQueries))
			text := string(queries.Get([]byte("q1")))
			value, err := encodeJSON(corpus.Query{ID: "q1", Text: text, Count: 1})
			if err != nil {
				return err
			}
			return queries.Put([]byte("q1"), record{event: "x-1", value: value}.encode())
		}},
		{2, "count twice", func(tx *bolt.Tx) error {
			order = append(order, "2")
			at := place{bucketQueries, []byte("q1")}
			var q corpus.Query
			if ok, err := readJSON(tx, at, &q); err != nil || !ok {
				return fmt.Errorf("query is missing: %w", err)
			}
			q.Count = 2
			value, err := encodeJSON(q)
			if err != nil {
				return err
			}
			return at.put(tx, record{event: "x-2", value: value}.encode())
		}},
	}
	two := testOptions()
	two.schema = &schema{2, steps}

	t.Run("writer", func(t *testing.T) {
		order = nil
		path := zero(t)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		db := openDB(t, path, two)
		if q, ok, err := db.Query("q1"); err != nil || !ok || q.Text != "how?" || q.Count != 2 {
			t.Errorf("query is %+v, %v, %v", q, ok, err)
		}
		if got := strings.Join(order, " "); got != "1 2" {
			t.Errorf("steps ran as %q", got)
		}
		backups, _ := filepath.Glob(path + ".*schema0.backup")
		if len(backups) != 1 {
			t.Fatalf("backups are %q", backups)
		}
		if info, _ := os.Stat(backups[0]); info.Mode().Perm() != 0o600 {
			t.Errorf("the backup's mode is %v", info.Mode())
		}
		// The backup is the file as it was.
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(backups[0], path); err != nil {
			t.Fatal(err)
		}
		opt := testOptions()
		opt.schema = &schema{version: 0}
		restored := openDB(t, path, opt)
		err = restored.view(func(tx *bolt.Tx) error {
			if got := tx.Bucket([]byte(bucketQueries)).Get([]byte("q1")); string(got) != "how?" {
				t.Errorf("the backup says %q", got)
			}
			return nil
		})
		if err != nil || len(old) == 0 {
			t.Fatal(err)
		}
	})
	t.Run("reader", func(t *testing.T) {
		path := zero(t)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := OpenCopy(path, two)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		if q, ok, err := reader.Query("q1"); err != nil || !ok || q.Count != 2 {
			t.Errorf("query is %+v, %v, %v", q, ok, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, old) {
			t.Error("a reader changed the file")
		}
		if backups, _ := filepath.Glob(path + ".*.backup"); len(backups) != 0 {
			t.Errorf("a reader left %q", backups)
		}
	})
	t.Run("failing step changes nothing", func(t *testing.T) {
		path := zero(t)
		bad := testOptions()
		bad.schema = &schema{2, []step{steps[0], {2, "fail", func(*bolt.Tx) error { return errors.New("on purpose") }}}}
		_, err := Open(path, bad)
		if err == nil || !strings.Contains(err.Error(), "from schema 0 to 2: fail: on purpose") {
			t.Fatalf("got %v", err)
		}
		order = nil
		openDB(t, path, two)
		if got := strings.Join(order, " "); got != "1 2" {
			t.Errorf("afterwards steps ran as %q", got)
		}
		if backups, _ := filepath.Glob(path + ".*.backup"); len(backups) != 2 {
			t.Errorf("backups are %q, want one for each try", backups)
		}
	})
	t.Run("no way", func(t *testing.T) {
		path := zero(t)
		for _, s := range []schema{{2, nil}, {2, steps[:1]}, {2, steps[1:]}} {
			opt := testOptions()
			opt.schema = &s
			if _, err := Open(path, opt); err == nil || !strings.Contains(err.Error(), "there is no way") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestDrafts(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	before, err := db.Counts()
	if err != nil {
		t.Fatal(err)
	}
	long := "note/" + strings.Repeat("é", corpus.MaxIDLen/2) + "/" + strings.Repeat("x", corpus.MaxIDLen)
	for name, text := range map[string]string{"note/q1/k1": "half a thou", "answer/q1": "a\nb \x00", long: "<long> & so on"} {
		if err := db.PutDraft(ctx, "ann", name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.PutDraft(ctx, "an", "note", "not ann's"); err != nil {
		t.Fatal(err)
	}
	if err := db.PutDraft(ctx, "ann", "answer/q1", "more"); err != nil {
		t.Fatal(err)
	}
	if err := db.DropDraft(ctx, "ann", "note/q1/k1"); err != nil {
		t.Fatal(err)
	}
	if err := db.DropDraft(ctx, "ann", "never/was"); err != nil {
		t.Fatal(err)
	}
	got, err := db.Drafts("ann")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"answer/q1": "more", long: "<long> & so on"}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		t.Errorf("drafts are %s, want %s", a, b)
	}
	if after, _ := db.Counts(); after.Events != before.Events {
		t.Error("a draft wrote an event")
	}
	for _, bad := range []struct{ annotator, name string }{{"", "x"}, {"ann", ""}, {"ann", "\xff"}} {
		if err := db.PutDraft(ctx, bad.annotator, bad.name, "text"); err == nil {
			t.Errorf("a draft of %q named %q was accepted", bad.annotator, bad.name)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	var wg sync.WaitGroup
	fail := make(chan error, 64)
	for n := range 4 {
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range 20 {
				if _, err := db.Write(ctx, Author{}, grade("q1", fmt.Sprint("k", i), fmt.Sprint("ann", n), corpus.Grade(i%4))); err != nil {
					fail <- err
				}
			}
		}()
		go func() {
			defer wg.Done()
			for range 20 {
				err := db.EachLabel(ctx, func(l corpus.Label) error {
					_, ok, err := db.Label(l.Key()) // the callback may use the DB
					if err == nil && !ok {
						err = fmt.Errorf("label %v went", l.Key())
					}
					return err
				})
				if err != nil {
					fail <- err
				}
			}
		}()
	}
	wg.Wait()
	close(fail)
	for err := range fail {
		t.Error(err)
	}
	if labels, err := db.Labels("q1"); err != nil || len(labels) != 80 {
		t.Errorf("%d labels, %v", len(labels), err)
	}
	verified(t, db)
}
