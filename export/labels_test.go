package export

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/agreement"
)

func bug(id, file string) string { return filepath.Join("testdata", "bugs", id, file) }

func readLabels(t *testing.T, path string) Labels {
	t.Helper()
	l, err := ReadLabels(path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// short writes judgments as "line query chunk annotator=grade".
func short(judgments []Judgment) string {
	var b strings.Builder
	for _, j := range judgments {
		fmt.Fprintf(&b, "%d %s %s %s=%s\n", j.Line, j.QueryID, j.ChunkID, j.Annotator, j.Grade)
	}
	return b.String()
}

func TestLabelFormatIsRecognised(t *testing.T) {
	for _, c := range []struct {
		content string
		want    Format
		labels  string
	}{
		{"query-id\tcorpus-id\tscore\nq1\tc 1\t2\n", BEIR, "2 q1 c 1 =2\n"},
		{"Query_ID\tdoc_id\tRelevance\textra\nq1\tc1\t2\tx\n", BEIR, "2 q1 c1 =2\n"},
		{"query-id\tcorpus-id\trater\tscore\nq1\tc1\tann\t2\n", BEIR, "2 q1 c1 ann=2\n"},
		{"q1\tc 1\t2\nq1\tc2\t0\n", BEIR, "1 q1 c 1 =2\n2 q1 c2 =0\n"},
		{"q1 0 c1 2\n", TREC, "1 q1 c1 =2\n"},
		{"q1\t0\tc1\t2\r\nq1\t0\tc2\t-1", TREC, "1 q1 c1 =2\n2 q1 c2 =-1\n"},
		{"  q1  Q0   c1\t+2  ", TREC, "1 q1 c1 =2\n"},
		{"broken\nq1 0 c1 2\nq1 0 c2 1\n", TREC, "2 q1 c1 =2\n3 q1 c2 =1\n"}, // the first line does not decide alone
		{"# qrels of 2026\nq1 0 c1 2\n\n# end\n", TREC, "2 q1 c1 =2\n"},
		{"#1 0 c1 2\n", TREC, "1 #1 c1 =2\n"}, // an id may begin so
		{`{"query":"q1","chunk":"c1","annotator":"ann","grade":2}`, LabelLines, "1 q1 c1 ann=2\n"},
		{"\ufeff" + `{"query":1000000,"chunk":9007199254740993,"grade":2}`, LabelLines, "1 1000000 9007199254740993 =2\n"}, // B008
		{`{"query":"q1","relevant":{"c2":1,"c1":0}}`, LabelLines, "1 q1 c2 =1\n1 q1 c1 =0\n"},
	} {
		l := labels(t, c.content, ReadOptions{})
		if l.Format != c.want || short(l.Judgments) != c.labels {
			t.Errorf("%q is %s:\n%swant %s:\n%s", c.content, l.Format, short(l.Judgments), c.want, c.labels)
		}
		forced := labels(t, c.content, ReadOptions{Format: c.want})
		if short(forced.Judgments) != c.labels {
			t.Errorf("%q read as %s:\n%s", c.content, c.want, short(forced.Judgments))
		}
	}
}

func TestFilesThatHoldNoLabels(t *testing.T) {
	for content, words := range map[string]string{
		"":                                  "the file is empty",
		"\n \n":                             "the file is empty",
		"how do I\nget a refund\n":          "neither a native gold set",
		"q1 Q0 c1 1 12.5 bm25\n":            "this is a run, not labels",
		`{"assay":"journal"}`:               "neither a native gold set",
		`{"id":"q1","text":"x"}` + "\n":     "neither a native gold set",
		`{"query":"q1","text":"x"}` + "\n":  "neither a native gold set",
		"\xff\xfe\x00\x00":                  "UTF-32",
		"{\"query\":\"q1\",\"chunk\":\"c\"": "neither a native gold set",
	} {
		if _, err := ReadLabels("-", ReadOptions{Stdin: strings.NewReader(content)}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", content, err, words)
		}
	}
	if _, err := ReadLabels(filepath.Join(t.TempDir(), "none"), ReadOptions{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
	if _, err := ReadLabels("-", ReadOptions{Format: BEIR, Stdin: strings.NewReader("q1 0 c1 2\n")}); err == nil || !strings.Contains(err.Error(), "there is no header") {
		t.Errorf("%v", err)
	}
}

// B009. Public reports: castorini/pyserini#1902, TREMA-UNH/trec-car-tools#9: of two grades the last wins, silently.
func TestB009ContradictionsAreShownWithBothLines(t *testing.T) {
	l := readLabels(t, bug("B009", "gold.tsv"))
	if want := "2 q1 c1 =1\n4 q1 c2 =2\n"; short(l.Judgments) != want {
		t.Errorf("%swant\n%s", short(l.Judgments), want)
	}
	sameReasons(t, l.Stats, "5: grade 0 of chunk \"c2\" for query \"q1\" contradicts grade 2 in line 4\n")
	if s := l.Stats; s.Accepted != 3 || s.Repeats != 1 || s.Rejected != 1 || s.Header != 1 {
		t.Errorf("%+v", s)
	}
	for _, content := range []string{
		"q1 0 c2 2\nq1 0 c2 0\n",
		`{"query":"q1","chunk":"c2","grade":2}` + "\n" + `{"query":"q1","chunk":"c2","grade":0}` + "\n",
		`{"query":"q1","relevant":{"c2":2}}` + "\n" + `{"query":"q1","relevant":{"c1":1,"c2":0}}` + "\n", // all of a line or nothing
	} {
		l := labels(t, content, ReadOptions{})
		if short(l.Judgments) != "1 q1 c2 =2\n" {
			t.Errorf("%s: %s", content, short(l.Judgments))
		}
		sameReasons(t, l.Stats, "2: contradicts grade 2 in line 1\n")
	}
}

// B018. Public reports: o19s/quepid#758, HumanSignal/label-studio#1289.
func TestB018RatersStayApart(t *testing.T) {
	l := readLabels(t, bug("B018", "labels.jsonl"))
	if want := "1 q1 c1 ann1=2\n2 q1 c1 ann2=0\n3 q1 c1 ann3=cannot_judge\n"; short(l.Judgments) != want {
		t.Errorf("%swant\n%s", short(l.Judgments), want)
	}
	// The aggregated export has one row, which says that they are divided, and a header that names the rule.
	in := agreement.Input{Scale: corpus.DefaultScale()}
	for _, j := range l.Judgments {
		in.Labels = append(in.Labels, corpus.Label{QueryID: j.QueryID, ChunkID: j.ChunkID, Annotator: j.Annotator, Grade: j.Grade})
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		t.Fatal(err)
	}
	out := native(t, gold)
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 || !strings.Contains(lines[0], `"rule":"majority"`) || !strings.Contains(lines[1], `"grades":{},"unresolved":["c1"]`) {
		t.Errorf("%s", out)
	}
}

// Real raters: three for each pair, in a column of their own.
func TestChorusRatings(t *testing.T) {
	dir := dataDir(t, "chorus-ratings")
	l := readLabels(t, filepath.Join(dir, "judgments.tsv"))
	lines := strings.Count(read(t, filepath.Join(dir, "judgments.tsv")), "\n")
	raters := map[string]bool{}
	for _, j := range l.Judgments {
		raters[j.Annotator] = true
	}
	if s := l.Stats; s.Accepted+s.Rejected+s.Header != lines || len(raters) < 3 || raters[""] {
		t.Errorf("%d lines, %d raters, %d accepted, rejects:\n%.500s", lines, len(raters), s.Accepted, reasons(s))
	}
}

// B068 as a file: tags, queries without relevant chunks, and both.
func TestB068SimpleGold(t *testing.T) {
	l := readLabels(t, bug("B068", "gold.jsonl"))
	if want := "2 q2 c1 =1\n3 q3 c2 =1\n"; l.Format != LabelLines || short(l.Judgments) != want {
		t.Errorf("%s", short(l.Judgments))
	}
	if want := []Tag{{Line: 1, QueryID: "q1", Tag: "unanswerable"}, {Line: 3, QueryID: "q3", Tag: "unanswerable"}}; !reflect.DeepEqual(l.Tags, want) {
		t.Errorf("%+v", l.Tags)
	}
	if want := []string{"q1", "q2", "q3"}; !slices.Equal(l.Queries, want) {
		t.Errorf("%v", l.Queries)
	}
}

// B073. Public reports: usnistgov/trec_eval#29, joaopalotti/trectools#47. trec_eval reads 2.5 as 2 and x as 0.
func TestB073BadGradesAreRejectedByLine(t *testing.T) {
	l := readLabels(t, bug("B073", "qrels.trec"))
	if want := "1 Q1 D1 =-1\n2 Q1 D2 =1\n3 Q1 D3 =0\n"; l.Format != TREC || short(l.Judgments) != want {
		t.Errorf("%s", short(l.Judgments))
	}
	sameReasons(t, l.Stats, "4: grade \"2.5\" is not a whole number\n5: grade \"x\" is not a whole number\n6: 3 fields, want 4\n")
}

func TestBadLabelLines(t *testing.T) {
	for format, lines := range map[Format][][2]string{
		TREC: {
			{"q1 0 c1 1", ""}, {"q1 0 c1", "3 fields, want 4"}, {"q1 0 c 1 1", "5 fields, want 4"}, {"q1 0 c1 1e0", "not a whole number"},
			{"q1 0 c1 99999999999", "not a whole number"}, {"q1 0 c1 -2147483648", "not a whole number"}, {"q1 0 c1 nan", "not a whole number"},
			{"q\xff 0 c1 1", "is not UTF-8"}, {"q1 0 c1 1,0", "not a whole number"}, {strings.Repeat("q", 9000) + " 0 c1 1", "9000 bytes long"},
		},
		BEIR: {
			{"query-id\tcorpus-id\tscore", ""}, {"q1\tc1", "2 columns, want 3"}, {"q1\tc1\t1\t", "4 columns, want 3"}, {"\tc1\t1", "query-id: the id is empty"},
			{"q1\t\t1", "corpus-id: the id is empty"}, {"q1\tc1\t0.5", "not a whole number"}, {"q1\tc1\t", "not a whole number"}, {"q1\tc1\t 1", "not a whole number"},
		},
		LabelLines: {
			{`{"query":"q1","chunk":"c1","grade":1}`, ""}, {`{"query":"q1","chunk":"c1","grade":1`, ""}, {`[1]`, "not an object"},
			{`{"chunk":"c1","grade":1}`, "there is no query"}, {`{"query":"q1","grade":1}`, "there is no chunk"}, {`{"query":"q1","chunk":"c1"}`, "there is no grade"},
			{`{"query":"","chunk":"c1","grade":1}`, "query: the id is empty"}, {`{"query":"q1","chunk":["c"],"grade":1}`, "chunk: want an id, not a list"},
			{`{"query":"q1","chunk":"c1","grade":1.5}`, "not a whole number"}, {`{"query":"q1","chunk":"c1","grade":true}`, "want a whole number, not a boolean"},
			{`{"query":"q1","chunk":"c1","grade":null}`, "not null"}, {`{"query":"q1","chunk":"c1","grade":"good"}`, "not a whole number"},
			{`{"query":"q1","chunk":"c1","grade":1,"annotator":""}`, "annotator: the id is empty"}, {`{"query":"q1","relevant":["c1"]}`, "want an object of grades"},
			{`{"query":"q1","relevant":{"":1}}`, "chunk: the id is empty"}, {`{"query":"q1","relevant":{"c9":1,"c9":2}}`, `chunk "c9" has two grades`},
			{`{"query":"q1","tags":"x","relevant":3}`, "want an object of grades"}, {`{"query":"q1","tags":[{}]}`, "want a list of names"}, {`{"query":"q1","tags":[""]}`, "want a list of names"},
		},
	} {
		var content, want string
		for i, l := range lines {
			content += l[0] + "\n"
			if l[1] != "" {
				want += fmt.Sprintf("%d: %s\n", i+1, l[1])
			} else if i > 0 {
				want += fmt.Sprintf("%d: not JSON\n", i+1)
			}
		}
		sameReasons(t, labels(t, content, ReadOptions{Format: format}).Stats, want)
	}
}

func TestBEIRFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [b] *")
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("corpus.jsonl", "")
	if _, err := ReadLabels(dir, ReadOptions{}); err == nil || !strings.Contains(err.Error(), "holds no qrels/*.tsv") {
		t.Errorf("%v", err)
	}
	write("qrels/dev.tsv", "query-id\tcorpus-id\tscore\nd\tc\t1\n")
	if l := readLabels(t, dir); short(l.Judgments) != "2 d c =1\n" || l.File != filepath.Join(dir, "qrels", "dev.tsv") {
		t.Errorf("%+v", l)
	}
	write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nt\tc\t1\n")
	for split, want := range map[string]string{"": "2 t c =1\n", "dev": "2 d c =1\n", "test": "2 t c =1\n"} {
		l, err := ReadLabels(dir, ReadOptions{Split: split})
		if err != nil || short(l.Judgments) != want {
			t.Errorf("split %q: %v, %s", split, err, short(l.Judgments))
		}
	}
	if _, err := ReadLabels(dir, ReadOptions{Split: "train"}); err == nil || !strings.Contains(err.Error(), `no split "train"`) {
		t.Errorf("%v", err)
	}
}

// Every line is accounted for, whatever the file holds, and what was accepted can be stored.
func FuzzReadLabels(f *testing.F) {
	for _, seed := range []string{
		"query-id\tcorpus-id\tscore\nq\tc\t1\n", "q 0 c 1\nq 0 c 0\n", `{"query":"q","chunk":"c","grade":"skip"}`, `{"query":"q","tags":["unanswerable"],"relevant":{"c":1}}`,
		`{"assay":"gold","version":1,"scale":{"min":0,"max":1,"relevant_from":1},"rule":"single"}` + "\n" + `{"query_id":"q","labels":[{"chunk_id":"c","grade":1,"annotator":"a"}]}`,
		"\xef\xbb\xbfq 0 c 1\r\n# x\n", "{", "\x1f\x8b\x08", "q1 Q0 c 1 1 t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		l, err := ReadLabels("-", ReadOptions{Stdin: strings.NewReader(string(content))})
		if err != nil {
			return
		}
		s := l.Stats
		if s.Rejected != len(s.Rejects) || s.Accepted < s.Repeats {
			t.Errorf("%+v", s)
		}
		seen := map[judged]bool{}
		for _, j := range l.Judgments {
			k := judged{j.QueryID, j.ChunkID, j.Annotator}
			if corpus.CheckID(j.QueryID) != nil || corpus.CheckID(j.ChunkID) != nil || seen[k] {
				t.Errorf("%+v", j)
			}
			seen[k] = true
		}
		if l.Gold == nil {
			return
		}
		first := native(t, *l.Gold)
		again, err := ReadLabels("-", ReadOptions{Stdin: strings.NewReader(first)})
		if err != nil || again.Stats.Rejected > 0 {
			t.Fatalf("%v %s\n%s", err, reasons(again.Stats), first)
		}
		if second := native(t, *again.Gold); second != first {
			t.Errorf("%s\n%s", first, second)
		}
		if parts, err := agreement.Split(*l.Gold, "somebody"); err == nil {
			agreement.Gold(parts)
		}
	})
}
