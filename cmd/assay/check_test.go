package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/corpus/retrieval"

	"github.com/santhosh-tekuri/jsonschema/v6" // JSON Schema 2020-12, passes the official test suite; tests only
)

// edges are the small collections with everything that breaks evaluators, and what trec_eval prints for them.
const edges = "../../corpus/retrieval/testdata/metrics-edge"

// trecMeasures names what trec_eval prints by default, each as the function has it.
func trecMeasures(with func(name string, takesRel, takesJudgedOnly bool) string) string {
	var list []string
	add := func(name, depth string, rel, judgedOnly bool) {
		list = append(list, with(name, rel, judgedOnly)+depth)
	}
	for _, name := range []string{"RR", "AP", "Rprec", "SetP", "SetR", "SetF", "NumRelRet"} {
		add(name, "", true, true)
	}
	add("nDCG", "", false, true)
	add("Bpref", "", true, false)
	add("NumRel", "", true, false)
	add("NumRet", "", false, true)
	for _, k := range []int{5, 10, 15, 20, 30, 100, 200, 500, 1000} {
		for _, name := range []string{"P", "R", "AP"} {
			add(name, fmt.Sprintf("@%d", k), true, true)
		}
		add("nDCG", fmt.Sprintf("@%d", k), false, true)
	}
	for _, k := range []int{1, 5, 10} {
		add("Success", fmt.Sprintf("@%d", k), true, true)
	}
	for x := range 11 {
		add("IPrec", fmt.Sprintf("@%g", float64(x)/10), true, true)
	}
	return strings.Join(list, " ")
}

// TestPrintsWhatTrecEvalPrints compares the lines themselves, without a workspace: all queries, and the averages.
func TestPrintsWhatTrecEvalPrints(t *testing.T) {
	m := newMachine(t)
	plain := func(name string, _, _ bool) string { return name }
	fromTwo := func(name string, rel, _ bool) string {
		if rel {
			return name + "(rel=2)"
		}
		return name
	}
	judged := func(name string, _, only bool) string {
		if only {
			return name + "(judged_only=True)"
		}
		return name
	}
	files := edgeFiles(t)
	for _, qrels := range files {
		base := strings.TrimSuffix(qrels, ".qrels")
		for _, c := range []struct {
			printed string
			flags   []string
		}{
			{".c.txt", []string{"-m", trecMeasures(plain)}},
			{".c-l2.txt", []string{"-m", trecMeasures(fromTwo)}},
			{".c-l2.txt", []string{"-m", trecMeasures(plain), "--relevant-from", "2"}},
			{".c-J.txt", []string{"-m", trecMeasures(judged)}},
		} {
			r := m.must(append([]string{"check", "--labels", qrels, "--run", base + ".run", "--compat", "--trec", "--per-query"}, c.flags...)...)
			want, err := os.ReadFile(base + c.printed)
			if err != nil {
				t.Fatal(err)
			}
			got := lineSet(r.out)
			for line := range got {
				if strings.HasPrefix(line, "runid ") {
					delete(got, line)
				}
			}
			for line := range lineSet(string(want)) {
				if !got[line] {
					t.Errorf("%s%s: trec_eval prints %q", filepath.Base(base), c.printed, line)
				}
				delete(got, line)
			}
			for line := range got {
				t.Errorf("%s%s: trec_eval does not print %q", filepath.Base(base), c.printed, line)
			}
		}
	}
}

// edgeFiles are the qrels of the edge collections.
func edgeFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(edges, "*.qrels"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d edge collections: %v", len(files), err)
	}
	return files
}

func lineSet(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		set[strings.TrimSuffix(line, "\n")] = true
	}
	return set
}

// schema compiles what the binary prints.
func schema(t *testing.T, m *machine, of ...string) *jsonschema.Schema {
	t.Helper()
	printed := m.must(append([]string{"guide", "schema"}, of...)...).out
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("assay.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("assay.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, printed string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(printed))
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%.2000s", err, printed)
	}
}

