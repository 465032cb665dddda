package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

// B013 (open-edge-platform/geti#5704): saving what is saved already changes nothing, and so writes nothing.
func TestChangeThatChangesNothing(t *testing.T) {
	db := testDB(t)
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	search := corpus.SearchTried{QueryID: "q1", Text: "key", Mode: corpus.Plain, Results: 3, Deepest: 2, Annotator: "ann", At: at}
	tag := corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "identifier", Annotator: "ann",
		Proof: json.RawMessage(`{"identifier": "ERR_1"}`)}
	note := corpus.Said{QueryID: "q1", What: corpus.SaidNote, Value: "odd", Annotator: "ann"}
	tests := []struct {
		name   string
		first  Change
		again  []Change // must write nothing
		differ []Change // must write an event, each after the one before
	}{
		{"query", PutQuery(corpus.Query{ID: "q9", Text: "x", Count: 1, Source: "log"}),
			[]Change{PutQuery(corpus.Query{ID: "q9", Text: "x", Source: "log"}),
				PutQuery(corpus.Query{ID: "q9", Text: "x", Count: 1, Source: "log", Order: 3})},
			[]Change{PutQuery(corpus.Query{ID: "q9", Text: "X", Source: "log"}),
				PutQuery(corpus.Query{ID: "q9", Text: "X", Count: 2, Source: "log"}),
				PutQuery(corpus.Query{ID: "q9", Text: "X", Count: 2, Source: "log", Excluded: true})}},
		{"label", grade("q1", "k1", "ann", 2),
			[]Change{grade("q1", "k1", "ann", 2)},
			[]Change{grade("q1", "k1", "ann", 3), grade("q1", "k1", "ann", corpus.CannotJudge), grade("q1", "k1", "ann", 0)}},
		{"cleared label", ClearLabel(keyOf("q1", "k1", "ann")),
			[]Change{ClearLabel(keyOf("q1", "k1", "ann")), ClearLabel(keyOf("q1", "never", "ann"))},
			[]Change{grade("q1", "k1", "ann", 0)}},
		{"work", PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done}),
			[]Change{PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Done, At: at}),
				PutWork(corpus.Work{QueryID: "q2", Annotator: "ann", State: corpus.Open})},
			[]Change{PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Skipped, Reason: "too long"}),
				PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Open})}},
		{"tag", PutSaid(tag),
			[]Change{PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "identifier", Annotator: "ann", At: at,
				Proof: json.RawMessage(`{"identifier":"ERR_1"}`)})},
			[]Change{PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "identifier", Annotator: "ann",
				Proof: json.RawMessage(`{"identifier":"ERR_2"}`)}), DropSaid(tag)}},
		{"note", PutSaid(note), []Change{PutSaid(note), DropSaid(corpus.Said{QueryID: "q2", What: corpus.SaidNote, Annotator: "ann"})},
			[]Change{PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidNote, Value: "even", Annotator: "ann"}),
				PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidNote, Annotator: "ann"})}},
		{"search", AddSearch(search), []Change{AddSearch(search)},
			[]Change{AddSearch(corpus.SearchTried{QueryID: "q1", Text: "key", Mode: corpus.Plain, Results: 3, Deepest: 3, Annotator: "ann", At: at})}},
		{"scale", SetScale(corpus.NewScale(0, 1, nil, 1)),
			[]Change{SetScale(corpus.NewScale(0, 1, nil, 1))}, []Change{SetScale(corpus.DefaultScale())}},
		{"corpus", PutCorpus(corpus.Info{ID: "c2", Fingerprint: "f"}),
			[]Change{PutCorpus(corpus.Info{ID: "c2", Fingerprint: "f"})},
			[]Change{PutCorpus(corpus.Info{ID: "c2", Fingerprint: "g"}), PutCorpus(corpus.Info{ID: "c1"}), PutCorpus(corpus.Info{ID: "c2", Fingerprint: "g"})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			by := Author{Annotator: "ann"}
			write(t, db, by, tt.first)
			for i, c := range tt.again {
				if events := write(t, db, by, c); len(events) != 0 {
					t.Errorf("saying it again (%d) wrote %s", i, events[0].After)
				}
			}
			for i, c := range tt.differ {
				if events := write(t, db, by, c); len(events) != 1 {
					t.Errorf("a difference (%d) wrote %d events", i, len(events))
				}
			}
		})
	}
	verified(t, db)
}

