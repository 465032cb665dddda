package export

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func stopped() time.Time { return noon }

func someHeader() RunHeader {
	return RunHeader{
		Name: "bm25", Retriever: RunRetriever{Kind: "http", URL: "http://127.0.0.1/search", Body: `{"q": {{query}}}`, ID: "$._id"},
		Depth: 10, Corpus: "c0ffee", Program: "assay 1", Started: noon,
	}
}

func got(id, text string, hits ...corpus.Hit) RunAnswer {
	return RunAnswer{QueryID: id, Query: corpus.HashText(text), Ranking: append(corpus.Ranking{}, hits...), Latency: 1500 * time.Microsecond, Attempts: 1, At: noon}
}

func failed(id, text, why string) RunAnswer {
	return RunAnswer{QueryID: id, Query: corpus.HashText(text), Err: why, Attempts: 4, At: noon}
}

// keep opens the run, appends and closes it.
func keep(t *testing.T, path string, answers ...RunAnswer) map[string]RunAnswer {
	t.Helper()
	k, known, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if err := k.Append(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	return known
}

func TestKeptRunLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "live.jsonl")
	known := keep(t, path, got("q1", "pay <fees> & more", corpus.Hit{ChunkID: "9007199254740993", Score: 0.1}, corpus.Hit{ChunkID: "a\u2028\"", Score: 1e-7}),
		failed("q2", "two", "the service says 500"), got("q3", "three"))
	if len(known) != 0 {
		t.Errorf("a new run knows %v", known)
	}
	want := `{"assay":"run","version":1,"name":"bm25","retriever":{"kind":"http","url":"http://127.0.0.1/search","body":"{\"q\": {{query}}}","id":"$._id"},"depth":10,"corpus":"c0ffee","program":"assay 1","started":"2026-05-04T12:00:00Z"}
{"query_id":"q1","query_sha256":"` + string(corpus.HashText("pay <fees> & more")) + `","chunks":[{"id":"9007199254740993","score":0.1},{"id":"a` + "\u2028" + `\"","score":1e-7}],"latency_ms":1.5,"attempts":1,"at":"2026-05-04T12:00:00Z"}
{"query_id":"q2","query_sha256":"` + string(corpus.HashText("two")) + `","error":"the service says 500","attempts":4,"at":"2026-05-04T12:00:00Z"}
{"query_id":"q3","query_sha256":"` + string(corpus.HashText("three")) + `","chunks":[],"latency_ms":1.5,"attempts":1,"at":"2026-05-04T12:00:00Z"}
`
	if s := read(t, path); s != want {
		t.Errorf("%s", s)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	r, err := ReadRun(path, ReadOptions{})
	if err != nil || r.Format != RunLines || r.Run.Name != "bm25" || r.Hits != 2 || len(r.Warnings) != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if s := ranked(r.Run); s != "q1: 9007199254740993=0.1 a\u2028\"=1e-07; q3:" {
		t.Error(s)
	}
	if s := r.Stats; s.Header != 1 || s.Accepted != 3 || s.Rejected != 0 {
		t.Errorf("%+v", s)
	}
	if !reflect.DeepEqual(*r.Header, someHeader()) {
		t.Errorf("%+v", r.Header)
	}
	if fmt.Sprint(r.Latency) != "map[q1:1.5ms q3:1.5ms]" || fmt.Sprint(r.Failed) != "map[q2:the service says 500]" || r.Asked["q3"] != corpus.HashText("three") {
		t.Errorf("%v %v %v", r.Latency, r.Failed, r.Asked)
	}
}

