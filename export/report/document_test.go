package report

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/retrieval"
)

var update = flag.Bool("update", false, "write the golden files anew")

func ptr[T any](v T) *T { return &v }

// small is a document with something of everything.
func small() Document {
	measures := []retrieval.Mean{
		{Name: "R@5", Mean: ptr(0.625), N: 4, Interval: &retrieval.Interval{Lo: 0.25, Hi: 0.875, Method: "bootstrap"}, Judged: ptr(0.9), Bounds: &retrieval.Bounds{Irrelevant: 0.5, Relevant: 0.75}},
		{Name: "RR", Mean: ptr(1.0), N: 4, Interval: &retrieval.Interval{Lo: 0.5101, Hi: 1, Method: "wilson"}, Judged: ptr(1.0)},
		{Name: "NumRet", Mean: ptr(40.0), N: 4},
		{Name: "P@5", Why: "no query counts"},
	}
	values := func(recall float64, rr *float64) map[string]*float64 {
		return map[string]*float64{"R@5": &recall, "RR": rr, "NumRet": ptr(10.0)}
	}
	return Document{
		Title: "handbook", At: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC), Relevant: 2,
		Texts: map[string]string{"q1": "how to reset a password", "q2": "كيف أعيد تعيين كلمة المرور"},
		Report: retrieval.Report{
			Assay: "check", Version: 1, Program: "assay 1.2.3", Run: "bm25", Labels: "aaaa", Corpus: "bbbb", Scale: "graded", Scorer: "bm25 k1=1.2", Compat: "trec_eval-10", Seed: 7,
			Measures: measures,
			Excluded: []retrieval.Excluded{{QueryID: "u1", Why: retrieval.WhyUnanswerable}, {QueryID: "u2", Why: retrieval.WhyUnanswerable}, {QueryID: "x", Why: retrieval.WhyNoRelevant}},
			Queries: []retrieval.QueryValues{
				{QueryID: "q1", Values: values(0, ptr(0.0))}, {QueryID: "q2", Values: values(0.5, ptr(1.0))},
				{QueryID: "q3", Values: values(1, ptr(1.0))}, {QueryID: "q4", Values: values(1, nil)},
			},
			Warnings: []string{"the run has 1 query that the gold set does not know: stray"},
			NoResult: []string{"q1"}, Failed: []retrieval.Failed{{QueryID: "q1", Error: "503 after 3 tries"}}, Unknown: []string{"stray"},
			NoText: []string{"q9"}, Contradictory: []string{"q4"}, Repeats: 2,
			Missing:        []retrieval.MissingGold{{QueryID: "q2", ChunkID: "gone", Grade: 2}},
			WithoutMissing: measures[:2], WithoutFailed: measures[:1],
			Recall:       []retrieval.CurvePoint{{K: 1, Mean: 0.25}, {K: 5, Mean: 0.625}, {K: 10, Mean: 0.75}},
			Unanswerable: &retrieval.Unanswerable{Queries: 2, Returned: 1, TopScore: &retrieval.Quantiles{N: 1, Min: 3, Q1: 3, Median: 3, Q3: 3, Max: 3}, Answerable: &retrieval.Quantiles{N: 3, Min: 2, Q1: 4, Median: 6, Q3: 8, Max: 12}, Separation: ptr(0.75)},
			Slices: []retrieval.Slice{
				{By: "tag", Value: "identifier", N: 1, Measures: []retrieval.Mean{{Name: "R@5", Mean: ptr(0.5), N: 1}}},
				{By: "language", N: 3, Measures: measures[:2]},
			},
			Latency: &retrieval.Latency{N: 4, Mean: 12, P50: 9.5, P95: 40.25, P99: 120, Max: 120},
			Diagnosis: &retrieval.Diagnosis{Findings: []retrieval.Finding{
				{Rule: "ranking", Verdict: retrieval.Fail, Figures: measures[:1], Limits: []string{"R@5 < 0.70"}, Line: "R@5 is low", Advice: "look at the ranking"},
				{Rule: "noise", Verdict: retrieval.Unclear, Line: "P@5 can't be told", Needed: 90},
			}},
			Gates: []retrieval.GateResult{
				{Gate: "R@5>=0.5", Verdict: retrieval.Pass, Measure: "R@5", Figure: ptr(0.625), Bound: 0.5, N: 4, Line: "R@5>=0.5: 0.6250, n = 4"},
				{Gate: "RR>=1", Verdict: retrieval.Fail, Measure: "RR", Slice: "tag identifier", Figure: ptr(0.5), Bound: 1, Interval: &retrieval.Interval{Lo: 0.25, Hi: 0.75, Method: "bootstrap"}, P: ptr(0.01), N: 4, Line: "RR>=1: 0.5000, n = 4"},
				{Gate: "P@5>=0.2", Verdict: retrieval.Unclear, Measure: "P@5", Bound: 0.2, Line: "P@5>=0.2: no query counts"},
			},
		},
		Worst: []WorstQuery{
			{QueryID: "q1", Text: "how to reset a password", Values: values(0, ptr(0.0)), Hits: []WorstHit{
				{Rank: 1, ChunkID: "a#1", Title: "Accounts", Text: "An account is …", Score: 12.5, Grade: ptr(corpus.Grade(1))},
				{Rank: 2, ChunkID: "a#2", Text: "Two\nlines", Score: 11, Grade: nil},
				{Rank: 3, ChunkID: "a#3", Score: 10, Grade: ptr(corpus.CannotJudge)},
				{Rank: 4, ChunkID: "a#4", Score: 9, Grade: ptr(corpus.Grade(-2))},
				{Rank: 5, ChunkID: "a#5", Score: 8, Grade: ptr(corpus.Grade(2))},
			}, Missed: []WorstHit{{ChunkID: "b#7", Title: "Passwords", Text: "To reset it …", Grade: ptr(corpus.Grade(3))}}},
			{QueryID: "q2"},
		},
	}
}

