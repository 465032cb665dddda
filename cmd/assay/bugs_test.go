package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/cmd/assay/internal/intake"
	"assay/corpus"
	"assay/corpus/querylog/clean"
	"assay/corpus/retrieval"
)

// The tests in this file replay faults that other tools had, each with the input that its public report describes.

func bug(parts ...string) string {
	return filepath.Join(append([]string{"testdata", "bugs"}, parts...)...)
}

// B001: Public report: csvlint#37. A BOM before a quoted header must not become part of a column's name.
func TestB001BOMBeforeQuotedHeader(t *testing.T) {
	m := newMachine(t).workspace()
	r := m.must("import", "queries", bug("B001", "queries.csv"), "--text-field", "query, as typed\nby user", "--json")
	out := decode[intake.Report](t, r.out)
	if out.Added != 2 || out.Read != 3 || len(out.Rejects) != 0 || out.Cleaned[clean.Empty] != 1 {
		t.Fatalf("%+v", out)
	}
	gold := m.must("export", "native", "-o", "-").out
	has(t, gold, `"query":"refund, where?\nline two \"quoted\""`, `"query_id":"q2"`)
}

// B002: Public report: paccor#70. UTF-16 as PowerShell writes it.
func TestB002UTF16(t *testing.T) {
	for _, name := range []string{"queries_utf16be_bom.jsonl", "queries_utf16le_bom.jsonl", "queries_utf8_bom.jsonl", "queries_utf16le_nobom.jsonl"} {
		m := newMachine(t).workspace()
		r := m.run("import", "queries", bug("B002", name), "--json")
		if strings.Contains(name, "nobom") && r.code != 0 {
			has(t, r.err, "UTF-16")
			continue
		}
		if out := decode[intake.Report](t, r.out); out.Added != 3 {
			t.Errorf("%s: %d queries", name, out.Added)
		}
		if gold := m.must("export", "-o", "-").out; strings.Contains(gold, `\u0000`) || !strings.Contains(gold, `"query_id":"q3"`) {
			t.Errorf("%s: %s", name, gold)
		}
	}
}

// B004: Public report: khoj#460. One bad line neither ends the import nor hides the rest.
func TestB004BadLines(t *testing.T) {
	m := newMachine(t).workspace()
	path := bug("B004", "queries_broken_middle.jsonl")
	out := decode[intake.Report](t, m.must("import", "queries", path, "--json").out)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := out.Files[0]
	if lines := strings.Count(string(data), "\n") + 1; f.Accepted+f.Rejected+f.Blank != lines {
		t.Errorf("%d accepted + %d rejected + %d blank is not %d lines", f.Accepted, f.Rejected, f.Blank, lines)
	}
	rejected := map[int]bool{}
	for _, r := range out.Rejects {
		rejected[r.Line] = true
	}
	for _, line := range []int{3, 4, 5, 6, 7, 8, 9} {
		if !rejected[line] {
			t.Errorf("line %d is not among the rejects %+v", line, out.Rejects)
		}
	}
	has(t, m.must("export", "-o", "-").out, `"query_id":"q1"`, `"query_id":"q8"`)
}

// B005: Public report: FastCSV#173. An unclosed quote must not eat later rows in silence.
func TestB005UnclosedQuote(t *testing.T) {
	for name, rows := range map[string]int{"log_unclosed.csv": 4, "log_smartquote.csv": 3} {
		m := newMachine(t).workspace()
		r := m.run("import", "queries", bug("B005", name), "--json")
		out := decode[intake.Report](t, r.out)
		if out.Added+len(out.Rejects) < rows || len(out.Rejects) > 0 && out.Rejects[0].Line != 2 {
			t.Errorf("%s: %d new, rejects %+v", name, out.Added, out.Rejects)
		}
	}
}

// B006: Public report: FastCSV#173's sibling OpenRefine#690. An inch mark in the middle of a cell is a character.
func TestB006InchMark(t *testing.T) {
	for name, want := range map[string]string{"log_inch.csv": `"query":"24\" monitor stand"`, "log_inch.tsv": `"query":"\"unbalanced in tsv"`} {
		m := newMachine(t).workspace()
		out := decode[intake.Report](t, m.must("import", "queries", bug("B006", name), "--json").out)
		if out.Added != 3 || len(out.Rejects) != 0 {
			t.Errorf("%s: %d new, rejects %+v", name, out.Added, out.Rejects)
		}
		has(t, m.must("export", "-o", "-").out, want)
	}
}

