package querylog

import (
	"reflect"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/lines"
)

func one(t *testing.T, row string) (corpus.Query, []string, []Unread) {
	t.Helper()
	got, err := collect(t, row, "dir/log.jsonl", Options{})
	if err != nil || len(got.Queries) != 1 {
		t.Fatalf("%s: %d queries, %q, %v", row, len(got.Queries), refused(got.Rejects), err)
	}
	return got.Queries[0], got.Tags[got.Queries[0].ID], got.Unread
}

func TestDetails(t *testing.T) {
	at := func(s string) *time.Time {
		u, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return &u
	}
	weight := 1.5
	q, tags, unread := one(t, `{"query_id":"q7","query":"and in white?","count":12,"weight":1.5,
		"turns":[{"role":"user","content":"black shoes"},{"role":"assistant","content":"here"}],"parent_id":"q6",
		"standalone_query":"shoes in white","reference_answer":"yes","tags":["follow-up"," x "],"language":"en","source":"web",
		"stratum":"head","group":"g1","kind":"Written","first_seen":"2024-05-01T10:00:00+02:00","last_seen":"2024-06-01"}`)
	wanted := corpus.Query{
		ID: "q7", Text: "and in white?", Kind: corpus.Written, Count: 12, Weight: &weight, Stratum: "head",
		Source: "web", Language: "en", FirstSeen: at("2024-05-01T08:00:00Z"), LastSeen: at("2024-06-01T00:00:00Z"),
		Turns: []corpus.Turn{{Role: "user", Content: "black shoes"}, {Role: "assistant", Content: "here"}}, ParentID: "q6",
		Standalone: "shoes in white", ReferenceAnswer: "yes", Order: 1,
	}
	if !reflect.DeepEqual(q, wanted) || !reflect.DeepEqual(tags, []string{"follow-up", "x"}) || unread != nil {
		t.Errorf("got %+v\nwant %+v\ntags %q, unread %v", q, wanted, tags, unread)
	}
	plain, _, _ := one(t, `{"query":"a","count":null,"tags":[],"lang":"","answer":["x","y"],"metadata":{"language":"de","x":1}}`)
	if plain.Kind != corpus.Mined || plain.Count != 1 || plain.Source != "log.jsonl" || plain.Language != "de" || plain.ReferenceAnswer != "x\ny" {
		t.Errorf("%+v", plain)
	}
}

func TestOptionsForSourceAndKind(t *testing.T) {
	got, err := collect(t, "a\n", "dir/log.txt", Options{Source: "web search", Kind: corpus.Synthetic})
	if err != nil || got.Queries[0].Source != "web search" || got.Queries[0].Kind != corpus.Synthetic {
		t.Errorf("%+v, %v", got.Queries, err)
	}
}

func TestDetailsThatCannotBeRead(t *testing.T) {
	for _, field := range []string{
		`"count":0`, `"count":"many"`, `"count":1.5`, `"count":-1`, `"count":[1]`, `"count":99999999999999999999`, `"weight":-1`, `"weight":"NaN"`,
		`"weight":1e999`, `"turns":"what?"`, `"turns":[{"role":"user"}]`, `"turns":{}`, `"turns":[{"content":"x"}]`, `"tags":{"a":1}`,
		`"parent_id":[1]`, `"answer":{"text":"x"}`, `"language":7.5e1, "lang":[]`, `"kind":"organic"`, `"timestamp":"yesterday"`,
		`"timestamp":979916105432`, `"first_seen":true`, `"last_seen":"2024-13-01"`,
	} {
		q, _, unread := one(t, `{"id":"1","query":"a",`+field+`}`)
		if q.Text != "a" || q.Count != 1 || q.FirstSeen != nil || q.LastSeen != nil || q.Weight != nil || q.Turns != nil {
			t.Errorf("%s: %+v", field, q)
		}
		if len(unread) != 1 && field != `"language":7.5e1, "lang":[]` || len(unread) == 1 && (unread[0].Rows != 1 || unread[0].Line != 1) {
			t.Errorf("%s: unread %+v", field, unread)
		}
	}
}