func smallComparison() retrieval.Comparison {
	return retrieval.Comparison{
		Assay: "compare", Version: 1, Program: "assay 1.2.3", Labels: "aaaa", Corpus: "bbbb", Scale: "graded", Alpha: 0.05, Seed: 7, Base: "bm25",
		Warnings: []string{"2 queries are in one run only"},
		Pairs: []retrieval.Pair{
			{Run: "dense", N: 40, Deltas: []retrieval.Delta{
				{Name: "R@5", N: 40, Before: ptr(0.5), After: ptr(0.6), Delta: ptr(0.1), Interval: &retrieval.Interval{Lo: 0.02, Hi: 0.18, Method: "bootstrap"}, Wins: 10, Ties: 28, Losses: 2, P: ptr(0.01), Method: "randomization", Holm: ptr(0.02), T: ptr(0.011), EffectSize: ptr(0.4), Detectable: ptr(0.08)},
				{Name: "RR", N: 40, Before: ptr(0.5), After: ptr(0.4), Delta: ptr(-0.1), Wins: 2, Ties: 20, Losses: 18, P: ptr(0.00001), Method: "exact", Holm: ptr(0.00002), Note: "few queries differ"},
				{Name: "P@5", N: 40, Before: ptr(0.2), After: ptr(0.21), Delta: ptr(0.01), Ties: 40, P: ptr(0.5), Holm: ptr(0.5), Method: "exact"},
				{Name: "AP", Method: "none"},
			}, Moved: []retrieval.Moved{{QueryID: "q|1", Measure: "R@5", Before: 0, After: 1}}},
			{Run: "empty", Moved: []retrieval.Moved{}},
		},
	}
}

// withTraffic is small with a figure for the traffic of R@5, and a gate on it.
func withTraffic() Document {
	d := small()
	d.Report.Measures[0].Traffic = &retrieval.Traffic{Value: 0.71, Interval: retrieval.Range{Low: 0.5, High: 0.84}, N: 3, Outside: 1, Effective: 2.4, Asked: 480}
	d.Report.Gates = append(d.Report.Gates, retrieval.GateResult{
		Gate: "traffic:R@5>=0.7", Verdict: retrieval.Pass, Measure: "R@5", Traffic: true, Figure: ptr(0.71), Bound: 0.7, N: 3,
		Interval: &retrieval.Interval{Lo: 0.5, Hi: 0.84, Method: "weighted"}, Line: "R@5 for the traffic is 0.7100, want >= 0.7",
	})
	return d
}

// hostile is text that each form has reason to fear.
const hostile = "</script><script>alert(1)</script>\x1b[31m \u202egpj\u202c `x` | @ann #12 <img src=x onerror=alert(1)> \x00\xff\ufffe\uffff " +
	"http://evil.example www.evil.example [a](javascript:alert(1)) ![b](//evil) --> ]]> </style></title></details> {{.Run}} $x$ ~~s~~ **b** &lt; \r\n# h\n- l"

// withText is small with s wherever text from outside has a place.
func withText(s string) Document {
	d := small()
	r := &d.Report
	d.Title, d.Texts = s, map[string]string{s: s}
	r.Run, r.Labels, r.Corpus, r.Scale, r.Scorer, r.Compat, r.Program = s, s, s, s, s, s, s
	for i := range r.Measures {
		r.Measures[i].Why = s
	}
	for i := range r.Queries {
		r.Queries[i].QueryID = s
	}
	r.Warnings, r.NoResult, r.Unknown, r.NoText, r.Contradictory = []string{s}, []string{s}, []string{s}, []string{s}, []string{s}
	r.Failed[0] = retrieval.Failed{QueryID: s, Error: s}
	r.Missing[0].QueryID, r.Missing[0].ChunkID = s, s
	for i := range r.Slices {
		r.Slices[i].By, r.Slices[i].Value = s, s
	}
	for i := range r.Diagnosis.Findings {
		f := &r.Diagnosis.Findings[i]
		f.Line, f.Advice, f.Limits = s, s, []string{s}
	}
	for i := range r.Gates {
		g := &r.Gates[i]
		g.Gate, g.Line, g.Measure, g.Slice = s, s, s, s
	}
	for i := range d.Worst {
		q := &d.Worst[i]
		q.QueryID, q.Text = s, s
		for _, list := range [][]WorstHit{q.Hits, q.Missed} {
			for j := range list {
				list[j].ChunkID, list[j].Title, list[j].Text = s, s, s
			}
		}
	}
	return d
}

