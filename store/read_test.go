package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

func seqs(events []corpus.Event) []uint64 {
	var n []uint64
	for _, e := range events {
		n = append(n, e.Seq)
	}
	return n
}

func TestJournal(t *testing.T) {
	db := testDB(t) // four events by ann
	for i := range 6 {
		by := Author{Annotator: []string{"bob", "ann", "an"}[i%3], Batch: []string{"", "b1"}[i%2]}
		write(t, db, by, grade("q1", fmt.Sprint("k", i), by.Annotator, 1))
	}
	list := func(events []corpus.Event, err error) []uint64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return seqs(events)
	}
	tests := []struct {
		name      string
		got, want []uint64
	}{
		{"all", list(db.Events(0, 0)), []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{"some", list(db.Events(3, 2)), []uint64{4, 5}},
		{"the last", list(db.Events(9, 5)), []uint64{10}},
		{"none", list(db.Events(10, 5)), nil},
		{"ann", list(db.EventsBy("ann", 0, 0)), []uint64{9, 6, 4, 3, 2, 1}},
		{"ann's newest", list(db.EventsBy("ann", 0, 2)), []uint64{9, 6}},
		{"ann's next", list(db.EventsBy("ann", 6, 2)), []uint64{4, 3}},
		{"ann's before another's", list(db.EventsBy("ann", 8, 1)), []uint64{6}},
		{"ann's before the first", list(db.EventsBy("ann", 1, 2)), nil},
		{"an", list(db.EventsBy("an", 0, 0)), []uint64{10, 7}},
		{"bob", list(db.EventsBy("bob", 0, 0)), []uint64{8, 5}},
		{"nobody", list(db.EventsBy("nobody", 0, 0)), nil},
		{"a batch", list(db.EventsOf("b1", 0, 0)), []uint64{10, 8, 6}},
		{"a part of it", list(db.EventsOf("b1", 10, 1)), []uint64{8}},
		{"no batch", list(db.EventsOf("b", 0, 0)), nil},
	}
	for _, tt := range tests {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestBatches(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	if batches, err := db.Batches(); err != nil || len(batches) != 0 {
		t.Errorf("without any: %+v, %v", batches, err)
	}
	write(t, db, Author{Annotator: "zoe", Batch: "z"}, grade("q1", "k1", "ann", 1), grade("q1", "k2", "ann", 1), PutQuery(corpus.Query{ID: "q3", Text: "x"}))
	write(t, db, Author{Annotator: "bob", Batch: "a"}, grade("q2", "k1", "bob", 1))
	write(t, db, Author{Annotator: "ann", Batch: "z"}, grade("q1", "k3", "ann", 1))
	undoBatch := func(batch string) {
		t.Helper()
		if _, _, err := db.UndoBatch(ctx, Author{Annotator: "ann"}, batch); err != nil {
			t.Fatal(err)
		}
	}
	type line struct {
		id         string
		annotators string
		labels     int
		events     int
		reverts    string
		reverted   int
	}
	check := func(want ...line) {
		t.Helper()
		batches, err := db.Batches()
		if err != nil {
			t.Fatal(err)
		}
		var got []line
		for i, b := range batches {
			got = append(got, line{b.ID, strings.Join(b.Annotators, " "), b.Kinds[corpus.EventLabel], b.Events, strings.Join(b.Reverts, " "), b.Reverted})
			if b.First.After(b.Last) || b.First.Year() != 2024 || i > 0 && b.First.Before(batches[i-1].First) {
				t.Errorf("batch %s is from %v to %v", b.ID, b.First, b.Last)
			}
			if b.Undone() != (b.Reverted > 0) {
				t.Errorf("batch %s: undone %v", b.ID, b.Undone())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	z, a := line{"z", "ann zoe", 3, 4, "", 0}, line{"a", "bob", 1, 1, "", 0}
	check(z, a)
	undoBatch("z")
	z.reverted = 4
	check(z, a, line{"undo z", "ann", 3, 4, "z", 0})
	undoBatch("undo z")
	z.reverted = 0
	check(z, a, line{"undo z", "ann", 3, 4, "z", 4}, line{"undo undo z", "ann", 3, 4, "undo z", 0})
	verified(t, db)
}

func TestCountsAndTallies(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	write(t, db, Author{}, PutQuery(corpus.Query{ID: "q3", Text: "gone", Excluded: true}),
		grade("q1", "k1", "ann", 2), grade("q1", "k2", "ann", 0), grade("q1", "k3", "ann", corpus.CannotJudge),
		grade("q1", "k1", "bob", 1), grade("unknown", "k1", "ann", -1), grade("q2", "k9", "ann", 1),
		PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}),
		PutWork(corpus.Work{QueryID: "q1", Annotator: "bob", State: corpus.Done}),
		PutWork(corpus.Work{QueryID: "q2", Annotator: "bob", State: corpus.Later}),
		PutWork(corpus.Work{QueryID: "q3", Annotator: "cat", State: corpus.Done}),
		PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "odd", Annotator: "ann"}),
		PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "even", Annotator: "ann"}),
		PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidNote, Value: "n", Annotator: "ann"}),
		AddSearch(corpus.SearchTried{QueryID: "q1", Annotator: "ann", Text: "x"}))
	write(t, db, Author{}, ClearLabel(keyOf("q2", "k9", "ann")), DropSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "even", Annotator: "ann"}))
	got, err := db.Counts()
	if err != nil {
		t.Fatal(err)
	}
	want := Counts{Queries: 3, Excluded: 1, Done: 1, Labels: 5, Labeled: 2, Tags: 1, Said: 1, Searches: 1, Events: 21,
		Annotators: map[string]AnnotatorCounts{
			"ann": {Labels: 4, States: map[corpus.State]int{corpus.Done: 1}},
			"bob": {Labels: 1, States: map[corpus.State]int{corpus.Done: 1, corpus.Later: 1}},
			"cat": {States: map[corpus.State]int{corpus.Done: 1}},
		}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("counts are\n%+v, want\n%+v", got, want)
	}
	tallies, err := db.Tallies(ctx, "ann", "c1", 1)
	if err != nil || !reflect.DeepEqual(tallies, map[string]Tally{"q1": {Judged: 2, Relevant: 1, Labels: 3}, "unknown": {Labels: 1}}) {
		t.Errorf("tallies are %+v, %v", tallies, err)
	}
	if tallies, _ := db.Tallies(ctx, "ann", "c2", 1); len(tallies) != 0 {
		t.Errorf("in another corpus: %+v", tallies)
	}
}

