package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args []string
		code int
		err  []string
	}{
		{[]string{"chek"}, exitUsage, []string{`error: there is no command "chek"`, `hint: did you mean "assay check"?`}},
		{[]string{"\x1b]0;x\x07"}, exitUsage, []string{"␛]0;x␇", "hint: assay help lists the commands"}},
		{[]string{"check", "--nope"}, exitUsage, []string{"error: unknown flag: --nope", "hint: assay check --help"}},
		{[]string{"check", "-m", "R@five"}, exitUsage, []string{"error: ", "R@five"}},
		{[]string{"check", "-m", "nDGC@10"}, exitUsage, []string{"nDCG"}},
		{[]string{"import"}, exitUsage, []string{"say what to import", "hint: "}},
		{[]string{"import", "cats", "f"}, exitUsage, []string{`can't import "cats"`}},
		{[]string{"import", "queries"}, exitUsage, []string{"error: ", "hint: "}},
		{[]string{"import", "queries", "nope.csv"}, exitError, []string{"nope.csv", "no such file"}},
		{[]string{"import", "queries", "--format", "sonnet", "testdata/bugs/B011/log.csv"}, exitUsage, []string{"sonnet"}},
		{[]string{"import", "labels", "--format", "sonnet", "testdata/bugs/B009/gold.tsv"}, exitUsage, []string{"sonnet"}},
		{[]string{"export", "sonnet"}, exitUsage, []string{"sonnet"}},
		{[]string{"export", "--rule", "mean"}, exitUsage, []string{"mean"}},
		{[]string{"search"}, exitUsage, []string{"error: "}},
		{[]string{"search", "-n", "0", "x"}, exitUsage, []string{"below 1"}},
		{[]string{"search", "x"}, exitError, []string{"nothing is indexed yet", "hint: assay index PATH…"}},
		{[]string{"index"}, exitUsage, []string{"nothing to index", "hint: assay index PATH…"}},
		{[]string{"index", "nope"}, exitError, []string{"nope"}},
		{[]string{"index", "--only"}, exitUsage, []string{"which PATH"}},
		{[]string{"check"}, exitError, []string{"nothing is indexed yet"}},
		{[]string{"check", "--run", "nope"}, exitError, []string{"there is no query to measure on"}},
		{[]string{"log", "undo", "nope"}, exitError, []string{"there is no such batch", "hint: assay log --batches"}},
		{[]string{"log", "-n", "0"}, exitUsage, []string{"below 1"}},
		{[]string{"guide", "chekcs"}, exitUsage, []string{`did you mean "assay guide checks"?`}},
		{[]string{"init", "."}, exitError, []string{"is a workspace already"}},
		{[]string{"init", "x", "--scale", "3-0"}, exitUsage, []string{"scale"}},
		{[]string{"init", "x", "--language", "klingon"}, exitUsage, []string{"klingon", "one of "}},
	}
	m := newMachine(t).workspace()
	for _, tt := range tests {
		if tt.args[0] == "init" && tt.args[1] == "." {
			tt.args = []string{"init", m.dir}
		}
		r := m.run(tt.args...)
		if r.code != tt.code {
			t.Errorf("assay %q: exit %d, want %d\n%s", tt.args, r.code, tt.code, r.err)
		}
		has(t, r.err, tt.err...)
		if r.out != "" {
			t.Errorf("assay %q: an error on stdout: %q", tt.args, r.out)
		}
		if n := strings.Count(r.err, "\n"); n > 2 {
			t.Errorf("assay %q: %d lines of error:\n%s", tt.args, n, r.err)
		}
	}
	m.dir = ""
	m.env["ASSAY_WORKSPACE"] = t.TempDir()
	for _, args := range [][]string{{"status"}, {"check"}, {"export"}, {"index", "."}} {
		r := m.run(args...)
		if r.code != exitError {
			t.Errorf("assay %s outside a workspace: exit %d", args[0], r.code)
		}
		has(t, r.err, "no workspace here", "hint: ")
	}
}

func TestHelpIsOnStdoutAndNamesExitCodes(t *testing.T) {
	m := newMachine(t)
	r := m.must("--help")
	has(t, r.out, "130 interrupted", "demo", "import", "Measure and hand over")
	if r.err != "" {
		t.Errorf("stderr: %q", r.err)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := m.must("completion", shell); len(r.out) < 100 {
			t.Errorf("completion %s: %q", shell, r.out)
		}
	}
	has(t, m.must("version").out, "assay ")
	if v := decode[map[string]string](t, m.must("version", "--json").out); v["version"] != version {
		t.Errorf("version --json: %v", v)
	}
}

