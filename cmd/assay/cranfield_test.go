package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus/retrieval"
)

// trecEval reads what trec_eval printed: measure → query ("all" for the mean) → figure as printed.
func trecEval(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	printed := map[string]map[string]string{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		fields := strings.Fields(s.Text())
		if len(fields) != 3 {
			continue
		}
		if printed[fields[0]] == nil {
			printed[fields[0]] = map[string]string{}
		}
		printed[fields[0]][fields[1]] = fields[2]
	}
	return printed
}

// load brings a collection into a workspace the way a user would.
func (m *machine) load(dir string) {
	m.t.Helper()
	m.must("index", filepath.Join(dir, "corpus.jsonl"))
	m.must("import", "queries", filepath.Join(dir, "queries.jsonl"))
	m.must("import", "labels", filepath.Join(dir, "qrels.tsv"), "--annotator", "ann")
}

func TestCranfieldComesIn(t *testing.T) {
	dir := filepath.Join(collections(t), "cranfield")
	m := newMachine(t).workspace()
	r := m.must("index", filepath.Join(dir, "corpus.jsonl"))
	has(t, r.out, "1400 chunks (2 of them empty, kept: 471, 995): 1400 added, 0 changed, 0 gone")
	r = m.must("import", "queries", filepath.Join(dir, "queries.jsonl"))
	has(t, r.out, "225 queries to label: 225 new")
	r = m.must("import", "labels", filepath.Join(dir, "qrels.tsv"), "--annotator", "ann")
	has(t, r.out, "1837 labels: 1837 new", "the scale was widened: 0 not, 1 partly, 2 relevant, 3 perfect, 4; relevant from 1", "225 queries done")
	r = m.must("status")
	has(t, r.out, "225/225 done", "1837 on 225 queries", "1400 chunks")

	// Again: nothing new, nothing touched.
	has(t, m.must("index").out, "0 added, 0 changed, 0 gone, 1400 unchanged")
	has(t, m.must("import", "queries", filepath.Join(dir, "queries.jsonl")).out, "0 new, 225 there already, 0 changed")
	has(t, m.must("import", "labels", filepath.Join(dir, "qrels.tsv"), "--annotator", "ann").out, "0 new, 1837 there already", "0 queries done")
}

// TestCheckEqualsTrecEval compares every query's figures and the means with what trec_eval printed for the same run.
func TestCheckEqualsTrecEval(t *testing.T) {
	data := collections(t)
	names := map[string]string{
		"R@5": "recall_5", "R@10": "recall_10", "P@5": "P_5", "RR": "recip_rank", "nDCG@10": "ndcg_cut_10", "AP": "map", "Success@5": "success_5",
	}
	for _, collection := range []string{"cranfield", "chunking-eval"} {
		t.Run(collection, func(t *testing.T) {
			dir := filepath.Join(data, collection)
			m := newMachine(t).workspace()
			m.load(dir)
			r := m.must("check", "--run", filepath.Join(dir, "runs", "bm25-top100.run"),
				"-m", "R@5,R@10,P@5,RR,nDCG@10,AP,Success@5", "--per-query", "--json")
			report := decode[retrieval.Report](t, r.out)
			printed := trecEval(t, filepath.Join(dir, "runs", "trec_eval.all.txt"))
			compared := 0
			for ours, theirs := range names {
				want := printed[theirs]
				for _, q := range report.Queries {
					v := q.Values[ours]
					if v == nil || fmt.Sprintf("%.4f", *v) != want[q.QueryID] {
						t.Errorf("%s of %s: %v, trec_eval %s", ours, q.QueryID, figure(v), want[q.QueryID])
					}
					compared++
				}
				if len(report.Queries) != len(want)-1 {
					t.Errorf("%s: %d queries, trec_eval %d", ours, len(report.Queries), len(want)-1)
				}
			}
			for _, mean := range report.Measures {
				if got, want := figure(mean.Mean), printed[names[mean.Name]]["all"]; got != want || mean.N != len(report.Queries) {
					t.Errorf("mean %s: %s over %d, trec_eval %s", mean.Name, got, mean.N, want)
				}
			}
			if compared < 225*len(names) {
				t.Errorf("only %d figures were compared", compared)
			}

			lines := m.must("check", "--run", filepath.Join(dir, "runs", "bm25-top100.run"), "-m", "R@5 AP", "--per-query", "--trec").out
			has(t, lines, fmt.Sprintf("recall_5              \tall\t%s\n", printed["recall_5"]["all"]), fmt.Sprintf("map                   \tall\t%s\n", printed["map"]["all"]))
		})
	}
}

