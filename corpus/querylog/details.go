package querylog

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/corpus"
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
	{[]string{"group"}, textInto(func(q *corpus.Query) *string { return &q.Group })},
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
	if at := lay.roles[timeRole]; at >= 0 && row.Fields[at].Name != textName {
		if s := strings.TrimSpace(saidAt(row, at)); s != "" {
			if t, ok := parseTime(s); ok {
				a.At = t
			} else {
				a.Unread = append(a.Unread, row.Fields[at].Name)
			}
		}
	}
	a.User, a.Session, a.Agent = saidAt(row, lay.roles[userRole]), saidAt(row, lay.roles[sessionRole]), saidAt(row, lay.roles[agentRole])
	for _, at := range lay.people {
		if s := saidAt(row, at); s != "" && row.Fields[at].Name != textName {
			a.Names = append(a.Names, s)
		}
	}
	if a.Query.Language == "" {
		if v, _, ok := row.Get("metadata"); ok {
			inner, _ := v.Members()
			if lang, _, ok := (rows.Row{Fields: inner}).Get("language", "lang"); ok {
				a.Query.Language, _ = lang.Text()
			}
		}
	}
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

// readTime takes RFC 3339, the same with a space and without a zone (UTC then), a date, and seconds, milliseconds or
// microseconds since 1970.
func readTime(v rows.Value, into **time.Time) bool {
	s, ok := v.Text()
	if s = strings.TrimSpace(s); !ok {
		return false
	}
	t, ok := parseTime(s)
	if ok {
		*into = &t
	}
	return ok
}

func parseTime(s string) (time.Time, bool) {
	if len(s) > 40 || len(s) < 8 {
		return time.Time{}, false
	}
	if !strings.ContainsAny(s, "-/: ") {
		return digitTime(s)
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// timeLayouts are how logs write times, the commonest first. Without a zone they are UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05,999999999", "2006-01-02 15:04:05,999", "2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02T15:04:05.999999999-0700",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04", time.DateOnly, "02/Jan/2006:15:04:05 -0700", time.RFC1123Z, time.RFC1123,
	"2006/01/02 15:04:05", "Jan 2, 2006 15:04:05", "Jan 2, 2006, 15:04:05", "2 Jan 2006 15:04:05", time.ANSIC, time.UnixDate,
}

// digitTime takes seconds, milliseconds, microseconds and nanoseconds since 1970, and yyyymmddHHMMSS with four digits of
// the year or two.
func digitTime(s string) (time.Time, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 {
		return time.Time{}, false
	}
	switch len(whole) {
	case 8:
		t, err := time.Parse("20060102", whole)
		return t, err == nil && t.Year() >= 1970 && t.Year() < 2200
	case 10:
		var nanos int64
		if fraction != "" {
			nanos, err = strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
		}
		return time.Unix(n, nanos).UTC(), err == nil
	case 12:
		t, err := time.Parse("060102150405", whole)
		return t, err == nil
	case 13:
		return time.UnixMilli(n).UTC(), true
	case 14:
		t, err := time.Parse("20060102150405", whole)
		return t, err == nil
	case 16:
		return time.UnixMicro(n).UTC(), true
	case 19:
		return time.Unix(0, n).UTC(), true
	}
	return time.Time{}, false
}
