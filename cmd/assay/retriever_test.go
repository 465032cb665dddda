package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/corpus/retrieval"
	"assay/export"
)

// service is a retriever on loopback. It answers a query q3 with the chunk c3; how is asked first.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int                                                        // how often, by query text
	how   func(w http.ResponseWriter, r *http.Request, text string, n int) bool // true: it answered itself
}

func serve(t *testing.T, how func(w http.ResponseWriter, r *http.Request, text string, n int) bool) *service {
	t.Helper()
	s := &service{asked: map[string]int{}, how: how}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query string `json:"query"`
			K     int    `json:"k"`
		}
		raw, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(raw, &body); err != nil || body.K < 1 {
			t.Errorf("the request is %q (%v)", raw, err)
		}
		s.mu.Lock()
		s.asked[body.Query]++
		n, how := s.asked[body.Query], s.how
		s.mu.Unlock()
		if how != nil && how(w, r, body.Query, n) {
			return
		}
		fmt.Fprintf(w, `{"results":[{"id":"c%s","score":2.5},{"id":"other","score":1}]}`, strings.TrimPrefix(body.Query, "question "))
	}))
	t.Cleanup(s.Close)
	return s
}

// answer changes how it answers. Requests that were given up may still be under way.
func (s *service) answer(how func(w http.ResponseWriter, r *http.Request, text string, n int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = how
}

// times is how often a query was asked, and all together.
func (s *service) times(text string) (one, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		all += n
	}
	return s.asked[text], all
}

// asked is a gold set of n queries, "question 0" with the relevant chunk c0 and so on, and a folder to be in.
func (m *machine) asked(n int) (labels, queries string) {
	m.t.Helper()
	var l, q strings.Builder
	for i := range n {
		fmt.Fprintf(&l, "q%d 0 c%d 1\n", i, i)
		fmt.Fprintf(&q, "{\"id\":\"q%d\",\"query\":\"question %d\"}\n", i, i)
	}
	labels, queries = m.file("q.qrels", l.String()), m.file("q.jsonl", q.String())
	m.t.Chdir(m.t.TempDir())
	return labels, queries
}

