package store

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
)

// mention finds what is said of forgotten queries elsewhere: their ids, and the texts that they ever had. White space
// does not tell texts apart. Another query's own text is never a mention, nor are words that two queries share: what a
// user asked counts where it is the whole text, what others wrote also where they quote it.
type mention struct {
	ids     map[string]bool
	texts   map[string]bool // with single spaces
	quotes  []string        // the longest first
	needles [][]byte        // one of these stands in the JSON of all that mentions any
	any     bool            // there is a mention without a needle
}

// minQuote is the shortest text, in characters, of which a quotation within others' words is told from chance.
const minQuote = 12

func newMention(ids []string) mention {
	m := mention{ids: map[string]bool{}, texts: map[string]bool{}}
	for _, id := range ids {
		m.ids[id] = true
		m.look(id)
	}
	return m
}

// learn adds a text that a query had.
func (m *mention) learn(text string) {
	folded := foldSpace(text)
	if folded == "" || m.texts[folded] {
		return
	}
	m.texts[folded] = true
	m.look(folded)
	if utf8.RuneCountInString(folded) < minQuote {
		return
	}
	m.quotes = append(m.quotes, folded)
	if whole := strings.TrimSpace(text); whole != folded {
		m.quotes = append(m.quotes, whole)
	}
	slices.SortStableFunc(m.quotes, func(a, b string) int { return len(b) - len(a) })
}

func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// look adds the longest part of s that JSON without \u shows as it is.
func (m *mention) look(s string) {
	longest := ""
	for _, part := range strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"\\/<>&\u2028\u2029", r)
	}) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if longest == "" {
		m.any = true
		return
	}
	m.needles = append(m.needles, []byte(longest))
}

// manyNeedles is how many are not worth looking for one by one.
const manyNeedles = 32

// maybe reports whether JSON may hold a mention, without decoding it.
func (m *mention) maybe(raw []byte) bool {
	return m.any || len(m.needles) > manyNeedles || bytes.Contains(raw, []byte(`\u`)) ||
		slices.ContainsFunc(m.needles, func(n []byte) bool { return bytes.Contains(raw, n) })
}

// asked reports whether s is what a query asked.
func (m *mention) asked(s string) bool { return len(m.texts) > 0 && m.texts[foldSpace(s)] }

// unquoted is s without what it quotes, and how often it did.
func (m *mention) unquoted(s string) (string, int) {
	if m.asked(s) {
		return forgottenMark, 1
	}
	n := 0
	for _, quote := range m.quotes {
		for from := 0; ; {
			i := strings.Index(s[from:], quote)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(quote)
			if withinWord(s, start) || withinWord(s, end) {
				_, size := utf8.DecodeRuneInString(s[start:])
				from = start + size
				continue
			}
			s = s[:start] + forgottenMark + s[end:]
			from = start + len(forgottenMark)
			n++
		}
	}
	return s, n
}