func TestCells(t *testing.T) {
	got, err := collect(t, "id,query,count,tags,turns,timestamp,answer\n"+
		"1,a,12.0,\"x; y|z\",\"[{\"\"role\"\":\"\"user\"\",\"\"content\"\":\"\"b\"\"},\"\"c\"\"]\",2024-05-01 10:00:00,\n2,b,,,,,fine\n", "q.csv", Options{})
	if err != nil || len(got.Queries) != 2 || got.Unread != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	q := got.Queries[0]
	if q.Count != 12 || !reflect.DeepEqual(got.Tags["1"], []string{"x", "y", "z"}) || q.ReferenceAnswer != "" ||
		!reflect.DeepEqual(q.Turns, []corpus.Turn{{Role: "user", Content: "b"}, {Role: "user", Content: "c"}}) ||
		!q.FirstSeen.Equal(time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)) || !q.LastSeen.Equal(*q.FirstSeen) {
		t.Errorf("%+v, tags %q", q, got.Tags["1"])
	}
	if q := got.Queries[1]; q.Count != 1 || q.ReferenceAnswer != "fine" || q.FirstSeen != nil {
		t.Errorf("%+v", q)
	}
}

func TestTimes(t *testing.T) {
	want := time.Date(2024, 5, 1, 10, 0, 5, 0, time.UTC)
	for _, s := range []string{
		"2024-05-01T10:00:05Z", "2024-05-01T12:00:05+02:00", "2024-05-01 10:00:05", "2024-05-01T10:00:05", "2024-05-01 10:00:05.000000",
		"2024-05-01 10:00:05+00:00", "1714557605", "1714557605000", "1714557605000000", "1714557605000000000", "20240501100005", "240501100005",
		"01/May/2024:12:00:05 +0200", "Wed, 01 May 2024 10:00:05 GMT", "2024-05-01 10:00:05 +0000 UTC", "2024/05/01 10:00:05",
	} {
		if got, ok := lines.Time(s); !ok || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s is %v, %v", s, got, ok)
		}
	}
	if got, ok := lines.Time("1714557605.25"); !ok || !got.Equal(want.Add(250*time.Millisecond)) {
		t.Errorf("seconds with a fraction are %v, %v", got, ok)
	}
	for _, s := range []string{"", "now", "05/01/2024", "17", "-1714557605", "2024-02-30", "1e9", "17145576051714557605"} {
		if got, ok := lines.Time(s); ok {
			t.Errorf("%s is %v", s, got)
		}
	}
}

// Rows of one query: counts add up, times widen, tags join, and the first that is said is kept.
func TestRepeatedRows(t *testing.T) {
	got, err := collect(t, `{"query":"a","timestamp":"2024-05-02","tags":["x"]}
{"query":"A","timestamp":"2024-05-03","answer":"first","tags":["y","x"],"count":3}
{"query":"a ","timestamp":"2024-05-01","answer":"second","weight":2}
{"query":"a","count":9223372036854775807}
`, "q.jsonl", Options{})
	if err != nil || len(got.Queries) != 1 || got.Repeats != 3 || got.Derived != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	q := got.Queries[0]
	if q.Text != "a" || q.Count != 9223372036854775807 || q.ReferenceAnswer != "first" || *q.Weight != 2 ||
		q.FirstSeen.Day() != 1 || q.LastSeen.Day() != 3 || !reflect.DeepEqual(got.Tags[q.ID], []string{"x", "y"}) {
		t.Errorf("%+v, tags %q", q, got.Tags[q.ID])
	}
}

// The same words after other turns are another query.
func TestTurnsMakeAnotherQuery(t *testing.T) {
	got, err := collect(t, `{"query":"and for Windows?","turns":["rotate the key"]}
{"query":"And for windows?","turns":["Rotate the key"]}
{"query":"and for Windows?","turns":["refund"]}
{"query":"and for Windows?"}
`, "q.jsonl", Options{})
	if err != nil || len(got.Queries) != 3 || got.Repeats != 1 || got.Queries[0].Count != 2 {
		t.Errorf("%+v, %v", got.Queries, err)
	}
}
