package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/cmd/assay/internal/intake"
	"assay/corpus"
	"assay/corpus/querylog/clean"
)

// What each log comes to: every row is accepted or rejected, and every accepted one is counted somewhere.
func TestTotalsOfLogs(t *testing.T) {
	for _, c := range []struct {
		bug, name                                     string
		read, accepted, rejected, empty, repeats, new int
	}{
		{"B001", "queries.csv", 3, 3, 0, 1, 0, 2},
		{"B002", "queries_utf16be_bom.jsonl", 3, 3, 0, 0, 0, 3},
		{"B002", "queries_utf16le_bom.jsonl", 3, 3, 0, 0, 0, 3},
		{"B002", "queries_utf16le_nobom.jsonl", 3, 3, 0, 0, 0, 3},
		{"B002", "queries_utf8_bom.jsonl", 3, 3, 0, 0, 0, 3},
		{"B004", "queries_broken_middle.jsonl", 9, 2, 7, 0, 0, 2},
		{"B004", "queries_nul.jsonl", 4, 1, 3, 0, 0, 1},
		{"B005", "log_smartquote.csv", 3, 2, 1, 0, 0, 2},
		{"B005", "log_unclosed.csv", 4, 3, 1, 0, 0, 3},
		{"B006", "log_inch.csv", 3, 3, 0, 0, 0, 3},
		{"B006", "log_inch.tsv", 3, 3, 0, 0, 0, 3},
		{"B008", "queries.jsonl", 1, 1, 0, 0, 0, 1},
		{"B011", "log.csv", 2, 2, 0, 0, 0, 2},
		{"B011", "log_edited.csv", 3, 3, 0, 0, 0, 3},
		{"B023", "queries.txt", 2, 2, 0, 0, 1, 1},
		{"B026", "log.csv", 4, 4, 0, 0, 0, 4},
		{"B031", "queries.jsonl", 8, 8, 0, 0, 0, 8},
		{"B070", "queries.jsonl", 3, 3, 0, 0, 0, 3},
	} {
		m := newMachine(t).workspace()
		r := decode[intake.Report](t, m.must("import", "queries", bug(c.bug, c.name), "--json").out)
		if r.Read != c.read || r.Accepted != c.accepted || r.Rejected != c.rejected || r.Cleaned[clean.Empty] != c.empty || r.Repeats != c.repeats || r.Added != c.new {
			t.Errorf("%s %s: read %d, accepted %d, rejected %d, empty %d, repeats %d, new %d", c.bug, c.name, r.Read, r.Accepted, r.Rejected, r.Cleaned[clean.Empty], r.Repeats, r.Added)
		}
		if again := decode[intake.Report](t, m.must("import", "queries", bug(c.bug, c.name), "--json").out); again.Added+again.Updated+len(again.Changed) > 0 || again.Batch != "" {
			t.Errorf("%s %s, again: %+v", c.bug, c.name, again)
		}
	}
}

func TestTotalsOfRealLogs(t *testing.T) {
	folder := collections(t)
	for _, c := range []struct {
		path                           string
		read, empty, repeats, distinct int
	}{
		{"log-excite/excite-small.log", 4501, 533, 1876, 2092},
		{"log-banking77/train.csv", 10003, 0, 4, 9999},
		{"log-banking77/test.csv", 3080, 0, 1, 3079},
	} {
		m := newMachine(t).workspace()
		path := filepath.Join(folder, filepath.FromSlash(c.path))
		r := decode[intake.Report](t, m.must("import", "queries", path, "--json").out)
		if r.Read != c.read || r.Accepted != c.read || r.Rejected != 0 || r.Cleaned[clean.Empty] != c.empty || r.Repeats != c.repeats || r.Distinct != c.distinct ||
			r.Kept != r.Repeats+r.Distinct || r.Added != r.Distinct-r.Grouped || r.Grouped == 0 {
			t.Errorf("%s: %+v", c.path, r)
		}
		if again := decode[intake.Report](t, m.must("import", "queries", path, "--json").out); again.Added+again.Updated+len(again.Changed)+again.New > 0 {
			t.Errorf("%s, again: %+v", c.path, again)
		}
	}
}

