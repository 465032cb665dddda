package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/rows"
)

// chunksOf reads rows from memory, and writes each as "id | document | title | text | metadata", or why it is none.
func chunksOf(t testing.TB, name, content string, fields map[string]string) []string {
	t.Helper()
	f, err := newRowFields(corpus.Source{Path: name, Fields: fields})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rows.New(strings.NewReader(content), name, rows.Options{Columns: f.columns()})
	if err != nil {
		t.Fatal(err)
	}
	f.cells = r.Stats().Format == rows.CSV || r.Stats().Format == rows.TSV
	var out []string
	for {
		row, err := r.Next()
		if err == io.EOF {
			return out
		}
		var reject *rows.Reject
		if err != nil && !errors.As(err, &reject) {
			t.Fatal(err)
		}
		var c corpus.Chunk
		if reject == nil {
			c, reject = f.chunk(row)
		}
		if reject != nil {
			out = append(out, "refused: "+reject.Reason)
			continue
		}
		out = append(out, fmt.Sprintf("%s | %s | %s | %s | %s", c.ID, c.DocID, c.Title, c.Text, c.Meta))
	}
}

func TestRowFields(t *testing.T) {
	for _, tt := range []struct {
		name   string
		file   string
		in     string
		fields map[string]string
		want   string
	}{
		{"plain", "a.jsonl", `{"id":"a","text":"t","title":"T","document":"d","metadata":{"k":1}}`, nil, `a | d | T | t | {"k":1}`},
		{"beir", "a.jsonl", `{"_id":"a","title":"T","text":"t","metadata":{}}`, nil, `a |  | T | t | {}`},
		{"autorag", "a.jsonl", `{"doc_id":"a","contents":"t","path":"p.md"}`, nil, `a | p.md |  | t | `},
		{"langchain", "a.jsonl", `{"id":"a","page_content":"t","metadata":{"source":"s"}}`, nil, `a |  |  | t | {"source":"s"}`},
		{"document id beside id", "a.jsonl", `{"doc_id":"d","id":"a","text":"t"}`, nil, `a | d |  | t | `},
		{"any case", "a.jsonl", `{"ID":"a","Text":"t"}`, nil, `a |  |  | t | `},
		{"trec", "a.jsonl", `{"docno":"a","body":"t","url":"http://x.test/"}`, nil, `a | http://x.test/ |  | t | `},
		{"document is the text", "a.jsonl", `{"id":"a","document":"long text"}`, nil, `a |  |  | long text | `},
		{"document is an object", "a.jsonl", `{"id":"a","text":"t","document":{"x":1}}`, nil, `a |  |  | t | `},
		{"document is null", "a.jsonl", `{"id":"a","text":"t","document":null,"title":null,"metadata":null}`, nil, `a |  |  | t | `},
		{"number as text", "a.jsonl", `{"id":1,"text":1e3}`, nil, `1 |  |  | 1e3 | `},
		{"null text", "a.jsonl", `{"id":"a","text":null}`, nil, `a |  |  |  | `},
		{"boolean text", "a.jsonl", `{"id":"a","text":true}`, nil, `refused: the text "text" of "a" is a boolean`},
		{"boolean id", "a.jsonl", `{"id":false,"text":"t"}`, nil, `refused: the id "id" is a boolean`},
		{"id twice", "a.jsonl", `{"id":"a","id":"b","text":"t"}`, nil, `refused: the key "id" comes twice with different values`},
		{"id too long", "a.jsonl", `{"id":"` + strings.Repeat("x", 8193) + `","text":"t"}`, nil, "refused: the id is 8193 bytes long, more than 8192"},
		{"text kept", "a.jsonl", `{"id":" a ","text":" \r\n\u001b[2J <b>&amp; "}`, nil, " a  |  |  |  \r\n\x1b[2J <b>&amp;  | "},
		{"metadata text", "a.jsonl", `{"id":"a","text":"t","meta":"{\"k\":1}"}`, nil, `a |  |  | t | "{\"k\":1}"`},
		{"metadata as written", "a.jsonl", `{"id":"a","text":"t","meta":{ "b" : 1.10, "a":"\u00e9</x>" }}`, nil, `a |  |  | t | { "b" : 1.10, "a":"\u00e9</x>" }`},
		{"csv", "a.csv", "id,text,title,metadata\na,\"t, u\",T,\"{\"\"k\"\":1}\"\n", nil, `a |  | T | t, u | {"k":1}`},
		{"csv metadata that is no json", "a.csv", "id,text,metadata\na,t,<x>\n", nil, `a |  |  | t | "<x>"`},
		{"tsv", "a.tsv", "id\ttext\n007\ta \"b\"\n", nil, `007 |  |  | a "b" | `},
		{"given", "a.jsonl", `{"nr":"a","q":"t","id":"no","h":"T","d":"d","m":[1]}`, map[string]string{"id": "nr", "text": "q", "title": "h", "document": "d", "metadata": "m"}, `a | d | T | t | [1]`},
		{"given columns", "a.csv", "nr,q\na,t\n", map[string]string{"id": "nr", "text": "q"}, `a |  |  | t | `},
		{"given and missing", "a.jsonl", `{"id":"a","text":"t"}`, map[string]string{"id": "nr"}, `refused: there is no field "nr" for the id`},
		{"given text missing", "a.jsonl", `{"id":"a","text":"t","document":"x"}`, map[string]string{"text": "q"}, `refused: there is no field "q" for the text`},
		{"given document of another kind", "a.jsonl", `{"id":"a","text":"t","d":["x"]}`, map[string]string{"document": "d"}, `refused: the document "d" of "a" is a list`},
		{"given document too long", "a.jsonl", `{"id":"a","text":"t","d":"` + strings.Repeat("x", 9000) + `"}`, map[string]string{"document": "d"}, `refused: the document of "a": the id is 9000 bytes long, more than 8192`},
		{"guessed document too long", "a.jsonl", `{"id":"a","text":"t","url":"` + strings.Repeat("x", 9000) + `"}`, nil, `a |  |  | t | `},
		{"one field for two", "a.jsonl", `{"id":"a","text":"t"}`, map[string]string{"document": "id"}, `a | a |  | t | `},
	} {
		got := chunksOf(t, tt.file, tt.in, tt.fields)
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFieldNames(t *testing.T) {
	for _, name := range FieldNames() {
		if len(commonNames(name)) == 0 {
			t.Errorf("the field %q has no common names", name)
		}
	}
}

// Any rows: no panic, ids that hold, metadata that is JSON.
func FuzzRows(f *testing.F) {
	for _, s := range []string{oneRow, "id,text\na,b\n", "id\ttext\na\tb\n", `[{"id":1,"text":"x","meta":{"a":[1]}}]`, `{"id":"a","id":"b"}`, "{\"_id\":\"\xff\"}", "text"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		fields, err := newRowFields(corpus.Source{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := rows.New(strings.NewReader(string(raw)), "rows", rows.Options{Columns: fields.columns()})
		if err != nil {
			return
		}
		for {
			row, err := r.Next()
			var reject *rows.Reject
			if err != nil && !errors.As(err, &reject) {
				return
			}
			if err != nil {
				continue
			}
			c, refused := fields.chunk(row)
			if refused != nil {
				continue
			}
			if corpus.CheckID(c.ID) != nil || c.DocID != "" && corpus.CheckID(c.DocID) != nil || c.Meta != nil && !json.Valid(c.Meta) {
				t.Fatalf("%q gives %+v", raw, c)
			}
		}
	})
}
