package docs

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// decode makes text of a file's bytes: UTF-8, without BOM, with LF at line ends. A BOM wins, then UTF-8 or the pattern of
// UTF-16, and only what is neither is read in the encoding that was named, so that one stray file in a folder can be read
// without spoiling the others. On failure it says why, and what to do.
func decode(raw []byte, name string) (text, reason, hint string) {
	named, err := findCharset(name)
	if err != nil {
		return "", err.Error(), encodingHint
	}
	switch {
	case bytes.HasPrefix(raw, []byte("%PDF-")):
		return "", "a PDF document", "extract its text"
	case bytes.HasPrefix(raw, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(raw, []byte("\x00\x00\xfe\xff")):
		return "", "UTF-32, which is not read", "save it as UTF-8"
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return decodeUTF16(raw, 2, false)
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return decodeUTF16(raw, 2, true)
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		named = charset{name: nameUTF8}
	case named.name == nameUTF16LE, named.name == nameUTF16BE:
		return decodeUTF16(raw, 0, named.name == nameUTF16BE)
	case looksUTF16(raw, 1):
		return decodeUTF16(raw, 0, false)
	case looksUTF16(raw, 0):
		return decodeUTF16(raw, 0, true)
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return "", fmt.Sprintf("binary: a NUL byte in line %d, at offset %d", lineOf(raw, i), i), ""
	}
	// Text in ISO-2022 looks like ASCII without being it: there, valid UTF-8 proves nothing.
	if utf8.Valid(raw) && !strings.HasPrefix(named.name, "iso-2022") {
		return unifyLines(string(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))), "", ""
	}
	if named.enc == nil {
		i := firstInvalid(raw)
		if mostlyControls(raw) {
			return "", fmt.Sprintf("binary: byte 0x%02X in line %d, at offset %d", raw[i], lineOf(raw, i), i), ""
		}
		return "", fmt.Sprintf("not UTF-8: byte 0x%02X in line %d, at offset %d", raw[i], lineOf(raw, i), i), "name its encoding with --encoding, e.g. windows-1252"
	}
	return decodeNamed(raw, named)
}

const encodingHint = "names are utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis, euc-kr, gb18030, big5, koi8-r and the like"

// charset is a named encoding. Those that decode knows itself have no enc.
type charset struct {
	name string
	enc  encoding.Encoding
}

const (
	nameUTF8    = "utf-8"
	nameUTF16LE = "utf-16le"
	nameUTF16BE = "utf-16be"
)

// findCharset looks a name up in the WHATWG index, forgiving about dashes. No name is UTF-8.
func findCharset(name string) (charset, error) {
	bare := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch bare {
	case "", "utf8":
		return charset{name: nameUTF8}, nil
	case "utf16", "utf16le":
		return charset{name: nameUTF16LE}, nil
	case "utf16be":
		return charset{name: nameUTF16BE}, nil
	}
	for _, n := range []string{name, bare} {
		enc, err := htmlindex.Get(n)
		if err != nil || enc == encoding.Replacement {
			continue
		}
		if canonical, err := htmlindex.Name(enc); err == nil {
			n = canonical
		}
		return charset{n, enc}, nil
	}
	return charset{}, fmt.Errorf("no encoding is called %q", name)
}

func decodeNamed(raw []byte, named charset) (text, reason, hint string) {
	out, err := named.enc.NewDecoder().Bytes(raw)
	if err == nil && !bytes.ContainsRune(out, utf8.RuneError) {
		return unifyLines(string(out)), "", ""
	}
	i := firstUndecoded(raw, named.enc)
	return "", fmt.Sprintf("not %s: byte 0x%02X in line %d, at offset %d", named.name, raw[i], lineOf(raw, i), i), "name its encoding with --encoding"
}

// firstUndecoded is the offset of the first byte that enc has no character for. It feeds the decoder byte by byte, as
// only that tells which bytes a U+FFFD came of.
func firstUndecoded(raw []byte, enc encoding.Encoding) int {
	d := enc.NewDecoder()
	dst := make([]byte, 64)
	from := 0
	for to := 1; to <= len(raw); to++ {
		n, used, err := d.Transform(dst, raw[from:to], to == len(raw))
		if bytes.ContainsRune(dst[:n], utf8.RuneError) || err != nil && err != transform.ErrShortSrc {
			return from
		}
		from += used
	}
	return max(0, len(raw)-1)
}

// decodeUTF16 decodes what follows the first skip bytes.
func decodeUTF16(raw []byte, skip int, bigEndian bool) (text, reason, hint string) {
	units := make([]uint16, 0, len(raw)/2)
	for i := skip; i+1 < len(raw); i += 2 {
		u := uint16(raw[i]) | uint16(raw[i+1])<<8
		if bigEndian {
			u = u<<8 | u>>8
		}
		units = append(units, u)
	}
	for i := 0; i < len(units); i++ {
		switch u := rune(units[i]); {
		case u == 0:
			return "", fmt.Sprintf("binary: a NUL in what looks like UTF-16, at offset %d", skip+2*i), ""
		case !utf16.IsSurrogate(u):
		case i+1 < len(units) && utf16.DecodeRune(u, rune(units[i+1])) != utf8.RuneError:
			i++
		default:
			return "", fmt.Sprintf("not UTF-16: half a character, 0x%04X, at offset %d", u, skip+2*i), ""
		}
	}
	if (len(raw)-skip)%2 != 0 {
		return "", "not UTF-16: an odd number of bytes", ""
	}
	return unifyLines(string(utf16.Decode(units))), "", ""
}

// looksUTF16 reports whether every second byte, from the given one on, is mostly NUL and the others never are, as in
// UTF-16 text of a Latin script.
func looksUTF16(raw []byte, from int) bool {
	head := raw[:min(len(raw), 4096)&^1]
	nuls := 0
	for i := range head {
		switch {
		case head[i] != 0:
		case i%2 != from:
			return false
		default:
			nuls++
		}
	}
	return len(head) >= 4 && nuls >= len(head)/4
}

// unifyLines makes LF of CRLF and of CR.
func unifyLines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func firstInvalid(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return max(0, len(raw)-1)
}

// lineOf is the number of the line that byte i is in, whatever ends the lines.
func lineOf(raw []byte, i int) int {
	return 1 + strings.Count(unifyLines(string(raw[:i])), "\n")
}

// mostlyControls reports whether more than a tenth of the first bytes are control characters that text has no use for.
func mostlyControls(raw []byte) bool {
	head := raw[:min(len(raw), 4096)]
	n := 0
	for _, c := range head {
		if c < 0x20 && !bytes.ContainsRune([]byte("\t\n\f\r\x1b"), rune(c)) {
			n++
		}
	}
	return n > len(head)/10
}
