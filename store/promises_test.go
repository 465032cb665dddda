package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/corpus"
	"assay/store"
)

// The tests in this file hold the store to its promises from outside: what was acknowledged is there, the journal
// gives the state, readers and a writer live together, and a damaged file is refused in words.

var ctx = context.Background()

// ticking is a clock that moves on by a second at each look.
func ticking() func() time.Time {
	var mu sync.Mutex
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

func create(t *testing.T) (*store.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "labels.db")
	db := open(t, path, store.Options{Create: true})
	put(t, db, store.SetScale(corpus.DefaultScale()), store.PutCorpus(corpus.Info{ID: "c", Chunks: 3}))
	return db, path
}

func open(t *testing.T, path string, o store.Options) *store.DB {
	t.Helper()
	if o.Now == nil {
		o.Now = ticking()
	}
	o.Program = "assay test"
	db, err := store.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var ann = store.Author{Annotator: "ann", Role: "annotator"}

func put(t *testing.T, db *store.DB, changes ...store.Change) []corpus.Event {
	t.Helper()
	events, err := db.Write(ctx, ann, changes...)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func label(query, chunk, annotator string, g corpus.Grade) corpus.Label {
	start, end := 10, 20
	return corpus.Label{
		QueryID: query, CorpusID: "c", ChunkID: chunk, Annotator: annotator, Grade: g, Found: corpus.RouteSearch,
		Anchor: corpus.Anchor{CorpusID: "c", DocID: "d " + chunk, Start: &start, End: &end, ChunkSHA256: corpus.HashText(chunk), Evidence: []corpus.Evidence{}},
	}
}

func grade(query, chunk, annotator string, g corpus.Grade) store.Change {
	return store.PutLabel(label(query, chunk, annotator, g), corpus.Found{Route: corpus.RouteSearch, Search: "s", Rank: 1}, chunk)
}

func gradeOf(t *testing.T, db *store.DB, query, chunk, annotator string) (corpus.Grade, bool) {
	t.Helper()
	l, ok, err := db.Label(corpus.LabelKey{QueryID: query, CorpusID: "c", ChunkID: chunk, Annotator: annotator})
	if err != nil {
		t.Fatal(err)
	}
	return l.Grade, ok
}

func verify(t *testing.T, db *store.DB) {
	t.Helper()
	r, err := db.Verify(ctx)
	if err != nil || !r.Clean() {
		t.Errorf("the journal does not give the state: %v, %d differences, %+v", err, r.Total, r.Differences)
	}
}

// odd are ids that break keys which are joined or split carelessly (B016: Public report: quepid#175).
var odd = []string{"q", "q\x00", "q\x00c", "a/b", "../../x", "a%2Fb", " q ", "é", "e\u0301", "\u202ex", "q\n", "日本", strings.Repeat("k", corpus.MaxIDLen)}

func TestEventsSayEverything(t *testing.T) {
	db, _ := create(t)
	put(t, db, store.PutQuery(corpus.Query{ID: "q1", Text: "one", Count: 1, Order: 1}))
	by := ann
	by.Guidelines, by.Active = "gh", 1500*time.Millisecond
	events, err := db.Write(ctx, by, grade("q1", "c1", "ann", 2))
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	e, err := db.Event(events[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if e.V == 0 || e.Kind != corpus.EventLabel || e.Seq == 0 || e.HLC == 0 || e.Annotator != "ann" || e.Role != "annotator" || e.CorpusID != "c" ||
		e.ScaleID != corpus.DefaultScale().ID || e.GuidelinesHash != "gh" || e.ActiveMS != 1500 || e.Program != "assay test" ||
		e.Found == nil || *e.Found != (corpus.Found{Route: corpus.RouteSearch, Search: "s", Rank: 1}) || e.Subject.Chunk != "c1" || len(e.Before) != 0 {
		t.Errorf("event %+v", e)
	}
	second := put(t, db, grade("q1", "c1", "ann", 3))[0]
	if second.Parent != e.ID || string(second.Before) != string(e.After) || second.HLC <= e.HLC {
		t.Errorf("the second event %+v does not follow the first", second)
	}
	if mine, err := db.EventsBy("ann", 0, 1); err != nil || len(mine) != 1 || mine[0].ID != second.ID {
		t.Errorf("ann's newest event %+v %v", mine, err)
	}
}

// B013: Public report: geti#5704. Saying the same again changes nothing and writes nothing.
func TestSameAgainWritesNothing(t *testing.T) {
	db, _ := create(t)
	changes := []store.Change{
		store.PutQuery(corpus.Query{ID: "q1", Text: "one", Count: 1, Order: 1}),
		grade("q1", "c1", "ann", 2),
		store.PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}),
		store.PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "odd", Annotator: "ann"}),
	}
	if n := len(put(t, db, changes...)); n != 4 {
		t.Fatalf("%d events", n)
	}
	if again := put(t, db, changes...); len(again) != 0 {
		t.Errorf("the same again wrote %+v", again)
	}
	if none := put(t, db, store.ClearLabel(corpus.LabelKey{QueryID: "q1", CorpusID: "c", ChunkID: "never", Annotator: "ann"})); len(none) != 0 {
		t.Errorf("clearing what is not there wrote %+v", none)
	}
}

