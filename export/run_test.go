package export

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"assay/corpus"
	"assay/corpus/retrieval"
)

func readRun(t *testing.T, content string, opt ReadOptions) RunFile {
	t.Helper()
	opt.Stdin = strings.NewReader(content)
	r, err := ReadRun("-", opt)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Stats; s.Accepted+s.Rejected+s.Blank+s.Header != len(strings.Split(strings.TrimSuffix(content, "\n"), "\n")) {
		t.Errorf("lines are not accounted for: %+v", s)
	}
	return r
}

// ranked writes rankings as "q: a b; …", sorted by query.
func ranked(run corpus.Run) string {
	var parts []string
	for _, q := range slices.Sorted(maps.Keys(run.Rankings)) {
		s := q + ":"
		for _, h := range run.Rankings[q] {
			s += fmt.Sprintf(" %s=%v", h.ChunkID, h.Score)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

func TestReadTRECRun(t *testing.T) {
	for name, c := range map[string]struct{ content, want, warning string }{
		"plain":      {"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 -3e2 t\n", "q1: a=2.5 b=1; q2: a=-300", ""},
		"tabs, CRLF": {"q1\tQ0\ta\t1\t2.5\tt\r\nq1\tQ0\tb\t2\t1\tt", "q1: a=2.5 b=1", ""},
		"by score":   {"q1 Q0 b 2 1 t\nq1 Q0 a 1 2 t\n", "q1: a=2 b=1", ""},
		"ties":       {"q1 Q0 c10 1 2 t\nq1 Q0 c9 2 2 t\n", "q1: c9=2 c10=2", ""},
		"scattered":  {"q1 Q0 b 2 1 t\nq2 Q0 a 1 2 t\nq1 Q0 a 1 2 t\nq2 Q0 b 2 1 t\nq1 Q0 c 3 0 t\n", "q1: a=2 b=1 c=0; q2: a=2 b=1", ""},
		"repeats":    {"q1 Q0 a 1 2 t\nq1 Q0 a 2 1 t\n", "q1: a=2 a=1", ""}, // for retrieval to judge (B065)
		"BOM":        {"\ufeffq1 Q0 a 1 2 t\n", "q1: a=2", ""},
		"odd ids":    {"q\u00a01 Q0 a\u3000\x01é 1 2 t\n", "q\u00a01: a\u3000\x01é=2", ""},
		"infinite":   {"q1 Q0 a 1 -inf t\nq1 Q0 b 2 1 t\n", "q1: b=1 a=-Inf", "rank and score disagree in 1 query, first in line 2"},
		"long lines": {"q1 Q0 a 1 2 t and more\n", "q1: a=2", "1 line has more than 6 fields"},
		"ranks":      {"q1 Q0 a 2 5 t\nq1 Q0 b 1 4 t\nq1 Q0 c 3 3 t\n", "q1: a=5 b=4 c=3", "rank and score disagree in 1 query, first in line 2: the score decides, the highest first"},
		"distances":  {"q1 Q0 a 0 0.1 t\nq1 Q0 b 1 0.2 t\nq2 Q0 a 0 0.1 t\nq2 Q0 b 1 0.3 t\n", "q1: b=0.2 a=0.1; q2: b=0.3 a=0.1", "in 2 queries, first in line 2: the score decides, the highest first; if the scores are distances, negate them"},
		"no ranks":   {"q1 Q0 a - 1 t\nq1 Q0 b 99999999999999 2 t\n", "q1: b=2 a=1", ""},
		"tags":       {"q1 Q0 a 1 2 first\nq1 Q0 b 2 1 second\n", "q1: a=2 b=1", `1 line has another tag than the first, "first"`},
		"blank":      {"\nq1 Q0 a 1 2 t\n \t\n", "q1: a=2", ""},
	} {
		r := readRun(t, c.content, ReadOptions{})
		if got := ranked(r.Run); got != c.want || r.Format != TRECRun {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		if got := strings.Join(r.Warnings, "\n"); (got == "") != (c.warning == "") || !strings.Contains(got, c.warning) {
			t.Errorf("%s: warnings %q, want %q", name, got, c.warning)
		}
	}
}

func TestBadRunLines(t *testing.T) {
	lines := [][2]string{
		{"q1 Q0 a 1 2 t", ""}, {"q1 Q0 b 2 t", "5 fields, want 6"}, {"q1 Q0 b 1 abc t", `score "abc" is not a number`}, {"q1 Q0 b 1 nan t", `score "nan" can't be ordered`},
		{"q1 Q0 b 1 1,5 t", `score "1,5" is not a number`}, {"q1 Q0 b 1 1e999 t", "beyond what a float64 holds"}, {"q1 Q0 \xff 1 1 t", "chunk id: the id is not valid UTF-8"},
		{"q\xff Q0 b 1 1 t", "query id: the id is not valid UTF-8"}, {"q1 Q0 " + strings.Repeat("x", 9000) + " 1 1 t", "chunk id: the id is 9000 bytes long"},
		{"x", "1 fields, want 6"}, {"q1 Q0 b 1 - t", "not a number"}, {"q1 Q0 b 1 . t", "not a number"}, {"q1 Q0 b 2 1 t", ""},
	}
	var content, want string
	for i, l := range lines {
		content += l[0] + "\n"
		if l[1] != "" {
			want += fmt.Sprintf("%d: %s\n", i+1, l[1])
		}
	}
	r := readRun(t, content, ReadOptions{Format: TRECRun})
	if got := ranked(r.Run); got != "q1: a=2 b=1" || r.Hits != 2 || r.Run.Name != "t" {
		t.Errorf("%s", got)
	}
	sameReasons(t, r.Stats, want)
	for content, words := range map[string]string{"": "the file is empty"} {
		if _, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader(content)}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := ReadRun("-", ReadOptions{Format: BEIR, Stdin: strings.NewReader("x")}); err == nil {
		t.Error("qrels are no run")
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := ReadRun(path, ReadOptions{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
}

func TestDecodedRun(t *testing.T) {
	r := readRun(t, "q%201 Q0 a%0A 1 2 t\nq%201 Q0 100% 2 1 t\nq%zz Q0 a 1 1 t\nq%201 Q0 b 1 1 t\n", ReadOptions{DecodeIDs: true})
	if got := ranked(r.Run); got != "q 1: a\n=2 b=1" {
		t.Errorf("%q", got)
	}
	sameReasons(t, r.Stats, "2: chunk id: % is not followed\n3: query id: % is not followed\n")
}

// Whatever is around the text: compression, UTF-16, lines longer than the buffer and longer than any may be.
func TestRunStreams(t *testing.T) {
	content := "q1 Q0 a 1 2 t\nq2 Q0 é 1 3 t\n"
	const want = "q1: a=2; q2: é=3"
	var zipped, squeezed, wide bytes.Buffer
	z := gzip.NewWriter(&zipped)
	s, err := zstd.NewWriter(&squeezed)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{z, s} {
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	binary.Write(&wide, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+content)))
	for name, b := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": squeezed.Bytes(), "UTF-16": wide.Bytes()} {
		path := filepath.Join(t.TempDir(), "run")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRun(path, ReadOptions{}); err != nil || ranked(r.Run) != want {
			t.Errorf("%s: %v, %s", name, err, ranked(r.Run))
		}
	}
	if _, err := ReadRun("-", ReadOptions{Stdin: bytes.NewReader(zipped.Bytes()[:zipped.Len()-9])}); err == nil {
		t.Error("a cut gzip file is read to its end")
	}
	if _, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader("\x1f\x8b\x08 not gzip at all")}); err == nil {
		t.Error("what only looks like gzip is read")
	}
	long := "q1 Q0 a 1 2 t" + strings.Repeat(" ", 3*streamBuffer) + "\nq2 Q0 é 1 3 t" + strings.Repeat(" ", streamBuffer)
	if r := readRun(t, long, ReadOptions{}); ranked(r.Run) != want {
		t.Errorf("long lines: %s", ranked(r.Run))
	}
	in := &stream{name: "run", max: 2 * streamBuffer}
	if err := in.decode(strings.NewReader(long + "\nq3 Q0 a 1 2 t\n")); err != nil {
		t.Fatal(err)
	}
	r, err := readTRECRun(in, false)
	if err != nil || ranked(r.Run) != "q2: é=3; q3: a=2" {
		t.Errorf("an endless line: %v, %s", err, ranked(r.Run))
	}
	sameReasons(t, r.Stats, "1: the line is longer than\n")
	boom := errors.New("the disk is gone")
	if _, err := ReadRun("-", ReadOptions{Stdin: io.MultiReader(strings.NewReader(content), broken{boom})}); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// The reader by bytes agrees with one that is short and slow.
func TestRunReaderAgainstSlowOne(t *testing.T) {
	for seed := range uint64(1500) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
		var content strings.Builder
		for range rnd.IntN(60) {
			f := []string{
				pick("q1", "q1", "q1", "q2", "q10", "é"), "Q0", pick("a", "b#1", "c\u00a0", "dddd", fmt.Sprint("n", rnd.IntN(30))), fmt.Sprint(rnd.IntN(9)),
				pick("1", "0.5", "2.25", "-1e-3", "12.345678901234567", "+7", "1e5", ".5", "5.", "0x1p-2", "x", "nan", "-Inf", "", "123456789012345678901234567890"), pick("t", "t", "", "t u"),
			}
			content.WriteString(strings.Join(f, pick(" ", "\t", "  ", " \v")) + pick("\n", "\n", "\r\n", "\n\n"))
		}
		r, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader(content.String())})
		if content.Len() == 0 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]corpus.Ranking{}
		for line := range strings.Lines(content.String()) {
			f := strings.FieldsFunc(line, func(r rune) bool { return r < 128 && isSpace(byte(r)) })
			if len(f) < 6 {
				continue
			}
			score, err := strconv.ParseFloat(f[4], 64)
			if err != nil || math.IsNaN(score) {
				continue
			}
			want[f[0]] = append(want[f[0]], corpus.Hit{ChunkID: f[2], Score: score})
		}
		for _, ranking := range want {
			slices.SortStableFunc(ranking, corpus.CompareHits)
		}
		if len(want)+len(r.Run.Rankings) > 0 && !reflect.DeepEqual(r.Run.Rankings, want) {
			t.Fatalf("seed %d:\n%s\nis read\n%s\nwant\n%s", seed, content.String(), ranked(r.Run), ranked(corpus.Run{Rankings: want}))
		}
	}
}