// TestEveryCommandIsDescribed checks that the help of each command says what it does.
func TestEveryCommandIsDescribed(t *testing.T) {
	m := newMachine(t)
	a := &app{process: process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}}
	for _, c := range a.root().Commands() {
		if c.Short == "" {
			t.Errorf("%s has no description", c.Name())
		}
		has(t, m.must(c.Name(), "--help").out, "Usage:")
	}
}

func TestScales(t *testing.T) {
	good := map[string]string{
		"0-3":                         "0 not, 1 partly, 2 relevant, 3 perfect; relevant from 1",
		"0-1":                         "0 not, 1 relevant; relevant from 1",
		"0-4":                         "0, 1, 2, 3, 4; relevant from 1",
		"0=no,1=yes":                  "0 no, 1 yes; relevant from 1",
		" 0=no , 1=some, 2=all of it": "0 no, 1 some, 2 all of it; relevant from 1",
	}
	for in, want := range good {
		s, err := parseScale(in, 1)
		if err != nil || describeScale(s) != want {
			t.Errorf("%q: %v, %s", in, err, describeScale(s))
		}
	}
	for _, in := range []string{"", "3", "0-12", "a-b", "0=x,0=y", "0=a,2=c", "1-1", "5=x"} {
		if s, err := parseScale(in, 1); err == nil {
			t.Errorf("%q was taken as %s", in, describeScale(s))
		}
	}
	if _, err := parseScale("0-3", 0); err == nil {
		t.Error("relevant from the lowest grade")
	}
}

func TestScaleIsFixedOnceThereAreLabels(t *testing.T) {
	m := newMachine(t).workspace("--scale", "0-1")
	gold := m.file("gold.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\nq1\tc2\t2\n")
	has(t, m.must("import", "labels", gold, "--annotator", "ann").out, "widened: 0 not, 1 relevant, 2;")
	r := m.must("import", "labels", m.file("more.tsv", "query-id\tcorpus-id\tscore\nq1\tc3\t5\nq1\tc4\t2\n"), "--annotator", "ann")
	has(t, r.err, "more.tsv:2: grade 5", "not on the scale 0 to 2", "1 accepted + 1 rejected = 2")
	path := filepath.Join(m.dir, "assay.toml")
	toml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(toml), "max = 2", "max = 3", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"export"}, {"import", "queries", gold}} {
		r := m.run(args...)
		if r.code != exitError {
			t.Errorf("assay %s with another scale: exit %d", args[0], r.code)
		}
		has(t, r.err, "the scale in assay.toml", "hint: ")
	}
}