// What is confirmed after the query, the chunk or the scale changed is not what was said before.
func TestConfirmedLabelIsNew(t *testing.T) {
	db := testDB(t)
	c := testChunk("k1")
	l := corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k1", Annotator: "ann", Grade: 2, Anchor: corpus.AnchorOf("c1", c),
		QuerySHA256: corpus.HashText("old wording")}
	put := func(l corpus.Label) int {
		return len(write(t, db, Author{}, PutLabel(l, corpus.Found{Route: corpus.RoutePool}, "")))
	}
	put(l)
	if n := put(l); n != 0 {
		t.Error("the same was written twice")
	}
	l.QuerySHA256 = ""
	if n := put(l); n != 0 {
		t.Error("a label that knows nothing of the query's wording counts as a change")
	}
	l.QuerySHA256 = corpus.HashText("new wording")
	if n := put(l); n != 1 {
		t.Error("confirming a label after the query was reworded was lost")
	}
	c.Text = "another text"
	l.Anchor = corpus.AnchorOf("c1", c)
	if n := put(l); n != 1 {
		t.Error("confirming a label after the chunk changed was lost")
	}
	write(t, db, Author{}, SetScale(corpus.NewScale(0, 4, nil, 1)))
	if n := put(l); n != 1 {
		t.Error("confirming a label on a new scale was lost")
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	db := testDB(t)
	good := corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k1", Annotator: "ann", Grade: 1}
	label := func(change func(*corpus.Label)) Change {
		l := good
		change(&l)
		return PutLabel(l, corpus.Found{Route: corpus.RouteSearch}, "")
	}
	one, two := 1, 2
	long := strings.Repeat("x", corpus.MaxIDLen+1)
	said := func(what corpus.What, value string) Change {
		return PutSaid(corpus.Said{QueryID: "q1", What: what, Value: value, Annotator: "ann"})
	}
	tests := []struct {
		name string
		c    Change
		want string
	}{
		{"no query id", PutQuery(corpus.Query{Text: "x"}), "the id is empty"},
		{"bad query id", PutQuery(corpus.Query{ID: "\xff", Text: "x"}), "not valid UTF-8"},
		{"long query id", PutQuery(corpus.Query{ID: long, Text: "x"}), "bytes long"},
		{"blank query", PutQuery(corpus.Query{ID: "q", Text: " \t\n"}), "it is empty"},
		{"bad query text", PutQuery(corpus.Query{ID: "q", Text: "a\xffb"}), "not valid UTF-8"},
		{"no chunk", label(func(l *corpus.Label) { l.ChunkID = "" }), "the id is empty"},
		{"no annotator", label(func(l *corpus.Label) { l.Annotator = "" }), "the id is empty"},
		{"bad corpus", label(func(l *corpus.Label) { l.CorpusID = "\xfe" }), "not valid UTF-8"},
		{"off the scale", label(func(l *corpus.Label) { l.Grade = 4 }), "grade 4 is not on the scale 0 to 3"},
		{"unknown scale", label(func(l *corpus.Label) { l.ScaleID = "nope" }), `there is no scale "nope"`},
		{"bad note", label(func(l *corpus.Label) { l.Note = "\xff" }), "not valid UTF-8"},
		{"span without end", label(func(l *corpus.Label) { l.Anchor.Start = &one }), "span makes no sense"},
		{"span backwards", label(func(l *corpus.Label) { l.Anchor.Start, l.Anchor.End = &two, &one }), "span makes no sense"},
		{"other text", PutLabel(good, corpus.Found{}, "some text"), "not the one that the label points to"},
		{"no state", PutWork(corpus.Work{QueryID: "q1", Annotator: "ann"}), `no state ""`},
		{"bad reason", PutWork(corpus.Work{QueryID: "q1", Annotator: "ann", State: corpus.Skipped, Reason: "\xff"}), "not valid UTF-8"},
		{"state as statement", said(corpus.SaidState, "done"), "written as work"},
		{"no statement", said("", "x"), "the id is empty"},
		{"empty tag", said(corpus.SaidTag, ""), "it is empty"},
		{"bad tag", said(corpus.SaidTag, "\xff"), "not valid UTF-8"},
		{"set of what", said(corpus.SaidSet, "k1"), "not a list of chunk ids"},
		{"conflict of numbers", said(corpus.SaidConflict, "[1,2]"), "not a list of chunk ids"},
		{"bad proof", PutSaid(corpus.Said{QueryID: "q1", What: corpus.SaidTag, Value: "x", Annotator: "ann",
			Proof: json.RawMessage("{")}), "proof is not JSON"},
		{"search by nobody", AddSearch(corpus.SearchTried{QueryID: "q1"}), "the id is empty"},
		{"scale without end", SetScale(corpus.Scale{ID: "s", Min: 3, Max: 3}), "is not above"},
		{"scale without id", SetScale(corpus.Scale{Max: 1, RelevantFrom: 1}), "the id is empty"},
		{"corpus without id", PutCorpus(corpus.Info{}), "the id is empty"},
	}
	before, err := db.Counts()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// All or none: the change before it goes too.
			events, err := db.Write(context.Background(), Author{}, grade("q2", "k1", "ann", 1), tt.c)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error about %q", err, tt.want)
			}
			if events != nil {
				t.Errorf("got %d events", len(events))
			}
		})
	}
	for _, by := range []Author{{Annotator: "\xff"}, {Role: long}, {Batch: "\xff"}} {
		if _, err := db.Write(context.Background(), by, grade("q1", "k1", "ann", 1)); err == nil {
			t.Errorf("the author %+v was accepted", by)
		}
	}
	if after, _ := db.Counts(); !reflect.DeepEqual(before, after) {
		t.Errorf("counts went from %+v to %+v", before, after)
	}
}

