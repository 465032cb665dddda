package export

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// trecSafe reports whether an id can stand in a TREC file. trec_eval parts fields at white space and ends strings at
// NUL, tools in Python part at Unicode's spaces too, and a line that begins with # is a comment to some.
func trecSafe(id string, first bool) bool {
	if id == "" || first && (id[0] == '#' || strings.HasPrefix(id, "\ufeff")) {
		return false
	}
	for _, r := range id {
		if breaksField(r) {
			return false
		}
	}
	return true
}

func breaksField(r rune) bool {
	return r < ' ' || r == 0x7f || unicode.IsSpace(r)
}

// encodeID percent-encodes what trecSafe objects to, and % itself, so that decodeID gives the id back.
func encodeID(id string) string {
	var b strings.Builder
	for i := 0; i < len(id); {
		r, size := utf8.DecodeRuneInString(id[i:])
		if breaksField(r) || r == '%' || i == 0 && (r == '#' || r == '\ufeff') {
			for _, c := range []byte(id[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(id[i : i+size])
		}
		i += size
	}
	return b.String()
}

// decodeID undoes encodeID. A % that is not followed by two hex digits is an error: the file was not encoded.
func decodeID(text string) (string, error) {
	if strings.IndexByte(text, '%') < 0 {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", errNotEncoded
		}
		hi, ok1 := hexDigit(text[i+1])
		lo, ok2 := hexDigit(text[i+2])
		if !ok1 || !ok2 {
			return "", errNotEncoded
		}
		b.WriteByte(hi<<4 | lo)
		i += 2
	}
	return b.String(), nil
}

var errNotEncoded = errors.New("% is not followed by two hex digits: the ids of this file were not encoded")

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
