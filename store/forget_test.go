package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

// secret is part of all that must be gone once a query was forgotten, in whatever way it is written.
const secret = "xyzzy"

// another is the query that shares words, chunks, batches and annotators with the one that is forgotten.
const another = "other"

// told is a DB in which all that can be said was said of the query id, and some of it of another.
func told(t *testing.T, id string) *DB {
	t.Helper()
	db := testDB(t)
	tellAll(t, db, id)
	return db
}

func tellAll(t *testing.T, db *DB, id string) {
	t.Helper()
	text, reworded := "where does <xyzzy> & co keep\nthe \"keys\"?", "where does xyzzy keep its keys?"
	label := func(query, chunk, annotator string, g corpus.Grade, note string) Change {
		c := testChunk(chunk)
		l := corpus.Label{QueryID: query, CorpusID: "c1", ChunkID: chunk, Annotator: annotator, Grade: g, Note: note, Anchor: corpus.AnchorOf("c1", c)}
		l.Anchor.Evidence = []corpus.Evidence{{Start: 0, End: 3, Quote: "the"}}
		return PutLabel(l, corpus.Found{Route: corpus.RouteSearch, Search: "keys of " + query, Rank: 1}, c.Text)
	}
	write(t, db, Author{Annotator: "ann", Role: "import", Batch: "import 1"},
		PutQuery(corpus.Query{ID: id, Text: text, Count: 3, Turns: []corpus.Turn{{Role: "user", Content: "xyzzy before"}}}),
		PutQuery(corpus.Query{ID: another, Text: "where does xy keep its keys?", Count: 2}),
		label(id, "shared", "ann", 2, "xyzzy note"), label(another, "shared", "ann", 1, "fine"))
	write(t, db, Author{Annotator: "ben", Role: "import", Batch: "import 2"},
		label(id, "c2", "ben", 0, "xyzzy, ben says"), label(id, "only xyzzy", "ben", 3, ""))
	write(t, db, Author{Annotator: "ann"}, PutQuery(corpus.Query{ID: id, Text: reworded, Count: 3}))
	said := func(query, annotator string, what corpus.What, value string, proof any) Change {
		raw, err := encodeJSON(proof)
		if err != nil {
			t.Fatal(err)
		}
		return PutSaid(corpus.Said{QueryID: query, What: what, Value: value, Annotator: annotator, Proof: raw})
	}
	write(t, db, Author{},
		PutWork(corpus.Work{QueryID: id, Annotator: "ann", State: corpus.Skipped, Reason: "xyzzy is a name"}),
		PutWork(corpus.Work{QueryID: id, Annotator: "ben", State: corpus.Done}),
		said(id, "ann", corpus.SaidTag, corpus.TagUnanswerable, corpus.UnanswerableProof{Searches: []corpus.SearchTried{{Text: "xyzzy"}}}),
		said(id, "ben", corpus.SaidTag, "xyzzy's own tag", nil),
		said(id, "ann", corpus.SaidNote, "a note on xyzzy", nil),
		said(id, "ann", corpus.SaidAnswer, "xyzzy keeps them below", nil),
		said(id, "ben", corpus.SaidConflict, `["c2","only xyzzy"]`, corpus.ConflictProof{ChunkIDs: []string{"c2", "only xyzzy"}, Holds: "c2"}),
		said(id, "ben", corpus.SaidSet, `["c2","shared"]`, nil),
		said(id, "ben", corpus.SaidHardNegative, "c2", nil),
		AddSearch(corpus.SearchTried{QueryID: id, Annotator: "ann", Text: "xyzzy keys", Mode: corpus.Plain, Results: 3, Deepest: 2}),
		AddSearch(corpus.SearchTried{QueryID: id, Annotator: "ben", Text: "xyzzy keys", Mode: corpus.Plain}))
	// Taken back, put back, taken back as a batch and cleared.
	e := write(t, db, Author{Annotator: "ann"}, label(id, "shared", "ann", 3, "xyzzy again"))[0]
	undo, err := db.Undo(context.Background(), Author{Annotator: "ann"}, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Undo(context.Background(), Author{Annotator: "ann"}, undo.ID); err != nil {
		t.Fatal(err)
	}
	if n, _, err := db.UndoBatch(context.Background(), Author{Annotator: "ben"}, "import 2"); err != nil || n != 2 {
		t.Fatalf("%d taken back, %v", n, err)
	}
	write(t, db, Author{Annotator: "ben"}, label(id, "only xyzzy", "ben", 2, ""))
	// What others say of it.
	write(t, db, Author{Annotator: "ann"},
		PutQuery(corpus.Query{ID: "follows", Text: "and in prod?", ParentID: id, Standalone: reworded, Turns: []corpus.Turn{
			{Role: "system", Content: "be brief"}, {Role: "user", Content: text}, {Role: "assistant", Content: "You asked: where does xyzzy keep its keys?"},
			{Role: "user", Content: "where does xy keep its keys?"}}}),
		said("follows", "ann", corpus.SaidTag, corpus.TagFollowUp, corpus.FollowUpProof{ParentID: id, Standalone: reworded}),
		said("follows", "ann", corpus.SaidNote, "compare (where does xyzzy keep its keys?) with this", nil),
		PutQuery(corpus.Query{ID: "group", Text: "where are keys kept?", Count: 9, Group: "group", Variants: []corpus.Variant{
			{ID: id, Text: reworded, Count: 3}, {ID: "v2", Text: "where are keys", Count: 2}}}),
		PutQuery(corpus.Query{ID: "same", Text: "where are the keys?", Count: 5, Group: "same", Variants: []corpus.Variant{{ID: "v3", Text: " " + reworded, Count: 4}}}),
		PutQuery(corpus.Query{ID: "member", Text: "keys where?", Group: id, Excluded: true}),
		AddSearch(corpus.SearchTried{QueryID: another, Annotator: "ann", Text: reworded, Mode: corpus.Plain}))
	write(t, db, Author{Annotator: "ann"}, // once more, so that the mention is history
		PutQuery(corpus.Query{ID: "follows", Text: "and in production?", ParentID: id, Turns: []corpus.Turn{{Role: "user", Content: text}}}))
	for name, draft := range map[string]string{
		"note/" + url.PathEscape(id) + "/c2":      "xyzzy half",
		"note/" + url.PathEscape(id):              "half",
		"tag/" + url.PathEscape(id) + "/free":     `["xyzzy"]`,
		"queries/edit/" + id:                      "half",
		"queries/new":                             reworded,
		"note/" + another:                         "as in: where does xyzzy keep its keys? or so",
		"tag/follows/" + corpus.TagFollowUp:       string(mustJSON(t, []string{id, text})),
		"note/" + another + "/" + "c-unconcerned": "stays",
	} {
		if err := db.PutDraft(context.Background(), "ben", name, draft); err != nil {
			t.Fatal(err)
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func forget(t *testing.T, db *DB, ids ...string) Forgotten {
	t.Helper()
	out, err := db.Forget(context.Background(), Author{Annotator: "chi", Role: "lead"}, ids...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func raw(t *testing.T, db *DB) []byte {
	t.Helper()
	b, err := os.ReadFile(db.path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// gone fails the test where the file's bytes, free pages included, still hold the secret or the id.
func gone(t *testing.T, db *DB, id string) {
	t.Helper()
	b := raw(t, db)
	if i := bytes.Index(b, []byte(secret)); i >= 0 {
		t.Errorf("the file holds %q", b[max(0, i-200):min(len(b), i+200)])
	}
	if len(id) > 3 && bytes.Contains(b, []byte(id)) {
		t.Errorf("the file holds the id %.40q", id)
	}
	if len(id) > maxKeyID && bytes.Contains(b, []byte(keyID(id))) {
		t.Error("the file holds the id's key")
	}
	if held, err := Holds(db.path, id, nil); err != nil || held {
		t.Errorf("the file holds the id %.40q as a value: %v %v", id, held, err)
	}
	if left, err := filepath.Glob(db.path + ".*"); err != nil || len(left) > 1 || len(left) == 1 && left[0] != db.path+".lock" {
		t.Errorf("beside the file there are %v, %v", left, err)
	}
}

func TestForgetForGood(t *testing.T) {
	ids := []string{
		"query-0001", "a/b%2Fc", "../../etc/passwd", "id \"quoted\" \\ back", "id\x00with\nlines", "\u202eturned\u2028id", "日本の質問",
		"<b>&amp;</b>", " spaces ", "q", strings.Repeat("k", corpus.MaxIDLen), "note", another + "-2",
	}
	for _, id := range ids {
		t.Run(fmt.Sprintf("%.20q", id), func(t *testing.T) {
			db := told(t, id)
			verified(t, db)
			if held, err := Holds(db.path, id, nil); err != nil || !held || !bytes.Contains(raw(t, db), []byte(secret)) {
				t.Fatalf("the file does not hold what there is to forget: %v %v", held, err)
			}
			out := forget(t, db, id)
			want := Forgotten{Queries: 1, Events: out.Events, Labels: 2, Statements: 7, Searches: 2, Drafts: 7, Texts: 2, Mentions: out.Mentions}
			if fmt.Sprint(out) != fmt.Sprint(want) || out.Events < 20 || out.Mentions < 8 {
				t.Errorf("got %+v\nwant %+v", out, want)
			}
			if id == "note" { // a word of the file's own
				gone(t, db, "")
			} else {
				gone(t, db, id)
			}
			verified(t, db)
			isForgotten := func(db *DB, id string, want bool) {
				t.Helper()
				if is, err := db.IsForgotten(id); err != nil || is != want {
					t.Errorf("%.20q is forgotten: %v, %v", id, is, err)
				}
				if all, err := db.Forgotten(); err != nil || len(all) != 1 || all.Has(id) != want {
					t.Errorf("%.20q is among the forgotten: %v, %v", id, all, err)
				}
			}
			isForgotten(db, id, true)
			isForgotten(db, another, false)
			reader, err := OpenCopy(db.path, testOptions())
			if err != nil {
				t.Fatal(err)
			}
			isForgotten(reader, id, true)
			verified(t, reader)
			reader.Close()
			path := db.path
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openDB(t, path, testOptions())
			isForgotten(db, id, true)
			verified(t, db)
			if again := forget(t, db, id); again.Queries != 0 || again.Events != 0 || !slices.Equal(again.Already, []string{id}) {
				t.Errorf("a second time: %+v", again)
			}
			checkOthers(t, db)
		})
	}
}

// checkOthers looks that what others said of themselves is whole and what they said of the forgotten query is not.
func checkOthers(t *testing.T, db *DB) {
	t.Helper()
	query := func(id string) corpus.Query {
		t.Helper()
		q, ok, err := db.Query(id)
		if err != nil || !ok {
			t.Fatalf("query %s: %v %v", id, ok, err)
		}
		return q
	}
	if q := query(another); q.Text != "where does xy keep its keys?" || q.Count != 2 {
		t.Errorf("the other query is %+v", q)
	}
	if q := query("follows"); q.ParentID != "" || q.Text != "and in production?" || len(q.Turns) != 1 || q.Turns[0].Content != "[forgotten]" {
		t.Errorf("the follow-up is %+v", q)
	}
	if q := query("group"); q.Count != 9 || q.Group != "group" || len(q.Variants) != 1 || q.Variants[0].ID != "v2" {
		t.Errorf("the group is %+v", q)
	}
	if q := query("same"); q.Count != 5 || q.Group != "" || len(q.Variants) != 0 {
		t.Errorf("the query with the text as a variant is %+v", q)
	}
	if q := query("member"); q.Group != "" || !q.Excluded {
		t.Errorf("the member is %+v", q)
	}
	if g := gradeOf(t, db, another, "shared", "ann"); g != "1" {
		t.Errorf("the other query's label is %s", g)
	}
	if text, ok, err := db.Text(corpus.HashText(testChunk("shared").Text)); !ok || text == "" || err != nil {
		t.Errorf("the text of the chunk that another label needs: %v %v", ok, err)
	}
	if _, ok, err := db.Text(corpus.HashText(testChunk("c2").Text)); ok || err != nil {
		t.Errorf("the text of a chunk that no label needs is there: %v", err)
	}
	said, err := db.Said("follows")
	if err != nil || len(said) != 2 {
		t.Fatalf("said of the follow-up: %v %v", said, err)
	}
	if string(said[0].Proof) != `{"parent_id":"","standalone_query":""}` && string(said[0].Proof) != `{"standalone_query":""}` {
		t.Errorf("the proof is %s", said[0].Proof)
	}
	if said[1].Value != "compare ([forgotten]) with this" {
		t.Errorf("the note is %q", said[1].Value)
	}
	searches, err := db.Searches(another)
	if err != nil || len(searches) != 1 || searches[0].Text != "[forgotten]" {
		t.Errorf("searches %+v %v", searches, err)
	}
	drafts, err := db.Drafts("ben")
	want := map[string]string{"note/" + another: "as in: [forgotten] or so", "tag/follows/follow-up": `["","[forgotten]"]`, "note/other/c-unconcerned": "stays"}
	if err != nil || !maps.Equal(drafts, want) {
		t.Errorf("drafts %q %v", drafts, err)
	}
	var turns [][]corpus.Turn
	events, err := db.Events(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var q corpus.Query
		if e.Subject.Query == "follows" && e.Kind == corpus.EventQuery && json.Unmarshal(e.After, &q) == nil {
			turns = append(turns, q.Turns)
		}
	}
	first := []corpus.Turn{{Role: "system", Content: "be brief"}, {Role: "user", Content: "[forgotten]"},
		{Role: "assistant", Content: "You asked: [forgotten]"}, {Role: "user", Content: "where does xy keep its keys?"}}
	if len(turns) != 2 || !slices.Equal(turns[0], first) {
		t.Errorf("the follow-up's turns were %q", turns)
	}
}

func TestForgetLeavesTombstones(t *testing.T) {
	db := told(t, "query-0001")
	before, err := db.Events(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := forget(t, db, "query-0001")
	after, err := db.Events(0, 0)
	if err != nil || len(after) != len(before)+1 {
		t.Fatalf("%d events, %d before, %v", len(after), len(before), err)
	}
	stones := 0
	for i, was := range before {
		e := after[i]
		if e.V != was.V || e.ID != was.ID || e.Seq != was.Seq || e.HLC != was.HLC || !e.At.Equal(was.At) {
			t.Errorf("event %d is %+v, was %+v", i, e, was)
		}
		if was.Subject.Query != "query-0001" {
			if e.Kind != was.Kind || e.Subject != was.Subject || e.Parent != was.Parent {
				t.Errorf("event %d about something else is %+v, was %+v", i, e, was)
			}
			continue
		}
		stones++
		bare := corpus.Event{V: e.V, Kind: EventForgotten, ID: e.ID, Seq: e.Seq, HLC: e.HLC, At: e.At}
		if string(mustJSON(t, e)) != string(mustJSON(t, bare)) {
			t.Errorf("the tombstone says %s", mustJSON(t, e))
		}
		if _, err := db.Undo(context.Background(), Author{}, e.ID); !errors.Is(err, ErrForgotten) {
			t.Errorf("undo of a tombstone: %v", err)
		}
	}
	if stones != out.Events {
		t.Errorf("%d tombstones, %d counted", stones, out.Events)
	}
	last := after[len(after)-1]
	if last.Kind != EventForget || last.Annotator != "chi" || last.Role != "lead" || last.At.IsZero() ||
		last.Subject != (corpus.Subject{Value: string(corpus.HashText("query-0001"))}) {
		t.Errorf("who forgot it: %+v", last)
	}
	if _, err := db.Undo(context.Background(), Author{}, last.ID); !errors.Is(err, ErrForgotten) {
		t.Errorf("undo of forgetting: %v", err)
	}
	for _, who := range []string{"ann", "ben", "chi"} {
		events, err := db.EventsBy(who, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Annotator != who {
				t.Errorf("among %s's events is %+v", who, e)
			}
		}
	}
	verified(t, db)
}

// Batches go on without their forgotten events, and undoing them brings nothing back.
func TestForgetWithinBatches(t *testing.T) {
	db := told(t, "query-0001")
	forget(t, db, "query-0001")
	batches, err := db.Batches()
	if err != nil || len(batches) != 1 {
		t.Fatalf("batches %+v %v", batches, err)
	}
	b := batches[0]
	if b.ID != "import 1" || b.Events != 2 || b.Kinds[corpus.EventQuery] != 1 || b.Kinds[corpus.EventLabel] != 1 || b.Undone() || !slices.Equal(b.Annotators, []string{"ann"}) {
		t.Errorf("the batch is %+v", b)
	}
	// Of these two nothing is left: the import of labels and its undo.
	for _, id := range []string{"import 2", "undo import 2"} {
		if _, _, err := db.UndoBatch(context.Background(), Author{}, id); !errors.Is(err, ErrNoBatch) {
			t.Errorf("undo of %q: %v", id, err)
		}
	}
	n, kept, err := db.UndoBatch(context.Background(), Author{Annotator: "ann"}, "import 1")
	if err != nil || n != 2 || len(kept) != 0 {
		t.Errorf("%d taken back, %v kept, %v", n, kept, err)
	}
	if _, ok, err := db.Query("query-0001"); ok || err != nil {
		t.Errorf("the query is back: %v", err)
	}
	if g := gradeOf(t, db, another, "shared", "ann"); g != "none" {
		t.Errorf("the other label is %s", g)
	}
	if n, _, err := db.UndoBatch(context.Background(), Author{Annotator: "ann"}, "undo import 1"); err != nil || n != 2 {
		t.Errorf("%d put back, %v", n, err)
	}
	verified(t, db)
	gone(t, db, "query-0001")
}
