package trace

import (
	"encoding/json"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
)

// Format is an export's.
type Format string

// The formats.
const (
	Langfuse      Format = "langfuse"
	LangSmith     Format = "langsmith"
	OpenInference Format = "openinference"
)

// Kind is what a span does.
type Kind string

// The kinds that matter here; all others are Other.
const (
	Retriever Kind = "retriever"
	Generator Kind = "generator" // calls a model
	Chain     Kind = "chain"     // the application itself, or a part of it
	Whole     Kind = "trace"     // all of a trace, beside its steps
	Other     Kind = "other"
)

// Context is a chunk that a retriever returned. Score is nil where the export gives none.
type Context struct {
	ID, Text string
	Score    *float64
}

// Span is one step of a trace. Fields that the export does not give are empty.
type Span struct {
	ID, TraceID, ParentID string
	Session, User, Name   string
	Kind                  Kind
	Query                 string        // what the step was asked; "" where its input holds no text
	Turns                 []corpus.Turn // the conversation before the query, where the input is one
	Contexts              []Context     // of a retriever
	Answer                string        // what came out, where that is a text
	At                    string        // its start, as the export writes it
}

// Root reports whether the span is the whole of its trace rather than a part of it.
func (s Span) Root() bool { return s.ParentID == "" }

// Decode reads a row of an export.
func Decode(row rows.Row, format Format) Span {
	s := Span{
		ID: first(row, "id", "span_id", "spanId", "context.span_id", "run_id"), TraceID: first(row, "trace_id", "traceId", "context.trace_id"),
		ParentID: first(row, "parent_observation_id", "parentObservationId", "parent_run_id", "parent_id", "parentId", "parent_span_id"),
		User:     first(row, "user_id", "userId", "user.id"), Name: first(row, "name"), At: first(row, "start_time", "startTime", "timestamp"),
	}
	switch format {
	case LangSmith:
		s.langSmith(row)
	case Langfuse:
		s.langfuse(row)
	case OpenInference:
		s.openInference(row)
	}
	return s
}

// langSmith reads a run. Its session_id is that of the project that all runs are in.
func (s *Span) langSmith(row rows.Row) {
	s.Kind = kindOf(first(row, "run_type"))
	s.Query, s.Turns = asked(get(row, "inputs"))
	s.Answer, s.Contexts = answered(get(row, "outputs"))
	s.Session = first(row, "thread_id")
	for _, metadata := range []rows.Value{get(row, "metadata"), reach(get(row, "extra"), "metadata")} {
		for _, n := range []string{"session_id", "thread_id", "conversation_id"} {
			s.Session = orElse(s.Session, inside(metadata, n))
		}
		s.User = orElse(s.User, inside(metadata, "user_id"), inside(metadata, "ls_user_id"))
	}
}

// langfuse reads an observation, or a trace with the input and output of all of it.
func (s *Span) langfuse(row rows.Row) {
	s.Kind = kindOf(first(row, "type"))
	// Until 2025 there was no type for retrievers; their name tells them.
	if (s.Kind == Other || strings.EqualFold(first(row, "type"), "span")) && strings.Contains(strings.ToLower(s.Name), "retriev") {
		s.Kind = Retriever
	}
	if s.TraceID == "" && first(row, "type") == "" {
		s.Kind, s.TraceID = Whole, s.ID
	}
	s.Query, s.Turns = asked(get(row, "input"))
	s.Answer, s.Contexts = answered(get(row, "output"))
	s.Session = first(row, "session_id", "sessionId")
	metadata := get(row, "metadata")
	s.User = orElse(s.User, inside(metadata, "user_id"), inside(metadata, "userId"), inside(metadata, "langfuse_user_id"))
	s.Session = orElse(s.Session, inside(metadata, "session_id"), inside(metadata, "sessionId"), inside(metadata, "langfuse_session_id"))
}

func get(row rows.Row, names ...string) rows.Value {
	v, _, _ := row.Get(names...)
	return v
}

// openInference reads attributes, flat ("input.value", "attributes.input.value") or nested.
func (s *Span) openInference(row rows.Row) {
	attributes, _, _ := row.Get("attributes")
	at := func(path string) rows.Value {
		if v, _, ok := row.Get(path, "attributes."+path); ok {
			return v
		}
		fields := members(attributes)
		if v, _, ok := (rows.Row{Fields: fields}).Get(path); ok {
			return v
		}
		return reach(attributes, strings.Split(path, ".")...)
	}
	text := func(path string) string { t, _ := at(path).Text(); return t }
	s.Kind = kindOf(orElse(text("openinference.span.kind"), first(row, "span_kind")))
	s.Session, s.User = orElse(text("session.id"), first(row, "session_id")), orElse(s.User, text("user.id"))
	s.Query, s.Turns = asked(at("input.value"))
	s.Answer, _ = answered(at("output.value"))
	if c, _, ok := row.Get("context"); ok {
		s.ID, s.TraceID = orElse(s.ID, inside(c, "span_id")), orElse(s.TraceID, inside(c, "trace_id"))
	}
	s.Contexts = retrieved(row, attributes, at("retrieval.documents"))
}

// retrieved are the documents of a retriever: a list, or attributes numbered "retrieval.documents.0.document.id".
func retrieved(row rows.Row, attributes, list rows.Value) []Context {
	if elems, ok := elements(list); ok {
		var out []Context
		for _, e := range elems {
			out = append(out, documentOf(e))
		}
		return out
	}
	var out []Context
	flat := append(append([]rows.Field{}, row.Fields...), members(attributes)...)
	for n := range 10000 {
		prefix := "retrieval.documents." + strconv.Itoa(n) + ".document."
		var c Context
		found := false
		for _, f := range flat {
			name := strings.TrimPrefix(f.Name, "attributes.")
			rest, ok := strings.CutPrefix(name, prefix)
			if !ok {
				continue
			}
			found = true
			value, _ := f.Value.Text()
			switch rest {
			case "id":
				c.ID = value
			case "content":
				c.Text = value
			case "score":
				c.Score = number(f.Value)
			}
		}
		if !found {
			return out
		}
		out = append(out, c)
	}
	return out
}

func kindOf(s string) Kind {
	switch strings.ToLower(s) {
	case "retriever":
		return Retriever
	case "llm", "generation", "prompt", "chat":
		return Generator
	case "chain", "agent", "span", "trace", "event":
		return Chain
	}
	return Other
}

// first is the text of the first of the fields that the row has.
func first(row rows.Row, names ...string) string {
	v, _, ok := row.Get(names...)
	if !ok {
		return ""
	}
	s, _ := v.Text()
	return s
}

func orElse(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// parsed is the value, or what it holds as JSON where it is the text of an object or a list.
func parsed(v rows.Value) rows.Value {
	s, ok := v.Text()
	if t := strings.TrimSpace(s); ok && len(t) > 1 && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		if inner, err := rows.ParseValue([]byte(t)); err == nil {
			return inner
		}
	}
	return v
}

func members(v rows.Value) []rows.Field {
	fields, _ := parsed(v).Members()
	return fields
}

func elements(v rows.Value) ([]rows.Value, bool) { return parsed(v).Elements() }

// reach follows names into nested objects.
func reach(v rows.Value, path ...string) rows.Value {
	for _, name := range path {
		inner, _, ok := (rows.Row{Fields: members(v)}).Get(name)
		if !ok {
			return rows.Value{}
		}
		v = inner
	}
	return v
}

func inside(v rows.Value, path ...string) string {
	s, _ := reach(v, path...).Text()
	return s
}
