package querylog

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
)

// detail reads one optional field of a row into a, false where the value can't be understood.
type detail struct {
	names []string
	read  func(v rows.Value, a *Asked) bool
}

// details are what a row may say beside text and id, under the names that logs use.
var details = []detail{
	{[]string{"count", "frequency", "freq"}, readCount},
	{[]string{"weight"}, readWeight},
	{[]string{"turns", "history"}, func(v rows.Value, a *Asked) (ok bool) {
		turns, ok := readTurns(v)
		if ok {
			a.Query.Turns = turns
		}
		return ok
	}},
	{[]string{"tags", "tag"}, readTags},
	{[]string{"parent_id", "parent"}, func(v rows.Value, a *Asked) (ok bool) {
		id, ok := v.Text()
		if ok = ok && (id == "" || corpus.CheckID(id) == nil); ok {
			a.Query.ParentID = id
		}
		return ok
	}},
	{[]string{"reference_answer", "reference", "answer", "expected_output", "expected_answer", "ground_truth", "gt_answer"},
		func(v rows.Value, a *Asked) bool {
			answers, ok := v.Strings()
			if ok {
				a.Query.ReferenceAnswer = strings.Join(answers, "\n")
			}
			return ok
		}},
	{[]string{"standalone_query", "standalone"}, textInto(func(q *corpus.Query) *string { return &q.Standalone })},
	{[]string{"language", "lang"}, textInto(func(q *corpus.Query) *string { return &q.Language })},
	{[]string{"source"}, textInto(func(q *corpus.Query) *string { return &q.Source })},
	{[]string{"stratum"}, textInto(func(q *corpus.Query) *string { return &q.Stratum })},
	{[]string{"kind"}, readKind},
	{[]string{"first_seen"}, func(v rows.Value, a *Asked) bool { return readTime(v, &a.Query.FirstSeen) }},
	{[]string{"last_seen"}, func(v rows.Value, a *Asked) bool { return readTime(v, &a.Query.LastSeen) }},
}

// details reads what the row says beside its text, which is under textName, and its id. Empty cells say nothing.
func (l *Log) details(row rows.Row, lay *layout, textName string, a *Asked) {
	for _, d := range lay.details {
		v, name := row.Fields[d.at].Value, row.Fields[d.at].Name
		if v.Kind() == rows.Null || name == textName {
			continue
		}
		if s, isText := v.Text(); isText && strings.TrimSpace(s) == "" {
			continue
		}
		if !d.read(v, a) {
			a.Unread = append(a.Unread, name)
		}
	}
	if at := lay.roles[timeRole]; at.found() && at.name != textName {
		s, isText := at.value(row).Text()
		if s = strings.TrimSpace(s); s != "" || !isText && at.value(row).Kind() > rows.Null {
			if t, ok := lines.Time(s); ok {
				a.At = t
			} else {
				a.Unread = append(a.Unread, at.name)
			}
		}
	}
	a.who(row, lay)
	a.Chat = a.Chat || lay.chat
	a.Names = lay.namesIn(row, textName)
	if lay.metadata.found() && a.Query.Language == "" {
		inner, _ := lay.metadata.value(row).Members()
		if lang, _, ok := (rows.Row{Fields: inner}).Get("language", "lang"); ok {
			a.Query.Language, _ = lang.Text()
		}
	}
}

// who reads the row's user, session and agent.
func (a *Asked) who(row rows.Row, lay *layout) {
	a.User, a.Session = idOf(lay.roles[userRole].value(row)), idOf(lay.roles[sessionRole].value(row))
	a.Agent = lay.roles[agentRole].text(row)
}

func textInto(field func(*corpus.Query) *string) func(rows.Value, *Asked) bool {
	return func(v rows.Value, a *Asked) bool {
		s, ok := v.Text()
		if ok {
			*field(&a.Query) = s
		}
		return ok
	}
}

// readCount takes 12 and, as data frames write it, 12.0.
func readCount(v rows.Value, a *Asked) bool {
	s, ok := v.Text()
	s = strings.TrimSpace(s)
	if whole, zeros, found := strings.Cut(s, "."); found && strings.Trim(zeros, "0") == "" {
		s = whole
	}
	n, err := strconv.Atoi(s)
	if !ok || err != nil || n < 1 {
		return false
	}
	a.Query.Count = n
	return true
}

func readWeight(v rows.Value, a *Asked) bool {
	s, ok := v.Text()
	w, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if !ok || err != nil || w < 0 || math.IsInf(w, 0) || math.IsNaN(w) {
		return false
	}
	a.Query.Weight = &w
	return true
}

// readKind knows our own three words; what other logs call a kind is not ours to judge.
func readKind(v rows.Value, a *Asked) bool {
	s, _ := v.Text()
	kind := corpus.Kind(strings.ToLower(s))
	ok := slices.Contains([]corpus.Kind{corpus.Mined, corpus.Written, corpus.Synthetic}, kind)
	if ok {
		a.Query.Kind = kind
	}
	return ok
}

// readTags takes a list of texts, or a text that separates them by commas, semicolons or bars.
func readTags(v rows.Value, a *Asked) bool {
	tags, ok := v.Strings()
	if s, isText := v.Text(); isText {
		tags = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == '|' })
	}
	for _, t := range tags {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(a.Tags, t) {
			a.Tags = append(a.Tags, t)
		}
	}
	return ok
}

// readTurns takes a list of {role, content} or of texts, which are the user's own; or, in a cell, such a list as JSON.
func readTurns(v rows.Value) ([]corpus.Turn, bool) {
	if s, ok := v.Text(); ok {
		parsed, err := rows.ParseValue([]byte(s))
		if err != nil {
			return nil, false
		}
		v = parsed
	}
	elems, ok := v.Elements()
	if !ok {
		return nil, false
	}
	turns := make([]corpus.Turn, 0, len(elems))
	for _, e := range elems {
		if s, ok := e.Text(); ok {
			turns = append(turns, corpus.Turn{Role: "user", Content: s})
			continue
		}
		members, _ := e.Members()
		turn := rows.Row{Fields: members}
		content, _, _ := turn.Get("content", "text")
		role, _, _ := turn.Get("role", "type", "speaker")
		c, ok := content.Text()
		r, hasRole := role.Text()
		if !ok || !hasRole {
			return nil, false
		}
		turns = append(turns, corpus.Turn{Role: r, Content: c})
	}
	return turns, true
}

func readTime(v rows.Value, into **time.Time) bool {
	s, ok := v.Text()
	t, isTime := lines.Time(strings.TrimSpace(s))
	if ok = ok && isTime; ok {
		*into = &t
	}
	return ok
}