func TestIDsAreKeptByteForByte(t *testing.T) {
	db, path := create(t)
	for i, q := range odd {
		put(t, db, store.PutQuery(corpus.Query{ID: q, Text: "t", Count: 1, Order: i + 1}))
		for j, c := range odd {
			put(t, db, grade(q, c, odd[(i+j)%len(odd)], corpus.Grade((i+j)%4)))
		}
	}
	db.Close()
	db = open(t, path, store.Options{})
	for i, q := range odd {
		labels, err := db.Labels(q)
		if err != nil || len(labels) != len(odd) {
			t.Fatalf("%q has %d labels, %v", q, len(labels), err)
		}
		for j, c := range odd {
			if g, ok := gradeOf(t, db, q, c, odd[(i+j)%len(odd)]); !ok || g != corpus.Grade((i+j)%4) {
				t.Errorf("%q %q: %d %v", q, c, g, ok)
			}
		}
	}
	verify(t, db)
	for _, bad := range []string{"", "\xff", strings.Repeat("k", corpus.MaxIDLen+1)} {
		if _, err := db.Write(ctx, ann, grade(bad, "c", "ann", 1)); err == nil {
			t.Errorf("the id %.10q was taken", bad)
		}
	}
	if _, err := db.Write(ctx, ann, grade("q", "c", "ann", 9)); err == nil {
		t.Error("a grade off the scale was taken")
	}
}