// TestJSONFitsItsSchema validates what check and compare print, with everything on and with nothing to measure.
func TestJSONFitsItsSchema(t *testing.T) {
	m := newMachine(t)
	check, compare := schema(t, m), schema(t, m, "compare")
	qrels := edgeFiles(t)[1]
	run := strings.TrimSuffix(qrels, ".qrels") + ".run"
	gates := []string{"--require", "R@5>=0.9", "--require", "RR>0@kind:mined", "--by", "all"}
	for _, args := range [][]string{
		{"check", "--labels", qrels, "--run", run, "--json", "--per-query"},
		append([]string{"check", "--labels", qrels, "--run", run, "--json"}, gates...),
		{"check", "--labels", m.file("x.qrels", "q1 0 a 0\n"), "--run", m.file("x.run", "q2 Q0 a 1 1 t\n"), "--json", "--per-query"},
	} {
		validate(t, check, m.run(args...).out)
	}
	validate(t, compare, m.must("compare", "--labels", qrels, run, run, "--json").out)

	// A schema that takes anything would pass too.
	for _, wrong := range []string{`{}`, `{"assay":"check"}`, `[]`} {
		v, _ := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
		if check.Validate(v) == nil || compare.Validate(v) == nil {
			t.Errorf("%s is valid", wrong)
		}
	}

	w := newMachine(t).workspace()
	w.must("index", bug("B070", "corpus.jsonl"))
	w.must("import", "queries", bug("B070", "queries.jsonl"))
	w.must("import", "labels", bug("B070", "gold.tsv"), "--annotator", "ann")
	validate(t, check, w.run("check", "--json", "--per-query", "--by", "all").out)
}

// small is a gold set and runs of which the figures are known: q1 and q2 found first, q3 found third, q4 not at all.
func (m *machine) small() (labels, good, bad string) {
	labels = m.file("gold.jsonl", `{"query":"q1","chunk":"a","grade":2,"annotator":"ann"}
{"query":"q2","chunk":"b","grade":1,"annotator":"ann"}
{"query":"q3","chunk":"c","grade":1,"annotator":"ann"}
{"query":"q4","chunk":"d","grade":3,"annotator":"ann"}
`)
	good = m.file("good.jsonl", `{"query":"q1","chunks":["a"]}
{"query":"q2","chunks":["b"]}
{"query":"q3","chunks":["x","y","c"]}
{"query":"q4","chunks":["x"]}
`)
	bad = m.file("bad.jsonl", `{"query":"q1","chunks":["x"]}
{"query":"q2","chunks":["x"]}
{"query":"q3","chunks":["x"]}
{"query":"q4","chunks":["x"]}
`)
	return labels, good, bad
}

