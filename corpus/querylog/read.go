package querylog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// Options override how a log's columns or keys are found. The zero value tries the common names.
type Options struct {
	IDField   string      // the column or key that holds the id
	TextField string      // the column or key that holds the query's text; "3" is the third column where there is no header
	Source    string      // what to record as a query's source where its row names none; "" for the log's file name
	Kind      corpus.Kind // of queries that state none; "" for corpus.Mined
}

// Columns are the names that a reader of rows should take as a sign that the first row is a header.
func (o Options) Columns() []string {
	var names []string
	for _, n := range []string{o.IDField, o.TextField} {
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

// Asked is one accepted row of a log.
type Asked struct {
	Query   corpus.Query // Count is that of this row alone; Order is not set
	Tags    []string
	File    string
	Line    int
	Derived bool     // the id was made from the text, because the row gives none
	Unread  []string // names of the fields that were there and could not be understood; the row does without

	row                rows.Row // where it stands, for refusing it later
	textField, idField string
}

// TextID is the id of a query that was given none: "q-" and 12 hex digits of the SHA-256 of its text.MatchKey.
func TextID(query string) string {
	sum := sha256.Sum256([]byte(text.MatchKey(query)))
	return "q-" + hex.EncodeToString(sum[:6])
}

// Read yields a log's rows one by one. A *rows.Reject is one bad row; the sequence goes on after it. Any other error
// is the last thing that it yields.
func Read(r *rows.Reader, opt Options) iter.Seq2[Asked, error] {
	return func(yield func(Asked, error) bool) {
		l, err := newLog(r, opt)
		if err != nil {
			yield(Asked{}, err)
			return
		}
		for {
			row, err := r.Next()
			if err == io.EOF {
				return
			}
			var asked Asked
			if err == nil {
				asked, err = l.asked(row)
			}
			var reject *rows.Reject
			if !yield(asked, err) || err != nil && !errors.As(err, &reject) {
				return
			}
		}
	}
}

// log knows where in a row to look.
type log struct {
	opt      Options
	table    bool     // the rows are cells of a table, whose columns are known from the start
	id, text []string // names to try, in order
}

// newLog settles the columns of a table; keys of JSON are looked for row by row. The error says which columns there
// are, where none of them can be told to hold the query.
func newLog(r *rows.Reader, opt Options) (*log, error) {
	if opt.Kind == "" {
		opt.Kind = corpus.Mined
	}
	if opt.Source == "" {
		opt.Source = filepath.Base(r.File())
	}
	l := &log{opt: opt, id: idNames, text: textNames}
	if opt.IDField != "" {
		l.id = []string{opt.IDField}
	}
	if opt.TextField != "" {
		l.text = []string{opt.TextField}
	}
	columns := r.Columns()
	if columns == nil {
		return l, nil
	}
	l.table = true
	id, query, err := tableColumns(columns, r.Stats(), opt)
	if err != nil {
		return nil, &rows.Error{File: r.File(), Reason: err.Error(), Advice: tableHint(columns, r.Stats().Header, opt)}
	}
	l.id, l.text = nil, []string{query}
	if id != "" {
		l.id = []string{id}
	}
	return l, nil
}

// asked reads one row. The error is a *rows.Reject.
func (l *log) asked(row rows.Row) (Asked, error) {
	a := Asked{File: row.File, Line: row.Line, row: row}
	q := &a.Query
	value, name, missing := l.queryText(row)
	if missing != "" {
		return a, row.Reject(missing, "name the key or column that holds the query: --text-field NAME")
	}
	q.Text, q.Turns = value.text, value.turns
	if strings.TrimSpace(q.Text) == "" {
		return a, row.Reject("the query is empty", "")
	}
	a.textField = name
	id, idField, reason := l.queryID(row, name)
	if reason != "" {
		return a, row.Reject(reason, "")
	}
	q.ID, a.idField = id, idField
	if q.ID == "" {
		q.ID, a.Derived = TextID(q.Text), true
	}
	q.Count, q.Kind, q.Source = 1, l.opt.Kind, l.opt.Source
	l.details(row, name, &a)
	return a, nil
}

// queryID is the row's id, "" where it gives none. A row with an id that can't be one is refused: an id made from the
// text instead would hide the mistake.
func (l *log) queryID(row rows.Row, textName string) (id, name, reason string) {
	v, name, ok := row.Get(l.id...)
	if !ok || v.Kind() == rows.Null || name == textName {
		if l.opt.IDField != "" {
			return "", "", fmt.Sprintf("the row has no %q, which is to hold the id", l.opt.IDField)
		}
		return "", "", ""
	}
	id, ok = v.Text()
	if !ok {
		return "", "", "the id is " + v.Kind().String()
	}
	if err := corpus.CheckID(id); err != nil {
		return "", "", err.Error()
	}
	return id, name, ""
}

// said is a query's text with the turns that come with it where the text is a conversation.
type said struct {
	text  string
	turns []corpus.Turn
}

// queryText is what was asked and the name it was found under.
func (l *log) queryText(row rows.Row) (found said, name, missing string) {
	for _, n := range l.text {
		v, name, ok := row.Get(n)
		if !ok || v.Kind() == rows.Null {
			continue
		}
		if s, ok := v.Text(); ok {
			return said{text: s}, name, ""
		}
		if turns, ok := readTurns(v); ok && len(turns) > 0 && asks(turns[len(turns)-1]) {
			last := len(turns) - 1
			return said{turns[last].Content, turns[:last:last]}, name, ""
		}
		missing = fmt.Sprintf("%q is %s, not the text of a query", name, v.Kind())
	}
	switch {
	case missing != "":
		return said{}, "", missing
	case len(l.text) == 1 && l.table:
		return said{}, "", "the row has no cell for the query"
	case len(l.text) == 1:
		return said{}, "", fmt.Sprintf("the row has no %q, which is to hold the query", l.text[0])
	}
	return said{}, "", "the row has no query: no query, text, question or the like"
}

// asks reports whether a turn is the user's.
func asks(t corpus.Turn) bool { return t.Role == "user" || t.Role == "human" }
