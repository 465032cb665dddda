package rows

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Format
	}{
		{"q.jsonl", "{\"id\":1}\n{\"id\":2}\n", JSONLines},
		{"q", "{\"id\":1}\n{\"id\":2}\n", JSONLines},
		{"q.json", "{\"id\":1}\n{\"id\":2}\n", JSONLines},
		{"q.txt", " {\"id\":1}", JSONLines},
		{"q.csv", "{\"id\":1}\n", JSONLines}, // the content counts
		{"q.jsonl", "broken\n{\"id\":1}\n{\"id\":2}\n", JSONLines},
		{"q", "{\"id\":1\n{\"id\":2}\n{\"id\":3}\n", JSONLines},
		{"q.ndjson", "nothing like it\n", JSONLines},
		{"q", "[{\"id\":1}]", JSON},
		{"q.jsonl", "[\n  {\n    \"id\": 1\n  }\n]\n", JSON},
		{"q", "{\n  \"id\": 1,\n  \"query\": \"a\"\n}\n{\n  \"id\": 2\n}\n", JSON},
		{"q", "{\"data\":[\n  {\"id\":1},\n  {\"id\":2},\n  {\"id\":3}\n]}\n", JSON},
		{"q.json", "{\"data\":[\n{\"id\":1},\n{\"id\":2},\n{\"id\":3}\n]}\n", JSON},
		{"q.json", "[]", JSON},
		{"q.json", "", JSON},
		{"q.json", "[1, 2]", JSON},
		{"q.csv", "id,query\n1,a\n", CSV},
		{"q.CSV.gz", "a,b\n1,a\n", CSV},
		{"q.txt", "id,query\n1,a\n", CSV},
		{"q.txt", "\"id\",\"query, as typed\nby user\"\n1,a\n", CSV},
		{"q.txt", "id;query\n1;a\n", CSV},
		{"q.csv", "one\ntwo\n", CSV},
		{"q.csv", "id\tquery\n1\ta\n", TSV},
		{"q.tsv", "1\ta\n2\tb\n", TSV},
		{"q.tsv", "no tab\n", TSV},
		{"q.tsv", "id,query\n1,a\n", CSV},
		{"q.log", "u1\t9709\tone\nu2\t9709\ttwo\n", TSV},
		{"q", "id\tquery\n1\ta\tb\n", TSV},
		{"q.txt", "one\ntwo\n", Lines},
		{"q.txt", "hello, world\nhow are you, then?\n", Lines},
		{"q.txt", "one\ttab\ntwo\nthree\n", Lines},
		{"q.txt", "[error] it broke\n", Lines},
		{"q.txt", "[404] not found\n", Lines},
		{"q.txt", "{{template}} fails\n", Lines},
		{"q.txt", "{tag} words\n", Lines},
		{"q.txt", "", Lines},
		{"q", "\n\n", Lines},
		{"q", "a\rb\r", Lines},
	} {
		got := readAll(t, c.text, c.name, Options{})
		if got.stats.Format != c.want || got.err != nil {
			t.Errorf("%s %q is %s, want %s (%v)", c.name, c.text, got.stats.Format, c.want, got.err)
		}
	}
}

func TestFormatOption(t *testing.T) {
	got := readAll(t, "{\"id\":1}\n", "q.jsonl", Options{Format: Lines})
	wantStrings(t, "rows", table(got.rows), []string{`text={"id":1}`})
	got = readAll(t, "id,query\n1,a\n", "q.jsonl", Options{Format: CSV})
	wantStrings(t, "rows", table(got.rows), []string{"id=1|query=a"})
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        Options
		columns    []string
		rows       int
	}{
		{"known names", "id,query\n1,a\n", Options{}, []string{"id", "query"}, 1},
		{"names are trimmed", " ID , Search Term \n1,a\n", Options{}, []string{"ID", "Search Term"}, 1},
		{"one that is certain", "id,frage\n1,a\n", Options{}, []string{"id", "frage"}, 1},
		{"two that are likely", "title,content\n1,a\n", Options{}, []string{"title", "content"}, 1},
		{"one that is likely", "title,a\n1,b\n", Options{}, []string{"1", "2"}, 2},
		{"a number is no name", "id,17\n1,b\n", Options{}, []string{"1", "2"}, 2},
		{"a date is no name", "query,2024-05-01 10:00\n", Options{}, []string{"1", "2"}, 1},
		{"unknown names", "frage,kategorie\na,b\n", Options{}, []string{"1", "2"}, 2},
		{"names that were asked for", "frage,kategorie\na,b\n", Options{Columns: []string{"Frage"}}, []string{"frage", "kategorie"}, 1},
		{"a number that was asked for", "a,b\n3,4\n", Options{Columns: []string{"3"}}, []string{"1", "2"}, 2},
		{"said to be there", "frage,17\na,b\n", Options{Header: HeaderPresent}, []string{"frage", "17"}, 1},
		{"said not to be there", "id,query\n1,a\n", Options{Header: HeaderAbsent}, []string{"1", "2"}, 2},
		{"after blank lines", "\n\nid,query\n1,a\n", Options{}, []string{"id", "query"}, 1},
		{"a name twice", "id,text,text,\n1,a,b,c\n", Options{}, []string{"id", "text", "3", "4"}, 1},
		{"an index without a name", ",text,category\n0,a,b\n", Options{}, []string{"1", "text", "category"}, 1},
		{"semicolons", "id;query\n1;a, b\n", Options{}, []string{"id", "query"}, 1},
		{"a delimiter by option", "id|query\n1|a, b\n", Options{Delimiter: '|'}, []string{"id", "query"}, 1},
		{"nothing", "", Options{}, nil, 0},
		{"the usual width", "a,b,c\nd,e\nf,g\nh,i\n", Options{}, []string{"1", "2"}, 3},
	} {
		got := readAll(t, c.text, "log.csv", c.opt)
		wantStrings(t, c.name, got.columns, c.columns)
		if len(got.rows) != c.rows || got.err != nil {
			t.Errorf("%s: %d rows, %q, %v", c.name, len(got.rows), refused(got.rejects), got.err)
		}
		if header := c.columns != nil && c.columns[len(c.columns)-1] != "2"; got.stats.Header != header {
			t.Errorf("%s: header %v", c.name, got.stats.Header)
		}
	}
}

func TestHeaderThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"id,\"query\nq1,a\nq2,b\n", "id,\"query\" x\nq1,a\n", "id,qu\x00ery\n1,a\n"} {
		got := readAll(t, text, "log.csv", Options{})
		if got.err == nil || !strings.Contains(got.err.Error(), "log.csv:1: the first row, which names the columns, can't be read") {
			t.Errorf("%q: %v", text, got.err)
		}
	}
	// Without a header, a first row that can't be read is a row like any other.
	got := readAll(t, "17,\"open\n18,b\n19,c\n", "log.csv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"1=18|2=b", "1=19|2=c"})
	wantReasons(t, got.rejects, "1-1: the quote that opens on line 1 does not close")
}

// The columns of a table without a header are known from its first row on, however late it comes.
func TestColumnsAfterALongBlank(t *testing.T) {
	got := readAll(t, strings.Repeat("\n", 2*sampleSize)+"17,b\n", "log.csv", Options{})
	wantStrings(t, "columns", got.columns, []string{"1", "2"})
	wantStrings(t, "rows", table(got.rows), []string{"1=17|2=b"})
}

func TestExtension(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv": "csv", "dir.d/A.CSV": "csv", "a.jsonl.gz": "jsonl", "a.tsv.zst": "tsv", "a": "", ".csv": "csv", "a.b.txt": "txt", "a.gz": "",
	} {
		if got := extension(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestIsHeader(t *testing.T) {
	for cells, want := range map[string]bool{
		"id|query": true, "query-id|corpus-id|score": true, "_id|x": true, "ID": true, "Search Query|Clicks": true,
		"text|category": true, "title|body": true, "count": false, "title": false, "": false, "|": false,
		"yahoo chat|free music": false, "2A9E|970916105432|text": false, "id|1": false, "id|12:30": false, "text|3.5": false,
		"id|query 2": true, "what is an id|text of law": false,
	} {
		if got := isHeader(strings.Split(cells, "|"), nil); got != want {
			t.Errorf("%q: %v", cells, got)
		}
	}
}

func TestDelimiter(t *testing.T) {
	for first, want := range map[string]byte{
		"id;query": ';', "id,query": ',', "id;query,text": ',', "query": ',', "": ',', "a;b;c": ';',
	} {
		if got := delimiter([]byte(first)); got != want {
			t.Errorf("%q: %q", first, got)
		}
	}
	got := readAll(t, "id;query\n1;\"a; b\"\n2;c, d\n3;e;f\n", "log.csv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=1|query=a; b", "id=2|query=c, d"})
	wantReasons(t, got.rejects, "4-4: 3 cells where 2 belong")
}

func TestSampleLines(t *testing.T) {
	for _, c := range []struct {
		head  string
		whole bool
		want  []string
	}{
		{"a\nb\nc", true, []string{"a", "b", "c"}},
		{"a\nb\nc", false, []string{"a", "b"}},
		{"a\r\n\r\nb\r\n", true, []string{"a", "b"}},
		{"a\rb\r", true, []string{"a", "b"}},
		{"only", false, []string{"only"}},
		{"\n \n", true, []string{}},
	} {
		got := []string{}
		for _, l := range sampleLines([]byte(c.head), c.whole) {
			got = append(got, string(l))
		}
		wantStrings(t, c.head, got, c.want)
	}
	if first := firstLine([]byte("\n\n"), true); first != nil {
		t.Errorf("%q", first)
	}
}
