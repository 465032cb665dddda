package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus/retrieval"
)

func TestCompareRuns(t *testing.T) {
	m := newMachine(t)
	labels, good, bad := m.small()
	r := m.must("compare", "--labels", labels, bad, good, "-m", "R@5 RR Judged@10")
	has(t, r.out, good+" against "+bad+", 4 queries", "R@5              0.0000   0.7500  +0.7500", "3/1/0",
		"only 3 queries changed: no outcome of so few could be significant at 0.05",
		"+1.0000  0.0000 → 1.0000  q1", "[·] x", "[2] a")
	if strings.Contains(r.out, "Judged@10") {
		t.Errorf("what was judged is no quality to compare:\n%s", r.out)
	}
	c := decode[retrieval.Comparison](t, m.must("compare", "--labels", labels, bad, good, good, "-m", "R@5,RR", "--json").out)
	if len(c.Pairs) != 2 || c.Pairs[0].Run == c.Pairs[1].Run || c.Base != bad || *c.Pairs[0].Deltas[0].Delta != 0.75 || c.Pairs[0].Deltas[0].Wins != 3 {
		t.Errorf("%+v", c)
	}
	comment := filepath.Join(t.TempDir(), "c.md")
	m.must("compare", "--labels", labels, bad, good, "--markdown", comment)
	text, _ := os.ReadFile(comment)
	has(t, string(text), "R@5", "+0.7500")
	has(t, m.must("compare", "--labels", labels, bad, good, "-m", "R@5", "--moved", "0").out, "R@5")
	// Where relevant chunks went, and only what got worse.
	has(t, m.must("compare", "--labels", labels, good, bad, "-m", "R@5", "--worse").out, "-1.0000  1.0000 → 0.0000  q1", "[2] a moved: rank 1 → not found", "[1] c moved: rank 3 → not found")
	if r := m.must("compare", "--labels", labels, bad, good, "-m", "R@5", "--worse"); strings.Contains(r.out, "moved most") {
		t.Errorf("nothing got worse:\n%s", r.out)
	}
	for _, args := range [][]string{{good}, {good, bad, "--alpha", "1"}, {good, bad, "--moved", "-1"}, {good, bad, "-m", "nope"}, {good, bad, "--json", "--markdown", "-"}, {good, "search:fuzzy"}} {
		if r := m.run(append([]string{"compare", "--labels", labels}, args...)...); r.code != exitUsage {
			t.Errorf("%q: exit %d %s", args, r.code, r.err)
		}
	}
	if r := m.run("compare", "--labels", labels, good, "nowhere.run"); r.code != exitError || !strings.Contains(r.err, "nowhere.run") {
		t.Errorf("a run that is not there: exit %d %s", r.code, r.err)
	}
}

func TestCompareReports(t *testing.T) {
	m := newMachine(t)
	labels, good, bad := m.small()
	write := func(name, labels, run string, flags ...string) string {
		return m.file(name, m.must(append([]string{"check", "--labels", labels, "--run", run, "-m", "R@5 RR", "--json"}, flags...)...).out)
	}
	before, after := write("before.json", labels, bad, "--per-query"), write("after.json", labels, good, "--per-query")
	r := m.must("compare", before, after) // without labels, without a workspace
	has(t, r.out, "against", "R@5              0.0000   0.7500  +0.7500")
	// A report and a run, measured now.
	has(t, m.must("compare", "--labels", labels, before, good, "-m", "R@5 RR").out, "+0.7500")
	// What was measured against other labels is refused, with the reason.
	other := m.file("other.qrels", "q1 0 a 1\nq2 0 b 1\n")
	elsewhere := write("elsewhere.json", other, good, "--per-query")
	r = m.run("compare", before, elsewhere)
	if r.code != exitError {
		t.Errorf("other labels: exit %d", r.code)
	}
	has(t, r.err, "can't be compared", "the labels differ", "--force compares all the same")
	r = m.must("compare", before, elsewhere, "--force")
	has(t, r.err, "warning: ", "although the labels differ")
	has(t, r.out, "2 queries")
	// Only the measures that are asked for; one that a report lacks is said so.
	if r := m.must("compare", before, after, "-m", "RR"); strings.Contains(r.out, "R@5") || !strings.Contains(r.out, "RR ") {
		t.Errorf("-m RR prints\n%s", r.out)
	}
	if r := m.run("compare", before, after, "-m", "R@7"); r.code != exitError || !strings.Contains(r.err, "has no R@7") {
		t.Errorf("a measure that reports lack: exit %d %s", r.code, r.err)
	}
	if r := m.run("compare", before, write("poor.json", labels, good)); r.code != exitError || !strings.Contains(r.err, "--per-query") {
		t.Errorf("a report without the values of single queries: exit %d %s", r.code, r.err)
	}
}