func TestSampleOnTheCommandLine(t *testing.T) {
	m := newMachine(t).workspace()
	var b strings.Builder
	b.WriteString("query,count\n")
	for _, w := range strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango") {
		b.WriteString("about " + w + "," + string(rune('1'+len(w)%9)) + "\n")
	}
	log := m.file("log.csv", b.String())
	dry := m.must("import", "queries", log, "--sample", "6", "--dry-run")
	has(t, dry.out, "sample of 6 by stratified, strata by frequency, seed 1", "head", "tail", "stand for", "6 queries to label: 6 would be new")
	if r := m.must("status", "--json"); !strings.Contains(r.out, `"queries":0`) {
		t.Errorf("a dry run wrote: %s", r.out)
	}
	has(t, m.must("import", "queries", log, "--sample", "6", "--seed", "9").out, "seed 9", "6 new")
	has(t, m.must("import", "queries", "--sample", "5", "--by", "proportional").out, "sample of 5 by proportional", "seed 9", "11 queries to label: 5 new")
	if r := m.run("import", "queries", "--sample", "5", "--seed", "8"); r.code != 1 || !strings.Contains(r.err, "draws with seed 9") || !strings.Contains(r.err, "hint:") {
		t.Errorf("%d %s", r.code, r.err)
	}
	gold := m.must("export", "-o", "-").out
	if n := strings.Count(gold, `"weight":null`); n != 0 || !strings.Contains(gold, `"stratum":"`) {
		t.Errorf("%d sampled queries without a weight: %s", n, gold)
	}
}

func TestFlagsOfImportQueries(t *testing.T) {
	m := newMachine(t).workspace()
	log := m.file("log.txt", "lock card\n")
	for _, args := range [][]string{
		{}, {"--sample", "0"}, {"--sample", "-1", log}, {log, "--by", "top"}, {log, "--seed", "3"}, {log, "--sample", "2", "--by", "luck"},
		{log, "--sample", "2", "--strata", "colour"}, {log, "--sample", "2", "--all"}, {log, "--kind", "organic"}, {log, "--sample", "2", "--kind", "written"},
		{log, "--no-clean=dust"}, {log, "--no-redact=everything"}, {log, "--gap", "-1s"}, {log, "--gap", "0"}, {log, "--max-length", "0"}, {"-", "-"},
		{log, "--rejects", "-"}, {log, "--rejects", filepath.Join(m.dir, "labels.db")}, {log, "--rejects", "x", "--dry-run"},
	} {
		if r := m.run(append([]string{"import", "queries"}, args...)...); r.code != 2 || !strings.Contains(r.err, "error: ") {
			t.Errorf("%q: exit %d, %s", args, r.code, r.err)
		}
	}
	if r := m.run("import", "queries", log, "--format", "jsonlines"); r.code != 2 || !strings.Contains(r.err, "jsonl") {
		t.Errorf("%d %s", r.code, r.err)
	}
	if r := m.run("import", "queries", "--sample", "3"); r.code != 1 || !strings.Contains(r.err, "nothing to draw from") {
		t.Errorf("%d %s", r.code, r.err)
	}
}

const private = `{"user":"u1","timestamp":"2026-03-01T09:00:00Z","query":"mail ann.smithee@example.org or ring +44 7700 900123 about card 4111 1111 1111 1111","customer_name":"Benedict Example"}
{"user":"u2","timestamp":"2026-03-01T09:00:05Z","query":"why was Benedict charged twice","customer_name":"Benedict Example"}
{"user":"u3","timestamp":"2026-03-01T09:00:09Z","query":"what is new in version 2.45.0 on port 9090"}
`

