package store

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"assay/corpus"
)

func mentionOf(ids []string, texts ...string) *mention {
	m := newMention(ids)
	for _, t := range texts {
		m.learn(t)
	}
	return &m
}

func TestUnquoted(t *testing.T) {
	m := mentionOf(nil, "rotate the  key", "why?", "キーはどこにありますかとても", "rotate the key, then")
	tests := []struct {
		name, s, want string
		n             int
	}{
		{"the text", "rotate the key", "[forgotten]", 1},
		{"other spaces", "\trotate\nthe key ", "[forgotten]", 1},
		{"quoted", `he asked "rotate the key" twice: rotate the key`, `he asked "[forgotten]" twice: [forgotten]`, 2},
		{"quoted as it was written", "so: rotate the  key!", "so: [forgotten]!", 1},
		{"the longer one first", "rotate the key, then", "[forgotten]", 1},
		{"the longer one within", "do rotate the key, then go", "do [forgotten] go", 1},
		{"another word", "rotate the keys and rotate the keyring", "rotate the keys and rotate the keyring", 0},
		{"within a word, then not", "unrotate the key, rotate the key", "unrotate the key, [forgotten]", 1},
		{"a short one is no quotation", "tell me why? please", "tell me why? please", 0},
		{"a short one alone", "why?", "[forgotten]", 1},
		{"no spaces between words", "質問キーはどこにありますかとても質問", "質問[forgotten]質問", 1},
		{"case matters", "Rotate the key", "Rotate the key", 0},
		{"nothing", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, n := m.unquoted(tt.s); got != tt.want || n != tt.n {
				t.Errorf("got %q, %d, want %q, %d", got, n, tt.want, tt.n)
			}
		})
	}
}

