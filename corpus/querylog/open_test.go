package querylog

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus/rows"
)

// all reads a text under a name, and gives what was asked in short and what was refused.
func all(t testing.TB, name, text string, opt Options) (asked []string, refused []string, s Stats, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path, opt)
	if err != nil {
		return nil, nil, Stats{}, err
	}
	defer l.Close()
	if l.File() != path {
		t.Errorf("the log is called %q", l.File())
	}
	for a, err := range l.Rows() {
		var reject *rows.Reject
		switch {
		case err == nil:
			asked = append(asked, shown(a))
		case errors.As(err, &reject):
			refused = append(refused, fmt.Sprintf("%d: %s", reject.Line, reject.Reason))
		default:
			return asked, refused, l.Stats(), err
		}
	}
	return asked, refused, l.Stats(), nil
}

func TestOpenFaults(t *testing.T) {
	binary := make([]byte, 5000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range binary {
		binary[i] = byte(rng.UintN(256))
	}
	for _, c := range []struct {
		name, file, text string
		opt              Options
		reason, hint     string
	}{
		{"a key that is near", "q.jsonl", `{"query":"a","user_id":"ann"}`, Options{TextField: "qeury"}, `no row has a key "qeury"`, `did you mean "query"?`},
		{"a user's key", "q.jsonl", `{"query":"a","user_id":"ann"}`, Options{UserField: "userid2"}, `no row has a key "userid2"`, `did you mean "user_id"?`},
		{"a key that is nowhere", "q.jsonl", `{"query":"a"}` + "\n" + `{"text":"b"}`, Options{SessionField: "zzzzzz"}, `no row has a key "zzzzzz"`, "the keys are query, text"},
		{"a key of lines", "q.txt", "a\nb\n", Options{TimeField: "at"}, `a log of lines has no field "at"`, ""},
		{"a column", "q.csv", "query,at\na,b\n", Options{TimeField: "att"}, `no column "att"`, `did you mean "at"?`},
		{"a format", "q.csv", "query\na\n", Options{Format: "acces-log"}, `no format is called "acces-log"`, "did you mean access-log?"},
		{"another format", "q.csv", "query\na\n", Options{Format: "xls"}, `no format is called "xls"`, "formats are jsonl, json"},
		{"a binary file", "labels.db", string(binary), Options{}, "this is a binary file, not a log", "export what it holds"},
		{"a binary file for lines", "x", "\x00\x01\x02\x03\x04\x05\x06\x07\x08" + strings.Repeat("\x00", 90), Options{Format: AccessLog}, "this is a binary file", ""},
		{"an encoding", "q.csv", "query\na\n", Options{Encoding: "klingon"}, `no encoding is called "klingon"`, "names are utf-8"},
	} {
		_, _, _, err := all(t, c.file, c.text, c.opt)
		var fault *rows.Error
		if !errors.As(err, &fault) || !strings.Contains(fault.Error(), c.reason) || !strings.Contains(fault.Hint(), c.hint) || strings.Contains(fault.Error(), "\n") {
			t.Errorf("%s: %v (%q)", c.name, err, fault.Hint())
		}
	}
	_, err := Open(t.TempDir(), Options{})
	var fault *rows.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Error(), "it is a folder, not a file") || fault.Hint() != "name the log's file in it" {
		t.Errorf("%v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no.log"), Options{}); !errors.As(err, &fault) || !strings.Contains(fault.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

func TestNamedFields(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		opt              Options
		asked            []string
	}{
		{"keys", "q.jsonl", `{"frage":"a","wer":"ann","wann":"2024-05-01T12:00:05Z","wo":"s1","text":"x"}`,
			Options{TextField: "frage", UserField: "wer", TimeField: "wann", SessionField: "wo"}, []string{"a | ann | s1 | 120005"}},
		{"keys within", "q.jsonl", `{"request":{"body":{"frage":"a"},"user":{"id":7}}}`, Options{TextField: "request.body.frage", UserField: "request.user.id"}, []string{"a | 7"}},
		{"a key with a dot", "q.jsonl", `{"request.frage":"a","request":{"frage":"b"}}`, Options{TextField: "request.frage"}, []string{"a"}},
		{"columns", "q.csv", "frage,wer,text\na,ann,x\n", Options{TextField: "frage", UserField: "wer"}, []string{"a | ann"}},
		{"numbers", "q.csv", "x,ann,a\ny,ben,b\n", Options{TextField: "3", UserField: "2"}, []string{"a | ann", "b | ben"}},
		{"an encoding", "q.txt", "\x95\xd4\x8b\xe0\x82\xcd\x82\xa2\x82\xc2\n", Options{Encoding: "shift_jis"}, []string{"返金はいつ"}},
		{"a table on a pipe", "log", "ann,2024-05-01 12:00:05,red shoes\nben,2024-05-01 12:00:06,\"shoes, blue\"\n", Options{}, []string{"red shoes |  |  | 120005", "shoes, blue |  |  | 120006"}},
		{"lines with commas", "log", "red shoes, cheap\nblue shoes, cheap\n", Options{}, []string{"red shoes, cheap", "blue shoes, cheap"}},
		{"a ticket's address is no request", "q.jsonl", `{"url":"https://example.org/?q=x","status":"open","frage":"a"}`, Options{TextField: "frage"}, []string{"a"}},
		{"of a trace", "q.jsonl", `{"run_type":"chain","inputs":{"question":"a"},"extra":{"metadata":{"member":"chi"}}}`, Options{UserField: "extra.metadata.member"}, []string{"a | chi"}},
		{"a text in a trace", "q.jsonl", `{"run_type":"chain","inputs":{"question":"a","verbatim":"b"}}`, Options{TextField: "inputs.verbatim"}, []string{"b"}},
		{"a format that content would not tell", "q.txt", "a line\n", Options{Format: AccessLog}, nil},
		{"rows of a trace as what they are", "q.jsonl", `{"run_type":"chain","inputs":"x","query":"a"}`, Options{Format: Format(rows.JSONLines)}, []string{"a"}},
	} {
		asked, _, _, err := all(t, c.file, c.text, c.opt)
		if err != nil || !slices.Equal(asked, c.asked) {
			t.Errorf("%s: %q, %v", c.name, asked, err)
		}
	}
}

func TestWhoAsksInAnExport(t *testing.T) {
	const (
		click  = `{"action_name":"click","client_id":"ann","query_id":"1","user_query":"a","event_attributes":{}}` + "\n"
		search = `{"action_name":"on_search","client_id":"ann","query_id":"1","user_query":"a","event_attributes":{}}` + "\n"
		query  = `{"client_id":"ann","query_id":"1","user_query":"a","query_attributes":{}}` + "\n"
		whole  = `{"id":"t1","name":"n","timestamp":"2024-05-01T12:00:05Z","sessionId":"s","input":"a","output":"b"}` + "\n"
		root   = `{"id":"o1","traceId":"t1","parentObservationId":null,"type":"SPAN","input":"a","output":"b"}` + "\n"
		step   = `{"id":"o2","traceId":"t1","parentObservationId":"o1","type":"RETRIEVER","input":"a","output":[]}` + "\n"
		other  = `{"id":"o3","traceId":"t1","parentObservationId":"o1","type":"GENERATION","input":"x","output":"y"}` + "\n"
	)
	for _, c := range []struct {
		name, text string
		asked      []string
	}{
		{"queries and events", query + search + click, []string{"a | ann"}},
		{"events alone", click + search + click, []string{"a | ann"}},
		{"traces with their steps", whole + root + step, []string{"a |  | s | 120005"}},
		{"steps alone", root + step + other, []string{"a"}},
		{"retrievers alone", step + other, []string{"a |  | t1"}},
		{"steps that don't say whose they are", strings.NewReplacer(`"parentObservationId":null,`, ``, `"parentObservationId":"o1",`, ``, `"type"`, `"startTime":"2024-05-01T12:00:05Z","type"`).Replace(root + step + other),
			[]string{"a |  |  | 120005"}},
		{"a search engine's answer", `{"took":5,"hits":{"total":1,"hits":[{"_index":"i","_id":"1","_source":{"query":"a","user_id":"ann"}},{"_index":"i","_id":"2","_source":{"query":"b"}}]}}`, []string{"a | ann", "b"}},
		{"a container's log", `{"log":"192.0.2.7 - ann [01/May/2024:14:00:05 +0200] \"GET /s?q=a HTTP/1.1\" 200 1\n","stream":"stdout","time":"2024-05-01T12:00:06Z"}` + "\n" +
			`{"log":"192.0.2.7 - - [01/May/2024:14:00:05 +0200] \"GET / HTTP/1.1\" 200 1\n","stream":"stdout","time":"2024-05-01T12:00:06Z"}` + "\n", []string{"a | ann |  | 120005"}},
		{"a shipper's slow log", `{"@timestamp":"2024-05-01T12:00:09Z","message":"[2024-05-01T12:00:05,000][WARN ][i.s.s.query] [n] [i][0] took_millis[1], source[{\"query\":{\"match\":{\"t\":\"a\"}}}], id[]"}` + "\n", []string{"a |  |  | 120005"}},
		{"data that is the row's own", `{"query":"a","data":[{"query":"b"}]}`, []string{"a"}},
	} {
		asked, refused, s, err := all(t, "export.jsonl", c.text, Options{})
		if err != nil || refused != nil || !slices.Equal(asked, c.asked) {
			t.Errorf("%s: %q, %q, %+v, %v", c.name, asked, refused, s, err)
		}
	}
}

func TestTopicsOrVisits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format
		first      string
	}{
		{"topics", "1\tred shoes\n2\tblue shoes\n", Topics, "red shoes"},
		{"users", "u1\tred shoes\nu2\tblue shoes\nu1\tgreen shoes\nu1\tshoes\nu2\tweather in bonn\n", Format(rows.TSV), "red shoes | u1"},
		{"times", "2024-05-01 12:00:05\tred shoes\n2024-05-01 12:00:06\tblue shoes\n", Format(rows.TSV), "red shoes |  |  | 120005"},
	} {
		asked, _, s, err := all(t, "log", c.text, Options{})
		if err != nil || s.Format != c.format || asked[0] != c.first {
			t.Errorf("%s: %q as %s, %v", c.name, asked, s.Format, err)
		}
	}
}

