package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// result is everything that a reader gave.
type result struct {
	rows    []Row
	rejects []*Reject
	stats   Stats
	columns []string
	err     error // that ended it, nil at the end of the file
}

// readAll reads a text that is called name.
func readAll(t testing.TB, text, name string, opt Options) result {
	t.Helper()
	r, err := New(strings.NewReader(text), name, opt)
	if err != nil {
		return result{err: err}
	}
	return drain(t, r)
}

// readFile reads one of the test's files.
func readFile(t testing.TB, path string, opt Options) result {
	t.Helper()
	r, err := Open(filepath.FromSlash(path), opt)
	if err != nil {
		return result{err: err}
	}
	defer r.Close()
	return drain(t, r)
}

// drain reads to the end and checks what holds of every source.
func drain(t testing.TB, r *Reader) result {
	t.Helper()
	var got result
	last := 0 // the last line that belongs to a row or reject
	oneEach := r.Stats().Format != JSON
	covered := 0
	for {
		row, err := r.Next()
		var reject *Reject
		if errors.As(err, &reject) {
			got.rejects = append(got.rejects, reject)
			row = Row{Line: reject.Line, EndLine: reject.EndLine}
			if reject.Reason == "" || reject.File == "" || len(reject.Raw) > 256 {
				t.Errorf("reject of line %d: reason %q, file %q, %d bytes", reject.Line, reject.Reason, reject.File, len(reject.Raw))
			}
		} else if err != nil {
			if err != io.EOF {
				got.err = err
			}
			if _, again := r.Next(); again != err {
				t.Errorf("after the end %v, Next returns %v", err, again)
			}
			break
		} else {
			got.rows = append(got.rows, row)
			checkRow(t, row)
		}
		if row.EndLine < row.Line || oneEach && row.Line <= last {
			t.Errorf("lines %d to %d follow line %d", row.Line, row.EndLine, last)
		}
		last = row.EndLine
		covered += row.EndLine - row.Line + 1
	}
	got.stats, got.columns = r.Stats(), r.Columns()
	s := got.stats
	if s.Accepted != len(got.rows) || s.Rejected != len(got.rejects) {
		t.Errorf("counted %d and %d, gave %d rows and %d rejects", s.Accepted, s.Rejected, len(got.rows), len(got.rejects))
	}
	if f := s.Format; got.err == nil && (f == JSONLines || f == Lines) && s.Accepted+s.Rejected+s.Blank != s.Lines {
		t.Errorf("%d accepted + %d rejected + %d blank is not %d lines", s.Accepted, s.Rejected, s.Blank, s.Lines)
	}
	if oneEach && got.err == nil && (covered > s.Lines || covered+s.Blank == 0 && s.Lines > 1 && !s.Header) {
		t.Errorf("rows and rejects cover %d of %d lines", covered, s.Lines)
	}
	return got
}

// checkRow checks what holds of every accepted row.
func checkRow(t testing.TB, row Row) {
	t.Helper()
	if row.File == "" || row.Line < 1 || row.Offset < 0 || !utf8.Valid(row.Raw) || bytes.IndexByte(row.Raw, 0) >= 0 {
		t.Errorf("row %q:%d at %d: %q", row.File, row.Line, row.Offset, row.Raw)
	}
	for i, f := range row.Fields {
		s, ok := f.Value.Text()
		if ok && (!utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0) {
			t.Errorf("line %d: %q is %q", row.Line, f.Name, s)
		}
		if slices.ContainsFunc(row.Fields[:i], func(e Field) bool { return e.Name == f.Name }) {
			t.Errorf("line %d: two fields are called %q", row.Line, f.Name)
		}
	}
}

