package rows

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/quick"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// inUTF16 is the text in UTF-16 without a BOM.
func inUTF16(text string, bigEndian bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestEncodings(t *testing.T) {
	const text = "id\tquery\n1\tgrüße 返金 😀\n2\tplain\n"
	want := []string{"id=1|query=grüße 返金 😀", "id=2|query=plain"}
	for _, c := range []struct{ name, source, option, encoding string }{
		{"UTF-8", text, "", "utf-8"},
		{"UTF-8 with BOM", "\ufeff" + text, "", "utf-8"},
		{"UTF-8 by name", text, "UTF8", "utf-8"},
		{"UTF-16LE with BOM", inUTF16("\ufeff"+text, false), "", "utf-16le"},
		{"UTF-16BE with BOM", inUTF16("\ufeff"+text, true), "", "utf-16be"},
		{"UTF-16LE by its NULs", inUTF16(text, false), "", "utf-16le"},
		{"UTF-16BE by its NULs", inUTF16(text, true), "", "utf-16be"},
		{"UTF-16LE by name", inUTF16(text, false), "utf-16", "utf-16le"},
		{"UTF-16BE by name", inUTF16(text, true), "UTF-16BE", "utf-16be"},
		{"a BOM wins over the name", "\ufeff" + text, "latin1", "utf-8"},
	} {
		got := readAll(t, c.source, "log.tsv", Options{Encoding: c.option})
		wantStrings(t, c.name, table(got.rows), want)
		if got.stats.Encoding != c.encoding || got.err != nil {
			t.Errorf("%s: encoding %q, %v", c.name, got.stats.Encoding, got.err)
		}
	}
}

func TestEncodingNames(t *testing.T) {
	for name, want := range map[string]string{
		"latin1": "windows-1252", "ISO-8859-1": "windows-1252", "latin-1": "windows-1252", "cp1252": "windows-1252",
		"Shift_JIS": "shift_jis", "sjis": "shift_jis", "iso-8859-15": "iso-8859-15", "GB18030": "gb18030",
		"euc-kr": "euc-kr", "utf_8": "utf-8", "utf16le": "utf-16le",
	} {
		if _, got, err := namedEncoding(name); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"klingon", "replacement", "iso-2022-cn"} {
		got := readAll(t, "x\n", "log.txt", Options{Encoding: name})
		var fault *Error
		if !errors.As(got.err, &fault) || fault.File != "log.txt" || !strings.Contains(fault.Error(), name) || fault.Hint() == "" {
			t.Errorf("%s: %v", name, got.err)
		}
	}
}

// B024: the wrong name is noticed where the encoding has no such bytes.
func TestB024WrongEncoding(t *testing.T) {
	got := readAll(t, "id,query\nq1,fine\nq2,a\x81\x20b\n", "log.csv", Options{Encoding: "shift_jis"})
	wantStrings(t, "rows", table(got.rows), []string{"id=q1|query=fine"})
	wantReasons(t, got.rejects, "3-3: bytes that shift_jis doesn't have after 4 characters of line 3")
	// In UTF-8, U+FFFD is a character like any other.
	got = readAll(t, "a\ufffdb\n", "log.txt", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"text=a\ufffdb"})
}

// B002: what is no character in UTF-16 refuses its line only.
func TestB002UnpairedSurrogates(t *testing.T) {
	source := inUTF16("\ufeffone\ntw", false) + "\x00\xd8" + inUTF16("o\nthree\n\ufffd", false)
	got := readAll(t, source, "log.txt", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"text=one", "text=three", "text=\ufffd"})
	wantReasons(t, got.rejects, "2-2: half a surrogate pair after 2 characters of line 2")
	odd := readAll(t, inUTF16("\ufeffone\ntwo", false)+"x", "log.txt", Options{})
	wantStrings(t, "rows", table(odd.rows), []string{"text=one"})
	wantReasons(t, odd.rejects, "2-2: half a surrogate pair after 3 characters of line 2")
}

