package docs

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

func utf16Bytes(s string, bigEndian bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// B002 (nsacyber/paccor#70) and B024 (doccano/doccano#1762): what is no UTF-8 is recognised, decoded as told, or named
// with its first bad byte.
func TestDecode(t *testing.T) {
	shiftJIS, _ := japanese.ShiftJIS.NewEncoder().String("返金 café"[:6])
	iso2022, _ := japanese.ISO2022JP.NewEncoder().String("返金")
	for _, tt := range []struct{ name, in, encoding, text, reason string }{
		{"utf-8", "Größe\n", "", "Größe\n", ""},
		{"empty", "", "", "", ""},
		{"bom", "\ufeffx\n", "", "x\n", ""},
		{"bom only once", "\ufeff\ufeffx", "", "\ufeffx", ""},
		{"crlf", "a\r\nb\r\n\r\nc", "", "a\nb\n\nc", ""},
		{"cr", "a\rb\r\rc", "", "a\nb\n\nc", ""},
		{"mixed", "a\r\nb\rc\nd\n\re\r", "", "a\nb\nc\nd\n\ne\n", ""},
		{"utf-16 le with bom", "\xff\xfe" + utf16Bytes("Größe 😀\r\n", false), "", "Größe 😀\n", ""},
		{"utf-16 be with bom", "\xfe\xff" + utf16Bytes("返金", true), "", "返金", ""},
		{"utf-16 le without bom", utf16Bytes("plain text", false), "", "plain text", ""},
		{"utf-16 be without bom", utf16Bytes("plain text", true), "", "plain text", ""},
		{"utf-16 named", utf16Bytes("返金", false), "UTF-16LE", "返金", ""},
		{"utf-16 be named", utf16Bytes("返金", true), "utf-16be", "返金", ""},
		{"utf-16 cut off", "\xff\xfea\x00b", "", "", "not UTF-16: an odd number of bytes"},
		{"utf-16 half a pair", "\xff\xfe\x00\xd8a\x00", "", "", "not UTF-16: half a character, 0xD800, at offset 2"},
		{"utf-16 with nul", "\xff\xfea\x00\x00\x00", "", "", "binary: a NUL in what looks like UTF-16, at offset 4"},
		{"utf-32", "\xff\xfe\x00\x00a\x00\x00\x00", "", "", "UTF-32, which is not read"},
		{"latin-1", "ab\r\ncaf\xe9", "", "", "not UTF-8: byte 0xE9 in line 2, at offset 7"},
		{"latin-1 after old line ends", "a\rb\rc\xe9", "", "", "not UTF-8: byte 0xE9 in line 3, at offset 5"},
		{"latin-1 named", "caf\xe9", "Latin-1", "café", ""},
		{"windows-1252 named", "caf\xe9 \x80", "windows-1252", "café €", ""},
		{"utf-8 stays though another is named", "café", "latin1", "café", ""},
		{"bom wins over the name", "\ufeffcafé", "utf-16le", "café", ""},
		{"shift-jis", shiftJIS, "shift_jis", "返金", ""},
		{"shift-jis with bad bytes", "ok\n" + shiftJIS + "\xff", "shift-jis", "", "not shift_jis: byte 0xFF in line 2, at offset 7"},
		{"iso-2022-jp looks like ascii", iso2022, "iso-2022-jp", "返金", ""},
		{"no such encoding", "x", "klingon", "", `no encoding is called "klingon"`},
		{"encoding that hides text", "x", "hz-gb-2312", "", `no encoding is called "hz-gb-2312"`},
		{"nul", "text\nwith \x00", "", "", "binary: a NUL byte in line 2, at offset 10"},
		{"controls", "\x01\x02\x03\x04\xff\xfe", "", "", "binary: byte 0xFF in line 1, at offset 4"},
		{"pdf", "%PDF-1.7\n", "", "", "a PDF document"},
		{"cut off in a character", "caf\xc3", "", "", "not UTF-8: byte 0xC3 in line 1, at offset 3"},
		{"surrogates in utf-8", "a\xed\xa0\x80", "", "", "not UTF-8: byte 0xED in line 1, at offset 1"},
	} {
		text, reason, hint := decode([]byte(tt.in), tt.encoding)
		if text != tt.text || reason != tt.reason {
			t.Errorf("%s: decode(%q) = %q, %q, want %q, %q", tt.name, tt.in, text, reason, tt.text, tt.reason)
		}
		if strings.HasPrefix(reason, "not UTF-8") && !strings.Contains(hint, "--encoding") {
			t.Errorf("%s: the hint is %q", tt.name, hint)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a\r\nb", "\ufeffx", "\xff\xfea\x00", "\xfe\xff\x00a", "caf\xe9", "\x1b$B", "a\x00b\x00"} {
		for _, encoding := range []string{"", "latin1", "shift_jis", "iso-2022-jp", "utf-16", "gb18030", "euc-kr"} {
			f.Add([]byte(s), encoding)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, encoding string) {
		text, reason, _ := decode(raw, encoding)
		if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00") && encoding == "" {
			t.Fatalf("decode(%q, %q) = %q", raw, encoding, text)
		}
		if reason != "" && text != "" {
			t.Fatalf("decode(%q, %q) = %q and %q", raw, encoding, text, reason)
		}
		if again, reason2, _ := decode([]byte(text), ""); reason == "" && !strings.HasPrefix(text, "\ufeff") && reason2 == "" && again != text {
			t.Fatalf("decoded %q, and again %q", text, again)
		}
	})
}