// table shows rows as "name=text" for comparing.
func table(rs []Row) []string {
	out := []string{}
	for _, r := range rs {
		var cells []string
		for _, f := range r.Fields {
			s, ok := f.Value.Text()
			if !ok {
				s = f.Value.Kind().String()
			}
			cells = append(cells, f.Name+"="+s)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

// refused shows rejects as "first-last: reason".
func refused(rs []*Reject) []string {
	out := []string{}
	for _, r := range rs {
		out = append(out, fmt.Sprintf("%d-%d: %s", r.Line, r.EndLine, r.Reason))
	}
	return out
}

func wantStrings(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// wantReasons checks for each reject its lines and a part of its reason: "3-3: cut off".
func wantReasons(t testing.TB, got []*Reject, want ...string) {
	t.Helper()
	lines := refused(got)
	if len(lines) != len(want) {
		t.Fatalf("rejects:\n got %q\nwant %q", lines, want)
	}
	for i, w := range want {
		at, part, _ := strings.Cut(w, ": ")
		if !strings.HasPrefix(lines[i], at+": ") || !strings.Contains(lines[i], part) {
			t.Errorf("reject %d: got %q, want %q", i, lines[i], w)
		}
	}
}

func TestGet(t *testing.T) {
	row := Row{Fields: []Field{{"ID", StringValue("upper")}, {"id", StringValue("lower")}, {"Text", StringValue("t")}}}
	for _, c := range []struct {
		names       []string
		value, name string
	}{
		{[]string{"id"}, "lower", "id"},
		{[]string{"_id", "ID"}, "upper", "ID"},
		{[]string{"iD", "text"}, "upper", "ID"},
		{[]string{"query", "text"}, "t", "Text"},
		{[]string{"TEXT", "id"}, "lower", "id"}, // as it is, before regardless of case
		{[]string{"none"}, "", ""},
		{nil, "", ""},
	} {
		v, name, ok := row.Get(c.names...)
		s, _ := v.Text()
		if s != c.value || name != c.name || ok != (c.name != "") {
			t.Errorf("Get(%q) = %q under %q, %v", c.names, s, name, ok)
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	cause := errors.New("it broke")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&Reject{File: "log.csv", Line: 7, Reason: "the id is empty"}, "log.csv:7: the id is empty"},
		{&Error{File: "log.csv", Line: 7, Reason: "bad", Err: cause}, "read log.csv:7: bad: it broke"},
		{&Error{File: "log.csv", Err: cause}, "read log.csv: it broke"},
		{&Error{File: "log.csv", Reason: "bad"}, "read log.csv: bad"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if err := error(&Error{File: "f", Err: cause, Advice: "mend it"}); !errors.Is(err, cause) {
		t.Error("the cause is lost")
	} else if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() != "mend it" {
		t.Error("the hint is lost")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.csv")
	_, err := Open(missing, Options{})
	var fault *Error
	if !errors.As(err, &fault) || !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), missing) != 1 {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := New(strings.NewReader("x"), "f", Options{Format: "xml"}); err == nil || !strings.Contains(err.Error(), `"xml"`) {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestOpenStandardInput(t *testing.T) {
	r, err := Open("-", Options{Stdin: strings.NewReader("one\ntwo\n")})
	if err != nil {
		t.Fatal(err)
	}
	got := drain(t, r)
	wantStrings(t, "rows", table(got.rows), []string{"text=one", "text=two"})
	if got.rows[0].File != "standard input" {
		t.Errorf("the file is called %q", got.rows[0].File)
	}
}

func TestClosedReaderEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Next after Close: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// brokenReader gives its text and then an error that is not the end.
type brokenReader struct{ rest string }

func (b *brokenReader) Read(p []byte) (int, error) {
	if b.rest == "" {
		return 0, errors.New("the disk is gone")
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func TestBrokenStreamKeepsWhatCameBefore(t *testing.T) {
	for _, c := range []struct {
		format Format
		text   string
		rows   int
		line   int
	}{
		{JSONLines, "{\"id\":1}\n{\"id\":2}\n{\"id\":", 2, 3},
		{Lines, "one\ntwo\nthr", 2, 3},
		{CSV, "id,query\n1,one\n2,\"two", 1, 3},
		{JSON, "[{\"id\":1},\n{\"id\":2},\n{\"i", 2, 3},
	} {
		r, err := New(&brokenReader{c.text}, "f", Options{Format: c.format})
		if err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		got := drain(t, r)
		var fault *Error
		if len(got.rows) != c.rows || !errors.As(got.err, &fault) || fault.Line != c.line {
			t.Errorf("%s: %d rows, rejects %q, then %v", c.format, len(got.rows), refused(got.rejects), got.err)
		}
	}
}

// Rows own their memory: reading on doesn't change them.
func TestRowsStayValid(t *testing.T) {
	for name, line := range map[string]string{
		"a.jsonl": "{\"id\":%d,\"query\":\"number %d\"}\n", "a.csv": "%d,\"number\n%d\"\n", "a.tsv": "%d\tnumber %d\n", "a.txt": "%d number %d\n",
	} {
		var text strings.Builder
		const n = 20_000
		for i := range n {
			fmt.Fprintf(&text, line, i, i)
		}
		got := readAll(t, text.String(), name, Options{})
		if len(got.rows) != n {
			t.Fatalf("%s: %d rows, %d rejects", name, len(got.rows), len(got.rejects))
		}
		for i, r := range got.rows {
			want := strings.TrimSuffix(fmt.Sprintf(line, i, i), "\n")
			if string(r.Raw) != want || text.String()[r.Offset:r.Offset+int64(len(want))] != want {
				t.Fatalf("%s: row %d is %q at %d", name, i, r.Raw, r.Offset)
			}
			if last := r.Fields[len(r.Fields)-1].Value; !strings.Contains(string(last.Raw()), fmt.Sprint(i)) {
				t.Fatalf("%s: row %d ends in %s", name, i, last.Raw())
			}
		}
	}
}

func TestProgress(t *testing.T) {
	text := gzipped(t, strings.Repeat("{\"id\":1}\n", 100_000))
	r, err := New(strings.NewReader(text), "a.jsonl.gz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for err == nil {
		_, err = r.Next()
		s := r.Stats()
		if s.Consumed < last || s.Consumed > int64(len(text)) {
			t.Fatalf("%d bytes of %d after %d", s.Consumed, len(text), last)
		}
		last = s.Consumed
	}
	if last != int64(len(text)) || r.File() != "a.jsonl.gz" {
		t.Errorf("%d bytes of %d", last, len(text))
	}
}

func TestRejectOfAnAcceptedRow(t *testing.T) {
	got := readAll(t, "id,query\nq1,\""+strings.Repeat("x\n", 200)+"\"\n", "log.csv", Options{})
	r := got.rows[0].Reject("the query is too long", "shorten it")
	if r.Line != 2 || r.EndLine != 202 || r.Offset != 9 || r.File != "log.csv" || len(r.Raw) != 256 || r.Hint != "shorten it" {
		t.Errorf("%+v", r)
	}
}