// B007: Public report: ai-workshop#579. Line ends and a BOM change nothing about the chunks.
func TestB007LineEnds(t *testing.T) {
	var first corpus.Hash
	for _, ending := range []string{"lf", "crlf", "cr", "bom"} {
		m := newMachine(t).workspace()
		out := decode[indexedJSON](t, m.must("index", bug("B007", ending), "--json").out)
		if first == "" {
			first = out.Corpus.Fingerprint
		}
		if out.Corpus.Fingerprint != first || out.Corpus.Chunks == 0 {
			t.Errorf("%s: %d chunks, %s; with LF %s", ending, out.Corpus.Chunks, out.Corpus.Fingerprint, first)
		}
	}
}

// B008: Public report: quickwit#2011. Numeric ids keep every digit, from corpus to export.
func TestB008NumericIDs(t *testing.T) {
	m := newMachine(t).workspace()
	out := decode[indexedJSON](t, m.must("index", bug("B008", "corpus.jsonl"), "--json").out)
	if out.Corpus.Chunks != 8 {
		t.Errorf("%d chunks: %+v", out.Corpus.Chunks, out.Rejects)
	}
	m.must("import", "queries", bug("B008", "queries.jsonl"))
	labels := decode[importedLabels](t, m.must("import", "labels", bug("B008", "gold.tsv"), "--annotator", "ann", "--json").out)
	if labels.New != 4 || len(labels.UnknownChunks) != 0 {
		t.Errorf("%d labels, unknown %v", labels.New, labels.UnknownChunks)
	}
	has(t, m.must("export", "trec", "-o", "-").out, "1 0 1000000 1\n", "1 0 9007199254740993 2\n", "1 0 42 1\n", "1 0 007 1\n")
	dir := filepath.Join(t.TempDir(), "beir")
	m.must("export", "beir", "-o", dir)
	beir, err := os.ReadFile(filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(beir), `"_id":"9007199254740993"`, `"_id":"9007199254740992"`, `"_id":"12345678901234567890"`, `"_id":"007"`)
}

// B009: Public report: pyserini#1902. A repeated id never replaces in silence.
func TestB009RepeatedIDs(t *testing.T) {
	m := newMachine(t).workspace()
	r := m.must("index", bug("B009", "corpus.jsonl"))
	has(t, r.err, "corpus.jsonl:3", "corpus.jsonl:1", "corpus.jsonl:4", "corpus.jsonl:2")
	has(t, r.out, "3 chunks")
	has(t, m.must("search", "cancelled dispatch", "--text").out, "Orders can be cancelled before dispatch.")
	r = m.run("import", "labels", bug("B009", "gold.tsv"), "--annotator", "ann")
	has(t, r.err, "gold.tsv:5", "4")
	if strings.Contains(m.must("export", "trec", "-o", "-").out, "c2 0") {
		t.Error("the second of two contradicting grades won")
	}
}

// B011: Public report: label-studio#540. Importing again adds only what is new, and touches no label.
func TestB011ImportAgain(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B009", "corpus.jsonl"))
	has(t, m.must("import", "queries", bug("B011", "log.csv")).out, "2 new")
	has(t, m.must("import", "queries", bug("B011", "log.csv")).out, "0 new, 2 there already, 0 changed")
	m.must("import", "labels", m.file("gold.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t2\n"), "--annotator", "ann")
	r := m.must("import", "queries", bug("B011", "log_edited.csv"))
	has(t, r.out, "1 new, 1 there already, 1 changed", `"refund time" → "refund time?"`, "1 label made on the old text")
	has(t, m.must("export", "trec", "-o", "-").out, "q1 0 c1 2\n")
	has(t, m.must("status").out, "stale       1 label made on a text that is different now")
}