func TestLabelsFingerprint(t *testing.T) {
	print := func(changes ...Change) corpus.Hash {
		t.Helper()
		db := testDB(t)
		for _, c := range changes { // one by one, so that each has its own time
			write(t, db, Author{}, c)
		}
		h, err := db.LabelsFingerprint()
		if err != nil || len(h) != 64 {
			t.Fatalf("%q, %v", h, err)
		}
		return h
	}
	said := func(value, proof string) Change {
		return PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidConflict, Value: value, Annotator: "ann", Proof: []byte(proof)})
	}
	a, b := grade("q1", "k1", "ann", 1), grade("a", "k2", "ann", 2)
	base := print(a, b, grade("ab", "k", "ann", 0))
	if print(grade("ab", "k", "ann", 0), b, a) != base {
		t.Error("it depends on the order")
	}
	if print(grade("q1", "k1", "ann", 3), b, a, grade("q2", "k", "ann", 1), ClearLabel(keyOf("q2", "k", "ann")), grade("ab", "k", "ann", 0)) != base {
		t.Error("it depends on the way there")
	}
	different := map[string]corpus.Hash{
		"base":            base,
		"nothing":         print(),
		"another grade":   print(grade("q1", "k1", "ann", 2), b, grade("ab", "k", "ann", 0)),
		"another person":  print(grade("q1", "k1", "bob", 1), b, grade("ab", "k", "ann", 0)),
		"another chunk":   print(grade("q1", "k2", "ann", 1), b, grade("ab", "k", "ann", 0)),
		"one less":        print(a, b),
		"a statement":     print(a, b, said(`["k1","k2"]`, `{"holds":"k1"}`)),
		"another proof":   print(a, b, said(`["k1","k2"]`, `{"holds":"k2"}`)),
		"another value":   print(a, b, said(`["k1","k3"]`, `{"holds":"k2"}`)),
		"ids cut apart":   print(grade("q1k", "1", "ann", 1)),
		"ids cut apart 2": print(grade("q1", "k1", "ann", 1)),
	}
	seen := map[corpus.Hash]string{}
	for name, h := range different {
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[h] = name
	}
}