// withinWord reports whether a word goes on at i. Scripts that put no space between words have no such place.
func withinWord(s string, i int) bool {
	const firstUnspaced = '\u2e80'
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	word := func(r rune) bool {
		return r != utf8.RuneError && r < firstUnspaced && (unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	return i > 0 && i < len(s) && word(before) && word(after)
}

// draft cleans a draft's text, which may be the fields of a form as a JSON list.
func (m *mention) draft(text string) (string, int) {
	var fields []string
	if json.Unmarshal([]byte(text), &fields) != nil {
		if m.asked(text) {
			return "", 1
		}
		return m.unquoted(text)
	}
	n := 0
	for i, s := range fields {
		k := 1
		if m.ids[s] {
			fields[i] = ""
		} else {
			fields[i], k = m.unquoted(s)
		}
		n += k
	}
	if n == 0 {
		return text, 0
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return "", n
	}
	return string(raw), n
}

// event cleans an event about something else and counts what it took out.
func (m *mention) event(e *corpus.Event) (int, error) {
	before, n1, err := m.value(e.Kind, e.Before)
	if err != nil {
		return 0, err
	}
	after, n2, err := m.value(e.Kind, e.After)
	if err != nil {
		return 0, err
	}
	e.Before, e.After = before, after
	n := max(n1, n2)
	if e.Found != nil {
		found, k := *e.Found, 0
		if found.Search, k = m.unquoted(found.Search); k > 0 {
			e.Found = &found
			n += k
		}
	}
	extra := maps.Clone(e.Extra)
	for name, raw := range e.Extra {
		k := 0
		switch name {
		case "subject":
			extra[name], k, err = m.object(raw, jsonNames(reflect.TypeFor[corpus.Subject]()), nil)
		case "found":
			extra[name], k, err = m.object(raw, jsonNames(reflect.TypeFor[corpus.Found]()), rules{"search": m.words})
		default:
			extra[name], k, err = m.anything(raw)
		}
		if err != nil {
			return 0, err
		}
		n += k
	}
	e.Extra = extra
	return n, nil
}

// rule cleans one field; nil takes it away.
type rule func(json.RawMessage) (json.RawMessage, int, error)

// rules by field. A field that the type has and that has no rule is left as it is; one that this program does not know
// is searched for ids and texts.
type rules map[string]rule

// value cleans what an event of this kind says.
func (m *mention) value(kind corpus.EventKind, raw json.RawMessage) (json.RawMessage, int, error) {
	if len(raw) == 0 {
		return raw, 0, nil
	}
	switch kind {
	case corpus.EventQuery:
		return m.query(raw)
	case corpus.EventLabel:
		return m.object(raw, jsonNames(reflect.TypeFor[corpus.Label]()), rules{"note": m.words})
	case corpus.EventWork:
		return m.object(raw, jsonNames(reflect.TypeFor[corpus.Work]()), rules{"reason": m.words})
	case corpus.EventSearch:
		return m.object(raw, jsonNames(reflect.TypeFor[corpus.SearchTried]()), rules{"text": m.words})
	case corpus.EventSaid:
		r := rules{"proof": m.proof}
		var said struct {
			What corpus.What `json:"what"`
		}
		if json.Unmarshal(raw, &said) == nil && oneOfAKind(said.What) { // any other value names something
			r["value"] = m.words
		}
		return m.object(raw, jsonNames(reflect.TypeFor[corpus.Said]()), r)
	case corpus.EventScale, corpus.EventCorpus, EventForget, EventForgotten:
		return raw, 0, nil
	}
	return m.anything(raw)
}

func (m *mention) query(raw json.RawMessage) (json.RawMessage, int, error) {
	var q struct {
		ID    string `json:"id"`
		Group string `json:"group"`
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, 0, err
	}
	names := jsonNames(reflect.TypeFor[corpus.Query]())
	emptied := false
	out, n, err := m.object(raw, names, rules{
		"parent_id": m.link, "group": m.link, "standalone_query": m.wording, "reference_answer": m.words, "turns": m.list(m.turn),
		"variants": func(raw json.RawMessage) (json.RawMessage, int, error) {
			out, n, err := m.list(m.variant)(raw)
			if emptied = n > 0 && string(out) == "[]"; emptied {
				out = nil
			}
			return out, n, err
		}})
	if err != nil || !emptied || q.Group != q.ID {
		return out, n, err
	}
	// It stands for no others any more.
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(out, &fields); err != nil {
		return nil, 0, err
	}
	delete(fields, "group")
	out, err = assemble(fields, names)
	return out, n, err
}

func (m *mention) proof(raw json.RawMessage) (json.RawMessage, int, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return m.anything(raw)
	}
	search := func(raw json.RawMessage) (json.RawMessage, int, error) {
		return m.object(raw, jsonNames(reflect.TypeFor[corpus.SearchTried]()), rules{"text": m.words})
	}
	known := []string{"chunk_ids", "holds", "grade", "labels", "identifier", "parent_id", "standalone_query", "note", "searches"}
	return m.object(raw, known, rules{"parent_id": m.link, "note": m.words, "searches": m.list(search),
		"standalone_query": func(raw json.RawMessage) (json.RawMessage, int, error) {
			out, n, err := m.wording(raw)
			if n > 0 {
				out = json.RawMessage(`""`)
			}
			return out, n, err
		}})
}

// turn cleans a message. A user's is a query, and a mention only where it is the whole text.
func (m *mention) turn(raw json.RawMessage) (json.RawMessage, int, error) {
	var t corpus.Turn
	if err := json.Unmarshal(raw, &t); err != nil {
		return m.anything(raw)
	}
	content := m.words
	if !answers(t.Role) {
		content = m.whole
	}
	return m.object(raw, jsonNames(reflect.TypeFor[corpus.Turn]()), rules{"content": content})
}

// variant drops a variant that is the query or asks the same.
func (m *mention) variant(raw json.RawMessage) (json.RawMessage, int, error) {
	var v corpus.Variant
	if err := json.Unmarshal(raw, &v); err != nil {
		return m.anything(raw)
	}
	if m.ids[v.ID] || m.asked(v.Text) {
		return nil, 1, nil
	}
	return m.object(raw, jsonNames(reflect.TypeFor[corpus.Variant]()), nil)
}

// link drops an id.
func (m *mention) link(raw json.RawMessage) (json.RawMessage, int, error) {
	var id string
	if json.Unmarshal(raw, &id) == nil && m.ids[id] {
		return nil, 1, nil
	}
	return raw, 0, nil
}

// wording drops a wording that is the query's text.
func (m *mention) wording(raw json.RawMessage) (json.RawMessage, int, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil && m.asked(s) {
		return nil, 1, nil
	}
	return raw, 0, nil
}

// whole puts a mark in the place of a text, words also in the place of what people quote of it.
func (m *mention) whole(raw json.RawMessage) (json.RawMessage, int, error) {
	out, n, err := m.wording(raw)
	if n > 0 {
		out, err = encodeJSON(forgottenMark)
	}
	return out, n, err
}

func (m *mention) words(raw json.RawMessage) (json.RawMessage, int, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return raw, 0, nil
	}
	s, n := m.unquoted(s)
	if n == 0 {
		return raw, 0, nil
	}
	out, err := encodeJSON(s)
	return out, n, err
}
