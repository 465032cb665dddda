package trace

import (
	"math"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
)

// inputNames are keys under which inputs hold what was asked, the most telling first; historyNames those of what was
// said before; outputNames those of what came out, and listNames of what was found.
var (
	inputNames = []string{
		"query", "question", "user_query", "user_input", "search_query", "user_message", "input", "inputs", "messages", "prompt", "message", "text",
		"content", "kwargs", "args",
	}
	historyNames = []string{"chat_history", "history", "messages", "previous_messages"}
	outputNames  = []string{"answer", "output", "result", "response", "text", "content", "message", "generation", "completion"}
	listNames    = []string{"documents", "docs", "context", "contexts", "retrieved_documents", "source_documents", "results", "hits", "chunks", "nodes", "matches"}
)

// deepest is how far wrappers are nested at most.
const deepest = 8

// asked is the text of an input, and the turns before it where the input is a conversation.
func asked(v rows.Value) (string, []corpus.Turn) { return askedAt(v, deepest) }

func askedAt(v rows.Value, depth int) (string, []corpus.Turn) {
	v = parsed(v)
	if s, ok := v.Text(); ok {
		if v.Kind() != rows.String {
			return "", nil
		}
		return s, nil
	}
	if depth == 0 {
		return "", nil
	}
	if elems, ok := v.Elements(); ok {
		return conversation(elems, depth)
	}
	fields, ok := v.Members()
	if !ok {
		return "", nil
	}
	row := rows.Row{Fields: fields}
	for _, n := range inputNames {
		inner, _, ok := row.Get(n)
		if !ok {
			continue
		}
		if q, turns := askedAt(inner, depth-1); q != "" {
			if turns == nil && n != "messages" {
				turns = before(row, q)
			}
			return q, turns
		}
	}
	if len(fields) == 1 {
		return askedAt(fields[0].Value, depth-1)
	}
	return "", nil
}

// before are the turns that stand beside a question, less the question where they end with it.
func before(row rows.Row, question string) []corpus.Turn {
	for _, n := range historyNames {
		if v, _, ok := row.Get(n); ok {
			turns := all(v)
			if last := len(turns) - 1; last >= 0 && turns[last] == (corpus.Turn{Role: "user", Content: question}) {
				turns = turns[:last:last]
			}
			if len(turns) > 0 {
				return turns
			}
		}
	}
	return nil
}

// conversation takes messages: the last one of the user's is the query, those before it the turns. A list of texts is
// what a function was called with: its first is the query.
func conversation(elems []rows.Value, depth int) (string, []corpus.Turn) {
	if len(elems) == 1 {
		if inner, ok := elems[0].Elements(); ok && depth > 0 { // LangChain wraps them once more
			return conversation(inner, depth-1)
		}
	}
	turns := messages(elems)
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == "user" {
			if i == 0 {
				return turns[i].Content, nil
			}
			return turns[i].Content, turns[:i:i]
		}
	}
	for _, e := range elems {
		if e.Kind() == rows.String {
			s, _ := e.Text()
			return s, nil
		}
	}
	return "", nil
}

// Conversation is what the user asked last in a list of messages, in any of the shapes that chats are exported in, and
// the turns before it; "" where there is none. What systems and tools say is no turn.
func Conversation(v rows.Value) (query string, turns []corpus.Turn) {
	elems, ok := elements(v)
	if !ok || len(elems) > 0 && elems[0].Kind() == rows.String {
		return "", nil
	}
	return conversation(elems, deepest)
}

// all are the turns of a list of messages.
func all(v rows.Value) []corpus.Turn {
	elems, _ := elements(v)
	return messages(elems)
}