func TestDryRunsWriteNothing(t *testing.T) {
	m := newMachine(t).workspace()
	before := m.must("status", "--json").out
	toml, _ := os.ReadFile(filepath.Join(m.dir, "assay.toml"))
	has(t, m.must("import", "queries", bug("B011", "log.csv"), "--dry-run").out, "2 would be new")
	has(t, m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t7\n"), "--annotator", "ann", "--dry-run").out, "1 would be new", "widened")
	m.must("import", "run", bug("B065", "run.jsonl"), "--dry-run")
	after, _ := os.ReadFile(filepath.Join(m.dir, "assay.toml"))
	if got := m.must("status", "--json").out; got != before || string(after) != string(toml) {
		t.Errorf("something was written:\n%s%s", before, got)
	}
	if left, _ := filepath.Glob(filepath.Join(m.dir, "runs", "*")); len(left) != 0 {
		t.Errorf("a run was kept: %v", left)
	}
}

func TestUndoOfAnImport(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "queries", bug("B070", "queries.jsonl"))
	out := decode[importedLabels](t, m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t2\nq1\tc2\t1\n"), "--annotator", "ann", "--json").out)
	// ann changes her mind about one of them before the import is taken back.
	m.must("import", "labels", m.file("h.tsv", "query-id\tcorpus-id\tscore\nq1\tc2\t3\n"), "--annotator", "ann", "--replace", "--unfinished")
	has(t, m.must("log", "--batches").out, out.Batch, "2 label, 1 work")
	r := m.must("log", "undo", out.Batch)
	has(t, r.out, "took back 2 changes")
	has(t, r.err, "kept, since it was changed later: q1: c2 graded 1")
	lines := strings.Split(m.must("export", "-o", "-").out, "\n")
	row := decode[corpus.GoldRow](t, lines[1])
	if len(row.Grades) != 1 || row.Grades["c2"] != 3 || row.State == corpus.Done {
		t.Errorf("after the undo: %v, %s", row.Grades, row.State)
	}
	has(t, m.must("log", "-n", "3").out, "took back: q1: c1 no grade (was 2)")
	if n := strings.Count(m.must("log", "--json", "-n", "1000", "--query", "q1").out, "\n"); n < 5 {
		t.Errorf("the journal of q1 has %d lines", n)
	}
}

func TestImportKeepsWhatWasSaid(t *testing.T) {
	m := newMachine(t).workspace()
	first := m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t2\n")
	second := m.file("h.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t0\n")
	m.must("import", "labels", first, "--annotator", "ann")
	r := m.must("import", "labels", second, "--annotator", "ann")
	has(t, r.err, "conflict: ann graded c1 for q1 as 2 already; the file says 0", "--replace")
	has(t, m.must("export", "trec", "-o", "-").out, "q1 0 c1 2\n")
	m.must("import", "labels", second, "--annotator", "ann", "--replace")
	has(t, m.must("export", "trec", "-o", "-").out, "q1 0 c1 0\n")
	// Files without an annotator need one.
	delete(m.env, "ASSAY_ANNOTATOR")
	if r := m.run("import", "labels", first); r.code != exitUsage || !strings.Contains(r.err, "--annotator NAME") {
		t.Errorf("without an annotator: exit %d %s", r.code, r.err)
	}
}

func TestImportedRunIsMeasuredByName(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", bug("B069", "gold.tsv"), "--annotator", "ann")
	m.must("import", "run", bug("B069", "run.jsonl"), "--name", "mine")
	has(t, m.must("check", "--run", "mine", "-m", "R@10").out, "R@10               0.5000   0.0000 – 1.0000       4")
	if r := m.run("import", "run", bug("B069", "run.jsonl"), "--name", "../out"); r.code != exitUsage {
		t.Errorf("a name that leaves the folder: exit %d", r.code)
	}
	if r := m.run("check", "--run", "other"); r.code != exitError || !strings.Contains(r.err, "hint: ") {
		t.Errorf("an unknown run: exit %d %s", r.code, r.err)
	}
}

// TestNativeRoundTrip takes everything that can be said through a file and back, byte for byte
// (B019: Public report: doccano#1605).
func TestNativeRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	m := newMachine(t)
	m.must("demo", "--keep", dir)
	m.dir = dir
	first, second := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "b.jsonl")
	m.must("export", "-o", first)
	m.workspace()
	m.must("import", "labels", first)
	m.must("export", "-o", second)
	same(t, first, second)
	// And into a workspace that has the corpus, too.
	m.workspace()
	m.must("index", filepath.Join(dir, "guide"))
	m.must("import", "labels", first)
	has(t, m.must("import", "labels", first).out, "0 new")
	m.must("export", "-o", second)
	same(t, first, second)
}

func TestMissingLabelsFileIsSaid(t *testing.T) {
	m := newMachine(t).workspace()
	if err := os.Remove(filepath.Join(m.dir, "labels.db")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"export"}, {"status"}, {"check"}, {"import", "queries", m.file("q.txt", "one\n")}} {
		if r := m.run(args...); r.code != exitError || !strings.Contains(r.err, "hint: ") {
			t.Errorf("assay %s: exit %d %s", args[0], r.code, r.err)
		}
	}
	has(t, m.must("init", m.dir).err, "labels.db was not there")
	has(t, m.must("status").out, "labels      0 on 0 queries")
}