func TestGatesFailABuild(t *testing.T) {
	m := newMachine(t)
	labels, good, bad := m.small()
	check := func(args ...string) result {
		return m.run(append([]string{"check", "--labels", labels}, args...)...)
	}
	r := check("--run", good, "--require", "R@5>=0.75", "--require", "RR>0.58", "--require", "R@1<=0.5")
	if r.code != exitOK {
		t.Errorf("gates that hold: exit %d\n%s%s", r.code, r.out, r.err)
	}
	has(t, r.out, "gate pass     R@5 is 0.7500, want >= 0.75 (95% interval", "n = 4)")
	r = check("--run", bad, "--require", "R@5>=0.75", "--require", "RR>=0", "--require", "P@5>=0.1@identifier")
	if r.code != exitGate {
		t.Errorf("gates that fail: exit %d\n%s%s", r.code, r.out, r.err)
	}
	has(t, r.err, "gate failed: R@5 is 0.0000, want >= 0.75 (95% interval 0.0000 to", "no query that counts has the tag identifier", "2 of 3 gates failed")
	if strings.Contains(r.err, "gate failed: RR") {
		t.Errorf("a gate that holds is said to fail:\n%s", r.err)
	}
	for _, args := range [][]string{
		{"--require", "R@5"}, {"--require", "R@5>=x"}, {"--require", "nope>=1"}, {"--alpha", "0"}, {"--allowed-drop", "1"}, {"--force"},
		{"--json", "--trec"}, {"--json", "--markdown", "-"}, {"--by", "colour"}, {"--mode", "exact"}, {"--exec", "cat"}, {"--relevant-from", "-1"},
		{"--relevant-from", "99"}, {"--html", "x", "--junit", "./x"},
		{"--rule", "mean"}, {"--compat=trec_eval-8"}, {"--depth", "-1"}, {"--name", "../x"}, {"--worst", "-1"},
	} {
		if r := check(append([]string{"--run", good}, args...)...); r.code != exitUsage || r.out != "" {
			t.Errorf("%q: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
}

func TestNoWorseThanABaseline(t *testing.T) {
	m := newMachine(t)
	// Forty queries, so that a fall can be significant: the good run finds all first, the other one in four.
	var labels, good, bad strings.Builder
	for i := range 40 {
		fmt.Fprintf(&labels, "q%d 0 c%d 1\n", i, i)
		fmt.Fprintf(&good, "q%d Q0 c%d 1 1 good\n", i, i)
		chunk := "x"
		if i%4 == 0 {
			chunk = fmt.Sprint("c", i)
		}
		fmt.Fprintf(&bad, "q%d Q0 %s 1 1 bad\n", i, chunk)
	}
	qrels, goodRun, badRun := m.file("q.qrels", labels.String()), m.file("good.run", good.String()), m.file("bad.run", bad.String())
	base := m.file("base.json", m.must("check", "--labels", qrels, "--run", goodRun, "-m", "R@5 RR", "--json", "--per-query").out)
	check := func(args ...string) result {
		return m.run(append([]string{"check", "--labels", qrels, "-m", "R@5 RR", "--no-worse-than", base}, args...)...)
	}
	if r := check("--run", goodRun); r.code != exitOK {
		t.Errorf("the same run: exit %d %s", r.code, r.err)
	}
	r := check("--run", badRun)
	if r.code != exitGate {
		t.Errorf("a worse run: exit %d", r.code)
	}
	has(t, r.err, "gate failed: R@5 went from 1.0000 to 0.2500, -0.7500 (95% interval", "n = 40), adjusted p = ")
	if r := check("--run", badRun, "--allowed-drop", "0.9"); r.code != exitOK {
		t.Errorf("a fall that is allowed: exit %d %s", r.code, r.err)
	}
	// The baseline may be a run, which is measured as the other one is.
	if r := m.run("check", "--labels", qrels, "-m", "R@5 RR", "--run", badRun, "--no-worse-than", goodRun); r.code != exitGate || !strings.Contains(r.err, "R@5 went from 1.0000 to 0.2500") {
		t.Errorf("a run as the baseline: exit %d %s", r.code, r.err)
	}
	if r := m.run("check", "--labels", qrels, "-m", "R@5 RR", "--run", goodRun, "--no-worse-than", badRun); r.code != exitOK {
		t.Errorf("better than a run: exit %d %s", r.code, r.err)
	}
	// Other labels are another gold set: the figures can't be compared.
	other := m.file("q.qrels", labels.String()+"q0 0 z 1\n")
	r = m.run("check", "--labels", other, "--run", goodRun, "-m", "R@5", "--no-worse-than", base)
	if r.code != exitError {
		t.Errorf("other labels: exit %d", r.code)
	}
	has(t, r.err, "can't be compared: the labels differ", "hint: ", "--force")
	if r := m.run("check", "--labels", other, "--run", goodRun, "-m", "R@5", "--no-worse-than", base, "--force"); r.code != exitOK {
		t.Errorf("forced: exit %d %s", r.code, r.err)
	}
	// A report without the values of single queries, and what is no report.
	poor := m.file("poor.json", m.must("check", "--labels", qrels, "--run", goodRun, "-m", "R@5", "--json").out)
	has(t, m.run("check", "--labels", qrels, "--run", goodRun, "--no-worse-than", poor).err, "--per-query")
	if r := m.run("check", qrels, goodRun); r.code != exitUsage || !strings.Contains(r.err, "rankings are --run FILE, labels --labels FILE") {
		t.Errorf("files without flags: exit %d %s", r.code, r.err)
	}
	for _, content := range []string{"", "{}", "[1]", `{"assay":"check","version":2}`, `{"assay":"gold"}`, "\x00"} {
		if r := m.run("check", "--labels", qrels, "--run", goodRun, "--no-worse-than", m.file("x.json", content)); r.code != exitError || strings.Count(r.err, "error: ") != 1 {
			t.Errorf("%q: exit %d %s", content, r.code, r.err)
		}
	}
}

func TestReportsAreWritten(t *testing.T) {
	m := newMachine(t)
	labels, good, _ := m.small()
	dir := t.TempDir()
	html, markdown, junit := filepath.Join(dir, "r.html"), filepath.Join(dir, "r.md"), filepath.Join(dir, "r.xml")
	r := m.run("check", "--labels", labels, "--run", good, "--require", "R@5>=0.99", "--html", html, "--markdown", markdown, "--junit", junit)
	if r.code != exitGate {
		t.Fatalf("exit %d %s", r.code, r.err)
	}
	page, _ := os.ReadFile(html)
	has(t, string(page), "<!doctype html>", "R@5 is 0.7500", "q4")
	for _, foreign := range []string{"<script", "http://", "https://", "src="} {
		if bytes.Contains(bytes.ReplaceAll(page, []byte("http://www.w3.org/2000/svg"), nil), []byte(foreign)) {
			t.Errorf("the page holds %q", foreign)
		}
	}
	comment, _ := os.ReadFile(markdown)
	has(t, string(comment), "| R@5 |", "R@5 is 0.7500, want >= 0.99")
	var suite struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
		Failures int `xml:"failures,attr"`
	}
	raw, _ := os.ReadFile(junit)
	if err := xml.Unmarshal(raw, &suite); err != nil || suite.Failures+len(suite.Suites) == 0 {
		t.Errorf("%v\n%s", err, raw)
	}
	// On stdout a report is alone, and what else there is to say goes to stderr.
	r = m.must("check", "--labels", labels, "--run", good, "--markdown", "-")
	if !strings.HasPrefix(r.out, "#") || strings.Contains(r.out, "95% interval         n") {
		t.Errorf("stdout holds more than the report:\n%s", r.out)
	}
	// A report that can't be written is an error, and no half a file.
	if r := m.run("check", "--labels", labels, "--run", good, "--html", filepath.Join(dir, "none", "r.html")); r.code != exitError {
		t.Errorf("a folder that is not there: exit %d", r.code)
	}
}

func TestLabelsFromAFile(t *testing.T) {
	m := newMachine(t)
	labels, good, _ := m.small()
	// Several annotators: majority; a tie is unresolved and treated as unjudged.
	many := m.file("many.jsonl", `{"query":"q1","chunk":"a","grade":2,"annotator":"ann"}
{"query":"q1","chunk":"a","grade":2,"annotator":"ben"}
{"query":"q1","chunk":"a","grade":0,"annotator":"chi"}
{"query":"q2","chunk":"b","grade":1,"annotator":"ann"}
{"query":"q2","chunk":"b","grade":0,"annotator":"ben"}
`)
	r := m.must("check", "--labels", many, "--run", good, "-m", "R@5")
	has(t, r.out, "R@5                1.0000", "left out: 1 query finished without a relevant chunk")
	has(t, r.err, "unresolved: 1")
	if r := m.run("check", "--labels", many, "--run", good, "--rule", "single"); r.code != exitError {
		t.Errorf("two annotators under the rule single: exit %d", r.code)
	}
	// The threshold.
	has(t, m.must("check", "--labels", labels, "--run", good, "-m", "R@5", "--relevant-from", "2").out, "R@5                0.5000", "     2  ")
	// A native gold set says itself what is finished.
	w := newMachine(t).workspace()
	w.must("index", bug("B070", "corpus.jsonl"))
	w.must("import", "queries", bug("B070", "queries.jsonl"))
	w.must("import", "labels", bug("B070", "gold.tsv"), "--annotator", "ann")
	run := m.file("r.jsonl", `{"query":"q1","chunks":["c1","x"]}`+"\n")
	inside := decode[retrieval.Report](t, w.run("check", "--run", run, "--json", "--per-query").out)
	native := filepath.Join(t.TempDir(), "gold.jsonl")
	w.must("export", "-o", native)
	outside := decode[retrieval.Report](t, m.run("check", "--labels", native, "--run", run, "--json", "--per-query").out)
	if a, b := mustJSON(t, inside.Queries), mustJSON(t, outside.Queries); a != b {
		t.Errorf("the workspace says %s, its export %s", a, b)
	}
	// Errors.
	for path, words := range map[string]string{
		m.file("empty.qrels", ""):                "the file is empty",
		m.file("run.qrels", "q1 Q0 a 1 0.5 t\n"): "this is a run, not labels",
		"/nowhere/x.qrels":                       "no such file",
	} {
		r := m.run("check", "--labels", path, "--run", good)
		if r.code != exitError || !strings.Contains(r.err, words) {
			t.Errorf("%s: exit %d %s", path, r.code, r.err)
		}
	}
	r = m.run("check", "--labels", labels)
	if r.code != exitError {
		t.Errorf("no corpus to search: exit %d", r.code)
	}
	has(t, r.err, "there is no corpus to search", "hint: --run FILE")
	// Labels that repeat a pair are left out with a word, and refused where trec_eval would.
	twice := m.file("twice.qrels", "q1 0 a 1\nq1 0 a 2\nq2 0 b 1\n")
	has(t, m.must("check", "--labels", twice, "--run", good).err, "contradicts grade 1 in line 1")
	for _, flag := range []string{"--strict", "--compat"} {
		if r := m.run("check", "--labels", twice, "--run", good, flag); r.code != exitError {
			t.Errorf("%s takes labels that contradict each other: exit %d", flag, r.code)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// broken is a standard output that nothing can be written to, such as a full disk.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestOutputThatCantBeWrittenIsAnError(t *testing.T) {
	m := newMachine(t)
	labels, good, bad := m.small()
	for _, args := range [][]string{
		{"check", "--labels", labels, "--run", good}, {"check", "--labels", labels, "--run", good, "--json"}, {"check", "--labels", labels, "--run", good, "--trec"},
		{"check", "--labels", labels, "--run", good, "--markdown", "-"}, {"compare", "--labels", labels, good, bad}, {"guide"}, {"guide", "checks"}, {"guide", "schema"},
	} {
		var errs bytes.Buffer
		code := run(context.Background(), process{
			args: args, stdin: strings.NewReader(""), stdout: broken{}, stderr: &errs,
			getenv: func(string) string { return "" }, now: func() time.Time { return m.clock },
		})
		if code != exitError || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%q: exit %d %s", args, code, errs.String())
		}
	}
}

// Ids in columns are made safe before their width is taken.
func TestColumnsStandUnderEachOther(t *testing.T) {
	m := newMachine(t)
	long := strings.Repeat("long", 20)
	labels := m.file("g.jsonl", fmt.Sprintf("{\"query\":\"a\u202eb\",\"chunk\":\"c\",\"grade\":1}\n{\"query\":\"%s\",\"chunk\":\"c\",\"grade\":1}\n{\"query\":\"q\",\"chunk\":\"c\",\"grade\":1}\n", long))
	runs := m.file("r.jsonl", `{"query":"q","chunks":["c"]}`+"\n")
	out := m.must("check", "--labels", labels, "--run", runs, "-m", "R@5", "--per-query", "--by", "kind").out
	lines := strings.Split(out, "\n")
	for i := 1; i < 4; i++ {
		if a, b := len([]rune(lines[0])), len([]rune(lines[i])); a != b {
			t.Errorf("%d and %d cells:\n%s\n%s", a, b, lines[0], lines[i])
		}
	}
}

// weighted is a gold set of sampled queries and one that somebody wrote, with a run. R@1 is 1, 0, 1 and 0.
func (m *machine) weighted() (labels, run string) {
	row := func(id, kind, weight string, count int) string {
		return fmt.Sprintf(`{"query_id":%q,"query":%q,"kind":%q,"count":%d,"weight":%s,"state":"done","grades":{"a":1},"relevant_chunk_ids":["a"],"labels":[{"chunk_id":"a","grade":1,"annotator":"ann","at":"2026-01-02T03:04:05Z","scale_id":"s"}]}`,
			id, id, kind, count, weight) + "\n"
	}
	labels = m.file("weighted.jsonl", `{"assay":"gold","version":1,"scale":{"id":"s","min":0,"max":1,"names":{},"relevant_from":1},"corpus":{},"rule":"majority","queries":4,"labels":4}`+"\n"+
		row("q1", "mined", "300", 3)+row("q2", "mined", "100", 1)+row("q3", "mined", "100", 1)+row("q4", "written", "null", 1))
	run = m.file("weighted-run.jsonl", `{"query":"q1","chunks":["a"]}
{"query":"q2","chunks":["x"]}
{"query":"q3","chunks":["a"]}
{"query":"q4","chunks":["x"]}
`)
	return labels, run
}

func TestCheckShowsTheTraffic(t *testing.T) {
	m := newMachine(t)
	labels, run := m.weighted()
	out := m.must("check", "--labels", labels, "--run", run, "-m", "R@1 NumRet", "--require", "traffic:R@1>=0.8", "--require", "R@1<0.6").out
	has(t, out,
		"R@1                0.5000",
		"for the traffic      mean   95% interval          n   worth\nR@1                0.8000   ",
		"     3       2\n  3 queries with a weight stand for 500 asked ones, and are worth 2 of equal weight\n  1 query without a weight left out\n",
		"gate pass     R@1 for the traffic is 0.8000, want >= 0.8",
		"gate pass     R@1 is 0.5000, want < 0.6",
	)
	if strings.Count(out, "NumRet") != 1 {
		t.Errorf("a sum has no figure for the traffic:\n%s", out)
	}
	table, _, _ := strings.Cut(out, "recall by k")
	for _, line := range strings.Split(table, "\n") {
		if n := len([]rune(line)); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	r := decode[retrieval.Report](t, m.must("check", "--labels", labels, "--run", run, "-m", "R@1", "--json").out)
	if f := r.Measures[0].Traffic; f == nil || f.Value < .7999 || f.Value > .8001 || f.N != 3 || f.Outside != 1 || f.Asked != 500 {
		t.Errorf("%+v", f)
	}
	validate(t, schema(t, m), m.must("check", "--labels", labels, "--run", run, "--json", "--require", "traffic:R@5>=0.1").out)
	if r := m.run("check", "--labels", labels, "--run", run, "--require", "traffic:R@1>0.8"); r.code != exitGate {
		t.Errorf("exit %d\n%s", r.code, r.out)
	}
	// Without weights nothing is said of the traffic, and a gate on it fails.
	plain, good, _ := m.small()
	if out := m.must("check", "--labels", plain, "--run", good).out; strings.Contains(out, "traffic") {
		t.Errorf("no query has a weight:\n%s", out)
	}
	none := m.run("check", "--labels", plain, "--run", good, "--require", "traffic:R@5>=0")
	if none.code != exitGate {
		t.Errorf("exit %d", none.code)
	}
	has(t, none.err, "there is no R@5 for the traffic: no query that counts has a weight")
}