// B002: a stray NUL does not make a file UTF-16.
func TestB002NULsInUTF8(t *testing.T) {
	for _, text := range []string{"ab\x00cde\nfg\n", "\x00\x00\x00\n", "a\x00", "{\"q\":\"a\x00\"}\n{\"q\":\"b\"}\n"} {
		got := readAll(t, text, "log.txt", Options{Format: Lines})
		if got.stats.Encoding != "utf-8" || got.stats.Rejected != 1 {
			t.Errorf("%q: %+v", text, got.stats)
		}
	}
	// Chinese in UTF-16 has few NULs, but JSON around it has enough.
	got := readAll(t, inUTF16(`{"id":"1","query":"黑豹队的防守丢了多少分？"}`+"\n", false), "q.jsonl", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"id=1|query=黑豹队的防守丢了多少分？"})
}

func TestForeignFiles(t *testing.T) {
	for magic, part := range map[string]string{
		"PK\x03\x04rest": "zip", "PAR1....": "Parquet", "%PDF-1.7": "PDF", "BZh91AY&SY": "bzip2",
		"\xff\xfe\x00\x00a\x00\x00\x00": "UTF-32", "SQLite format 3\x00": "SQLite",
	} {
		got := readAll(t, magic, "f", Options{})
		var fault *Error
		if !errors.As(got.err, &fault) || !strings.Contains(fault.Error(), part) || fault.Hint() == "" {
			t.Errorf("%q: %v", magic, got.err)
		}
	}
}

func TestCompression(t *testing.T) {
	const text = "{\"id\":\"1\",\"query\":\"one\"}\n{\"id\":\"2\",\"query\":\"two\"}\n"
	want := []string{"id=1|query=one", "id=2|query=two"}
	for _, c := range []struct{ name, source, compression string }{
		{"queries.jsonl.gz", gzipped(t, text), "gzip"},
		{"queries", gzipped(t, text), "gzip"},
		{"queries.jsonl.zst", zstandard(t, text), "zstd"},
		{"queries.jsonl", zstandard(t, "\ufeff"+text), "zstd"},
		{"members.gz", gzipped(t, text[:26]) + gzipped(t, text[26:]), "gzip"},
		{"frames.zst", zstandard(t, text[:26]) + zstandard(t, text[26:]), "zstd"},
		{"utf-16.gz", gzipped(t, inUTF16("\ufeff"+text, true)), "gzip"},
		{"not.gz", text, ""},
	} {
		got := readAll(t, c.source, c.name, Options{})
		wantStrings(t, c.name, table(got.rows), want)
		if got.stats.Compression != c.compression || got.stats.Consumed != int64(len(c.source)) || got.err != nil {
			t.Errorf("%s: %+v, %v", c.name, got.stats, got.err)
		}
	}
}

func TestDamagedCompression(t *testing.T) {
	text := strings.Repeat("{\"id\":\"1\",\"query\":\"one\"}\n", 20_000)
	z := gzipped(t, text)
	flipped := []byte(z)
	flipped[len(z)-5] ^= 1 // in the checksum
	for name, source := range map[string]string{
		"cut.gz": z[:len(z)/2], "flipped.gz": string(flipped), "cut.zst": zstandard(t, text)[:40], "header.gz": z[:6],
	} {
		got := readAll(t, source, name, Options{})
		var fault *Error
		if !errors.As(got.err, &fault) {
			t.Errorf("%s: %d rows and %v", name, len(got.rows), got.err)
		}
	}
	got := readAll(t, z[:len(z)/2], "cut.gz", Options{})
	if len(got.rows) == 0 || !strings.Contains(got.err.Error(), "gzip data is damaged or cut off") {
		t.Errorf("%d rows before %v", len(got.rows), got.err)
	}
}

