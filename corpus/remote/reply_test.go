package remote

import (
	"fmt"
	"strings"
	"testing"

	"assay/corpus"
)

func TestHTTPReplies(t *testing.T) {
	for body, want := range map[string]string{
		`{"hits":[{"id":"a","score":1},{"id":"b","score":2}]}`:                       "b=2 a=1",
		`{"hits":{"total":{"value":1},"hits":[{"_id":"a","_score":1.5}]}}`:           "a=1.5",
		`{"hits":{"hits":[{"_id":"b","_score":null},{"_id":"a","_score":null}]}}`:    "b=2 a=1",
		`{"results":[{"document":{"id":9007199254740993}},{"document":{"id":1e3}}]}`: "9007199254740993=2 1e3=1",
		`{"chunks":["007","a b","007"]}`:                                             "007=3 a b=2 007=1",
		`[{"chunk_id":"a","score":"0.5"}]`:                                           "a=0.5",
		`["a"]`:                                                                      "a=1", `{"result":{"points":[{"id":42,"score":-1e-3}]}}`: "42=-0.001", `{"response":{"docs":[{"id":"a"}]}}`: "a=1",
		`{"hits":[]}`: "", `{"results":null}`: "", "\ufeff {\"data\":[{\"id\":\"é\"}]} ": "é=1",
		`{"hits":[{"id":"a","score":1},{"id":"b","score":1}]}`: "b=1 a=1",
	} {
		h, _ := serve(t, replies(body))
		answers, err := collect(t, t.Context(), h, some(1), 5)
		got := ""
		for _, hit := range answers["q1"].Ranking {
			got += fmt.Sprintf(" %s=%v", hit.ChunkID, hit.Score)
		}
		if err != nil || answers["q1"].Err != "" || strings.TrimSpace(got) != want {
			t.Errorf("%s: %s, %+v, %v", body, got, answers["q1"], err)
		}
	}
}

// What can't be read is that query's error, asked once, and never an empty ranking.
func TestHTTPBadReplies(t *testing.T) {
	for body, want := range map[string]string{
		"":                                    "the reply is empty",
		" \n":                                 "the reply is empty",
		"<html>\n<b>Bad \x1b[31mgateway</b>":  "the reply is not JSON: invalid character '<' looking for beginning of value: <html>␤<b>Bad ␛[31mgateway</b>",
		`{"hits":[{"id":"a"}`:                 "not JSON: unexpected end of JSON input",
		`{"hits":[]} {}`:                      "not JSON",
		"{\"hits\":[\"a\xff\"]}":              "not valid UTF-8",
		`{"hits":["a\ud800"]}`:                `\ud800 stands for no character`,
		`{"error":"no such\nindex"}`:          "there are no hits in the reply: no such␤index",
		`{"hits":{}}`:                         "there are no hits in the reply where they usually are",
		`"a"`:                                 "there are no hits",
		`null`:                                "there are no hits",
		`17`:                                  "there are no hits",
		`{"hits":[null]}`:                     "hit 1: want an id, not null",
		`{"hits":[{"id":"a"},{"id":[1]}]}`:    "hit 2: want an id, not a list",
		`{"hits":[{"name":"a"}]}`:             "hit 1: there is no id where it usually is",
		`{"hits":[{"id":""}]}`:                "hit 1: the id is empty",
		`{"hits":[{"id":"a","score":"NaN"}]}`: "hit 1: the score is a text that is no number",
		`{"hits":[{"id":"a","score":"inf"}]}`: "a score is infinite",
		`{"hits":[{"id":"a","score":NaN}]}`:   "not JSON",
		`{"hits":[{"id":"a","score":1e999}]}`: `score "1e999" is beyond what a float64 holds`,
		`{"hits":[{"id":"a","score":{}}]}`:    "hit 1: want a score, not an object",
		`{"hits":["a",{"id":"b","score":1}]}`: "1 hits have a score and 1 have none",
		strings.Repeat("[", 1_000_000):        "not JSON: ",
		`{"hits":[{"id":"` + strings.Repeat("x", corpus.MaxIDLen+1) + `"}]}`: "hit 1: the id is 8193 bytes long",
	} {
		h, w := serve(t, replies(body))
		h.Retries = 3
		answers, err := collect(t, t.Context(), h, some(1), 5)
		if a := answers["q1"]; err != nil || !strings.Contains(a.Err, want) || a.Attempts != 1 || len(w.all) != 0 || len(a.Err) > 2000 {
			t.Errorf("%.60q: %+v, %v", body, a, err)
		}
	}
}

