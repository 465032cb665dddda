package trace

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/rows"
)

// row reads one object as a reader of rows does it.
func row(t testing.TB, text string) rows.Row {
	t.Helper()
	r, err := rows.New(strings.NewReader(text), "export.json", rows.Options{Format: rows.JSON})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Next()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

func score(f float64) *float64 { return &f }

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, row string
		format    Format
		want      Span
	}{
		{"a LangSmith retriever", `{"id":"r2","trace_id":"t1","parent_run_id":"r1","session_id":"project","run_type":"retriever","name":"VectorStoreRetriever","start_time":"2024-05-01T12:00:05",
			"inputs":{"query":"red shoes"},"outputs":{"documents":[{"page_content":"Shoes in red","metadata":{"id":"c1","score":0.5},"type":"Document"},{"page_content":"b","metadata":{"source":"s.md"}}]},
			"extra":{"metadata":{"thread_id":"th1","user_id":"ann"}}}`, LangSmith,
			Span{ID: "r2", TraceID: "t1", ParentID: "r1", Kind: Retriever, Name: "VectorStoreRetriever", At: "2024-05-01T12:00:05", Query: "red shoes", Session: "th1", User: "ann",
				Contexts: []Context{{ID: "c1", Text: "Shoes in red", Score: score(0.5)}, {ID: "s.md", Text: "b"}}}},
		{"a LangSmith root", `{"id":"r1","trace_id":"t1","parent_run_id":null,"run_type":"chain","inputs":{"input":"and in white?","chat_history":[{"type":"human","content":"red shoes"},{"type":"ai","content":"here"}]},
			"outputs":{"output":"yes"}}`, LangSmith,
			Span{ID: "r1", TraceID: "t1", Kind: Chain, Query: "and in white?", Answer: "yes", Turns: []corpus.Turn{{Role: "user", Content: "red shoes"}, {Role: "assistant", Content: "here"}}}},
		{"a Langfuse observation in text", `{"id":"o1","trace_id":"t1","parent_observation_id":null,"type":"SPAN","name":"rag","start_time":"2024-05-01T12:00:05Z","input":"red shoes","output":"yes"}`, Langfuse,
			Span{ID: "o1", TraceID: "t1", Kind: Chain, Name: "rag", At: "2024-05-01T12:00:05Z", Query: "red shoes", Answer: "yes"}},
		{"a Langfuse observation in JSON in text", `{"id":"o2","traceId":"t1","parentObservationId":"o1","type":"SPAN","name":"retrieve","input":"{\"query\":\"red shoes\"}","output":"[{\"id\":\"c1\",\"text\":\"a\",\"score\":0.25}]"}`, Langfuse,
			Span{ID: "o2", TraceID: "t1", ParentID: "o1", Kind: Retriever, Name: "retrieve", Query: "red shoes", Contexts: []Context{{ID: "c1", Text: "a", Score: score(0.25)}}}},
		{"a function's arguments", `{"id":"o1","trace_id":"t1","type":"SPAN","name":"f","input":{"args":["red shoes"],"kwargs":{}}}`, Langfuse,
			Span{ID: "o1", TraceID: "t1", Kind: Chain, Name: "f", Query: "red shoes"}},
		{"a Langfuse trace", `{"id":"t1","timestamp":"2024-05-01T12:00:05Z","name":"chat","userId":"ben","sessionId":"s1","input":{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"red shoes"}]}]},"output":{"role":"assistant","content":"yes"}}`, Langfuse,
			Span{ID: "t1", TraceID: "t1", Kind: Whole, Name: "chat", User: "ben", Session: "s1", At: "2024-05-01T12:00:05Z", Query: "red shoes", Answer: "yes"}},
		{"a Phoenix span, nested", `{"name":"retrieve","context":{"trace_id":"t1","span_id":"s2"},"span_kind":"RETRIEVER","parent_id":"s1","start_time":"2024-05-01T12:00:05+00:00",
			"attributes":{"input":{"value":"red shoes","mime_type":"text/plain"},"session":{"id":"x"},"openinference":{"span":{"kind":"RETRIEVER"}},"retrieval":{"documents":[{"document":{"id":"c1","content":"a","score":0.5}}]}}}`, OpenInference,
			Span{ID: "s2", TraceID: "t1", ParentID: "s1", Kind: Retriever, Name: "retrieve", Session: "x", At: "2024-05-01T12:00:05+00:00", Query: "red shoes", Contexts: []Context{{ID: "c1", Text: "a", Score: score(0.5)}}}},
		{"a Phoenix span, flat", `{"name":"q","context.trace_id":"t1","context.span_id":"s1","parent_id":null,"attributes.openinference.span.kind":"CHAIN","attributes.input.value":"{\"question\":\"red shoes\"}","attributes.output.value":"yes",
			"attributes.retrieval.documents.0.document.id":"c1","attributes.retrieval.documents.0.document.content":"a","attributes.retrieval.documents.1.document.content":"b","attributes.user.id":"chi"}`, OpenInference,
			Span{ID: "s1", TraceID: "t1", Kind: Chain, Name: "q", User: "chi", Query: "red shoes", Answer: "yes", Contexts: []Context{{ID: "c1", Text: "a"}, {Text: "b"}}}},
		{"attributes with dots", `{"span_id":"s1","trace_id":"t1","attributes":{"openinference.span.kind":"LLM","input.value":"red shoes"}}`, OpenInference,
			Span{ID: "s1", TraceID: "t1", Kind: Generator, Query: "red shoes"}},
	} {
		got := row(t, c.row)
		if f := Detect(got); f != c.format && c.name != "a function's arguments" {
			t.Errorf("%s: detected as %q", c.name, f)
		}
		if span := Decode(got, c.format); !reflect.DeepEqual(span, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, span, c.want)
		}
	}
}

