package querylog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/rows"
)

// collect reads a text that is called name, as a command would, and checks what holds of every log.
func collect(t testing.TB, text, name string, opt Options) (collected, error) {
	t.Helper()
	r, err := rows.New(strings.NewReader(text), name, rows.Options{Columns: opt.Columns()})
	if err != nil {
		return collected{}, err
	}
	return collectAll(t, r, opt)
}

func collectFile(t testing.TB, path string, opt Options, ropt rows.Options) collected {
	t.Helper()
	ropt.Columns = opt.Columns()
	r, err := rows.Open(filepath.FromSlash(path), ropt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := collectAll(t, r, opt)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func collectAll(t testing.TB, r *rows.Reader, opt Options) (collected, error) {
	t.Helper()
	got, err := gather(r, opt)
	asked, ids := 0, map[string]bool{}
	for i, q := range got.Queries {
		asked += q.Count
		switch {
		case ids[q.ID] || corpus.CheckID(q.ID) != nil:
			t.Errorf("the id %q comes twice or is none", q.ID)
		case strings.TrimSpace(q.Text) == "" || q.Count < 1 || q.Kind == "" || q.Source == "" || q.Order != i+1:
			t.Errorf("query %d: %+v", i, q)
		case got.Lines[q.ID] < 1:
			t.Errorf("the line of %q is %d", q.ID, got.Lines[q.ID])
		}
		ids[q.ID] = true
	}
	if got.Rows.Accepted != len(got.Queries)+got.Repeats || err == nil && asked < got.Rows.Accepted {
		t.Errorf("%d rows accepted for %d queries, %d repeats, asked %d times", got.Rows.Accepted, len(got.Queries), got.Repeats, asked)
	}
	s := got.Stats
	if err == nil && got.Rows.Accepted+got.Rows.Rejected+got.Rows.Blank != s.Accepted+s.Rejected+s.Blank {
		t.Errorf("%+v of %+v", got.Rows, s)
	}
	if len(got.Rejects) != min(got.Rows.Rejected, MaxRejects) || len(got.Conflicts) > got.Rows.Rejected {
		t.Errorf("%d rejects kept of %d", len(got.Rejects), got.Rows.Rejected)
	}
	return got, err
}

// list shows queries as "id: text ×count".
func list(qs []corpus.Query) []string {
	out := []string{}
	for _, q := range qs {
		out = append(out, fmt.Sprintf("%s: %s ×%d", q.ID, q.Text, q.Count))
	}
	return out
}

// refused shows rejects as "line: reason".
func refused(rs []*rows.Reject) []string {
	out := []string{}
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	return out
}

func want(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestCollect(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		queries, rejects []string
	}{
		{"given ids", "q.jsonl", `{"id":"a","query":"one"}` + "\n" + `{"_id":7,"text":"two"}`, []string{"a: one ×1", "7: two ×1"}, nil},
		{"BEIR", "queries.jsonl", `{"_id":"1","text":"one","metadata":{"x":[1]}}`, []string{"1: one ×1"}, nil},
		{"the id of the query, not of the event", "q.jsonl", `{"id":"e9","query_id":"q1","query":"one"}`, []string{"q1: one ×1"}, nil},
		{"the query, not the text beside it", "q.jsonl", `{"id":"1","text":"a chunk","query":"one"}`, []string{"1: one ×1"}, nil},
		{"numbers as text", "q.jsonl", `{"id":1,"query":404}`, []string{"1: 404 ×1"}, nil},
		{"plain lines", "log.txt", "yahoo chat\n\n Yahoo  CHAT \nother\n", []string{TextID("yahoo chat") + ": yahoo chat ×2", TextID("other") + ": other ×1"}, nil},
		{"canonically equal", "log.txt", "caf\u00e9\ncafe\u0301\n", []string{TextID("café") + ": café ×2"}, nil},
		{"one text, two ids", "q.csv", "id,query\n1,same\n2,same\n", []string{"1: same ×1", "2: same ×1"}, nil},
		{"one id, one text", "q.csv", "id,query\n1,same\n1,Same\n1,same\n", []string{"1: same ×3"}, nil},
		{"counts add up", "q.csv", "query,count\na,3\nb,1\na,4\n", []string{TextID("a") + ": a ×7", TextID("b") + ": b ×1"}, nil},
		{"an empty query", "q.csv", "id,query\n1,\n2, \n3,c\n", []string{"3: c ×1"}, []string{"2: the query is empty", "3: the query is empty"}},
		{"an id that is none", "q.jsonl", `{"id":"","query":"a"}` + "\n" + `{"id":["x"],"query":"b"}` + "\n" + `{"id":{},"query":"c"}` + "\n" + `{"id":true,"query":"d"}`,
			[]string{}, []string{"1: the id is empty", "2: the id is a list", "3: the id is an object", "4: the id is a boolean"}},
		{"no id where others have one", "q.jsonl", `{"id":null,"query":"a"}` + "\n" + `{"query":"b"}`, []string{TextID("a") + ": a ×1", TextID("b") + ": b ×1"}, nil},
		{"no query", "q.jsonl", `{"id":1,"title":"a"}` + "\n" + `{"id":2,"query":{"match":"x"}}` + "\n" + `{"id":3,"query":null,"question":"c"}`,
			[]string{"3: c ×1"}, []string{"1: the row has no query: no query, text, question or the like", `2: "query" is an object, not the text of a query`}},
		{"a conversation", "q.jsonl", `{"id":1,"user_input":[{"content":"a","type":"human"},{"content":"b","type":"ai"},{"content":"c","type":"human"}]}`, []string{"1: c ×1"}, nil},
		{"a conversation that ends in an answer", "q.jsonl", `{"id":1,"user_input":[{"content":"b","type":"ai"}]}`, []string{}, []string{`1: "user_input" has no message of the user's`}},
	} {
		got, err := collect(t, c.text, c.file, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		want(t, c.name, list(got.Queries), c.queries...)
		want(t, c.name, refused(got.Rejects), c.rejects...)
	}
}

// B001: the query is found under a header that only resembles its name. Public report: Clever/csvlint#37.
func TestB001QueryUnderALongHeader(t *testing.T) {
	got := collectFile(t, "testdata/bugs/B001/queries.csv", Options{}, rows.Options{})
	want(t, "queries", list(got.Queries), "q1: refund, where?\nline two \"quoted\" ×1", "q2: cancel order ×1")
	want(t, "rejects", refused(got.Rejects), "6: the query is empty")
	if got.TextField != "query, as typed\nby user" || got.IDField != "id" {
		t.Errorf("found under %q and %q", got.TextField, got.IDField)
	}
}

// B004: rows without a query are refused like broken ones, and all are counted. Public report: khoj-ai/khoj#460.
func TestB004BrokenRows(t *testing.T) {
	got := collectFile(t, "testdata/bugs/B004/queries_broken_middle.jsonl", Options{}, rows.Options{})
	want(t, "queries", list(got.Queries), "q1: ok one ×1", "q8: ok, no newline at end ×1")
	if got.Rows != (Counts{Accepted: 2, Rejected: 7, Blank: 1}) || got.Stats.Lines != 10 {
		t.Errorf("%+v of %d lines", got.Rows, got.Stats.Lines)
	}
	lines := []int{}
	for _, r := range got.Rejects {
		lines = append(lines, r.Line)
	}
	if !slices.Equal(lines, []int{3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("rejects on lines %v", lines)
	}
}

// B008: an id keeps its digits. Public report: quickwit-oss/quickwit#2011, JonathanReeve/corpus-db#24.
func TestB008IDsKeepTheirDigits(t *testing.T) {
	got := collectFile(t, "testdata/bugs/B008/queries.jsonl", Options{}, rows.Options{})
	want(t, "queries", list(got.Queries), "1: numbers ×1")
	big, err := collect(t, `{"id":9007199254740993,"query":"a"}`+"\n"+`{"id":9007199254740992,"query":"b"}`+"\n"+
		`{"id":12345678901234567890,"query":"c"}`+"\n"+`{"id":"007","query":"d"}`+"\n"+`{"id":1e3,"query":"e"}`, "q.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "big ids", list(big.Queries), "9007199254740993: a ×1", "9007199254740992: b ×1", "12345678901234567890: c ×1", "007: d ×1", "1e3: e ×1")
}

// B009: an id with two texts is reported with both lines, and the first is kept. Public report: castorini/pyserini#1902.
func TestB009ConflictingIDs(t *testing.T) {
	got, err := collect(t, "id,query\nq1,one\nq2,two\nq1,another\nq1,ONE\n", "q.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "queries", list(got.Queries), "q1: one ×2", "q2: two ×1")
	want(t, "rejects", refused(got.Rejects), `4: the id "q1" already stands for another query, on line 2`)
	if len(got.Conflicts) != 1 || got.Conflicts[0] != (Conflict{ID: "q1", KeptLine: 2, Line: 4, KeptText: "one", RefusedText: "another"}) {
		t.Errorf("%+v", got.Conflicts)
	}
}

// B024: a log in a legacy encoding is refused by line, and read once it is named. Public report: doccano/doccano#1762.
func TestB024Encodings(t *testing.T) {
	got := collectFile(t, "testdata/bugs/B024/log_latin1.csv", Options{}, rows.Options{})
	if len(got.Queries) != 0 || got.Rows.Rejected != 2 || !strings.Contains(got.Rejects[0].Reason, "byte 0xe9 at line 2, offset 30") {
		t.Errorf("%q", refused(got.Rejects))
	}
	got = collectFile(t, "testdata/bugs/B024/log_sjis.csv", Options{}, rows.Options{Encoding: "shift_jis"})
	want(t, "queries", list(got.Queries), "q1: 返金はいつ ×1")
}

func TestRejectsAreCappedButCounted(t *testing.T) {
	got, err := collect(t, strings.Repeat("{}\n", MaxRejects+500), "q.jsonl", Options{})
	if err != nil || got.Rows.Rejected != MaxRejects+500 || len(got.Rejects) != MaxRejects {
		t.Errorf("%d of %d, %v", len(got.Rejects), got.Rows.Rejected, err)
	}
}

func TestTextID(t *testing.T) {
	if id := TextID("yahoo chat"); len(id) != 14 || id != TextID(" Yahoo\u00a0\tChat\n") || id == TextID("yahoochat") {
		t.Errorf("%q", id)
	}
	// Ids of queries that are stored must never change.
	if id := TextID("How do I locate my card?"); id != "q-1f21633d90fe" {
		t.Errorf("the id of a stored query changed to %q", id)
	}
}

func TestReadStops(t *testing.T) {
	r, err := rows.New(strings.NewReader("a\nb\nc\n"), "log.txt", rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLog(r, Options{}, sniffed{})
	if err != nil {
		t.Fatal(err)
	}
	for asked, err := range l.Rows() {
		if err != nil || asked.Query.Text != "a" || asked.Line != 1 || !asked.Derived || asked.File != "log.txt" {
			t.Errorf("%+v, %v", asked, err)
		}
		break
	}
}

func TestReadEndsWithTheFault(t *testing.T) {
	r, err := rows.New(&failing{"{\"query\":\"a\"}\n{\"query\":\"b\"}\n{\"qu"}, "log.jsonl", rows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := collectAll(t, r, Options{})
	var fault *rows.Error
	if len(got.Queries) != 2 || !errors.As(err, &fault) || fault.Line != 3 {
		t.Errorf("%d queries, %v", len(got.Queries), err)
	}
}

// failing gives its text and then an error that is not the end.
type failing struct{ rest string }

func (f *failing) Read(p []byte) (int, error) {
	if f.rest == "" {
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