func TestEachReadsPageByPage(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	const n = 2*pageRows + 1
	for i := 0; i < n; i += pageRows {
		write(t, db, Author{Batch: "b"}, benchLabels(i, min(pageRows, n-i), 8)...)
	}
	var keys []string
	err := db.EachLabel(ctx, func(l corpus.Label) error {
		if keys = append(keys, l.QueryID+" "+l.ChunkID); len(keys) == 1 {
			// A callback may write: what stands behind the page read so far goes, and is not seen.
			_, err := db.Write(ctx, Author{}, ClearLabel(keyOf(fmt.Sprintf("q%05d", (n-1)/8), fmt.Sprintf("docs/%04d.md#%d", (n-1)/20, (n-1)%20+1), "ann")))
			return err
		}
		return nil
	})
	if err != nil || len(keys) != n-1 {
		t.Fatalf("%d labels of %d, %v", len(keys), n-1, err)
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) != n-1 {
		t.Errorf("%d different labels of %d", len(keys), n-1)
	}
	stop := errors.New("enough")
	if err := db.EachLabel(ctx, func(corpus.Label) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the callback's error: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := db.EachLabel(ctx, func(corpus.Label) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadsOfNothing(t *testing.T) {
	db := emptyDB(t)
	ctx := context.Background()
	none := func(name string, ok bool, err error) {
		t.Helper()
		if ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	_, ok, err := db.Query("q")
	none("Query", ok, err)
	_, ok, err = db.Query("")
	none("Query of no id", ok, err)
	_, ok, err = db.Label(corpus.LabelKey{})
	none("Label", ok, err)
	_, ok, err = db.Work("ann", "q")
	none("Work", ok, err)
	_, ok, err = db.Scale()
	none("Scale", ok, err)
	_, ok, err = db.ScaleByID("s")
	none("ScaleByID", ok, err)
	_, ok, err = db.CurrentCorpus()
	none("CurrentCorpus", ok, err)
	_, ok, err = db.Corpus("c")
	none("Corpus", ok, err)
	queries, err := db.Queries()
	none("Queries", len(queries) > 0, err)
	labels, err := db.LabelsIn("c", "d")
	none("LabelsIn", len(labels) > 0, err)
	none("EachSearch", false, db.EachSearch(ctx, func(corpus.SearchTried) error { return errors.New("one") }))
	none("EachSaid", false, db.EachSaid(ctx, func(corpus.Said) error { return errors.New("one") }))
	if r := verified(t, db); r.Events != 0 || r.Keys != 0 {
		t.Errorf("verified %+v", r)
	}
}

func TestLabelsInADocument(t *testing.T) {
	db := testDB(t)
	put := func(chunk, doc string, start int, who string) {
		end := start + 5
		write(t, db, Author{}, PutLabel(corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: chunk, Annotator: who, Grade: 1,
			Anchor: corpus.Anchor{DocID: doc, Start: &start, End: &end}}, corpus.Found{}, ""))
	}
	put("k2", "d1", 300, "ann")
	put("k1", "d1", 20, "ann")
	put("k1", "d1", 20, "bob")
	put("k3", "d2", 0, "ann")
	put("k4", "d1", 1<<40, "ann")
	write(t, db, Author{}, PutLabel(corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k5", Annotator: "ann", Anchor: corpus.Anchor{DocID: "d1"}}, corpus.Found{}, ""))
	list := func(doc string) string {
		labels, err := db.LabelsIn("c1", doc)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, l := range labels {
			fmt.Fprintf(&b, "%s %s, ", l.ChunkID, l.Annotator)
		}
		return b.String()
	}
	if got := list("d1"); got != "k1 ann, k1 bob, k2 ann, k4 ann, " {
		t.Errorf("d1 has %s", got)
	}
	put("k2", "d1", 10, "ann") // the span moved
	write(t, db, Author{}, ClearLabel(keyOf("q1", "k1", "bob")))
	put("k4", "d2", 7, "ann") // to another document
	if got := list("d1") + "| " + list("d2"); got != "k2 ann, k1 ann, | k3 ann, k4 ann, " {
		t.Errorf("after changes: %s", got)
	}
	verified(t, db)
}

func TestScalesAndCorporaThatWere(t *testing.T) {
	db := testDB(t)
	wide := corpus.NewScale(0, 4, nil, 2)
	e := write(t, db, Author{}, SetScale(wide), PutCorpus(corpus.Info{ID: "c2", Fingerprint: "f2"}))
	s, _, _ := db.Scale()
	old, ok, err := db.ScaleByID(corpus.DefaultScale().ID)
	if s.ID != wide.ID || !ok || err != nil || !reflect.DeepEqual(old, corpus.DefaultScale()) {
		t.Errorf("in force %s; before %+v, %v, %v", s.ID, old, ok, err)
	}
	// A label on the scale that was is still measured by it.
	l := corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k1", Annotator: "ann", Grade: 4, ScaleID: old.ID}
	if _, err := db.Write(context.Background(), Author{}, PutLabel(l, corpus.Found{}, "")); err == nil {
		t.Error("grade 4 was accepted on the scale 0 to 3")
	}
	undo(t, db, e[1].ID)
	undo(t, db, e[0].ID)
	now, _, _ := db.CurrentCorpus()
	c2, ok, _ := db.Corpus("c2")
	if s, _, _ := db.Scale(); s.ID != old.ID || now.ID != "c1" || !ok || c2.Fingerprint != "f2" {
		t.Errorf("after undo: scale %s, corpus %s, c2 %+v", s.ID, now.ID, c2)
	}
	verified(t, db)
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	labelAt := place{bucketLabels, joinKey("q1", "c1", "k1", "ann")}
	tests := []struct {
		name  string
		spoil func(tx *bolt.Tx) error
		path  string
		what  string
	}{
		{"a grade", func(tx *bolt.Tx) error {
			r, _, err := labelAt.read(tx)
			if err != nil {
				return err
			}
			r.grade = 3
			return labelAt.put(tx, r.encode())
		}, labelAt.String(), "not what the events say"},
		{"a label that is gone", func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketLabels)).Delete(labelAt.key) },
			labelAt.String(), "it is missing"},
		{"a label from nowhere", func(tx *bolt.Tx) error {
			return place{bucketLabels, joinKey("q9", "c1", "k1", "ann")}.put(tx, record{value: []byte("{}")}.encode())
		}, `labels/"q9\xffc1\xffk1\xffann"`, "no event says so"},
		{"an index entry", func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketByAnnotator)).Delete(listKey("ann", 5)) },
			"by_annotator/", "it is missing"},
		{"a text", func(tx *bolt.Tx) error {
			k, _ := tx.Bucket([]byte(bucketTexts)).Cursor().First()
			return tx.Bucket([]byte(bucketTexts)).Put(k, []byte("other"))
		}, "texts/", "not the one that was labeled"},
		{"the clock", func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyClock), seqKey(1)) },
			"meta/hlc", "behind the events"},
		{"an event that is gone", func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketEvents)).Delete(seqKey(3)) },
			"events/4", "missing"},
		{"an event that is no JSON", func(tx *bolt.Tx) error { return tx.Bucket([]byte(bucketEvents)).Put(seqKey(3), []byte("{")) },
			"events/3", "decode event"},
		{"an event that says another number", func(tx *bolt.Tx) error {
			events := tx.Bucket([]byte(bucketEvents))
			return events.Put(seqKey(3), events.Get(seqKey(4)))
		}, "events/3", "number 4"},
		{"an event twice", func(tx *bolt.Tx) error {
			e, err := eventAt(tx, 4)
			if err != nil {
				return err
			}
			e.Seq = 6
			raw, err := encodeEvent(e)
			if err != nil {
				return err
			}
			return tx.Bucket([]byte(bucketEvents)).Put(seqKey(6), raw)
		}, "events/6", "same id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			db := testDB(t)
			write(t, db, Author{Annotator: "ann"}, grade("q1", "k1", "ann", 2))
			verified(t, db)
			if err := db.update(tt.spoil); err != nil {
				t.Fatal(err)
			}
			r, err := db.Verify(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(r.Differences, func(d Difference) bool {
				return strings.HasPrefix(d.Path, tt.path) && strings.Contains(d.What, tt.what)
			})
			if r.Clean() || !found {
				t.Errorf("found %v, want %s: %s", r.Differences, tt.path, tt.what)
			}
		})
	}
}