func TestHTTPPaths(t *testing.T) {
	const reply = `{"out":{"docs":[{"doc":{"key":1},"rank":{"value":0.5},"score":9},{"doc":{"key":2},"rank":{"value":0.75},"score":8}]},"ids":[["a","b"]],"groups":[{"hits":["x","y"]},{"hits":[]},{"hits":["z"]}],"none":null,"o":{"b":["1"],"a":["2"]}}`
	for _, c := range []struct{ hits, id, score, want string }{
		{"$.out.docs", "$.doc.key", "$.rank.value", "2=0.75 1=0.5"},
		{"out.docs", "doc.key", "rank.value", "2=0.75 1=0.5"},
		{"$['out']['docs'][*]", "$.doc['key']", "", "1=9 2=8"},
		{"$.out.docs[?@.rank.value > 0.6]", "doc.key", "", "2=8"},
		{"$.out.docs[::-1]", "doc.key", NoScore, "2=2 1=1"},
		{"$.out.docs[0:1]", "doc.key", NoScore, "1=1"},
		{"$.ids[0]", "", "", "a=2 b=1"},
		{"$.groups[*].hits[*]", "", "", "x=3 y=2 z=1"},
		{"$.none", "", "", ""},
		{"$.out.docs", "doc.nothing", "", "!hit 1: there is no id at $[\"doc\"][\"nothing\"]"},
		{"$.out.docs", "doc.key", "doc.nothing", "!no hit has a score at $[\"doc\"][\"nothing\"]"},
		{"$.out.doc", "", "", "!there is nothing at $[\"out\"][\"doc\"] in the reply"},
		{"$.nothing.docs", "", "", "!there is nothing at $[\"nothing\"] in the reply"},
		{"$.out", "", "", "!want a list at $[\"out\"], not an object"},
		{"$.nothing[*]", "", "", "!there is nothing at $[\"nothing\"] in the reply"},
		{"$.out[*]", "", "", "!want a list at $[\"out\"], not an object"},
		{"$.o.*[*]", "", "", "!want a list at $[\"o\"], not an object"},
	} {
		h, _ := serve(t, replies(reply))
		h.Hits, h.ID, h.Score = c.hits, c.id, c.score
		answers, err := collect(t, t.Context(), h, some(1), 5)
		got := ""
		for _, hit := range answers["q1"].Ranking {
			got += fmt.Sprintf(" %s=%v", hit.ChunkID, hit.Score)
		}
		if answers["q1"].Err != "" {
			got = "!" + answers["q1"].Err
		}
		if err != nil || strings.TrimSpace(got) != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

// A reply gives a ranking in order or an error, and never panics, by any path.
func FuzzReply(f *testing.F) {
	for _, s := range []string{
		`{"hits":[{"id":"a","score":1},{"id":"b","score":2}]}`, `{"hits":{"hits":[{"_id":1,"_score":null}]}}`, `["a",7]`, `{"results":null}`, `{"error":"x"}`, `[[[[{}]]]]`, `{"hits":[1e400,"\ud83d\ude00"]}`,
	} {
		f.Add([]byte(s), uint8(0))
		f.Add([]byte(s), uint8(1))
	}
	var all []paths
	for _, p := range [][3]string{{}, {"$.hits[*]", "$.id", "$.score"}, {"$.hits[?@.score > 1]", "id", NoScore}, {"$.hits[::-1]", "", ""}, {"$", "", ""}, {"$[*][*]", "", ""}} {
		parsed, err := newPaths(p[0], p[1], p[2])
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, parsed)
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		p := all[int(which)%len(all)]
		ranking, err := p.ranking(body)
		if err != nil && ranking != nil {
			t.Errorf("%v, %v", ranking, err)
		}
		if err == nil {
			checkFuzzed(t, ranking, "")
			again, _ := p.ranking(body)
			if len(again) != len(ranking) || len(ranking) > 0 && again[0] != ranking[0] {
				t.Errorf("%v, then %v", ranking, again)
			}
		}
	})
}