// TestBuiltinSearch holds the built-in search to plain BM25's figures, and to the same figures on every rebuild.
func TestBuiltinSearch(t *testing.T) {
	dir := filepath.Join(collections(t), "cranfield")
	m := newMachine(t).workspace()
	m.load(dir)
	first := m.must("check", "-m", "RR@10 R@10", "--json", "--per-query").out
	report := decode[retrieval.Report](t, first)
	for i, floor := range []float64{0.487, 0.362} {
		if got := report.Measures[i]; got.Mean == nil || *got.Mean < floor {
			t.Errorf("%s is %s, below %.3f", got.Name, figure(got.Mean), floor)
		}
	}
	if report.Scorer == "" || report.Corpus == "" || report.Labels == "" {
		t.Errorf("the report does not say what was measured: %q %q %q", report.Scorer, report.Corpus, report.Labels)
	}
	rebuilds := 10
	if testing.Short() {
		rebuilds = 2
	}
	for i := range rebuilds {
		if err := os.RemoveAll(filepath.Join(m.dir, "corpus")); err != nil {
			t.Fatal(err)
		}
		m.must("index")
		if got := m.must("check", "-m", "RR@10 R@10", "--json", "--per-query").out; got != first {
			t.Fatalf("rebuild %d gives other figures", i+1)
		}
	}
}

// TestRoundTrips takes Cranfield out and back in, in each format that holds labels (B019: Public report: doccano#1605).
func TestRoundTrips(t *testing.T) {
	dir := filepath.Join(collections(t), "cranfield")
	m := newMachine(t).workspace()
	m.load(dir)
	out := t.TempDir()
	native := filepath.Join(out, "a.jsonl")
	m.must("export", "native", "-o", native)
	m.must("export", "trec", "-o", filepath.Join(out, "a.qrels"))
	m.must("export", "beir", "-o", filepath.Join(out, "a.beir"))
	first := m.dir

	m.workspace()
	r := m.must("import", "labels", native)
	has(t, r.out, "1837 labels: 1837 new", "225 queries came with them")
	m.must("export", "native", "-o", filepath.Join(out, "b.jsonl"))
	same(t, native, filepath.Join(out, "b.jsonl"))

	m.workspace()
	m.must("import", "queries", filepath.Join(out, "a.beir", "queries.jsonl"))
	has(t, m.must("import", "labels", filepath.Join(out, "a.beir", "qrels", "test.tsv"), "--annotator", "ben").out, "1837 labels: 1837 new")
	m.must("export", "beir", "-o", filepath.Join(out, "b.beir"))
	same(t, filepath.Join(out, "a.beir", "qrels", "test.tsv"), filepath.Join(out, "b.beir", "qrels", "test.tsv"))
	same(t, filepath.Join(out, "a.beir", "queries.jsonl"), filepath.Join(out, "b.beir", "queries.jsonl"))

	m.workspace()
	m.must("import", "labels", filepath.Join(out, "a.qrels"), "--annotator", "chi")
	m.must("export", "trec", "-o", filepath.Join(out, "b.qrels"))
	same(t, filepath.Join(out, "a.qrels"), filepath.Join(out, "b.qrels"))

	// The corpus that left with BEIR is the one that was indexed.
	want := decode[statusJSON](t, m.at(first).must("status", "--json").out)
	m.workspace()
	got := decode[indexedJSON](t, m.must("index", filepath.Join(out, "a.beir"), "--json").out)
	if got.Corpus.Fingerprint != want.Corpus.Fingerprint {
		t.Errorf("the corpus came back as another: %s, was %s", got.Corpus.Fingerprint, want.Corpus.Fingerprint)
	}
}

// at makes another workspace the one that commands use.
func (m *machine) at(dir string) *machine {
	m.dir = dir
	return m
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		at := 0
		for at < min(len(x), len(y)) && x[at] == y[at] {
			at++
		}
		t.Errorf("%s and %s differ at byte %d:\n%.200s\n%.200s", filepath.Base(a), filepath.Base(b), at, x[at:], y[at:])
	}
}
