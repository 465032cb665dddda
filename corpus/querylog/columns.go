package querylog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
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
		"question", "utterance", "text", "input", "prompt", "keywords", "keyword", "q", "messages", "conversation",
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

// guessColumns tells the columns of a log without header by their content: times, ids that come again, and the one
// column of words that is left.
func guessColumns(columns []string, first []rows.Row) (g guessed, ok bool) {
	if len(first) < 2 {
		return g, false
	}
	type column struct {
		name                     string
		times, spaced, filled, n int
		distinct                 map[string]bool
		bytes                    int
	}
	found := make([]column, len(columns))
	for i, name := range columns {
		found[i] = column{name: name, distinct: map[string]bool{}}
		for _, row := range first {
			s := strings.TrimSpace(place{at: i}.text(row))
			found[i].n++
			if s == "" {
				continue
			}
			found[i].filled++
			found[i].distinct[s] = true
			found[i].bytes += len(s)
			if t, isTime := lines.Time(s); isTime && t.After(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) && t.Year() < 2200 {
				found[i].times++
			}
			if strings.ContainsAny(s, " \u3000") {
				found[i].spaced++
			}
		}
	}
	best := -1
	for i, c := range found {
		switch {
		case c.filled > 0 && c.times*5 >= c.filled*4:
			if g.time == "" {
				g.time = c.name
			}
		case c.spaced*5 >= c.filled && c.filled > 0:
			if best < 0 || c.spaced*found[best].filled > found[best].spaced*c.filled {
				best = i
			}
		case c.filled*10 >= c.n*9 && c.spaced == 0 && len(c.distinct)*10 <= c.filled*9 && g.user == "":
			g.user = c.name
		}
	}
	if best < 0 {
		return g, false
	}
	g.text = found[best].name
	return g, true
}
