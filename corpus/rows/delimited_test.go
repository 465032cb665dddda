package rows

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		rejects    []string
	}{
		{"quotes", "id,query\n1,\"a, b\"\n2,\"say \"\"hi\"\"\"\n3,\"\"\n", []string{"id=1|query=a, b", `id=2|query=say "hi"`, "id=3|query="}, nil},
		{"only quotes", "id,query\n1,\"\"\"\"\n2,\"\"\"a\"\"\"\n", []string{`id=1|query="`, `id=2|query="a"`}, nil},
		{"line ends in quotes", "id,query\r\n1,\"a\r\nb\n\nc\"\r\n2,d\r\n", []string{"id=1|query=a\nb\n\nc", "id=2|query=d"}, nil},
		{"CR line ends in quotes", "id,query\r1,\"a\rb\"\r2,c\r", []string{"id=1|query=a\nb", "id=2|query=c"}, nil},
		{"two cells of several lines", "id,query,answer\n1,\"a\nb\",\"c\nd\"\n2,e,f\n", []string{"id=1|query=a\nb|answer=c\nd", "id=2|query=e|answer=f"}, nil},
		{"space is kept", "id,query\n 1 , a \n", []string{"id= 1 |query= a "}, nil},
		{"space after a quote", "id,query\n\"1\" ,\"a\"  \n", []string{"id=1|query=a"}, nil},
		{"a quote after space is text", "id,query\n1, \"a\"\n", []string{`id=1|query= "a"`}, nil},
		{"short rows lack cells", "id,query,note\n1,a\n2\n", []string{"id=1|query=a", "id=2"}, nil},
		{"empty cells too many", "id,query\n1,a,,\n", []string{"id=1|query=a"}, nil},
		{"nothing in any cell is blank", "id,query\n,\n1,a\n\"\",\" \"\n", []string{"id=1|query=a"}, nil},
		{"no rows", "id,query\n", []string{}, nil},
		{"no last line end", "id,query\n1,\"a\"", []string{"id=1|query=a"}, nil},
		{"an unquoted comma", "id,query\n1,a, b\n2,c\n", []string{"id=2|query=c"}, []string{"2-2: 3 cells where 2 belong"}},
		{"text after a quote", "id,query\n1,\"a\" b\n2,c\n", []string{"id=2|query=c"}, []string{"2-2: text follows the quote that closes cell 2"}},
	} {
		got := readAll(t, c.text, "log.csv", Options{})
		wantStrings(t, c.name, table(got.rows), c.rows)
		wantReasons(t, got.rejects, c.rejects...)
		if got.err != nil {
			t.Errorf("%s: %v", c.name, got.err)
		}
	}
}

// B005: however an unclosed quote ends, the rows after it are rows, or reported.
func TestB005UnclosedQuotes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       []string
		rejects    []string
	}{
		{"before a quoted cell", "id,query\nq1,\"open\nq2,\"b, c\"\nq3,d\n",
			[]string{"id=q2|query=b, c", "id=q3|query=d"}, []string{"2-2: line 2 does not close: text follows another quote, on line 3"}},
		{"closed by an inch mark at the end of a cell", "id,query\nq1,\"open\nq2,b\nq3,monitor 24\"\nq4,d\n",
			[]string{"id=q2|query=b", `id=q3|query=monitor 24"`, "id=q4|query=d"}, []string{"2-2: quote of another row"}},
		{"the same with numbers", "id,query\n17,\"open\n18,b\n19,24\"\n",
			[]string{"id=18|query=b", `id=19|query=24"`}, []string{"2-2: quote of another row"}},
		{"closed with too many cells", "id,query\nq1,\"open\nq2,b,\" c\nq3,d\n",
			[]string{"id=q3|query=d"}, []string{"2-2: does not close", "3-3: does not close: the file ends first"}},
		{"closed by an inch mark within the row", "id,query,note\nq1,\"open,x\nq2,b\",y\nq3,c,z\n",
			[]string{`id=q2|query=b"|note=y`, "id=q3|query=c|note=z"}, []string{"2-2: quote of another row"}},
		{"what may belong to it is not taken for a short row", "id,query\nq1,\"first line\nsecond line\nq2,b\n",
			[]string{"id=q2|query=b"}, []string{"2-2: does not close", "3-3: 1 cells where 2 belong"}},
		{"two of them", "id,query\nq1,\"a\nq2,b\nq3,\"c\nq4,d\n",
			[]string{"id=q2|query=b", "id=q4|query=d"}, []string{"2-2: does not close", "4-4: does not close"}},
		{"after a cell of several lines", "id,query,note\nq1,\"a\nb\",\"c\nq2,d,e\n",
			[]string{"id=q2|query=d|note=e"}, []string{"2-3: the quote that opens on line 3 does not close"}},
		{"text of several lines that looks a bit like rows", "id,query\n7,\"steps:\n1, open\n2, close\"\n8,b\n",
			[]string{"id=7|query=steps:\n1, open\n2, close", "id=8|query=b"}, nil},
		{"text of several lines with commas", "id,query\nq1,\"Dear all,\nthanks,\nAnn\"\nq2,b\n",
			[]string{"id=q1|query=Dear all,\nthanks,\nAnn", "id=q2|query=b"}, nil},
	} {
		got := readAll(t, c.text, "log.csv", Options{})
		wantStrings(t, c.name, table(got.rows), c.rows)
		wantReasons(t, got.rejects, c.rejects...)
	}
}