func TestLabelBeforeAnyScale(t *testing.T) {
	db := emptyDB(t)
	if _, err := db.Write(context.Background(), Author{}, grade("q1", "k1", "ann", 1)); err == nil || !strings.Contains(err.Error(), "no scale is in force") {
		t.Errorf("got %v", err)
	}
	// In one write with the scale, and before any corpus.
	write(t, db, Author{}, SetScale(corpus.DefaultScale()),
		PutLabel(corpus.Label{QueryID: "q1", ChunkID: "k1", Annotator: "ann", Grade: 3}, corpus.Found{Route: corpus.RouteImport}, ""))
	labels, err := db.Labels("q1")
	if err != nil || len(labels) != 1 || labels[0].ScaleID != corpus.DefaultScale().ID || labels[0].CorpusID != "" {
		t.Errorf("labels are %+v, %v", labels, err)
	}
	verified(t, db)
}

func TestEventSaysWhoAndHow(t *testing.T) {
	db := testDB(t)
	made := time.Date(2020, 2, 3, 4, 5, 6, 0, time.FixedZone("", 3600))
	c := testChunk("k1")
	l := corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k1", Annotator: "bob", Grade: 2, At: made, Note: "<b> & co",
		Anchor: corpus.AnchorOf("c1", c)}
	found := corpus.Found{Route: corpus.RouteSearch, Search: "rotate", Rank: 37, Revealed: true}
	by := Author{Annotator: "ann", Role: "import", Guidelines: "g1", Batch: "b1", Active: 1500 * time.Millisecond}
	events := write(t, db, by, PutLabel(l, found, c.Text), PutWork(corpus.Work{QueryID: "q1", Annotator: "bob", State: corpus.Done}))
	if len(events) != 2 {
		t.Fatalf("%d events", len(events))
	}
	e := events[0]
	if e.V != 1 || e.Kind != corpus.EventLabel || e.ID.Process() != testProcess || e.Seq != 5 || e.Annotator != "ann" ||
		e.Role != "import" || e.CorpusID != "c1" || e.ScaleID != corpus.DefaultScale().ID || e.Batch != "b1" ||
		e.ActiveMS != 1500 || e.GuidelinesHash != "g1" || e.Program != "assay test" || !e.At.Equal(made) ||
		e.Parent != "" || e.Reverts != "" || e.Before != nil || !reflect.DeepEqual(e.Found, &found) {
		t.Errorf("event is %+v", e)
	}
	if e.Subject != (corpus.Subject{Query: "q1", Corpus: "c1", Chunk: "k1", Annotator: "bob"}) {
		t.Errorf("subject is %+v", e.Subject)
	}
	if !strings.Contains(string(e.After), "<b> & co") {
		t.Errorf("after is %s", e.After) // B025: no \u003c
	}
	if events[1].ActiveMS != 0 || events[1].CorpusID != "c1" || events[1].HLC <= e.HLC {
		t.Errorf("second event is %+v", events[1])
	}
	got, ok, err := db.Label(l.Key())
	if err != nil || !ok || !got.At.Equal(made) || got.At.Location() != time.UTC || got.GuidelinesSHA256 != "g1" ||
		got.Found != corpus.RouteSearch || got.Note != l.Note {
		t.Errorf("label is %+v, %v, %v", got, ok, err)
	}
	// The next event on the subject names this one, and what it said.
	next := write(t, db, Author{}, grade("q1", "k1", "bob", 0))[0]
	if next.Parent != e.ID || string(next.Before) != string(e.After) || next.Annotator != "bob" {
		t.Errorf("next event is %+v", next)
	}
	stored, err := db.Event(next.ID)
	if err != nil || !reflect.DeepEqual(stored, next) {
		t.Errorf("stored as %+v, %v", stored, err)
	}
	if _, err := db.Event("nope-1"); !errors.Is(err, ErrNoEvent) {
		t.Errorf("got %v", err)
	}
}

