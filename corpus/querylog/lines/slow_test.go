package lines

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParseSlow(t *testing.T) {
	for _, c := range []struct {
		name, line, source string
		other              bool
	}{
		{"Elasticsearch 7", `[2024-05-01T12:00:05,000][WARN ][i.s.s.query              ] [node-1] [shop][0] took[5.1ms], took_millis[5], total_hits[12 hits], types[], stats[], search_type[QUERY_THEN_FETCH], total_shards[5], source[{"query":{"match":{"title":"red shoes"}}}], id[], `,
			`{"query":{"match":{"title":"red shoes"}}}`, false},
		{"its fetch phase", `[2024-05-01T12:00:05,000][INFO ][i.s.s.fetch] [node-1] [shop][0] took[1ms], took_millis[1], source[{"query":{}}], `, `{"query":{}}`, true},
		{"Elasticsearch 2", `[2024-05-01 12:00:05,000][WARN ][index.search.slowlog.query] [shop]took[1s], took_millis[1000], types[product], stats[], search_type[QUERY_THEN_FETCH], total_shards[5], source[{"a":"b]"}], extra_source[], `,
			`{"a":"b]"}`, false},
		{"brackets and quotes in a text", `[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[{"q":"a\"}], x[{ \\"}], id[]`, `{"q":"a\"}], x[{ \\"}`, false},
		{"escaped quotes", `[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[{\"q\":\"a]} \\\"b\"}], id[]`, `{\"q\":\"a]} \\\"b\"}`, false},
		{"a document that is indexed", `[2024-05-01T12:00:05,000][WARN ][index.indexing.slowlog.index] [n] [i/x] took[1s], took_millis[1000], id[1], source[{"match":{"a":"b"}}]`, `{"match":{"a":"b"}}`, true},
		{"the same in short", `[2024-05-01T12:00:05,000][WARN ][i.i.s.index] [n] [i/x] took_millis[1000], id[1], source[{}]`, `{}`, true},
		{"cut off", `[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[{"q":"abc`, `{"q":"abc`, false},
		{"nothing searched", `[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[], id[]`, ``, false},
	} {
		got, ok := ParseSlow(c.line)
		if !ok || got.Source != c.source || got.Other != c.other || !got.Time.Equal(noon) {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
	for _, line := range []string{"", "red shoes", "[x] source[", `[2024-05-01T12:00:05,000][INFO ][o.e.n.Node] [node-1] started`, `took_millis[1], source[{}]`} {
		if got, ok := ParseSlow(line); ok {
			t.Errorf("%q is read as %+v", line, got)
		}
	}
	if got, ok := ParseSlow(`[12:00][WARN ][i.s.s.query] took_millis[1], source[{}]`); !ok || got.Time != (time.Time{}) {
		t.Errorf("a line without a date is %+v, %v", got, ok)
	}
}

func TestSearchText(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"match", `{"query":{"match":{"title":"red shoes"}}}`, "red shoes"},
		{"match, written out", `{"query":{"match":{"title":{"query":"red shoes","operator":"AND","boost":1.0}}}}`, "red shoes"},
		{"multi_match", `{"size":10,"query":{"multi_match":{"query":"red shoes","fields":["title^2.0","body^1.0"],"type":"best_fields"}}}`, "red shoes"},
		{"query_string", `{"query":{"query_string":{"query":"title:red AND shoes","default_field":"body"}}}`, "title:red AND shoes"},
		{"simple_query_string", `{"query":{"simple_query_string":{"query":"\"red shoes\" -blue","fields":["a"]}}}`, `"red shoes" -blue`},
		{"match_phrase", `{"query":{"match_phrase":{"title":{"query":"red shoes","slop":2}}}}`, "red shoes"},
		{"match_phrase_prefix", `{"query":{"match_phrase_prefix":{"title":"red sh"}}}`, "red sh"},
		{"term", `{"query":{"term":{"sku":{"value":"AB-12","boost":1.0}}}}`, "AB-12"},
		{"term, short", `{"query":{"term":{"sku":"AB-12"}}}`, "AB-12"},
		{"fuzzy", `{"query":{"fuzzy":{"title":{"value":"sheos"}}}}`, "sheos"},
		{"in bool", `{"query":{"bool":{"filter":[{"term":{"shop":"en"}}],"must":[{"match":{"title":{"query":"red shoes"}}}]}}}`, "red shoes"},
		{"in bool's should", `{"query":{"bool":{"should":[{"term":{"brand":"x"}},{"match":{"title":"red shoes"}}]}}}`, "red shoes"},
		{"what must not be is no search", `{"query":{"bool":{"must_not":[{"match":{"title":"blue"}}],"must":{"match":{"title":"red"}}}}}`, "red"},
		{"deeply", `{"query":{"function_score":{"query":{"dis_max":{"queries":[{"nested":{"path":"v","query":{"bool":{"must":[{"multi_match":{"query":"red"}}]}}}}]}},"functions":[]}}}`, "red"},
		{"in a filter, where there is nothing else", `{"query":{"bool":{"filter":[{"match":{"title":"red shoes"}},{"term":{"shop":"en"}}]}}}`, "red shoes"},
		{"in a constant score", `{"query":{"constant_score":{"filter":{"match":{"title":"red shoes"}}}}}`, "red shoes"},
		{"a filter's term is none", `{"query":{"bool":{"filter":[{"term":{"shop":"en"}}]}}}`, ""},
		{"beside vectors", `{"knn":{"field":"v","query_vector":[0.1,0.2],"k":10},"query":{"match":{"title":"red shoes"}}}`, "red shoes"},
		{"vectors alone", `{"knn":{"field":"v","query_vector":[0.1,0.2],"k":10,"num_candidates":100}}`, ""},
		{"a model's text", `{"query":{"neural":{"v":{"query_text":"red shoes","model_id":"m","k":5}}}}`, "red shoes"},
		{"intervals", `{"query":{"intervals":{"title":{"match":{"query":"red shoes","max_gaps":1}}}}}`, "red shoes"},
		{"a number", `{"query":{"match":{"sku":{"query":404}}}}`, "404"},
		{"everything", `{"query":{"match_all":{"boost":1.0}}}`, ""},
		{"ids", `{"query":{"ids":{"values":["1","2"]}}}`, ""},
		{"an aggregation's filter", `{"size":0,"aggs":{"a":{"filter":{"match":{"title":"blue"}}}}}`, ""},
		{"a suggester", `{"suggest":{"text":"shose","s":{"term":{"field":"title"}}}}`, ""},
		{"a field called query", `{"query":{"match":{"query":"red"}}}`, "red"},
		{"a range", `{"query":{"range":{"price":{"gte":10}}}}`, ""},
		{"escaped", `{\"query\":{\"match\":{\"title\":\"red \\\"shoes\\\"\"}}}`, `red "shoes"`},
		{"no query", `{}`, ""},
		{"a list", `[{"match":{"a":"b"}}]`, "b"},
	} {
		got, ok := SearchText(c.body)
		if got != c.want || !ok {
			t.Errorf("%s: %q, %v", c.name, got, ok)
		}
	}
	for _, body := range []string{"", "{", `{"query":{"match":{"title":"red`, "red shoes", `{\"a`} {
		if got, ok := SearchText(body); ok {
			t.Errorf("%q is read as %q", body, got)
		}
	}
	deep := strings.Repeat(`{"bool":{"must":`, 5000) + `{"match":{"a":"b"}}` + strings.Repeat("}}", 5000)
	if got, _ := SearchText(deep); got != "" {
		t.Errorf("10,000 levels down: %q", got)
	}
}

func FuzzSlowLog(f *testing.F) {
	f.Add(`[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[{"query":{"match":{"title":"red"}}}], id[]`)
	f.Add(`[2024-05-01T12:00:05,000][WARN ][i.s.s.fetch] [n] [i][0] took_millis[1], source[{\"query\":{\"bool\":{\"must\":[{\"term\":{\"a\":1}}]}}}], id[]`)
	f.Add(`[x][index.search.slowlog.query] source[{"query":{"multi_match":{"query":"a","fields":["b"]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		s, ok := ParseSlow(line)
		if ok != IsSlow(line) && ok {
			t.Errorf("%q is read and is none", line)
		}
		if ok && !strings.Contains(line, s.Source) {
			t.Errorf("%q has no %q", line, s.Source)
		}
		query, ok := SearchText(s.Source)
		if !ok && query != "" || ok && query != "" && !json.Valid([]byte(s.Source)) && !strings.Contains(s.Source, `{`) {
			t.Errorf("%q: %q", s.Source, query)
		}
	})
}
