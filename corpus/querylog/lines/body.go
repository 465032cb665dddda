package lines

import (
	"encoding/json"
	"slices"
	"strings"
)

// fullText are the queries of the search language whose text a person may have typed.
var fullText = []string{
	"match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "multi_match", "query_string", "simple_query_string",
	"combined_fields", "common", "intervals", "neural", "text_expansion", "sparse_vector", "semantic", "more_like_this",
}

// exact are those that a person's words may have gone into where a body has none of fullText. A filter's don't count.
var exact = []string{"term", "fuzzy", "prefix"}

// textKeys hold the text within a query.
var textKeys = []string{"query", "value", "query_text", "model_text", "like"}

// settings are keys beside a field's name that are no field.
var settings = []string{
	"fields", "type", "operator", "analyzer", "minimum_should_match", "default_field", "default_operator", "boost", "_name",
	"fuzziness", "lenient", "model_id", "tie_breaker", "flags",
}

// skipped are parts of a body whose texts nobody typed to search for, or that say again what the query says.
var skipped = []string{"aggs", "aggregations", "must_not", "highlight", "rescore", "suggest", "_source", "sort", "script", "ext", "filter", "post_filter"}

// SearchText is what a search's body looks for: the text of its first full-text query, wherever it is nested, else of
// its first full-text query in a filter, else of a term. It is "" where the body has none (vectors, ids, aggregations);
// ok is false where the body is not JSON.
func SearchText(body string) (query string, ok bool) {
	var v any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		if strings.HasPrefix(body, `{\"`) {
			var plain string
			if json.Unmarshal([]byte(`"`+body+`"`), &plain) == nil && !strings.HasPrefix(plain, `{\"`) {
				return SearchText(plain)
			}
		}
		return "", false
	}
	for _, in := range []pass{{fullText, false}, {fullText, true}, {exact, false}} {
		if query := in.find(v, 0); query != "" {
			return query, true
		}
	}
	return "", true
}

// pass is one way of looking through a body.
type pass struct {
	kinds   []string
	filters bool // looks into filters too
}

// deepest is how far queries are nested at most.
const deepest = 200

func (p pass) find(v any, depth int) string {
	if depth > deepest {
		return ""
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if s := p.find(e, depth+1); s != "" {
				return s
			}
		}
	case map[string]any:
		for _, kind := range p.kinds {
			if s := textOf(v[kind]); s != "" {
				return s
			}
		}
		for _, name := range p.order(v) {
			if s := p.find(v[name], depth+1); s != "" {
				return s
			}
		}
	}
	return ""
}

// order puts first what decides most, then the rest by name, filters last.
func (p pass) order(v map[string]any) []string {
	names := make([]string, 0, len(v))
	for n := range v {
		if !slices.Contains(skipped, n) || p.filters && strings.HasSuffix(n, "filter") {
			names = append(names, n)
		}
	}
	weight := func(n string) int { return slices.Index([]string{"should", "must", "query"}, n) }
	slices.SortFunc(names, func(a, b string) int {
		if x, y := weight(a), weight(b); x != y {
			return y - x
		}
		return strings.Compare(a, b)
	})
	return names
}

// textOf is the text of one query: {"field": "text"}, {"field": {"query": "text"}} or {"query": "text"}.
func textOf(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	for _, key := range textKeys {
		if s := scalar(m[key]); s != "" {
			return s
		}
	}
	names := make([]string, 0, len(m))
	for n := range m {
		if !slices.Contains(settings, n) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if s := scalar(m[n]); s != "" {
			return s
		}
		f, _ := m[n].(map[string]any)
		for _, key := range textKeys {
			if s := scalar(f[key]); s != "" {
				return s
			}
		}
		if all, ok := f["match"].(map[string]any); ok { // intervals: {"field": {"match": {"query": "text"}}}
			return scalar(all["query"])
		}
	}
	return ""
}

// scalar is a text, or the digits of a number; "" for anything else.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