func TestMentionsInValues(t *testing.T) {
	m := mentionOf([]string{"gone"}, "rotate the key", "ERR")
	tests := []struct {
		name string
		kind corpus.EventKind
		in   string
		want string // "": as it is
		n    int
	}{
		{"a query's own text and id", corpus.EventQuery, `{"id":"gone2","text":"rotate the key","source":"gone"}`, "", 0},
		{"links", corpus.EventQuery, `{"id":"a","text":"t","group":"gone","parent_id":"gone"}`, `{"id":"a","text":"t"}`, 2},
		{"names in capitals", corpus.EventQuery, `{"ID":"a","Text":"t","Parent_ID":"gone"}`, `{"ID":"a","Text":"t"}`, 1},
		{"links to others", corpus.EventQuery, `{"id":"a","text":"t","group":"a","parent_id":"gone2"}`, "", 0},
		{"escaped", corpus.EventQuery, `{"id":"a","text":"t","parent_id":"\u0067\u006fne"}`, `{"id":"a","text":"t"}`, 1},
		{"turns", corpus.EventQuery, `{"id":"a","text":"t","turns":[{"role":"user","content":"rotate  the key","at":7},{"role":"user","content":"then rotate the key"},{"role":"AI","content":"to rotate the key …"}]}`,
			`{"id":"a","text":"t","turns":[{"role":"user","content":"[forgotten]","at":7},{"role":"user","content":"then rotate the key"},{"role":"AI","content":"to [forgotten] …"}]}`, 2},
		{"a variant by id", corpus.EventQuery, `{"id":"a","text":"t","group":"a","variants":[{"id":"gone","text":"?","count":2},{"id":"b","text":"?","count":2}]}`,
			`{"id":"a","text":"t","group":"a","variants":[{"id":"b","text":"?","count":2}]}`, 1},
		{"the only variant, by text", corpus.EventQuery, `{"id":"a","text":"t","count":3,"group":"a","variants":[{"id":"b","text":"rotate the key","count":2}],"new":[1.50]}`,
			`{"id":"a","text":"t","count":3,"new":[1.50]}`, 1},
		{"the only variant in another's group", corpus.EventQuery, `{"id":"a","text":"t","group":"b","variants":[{"id":"gone","text":"","count":2}]}`,
			`{"id":"a","text":"t","group":"b"}`, 1},
		{"wordings", corpus.EventQuery, `{"id":"a","text":"t","standalone_query":"rotate the key","reference_answer":"see rotate the key"}`,
			`{"id":"a","text":"t","reference_answer":"see [forgotten]"}`, 2},
		{"fields of a newer program", corpus.EventQuery, `{"id":"a","text":"t","links":["gone",{"gone":1,"x":"rotate the key"},2.10]}`,
			`{"id":"a","text":"t","links":["[forgotten]",{"x":"[forgotten]"},2.10]}`, 3},
		{"turns that are none", corpus.EventQuery, `{"id":"a","text":"t","turns":null,"variants":[]}`, "", 0},
		{"a label's note", corpus.EventLabel, `{"query_id":"a","chunk_id":"gone","grade":1,"note":"for rotate the key"}`,
			`{"query_id":"a","chunk_id":"gone","grade":1,"note":"for [forgotten]"}`, 1},
		{"a label on a chunk of that name", corpus.EventLabel, `{"query_id":"a","chunk_id":"gone","grade":1,"anchor":{"doc_id":"gone","evidence":[{"quote":"rotate the key"}]}}`, "", 0},
		{"a reason", corpus.EventWork, `{"query_id":"a","state":"skipped","reason":"rotate the key"}`, `{"query_id":"a","state":"skipped","reason":"[forgotten]"}`, 1},
		{"a search", corpus.EventSearch, `{"text":"ERR","mode":"plain"}`, `{"text":"[forgotten]","mode":"plain"}`, 1},
		{"a tag of that name", corpus.EventSaid, `{"query_id":"a","what":"tag","value":"ERR"}`, "", 0},
		{"an answer", corpus.EventSaid, `{"query_id":"a","what":"answer","value":"ERR"}`, `{"query_id":"a","what":"answer","value":"[forgotten]"}`, 1},
		{"a follow-up", corpus.EventSaid, `{"query_id":"a","what":"tag","value":"follow-up","proof":{"parent_id":"gone","standalone_query":"rotate the key"}}`,
			`{"query_id":"a","what":"tag","value":"follow-up","proof":{"standalone_query":""}}`, 2},
		{"an identifier", corpus.EventSaid, `{"query_id":"a","what":"tag","value":"identifier","proof":{"identifier":"ERR"}}`, "", 0},
		{"searches tried", corpus.EventSaid, `{"query_id":"a","what":"tag","value":"unanswerable","proof":{"searches":[{"text":"x"},{"text":"ERR"}]}}`,
			`{"query_id":"a","what":"tag","value":"unanswerable","proof":{"searches":[{"text":"x"},{"text":"[forgotten]"}]}}`, 1},
		{"chunks that disagree", corpus.EventSaid, `{"query_id":"a","what":"conflict","value":"[\"gone\"]","proof":{"chunk_ids":["gone"],"holds":"gone","note":"as rotate the key says"}}`,
			`{"query_id":"a","what":"conflict","value":"[\"gone\"]","proof":{"chunk_ids":["gone"],"holds":"gone","note":"as [forgotten] says"}}`, 1},
		{"a proof that is a list", corpus.EventSaid, `{"query_id":"a","what":"tag","value":"x","proof":["gone"]}`, `{"query_id":"a","what":"tag","value":"x","proof":["[forgotten]"]}`, 1},
		{"a scale", corpus.EventScale, `{"id":"gone","names":{"0":"ERR"}}`, "", 0},
		{"a kind of a newer program", "verdict", `{"about":"gone","why":["rotate the key"]}`, `{"about":"[forgotten]","why":["[forgotten]"]}`, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got, n, err := m.value(tt.kind, json.RawMessage(tt.in))
			if err != nil || string(got) != want || n != tt.n {
				t.Errorf("got  %s %d %v\nwant %s %d", got, n, err, want, tt.n)
			}
			if n > 0 && !m.maybe([]byte(tt.in)) {
				t.Error("it would not have been looked at")
			}
			if again, n, err := m.value(tt.kind, got); n != 0 || err != nil || !bytes.Equal(again, got) {
				t.Errorf("cleaned twice: %s %d %v", again, n, err)
			}
		})
	}
	if _, _, err := m.value(corpus.EventQuery, json.RawMessage(`"gone"`)); err == nil {
		t.Error("a query that is no object was taken")
	}
}

