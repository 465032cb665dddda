package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

const goldHeader = "query-id\tcorpus-id\tscore\n"

// goldRow is the row of a query in the native export.
func (m *machine) goldRow(query string) corpus.GoldRow {
	m.t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(m.must("export", "-o", "-").out), "\n") {
		if strings.Contains(line, `"query_id":"`+query+`"`) {
			return decode[corpus.GoldRow](m.t, line)
		}
	}
	m.t.Fatalf("query %q is not in the export", query)
	return corpus.GoldRow{}
}

func TestGoldSetOnAnotherScale(t *testing.T) {
	m := newMachine(t).workspace("--scale", "0-4")
	m.must("import", "labels", m.file("g.tsv", goldHeader+"q1\tc1\t4\nq1\tc2\t2\n"), "--annotator", "ben")
	wide := filepath.Join(t.TempDir(), "wide.jsonl")
	m.must("export", "-o", wide)
	m.workspace()
	m.must("import", "labels", m.file("h.tsv", goldHeader+"q1\tc3\t1\n"), "--annotator", "ann")
	out := decode[importedLabels](t, m.must("import", "labels", wide, "--json").out)
	if out.New != 1 || out.Refused != 1 || len(out.Rejects) != 1 || !strings.Contains(out.Rejects[0].Reason, "not on the scale 0 to 3") {
		t.Errorf("%d new, %d refused, %+v", out.New, out.Refused, out.Rejects)
	}
	if f := out.Files[0]; f.Accepted != 1 || f.Rejected != 0 {
		t.Errorf("lines: %d accepted, %d rejected of one row", f.Accepted, f.Rejected)
	}
	if row := m.goldRow("q1"); row.Grades["c2"] != 2 || len(row.Grades) != 2 {
		t.Errorf("grades %v", row.Grades)
	}
}

func TestOlderGoldSetDoesNotRewind(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "queries", m.file("q.csv", "id,query\nq1,one\n"))
	m.must("import", "labels", m.file("g.tsv", goldHeader+"q1\tc1\t1\n"), "--annotator", "ann", "--unfinished")
	old := filepath.Join(t.TempDir(), "old.jsonl")
	m.must("export", "-o", old)
	content, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	later := strings.Replace(string(content), `"said":[]`, `"said":[{"what":"state","value":"later","proof":null,"annotator":"ann","at":"2020-01-01T00:00:00Z"}]`, 1)
	later = strings.Replace(later, `"state":"open"`, `"state":"later"`, 1)
	if later == string(content) {
		t.Fatalf("the export is not as expected: %s", content)
	}
	m.must("import", "labels", m.file("done.tsv", goldHeader+"q1\tc1\t1\n"), "--annotator", "ann")
	has(t, m.must("import", "labels", m.file("later.jsonl", later)).err, "1 statement is (states, tags, answers) newer here than in the file: kept")
	if row := m.goldRow("q1"); row.State != corpus.Done {
		t.Errorf("an older file made the query %s again", row.State)
	}
}

func TestLabelsBeforeTheCorpus(t *testing.T) {
	m := newMachine(t).workspace()
	gold := m.file("g.tsv", goldHeader+"q1\tc1\t2\nq1\tgone\t1\n")
	m.must("import", "labels", gold, "--annotator", "ann")
	has(t, m.must("index", bug("B070", "corpus.jsonl")).out, "labels: 1 that came before the corpus belong to it now")
	out := decode[importedLabels](t, m.must("import", "labels", gold, "--annotator", "ann", "--json").out)
	if out.Same < 1 || out.New > 1 {
		t.Errorf("the same file again: %d new, %d there already", out.New, out.Same)
	}
	if row := m.goldRow("q1"); row.Grades["c1"] != 2 || row.Labels[0].Anchor.ChunkSHA256 == "" && row.Labels[1].Anchor.ChunkSHA256 == "" {
		t.Errorf("row %+v", row)
	}
}

// B009: Public report: pyserini#1902. Two files of one call contradict each other: the first counts, and that is said.
func TestContradictingFiles(t *testing.T) {
	m := newMachine(t).workspace()
	a, b := m.file("a.tsv", goldHeader+"q1\tc1\t2\n"), m.file("b.tsv", goldHeader+"q1\tc1\t0\n")
	out := decode[importedLabels](t, m.must("import", "labels", a, b, "--annotator", "ann", "--json").out)
	if out.New != 1 || len(out.Conflicts) != 1 || m.goldRow("q1").Grades["c1"] != 2 {
		t.Errorf("%d new, conflicts %+v, grades %v", out.New, out.Conflicts, m.goldRow("q1").Grades)
	}
}

func TestRunsAreNotReplacedInSilence(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", bug("B069", "gold.tsv"), "--annotator", "ann")
	m.must("import", "run", bug("B069", "run.jsonl"), "--name", "mine")
	other := m.file("other.run", "q1 Q0 c9 1 1.0 x\n")
	if r := m.run("import", "run", other, "--name", "mine"); r.code != exitError || !strings.Contains(r.err, "--replace") {
		t.Errorf("over another run: exit %d %s", r.code, r.err)
	}
	m.must("import", "run", other, "--name", "mine", "--replace")
	has(t, m.must("check", "--run", "mine", "-m", "R@10").out, "0.0000   0.0000 – 0.4899       4")
}

func TestLeftOutQueriesAreALoss(t *testing.T) {
	m := labeled(t)
	term := m.terminal(100, 30)
	term.wait("c1")
	term.keys("Q")
	term.wait("do you ship to the moon")
	term.keys("X")
	term.wait("left the query out")
	term.keys("q")
	term.wait("saved")
	term.cmd.Process.Kill()
	term.end()
	has(t, m.must("export", "trec", "-o", filepath.Join(t.TempDir(), "x.qrels")).err, "not in the file: query: left out of the gold set by hand (1 row)")
}