func TestQueriesKeepTheirOrder(t *testing.T) {
	db := emptyDB(t)
	put := func(q corpus.Query) { write(t, db, Author{}, PutQuery(q)) }
	put(corpus.Query{ID: "z", Text: "first"})
	put(corpus.Query{ID: "a", Text: "second"})
	put(corpus.Query{ID: "m", Text: "tenth", Order: 10})
	put(corpus.Query{ID: "b", Text: "eleventh"})
	put(corpus.Query{ID: "z", Text: "first, edited"})
	queries, err := db.Queries()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range queries {
		got = append(got, fmt.Sprintf("%s %d %d %s", q.ID, q.Order, q.Count, q.Text))
	}
	want := []string{"z 1 1 first, edited", "a 2 1 second", "m 10 1 tenth", "b 11 1 eleventh"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("queries are %q, want %q", got, want)
	}
}

// A newer program may note more about a query: an edit by this one keeps it.
func TestEditKeepsWhatANewerProgramSaid(t *testing.T) {
	db := testDB(t)
	at := place{bucketQueries, []byte("q1")}
	_, err := db.write(context.Background(), Author{Annotator: "ann"}, func(w *writer) error {
		old, _, err := at.read(w.tx)
		if err != nil {
			return err
		}
		after := append(append(json.RawMessage{}, old.value[:len(old.value)-1]...), `,"mood":{"a":[1,2]},"zeal":9007199254740993}`...)
		return w.append(corpus.Event{Kind: corpus.EventQuery, Subject: corpus.Subject{Query: "q1"}, After: after, Parent: old.event})
	})
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := db.Query("q1")
	if err != nil {
		t.Fatal(err)
	}
	if events := write(t, db, Author{}, PutQuery(q)); len(events) != 0 {
		t.Errorf("saying the same wrote %s", events[0].After)
	}
	q.Text = "reworded"
	e := write(t, db, Author{}, PutQuery(q))[0]
	if !strings.HasSuffix(string(e.After), `"order":1,"mood":{"a":[1,2]},"zeal":9007199254740993}`) {
		t.Errorf("after the edit: %s", e.After)
	}
	verified(t, db)
}