// B016: Public report: quepid#175. Ids that look like paths and URLs come back byte for byte and create no file.
func TestB016PathLikeIDs(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B016", "corpus.jsonl"))
	m.must("import", "queries", m.file("q.txt", "refund\n"))
	found := decode[searchJSON](t, m.must("search", "refund", "-n", "20", "--json").out)
	if len(found.Hits) != 11 {
		t.Fatalf("%d chunks found", len(found.Hits))
	}
	query := decode[corpus.GoldRow](t, strings.Split(m.must("export", "-o", "-").out, "\n")[1]).QueryID
	gold := "query-id\tcorpus-id\tscore\n"
	for _, h := range found.Hits {
		gold += query + "\t" + h.ChunkID + "\t1\n"
	}
	m.must("import", "labels", m.file("gold.tsv", gold), "--annotator", "ann")
	row := decode[corpus.GoldRow](t, strings.Split(m.must("export", "-o", "-").out, "\n")[1])
	if len(row.RelevantChunkIDs) != 11 {
		t.Errorf("%d ids came back: %q", len(row.RelevantChunkIDs), row.RelevantChunkIDs)
	}
	for _, h := range found.Hits {
		if row.Grades[h.ChunkID] != 1 {
			t.Errorf("%q lost its grade", h.ChunkID)
		}
	}
	if exists(filepath.Join(filepath.Dir(m.dir), "etc")) || exists(filepath.Join(m.dir, "etc")) {
		t.Error("an id became a path")
	}
}

// B017: Public report: quepid#185. Queries without labels stay in what lists queries, and unjudged is not none relevant.
func TestB017UnlabeledQueries(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B009", "corpus.jsonl"))
	m.must("import", "queries", m.file("log.csv", "id,query\nq1,one\nq2,two\nq3,three\n"))
	m.must("import", "labels", m.file("gold.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\n"), "--annotator", "ann")
	if lines := strings.Count(m.must("export", "-o", "-").out, "\n"); lines != 4 {
		t.Errorf("%d lines in the native export", lines)
	}
	dir := filepath.Join(t.TempDir(), "beir")
	m.must("export", "beir", "-o", dir)
	queries, err := os.ReadFile(filepath.Join(dir, "queries.jsonl"))
	if err != nil || strings.Count(string(queries), "\n") != 3 {
		t.Errorf("queries.jsonl: %v\n%s", err, queries)
	}
	has(t, m.must("check").out, "left out: 2 queries unfinished")
}

// B018: Public report: quepid#758. Several raters become one grade by a stated rule, and a skip is not 0.
func TestB018SeveralRaters(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", bug("B018", "labels.jsonl"))
	lines := strings.Split(m.must("export", "-o", "-").out, "\n")
	has(t, lines[0], `"rule":"majority"`, `"labels":3`)
	row := decode[corpus.GoldRow](t, lines[1])
	if len(row.Labels) != 3 || len(row.Grades) != 0 || len(row.Unresolved) != 1 {
		t.Errorf("%d labels, grades %v, unresolved %v: 2 against 0 is a tie", len(row.Labels), row.Grades, row.Unresolved)
	}
	skips := 0
	for _, l := range row.Labels {
		if l.Grade == corpus.CannotJudge {
			skips++
		}
	}
	if skips != 1 {
		t.Errorf("%d of the labels say can't judge", skips)
	}
	if r := m.run("export", "-o", "-", "--rule", "single"); r.code != 1 {
		t.Errorf("rule single over three raters: exit %d", r.code)
	}
}

// B023: Public report: amule#312. Ids that differ by normal form are different, and that is said.
func TestB023NormalForms(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B023", "corpus.jsonl"))
	r := m.run("import", "labels", bug("B023", "gold.tsv"), "--annotator", "ann")
	has(t, r.err, "only by normalisation or case")
	r = m.run("check", "-m", "R@5")
	if r.code != exitGate {
		t.Errorf("check with gold ids that are not in the corpus: exit %d", r.code)
	}
	has(t, r.err, "not in the corpus")
	for _, form := range []string{"re\u0301sume\u0301", "r\u00e9sum\u00e9"} {
		if out := m.must("search", form).out; !strings.Contains(out, ".md#1") {
			t.Errorf("search for %q finds %q", form, out)
		}
	}
}

// B024: Public report: doccano#1762. Text in another encoding is refused with the place, or read when it is named.
func TestB024Encodings(t *testing.T) {
	for name, encoding := range map[string]string{"log_latin1.csv": "latin1", "log_cp1252.csv": "windows-1252", "log_sjis.csv": "shift_jis"} {
		m := newMachine(t).workspace()
		r := m.run("import", "queries", bug("B024", name))
		has(t, r.err, name+":", "byte", "--encoding")
		out := decode[intake.Report](t, newMachine(t).workspace().must("import", "queries", bug("B024", name), "--encoding", encoding, "--json").out)
		if out.Added == 0 || len(out.Rejects) != 0 {
			t.Errorf("%s as %s: %d new, rejects %+v", name, encoding, out.Added, out.Rejects)
		}
	}
}