// Many hits of many queries: rankings are cut from blocks, and none may end up in another's.
func TestRankingsDoNotShareSpace(t *testing.T) {
	var content strings.Builder
	for q := range 60 {
		for i := range 700 * (1 + q%2*30) {
			fmt.Fprintf(&content, "q%d Q0 %d-%d %d %d t\n", q, q, i, i+1, -i)
		}
	}
	for q := range 60 { // each once more, at the end
		fmt.Fprintf(&content, "q%d Q0 last 0 -999999 t\n", q)
	}
	r, err := ReadRun("-", ReadOptions{Stdin: strings.NewReader(content.String())})
	if err != nil {
		t.Fatal(err)
	}
	for q := range 60 {
		ranking := r.Run.Rankings[fmt.Sprint("q", q)]
		if want := 700*(1+q%2*30) + 1; len(ranking) != want {
			t.Fatalf("query %d has %d hits, want %d", q, len(ranking), want)
		}
		for i, h := range ranking[:len(ranking)-1] {
			if h.ChunkID != fmt.Sprintf("%d-%d", q, i) {
				t.Fatalf("query %d has %s at %d", q, h.ChunkID, i)
			}
		}
	}
}

func TestWriteRun(t *testing.T) {
	run := corpus.Run{Name: "my run\n", Rankings: map[string]corpus.Ranking{
		"9":     {{ChunkID: "a", Score: 0.1}, {ChunkID: "b", Score: 12.5}},
		"10":    {{ChunkID: "c9", Score: 1}, {ChunkID: "c10", Score: 1}},
		"close": {{ChunkID: "x", Score: 0.500000009}, {ChunkID: "y", Score: 0.500000003}},
		"inf":   {{ChunkID: "x", Score: math.Inf(1)}},
		"none":  {},
	}}
	var b bytes.Buffer
	lost, err := WriteRun(&b, run, TRECOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "10 Q0 c9 1 2 my_run_\n10 Q0 c10 2 1 my_run_\n9 Q0 b 1 12.5 my_run_\n9 Q0 a 2 0.1 my_run_\nclose Q0 x 1 2 my_run_\nclose Q0 y 2 1 my_run_\ninf Q0 x 1 1 my_run_\n"
	if b.String() != want {
		t.Errorf("%swant\n%s", b.String(), want)
	}
	if fields(lost) != "queries 1; scores 3; run 1" {
		t.Errorf("%s", fields(lost))
	}
	for _, bad := range []corpus.Run{{Rankings: map[string]corpus.Ranking{"q 1": {{ChunkID: "a"}}}}, {Rankings: map[string]corpus.Ranking{"q": {{ChunkID: "a b"}}}}} {
		if _, err := WriteRun(&b, bad, TRECOptions{}); err == nil {
			t.Errorf("%v is written", bad)
		}
		var out bytes.Buffer
		if _, err := WriteRun(&out, bad, TRECOptions{EncodeIDs: true}); err != nil {
			t.Error(err)
		}
		bad.Name = "run"
		for _, ranking := range bad.Rankings {
			ranking[0].Score = 0
		}
		if r := readRun(t, out.String(), ReadOptions{DecodeIDs: true}); ranked(r.Run) != ranked(bad) || r.Run.Name != "run" {
			t.Errorf("%s, want %s", ranked(r.Run), ranked(bad))
		}
	}
	if _, err := WriteRun(failing{&bytes.Buffer{}}, run, TRECOptions{}); err == nil {
		t.Error("a failing writer is not reported")
	}
}

// The order that is written is the order that any reader makes of it.
func TestRunRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		run := corpus.Run{Name: "t", Rankings: map[string]corpus.Ranking{}}
		for q := range 1 + rnd.IntN(4) {
			for range 1 + rnd.IntN(20) {
				id := fmt.Sprint(q)
				run.Rankings[id] = append(run.Rankings[id], corpus.Hit{ChunkID: fmt.Sprint("c", rnd.IntN(1000)), Score: []float64{rnd.NormFloat64(), float64(rnd.IntN(40))}[seed%2]})
			}
		}
		var b bytes.Buffer
		if _, err := WriteRun(&b, run, TRECOptions{}); err != nil {
			t.Fatal(err)
		}
		r := readRun(t, b.String(), ReadOptions{})
		for id, ranking := range run.Rankings {
			ranking.Sort()
			for i, h := range r.Run.Rankings[id] {
				if h.ChunkID != ranking[i].ChunkID || i > 0 && float32(h.Score) >= float32(r.Run.Rankings[id][i-1].Score) {
					t.Fatalf("seed %d: query %s at %d: %v, want %v", seed, id, i, h, ranking[i])
				}
			}
		}
		if len(r.Warnings) > 0 || r.Stats.Rejected > 0 {
			t.Errorf("seed %d: %q %s", seed, r.Warnings, reasons(r.Stats))
		}
	}
}

