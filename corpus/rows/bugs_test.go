package rows

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// B001: a BOM before a quoted header. Public report: Clever/csvlint#37, thephpleague/csv#586.
func TestB001BOMBeforeQuotedHeader(t *testing.T) {
	got := readFile(t, "testdata/bugs/B001/queries.csv", Options{})
	const query = "query, as typed\nby user"
	wantStrings(t, "columns", got.columns, []string{"id", query, "channel"})
	wantStrings(t, "rows", table(got.rows), []string{
		"id=q1|" + query + "=refund, where?\nline two \"quoted\"|channel=web",
		"id=q2|" + query + "=cancel order|channel=app",
		"id=q3|" + query + "=|channel=web", // empty is for the room above to judge
	})
	if r := got.rows[0]; r.Line != 3 || r.EndLine != 4 || r.Offset != 45 {
		t.Errorf("q1 is on lines %d to %d, at %d", r.Line, r.EndLine, r.Offset)
	}
}

// B002: UTF-16 as PowerShell writes it. Public report: nsacyber/paccor#70, jamovi/jamovi#257.
func TestB002UTF16(t *testing.T) {
	want := []string{
		"id=q1|query=how long do refunds take", "id=q2|query=cancel order", "id=q3|query=do you ship to the moon",
	}
	for file, encoding := range map[string]string{
		"utf8_bom": "utf-8", "utf16le_bom": "utf-16le", "utf16be_bom": "utf-16be", "utf16le_nobom": "utf-16le",
	} {
		got := readFile(t, "testdata/bugs/B002/queries_"+file+".jsonl", Options{})
		wantStrings(t, file, table(got.rows), want)
		if got.stats.Encoding != encoding || got.stats.Rejected > 0 || got.err != nil {
			t.Errorf("%s: %+v, %v", file, got.stats, got.err)
		}
	}
}

// B003: lines longer than a scanner's buffer. Public report: brimdata/super#5043, escoffier-labs/brigade#420.
func TestB003LongLines(t *testing.T) {
	got := readFile(t, "testdata/bugs/B003/log_65536.txt", Options{})
	if len(got.rows) != 3 || len(got.rows[0].Raw) != 65535 || len(got.rows[1].Raw) != 65536 || string(got.rows[2].Raw) != "last query" {
		t.Fatalf("%d rows", len(got.rows))
	}
	long := strings.Repeat("needle lorem ipsum ", 110_000) + "tailword"
	corpus := fmt.Sprintf("{\"id\":\"c1\",\"text\":\"a\"}\n{\"id\":\"big\",\"text\":%q}\n{\"id\":\"c2\",\"text\":\"b\"}\n", long)
	all := readAll(t, corpus, "corpus.jsonl", Options{})
	if len(all.rows) != 3 || len(all.rejects) != 0 {
		t.Fatalf("%d rows, %q", len(all.rows), refused(all.rejects))
	}
	if v, _, _ := all.rows[1].Get("text"); len(v.Raw()) != len(long)+2 {
		t.Errorf("the long text has %d bytes", len(v.Raw()))
	}
	capped := readAll(t, corpus, "corpus.jsonl", Options{MaxLine: 1 << 20})
	wantStrings(t, "rows", table(capped.rows), []string{"id=c1|text=a", "id=c2|text=b"})
	wantReasons(t, capped.rejects, fmt.Sprintf("2-2: the line is %d bytes long, more than 1048576", len(long)+len(`{"id":"big","text":""}`)))
}