// What a newer program noted beside the fields that this one knows is cleaned where it stands.
func TestMentionsInEvents(t *testing.T) {
	m := mentionOf([]string{"gone"}, "rotate the key")
	in := `{"v":1,"kind":"label","id":"x-1","seq":3,"hlc":"0000000000000001","at":"2024-05-01T12:00:00Z","subject":{"query":"a","chunk":"gone","annotator":"ann","since":"gone"},` +
		`"after":{"query_id":"a","chunk_id":"gone","note":"rotate the key"},"found":{"route":"search","search":"rotate the key","run":"gone","by":"gone"},"extra":{"q":"gone"}}`
	want := `{"v":1,"kind":"label","id":"x-1","seq":3,"hlc":"0000000000000001","at":"2024-05-01T12:00:00Z","subject":{"query":"a","chunk":"gone","annotator":"ann","since":"[forgotten]"},` +
		`"after":{"query_id":"a","chunk_id":"gone","note":"[forgotten]"},"found":{"route":"search","search":"[forgotten]","run":"gone","by":"[forgotten]"},"extra":{"q":"[forgotten]"}}`
	e, err := decodeEvent([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	found := e.Found
	n, err := m.event(&e)
	if err != nil || n < 5 {
		t.Fatalf("%d mentions, %v", n, err)
	}
	if found.Search != "rotate the key" {
		t.Error("what was decoded before was changed")
	}
	if out, err := encodeEvent(e); err != nil || string(out) != want {
		t.Errorf("got\n%s\nwant\n%s, %v", out, want, err)
	}
	if n, err := m.event(&e); n != 0 || err != nil {
		t.Errorf("cleaned twice: %d %v", n, err)
	}
}

func TestMentionsInDrafts(t *testing.T) {
	m := mentionOf([]string{"gone"}, "rotate the key", "[1]")
	for in, want := range map[string]string{
		"rotate the key": "", "about rotate the key": "about [forgotten]", "about": "about", "": "", `["gone","rotate the key","x"]`: `["","[forgotten]","x"]`,
		`["x"]`: `["x"]`, `["gone`: `["gone`, "[1]": "",
	} {
		if got, n := m.draft(in); got != want || (n > 0) != (in != want) {
			t.Errorf("%q became %q, %d", in, got, n)
		}
	}
}

func TestDraftNames(t *testing.T) {
	tests := []struct {
		name, id string
		want     bool
	}{
		{"note/q", "q", true}, {"note/q/c", "q", true}, {"note/q/c", "c", false}, {"note/a%2Fb/c", "a/b", true}, {"note/a%2Fb/c", "a", false},
		{"note/a%252Fb/c", "a%2Fb", true}, {"note/%zz", "%zz", true}, {"answer/q", "q", true}, {"answer/qq", "q", false},
		{"tag/q/follow-up", "q", true}, {"tag/q/follow-up", "follow-up", false}, {"queries/edit/a/b%2F", "a/b%2F", true},
		{"queries/edit/a/b", "a", false}, {"queries/new", "q", false}, {"note/note", "note", true}, {"note/q", "note", false},
		{"later/kind/q", "q", true}, {"later/a%2Fb/x", "a/b", true}, {"later/a/b", "a/b", true}, {"later/qq", "q", false},
	}
	for _, tt := range tests {
		if got := namesInDraft(tt.name, tt.id); got != tt.want {
			t.Errorf("%q is about %q: %v", tt.name, tt.id, got)
		}
	}
}

// FuzzMentions: whatever JSON a query is, cleaning gives JSON, cleans all of it, and looks wherever there is something.
func FuzzMentions(f *testing.F) {
	f.Add("gone", "rotate the key", `{"id":"a","text":"t","parent_id":"gone","turns":[{"role":"user","content":"rotate the key"}]}`)
	f.Add("q\n", "\\", `{"id":"a","variants":[{"id":"q\u000a"}],"x":{"q\n":["\\"]}}`)
	f.Add("", " ", `{"turns":[null,1]}`)
	f.Fuzz(func(t *testing.T, id, text, in string) {
		if corpus.CheckID(id) != nil || strings.Contains(text, forgottenMark) || !json.Valid([]byte(in)) || forgottenMark == id {
			t.Skip()
		}
		if text = strings.ToValidUTF8(text, ""); strings.Contains(forgottenMark, foldSpace(text)) {
			t.Skip()
		}
		m := mentionOf([]string{id}, text)
		for _, kind := range []corpus.EventKind{corpus.EventQuery, corpus.EventSaid, corpus.EventLabel, "new"} {
			out, n, err := m.value(kind, json.RawMessage(in))
			if err != nil {
				continue
			}
			if !json.Valid(out) || n == 0 && string(out) != in {
				t.Errorf("%s became %s, %d", in, out, n)
			}
			if n > 0 && !m.maybe([]byte(in)) {
				t.Errorf("%s would not have been looked at", in)
			}
			if again, n, err := m.value(kind, out); n != 0 || err != nil {
				t.Errorf("%s was not clean: %s, %d %v", out, again, n, err)
			}
		}
	})
}
