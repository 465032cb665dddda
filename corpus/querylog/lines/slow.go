package lines

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Slow is one search of a slow log.
type Slow struct {
	Time   time.Time
	Source string // the search's body, JSON; cut off in old versions
	Phase  string // "query" or "fetch"
}

// IsSlow reports whether a line is one of a search slow log in its text form.
func IsSlow(line string) bool {
	return strings.HasPrefix(line, "[") && (strings.Contains(line, "search.slowlog") || strings.Contains(line, "index.search.slowlog")) ||
		strings.HasPrefix(line, "[") && strings.Contains(line, "took_millis[") && strings.Contains(line, "source[")
}

// ParseSlow takes a line of the text form apart: [time][level][i.s.s.query] [node] [index][shard] took[…], …, source[…], …
func ParseSlow(line string) (Slow, bool) {
	var s Slow
	stamp, _, ok := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !IsSlow(line) || !ok {
		return s, false
	}
	for _, layout := range []string{"2006-01-02T15:04:05,000", "2006-01-02 15:04:05,000", time.RFC3339Nano} {
		if at, err := time.Parse(layout, strings.TrimSpace(stamp)); err == nil {
			s.Time = at.UTC()
			break
		}
	}
	s.Phase = "query"
	if strings.Contains(line, "slowlog.fetch") || strings.Contains(line, ".s.fetch") {
		s.Phase = "fetch"
	}
	i := strings.Index(line, "source[")
	if i < 0 {
		return s, false
	}
	rest := line[i+len("source["):]
	s.Source = rest
	if end := bodyEnd(rest); end >= 0 {
		s.Source = rest[:end]
	}
	return s, true
}

// bodyEnd is where a JSON object at the beginning of a text ends, -1 where it does not.
func bodyEnd(s string) int {
	depth, inText := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == ']' && depth == 0:
			return i
		}
	}
	return -1
}

// textQueries are the queries of the search language whose text a person may have typed, and where it stands.
var textQueries = []string{
	"match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "multi_match", "query_string", "simple_query_string",
	"combined_fields", "common", "intervals", "neural", "text_expansion", "sparse_vector", "semantic", "more_like_this",
}

// SearchText is what a search's body looks for: the text of its first full-text query, wherever it is nested. It is
// "" where the body has none (filters, vectors, aggregations); ok is false where it is not JSON.
func SearchText(body string) (query string, ok bool) {
	var v any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		if strings.Contains(body, `\"`) {
			var plain string
			if json.Unmarshal([]byte(`"`+body+`"`), &plain) == nil && plain != body {
				return SearchText(plain)
			}
		}
		return "", false
	}
	return findText(v, 0), true
}

// deepest is how far queries are nested at most.
const deepest = 200

func findText(v any, depth int) string {
	if depth > deepest {
		return ""
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if s := findText(e, depth+1); s != "" {
				return s
			}
		}
	case map[string]any:
		for _, name := range textQueries {
			if s := textOf(v[name]); s != "" {
				return s
			}
		}
		for _, name := range order(v) {
			if s := findText(v[name], depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}

// order puts first what scores, then the rest by name.
func order(v map[string]any) []string {
	names := make([]string, 0, len(v))
	for n := range v {
		if !slices.Contains([]string{"aggs", "aggregations", "filter", "must_not", "highlight", "rescore", "suggest", "_source", "sort"}, n) {
			names = append(names, n)
		}
	}
	weight := func(n string) int { return slices.Index([]string{"suggest", "should", "must", "query"}, n) }
	slices.SortFunc(names, func(a, b string) int {
		if x, y := weight(a), weight(b); x != y {
			return y - x
		}
		return strings.Compare(a, b)
	})
	return names
}

// textOf is the text of one full-text query: {"field": "text"}, {"field": {"query": "text"}} or {"query": "text"}.
func textOf(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for _, key := range []string{"query", "query_text", "like", "model_text"} {
		if s, ok := m[key].(string); ok {
			return s
		}
	}
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		switch f := m[n].(type) {
		case string:
			if n != "fields" && n != "type" && n != "operator" && n != "analyzer" && n != "minimum_should_match" && n != "default_field" && n != "default_operator" {
				return f
			}
		case map[string]any:
			for _, key := range []string{"query", "query_text", "model_text"} {
				if s, ok := f[key].(string); ok {
					return s
				}
			}
		}
	}
	return ""
}