func TestVerifyListsNoMoreThanAHundred(t *testing.T) {
	db := testDB(t)
	write(t, db, Author{Batch: "b"}, benchLabels(0, 150, 8)...)
	err := db.update(func(tx *bolt.Tx) error {
		if err := tx.DeleteBucket([]byte(bucketLabels)); err != nil {
			return err
		}
		_, err := tx.CreateBucket([]byte(bucketLabels))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := db.Verify(context.Background())
	if err != nil || r.Total != 150 || len(r.Differences) != maxDifferences || !strings.Contains(r.Differences[0].String(), ": ") {
		t.Errorf("%d listed of %d, %v", len(r.Differences), r.Total, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := db.Verify(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
}

// What a write looked up is not taken for true after a write that failed, or that said otherwise.
func TestWritersKnowWhatIsInForce(t *testing.T) {
	db := testDB(t)
	ctx := context.Background()
	wide := corpus.NewScale(0, 4, nil, 1)
	if _, err := db.Write(ctx, Author{}, SetScale(wide), PutCorpus(corpus.Info{ID: "c9"}), grade("q1", "k1", "ann", 4), grade("q1", "k1", "ann", 9)); err == nil {
		t.Fatal("grade 9 was accepted")
	}
	if _, err := db.Write(ctx, Author{}, grade("q1", "k1", "ann", 4)); err == nil {
		t.Error("a scale is in force that was not saved")
	}
	e := write(t, db, Author{}, PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}))[0]
	if e.CorpusID != "c1" {
		t.Errorf("the event is about corpus %s", e.CorpusID)
	}
	set := write(t, db, Author{}, SetScale(wide))[0]
	write(t, db, Author{}, grade("q1", "k1", "ann", 4))
	// The same id, but another meaning.
	other := wide
	other.Max = 2
	write(t, db, Author{}, SetScale(other))
	if _, err := db.Write(ctx, Author{}, grade("q1", "k2", "ann", 4)); err == nil {
		t.Error("the scale that was is still in force")
	}
	if _, err := db.Undo(ctx, Author{}, set.ID); !errors.Is(err, ErrChangedSince) {
		t.Errorf("undo: %v", err)
	}
	verified(t, db)
}