func TestRunLines(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"B065", "q1: a=3 a=2 b=1"}, {"B066", "q1: 1=5 0=4 20=3 30=2 40=1"},
		{"B069", "q1: c1=1; q2:; q4: c4=1; q9: c1=1"},
	} {
		r, err := ReadRun(bug(c.file, "run.jsonl"), ReadOptions{})
		if err != nil || r.Format != RunLines || ranked(r.Run) != c.want || r.Run.Name != "run" {
			t.Errorf("%s: %v, %s", c.file, err, ranked(r.Run))
		}
	}
	lines := [][2]string{
		{`{"query":"q1","chunks":[{"id":"a","score":0.5},{"chunk_id":"b","score":"1.5"}]}`, ""}, {`{"query":1000000,"chunks":[9007199254740993]}`, ""},
		{`{"query":"q1","chunks":["c"]}`, `query "q1" has a ranking in line 1 already`}, {`{"query":"q2"}`, "there are no chunks"}, {`{"chunks":[]}`, "there is no query"},
		{`{"query":"q2","chunks":"a"}`, "chunks: want a list, not a string"}, {`{"query":"q2","chunks":["a",{"id":"b","score":1}]}`, "of 2 hits 1 have a score"},
		{`{"query":"q2","chunks":[{"score":1}]}`, "hit 1: there is no id"}, {`{"query":"q2","chunks":["a",""]}`, "hit 2: the id is empty"},
		{`{"query":"q2","chunks":[{"id":"a","score":"nan"}]}`, "can't be ordered"}, {`{"query":"q2","chunks":[{"id":"a","score":[]}]}`, "want a number, not a list"},
		{`{"query":"q2","chunks":[null]}`, "want an id, not null"}, {`{"query":"","chunks":[]}`, "query: the id is empty"}, {`{"query":[],"chunks":[]}`, "query: want an id"}, {`{"query"`, ""},
	}
	var content, want string
	for i, l := range lines {
		content += l[0] + "\n"
		if l[1] != "" || i == len(lines)-1 {
			want += fmt.Sprintf("%d: %s\n", i+1, l[1])
		}
	}
	r := readRun(t, content, ReadOptions{})
	if got := ranked(r.Run); got != "1000000: 9007199254740993=1; q1: b=1.5 a=0.5" || r.Hits != 3 {
		t.Errorf("%s", got)
	}
	sameReasons(t, r.Stats, want)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the order and the scores disagree in 1 query") {
		t.Errorf("%q", r.Warnings)
	}
	if _, err := ReadRun("-", ReadOptions{Format: RunLines, Stdin: strings.NewReader("")}); err == nil {
		t.Error("an empty file is a run")
	}
}