// B046: Public report: bleve#2310. A damaged index is noticed, and built anew; labels are untouched.
func TestB046DamagedIndex(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t2\n"), "--annotator", "ann")
	labels := m.must("export", "trec", "-o", "-").out
	var damaged int
	err := filepath.WalkDir(filepath.Join(m.dir, "corpus"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".zap") {
			damaged++
			return os.Truncate(path, 10)
		}
		return err
	})
	if err != nil || damaged == 0 {
		t.Fatalf("%d files were damaged: %v", damaged, err)
	}
	r := m.run("search", "refund")
	if r.code != exitError {
		t.Errorf("search over a damaged index: exit %d", r.code)
	}
	has(t, r.err, "hint: ", "assay index")
	m.must("index")
	has(t, m.must("search", "refunds").out, "c1")
	if got := m.must("export", "trec", "-o", "-").out; got != labels {
		t.Errorf("labels changed: %q", got)
	}
}

// TestEncodedIDs takes ids that TREC can't hold out and back in.
func TestEncodedIDs(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", m.file("g.jsonl", `{"query":"q 1","chunk":"a b%","grade":2}`+"\n"), "--annotator", "ann")
	r := m.run("export", "trec")
	if r.code != exitError || !strings.Contains(r.err, "--encode-ids") {
		t.Errorf("ids with spaces: exit %d %s", r.code, r.err)
	}
	path := filepath.Join(t.TempDir(), "x.qrels")
	m.must("export", "trec", "-o", path, "--encode-ids")
	ids, err := os.ReadFile(path + ".ids.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(ids), `"id":"a b%"`, `"id":"q 1"`)
	m.workspace()
	m.must("import", "labels", path, "--annotator", "ann", "--decode-ids")
	has(t, m.must("export", "-o", "-").out, `"query_id":"q 1"`, `"grades":{"a b%":2}`)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m.workspace()
	if r := m.runWith(data, "import", "labels", "-", "--annotator", "ann"); r.code != 0 {
		t.Errorf("from stdin: exit %d %s", r.code, r.err)
	}
}

// B064: Public report: lipgloss#75. Into a pipe go no colour codes, with and without NO_COLOR, from any command: help,
// data on stdout and errors on stderr.
func TestB064NoEscapesInPipes(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B027", "corpus.jsonl"))
	m.must("import", "queries", bug("B070", "queries.jsonl"))
	for _, noColor := range []string{"", "1"} {
		m.env["NO_COLOR"] = noColor
		for _, args := range [][]string{
			{"--help"}, {"check", "--help"}, {"status"}, {"search", "refund", "--text"}, {"log"}, {"check"}, {"export", "csv", "-o", "-"},
			{"guide", "keys"}, {"nope"}, {"import", "queries", "nope.csv"}, {"demo"},
		} {
			r := m.run(args...)
			if r.out == "" && r.err == "" {
				t.Errorf("assay %s printed nothing", args[0])
			}
			if strings.ContainsAny(r.out+r.err, "\x1b\u009b") {
				t.Errorf("assay %s: an escape in %q", args[0], r.out+r.err)
			}
		}
	}
}

func TestExportsSpareTheWorkspace(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", m.file("g.tsv", goldHeader+"q1\tc1\t2\n"), "--annotator", "ann")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(m.dir, "labels.db"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(m.dir, "labels.db"), filepath.Join(m.dir, "assay.toml"), filepath.Join(m.dir, "guidelines.md"),
		filepath.Join(m.dir, "corpus", "x"), filepath.Join(m.dir, "exports", "..", "labels.db"), link, m.dir,
	} {
		if r := m.run("export", "trec", "-o", path); r.code != exitUsage {
			t.Errorf("over %s: exit %d %s", path, r.code, r.err)
		}
	}
	has(t, m.must("export", "trec", "-o", filepath.Join(m.dir, "mine.qrels")).out, "1 query, 1 grade")
	has(t, m.must("status").out, "labels      1 on 1 query")
}

func TestWrongFilesAreNotRemembered(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	r := m.run("index", bug("B011", "log.csv"))
	if r.code != exitError || !strings.Contains(r.err, "hint: ") {
		t.Errorf("a log as a corpus: exit %d %s", r.code, r.err)
	}
	has(t, m.must("index").out, "5 unchanged")
}

func TestDisagreementIsSaid(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", m.file("g.tsv", goldHeader+"q1\tc1\t2\n"), "--annotator", "ann")
	m.must("import", "labels", m.file("h.tsv", goldHeader+"q1\tc1\t1\n"), "--annotator", "ben")
	has(t, m.must("check", "--run", m.file("r.run", "q1 Q0 c1 1 1 x\n")).err, "unresolved: 1 (annotators disagree without a majority)")
}