// B077: what was answered before a crash is not asked again; what failed, changed or never came is.
func TestB077ResumeRepeatsNothingSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	queries := []corpus.Query{{ID: "q1", Text: "one"}, {ID: "q2", Text: "two"}, {ID: "q3", Text: "three"}, {ID: "q4", Text: "four"}, {ID: "q5", Text: "five"}}
	if left := Unanswered(queries, keep(t, path, got("q1", "one", corpus.Hit{ChunkID: "a", Score: 1}), failed("q2", "two", "late"), got("q3", "other"))); len(left) != 5 {
		t.Errorf("%d of a new run are left", len(left))
	}
	// Killed within the line of q4.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	whole := read(t, path)
	torn := `{"query_id":"q4","query_sha256":"","chunks":[{"id":"a","sc`
	f.WriteString(torn)
	f.Close()

	k, known, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil || k.Cut != len(torn) || len(known) != 3 || len(k.Rejects) != 0 {
		t.Fatalf("%+v, %v, %v", k, known, err)
	}
	ids := ""
	for _, q := range Unanswered(queries, known) {
		ids += q.ID + " "
	}
	if ids != "q3 q4 q5 q2 " { // the one that failed last, lest it block the others again
		t.Errorf("%s are left", ids)
	}
	if s := read(t, path); s != whole {
		t.Errorf("the torn line is there: %s", s)
	}
	if err := errors.Join(k.Append(got("q2", "two", corpus.Hit{ChunkID: "b", Score: 1})), k.Append(failed("q3", "three", "late")), k.Close(), k.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRun(path, ReadOptions{})
	if err != nil || ranked(r.Run) != "q1: a=1; q2: b=1" || fmt.Sprint(r.Failed) != "map[q3:late]" || r.Hits != 2 || len(r.Latency) != 2 {
		t.Errorf("%s %v %+v, %v", ranked(r.Run), r.Failed, r, err)
	}
	if s := r.Stats; s.Accepted != 5 || s.Rejected != 0 || s.Header != 1 {
		t.Errorf("%+v", s)
	}
	// Wherever the writer is killed, the rest is whole and can be gone on with.
	whole = read(t, path)
	lines := strings.SplitAfter(whole, "\n")
	for n := range len(whole) {
		if err := os.WriteFile(path, []byte(whole[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		known := keep(t, path, got("q9", "nine"))
		had := strings.Count(whole[:n], "\n")
		want := strings.Join(lines[:max(had, 1)], "")
		if had < len(lines) && n == len(strings.Join(lines[:had+1], ""))-1 {
			want = whole[:n] + "\n" // but for its line end the line is whole
		}
		if s := read(t, path); !strings.HasPrefix(s, want) || strings.Count(s, "\n") != strings.Count(want, "\n")+1 || len(known) > 3 {
			t.Fatalf("cut at %d: %s", n, s)
		}
	}
}

func TestKeptRunOfAnotherRetriever(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	keep(t, path, got("q1", "one"))
	before := read(t, path)
	for want, change := range map[string]func(*RunHeader){
		`kind was "http" and is "exec"`:                   func(h *RunHeader) { h.Retriever.Kind = "exec" },
		`command was "" and is "./search"`:                func(h *RunHeader) { h.Retriever.Command = "./search" },
		`url was "http://127.0.0.1/search" and is "http:`: func(h *RunHeader) { h.Retriever.URL = "http://127.0.0.1/other" },
		`method was "" and is "GET"`:                      func(h *RunHeader) { h.Retriever.Method = "GET" },
		`body was`:                                        func(h *RunHeader) { h.Retriever.Body = "{}" },
		`path of the hits was "" and is "$.h"`:            func(h *RunHeader) { h.Retriever.Hits = "$.h" },
		`path of the id was "$._id" and is ""`:            func(h *RunHeader) { h.Retriever.ID = "" },
		`path of the score was "" and is "-"`:             func(h *RunHeader) { h.Retriever.Score = "-" },
		`depth was "10" and is "20"`:                      func(h *RunHeader) { h.Depth = 20 },
		`the corpus was c0ffee and is decade`:             func(h *RunHeader) { h.Corpus = "decade" },
	} {
		h := someHeader()
		change(&h)
		if _, _, err := OpenKeptRun(path, h, stopped); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
	h := someHeader()
	h.Name, h.Program, h.Started, h.Corpus = "other", "assay 2", noon.Add(time.Hour), ""
	k, known, err := OpenKeptRun(path, h, stopped)
	if err != nil || len(known) != 1 || k.Header.Name != "bm25" || !k.Header.Started.Equal(noon) {
		t.Fatalf("%+v %v, %v", k, known, err)
	}
	k.Close()
	if read(t, path) != before {
		t.Error("the file changed")
	}
}

// Whatever else a path names by mistake stays as it is.
func TestKeptRunSparesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"notes": "my only notes", "labels": `{"query":"q1","chunk":"a","grade":1}` + "\n", "gold": `{"assay":"gold","version":1}` + "\n",
		"run": "q1 Q0 a 1 2 t\n", "runs": `{"query":"q1","chunks":["a"]}`, "newer": `{"assay":"run","version":2}` + "\n", "short": `{"a":1}`,
		"header": `{"assay":"run","version":"x"}` + "\n", "blank": "\n", "nul": "\x00\x00",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenKeptRun(path, someHeader(), stopped); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if s := read(t, path); s != content {
			t.Errorf("%s is now %q", name, s)
		}
	}
	if _, _, err := OpenKeptRun(dir, someHeader(), stopped); err == nil {
		t.Error("a folder is a run")
	}
	if _, _, err := OpenKeptRun(filepath.Join(dir, "notes", "run"), someHeader(), stopped); err == nil {
		t.Error("a file is a folder")
	}
}

func TestKeptRunIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	k, _, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenKeptRun(path, someHeader(), stopped); !errors.Is(err, ErrRunLocked) {
		t.Errorf("two write it: %v", err)
	}
	if err := k.Append(got("q1", "one")); err != nil {
		t.Error(err)
	}
	if r, err := ReadRun(path, ReadOptions{}); err != nil || r.Stats.Accepted != 1 {
		t.Errorf("it can't be read meanwhile: %v", err)
	}
	k.Close()
	if len(keep(t, path)) != 1 {
		t.Error("the answer is gone")
	}
}

func TestKeptRunRefusesWhatWouldNotComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	k, _, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	before := read(t, path)
	for _, a := range []RunAnswer{
		got("", "no id"), got("q\x00", "nul"), got("q\xff", "no text"), got("q", "hit", corpus.Hit{ChunkID: "", Score: 1}),
		got("q", "hit", corpus.Hit{ChunkID: "a\x00", Score: 1}), got("q", "hit", corpus.Hit{ChunkID: "a", Score: math.NaN()}),
	} {
		if err := k.Append(a); err == nil {
			t.Errorf("%+v is kept", a)
		}
	}
	if read(t, path) != before {
		t.Error("something was written")
	}
	a := got("q", "infinite", corpus.Hit{ChunkID: "b", Score: math.Inf(1)}, corpus.Hit{ChunkID: "a", Score: 2}, corpus.Hit{ChunkID: "a", Score: 2}, corpus.Hit{ChunkID: "c", Score: math.Inf(-1)})
	if err := k.Append(a); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRun(path, ReadOptions{})
	if err != nil || !reflect.DeepEqual(r.Run.Rankings["q"], a.Ranking) {
		t.Errorf("%v, %v", r.Run.Rankings, err)
	}
}