// However the bytes trickle in, the rows are the same.
func TestSmallReads(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"a.jsonl", "{\"id\":1}\r\n\r\n{\"id\":2,\"query\":\"grüße\"}\r\n{bad\r\n"},
		{"a.csv", "id,query\r\n1,\"two\r\nlines\"\r\n2,\"open\r\n3,x\r\n"},
		{"a.json", "[{\"id\":1},\r\n{\"id\":2,\"query\":\"cut\r\n{\"id\":3}]\r\n"},
		{"mac.txt", "one\rtwo\r\rthree"},
		{"utf16.txt", inUTF16("\ufeffone\r\ntwo 😀\r\n", false)},
	} {
		whole := readAll(t, c.text, c.name, Options{})
		for _, slow := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			r, err := New(slow(strings.NewReader(c.text)), c.name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := drain(t, r)
			wantStrings(t, c.name, table(got.rows), table(whole.rows))
			wantStrings(t, c.name, refused(got.rejects), refused(whole.rejects))
		}
	}
}

func TestUTF16RoundTrip(t *testing.T) {
	same := func(text string, bigEndian bool) bool {
		text = strings.ToValidUTF8(text, "?")
		d := decoded{}
		name := map[bool]string{false: utf16leName, true: utf16beName}[bigEndian]
		if fault := d.decodeText(bufioReader(inUTF16(text, bigEndian)), nil, name); fault != nil {
			return false
		}
		got, err := io.ReadAll(d)
		return err == nil && string(got) == text
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

func bufioReader(s string) *bufio.Reader { return bufio.NewReader(strings.NewReader(s)) }

func TestGuessUTF16(t *testing.T) {
	for text, want := range map[string]string{
		"": "utf-8", "plain text": "utf-8", "grüße": "utf-8", "a\x00": "utf-8", "a\x00b\x00": "utf-16le", "\x00a\x00b": "utf-16be",
		"a\x00\x00b": "utf-8", "\x00\x00\x00\x00": "utf-8", "one\x00two\x00six\x00": "utf-8",
	} {
		if got := guessUTF16([]byte(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// stuck reads nothing and says nothing, as a broken reader may.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestStuckReaderEnds(t *testing.T) {
	if _, err := New(stuck{}, "f", Options{}); err == nil {
		t.Error("a reader that gives nothing is read")
	}
	s := &source{src: stuck{}, most: sampleSize}
	if s.fill(); s.err != io.ErrNoProgress {
		t.Errorf("%v", s.err)
	}
}

// In Shift_JIS the second byte of a character may be a backslash, a bar or a letter: it is decoded before it is cut.
func TestSecondBytesAreNotSyntax(t *testing.T) {
	source := "id,query\n1,\"\x95\x5c,\x83\x5c\"\n2,\x83\x7c\n"
	got := readAll(t, source, "log.csv", Options{Encoding: "shift_jis"})
	wantStrings(t, "rows", table(got.rows), []string{"id=1|query=表,ソ", "id=2|query=ポ"})
	source = "{\"id\":1,\"query\":\"\x95\x5c\"}\n"
	got = readAll(t, source, "log.jsonl", Options{Encoding: "shift_jis"})
	wantStrings(t, "rows", table(got.rows), []string{"id=1|query=表"})
	// In UTF-16, U+0A0A and U+0D0A have the bytes of line ends.
	got = readAll(t, inUTF16("\ufeffa\u0a0ab\nc\u0d0ad\n", true), "log.txt", Options{})
	wantStrings(t, "rows", table(got.rows), []string{"text=a\u0a0ab", "text=c\u0d0ad"})
}

func TestUTF16Tables(t *testing.T) {
	source := inUTF16("\ufeffid\tquery\r\n1\t24\" wide\r\n2\t返金\r\n", false)
	got := readAll(t, source, "unicode text.txt", Options{})
	wantStrings(t, "tsv", table(got.rows), []string{`id=1|query=24" wide`, "id=2|query=返金"})
	source = inUTF16("\ufeff\"id\",\"query\"\r\n\"1\",\"two\r\nlines\"\r\n", true)
	got = readAll(t, source, "powershell.csv", Options{})
	wantStrings(t, "csv", table(got.rows), []string{"id=1|query=two\nlines"})
}