// The original never reaches the workspace: no file of it holds what was taken out.
func TestWhatIsTakenOutReachesNoFile(t *testing.T) {
	m := newMachine(t).workspace()
	log := m.file("log.jsonl", private)
	r := m.must("import", "queries", log)
	has(t, r.out, "taken out: email", "taken out: phone", "taken out: card", "taken out: name")
	has(t, m.must("export", "-o", "-").out, "[email-1]", "version 2.45.0 on port 9090")
	err := filepath.WalkDir(m.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, secret := range []string{"smithee", "900123", "4111 1111", "Benedict", "u1"} {
			if strings.Contains(string(b), secret) {
				t.Errorf("%s holds %q", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	m = newMachine(t).workspace()
	r = m.must("import", "queries", m.file("log.jsonl", private), "--no-redact")
	has(t, r.err, "warning: nothing was taken out")
	has(t, m.must("export", "-o", "-").out, "ann.smithee@example.org")
	m = newMachine(t).workspace()
	m.must("import", "queries", m.file("log.jsonl", private), "--no-redact=phone")
	has(t, m.must("export", "-o", "-").out, "[email-1]", "+44 7700 900123", "[card-1]")
}

func TestRejectsFile(t *testing.T) {
	m := newMachine(t).workspace()
	bad := `{"query": ` + strings.Repeat("x", 600)
	log := m.file("log.jsonl", "{\"query\":\"lock card\"}\n"+bad+"\n{\"query\":\"refund\"}\n")
	rejects := filepath.Join(filepath.Dir(log), "rejects.jsonl")
	r := m.must("import", "queries", log, "--rejects", rejects)
	has(t, r.err, "log.jsonl:2")
	if b, err := os.ReadFile(rejects); err != nil || string(b) != bad+"\n" {
		t.Errorf("%q, %v", b, err)
	}
	if r := m.run("import", "queries", log, "--rejects", log); r.code != 2 || !strings.Contains(r.err, "is the log itself") {
		t.Errorf("%d %s", r.code, r.err)
	}
	if b, err := os.ReadFile(log); err != nil || !strings.Contains(string(b), bad) {
		t.Errorf("the log is lost: %q, %v", b, err)
	}
}

func TestLogsOfOneNameInTwoFolders(t *testing.T) {
	m := newMachine(t).workspace()
	a, b := m.file("log.txt", "lock card\n"), m.file("log.txt", "refund\nlock card\n")
	m.must("import", "queries", a, b)
	r := decode[intake.Report](t, m.must("import", "queries", a, "--json").out)
	if r.Gone != 0 || r.Frame != 2 || r.Updated != 0 {
		t.Errorf("one of them took the other's place: %+v", r)
	}
}

func TestReportIsKept(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "queries", m.file("log.txt", "lock card\nlock card\nrefund\n"))
	kept, err := filepath.Glob(filepath.Join(m.dir, "logs", "reports", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%q, %v", kept, err)
	}
	b, err := os.ReadFile(kept[0])
	var report map[string]any
	if err != nil || json.Unmarshal(b, &report) != nil || report["read"] != 3.0 || report["repeats"] != 1.0 || report["new"] != 2.0 {
		t.Errorf("%s, %v", b, err)
	}
}

func TestAccessLogAndChat(t *testing.T) {
	m := newMachine(t).workspace()
	access := m.file("access.log", `192.0.2.7 - - [01/Mar/2026:09:00:00 +0000] "GET /search?q=lock+card&page=2 HTTP/1.1" 200 12 "-" "Mozilla/5.0"
192.0.2.7 - - [01/Mar/2026:09:00:30 +0000] "GET /style.css HTTP/1.1" 200 12 "-" "Mozilla/5.0"
192.0.2.9 - - [01/Mar/2026:09:01:00 +0000] "GET /search?q=refund HTTP/1.1" 200 12 "-" "Mozilla/5.0 (compatible; Googlebot/2.1)"
`)
	r := decode[intake.Report](t, m.must("import", "queries", access, "--json").out)
	if r.Files[0].Format != "access-log" || r.Read != 3 || r.NoQuery != 1 || r.Cleaned[clean.Bot] != 1 || r.Added != 1 {
		t.Errorf("%+v", r)
	}
	chat := m.file("chat.csv", "session_id,question\ns1,how do I rotate the signing key\ns1,and for Windows?\ns2,refund policy\n")
	r = decode[intake.Report](t, m.must("import", "queries", chat, "--json").out)
	if r.FollowUps != 1 || r.Conversations != 1 || r.Proposed[corpus.TagFollowUp] != 1 {
		t.Errorf("%+v", r)
	}
	has(t, m.must("export", "-o", "-").out, `"turns":[{"role":"user","content":"how do I rotate the signing key"}]`)
}

func TestForgetCommand(t *testing.T) {
	m := newMachine(t).workspace()
	log := m.file("log.csv", "id,query\nq1,lock my card\nq2,refund time\n")
	m.must("import", "queries", log)
	m.must("export")
	if r := m.run("forget", "q1"); r.code != 2 || !strings.Contains(r.err, "--yes") {
		t.Errorf("%d %s", r.code, r.err)
	}
	if r := m.run("forget", "refund time", "--yes"); r.code != 1 || !strings.Contains(r.err, "has the id q2") {
		t.Errorf("%d %s", r.code, r.err)
	}
	r := m.must("forget", "q1", "--yes")
	has(t, r.out, "forgotten: 1 query", "in the frame of the logs: 1 query")
	has(t, r.err, "still held by exports")
	for _, path := range []string{"labels.db"} {
		b, err := os.ReadFile(filepath.Join(m.dir, path))
		if err != nil || strings.Contains(string(b), "lock my card") {
			t.Errorf("%s holds it still, %v", path, err)
		}
	}
	again := decode[intake.Report](t, m.must("import", "queries", log, "--json").out)
	if again.Forgotten != 1 || again.Added != 0 {
		t.Errorf("%+v", again)
	}
	if gold := m.must("export", "-o", "-").out; strings.Contains(gold, "lock my card") || !strings.Contains(gold, "refund time") {
		t.Error(gold)
	}
	has(t, m.must("forget", "q1", "--yes").err, "was forgotten before")
}