// TestHistories makes random histories of grades, states, tags, undos, redos and undone batches, and checks the state
// against a plain model after each and against the journal at the end.
func TestHistories(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			db, path := create(t)
			type key [3]string
			model := map[key]corpus.Grade{}
			var undoable []corpus.Event
			pick := func() key {
				return key{fmt.Sprintf("q%d", rng.IntN(3)), fmt.Sprintf("c%d", rng.IntN(4)), []string{"ann", "ben"}[rng.IntN(2)]}
			}
			for step := range 150 {
				k := pick()
				switch rng.IntN(6) {
				case 0, 1, 2:
					g := corpus.Grade(rng.IntN(4))
					undoable = append(undoable, put(t, db, grade(k[0], k[1], k[2], g))...)
					model[k] = g
				case 3:
					undoable = append(undoable, put(t, db, store.ClearLabel(corpus.LabelKey{QueryID: k[0], CorpusID: "c", ChunkID: k[1], Annotator: k[2]}))...)
					delete(model, k)
				case 4:
					if len(undoable) == 0 {
						continue
					}
					last := undoable[len(undoable)-1]
					undoable = undoable[:len(undoable)-1]
					e, err := db.Undo(ctx, ann, last.ID)
					if err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
					s := key{e.Subject.Query, e.Subject.Chunk, e.Subject.Annotator}
					if was, ok := decodeGrade(t, last.Before); ok {
						model[s] = was
					} else {
						delete(model, s)
					}
				case 5:
					batch := fmt.Sprintf("b%d", step)
					by := ann
					by.Batch = batch
					k2 := pick()
					if _, err := db.Write(ctx, by, grade(k[0], k[1], k[2], 3), grade(k2[0], k2[1], k2[2], 0)); err != nil {
						t.Fatal(err)
					}
					if _, kept, err := db.UndoBatch(ctx, ann, batch); err != nil && !errors.Is(err, store.ErrNoBatch) || len(kept) != 0 {
						t.Fatalf("undo of a batch just written: kept %v, %v", kept, err)
					}
					if again, _, _ := db.UndoBatch(ctx, ann, batch); again != 0 {
						t.Errorf("a second undo of the batch took back %d", again)
					}
				}
				if rng.IntN(40) == 0 {
					db.Close()
					db = open(t, path, store.Options{})
				}
			}
			n := 0
			err := db.EachGrade(ctx, func(k corpus.LabelKey, g corpus.Grade) error {
				n++
				if want, ok := model[key{k.QueryID, k.ChunkID, k.Annotator}]; !ok || want != g {
					t.Errorf("%v is %d, the model says %d %v", k, g, want, ok)
				}
				return nil
			})
			if err != nil || n != len(model) {
				t.Errorf("%d labels, the model has %d: %v", n, len(model), err)
			}
			verify(t, db)
		})
	}
}

func decodeGrade(t *testing.T, raw []byte) (corpus.Grade, bool) {
	t.Helper()
	if len(raw) == 0 {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(raw), `"grade":`)
	if !ok {
		t.Fatalf("no grade in %s", raw)
	}
	var g corpus.Grade
	if _, err := fmt.Sscan(rest[:strings.IndexAny(rest, ",}")], &g); err != nil {
		t.Fatal(err)
	}
	return g, true
}

func TestUndoBatchLeavesWhatWasChangedSince(t *testing.T) {
	db, _ := create(t)
	by := ann
	by.Batch = "import-1"
	if _, err := db.Write(ctx, by, grade("q1", "c1", "ann", 1), grade("q1", "c2", "ann", 1), grade("q2", "c1", "ann", 1)); err != nil {
		t.Fatal(err)
	}
	put(t, db, grade("q1", "c2", "ann", 3))
	reverted, kept, err := db.UndoBatch(ctx, ann, "import-1")
	if err != nil || reverted != 2 || len(kept) != 1 || kept[0].Subject.Chunk != "c2" {
		t.Errorf("reverted %d, kept %+v, %v", reverted, kept, err)
	}
	if g, ok := gradeOf(t, db, "q1", "c2", "ann"); !ok || g != 3 {
		t.Errorf("the later grade is %d %v", g, ok)
	}
	if _, ok := gradeOf(t, db, "q1", "c1", "ann"); ok {
		t.Error("the import's grade is still there")
	}
	batches, err := db.Batches()
	if err != nil || len(batches) != 2 || !batches[0].Undone() || batches[0].Reverted != 2 {
		t.Errorf("batches %+v %v", batches, err)
	}
	if _, _, err := db.UndoBatch(ctx, ann, "nope"); !errors.Is(err, store.ErrNoBatch) {
		t.Errorf("an unknown batch: %v", err)
	}
	verify(t, db)
}

// TestClockNeverRunsBackwards sets the wall clock back by a year between two processes.
func TestClockNeverRunsBackwards(t *testing.T) {
	db, path := create(t)
	first := put(t, db, grade("q1", "c1", "ann", 1))[0]
	db.Close()
	back := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	db = open(t, path, store.Options{Now: func() time.Time { return back }})
	second := put(t, db, grade("q1", "c1", "ann", 2))[0]
	if second.HLC <= first.HLC || !second.At.Equal(back) {
		t.Errorf("first %v, second %v at %v", first.HLC, second.HLC, second.At)
	}
	verify(t, db)
}

