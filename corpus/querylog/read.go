package querylog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/lines"
	"assay/corpus/querylog/redact"
	"assay/corpus/rows"
	"assay/corpus/text"
	"assay/corpus/trace"
)

// Options override how a log is read. The zero value finds out everything.
type Options struct {
	Format       Format
	Encoding     string      // a name as corpus/rows knows it
	IDField      string      // the column or key that holds the id
	TextField    string      // the column or key that holds the query's text; "3" is the third column where there is no header
	TimeField    string      // and when it was asked
	UserField    string      // and by whom; conversations are made by it where there is no session
	SessionField string      // and in which session, conversation or trace
	Params       []string    // search parameters of access logs, to be tried before the usual ones
	Source       string      // what to record as a query's source where its row names none; "" for the log's file name
	Kind         corpus.Kind // of queries that state none; "" for corpus.Mined
	Stdin        io.Reader   // what Open("-") reads; nil for the process's own
	Digest       io.Writer   // gets the log's bytes, decompressed, as they are read; may be nil
	WholeRejects bool        // each *rows.Reject holds all of the refused text
	LeaveIDs     bool        // makes no ids for rows without one, for callers that make them later
}

// Columns are the names that a reader of rows should take as a sign that the first row is a header.
func (o Options) Columns() []string {
	var names []string
	for _, n := range []string{o.IDField, o.TextField, o.TimeField, o.UserField, o.SessionField} {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

func (o Options) filled(file string) Options {
	if o.Kind == "" {
		o.Kind = corpus.Mined
	}
	if o.Source == "" {
		o.Source = filepath.Base(file)
	}
	return o
}

// Asked is one accepted row of a log that asks something. Its text may be blank.
type Asked struct {
	Query   corpus.Query // Count is that of this row alone; Order is not set
	Tags    []string
	File    string
	Line    int
	Derived bool      // the id was made from the text, because the row gives none
	At      time.Time // when it was asked; zero where the row doesn't say
	User    string    // who asked, as the log names them; not to be kept
	Session string    // in which session, conversation or trace; not to be kept
	Agent   string    // the client's user agent
	Chat    bool      // it comes from a conversation rather than a search box
	Names   []string  // what the row calls people; not to be kept
	Unread  []string  // names of the fields that were there and could not be understood; the row does without
	Raw     []byte    // the row's source

	row                rows.Row // where it stands, for refusing it later
	textField, idField string
}

// Reject refuses the row after all.
func (a Asked) Reject(reason, hint string) *rows.Reject { return a.row.Reject(reason, hint) }

// TextID is the id of a query that was given none: "q-" and 12 hex digits of the SHA-256 of its text.MatchKey. Whose
// address or number a redacted text held makes no difference.
func TextID(query string) string { return hashed(text.MatchKey(redact.Bare(query))) }

// TurnsID is TextID of a query that was asked after others: the same words are another query after other turns.
func TurnsID(query string, turns []corpus.Turn) string {
	if len(turns) == 0 {
		return TextID(query)
	}
	key := text.MatchKey(redact.Bare(query))
	for _, t := range turns {
		key += "\x00" + t.Role + "\x00" + text.MatchKey(redact.Bare(t.Content))
	}
	return hashed(key)
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "q-" + hex.EncodeToString(sum[:6])
}

// asked reads one row into a. It does not hold a query where holds is false; the error is a *rows.Reject.
func (l *Log) asked(row rows.Row, a *Asked) (holds bool, err error) {
	*a = Asked{File: row.File, Line: row.Line, Raw: row.Raw, row: row, Chat: l.form.chat}
	if l.form.parse != nil {
		if holds, err = l.form.parse(row, a); err == nil && holds {
			l.named(row, a)
			l.finish(a)
		}
		return holds, err
	}
	lay := l.shape(row)
	if l.form.asks != nil && !l.form.asks(row, lay) {
		return false, nil
	}
	value, name, missing := l.queryText(row, lay)
	if missing != "" {
		return true, row.Reject(missing, "name the key or column that holds the query: --text-field NAME")
	}
	a.Query.Text, a.Query.Turns, a.textField = value.text, value.turns, name
	id, idField, reason := l.queryID(row, lay, name)
	if reason != "" {
		return true, row.Reject(reason, "")
	}
	a.Query.ID, a.idField = id, idField
	a.Query.Count, a.Query.Kind, a.Query.Source = 1, l.opt.Kind, l.opt.Source
	l.details(row, lay, name, a)
	a.Chat = a.Chat || value.chat || len(a.Query.Turns) > 0
	l.finish(a)
	return true, nil
}

// named takes what the caller named from the fields that it named, whatever the format says.
func (l *Log) named(row rows.Row, a *Asked) {
	if l.opt.TimeField == "" && l.opt.UserField == "" && l.opt.SessionField == "" {
		return
	}
	lay := l.shape(row)
	if l.opt.TimeField != "" {
		a.At, _ = lines.Time(strings.TrimSpace(lay.roles[timeRole].text(row)))
	}
	if l.opt.UserField != "" {
		a.User = idOf(lay.roles[userRole].value(row))
	}
	if l.opt.SessionField != "" {
		a.Session = idOf(lay.roles[sessionRole].value(row))
	}
}

// finish fills in what a row leaves out.
func (l *Log) finish(a *Asked) {
	q := &a.Query
	if a.Derived = q.ID == ""; a.Derived && !l.opt.LeaveIDs {
		q.ID = TurnsID(q.Text, q.Turns)
	}
	q.Count = max(1, q.Count)
	if q.Kind == "" {
		q.Kind = l.opt.Kind
	}
	if q.Source == "" {
		q.Source = l.opt.Source
	}
	if q.FirstSeen == nil && !a.At.IsZero() {
		at := a.At
		q.FirstSeen, q.LastSeen = &at, &at
	}
	if a.At.IsZero() && q.FirstSeen != nil {
		a.At = *q.FirstSeen
	}
}

// queryID is the row's id, "" where it gives none. A row with an id that can't be one is refused: an id made from the
// text instead would hide the mistake.
func (l *Log) queryID(row rows.Row, lay *layout, textName string) (id, name, reason string) {
	v := lay.id.value(row)
	if v.Kind() == rows.Absent || v.Kind() == rows.Null || lay.id.name == textName {
		if l.opt.IDField != "" {
			return "", "", fmt.Sprintf("the row has no %q, which is to hold the id", l.opt.IDField)
		}
		return "", "", ""
	}
	id, ok := v.Text()
	if !ok {
		return "", "", "the id is " + v.Kind().String()
	}
	if err := corpus.CheckID(id); err != nil {
		return "", "", err.Error()
	}
	return id, lay.id.name, ""
}

// said is a query's text with the turns that come with it where the text is a conversation.
type said struct {
	text  string
	turns []corpus.Turn
	chat  bool // it was one of several messages, if only of a system's
}

// queryText is what was asked and the name it was found under.
func (l *Log) queryText(row rows.Row, lay *layout) (found said, name, missing string) {
	for _, at := range lay.text {
		v, name := at.value(row), at.name
		if v.Kind() == rows.Null || v.Kind() == rows.Absent {
			continue
		}
		s, isText := v.Text()
		if !isText || strings.HasPrefix(s, "[{") {
			if found := conversation(v); found.text != "" {
				return found, name, ""
			}
		}
		if isText {
			return said{text: s}, name, ""
		}
		missing = fmt.Sprintf("%q is %s, not the text of a query", name, v.Kind())
		if v.Kind() == rows.List {
			missing = fmt.Sprintf("%q has no message of the user's", name)
		}
	}
	switch {
	case missing != "":
		return said{}, "", missing
	case len(l.form.text) == 1 && l.form.table:
		return said{}, "", "the row has no cell for the query"
	case len(l.form.text) == 1:
		return said{}, "", fmt.Sprintf("the row has no %q, which is to hold the query", l.form.text[0])
	}
	return said{}, "", "the row has no query: no query, text, question or the like"
}

// conversation is what was asked last in a list of messages, or of texts that are all the user's own.
func conversation(v rows.Value) said {
	if texts, ok := v.Strings(); ok && len(texts) > 0 && v.Kind() == rows.List {
		found := said{text: texts[len(texts)-1], chat: true}
		for _, s := range texts[:len(texts)-1] {
			found.turns = append(found.turns, corpus.Turn{Role: "user", Content: s})
		}
		return found
	}
	query, turns := trace.Conversation(v)
	return said{query, turns, true}
}