// B003: a line of any length is skipped without being held.
func TestB003LongLinesAreNotHeld(t *testing.T) {
	const limit = 1 << 20
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		endless := io.LimitReader(repeat('x'), 40<<20)
		text := io.MultiReader(strings.NewReader("first"+end), endless, strings.NewReader(end+"last"+end))
		r, err := New(text, "log.txt", Options{MaxLine: limit, Format: Lines})
		if err != nil {
			t.Fatal(err)
		}
		got := drain(t, r)
		wantStrings(t, name, table(got.rows), []string{"text=first", "text=last"})
		wantReasons(t, got.rejects, "2-2: the line is 41943040 bytes long, more than 1048576")
		if held := len(r.rows.(*plainLines).lines.buf); held > limit+sampleSize {
			t.Errorf("%s: the buffer grew to %d bytes", name, held)
		}
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// B004: one bad line hides the rest. Public report: khoj-ai/khoj#460, doccano/doccano#1404.
func TestB004BadLinesAmongGood(t *testing.T) {
	got := readFile(t, "testdata/bugs/B004/queries_broken_middle.jsonl", Options{})
	wantStrings(t, "rows", table(got.rows), []string{
		"id=q1|query=ok one", "id=q5", "id=q8|query=ok, no newline at end",
	})
	wantReasons(t, got.rejects,
		"3-3: cut off",
		`4-4: not JSON at byte 24: invalid character '\t' in string literal`,
		"5-5: more text after the object, from byte 30",
		"6-6: a list where an object belongs",
		"7-7: null where an object belongs",
		"9-9: more text after the object, from byte 36",
	)
	if s := got.stats; s.Accepted != 3 || s.Rejected != 6 || s.Blank != 1 || s.Lines != 10 {
		t.Errorf("%+v", s)
	}
	if last := got.rows[2]; last.Line != 10 || last.Offset != 207 {
		t.Errorf("the last row is on line %d at %d", last.Line, last.Offset)
	}
}

// B004: rows with a NUL are refused, and the others kept.
func TestB004NUL(t *testing.T) {
	got := readFile(t, "testdata/bugs/B004/queries_nul.jsonl", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=q3|query=fine"})
	wantReasons(t, got.rejects,
		`1-1: \u0000 stands for no character`,
		"2-2: byte 0x00 (NUL) at line 2, offset 54 is no text",
		"3-3: byte 0x00 (NUL) at line 3, offset 61 is no text")
}

// B005: an unclosed quote eats the rows after it. Public report: osiegmar/FastCSV#173, apple/turicreate#1692.
func TestB005UnclosedQuote(t *testing.T) {
	got := readFile(t, "testdata/bugs/B005/log_unclosed.csv", Options{})
	wantStrings(t, "unclosed", table(got.rows), []string{"id=q2|query=second", "id=q3|query=third", "id=q4|query=fourth"})
	wantReasons(t, got.rejects, "2-2: the quote that opens on line 2 does not close")
	got = readFile(t, "testdata/bugs/B005/log_smartquote.csv", Options{})
	wantStrings(t, "smart quote", table(got.rows), []string{"id=q2|query=second", "id=q3|query=third"})
	wantReasons(t, got.rejects, "2-2: the quote that opens on line 2 does not close")
}

// B006: an inch mark in the middle of a cell. Public report: alexpcosta/opengym#7, OpenRefine/OpenRefine#690.
func TestB006InchMark(t *testing.T) {
	got := readFile(t, "testdata/bugs/B006/log_inch.csv", Options{})
	wantStrings(t, "csv", table(got.rows), []string{
		`id=q1|query=24" monitor stand`, `id=q2|query=say "hi"`, `id=q3|query=5'10" tall`,
	})
	got = readFile(t, "testdata/bugs/B006/log_inch.tsv", Options{})
	wantStrings(t, "tsv", table(got.rows), []string{
		`id=q1|query=24" monitor stand`, `id=q2|query="unbalanced in tsv`, `id=q3|query=plain`,
	})
}

// B008: numbers lose digits. Public report: quickwit-oss/quickwit#2011, JonathanReeve/corpus-db#24.
func TestB008NumbersKeepTheirDigits(t *testing.T) {
	got := readFile(t, "testdata/bugs/B008/corpus.jsonl", Options{})
	ids := []string{}
	for _, row := range got.rows {
		v, _, _ := row.Get("id")
		s, _ := v.Text()
		ids = append(ids, s)
	}
	wantStrings(t, "ids", ids, []string{
		"1000000", "9007199254740993", "9007199254740992", "12345678901234567890", "42", "007", "1e3", "-0",
	})
	gold := readFile(t, "testdata/bugs/B008/gold.tsv", Options{})
	wantStrings(t, "columns", gold.columns, []string{"query-id", "corpus-id", "score"})
	wantStrings(t, "gold", table(gold.rows)[1:], []string{
		"query-id=1|corpus-id=9007199254740993|score=2", "query-id=1|corpus-id=42|score=1", "query-id=1|corpus-id=007|score=1",
	})
}

// B024: text in a legacy encoding. Public report: doccano/doccano#1762, doccano/doccano#1904.
func TestB024LegacyEncodings(t *testing.T) {
	for _, c := range []struct {
		file, encoding string
		bad, good      []string
	}{
		{"latin1", "latin1",
			[]string{"2-2: byte 0xe9 at line 2, offset 30 is not UTF-8", "3-3: byte 0xa3 at line 3, offset 43 is not UTF-8"},
			[]string{"id=q1|query=remboursement passé", "id=q2|query=prix en £"}},
		{"cp1252", "cp1252",
			[]string{"2-2: byte 0x93 at line 2, offset 12 is not UTF-8"},
			[]string{"id=q1|query=“smart” quotes – dash"}},
		{"sjis", "shift_jis",
			[]string{"2-2: byte 0x95 at line 2, offset 12 is not UTF-8"},
			[]string{"id=q1|query=返金はいつ"}},
	} {
		path := "testdata/bugs/B024/log_" + c.file + ".csv"
		got := readFile(t, path, Options{})
		wantReasons(t, got.rejects, c.bad...)
		if len(got.rows) > 0 || !strings.Contains(got.rejects[0].Hint, "--encoding") {
			t.Errorf("%s: %d rows, hint %q", c.file, len(got.rows), got.rejects[0].Hint)
		}
		named := readFile(t, path, Options{Encoding: c.encoding})
		wantStrings(t, c.file, table(named.rows), c.good)
	}
}

// B024: what is UTF-8 in the file is kept.
func TestB024GoodRowsAroundBadBytes(t *testing.T) {
	got := readAll(t, "id,query\nq1,fine\nq2,pass\xe9\nq3,passé\n", "log.csv", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=q1|query=fine", "id=q3|query=passé"})
	wantReasons(t, got.rejects, "3-3: byte 0xe9 at line 3, offset 24 is not UTF-8")
	got = readAll(t, "id,requ\xeate\nq1,fine\n", "log.csv", Options{})
	if got.err == nil || !strings.Contains(got.err.Error(), "byte 0xea at line 1, offset 7 is not UTF-8") {
		t.Errorf("a header that can't be read: %v", got.err)
	}
}

// B025: angle brackets, ampersands and U+2028 come through. Public report: lbryio/lbry.go#51, apsystole/log#15.
func TestB025TextComesThrough(t *testing.T) {
	got := readFile(t, "testdata/bugs/B025/corpus.jsonl", Options{})
	const text = "if a < b && c > d & <b>bold</b> \u2028 line sep \u007f del"
	wantStrings(t, "rows", table(got.rows), []string{"id=c1|text=" + text})
	if v, _, _ := got.rows[0].Get("text"); string(v.Raw()) != `"`+text+`"` {
		t.Errorf("raw: %s", v.Raw())
	}
	lines := readAll(t, "a\u2028b\u2029c\u0085d\n", "log.txt", Options{})
	wantStrings(t, "lines", table(lines.rows), []string{"text=a\u2028b\u2029c\u0085d"})
}

// B009: rows with the same id, and ids that differ by space only, are all given; rooms above compare them. Public report:
// castorini/pyserini#1902, TREMA-UNH/trec-car-tools#9.
func TestB009IDsAreNotTouched(t *testing.T) {
	got := readFile(t, "testdata/bugs/B009/corpus.jsonl", Options{})
	ids := []string{}
	for _, r := range got.rows {
		v, _, _ := r.Get("id")
		id, _ := v.Text()
		ids = append(ids, fmt.Sprintf("%d:%s", r.Line, id))
	}
	wantStrings(t, "ids", ids, []string{"1:c1", "2:c2", "3:c1", "4:c2", "5: c1 "})
}

// B039: empty, missing, null and listed ids and texts come through as what they are. Public report: blevesearch/bleve#239.
func TestB039KindsComeThrough(t *testing.T) {
	got := readFile(t, "testdata/bugs/B039/corpus.jsonl", Options{})
	wantStrings(t, "rows", table(got.rows), []string{
		"id=|text=empty id", "id=c2|text=", "id=c3|text=   \n\t", "id=c4", "text=no id", "id=null|text=null id", "id=c7|text=null",
		"id=c8|text=a list", "id=a list|text=list id", "id=c9|text=the and of", "id=c10|text=good refund",
	})
	if _, name, ok := got.rows[3].Get("text"); ok {
		t.Errorf("a text is found under %q", name)
	}
}