// B049: Public report: bbolt#782. Readers take no lock and see the last write; a second writer hears who holds the file.
func TestReadersBesideAWriter(t *testing.T) {
	db, path := create(t)
	var lock *store.LockedError
	start := time.Now()
	if _, err := store.Open(path, store.Options{}); !errors.As(err, &lock) || lock.PID != os.Getpid() || lock.Since.IsZero() {
		t.Errorf("a second writer: %v (%+v)", err, lock)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v to say so", took)
	}
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := db.Write(ctx, ann, grade("q1", fmt.Sprintf("c%d", i%50), "ann", corpus.Grade(i%4))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	read := 0
	for range 20 {
		cp, err := store.OpenCopy(path, store.Options{})
		if errors.Is(err, store.ErrBusy) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		read++
		verify(t, cp)
		if _, err := cp.Write(ctx, ann, grade("q1", "x", "ann", 1)); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("a copy was written to: %v", err)
		}
		cp.Close()
	}
	close(stop)
	writing.Wait()
	if read == 0 {
		t.Error("no copy could be read beside the writer")
	}
	put(t, db, grade("q9", "last", "ann", 2))
	cp, err := store.OpenCopy(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	if g, ok := gradeOf(t, cp, "q9", "last", "ann"); !ok || g != 2 {
		t.Error("the copy lacks the last write")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

// TestKilledWriter kills a process that prints each label once Write returned. Every printed label is there.
func TestKilledWriter(t *testing.T) {
	if path := os.Getenv("STORE_TEST_WRITE"); path != "" {
		db, err := store.Open(path, store.Options{})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		for i := 0; ; i++ {
			if _, err := db.Write(ctx, ann, grade("q", fmt.Sprintf("%s-%d", db.Process(), i), "ann", corpus.Grade(i%4))); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			fmt.Printf("saved %s-%d\n", db.Process(), i)
		}
	}
	db, path := create(t)
	db.Close()
	kills := 25
	if testing.Short() {
		kills = 5
	}
	rng := rand.New(rand.NewPCG(1, 2))
	saved := map[string]bool{}
	for range kills {
		c := exec.Command(os.Args[0], "-test.run", "^TestKilledWriter$")
		c.Env = append(os.Environ(), "STORE_TEST_WRITE="+path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines, after := bufio.NewReader(out), rng.IntN(60)
		for n := 0; ; n++ {
			if n == after {
				c.Process.Kill()
			}
			line, err := lines.ReadString('\n')
			if errors.Is(err, io.EOF) || err != nil {
				break
			}
			id, ok := strings.CutPrefix(strings.TrimSpace(line), "saved ")
			if !ok {
				t.Fatalf("the writer says %q", line)
			}
			saved[id] = true
		}
		c.Wait()
	}
	db = open(t, path, store.Options{})
	for id := range saved {
		if _, ok := gradeOf(t, db, "q", id, "ann"); !ok {
			t.Errorf("%s was shown as saved and is gone", id)
		}
	}
	if len(saved) < kills {
		t.Errorf("only %d labels were saved over %d kills", len(saved), kills)
	}
	verify(t, db)
}

// TestDamagedFiles flips, cuts and empties: the file opens as it was, or is refused in words; never a panic, a signal
// or an empty state.
func TestDamagedFiles(t *testing.T) {
	db, path := create(t)
	for i := range 40 {
		put(t, db, grade(fmt.Sprintf("q%d", i%5), fmt.Sprintf("c%d", i), "ann", 2))
	}
	db.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	tries := 150
	if testing.Short() {
		tries = 30
	}
	refused := 0
	for i := range tries {
		data := append([]byte(nil), whole...)
		switch i % 3 {
		case 0:
			data = data[:rng.IntN(len(data))]
		case 1:
			for range 1 + rng.IntN(30) {
				data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
			}
		case 2:
			from := rng.IntN(len(data))
			clear(data[from:min(len(data), from+rng.IntN(9000))])
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, way := range []func(string, store.Options) (*store.DB, error){store.Open, store.OpenCopy} {
			db, err := way(path, store.Options{})
			if err != nil {
				refused++
				if err.Error() == "" || errors.Is(err, store.ErrNone) {
					t.Fatalf("try %d: %v", i, err)
				}
				continue
			}
			n := 0
			err = db.EachLabel(ctx, func(corpus.Label) error { n++; return nil })
			// Without its newest header the file is what it was one transaction before: bbolt can't tell that from a
			// commit that was cut short.
			if err == nil && n < 39 {
				if r, verr := db.Verify(ctx); verr == nil && r.Clean() {
					t.Errorf("try %d: %d of 40 labels and nobody notices", i, n)
				}
			}
			db.Close()
		}
	}
	if refused == 0 {
		t.Error("no damage was ever noticed")
	}
	for _, content := range []string{"", "x", "not a database, but long enough to hold two pages" + strings.Repeat(".", 9000)} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *store.DamagedError
		if _, err := store.Open(path, store.Options{Create: true}); !errors.As(err, &damaged) || damaged.Hint() == "" {
			t.Errorf("%.10q opens: %v", content, err)
		}
	}
	os.Remove(path)
	if _, err := store.Open(path, store.Options{}); !errors.Is(err, store.ErrNone) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := store.OpenCopy(path, store.Options{}); !errors.Is(err, store.ErrNone) {
		t.Errorf("a missing file to copy: %v", err)
	}
}

// B051: Public report: bbolt#288. Label and undo over and over grows the file with the journal and not with its square.
func TestFileStaysInProportion(t *testing.T) {
	db, path := create(t)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	cycle := func(n int) {
		for i := range n {
			e := put(t, db, grade("q", fmt.Sprintf("c%d", i%10), "ann", corpus.Grade(i%4)))
			if len(e) == 0 {
				continue
			}
			if _, err := db.Undo(ctx, ann, e[0].ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	cycle(300)
	first := size()
	cycle(900)
	if grown := size(); grown > 8*first {
		t.Errorf("four times the events made %d bytes of %d", grown, first)
	}
	verify(t, db)
}

func TestDraftsAndQueries(t *testing.T) {
	db, path := create(t)
	if err := db.PutDraft(ctx, "ann", "note/q1", "half"); err != nil {
		t.Fatal(err)
	}
	put(t, db, store.PutQuery(corpus.Query{ID: "b", Text: "second", Count: 1, Order: 2}), store.PutQuery(corpus.Query{ID: "z", Text: "first", Count: 3, Order: 1}))
	db.Close()
	db = open(t, path, store.Options{})
	if d, err := db.Drafts("ann"); err != nil || d["note/q1"] != "half" {
		t.Errorf("drafts %v %v", d, err)
	}
	qs, err := db.Queries()
	if err != nil || len(qs) != 2 || qs[0].ID != "z" || qs[1].ID != "b" {
		t.Errorf("queries %+v %v", qs, err)
	}
	before, err := db.LabelsFingerprint()
	if err != nil {
		t.Fatal(err)
	}
	put(t, db, grade("z", "c1", "ann", 1))
	if after, _ := db.LabelsFingerprint(); after == before {
		t.Error("a label leaves the fingerprint as it was")
	}
	c, err := db.Counts()
	if err != nil || c.Queries != 2 || c.Labels != 1 || c.Annotators["ann"].Labels != 1 {
		t.Errorf("counts %+v %v", c, err)
	}
	if text, ok, err := db.Text(corpus.HashText("c1")); err != nil || !ok || text != "c1" {
		t.Errorf("text %q %v %v", text, ok, err)
	}
}
