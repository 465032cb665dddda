package rows

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseExact(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id":9007199254740993}`: "", ` ["é😀"] `: "", `"\u00e9\ud83d\ude00"`: "", `1e400`: "",
		``: "not JSON", `{`: "not JSON", `1 2`: "not JSON", `<html>`: "not JSON", "\"\xff\"": "not valid UTF-8",
		`{"id":"a\u0000"}`: `\u0000 stands for no character`, `["\ud800"]`: `\ud800 stands for no character`, `"\ude00\ud83d"`: `\ude00`,
		strings.Repeat("[", 20_000): "not JSON",
	} {
		v, err := ParseExact([]byte(raw))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || v.Kind() != Absent) {
			t.Errorf("%.40q: %v, %v", raw, v.Kind(), err)
		}
	}
}

func TestParseRow(t *testing.T) {
	row, err := ParseRow([]byte(` {"a":1,"b":[2],"a":1} `))
	if err != nil || len(row.Fields) != 2 || row.Fields[1].Name != "b" {
		t.Errorf("%v, %v", row, err)
	}
	for line, want := range map[string]string{
		"": "cut off", `{"a":`: "cut off", "hello": "not JSON at byte 1", `[1]`: "a list where an object belongs", `{} {}`: "more text after the object",
		"{\"a\":\"\xff\"}": "byte 0xff at offset 6 is not UTF-8", `{"a":1,"a":2}`: `the key "a" comes twice`, `{"a":"\u0000"}`: "stands for no character",
	} {
		if _, err := ParseRow([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestRanked(t *testing.T) {
	for line, want := range map[string]string{
		`{"query_id":"q1","chunks":["a","b"]}`:                                              `q1 ["a" "b"] []`,
		`{"query":1000000,"chunks":[9007199254740993]}`:                                     `1000000 ["9007199254740993"] []`,
		`{"query":"how do I pay?","query_id":"q1","hits":[{"id":"a","score":1}]}`:           `q1 ["a"] ["1"]`,
		`{"qid":"q","results":[{"docid":7,"score":" 1e-3 "},{"chunk_id":"b","score":"2"}]}`: `q ["7" "b"] ["1e-3" "2"]`,
		`{"qid":"q","chunk_ids":[{"ID":"a","score":null}]}`:                                 `q ["a"] []`,
		`{"query-id":"q","chunks":[]}`:                                                      `q [] []`,
	} {
		row, err := ParseRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		query, err := RankedQuery(row)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		ids, scores, _, err := RankedHits(row)
		if got := fmt.Sprintf("%s %q %q", query, ids, scores); got != want || err != nil || ids == nil {
			t.Errorf("%s: %s, %v", line, got, err)
		}
	}
	for line, want := range map[string]string{
		`{}`: "there is no query", `{"query":null}`: "query: want an id, not null", `{"query":["q"]}`: "query: want an id, not a list",
	} {
		row, _ := ParseRow([]byte(line))
		if _, err := RankedQuery(row); err == nil || err.Error() != want {
			t.Errorf("%s: %v", line, err)
		}
	}
	for line, want := range map[string]string{
		`{}`: "there are no chunks", `{"hits":{}}`: "hits: want a list, not an object", `{"chunks":null}`: "chunks: want a list, not null",
		`{"chunks":["a",null]}`: "chunks: hit 2: want an id, not null", `{"chunks":[{"score":1}]}`: "chunks: hit 1: there is no id",
		`{"chunks":[{"id":{}}]}`: "chunks: hit 1: want an id, not an object", `{"chunks":[{"id":"a","score":true}]}`: "chunks: hit 1: score: want a number, not a boolean",
		`{"chunks":["a",{"id":"b","score":1}]}`: "chunks: of 2 hits 1 have a score: give all one, or none",
	} {
		row, _ := ParseRow([]byte(line))
		if ids, scores, _, err := RankedHits(row); err == nil || err.Error() != want || ids != nil || scores != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestRankedFault(t *testing.T) {
	for line, want := range map[string]string{
		`{"query_id":"q","error":"down"}`: "down true", `{"query_id":"q","error":" down\n","chunks":["a"]}`: "down true", `{"error":""}`: " true", `{"error":{"code": 7}}`: `{"code": 7} true`,
		`{"error":503}`: "503 true", `{"error":null}`: " false", `{"query_id":"q","chunks":[]}`: " false",
	} {
		row, err := ParseRow([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		why, failed := RankedFault(row)
		if got := fmt.Sprintf("%s %v", why, failed); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
