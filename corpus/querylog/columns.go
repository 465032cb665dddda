package querylog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// The names that logs give to what a query consists of; of several in one row the first listed counts. The more
// specific come first: a log of events has an id of its own beside query_id.
var (
	idNames   = []string{"query_id", "query-id", "qid", "queryid", "query id", "_id", "id"}
	textNames = []string{
		"query", "query_text", "user_query", "search_query", "search query", "search_term", "search term", "user_input",
		"question", "utterance", "text", "input", "prompt", "keywords", "keyword", "q", "querytext", "userquery", "searchquery",
		"searchterm", "search_text", "search_string", "search", "user_message", "messages", "conversation",
	}
)

// tableColumns finds the columns of the id ("" for none) and of the query's text.
func tableColumns(columns []string, stats rows.Stats, opt Options) (id, query string, err error) {
	named := func(what, name string) (string, error) {
		if c := column(columns, name); c != "" {
			return c, nil
		}
		return "", fmt.Errorf("no column %q for the %s", name, what)
	}
	if opt.IDField != "" {
		if id, err = named("id", opt.IDField); err != nil {
			return "", "", err
		}
	} else if stats.Header {
		id = column(columns, idNames...)
	}
	switch {
	case opt.TextField != "":
		query, err = named("query", opt.TextField)
	case stats.Header:
		query, err = headedText(columns, id)
	case len(columns) == 1:
		query = columns[0]
	case len(columns) == 2 && stats.Format == rows.TSV && (id == "" || id == "1"):
		id, query = "1", "2" // topics: qid, text
	default:
		err = fmt.Errorf("there is no header to tell which of the %d columns holds the query", len(columns))
	}
	return id, query, err
}

// headedText is the column of the query's text: by its name, by a word in its name, or because no other is left.
func headedText(columns []string, id string) (string, error) {
	if c := column(columns, textNames...); c != "" {
		return c, nil
	}
	others := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == id })
	for _, word := range []string{"query", "queries", "question", "questions", "text", "search"} {
		for _, c := range others {
			words := strings.FieldsFunc(strings.ToLower(c), func(r rune) bool { return !unicode.IsLetter(r) })
			if slices.Contains(words, word) {
				return c, nil
			}
		}
	}
	if len(others) == 1 {
		return others[0], nil
	}
	return "", errors.New("no column is named like a query")
}

// column is the first column with one of the names, as they are or else regardless of case; "" where there is none.
func column(columns []string, names ...string) string {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, n := range names {
			for _, c := range columns {
				if same(c, n) {
					return c
				}
			}
		}
	}
	return ""
}

// tableHint says what can be named instead.
func tableHint(columns []string, header bool, opt Options) string {
	for _, n := range opt.Columns() {
		if column(columns, n) != "" {
			continue
		}
		if near, ok := text.Nearest(n, columns); ok {
			return fmt.Sprintf("did you mean %q?", near)
		}
	}
	list := shortList(columns)
	if !header {
		return "name the column by its number, e.g. --text-field 2 (there are " + list + ")"
	}
	return "name the column with --text-field (there are " + list + ")"
}

// shortList names a dozen things at most.
func shortList(names []string) string {
	if len(names) > 12 {
		names = append(slices.Clone(names[:12]), "…")
	}
	return strings.Join(names, ", ")
}

// guessed are the columns of a table without header, as far as their content tells.
type guessed struct{ text, time, user string }

// content is what the first rows have in one column.
type content struct {
	name     string
	filled   int // of the rows
	times    int
	numbers  int // of digits alone
	worded   int // with several words, or in a script that does not part words
	marked   int // with a digit or an at sign, as ids of users are
	bytes    int
	distinct map[string]bool
}

func contentOf(name string, at int, first []rows.Row) content {
	c := content{name: name, distinct: map[string]bool{}}
	for _, row := range first {
		s := strings.TrimSpace(place{at: at}.text(row))
		if s == "" {
			continue
		}
		c.filled++
		c.bytes += len(s)
		c.distinct[s] = true
		if t, ok := lines.Time(s); ok && t.Year() >= 1980 && t.Year() < 2100 {
			c.times++
		}
		if strings.Trim(s, "0123456789") == "" {
			c.numbers++
		}
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x0e00 && unicode.IsLetter(r) }) {
			c.worded++
		}
		if strings.ContainsAny(s, "0123456789@") {
			c.marked++
		}
	}
	return c
}

// most reports whether n of the column's cells are nearly all.
func (c content) most(n int) bool { return c.filled > 0 && n*5 >= c.filled*4 }

// user reports whether the column may hold ids of users, of n rows: ids that come again, and no counts or places.
func (c content) user(n int) bool {
	again := len(c.distinct)*10 <= c.filled*9
	number := c.most(c.numbers) && c.bytes < 3*c.filled
	return c.filled*10 >= n*9 && c.worded == 0 && again && c.most(c.marked) && !number
}

// guessColumns tells the columns of a log without header by their content: a column of times, the column of words, and
// before it a column of ids that come again.
func guessColumns(columns []string, first []rows.Row) (g guessed, ok bool) {
	if len(first) < 2 {
		return g, false
	}
	found := make([]content, len(columns))
	at, text := -1, -1
	for i, name := range columns {
		c := contentOf(name, i, first)
		found[i] = c
		switch {
		case c.most(c.times):
			// An id of ten digits can be a time too; what is written as a time is one.
			if at < 0 || found[at].most(found[at].numbers) && (!c.most(c.numbers) || len(c.distinct) > len(found[at].distinct)) {
				at = i
			}
		case c.worded*5 >= c.filled && c.worded > 0:
			if text < 0 || c.worded*found[text].filled > found[text].worded*c.filled {
				text = i
			}
		}
	}
	if text < 0 {
		return g, false
	}
	g.text = columns[text]
	if at >= 0 {
		g.time = columns[at]
	}
	for i, c := range found[:text] {
		if i != at && c.user(len(first)) {
			g.user = c.name
			break
		}
	}
	return g, true
}