func TestChats(t *testing.T) {
	for row, want := range map[string]bool{
		`{"query":"a","session_id":"s"}`:                      false,
		`{"query":"a","conversation_id":"s"}`:                 true,
		`{"query":"a","threadId":"s"}`:                        true,
		`{"query":"a"}`:                                       false,
		`{"query":"a","turns":["b"]}`:                         true,
		`{"messages":[{"role":"user","content":"a"}]}`:        true,
		`{"input":"[{\"role\":\"user\",\"content\":\"a\"}]"}`: true,
	} {
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := read(t, path, Options{}); len(got) != 1 || got[0].Chat != want || got[0].Query.Text != "a" {
			t.Errorf("%s: %+v", row, got)
		}
	}
}

// What has an address and is no request is refused rather than taken for one that asks nothing.
func TestTicketsAreNoRequests(t *testing.T) {
	asked, refused, s, err := all(t, "q.jsonl", `{"url":"https://example.org/?q=x","status":"open"}`, Options{})
	if err != nil || asked != nil || len(refused) != 1 || s.Format != Format(rows.JSONLines) || !strings.Contains(s.Warning, "--text-field (the keys are url, status)") {
		t.Errorf("%q, %q, %+v, %v", asked, refused, s, err)
	}
}

func TestNamesOfPeople(t *testing.T) {
	for fields, want := range map[string][]string{
		`"first_name":"Ann","last_name":"Example"`:        {"Ann", "Example"},
		`"name":"Ann Example"`:                            {"Ann Example"},
		`"name":"search"`:                                 nil,
		`"name":"Search Results 2"`:                       nil,
		`"user_name":"ann"`:                               nil,
		`"user_name":"Chi van Example"`:                   {"Chi van Example"},
		`"customer_name":"ben"`:                           {"ben"},
		`"user":{"id":"u1","name":"ben"}`:                 {"ben"},
		`"full_name":""`:                                  nil,
		`"full_name":null,"contact_name":["Ann Example"]`: nil,
	} {
		path := filepath.Join(t.TempDir(), "q.jsonl")
		if err := os.WriteFile(path, []byte(`{"query":"a",`+fields+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		asked, _, _ := read(t, path, Options{})
		if len(asked) != 1 || !slices.Equal(asked[0].Names, want) {
			t.Errorf("%s: %+v", fields, asked)
		}
	}
}

// Rows of several shapes in one log are each read by their own names.
func TestShapesTakeTurns(t *testing.T) {
	var b strings.Builder
	var want []string
	for i := range 3000 {
		fmt.Fprintf(&b, `{"user_id":"u%d","query":"a%d"}`+"\n"+`{"text":"b%d","extra%d":1}`+"\n", i, i, i, i)
		want = append(want, fmt.Sprintf("a%d | u%d", i, i), fmt.Sprintf("b%d", i))
	}
	asked, refused, _, err := all(t, "q.jsonl", b.String(), Options{})
	if err != nil || !slices.Equal(asked, want) || refused != nil {
		t.Errorf("%d asked, %d refused, %v", len(asked), len(refused), err)
	}
}

func TestLeaveIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q.csv")
	if err := os.WriteFile(path, []byte("id,query\nq1,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	given, _, _ := read(t, path, Options{LeaveIDs: true})
	if err := os.WriteFile(path, []byte("query,x\na,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, _, _ := read(t, path, Options{LeaveIDs: true})
	made, _, _ := read(t, path, Options{})
	if given[0].Query.ID != "q1" || given[0].Derived || left[0].Query.ID != "" || !left[0].Derived || made[0].Query.ID != TextID("a") {
		t.Errorf("%+v, %+v, %+v", given[0].Query, left[0].Query, made[0].Query)
	}
}

func TestTurnsID(t *testing.T) {
	turns := asked(t, `{"query":"and in white?","turns":[{"role":"user","content":"Red  shoes"},{"role":"assistant","content":"here"}]}`)
	same := asked(t, `{"query":"And in white?","turns":[{"role":"user","content":"red shoes"},{"role":"assistant","content":"Here"}]}`)
	other := asked(t, `{"query":"and in white?","turns":[{"role":"user","content":"red"},{"role":"assistant","content":"shoes here"}]}`)
	alone := asked(t, `{"query":"and in white?"}`)
	if turns != same || turns == other || turns == alone || other == alone || alone != TextID("and in white?") {
		t.Errorf("%s, %s, %s, %s", turns, same, other, alone)
	}
}

// asked is the id of the one query of a row.
func asked(t *testing.T, row string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q.jsonl")
	if err := os.WriteFile(path, []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _, _ := read(t, path, Options{})
	return got[0].Query.ID
}

// What a caller hashes is what the log holds, decompressed, to its end.
func TestDigest(t *testing.T) {
	text := strings.Repeat(`192.0.2.7 - - [01/May/2024:14:00:05 +0200] "GET /search?q=red+shoes HTTP/1.1" 200 5120`+"\n", 5000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{"access.log": text, "access.log.gz": packed.String()} {
		digest := sha256.New()
		asked, _, s, err := all(t, name, source, Options{Digest: digest})
		if err != nil || len(asked) != 5000 || [32]byte(digest.Sum(nil)) != sha256.Sum256([]byte(text)) || s.Consumed != s.Size {
			t.Errorf("%s: %d asked, %+v, %v", name, len(asked), s, err)
		}
	}
}

func TestRowsStop(t *testing.T) {
	l, err := Open("testdata/logs/access.log", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for range l.Rows() {
		break
	}
	n := 0
	for range l.Rows() { // goes on where it stopped
		n++
	}
	if s := l.Stats(); n != 5 || s.Accepted+s.Rejected+s.Blank != 10 {
		t.Errorf("%d more, %+v", n, s)
	}
}

// However a log is broken, each of its rows is accepted or refused, and the refused ones are kept word for word.
func TestEveryRowIsAccountedFor(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	bugs, _ := filepath.Glob("testdata/bugs/*/*")
	for _, file := range append(files, bugs...) {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		_, refused, s := read(t, file, Options{WholeRejects: true})
		r, err := rows.Open(file, rows.Options{Format: containerOf(s.Format)})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil || errors.As(err, new(*rows.Reject)) {
			_, err = r.Next()
		}
		bare := r.Stats()
		if strings.Contains(file, "topics.trec") || strings.HasSuffix(file, "langfuse-api.json") || strings.HasSuffix(file, "otlp.json") {
			continue // a row is not one line of these: TestFormats has their counts
		}
		if s.Accepted+s.Rejected != bare.Accepted+bare.Rejected || s.Blank != bare.Blank || s.Lines != bare.Lines {
			t.Errorf("%s: %+v of %+v", file, s, bare)
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reject := range refused {
			if s.Encoding == "utf-8" && !bytes.Contains(source, reject.Raw) || len(reject.Raw) == 0 {
				t.Errorf("%s: %v has %q", file, reject, reject.Raw)
			}
		}
	}
}

// containerOf is the format that rows are read in.
func containerOf(f Format) rows.Format {
	switch f {
	case AccessLog, SlowLog, UBI, Langfuse, LangSmith, OpenInference, Topics:
		return rows.Detect
	}
	return rows.Format(f)
}