// What comes through a pipe is read once only, and what PowerShell writes is UTF-16.
func TestCompareReadsPipesAndEncodings(t *testing.T) {
	m := newMachine(t)
	labels, good, bad := m.small()
	t.Setenv("TMPDIR", t.TempDir())
	report := func(run string) []byte {
		return []byte(m.must("check", "--labels", labels, "--run", run, "-m", "R@5", "--json", "--per-query").out)
	}
	after := m.file("after.json", string(report(good)))
	r := m.runWith(report(bad), "compare", "-", after)
	if r.code != exitOK {
		t.Fatalf("a report on stdin: exit %d %s", r.code, r.err)
	}
	has(t, r.out, "+0.7500")
	run, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	r = m.runWith(run, "compare", "--labels", labels, "-", good, "-m", "R@5")
	if r.code != exitOK {
		t.Fatalf("a run on stdin: exit %d %s", r.code, r.err)
	}
	has(t, r.out, "against -, 4 queries", "+0.7500")
	utf16 := []byte{0xff, 0xfe}
	for _, b := range report(bad) {
		utf16 = append(utf16, b, 0)
	}
	for name, content := range map[string][]byte{"utf16.json": utf16, "bom.json": append([]byte("\ufeff"), report(bad)...)} {
		before := m.file(name, string(content))
		has(t, m.must("compare", before, after).out, "+0.7500")
		m.must("check", "--labels", labels, "--run", good, "-m", "R@5", "--no-worse-than", before)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCompareFindsARealDifference is what a comparison is for: the built-in search against plain BM25, both real.
func TestCompareFindsARealDifference(t *testing.T) {
	dir := filepath.Join(collections(t), "cranfield")
	m := newMachine(t).workspace()
	m.load(dir)
	m.must("import", "run", filepath.Join(dir, "runs", "bm25-top100.run"))
	c := decode[retrieval.Comparison](t, m.must("compare", "bm25-top100", "search", "-m", "nDCG@10 R@10", "--json").out)
	for _, d := range c.Pairs[0].Deltas {
		if *d.Delta <= 0 || *d.Holm > 0.05 || d.Interval.Lo <= 0 || d.N != 225 || d.Wins+d.Ties+d.Losses != 225 {
			t.Errorf("%+v", d)
		}
	}
	// Hits are shown with their titles.
	has(t, m.must("compare", "bm25-top100", "search", "-m", "nDCG@10").out, "  1  [", " moved: rank ")
	r := m.run("check", "--run", "bm25-top100", "--require", "nDCG@10>=0.3", "--require", "R@5>=0.5", "--by", "kind")
	if r.code != exitGate || !strings.Contains(r.out, "by kind") || !strings.Contains(r.out, "mined") {
		t.Errorf("exit %d\n%s", r.code, r.out)
	}
	has(t, r.err, "gate failed: R@5 is 0.2714, want >= 0.5 (95% interval 0.2", "1 of 2 gates failed")
	// The same seed gives the same bytes.
	args := []string{"check", "--run", "bm25-top100", "--by", "all", "--json", "--per-query"}
	if a, b := m.must(args...).out, m.must(args...).out; a != b {
		t.Error("two checks of the same print different bytes")
	}
	if a, b := m.must(args...).out, m.must(append(args, "--seed", "7")...).out; a == b {
		t.Error("another seed gives the same intervals")
	}
}