// B026: Public report: tableExport#230. Cells that run as formulas are guarded on request only.
func TestB026Formulas(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "queries", bug("B026", "log.csv"))
	m.must("import", "labels", m.file("gold.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\nq2\tc1\t1\n"), "--annotator", "ann")
	has(t, m.must("export", "csv", "-o", "-").out, `"=HYPERLINK(""http://example.test"",""x"")"`)
	has(t, m.must("export", "csv", "-o", "-", "--guard-formulas").out, `'=HYPERLINK`)
	has(t, m.must("export", "-o", "-").out, `"query":"=HYPERLINK(\"http://example.test\",\"x\")"`)
}

// B027: Public report: vercel/ai#20052. Text from outside does not drive the terminal; exports keep its bytes.
func TestB027EscapeSequences(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B027", "corpus.jsonl"))
	r := m.must("search", "refund", "-n", "20", "--text")
	for _, c := range r.out + r.err {
		if c < 0x20 && c != '\n' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			t.Fatalf("%U reached the terminal", c)
		}
	}
	has(t, r.out, "␛")
	dir := filepath.Join(t.TempDir(), "beir")
	m.must("export", "beir", "-o", dir)
	m2 := newMachine(t).workspace()
	again := decode[indexedJSON](t, m2.must("index", dir, "--json").out)
	was := decode[statusJSON](t, m.must("status", "--json").out)
	if again.Corpus.Fingerprint != was.Corpus.Fingerprint {
		t.Error("the export changed the texts")
	}
}

// B039: Public report: bleve#239. Unusable ids are refused by line, empty texts are kept, the rest goes on.
func TestB039UnusableRows(t *testing.T) {
	m := newMachine(t).workspace()
	out := decode[indexedJSON](t, m.must("index", bug("B039", "corpus.jsonl"), "--json").out)
	rejected := map[int]bool{}
	for _, r := range out.Rejects {
		rejected[r.Line] = true
	}
	for _, line := range []int{1, 5, 6, 9} {
		if !rejected[line] {
			t.Errorf("line %d is not refused: %+v", line, out.Rejects)
		}
	}
	if out.Accepted+out.Repeated+out.Rejected != 11 {
		t.Errorf("%d accepted, %d repeated, %d rejected of 11", out.Accepted, out.Repeated, out.Rejected)
	}
	has(t, strings.Join(out.Empty, " "), "c2", "c3")
	has(t, m.must("search", "refund").out, "c10")
	has(t, m.must("search", "the and of").out, "c9")
}

// B065, B066, B069: Public reports: trulens#2746, jina#1123, search-relevance#66. Duplicates, denominators, absent queries.
func TestB065To69Measures(t *testing.T) {
	figures := func(id string, names string, flags ...string) (retrieval.Report, result) {
		m := newMachine(t).workspace()
		m.must("import", "labels", bug(id, "gold.tsv"), "--annotator", "ann")
		r := m.run(append([]string{"check", "--run", bug(id, "run.jsonl"), "-m", names, "--json"}, flags...)...)
		if r.code != 0 {
			return retrieval.Report{}, r
		}
		return decode[retrieval.Report](t, r.out), r
	}
	report, _ := figures("B065", "R@3 R@2 RR")
	for i, want := range []string{"0.5000", "0.5000", "1.0000"} {
		if got := figure(report.Measures[i].Mean); got != want {
			t.Errorf("B065 %s: %s, want %s", report.Measures[i].Name, got, want)
		}
	}
	if report.Repeats != 1 || len(report.Warnings) == 0 {
		t.Errorf("B065: %d repeats, warnings %q", report.Repeats, report.Warnings)
	}
	if _, r := figures("B065", "R@3", "--strict"); r.code != 1 {
		t.Errorf("B065 --strict: exit %d", r.code)
	}
	report, _ = figures("B066", "R@1 R@2 R@5 R@10")
	for i, want := range []string{"0.2000", "0.4000", "0.4000", "0.4000"} {
		if got := figure(report.Measures[i].Mean); got != want {
			t.Errorf("B066 %s: %s, want %s", report.Measures[i].Name, got, want)
		}
	}
	report, _ = figures("B069", "R@10")
	if got := report.Measures[0]; figure(got.Mean) != "0.5000" || got.N != 4 {
		t.Errorf("B069: %s over %d", figure(got.Mean), got.N)
	}
	if strings.Join(report.Unknown, " ") != "q9" || strings.Join(report.NoResult, " ") != "q2 q3" {
		t.Errorf("B069: unknown %v, without result %v", report.Unknown, report.NoResult)
	}
}