// Answers reach the disk within a second of the clock, without a sync for each.
func TestKeptRunSyncs(t *testing.T) {
	now := noon
	k, _, err := OpenKeptRun(filepath.Join(t.TempDir(), "live.jsonl"), someHeader(), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for i, c := range []struct {
		after time.Duration
		dirty bool
	}{{0, true}, {900 * time.Millisecond, true}, {100 * time.Millisecond, false}, {999 * time.Millisecond, true}, {time.Hour, false}} {
		now = now.Add(c.after)
		if err := k.Append(got("q", "one")); err != nil || k.dirty != c.dirty {
			t.Errorf("%d: dirty is %v, %v", i, k.dirty, err)
		}
	}
}

func TestBadLinesOfKeptRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.jsonl")
	keep(t, path, got("q1", "one", corpus.Hit{ChunkID: "a", Score: 1}))
	good := read(t, path)
	bad := strings.Join([]string{
		"junk", `{"query_id":"q2"}`, `{"query_id":"q2","chunks":"a"}`, `{"query_id":"","error":"x"}`, `{"query_id":"q2","chunks":["a"],"latency_ms":"x"}`,
		`{"query_id":"q2","chunks":["a"],"at":"yesterday"}`, `{"assay":"run","version":1}`, `{"query_id":"q2","chunks":[],"attempts":1.5}`,
	}, "\n") + "\n"
	fine := `{"query":"q3","chunks":["b","c"],"latency_ms":-1,"error":null}` + "\n" + `{"query_id":"q4","chunks":[],"latency_ms":1e300}` + "\n"
	if err := os.WriteFile(path, []byte(good+bad+fine), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := ReadRun(path, ReadOptions{})
	if err != nil || ranked(r.Run) != "q1: a=1; q3: b=2 c=1; q4:" || r.Stats.Rejected != 8 || r.Stats.Accepted != 3 || len(r.Latency) != 1 {
		t.Errorf("%s, %+v, %v", ranked(r.Run), r.Stats, err)
	}
	k, known, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil || len(known) != 3 || len(k.Rejects) != 8 || k.Rejects[0].Line != 3 {
		t.Fatalf("%v %v, %v", known, k, err)
	}
	k.Close()
	if read(t, path) != good+bad+fine {
		t.Error("lines are gone")
	}
}

// A plain run in JSON Lines is still one line a query, and knows nothing of headers further down.
func TestPlainRunLinesStayPlain(t *testing.T) {
	r := readRun(t, `{"query":"how to pay","query_id":"q1","chunks":["a"]}`+"\n"+`{"assay":"run","version":1}`+"\n"+`{"query":"q1","chunks":["b"]}`+"\n"+`{"query":"q2"}`+"\n", ReadOptions{})
	if r.Header != nil || r.Failed != nil || r.Latency != nil || ranked(r.Run) != "q1: a=1" || r.Stats.Rejected != 3 || r.Run.Name != "standard input" {
		t.Errorf("%+v", r)
	}
	for _, content := range []string{`{"assay":"run","version":2}`, `{"assay":"run","version":[]}`} {
		if _, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader(content)}); err == nil {
			t.Errorf("%s is read", content)
		}
	}
	r = readRun(t, `{"assay":"run","version":1,"later":1}`+"\n", ReadOptions{})
	if r.Header == nil || len(r.Run.Rankings) != 0 || r.Run.Name != "standard input" {
		t.Errorf("%+v", r)
	}
}