// B016 (o19s/quepid#175): URL-like ids keep their labels over a restart, byte for byte, and name no files.
func TestIDsOfAnyKind(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "bugs", "B016", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ids := []string{"\x00", "a\x00b", "a\x00", "\x00\xc3\xbf", "ÿ", "þÿ", "a/b", " ", "\n", "e\u0301", "é", strings.Repeat("x", corpus.MaxIDLen),
		strings.Repeat("\x00", corpus.MaxIDLen), strings.Repeat("y", maxKeyID), strings.Repeat("y", maxKeyID+1), "\U0010ffff", "a", "ab"}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row struct{ ID string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.ID)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "labels.db")
	db := openDB(t, path, testOptions())
	write(t, db, Author{}, SetScale(corpus.DefaultScale()))
	want := map[corpus.LabelKey]corpus.Grade{}
	n := 0
	for i, id := range ids {
		// The id in each of the places where one can stand, next to each of its neighbours in the list.
		other := ids[(i+1)%len(ids)]
		for _, k := range [][4]string{{id, other, "k", "ann"}, {"q", id, other, "ann"}, {"q", "c", id, other}, {other, "c", "k", id}, {id, id, id, id}} {
			k := corpus.LabelKey{QueryID: k[0], CorpusID: k[1], ChunkID: k[2], Annotator: k[3]}
			start, end := i, i+1
			n++
			want[k] = corpus.Grade(n % 4)
			write(t, db, Author{Batch: id}, PutQuery(corpus.Query{ID: id, Text: "x"}),
				PutLabel(corpus.Label{QueryID: k.QueryID, CorpusID: k.CorpusID, ChunkID: k.ChunkID, Annotator: k.Annotator, Grade: want[k],
					Anchor: corpus.Anchor{DocID: id, Start: &start, End: &end}}, corpus.Found{Route: corpus.RouteSearch}, ""),
				PutWork(corpus.Work{QueryID: id, Annotator: other, State: corpus.Done}),
				PutSaid(corpus.Said{QueryID: id, Annotator: other, What: corpus.SaidHardNegative, Value: other}),
				PutSaid(corpus.Said{QueryID: other, Annotator: id, What: corpus.SaidTag, Value: id}),
				AddSearch(corpus.SearchTried{QueryID: id, Annotator: other, Text: "x"}))
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openDB(t, path, testOptions())
	ctx := context.Background()
	got := map[corpus.LabelKey]corpus.Grade{}
	grades := map[corpus.LabelKey]corpus.Grade{}
	err = errors.Join(
		db.EachLabel(ctx, func(l corpus.Label) error { got[l.Key()] = l.Grade; return nil }),
		db.EachGrade(ctx, func(k corpus.LabelKey, g corpus.Grade) error { grades[k] = g; return nil }))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(grades, want) {
		t.Errorf("%d labels and %d grades came back of %d", len(got), len(grades), len(want))
	}
	searched := map[string]bool{}
	if err := db.EachSearch(ctx, func(s corpus.SearchTried) error { searched[s.QueryID] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	counts, err := db.Counts()
	if err != nil {
		t.Fatal(err)
	}
	batches, err := db.Batches()
	if err != nil {
		t.Fatal(err)
	}
	unique := map[string]bool{}
	for _, id := range ids {
		unique[id] = true
		if q, ok, err := db.Query(id); err != nil || !ok || q.ID != id {
			t.Errorf("query %.20q is gone: %v", id, err)
		}
		if !searched[id] {
			t.Errorf("no search for query %.20q", id)
		}
		if labels, err := db.Labels(id); err != nil || len(labels) < 2 {
			t.Errorf("query %.20q has %d labels, %v", id, len(labels), err)
		}
		if labels, err := db.LabelsIn("c", id); err != nil || len(labels) == 0 {
			t.Errorf("document %.20q has %d labels, %v", id, len(labels), err)
		}
		if events, err := db.EventsBy(id, 0, 0); err != nil || len(events) == 0 {
			t.Errorf("annotator %.20q has %d events, %v", id, len(events), err)
		}
		if counts.Annotators[id].Labels == 0 {
			t.Errorf("annotator %.20q has no labels in %d counts", id, len(counts.Annotators))
		}
	}
	if counts.Labels != len(want) || len(batches) != len(unique) {
		t.Errorf("%d labels counted of %d, %d batches of %d", counts.Labels, len(want), len(batches), len(unique))
	}
	verified(t, db)
	if entries, _ := os.ReadDir(dir); len(entries) != 2 { // the file and the note
		t.Errorf("the folder holds %v", entries)
	}
}

// Queries, labels and statements lie side by side: one's are not another's whose id begins the same.
func TestNeighboursStayApart(t *testing.T) {
	db := testDB(t)
	for _, q := range []string{"a", "a\x00", "aÿ", "ab", "a/b"} {
		write(t, db, Author{}, grade(q, "k", "ann", 1), PutSaid(corpus.Said{QueryID: q, What: corpus.SaidTag, Value: q, Annotator: "ann"}),
			AddSearch(corpus.SearchTried{QueryID: q, Text: q, Annotator: "ann"}))
	}
	labels, err := db.Labels("a")
	if err != nil || len(labels) != 1 || labels[0].QueryID != "a" {
		t.Errorf("labels of a: %+v, %v", labels, err)
	}
	said, err := db.Said("a")
	if err != nil || len(said) != 1 || said[0].Value != "a" {
		t.Errorf("statements on a: %+v, %v", said, err)
	}
	searches, err := db.Searches("a")
	if err != nil || len(searches) != 1 || searches[0].Text != "a" || searches[0].QueryID != "a" {
		t.Errorf("searches for a: %+v, %v", searches, err)
	}
}

func TestTextsAreKeptOnce(t *testing.T) {
	db := testDB(t)
	c := testChunk("k1")
	for _, who := range []string{"ann", "bob"} {
		write(t, db, Author{}, grade("q1", "k1", who, 1), grade("q2", "k1", who, 1))
	}
	if text, ok, err := db.Text(c.Hash()); err != nil || !ok || text != c.Text {
		t.Errorf("text is %q, %v, %v", text, ok, err)
	}
	if r := verified(t, db); r.Texts != 1 || r.TextsAbsent != 0 {
		t.Errorf("%d texts, %d absent", r.Texts, r.TextsAbsent)
	}
	// A label that came without its text gets it when the text is there; that is no event.
	other := corpus.Chunk{ID: "k2", Text: "late"}
	l := corpus.Label{QueryID: "q1", CorpusID: "c1", ChunkID: "k2", Annotator: "ann", Grade: 1, Anchor: corpus.AnchorOf("c1", other)}
	write(t, db, Author{}, PutLabel(l, corpus.Found{}, ""))
	if r := verified(t, db); r.TextsAbsent != 1 {
		t.Errorf("%d texts are absent, want 1", r.TextsAbsent)
	}
	if events := write(t, db, Author{}, PutLabel(l, corpus.Found{}, "late")); len(events) != 0 {
		t.Error("the text alone wrote an event")
	}
	if text, ok, _ := db.Text(other.Hash()); !ok || text != "late" {
		t.Errorf("text is %q, %v", text, ok)
	}
	// An empty chunk's text is known without being kept.
	if text, ok, _ := db.Text(corpus.HashText("")); !ok || text != "" {
		t.Error("the empty text is unknown")
	}
	for _, bad := range []corpus.Hash{"", "xyz", corpus.HashText("never labeled"), "\xff"} {
		if _, ok, err := db.Text(bad); ok || err != nil {
			t.Errorf("text of %q: %v, %v", bad, ok, err)
		}
	}
}

func TestWriteHonoursItsContext(t *testing.T) {
	db := testDB(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Write(ctx, Author{}, grade("q1", "k1", "ann", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := gradeOf(t, db, "q1", "k1", "ann"); got != "none" {
		t.Errorf("grade is %s", got)
	}
}