func TestInputs(t *testing.T) {
	turns := func(s ...string) []corpus.Turn {
		var out []corpus.Turn
		for i := 0; i < len(s); i += 2 {
			out = append(out, corpus.Turn{Role: s[i], Content: s[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		input, query string
		turns        []corpus.Turn
	}{
		{`"red shoes"`, "red shoes", nil},
		{`"{\"question\": \"red shoes\"}"`, "red shoes", nil},
		{`"{red} [shoes]"`, "{red} [shoes]", nil},
		{`{"input":{"question":"red shoes"}}`, "red shoes", nil},
		{`{"input":"red shoes","agent_scratchpad":[]}`, "red shoes", nil},
		{`{"anything":"red shoes"}`, "red shoes", nil},
		{`{"a":"red","b":"shoes"}`, "", nil},
		{`{"query":"","question":"red shoes"}`, "red shoes", nil},
		{`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`, "c", turns("user", "a", "assistant", "b")},
		{`[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"a","type":"human"}}]]`, "a", nil},
		{`[{"type":"human","data":{"content":"a"}}]`, "a", nil},
		{`{"messages":[["user","a"],["ai","b"],["user","c"]]}`, "c", turns("user", "a", "assistant", "b")},
		{`{"question":"c","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`, "c", turns("user", "a", "assistant", "b")},
		{`[{"role":"system","content":"s"},{"role":"tool","content":"t"}]`, "", nil},
		{`{"args":["red shoes",5],"kwargs":{}}`, "red shoes", nil},
		{`{"args":[],"kwargs":{"query":"red shoes","k":5}}`, "red shoes", nil},
		{`null`, "", nil}, {`7`, "", nil}, {`[]`, "", nil}, {`{}`, "", nil}, {`true`, "", nil},
	} {
		v, err := rows.ParseValue([]byte(c.input))
		if err != nil {
			t.Fatal(err)
		}
		if query, turns := asked(v); query != c.query || !reflect.DeepEqual(turns, c.turns) {
			t.Errorf("%s: %q after %v, want %q after %v", c.input, query, turns, c.query, c.turns)
		}
	}
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		output, answer string
		found          []Context
	}{
		{`"yes"`, "yes", nil},
		{`{"answer":"yes","source_documents":[{"page_content":"a","metadata":{"chunk_id":"c1"}}]}`, "yes", []Context{{ID: "c1", Text: "a"}}},
		{`{"output":{"content":"yes"}}`, "yes", nil},
		{`["a","b"]`, "", []Context{{Text: "a"}, {Text: "b"}}},
		{`{"documents":[]}`, "", nil},
		{`[{"node":{"id_":"n1","text":"a"},"score":0.75}]`, "", []Context{{ID: "n1", Text: "a", Score: score(0.75)}}},
		{`[{"id":"a","text":"b","score":"NaN"}]`, "", []Context{{ID: "a", Text: "b"}}},
		{`null`, "", nil},
	} {
		v, err := rows.ParseValue([]byte(c.output))
		if err != nil {
			t.Fatal(err)
		}
		if answer, found := answered(v); answer != c.answer || !reflect.DeepEqual(found, c.found) {
			t.Errorf("%s: %q, %+v", c.output, answer, found)
		}
	}
}

func TestDetectNothing(t *testing.T) {
	for _, text := range []string{
		`{"query":"a"}`, `{"id":1,"input":"a","output":"b"}`, `{"attributes":{"a":1},"text":"x"}`, `{"trace_id":"t","query":"a"}`, `{}`,
		`{"type":"x","inputs":"y"}`, `{"input":"a","timestamp":"t","name":"n","output":"o"}`,
	} {
		if f := Detect(row(t, text)); f != "" {
			t.Errorf("%s is %s", text, f)
		}
	}
}

func TestSplit(t *testing.T) {
	otlp := row(t, `{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[
		{"traceId":"t1","spanId":"s1","parentSpanId":"","name":"chat","startTimeUnixNano":"1714564805000000000","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"CHAIN"}},{"key":"input.value","value":{"stringValue":"red shoes"}}]},
		{"traceId":"t1","spanId":"s2","parentSpanId":"s1","name":"retrieve","attributes":[{"key":"openinference.span.kind","value":{"stringValue":"RETRIEVER"}},{"key":"retrieval.documents.0.document.score","value":{"doubleValue":0.5}}]}]}]}]}`)
	spans, ok := Split(otlp)
	if !ok || len(spans) != 2 {
		t.Fatalf("%d spans, %v", len(spans), ok)
	}
	want := []Span{
		{ID: "s1", TraceID: "t1", Kind: Chain, Name: "chat", At: "1714564805000000000", Query: "red shoes"},
		{ID: "s2", TraceID: "t1", ParentID: "s1", Kind: Retriever, Name: "retrieve", Contexts: []Context{{Score: score(0.5)}}},
	}
	for i, s := range spans {
		if got := Decode(s, Detect(s)); !reflect.DeepEqual(got, want[i]) || !json.Valid(s.Raw) {
			t.Errorf("%+v\nwant %+v", got, want[i])
		}
	}
	spans, ok = Split(row(t, `{"id":"t1","name":"chat","input":"red shoes","output":"yes","observations":[{"id":"o1","traceId":"t1","type":"SPAN","input":"red shoes","parentObservationId":null},{"id":"o2","traceId":"t1","type":"RETRIEVER","input":"shoes red","parentObservationId":"o1"}]}`))
	if !ok || len(spans) != 3 {
		t.Fatalf("%d spans, %v", len(spans), ok)
	}
	for i, want := range []Span{
		{ID: "t1", TraceID: "t1", Kind: Whole, Name: "chat", Query: "red shoes", Answer: "yes"},
		{ID: "o1", TraceID: "t1", ParentID: "t1", Kind: Chain, Query: "red shoes"},
		{ID: "o2", TraceID: "t1", ParentID: "o1", Kind: Retriever, Query: "shoes red"},
	} {
		if got := Decode(spans[i], Langfuse); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
	for _, text := range []string{`{"a":1}`, `{"resourceSpans":[]}`, `{"resourceSpans":7}`, `{"input":"a","observations":["o1","o2"]}`, `{"observations":[{}]}`} {
		if spans, ok := Split(row(t, text)); ok {
			t.Errorf("%s is split into %d", text, len(spans))
		}
	}
}

// FuzzTrace: whatever an export holds, it is decoded, the same each time, and each span that is split off is a row.
func FuzzTrace(f *testing.F) {
	f.Add(`{"id":"r","run_type":"retriever","inputs":{"query":"a"},"outputs":{"documents":[{"page_content":"b"}]}}`)
	f.Add(`{"id":"o","trace_id":"t","type":"SPAN","start_time":"x","input":"{\"messages\":[[\"user\",\"a\"]]}","output":"[1,{\"node\":{}}]"}`)
	f.Add(`{"context":{"span_id":"s"},"attributes":{"input.value":"a","retrieval.documents":[{"document":{"score":1e999}}]}}`)
	f.Add(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"input.value","value":{"stringValue":"a"}}]}]}]}]}`)
	f.Add(`{"input":[[[[[[[[[[[["a"]]]]]]]]]]]],"observations":[{"input":{"input":{"input":{}}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := rows.New(strings.NewReader(text), "fuzz", rows.Options{Format: rows.JSON})
		if err != nil {
			return
		}
		got, err := r.Next()
		if err != nil {
			return
		}
		all := []rows.Row{got}
		if spans, ok := Split(got); ok {
			if all = spans; len(spans) == 0 {
				t.Errorf("%s is split into nothing", text)
			}
		}
		for _, one := range all {
			if !json.Valid(one.Raw) {
				t.Errorf("%q is no row", one.Raw)
			}
			for _, format := range []Format{Langfuse, LangSmith, OpenInference, Detect(one)} {
				s := Decode(one, format)
				if !reflect.DeepEqual(s, Decode(one, format)) {
					t.Errorf("%s is decoded in two ways", text)
				}
				for _, turn := range s.Turns {
					if turn.Role != "user" && turn.Role != "assistant" || turn.Content == "" {
						t.Errorf("%s: %+v", text, turn)
					}
				}
			}
		}
	})
}