// Real files through this reader give trec_eval's figures; each digit is compared in package retrieval.
func TestRealRunsMeasure(t *testing.T) {
	dir := filepath.Join(dataDir(t, "cranfield"), "runs")
	run, err := ReadRun(filepath.Join(dir, "bm25-top100.run"), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	measures, err := retrieval.ParseMeasures("R@5 nDCG@10 AP RR P@5 Success@5")
	if err != nil {
		t.Fatal(err)
	}
	in := retrieval.Input{Queries: retrieval.QrelsQueries(gradesOf(readLabels(t, filepath.Join(dir, "qrels.trec")))), Run: run.Run}
	report, err := retrieval.Evaluate(in, measures)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := retrieval.WriteTREC(&b, report, true); err != nil {
		t.Fatal(err)
	}
	printed := read(t, filepath.Join(dir, "trec_eval.all.txt"))
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(printed, line) {
			t.Errorf("trec_eval does not print %q", line)
		}
	}
	if run.Hits != 22500 || len(run.Warnings) > 0 || run.Run.Name != "bm25" {
		t.Errorf("%d hits, %q", run.Hits, run.Warnings)
	}
}

func TestParseShortDecimalIsExact(t *testing.T) {
	for i := range 200_000 {
		rnd := rand.New(rand.NewPCG(uint64(i), 9))
		s := strconv.FormatFloat(rnd.NormFloat64()*math.Pow(10, float64(rnd.IntN(9)-3)), 'f', rnd.IntN(16), 64)
		got, ok := parseShortDecimal([]byte(s))
		if want, err := strconv.ParseFloat(s, 64); ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
			t.Fatalf("%s is read %v, want %v", s, got, want)
		}
	}
	for _, s := range []string{"", "-", ".", "+.", "1e5", "0x1", "1_0", "1234567890123456", "--1", "1.2.3", " 1", "1 "} {
		if f, ok := parseShortDecimal([]byte(s)); ok {
			t.Errorf("%q is read %v", s, f)
		}
	}
}