func messages(elems []rows.Value) []corpus.Turn {
	var turns []corpus.Turn
	for _, e := range elems {
		if pair, _ := e.Strings(); len(pair) == 2 && e.Kind() == rows.List { // ["user", "…"]
			turns = said(turns, strings.ToLower(pair[0]), pair[1])
			continue
		}
		row := rows.Row{Fields: members(e)}
		role := strings.ToLower(first(row, "role", "type", "message.role"))
		content, _, _ := row.Get("content", "text", "message.content")
		if data, _, ok := row.Get("data", "kwargs", "message"); ok && content.Kind() <= rows.Null {
			inner := rows.Row{Fields: members(data)}
			content, _, _ = inner.Get("content", "text")
			role = orElse(role, strings.ToLower(first(inner, "role", "type")))
		}
		if id, _, ok := row.Get("id"); ok && role == "constructor" { // LangChain's own form names the class
			names, _ := id.Strings()
			role = strings.ToLower(strings.Join(names, " "))
		}
		turns = said(turns, role, contentOf(content))
	}
	return turns
}

// said adds what a user or a model said. What systems and tools say is nobody's turn.
func said(turns []corpus.Turn, role, text string) []corpus.Turn {
	switch {
	case text == "":
	case strings.Contains(role, "human"), strings.Contains(role, "user"):
		return append(turns, corpus.Turn{Role: "user", Content: text})
	case role == "ai", strings.Contains(role, "aimessage"), strings.Contains(role, "assistant"), role == "model", role == "bot":
		return append(turns, corpus.Turn{Role: "assistant", Content: text})
	}
	return turns
}

// contentOf is a message's text: plain, or the texts of its parts.
func contentOf(v rows.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	elems, _ := v.Elements()
	var parts []string
	for _, e := range elems {
		if s, ok := e.Text(); ok {
			parts = append(parts, s)
		} else if s := first(rows.Row{Fields: members(e)}, "text", "content"); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// answered is the text of an output, and the documents where it is a retriever's.
func answered(v rows.Value) (string, []Context) { return answeredAt(v, deepest) }

func answeredAt(v rows.Value, depth int) (string, []Context) {
	v = parsed(v)
	if s, ok := v.Text(); ok {
		if v.Kind() != rows.String {
			return "", nil
		}
		return s, nil
	}
	if elems, ok := v.Elements(); ok {
		var out []Context
		for _, e := range elems {
			if c := documentOf(e); c.ID != "" || c.Text != "" {
				out = append(out, c)
			}
		}
		return "", out
	}
	fields, ok := v.Members()
	if !ok || depth == 0 {
		return "", nil
	}
	row := rows.Row{Fields: fields}
	answer := ""
	var found []Context
	for _, n := range listNames {
		if inner, _, ok := row.Get(n); ok && found == nil {
			_, found = answeredAt(inner, depth-1)
		}
	}
	for _, n := range outputNames {
		if inner, _, ok := row.Get(n); ok && answer == "" {
			answer, _ = answeredAt(inner, depth-1)
		}
	}
	if answer == "" && found == nil && len(fields) == 1 {
		return answeredAt(fields[0].Value, depth-1)
	}
	return answer, found
}

// documentOf reads one retrieved document, whoever wrote it.
func documentOf(v rows.Value) Context {
	if s, ok := v.Text(); ok {
		return Context{Text: s}
	}
	row := rows.Row{Fields: members(v)}
	for _, wrapper := range []string{"document", "kwargs", "node"} {
		if inner, _, ok := row.Get(wrapper); ok && members(inner) != nil {
			c := documentOf(inner)
			if c.Score == nil {
				s, _, _ := row.Get("score", "relevance_score", "distance")
				c.Score = number(s)
			}
			return c
		}
	}
	c := Context{
		ID:   first(row, "id", "document.id", "doc_id", "chunk_id", "_id", "node_id", "id_"),
		Text: first(row, "page_content", "content", "document.content", "text", "pageContent"),
	}
	metadata, _, _ := row.Get("metadata", "document.metadata")
	c.ID = orElse(c.ID, inside(metadata, "id"), inside(metadata, "chunk_id"), inside(metadata, "doc_id"), inside(metadata, "source"))
	s, _, _ := row.Get("score", "document.score", "relevance_score", "similarity")
	if c.Score = number(s); c.Score == nil {
		c.Score = number(reach(metadata, "score"))
	}
	return c
}

func number(v rows.Value) *float64 {
	s, ok := v.Text()
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