func TestLiveRetrieverThatFailsAtTimes(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(12)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, text string, n int) bool {
		switch {
		case text == "question 1": // gone for good
			http.Error(w, "no such index", http.StatusNotFound)
		case text == "question 2": // junk
			io.WriteString(w, "<html>busy</html>")
		case text == "question 3" && n == 1: // once
			http.Error(w, "again", http.StatusServiceUnavailable)
		case text == "question 4": // hits without ids
			io.WriteString(w, `{"results":[{"score":1}]}`)
		case text == "question 5": // cut short
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"results":[{"id":"c5"`)
		case text == "question 6": // found nothing, which is no failure
			io.WriteString(w, `{"results":[]}`)
		default:
			return false
		}
		return true
	})
	check := []string{"check", "--labels", labels, "--queries", queries, "--http", s.URL, "--name", "live", "-m", "R@5", "--json", "--per-query", "--retries", "1", "--concurrency", "3"}
	r := m.run(check...)
	if r.code != exitError {
		t.Errorf("exit %d, want %d", r.code, exitError)
	}
	has(t, r.err, "failed: query q1: ", "404", "the retriever failed on 4 queries", "hint: the same command asks only for them")
	report := decode[retrieval.Report](t, r.out)
	if len(report.Failed) != 4 || len(report.NoResult) != 1 || report.NoResult[0] != "q6" || report.Measures[0].N != 12 || len(report.WithoutFailed) == 0 || report.WithoutFailed[0].N != 8 {
		t.Errorf("failed %v, no result %v, means %+v, without %+v", report.Failed, report.NoResult, report.Measures, report.WithoutFailed)
	}
	if got, want := *report.Measures[0].Mean, 7.0/12; got != want {
		t.Errorf("R@5 is %v, want %v", got, want)
	}
	if got, want := *report.WithoutFailed[0].Mean, 7.0/8; got != want {
		t.Errorf("R@5 without those that failed is %v, want %v", got, want)
	}
	if report.Latency == nil || report.Latency.N != 8 {
		t.Errorf("latency %+v", report.Latency)
	}
	// The second call asks only for the rest, now that the service is well.
	_, before := s.times("")
	s.answer(nil)
	r = m.must(check...)
	if _, after := s.times(""); after-before != 4 {
		t.Errorf("%d queries were asked again, want 4", after-before)
	}
	has(t, r.err, "12 queries answered, 8 of them before (--fresh asks again)")
	// The third asks for nothing; nor does the kept run.
	_, before = s.times("")
	m.must(check...)
	replayed := decode[retrieval.Report](t, m.must("check", "--labels", labels, "--run", filepath.Join("runs", "live.jsonl"), "-m", "R@5", "--json", "--per-query").out)
	if _, after := s.times(""); after != before {
		t.Errorf("%d queries were asked although all are kept", after-before)
	}
	if *replayed.Measures[0].Mean != 11.0/12 || replayed.Latency == nil || replayed.Latency.N != 12 {
		t.Errorf("the kept run says %+v, latency %+v", replayed.Measures, replayed.Latency)
	}
	// Another retriever does not get into the same run, and --fresh asks everything again and throws nothing away.
	r = m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL+"/other", "--name", "live", "-m", "R@5")
	if r.code != exitError {
		t.Errorf("another retriever in the same run: exit %d", r.code)
	}
	has(t, r.err, "holds the answers of another retriever", "hint: --name")
	m.must(append(check, "--fresh")...)
	if _, after := s.times(""); after-before != 12 {
		t.Errorf("%d queries were asked again, want all 12", after-before)
	}
	if kept, _ := filepath.Glob(filepath.Join("runs", "live-*.jsonl")); len(kept) != 1 {
		t.Errorf("the old run was moved to %v", kept)
	}
}

// A run that another process is writing is neither written nor moved, nor is the retriever asked.
func TestFreshLeavesARunThatIsBeingWritten(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(2)
	s := serve(t, func(http.ResponseWriter, *http.Request, string, int) bool { return false })
	k, _, err := export.OpenKeptRun(filepath.Join("runs", "live.jsonl"), export.RunHeader{Name: "live", Retriever: export.RunRetriever{Kind: "exec", Command: "find"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	check := []string{"check", "--labels", labels, "--queries", queries, "--http", s.URL, "--name", "live"}
	for _, args := range [][]string{check, append(check, "--fresh")} {
		r := m.run(args...)
		if r.code != exitLocked {
			t.Errorf("exit %d, want %d", r.code, exitLocked)
		}
		has(t, r.err, "another process is writing it")
	}
	if _, asked := s.times(""); asked != 0 {
		t.Errorf("%d queries were asked", asked)
	}
	if kept, _ := filepath.Glob(filepath.Join("runs", "*")); len(kept) != 1 {
		t.Errorf("runs holds %v", kept)
	}
}

func TestInterruptedRetrieverGoesOn(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(9)
	ctx, interrupt := context.WithCancel(context.Background())
	s := serve(t, func(_ http.ResponseWriter, r *http.Request, _ string, _ int) bool {
		return false
	})
	// The fifth request is where the user presses ctrl+c; the service would never answer it.
	s.answer(func(_ http.ResponseWriter, r *http.Request, text string, _ int) bool {
		if _, all := s.times(""); all == 5 {
			interrupt()
			<-r.Context().Done()
			return true
		}
		return false
	})
	check := []string{"check", "--labels", labels, "--queries", queries, "--http", s.URL, "-m", "R@5", "--name", "live", "--concurrency", "1", "--retries", "0"}
	r := m.runUntil(ctx, nil, check...)
	if r.code != exitInterrupted {
		t.Errorf("exit %d, want %d\n%s%s", r.code, exitInterrupted, r.out, r.err)
	}
	has(t, r.err, "4 of 9 answered and kept in runs/live.jsonl: the same command asks for the rest")
	if r.out != "" {
		t.Errorf("figures of half a run are printed:\n%s", r.out)
	}
	s.answer(nil)
	_, before := s.times("")
	r = m.must(check...)
	if _, after := s.times(""); after-before != 5 {
		t.Errorf("%d queries were asked, want the 5 that were left", after-before)
	}
	has(t, r.out, "R@5                1.0000", "latency: median")
	// A query whose text changed is another question.
	changed, _ := os.ReadFile(queries)
	if err := os.WriteFile(queries, []byte(strings.Replace(string(changed), "question 7", "question 70", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	m.must(check...)
	if one, _ := s.times("question 70"); one != 1 {
		t.Errorf("the new text was asked %d times", one)
	}
	if one, _ := s.times("question 1"); one > 2 {
		t.Errorf("an old text was asked %d times", one)
	}
}

func TestSecretsStayOut(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(2)
	const secret = "s3cr3t-token"
	m.env["TOKEN"] = secret
	s := serve(t, func(w http.ResponseWriter, r *http.Request, text string, _ int) bool {
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("the header is %q", got)
		}
		if text == "question 1" {
			http.Error(w, "who is "+r.Header.Get("Authorization")+"?", http.StatusForbidden)
			return true
		}
		return false
	})
	r := m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL, "--header", "Authorization: Bearer ${TOKEN}", "-m", "R@5", "--json", "--html", "r.html")
	if r.code != exitError {
		t.Errorf("exit %d", r.code)
	}
	texts := map[string]string{"stdout": r.out, "stderr": r.err}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			raw, _ := os.ReadFile(path)
			texts[path] = string(raw)
		}
		return err
	})
	if err != nil || len(texts) < 4 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	for where, text := range texts {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in %s", where)
		}
	}
	delete(m.env, "TOKEN")
	r = m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL, "--header", "Authorization: Bearer ${TOKEN}")
	if r.code != exitUsage || !strings.Contains(r.err, "TOKEN") {
		t.Errorf("a variable that is not set: exit %d %s", r.code, r.err)
	}
}

func TestRetrieversOfTheWorkspace(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "queries", m.file("q.jsonl", `{"id":"q1","query":"question 1"}`+"\n"))
	m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\n"), "--annotator", "ann")
	s := serve(t, nil)
	toml := filepath.Join(m.dir, "assay.toml")
	settings, err := os.ReadFile(toml)
	if err != nil {
		t.Fatal(err)
	}
	settings = append(settings, fmt.Sprintf("\n[[retriever]]\nname = \"prod\"\nhttp = %q\ndepth = 7\n", s.URL)...)
	if err := os.WriteFile(toml, settings, 0o644); err != nil {
		t.Fatal(err)
	}
	report := decode[retrieval.Report](t, m.must("check", "--retriever", "prod", "-m", "R@5", "--json").out)
	if report.Run != "prod" || *report.Measures[0].Mean != 1 || report.Scorer != "http "+s.URL {
		t.Errorf("%+v", report)
	}
	// It is a run of the workspace now.
	has(t, m.must("check", "--run", "prod", "-m", "R@5").out, "R@5                1.0000")
	r := m.must("compare", "search", "prod", "-m", "R@5")
	has(t, r.out, "prod against built-in search, 1 query")
	if _, all := s.times(""); all != 1 {
		t.Errorf("the service was asked %d times", all)
	}
	r = m.run("check", "--retriever", "other")
	if r.code != exitUsage || !strings.Contains(r.err, "it has prod") {
		t.Errorf("exit %d %s", r.code, r.err)
	}
	// A header beside a table without any, and one that chooses another index: that is another retriever.
	r = m.run("check", "--retriever", "prod", "--header", "X-Index: other", "-m", "R@5")
	if r.code != exitError {
		t.Errorf("another header: exit %d %s", r.code, r.err)
	}
	has(t, r.err, "holds the answers of another retriever: hash of the headers")
	m.must("check", "--retriever", "prod", "--header", "Authorization: Bearer x", "-m", "R@5") // a secret may change
	m.must("check", "--retriever", "prod", "--header", "X-Index: other", "--name", "other", "-m", "R@5")
	// What the command line says counts before what the table says.
	r = m.run("check", "--retriever", "prod", "--hits-path", "$.nowhere", "--name", "third", "-m", "R@5")
	if r.code != exitError || !strings.Contains(r.err, "nowhere") {
		t.Errorf("a path on the command line: exit %d %s", r.code, r.err)
	}
}

func TestCommandOfTheWorkspaceRunsThere(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("import", "queries", m.file("q.jsonl", `{"id":"q1","query":"question 1"}`+"\n"))
	m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\n"), "--annotator", "ann")
	script := "read -r line; echo '{\"query\":\"q1\",\"chunks\":[\"c1\"]}'\n"
	if err := os.WriteFile(filepath.Join(m.dir, "mine.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	toml := filepath.Join(m.dir, "assay.toml")
	settings, _ := os.ReadFile(toml)
	if err := os.WriteFile(toml, append(settings, "\n[[retriever]]\nname = \"mine\"\nexec = \"sh mine.sh\"\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	has(t, m.must("check", "--retriever", "mine", "-m", "RR").out, "RR                 1.0000")
}

func TestFlagsThatWouldBeIgnoredAreRefused(t *testing.T) {
	m := newMachine(t)
	labels, good, _ := m.small()
	for _, args := range [][]string{
		{"--hits-path", "$.x"}, {"--retries", "1"}, {"--header", "a: b"}, {"--body", "{}"}, {"--method", "GET"}, {"--id-path", "$.x"}, {"--score-path", "-"},
		{"--name", "x"}, {"--fresh"}, {"--timeout", "1s"}, {"--concurrency", "2"}, {"--depth", "5"},
	} {
		if r := m.run(append([]string{"check", "--labels", labels, "--run", good}, args...)...); r.code != exitUsage || !strings.Contains(r.err, args[0]) {
			t.Errorf("%q: exit %d %s", args, r.code, r.err)
		}
	}
	for _, args := range [][]string{{"--http", "http://127.0.0.1:1", "--exec", "cat"}, {"--exec", "cat", "--hits-path", "$.x"}} {
		if r := m.run(append([]string{"check", "--labels", labels}, args...)...); r.code != exitUsage {
			t.Errorf("%q: exit %d %s", args, r.code, r.err)
		}
	}
}

// A run that was interrupted says nothing of the queries that it did not get to.
func TestInterruptedRunIsNotTakenForSilence(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(4)
	s := serve(t, nil)
	m.must("check", "--labels", labels, "--queries", queries, "--http", s.URL, "--name", "live", "-m", "R@5")
	path := filepath.Join("runs", "live.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:3], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := m.run("check", "--labels", labels, "--run", path, "-m", "R@5", "--json")
	if r.code != exitError {
		t.Errorf("exit %d", r.code)
	}
	report := decode[retrieval.Report](t, r.out)
	if len(report.Failed) != 2 || *report.Measures[0].Mean != 0.5 || *report.WithoutFailed[0].Mean != 1 || report.WithoutFailed[0].N != 2 {
		t.Errorf("failed %v, %+v, without %+v", report.Failed, report.Measures, report.WithoutFailed)
	}
	other := m.file("other.run", "q0 Q0 x 1 1 t\nq1 Q0 c1 1 1 t\nq2 Q0 c2 1 1 t\nq3 Q0 c3 1 1 t\n")
	r = m.run("compare", "--labels", labels, path, other, "-m", "R@5")
	if r.code != exitError {
		t.Errorf("compare: exit %d", r.code)
	}
	has(t, r.out, "2 queries")
	has(t, r.err, "2 queries were not answered for one of")
}

// A command that never answered leaves nothing that could be lost.
func TestCorrectedCommandTakesTheNameOver(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(1)
	if r := m.run("check", "--labels", labels, "--queries", queries, "--exec", "exit 1", "--name", "mine", "-m", "R@5"); r.code != exitError {
		t.Errorf("exit %d", r.code)
	}
	m.must("check", "--labels", labels, "--queries", queries, "--exec", `read -r line; echo '{"query":"q0","chunks":["c0"]}'`, "--name", "mine", "-m", "R@5")
}

func TestCommandAsRetriever(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(3)
	script := `while read -r line; do
	n=${line#*question }; n=${n%%\"*}
	[ "$n" = 2 ] && exit 3
	echo "{\"query\":\"q$n\",\"chunks\":[\"x\",\"c$n\"]}"
done`
	r := m.run("check", "--labels", labels, "--queries", queries, "--exec", script, "--name", "script", "-m", "RR", "--json", "--per-query")
	if r.code != exitError {
		t.Errorf("exit %d %s", r.code, r.err)
	}
	has(t, r.err, "failed: query q2: ", "exit status 3")
	report := decode[retrieval.Report](t, r.out)
	if *report.Queries[0].Values["RR"] != 0.5 || *report.Queries[1].Values["RR"] != 0.5 || *report.Queries[2].Values["RR"] != 0 || len(report.Failed) != 1 {
		t.Errorf("%+v", report)
	}
	if r := m.run("check", "--labels", labels, "--exec", "cat"); r.code != exitError || !strings.Contains(r.err, "no query texts") {
		t.Errorf("without texts: exit %d %s", r.code, r.err)
	}
}

// An address with a typo is not asked hundreds of times, and leaves no run behind.
func TestHopelessRetrieverIsGivenUp(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(60)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string, _ int) bool {
		http.Error(w, "no such index", http.StatusNotFound)
		return true
	})
	r := m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL, "--name", "live", "-m", "R@5", "--concurrency", "2")
	if r.code != exitError {
		t.Errorf("exit %d", r.code)
	}
	has(t, r.err, "the retriever answered none of the first 5 queries", "404")
	if _, all := s.times(""); all > 8 {
		t.Errorf("%d queries were asked", all)
	}
	if exists(filepath.Join("runs", "live.jsonl")) {
		t.Error("a run without any answer was kept")
	}
	// Once it answered something, failures are no reason to stop.
	s.answer(func(w http.ResponseWriter, _ *http.Request, text string, _ int) bool {
		if text == "question 0" {
			return false
		}
		http.Error(w, "no", http.StatusNotFound)
		return true
	})
	r = m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL, "--name", "live", "-m", "R@5", "--concurrency", "1")
	has(t, r.err, "the retriever failed on 59 queries")
}

// Queries without a text can't be asked: that is no silence of the retriever's.
func TestQueriesWithoutTextAreFailures(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(4)
	all, _ := os.ReadFile(queries)
	if err := os.WriteFile(queries, []byte(strings.Join(strings.SplitAfter(string(all), "\n")[:3], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil)
	r := m.run("check", "--labels", labels, "--queries", queries, "--http", s.URL, "-m", "R@5", "--json")
	report := decode[retrieval.Report](t, r.out)
	if r.code != exitError || len(report.Failed) != 1 || report.Failed[0].QueryID != "q3" || *report.WithoutFailed[0].Mean != 1 {
		t.Errorf("exit %d, failed %v, without %+v", r.code, report.Failed, report.WithoutFailed)
	}
}

func TestRetrieverThatAnswersNothing(t *testing.T) {
	m := newMachine(t)
	labels, queries := m.asked(3)
	for _, how := range [][]string{{"--exec", "no-such-command-anywhere"}, {"--exec", "exit 7"}, {"--http", "http://127.0.0.1:1", "--retries", "0"}} {
		r := m.run(append([]string{"check", "--labels", labels, "--queries", queries, "-m", "R@5"}, how...)...)
		if r.code != exitError || r.out != "" || strings.Count(r.err, "error: ") != 1 {
			t.Errorf("%q: exit %d\n%s%s", how, r.code, r.out, r.err)
		}
		has(t, r.err, "the retriever answered none of 3 queries, first query q0: ")
	}
	if r := m.run("check", "--labels", labels, "--queries", queries, "--http", "ftp://x"); r.code != exitUsage {
		t.Errorf("an address that is none of HTTP: exit %d %s", r.code, r.err)
	}
}

func TestModesOfTheBuiltinSearch(t *testing.T) {
	m := newMachine(t).workspace()
	m.must("index", m.file("c.jsonl", `{"id":"a","text":"rotating keys"}`+"\n"+`{"id":"b","text":"rotate the key, now rotate it"}`+"\n"))
	m.must("import", "queries", m.file("q.jsonl", `{"id":"q1","query":"rotating keys"}`+"\n"+`{"id":"q2","query":"key rotate"}`+"\n"))
	m.must("import", "labels", m.file("g.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t1\n"), "--annotator", "ann")
	for mode, want := range map[string]string{"plain": "2 ", "exact": "1 ", "phrase": "0 "} {
		report := decode[retrieval.Report](t, m.must("check", "--mode", mode, "-m", "NumRet R@5", "--json", "--per-query").out)
		if got := fmt.Sprintf("%.0f ", *report.Queries[1].Values["NumRet"]); got != want {
			t.Errorf("%s search returns %s chunks for q2, want %s", mode, got, want)
		}
		if (mode == "plain") == strings.HasSuffix(report.Scorer, " "+mode) || (mode == "plain") != (report.Run == "built-in search") {
			t.Errorf("%s search is called %q, %q", mode, report.Run, report.Scorer)
		}
	}
	r := m.must("compare", "search", "search:exact", "search:phrase", "-m", "R@5 RR")
	has(t, r.out, "built-in search, exact against built-in search, 2 queries", "built-in search, phrase against built-in search, 2 queries")
	if r := m.run("compare", "search", "search:fuzzy"); r.code != exitUsage {
		t.Errorf("a mode that is none: exit %d", r.code)
	}
}
