package rows

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// The names of the encodings that this package decodes itself.
const (
	utf8Name    = "utf-8"
	utf16leName = "utf-16le"
	utf16beName = "utf-16be"
)

// decoded is a source as a stream of UTF-8, without its BOM.
type decoded struct {
	io.Reader
	compression string
	encoding    string
	bom         int  // bytes of UTF-8 BOM that were skipped
	lossy       bool // U+FFFD in it stands for bytes that the encoding doesn't have
	close       func()
}

// decode peels off compression and encoding. Its errors have no file or line yet.
func decode(r io.Reader, encodingName string, digest io.Writer) (decoded, *Error) {
	d := decoded{encoding: utf8Name, close: func() {}}
	raw := bufio.NewReaderSize(r, 64<<10)
	magic, err := raw.Peek(8)
	if err != nil && err != io.EOF && len(magic) == 0 {
		return d, &Error{Err: err} // after some text, reading on meets it again
	}
	plain := raw
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b\x08")):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return d, &Error{Reason: "the gzip data can't be read", Err: err}
		}
		d.compression, plain = "gzip", bufio.NewReaderSize(z, 64<<10)
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		// A frame may ask for a window of gigabytes; 128 MiB is what "zstd --long" writes.
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return d, &Error{Reason: "the zstd data can't be read", Err: err}
		}
		d.compression, plain, d.close = "zstd", bufio.NewReaderSize(z, 64<<10), z.Close
	default:
		if what, hint := foreign(magic); what != "" {
			return d, &Error{Reason: "this is " + what, Advice: hint}
		}
	}
	if digest != nil {
		plain = bufio.NewReaderSize(io.TeeReader(plain, digest), 64<<10)
	}
	head, err := plain.Peek(4 << 10)
	if err != nil && err != io.EOF && len(head) == 0 {
		return d, &Error{Reason: d.damage(), Err: err}
	}
	fault := d.decodeText(plain, head, encodingName)
	return d, fault
}

// decodeText finds the encoding: a BOM wins over the name that was given, which wins over the pattern of NULs.
func (d *decoded) decodeText(plain *bufio.Reader, head []byte, name string) *Error {
	skip := 0
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return &Error{Reason: "the text is UTF-32, which is not read", Advice: "save it as UTF-8"}
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		name, skip, d.bom = utf8Name, 3, 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		name, skip = utf16leName, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		name, skip = utf16beName, 2
	case name == "":
		name = guessUTF16(head)
	}
	if _, err := plain.Discard(skip); err != nil {
		return &Error{Err: err}
	}
	enc, name, err := namedEncoding(name)
	if err != nil {
		return err
	}
	d.Reader, d.encoding = plain, name
	switch name {
	case utf8Name:
	case utf16leName, utf16beName:
		d.Reader = transform.NewReader(plain, &utf16Decoder{bigEndian: name == utf16beName})
	default:
		d.Reader, d.lossy = transform.NewReader(plain, enc.NewDecoder()), true
	}
	return nil
}

// namedEncoding looks a name up in the WHATWG index, forgiving about dashes. Its canonical name is returned with it;
// the encoding is nil for UTF-8 and UTF-16.
func namedEncoding(name string) (encoding.Encoding, string, *Error) {
	bare := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch bare {
	case "utf8":
		return nil, utf8Name, nil
	case "utf16le", "utf16":
		return nil, utf16leName, nil
	case "utf16be":
		return nil, utf16beName, nil
	}
	for _, n := range []string{name, bare} {
		enc, err := htmlindex.Get(n)
		if err != nil || enc == encoding.Replacement {
			continue
		}
		if canonical, err := htmlindex.Name(enc); err == nil {
			n = canonical
		}
		return enc, n, nil
	}
	return nil, "", &Error{
		Reason: fmt.Sprintf("no encoding is called %q", name),
		Advice: "names are utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis, euc-kr, gb18030, big5, koi8-r and the like",
	}
}

// damage is what to say when reading fails halfway.
func (d *decoded) damage() string {
	if d.compression == "" {
		return ""
	}
	return "the " + d.compression + " data is damaged or cut off"
}

// foreign recognises files that hold no text, so that they get one clear line instead of a reject for each of theirs.
func foreign(magic []byte) (what, hint string) {
	for _, f := range []struct{ magic, what, hint string }{
		{"PK\x03\x04", "a zip archive (or a spreadsheet in one)", "unpack it, or save it as CSV"},
		{"\xfd7zXZ\x00", "compressed with xz", "decompress it, or use gzip or zstd"},
		{"BZh", "compressed with bzip2", "decompress it, or use gzip or zstd"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document", "save it as CSV"},
		{"PAR1", "a Parquet file", "convert it to JSON Lines"},
		{"SQLite f", "an SQLite database", "export a table as CSV"},
		{"%PDF-", "a PDF document", "extract its text"},
	} {
		if bytes.HasPrefix(magic, []byte(f.magic)) {
			return f.what, f.hint
		}
	}
	return "", ""
}
