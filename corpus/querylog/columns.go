package querylog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/corpus/rows"
	"assay/corpus/text"
)

// The names that logs give to what a query consists of; of several in one row the first listed counts. The more
// specific come first: a log of events has an id of its own beside query_id.
var (
	idNames   = []string{"query_id", "query-id", "qid", "queryid", "query id", "_id", "id"}
	textNames = []string{
		"query", "query_text", "user_query", "search_query", "search query", "search_term", "search term", "user_input",
		"question", "utterance", "text", "input", "prompt", "keywords", "keyword", "q",
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
	for _, n := range []string{opt.IDField, opt.TextField} {
		if n == "" || column(columns, n) != "" {
			continue
		}
		if near, ok := text.Nearest(n, columns); ok {
			return fmt.Sprintf("did you mean %q?", near)
		}
	}
	shown := columns
	if len(shown) > 12 {
		shown = append(slices.Clone(shown[:12]), "…")
	}
	list := strings.Join(shown, ", ")
	if !header {
		return "name the column by its number, e.g. --text-field 2 (there are " + list + ")"
	}
	return "name the column with --text-field (there are " + list + ")"
}