// B068: Public report: haystack#938. Unanswerable queries leave the means; a tag that labels contradict is listed.
func TestB068Unanswerable(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "labels", bug("B068", "gold.jsonl"), "--annotator", "ann")
	report := decode[retrieval.Report](t, m.must("check", "--run", bug("B068", "run.jsonl"), "-m", "R@5", "--json").out)
	if len(report.Excluded) != 1 || report.Excluded[0] != (retrieval.Excluded{QueryID: "q1", Why: retrieval.WhyUnanswerable}) {
		t.Errorf("excluded %+v", report.Excluded)
	}
	if strings.Join(report.Contradictory, " ") != "q3" {
		t.Errorf("contradictory %v", report.Contradictory)
	}
	has(t, m.must("check", "--run", bug("B068", "run.jsonl")).out, "left out: 1 query unanswerable")
}

// B070: Public report: beir#101. Gold ids that the corpus lacks are listed, and the figure stands with and without them.
func TestB070MissingGold(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "queries", bug("B070", "queries.jsonl"))
	m.must("import", "labels", bug("B070", "gold.tsv"), "--annotator", "ann")
	r := m.run("check", "-m", "R@5")
	if r.code != exitGate {
		t.Errorf("exit %d", r.code)
	}
	has(t, r.err, "not in the corpus: gone-03b, graded 1 for query q1", "--allow-missing")
	has(t, r.out, "without the gold ids that are not in the corpus:")
	if r := m.run("check", "-m", "R@5", "--allow-missing"); r.code != 0 {
		t.Errorf("--allow-missing: exit %d\n%s", r.code, r.err)
	}
}

// B071: Public report: beir#11. A corpus whose ids moved on is noticed by the texts.
func TestB071ShiftedIDs(t *testing.T) {
	m := newMachine(t).workspace()
	v1, v2 := m.file("corpus.jsonl", ""), ""
	copyTo(t, bug("B071", "corpus_v1.jsonl"), v1)
	m.must("index", v1)
	m.must("import", "queries", m.file("q.csv", "id,query\nq1,how long do refunds take\n"))
	m.must("import", "labels", bug("B071", "labels.jsonl"), "--annotator", "ann")
	v2 = v1
	copyTo(t, bug("B071", "corpus_v2.jsonl"), v2)
	has(t, m.must("index").out, "1 added, 5 changed, 0 gone, 0 unchanged", "labels: 1 made on a text that is different now")
	has(t, m.must("status").out, "stale       1 label")
	has(t, m.must("check").err, "1 label made on a text that is different now")
}

// B073: Public report: trec_eval#29. Grades that are no integers are refused by line; negative ones are kept as given.
func TestB073OddGrades(t *testing.T) {
	m := newMachine(t).workspace()
	out := decode[importedLabels](t, m.must("import", "labels", bug("B073", "qrels.trec"), "--annotator", "ann", "--json").out)
	if out.New != 3 || len(out.Rejects) != 3 {
		t.Errorf("%d new, rejects %+v", out.New, out.Rejects)
	}
	for i, line := range []int{4, 5, 6} {
		if out.Rejects[i].Line != line {
			t.Errorf("reject %d is of line %d", i, out.Rejects[i].Line)
		}
	}
	has(t, m.must("export", "trec", "-o", "-").out, "Q1 0 D1 -1\n", "Q1 0 D2 1\n", "Q1 0 D3 0\n")
}

// B074: Public report: vegeta#461. A report without a figure is valid JSON with null and a reason.
func TestB074NothingToMeasure(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "queries", bug("B070", "queries.jsonl"))
	report := decode[retrieval.Report](t, m.must("check", "-m", "R@5", "--json").out)
	if got := report.Measures[0]; got.Mean != nil || got.N != 0 || got.Why == "" {
		t.Errorf("measure %+v", got)
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