// Every line is accounted for and every ranking is in order.
func FuzzReadRun(f *testing.F) {
	for _, seed := range []string{
		"q Q0 a 1 2 t\n", "q Q0 a 1 2 t\nr Q0 a 1 2 t\nq Q0 b 2 3 t", `{"query":"q","chunks":["a"]}`, "\x28\xb5\x2f\xfd", "\xff\xfeq\x00", "q Q0 a 1 1e400 t", "\x00 \x00 \x00 \x00 0 \x00",
		`{"query":"q","chunks":[{"id":"a","score":1}]}` + "\n{",
	} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, decode bool) {
		r, err := ReadRun("-", ReadOptions{DecodeIDs: decode, Stdin: bytes.NewReader(content)})
		if err != nil {
			return
		}
		hits := 0
		for query, ranking := range r.Run.Rankings {
			hits += len(ranking)
			if corpus.CheckID(query) != nil || !slices.IsSortedFunc(ranking, corpus.CompareHits) {
				t.Errorf("%q: %v", query, ranking)
			}
			for _, h := range ranking {
				if corpus.CheckID(h.ChunkID) != nil || math.IsNaN(h.Score) {
					t.Errorf("%q: %v", query, h)
				}
			}
		}
		if hits != r.Hits || r.Format == TRECRun && hits != r.Stats.Accepted || r.Stats.Rejected != len(r.Stats.Rejects) {
			t.Errorf("%d hits: %+v", hits, r)
		}
		var b bytes.Buffer
		if _, err := WriteRun(&b, r.Run, TRECOptions{EncodeIDs: true}); err != nil {
			t.Error(err)
		}
	})
}