// many is a document with n queries, and lists as long.
func many(n int) Document {
	d := small()
	r := &d.Report
	r.Queries, r.NoResult, r.Warnings, r.Slices, d.Worst = nil, nil, nil, nil, nil
	d.Texts = map[string]string{}
	for i := range n {
		id := fmt.Sprintf("query-%06d", i)
		d.Texts[id] = strings.Repeat("some words ", 20)
		values := map[string]*float64{"R@5": ptr(float64(i*7919%1000) / 999), "RR": ptr(1 / float64(1+i*104729%997)), "NumRet": ptr(10.0), "P@5": nil}
		r.Queries = append(r.Queries, retrieval.QueryValues{QueryID: id, Values: values})
		r.NoResult = append(r.NoResult, id)
		r.Warnings = append(r.Warnings, "warning of "+id)
		r.Slices = append(r.Slices, retrieval.Slice{By: "tag", Value: id, N: 3, Measures: r.Measures[:2]})
		d.Worst = append(d.Worst, WorstQuery{QueryID: id, Text: d.Texts[id], Values: values, Hits: []WorstHit{{Rank: 1, ChunkID: "c", Text: strings.Repeat("long text ", 500)}}})
	}
	return d
}

// written is what a writer writes of v.
func written[T any](t testing.TB, write func(io.Writer, T) error, v T) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writers are the forms of a document.
var writers = map[string]func(io.Writer, Document) error{"md": WriteMarkdown, "xml": WriteJUnit, "html": WriteHTML}

func TestGolden(t *testing.T) {
	for ending, write := range writers {
		golden(t, "small."+ending, written(t, write, small()))
		golden(t, "nothing."+ending, written(t, write, Document{}))
	}
	golden(t, "comparison.md", written(t, WriteMarkdownComparison, smallComparison()))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("%s differs in line %d (-update writes it anew):\n got %s\nwant %s", name, i+1, g[i], w[i])
			}
		}
		t.Fatalf("%s has %d lines, want %d", name, len(g), len(w))
	}
}

// TestSameBytes writes each form several times: maps have no order, reports have.
func TestSameBytes(t *testing.T) {
	for name, write := range writers {
		first := written(t, write, small())
		for range 5 {
			if written(t, write, small()) != first {
				t.Errorf("%s: the same document gives other bytes", name)
				break
			}
		}
	}
}

// TestDocumentStays holds the writers to reading only.
func TestDocumentStays(t *testing.T) {
	d := many(1200)
	before := fmt.Sprint(d.Report.Queries[0], d.Report.Queries[600], d.Report.Recall, d.Worst[0].QueryID)
	for _, write := range writers {
		written(t, write, d)
	}
	if after := fmt.Sprint(d.Report.Queries[0], d.Report.Queries[600], d.Report.Recall, d.Worst[0].QueryID); after != before {
		t.Error("a writer changed the document")
	}
}

// full refuses to be written to after some bytes.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return 0, fmt.Errorf("disk full")
	}
	f.room -= len(b)
	return len(b), nil
}

func TestErrorsAreTold(t *testing.T) {
	for name, write := range writers {
		if err := write(&full{}, small()); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	if err := WriteMarkdownComparison(&full{}, smallComparison()); err == nil {
		t.Error("comparison: no error")
	}
}

// TestFormsAgree looks for the same figures, words and names in each form.
func TestFormsAgree(t *testing.T) {
	for name, write := range writers {
		out := written(t, write, small())
		for _, want := range []string{"0.6250", "0.2500–0.8750", "90%", "0.5000–0.7500", "n = 4", "2 queries unanswerable", "503 after 3 tries", "R@5&gt;=0.5", "aaaa", "bbbb", "bm25 k1=1.2", "assay 1.2.3"} {
			switch {
			case name == "md" && (want == "503 after 3 tries"):
				continue // only how many, and which
			case name != "xml":
				want = strings.ReplaceAll(want, "n = 4", "4")
			}
			if name != "xml" {
				want = strings.ReplaceAll(want, "&gt;", ">")
			}
			if name == "html" {
				want = strings.ReplaceAll(want, ">", "&gt;")
			}
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}