// B005: a quote is not looked for beyond the cap, and what was looked at comes again.
func TestB005UnclosedQuoteBeyondTheCap(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,query\nq0,\"open\n")
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&text, "q%d,query number %d\n", i, i)
	}
	got := readAll(t, text.String(), "log.csv", Options{MaxLine: 2000})
	wantReasons(t, got.rejects, "2-2: the next 2000 bytes have no end of it")
	if len(got.rows) != 1000 {
		t.Errorf("%d rows", len(got.rows))
	}
	long := "id,query\nq1,\"open\n" + strings.Repeat("x", 300) + "\nq2,b\n"
	got = readAll(t, long, "log.csv", Options{MaxLine: 100})
	wantStrings(t, "rows", table(got.rows), []string{"id=q2|query=b"})
	wantReasons(t, got.rejects, "2-2: the quote that opens", "3-3: the line is 300 bytes long")
}

// B005: input made of unclosed quotes costs no more than a multiple of its size.
func TestB005HostileQuotes(t *testing.T) {
	for name, line := range map[string]string{
		"one cell more each line": "x\",\"y\n", "quotes only": "\"\"\"\n", "open": "a,\"\n", "open and close": "\",\"\n",
	} {
		text := "id,query\n" + strings.Repeat(line, 20_000)
		r, err := New(strings.NewReader(text), "log.csv", Options{MaxLine: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		drain(t, r)
		if d := r.rows.(*delimited); d.wasted > int64(10*len(text)+1<<11) {
			t.Errorf("%s: %d bytes of %d were read again", name, d.wasted, len(text))
		}
	}
	// A wide header lets each record take in many lines before it has too many cells.
	wide := "id," + strings.Repeat("c,", 4000) + "c\n" + strings.Repeat("x\",\"y\n", 20_000)
	r, err := New(strings.NewReader(wide), "log.csv", Options{MaxLine: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	got := drain(t, r)
	if got.stats.Rejected < 15_000 || r.rows.(*delimited).wasted > int64(10*len(wide)+1<<17) {
		t.Errorf("%d rejects, %d bytes of %d read again", got.stats.Rejected, r.rows.(*delimited).wasted, len(wide))
	}
	if late := got.rejects[10_000].Reason; !strings.Contains(late, "too many before it did not close") {
		t.Errorf("a late reject: %s", late)
	}
}

func TestShape(t *testing.T) {
	for s, want := range map[string]string{
		"q17": "a9", "Q18": "a9", "2041": "9", "": "", "a-1-b": "a-9-a", "12 ": "9 ", "3.5": "9.9", "été": "a", "--": "--",
	} {
		if got := shape(s); got != want {
			t.Errorf("%q looks like %q, want %q", s, got, want)
		}
	}
}

// B006: nothing is special in TSV but tabs and line ends.
func TestB006TSVIsLiteral(t *testing.T) {
	got := readAll(t, "id\tquery\nq1\t\"a\nq2\t\"b\"\nq3\ta\\tb\nq4\t'c'\n\t\nq5\n", "log.tsv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{
		`id=q1|query="a`, `id=q2|query="b"`, `id=q3|query=a\tb`, "id=q4|query='c'", "id=q5",
	})
	got = readAll(t, "id\tquery\nq1\ta\tb\n", "log.tsv", Options{})
	wantReasons(t, got.rejects, "2-2: 3 cells where 2 belong")
}

func TestBadBytesInACellOfSeveralLines(t *testing.T) {
	got := readAll(t, "id,query\nq1,\"a\nb\xff\"\nq2,c\n", "log.csv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=q2|query=c"})
	wantReasons(t, got.rejects, "2-3: byte 0xff at line 3, offset 16 is not UTF-8")
}

// What encoding/csv writes, we read.
func TestCSVAgreesWithEncodingCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "é", " ", "\"", ",", "\n", ";", "\t", "17", "”", "'", "\\", "x y"}
	for range 2000 {
		width := 1 + rng.IntN(4)
		var want []string
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.UseCRLF = rng.IntN(2) == 0
		header := []string{"id", "query", "answer", "note"}[:width]
		if err := w.Write(header); err != nil {
			t.Fatal(err)
		}
		for row := range rng.IntN(6) {
			cells, shown := make([]string, width), make([]string, width)
			for i := range cells {
				for range rng.IntN(6) {
					cells[i] += pieces[rng.IntN(len(pieces))]
				}
				if i == 0 {
					cells[0] = strings.Repeat("k", row+1) + cells[0] // never like the id of another row, never blank
				}
				shown[i] = header[i] + "=" + cells[i]
			}
			if err := w.Write(cells); err != nil {
				t.Fatal(err)
			}
			want = append(want, strings.Join(shown, "|"))
		}
		w.Flush()
		got := readAll(t, text.String(), "log.csv", Options{Delimiter: ','})
		if fmt.Sprint(table(got.rows)) != fmt.Sprint(want) && len(got.rejects) == 0 {
			t.Fatalf("%q:\n got %q\nwant %q", text.String(), table(got.rows), want)
		}
		if len(got.rejects) > 0 && !suspicious(got.rejects) {
			t.Fatalf("%q: %q", text.String(), refused(got.rejects))
		}
	}
}