// What a command printed and somebody saved: a query that failed is no query for which nothing was found.
func TestPlainRunLinesThatFailed(t *testing.T) {
	long := strings.Repeat("é", 2000)
	r := readRun(t, strings.Join([]string{
		`{"query_id":"q0","error":"down"}`, `{"query_id":"q1","chunks":[]}`, `{"query_id":"q2","error":{"code":7},"chunks":["a"]}`, `{"query_id":"q3","error":" "}`, `{"query_id":"q4","error":null,"chunks":["a"]}`,
		`{"query_id":"q0","chunks":["a"]}`, `{"query_id":"q1","error":"late"}`, `{"query_id":"","error":"x"}`, `{"error":"x"}`, `{"query_id":"q5","error":"` + long + `"}`,
	}, "\n"), ReadOptions{})
	if got := ranked(r.Run); got != "q1:; q4: a=1" || r.Header != nil || r.Hits != 1 || r.Stats.Accepted != 6 {
		t.Errorf("%s %+v", got, r.Stats)
	}
	for id, want := range map[string]string{"q0": "down", "q2": `{"code":7}`, "q3": "it failed, and does not say why", "q5": long[:1000] + "…"} {
		if r.Failed[id] != want {
			t.Errorf("%s: %q", id, r.Failed[id])
		}
	}
	if len(r.Failed) != 4 {
		t.Errorf("%v", r.Failed)
	}
	sameReasons(t, r.Stats, `6: query "q0" failed in line 1 already
7: query "q1" has a ranking in line 2 already
8: query: the id is empty
9: there is no query
`)
	if r := readRun(t, `{"query_id":"q0","chunks":["a"]}`+"\n", ReadOptions{}); r.Failed != nil {
		t.Errorf("%v", r.Failed)
	}
}

// Queries that were never asked come before those that failed.
func TestUnansweredOrder(t *testing.T) {
	queries := []corpus.Query{{ID: "q1", Text: "one"}, {ID: "q2", Text: "two"}, {ID: "q3", Text: "three"}, {ID: "q4", Text: "four"}, {ID: "q5", Text: "five"}, {ID: "q6", Text: "six"}}
	behind := failed("q3", "three", "not asked")
	behind.Attempts = 0
	known := map[string]RunAnswer{"q1": failed("q1", "one", "late"), "q2": got("q2", "two"), "q3": behind, "q4": failed("q4", "for", "late"), "q5": failed("q5", "five", "late")}
	order := ""
	for _, q := range Unanswered(queries, known) {
		order += q.ID + " "
	}
	if order != "q3 q4 q6 q1 q5 " {
		t.Error(order)
	}
}