// suspicious reports whether all rejects come from rows that look as if they had swallowed others.
func suspicious(rs []*Reject) bool {
	for _, r := range rs {
		if !strings.Contains(r.Reason, closedElsewhere) {
			return false
		}
	}
	return true
}

// Only lines that are rows by count and by their first cell make a cell of several lines suspicious.
func TestSwallowed(t *testing.T) {
	for _, c := range []struct {
		width int
		first string
		lines []string
		want  bool
	}{
		{2, "q1", []string{"q2,b", `q3,c"`}, true},
		{2, "17", []string{`18,24"`}, true},
		{3, "q1", []string{"q2,b,c", `q3,c,d"`}, true},
		{3, "q1", []string{"q2,b", `q3,c"`}, false},       // too few cells
		{2, "q1", []string{"and b,", `q3,c"`}, false},     // one line is none
		{2, "q1", []string{"17,b", `18,c"`}, false},       // ids of another make
		{2, "hello", []string{"dear,all", `b,c"`}, false}, // words are not ids
		{2, "1", []string{"2, then", `3, last"`}, false},  // a list in prose
		{1, "17", []string{`18"`}, false},                 // nothing to count
	} {
		d := &delimited{comma: ',', width: c.width}
		rec := &record{cells: []string{c.first}, lines: []line{{}}}
		for _, l := range c.lines {
			rec.lines = append(rec.lines, line{text: []byte(l)})
		}
		if got := d.swallowed(rec); got != c.want {
			t.Errorf("%q then %q: %v", c.first, c.lines, got)
		}
	}
}

func TestTableOfOneColumn(t *testing.T) {
	got := readAll(t, "query\na\n\"b, c\"\n\"\"\nd, e\n", "log.csv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"query=a", "query=b, c"})
	wantReasons(t, got.rejects, "5-5: 2 cells where 1 belong")
	if got.stats.Blank != 1 || got.stats.Lines != 5 {
		t.Errorf("%+v", got.stats)
	}
}