// Messages about a kept run are in its own words.
func TestKeptRunFieldsInOurWords(t *testing.T) {
	for content, want := range map[string]string{
		`{"assay":"run","version":"1"}`:                    "the header of the run: version: want a whole number, not a string",
		`{"assay":"run","version":1.5}`:                    "the header of the run: version: want a whole number, not 1.5",
		`{"assay":"run","name":7}`:                         "the header of the run: name: want a text, not a number",
		`{"assay":"run","retriever":[]}`:                   "the header of the run: retriever: want an object, not a list",
		`{"assay":"run","retriever":{"kind":true}}`:        "the header of the run: retriever.kind: want a text, not a boolean",
		`{"assay":"run","depth":{}}`:                       "the header of the run: depth: want a whole number, not an object",
		`{"assay":"run","started":"yesterday"}`:            `the header of the run: started: want a time such as 2026-05-04T12:00:00Z, not "yesterday"`,
		`{"query_id":"q1","chunks":[],"attempts":"two"}`:   "attempts: want a whole number, not a string",
		`{"query_id":"q1","chunks":[],"attempts":1e99}`:    "attempts: want a whole number, not 1e99",
		`{"query_id":"q1","chunks":[],"latency_ms":1e999}`: "latency_ms: want a number, not 1e999",
		`{"query_id":"q1","chunks":[],"query_sha256":7}`:   "query_sha256: want a text, not a number",
		`{"query_id":"q1","error":"x","at":"2026-05-04"}`:  `at: want a time such as 2026-05-04T12:00:00Z, not "2026-05-04"`,
		`{"query_id":"q1","error":"x","at":7}`:             "at: want a text, not a number",
		`{"query_id":"q1","chunks":[],"at":null}`:          "",
	} {
		if strings.HasPrefix(content, `{"assay"`) {
			_, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader(content)})
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("%s: %v", content, err)
			}
			continue
		}
		r := readRun(t, `{"assay":"run","version":1}`+"\n"+content+"\n", ReadOptions{})
		if want != "" {
			want = "2: " + want + "\n"
		}
		sameReasons(t, r.Stats, want)
	}
}

// What a kept run holds is the same to who goes on with it and to who reads it, and nothing in it panics.
func FuzzKeptRun(f *testing.F) {
	begin := string(someHeader().line())
	a, _ := got("q1", "one", corpus.Hit{ChunkID: "a", Score: 1}).line()
	b, _ := failed("q2", "two", "late").line()
	f.Add(string(a) + string(b) + string(a[:20]))
	f.Add(`{"query_id":"q","chunks":[{"id":1,"score":"inf"}],"latency_ms":1e400}` + "\n")
	f.Add("\x00\n\xff\n{}")
	f.Fuzz(func(t *testing.T, rest string) {
		path := filepath.Join(t.TempDir(), "live.jsonl")
		if err := os.WriteFile(path, []byte(begin+rest), 0o600); err != nil {
			t.Fatal(err)
		}
		k, known, err := OpenKeptRun(path, someHeader(), stopped)
		if err != nil {
			return
		}
		defer k.Close()
		r, err := ReadRun(path, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Run.Rankings)+len(r.Failed) != len(known) || len(k.Rejects) != r.Stats.Rejected {
			t.Errorf("%v, %v", known, r)
		}
		for id, a := range known {
			if !reflect.DeepEqual(a.Ranking, r.Run.Rankings[id]) || a.Err != r.Failed[id] {
				t.Errorf("%q: %+v", id, a)
			}
			line, err := a.line()
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(line, []byte("\n")) != 1 {
				t.Errorf("%q", line)
			}
			if err := k.Append(a); err != nil {
				t.Error(err)
			}
		}
		again, err := ReadRun(path, ReadOptions{})
		if err != nil || !reflect.DeepEqual(again.Run.Rankings, r.Run.Rankings) || !reflect.DeepEqual(again.Latency, r.Latency) {
			t.Errorf("%v is now %v, %v", r.Run, again.Run, err)
		}
	})
}
