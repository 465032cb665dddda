package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// found1 is one value in a text.
type found1 struct {
	kind     Kind
	from, to int    // bytes of the text
	value    string // the same for every way to write the value
}

// scan finds the values of one text. Its memory serves the next one.
type scan struct {
	view
	free  []byte // low, where nothing is claimed yet; what is, reads as held
	found []found1
}

// find is what is in s, in order. The most telling kinds claim their characters first; what they left is for the next.
// Addresses come before numbers, for four dotted parts say more than how many digits there are; an address that could
// be a phone number is left to the phones.
func (s *scan) find(src string, names []called1) []found1 {
	s.read(src)
	s.free = append(s.free[:0], s.low...)
	s.found = s.found[:0]
	s.secrets()
	s.emails()
	s.ibans()
	s.addresses()
	s.papers()
	s.spare()
	s.spelledDigits()
	s.numbers()
	s.names(names)
	slices.SortFunc(s.found, func(a, b found1) int { return a.from - b.from })
	return s.found
}

// claim takes characters i to j of the view as a value.
func (s *scan) claim(kind Kind, i, j int, value string) {
	s.found = append(s.found, found1{kind, int(s.start[i]), int(s.end[j-1]), value})
	s.hold(i, j)
}

// hold keeps characters from being read as part of another value.
func (s *scan) hold(i, j int) {
	for ; i < j; i++ {
		s.free[i] = held
	}
}

// at is the character at i, and held outside.
func (s *scan) at(i int) byte {
	if i < 0 || i >= len(s.free) {
		return held
	}
	return s.free[i]
}

// isFree reports whether none of the characters is claimed.
func (s *scan) isFree(i, j int) bool { return !slices.Contains(s.free[i:j], held) }

// has reports whether the view reads as word, which is in lower case, at i.
func (s *scan) has(i int, word string) bool {
	return i >= 0 && i+len(word) <= len(s.low) && string(s.low[i:i+len(word)]) == word
}

// plainValue is how characters i to j read, letters other than ASCII's as they were written.
func (s *scan) plainValue(i, j int) string {
	var b strings.Builder
	for ; i < j; i++ {
		if c := s.low[i]; c < 0x80 && s.end[i]-s.start[i] == 1 {
			b.WriteByte(c)
		} else if c < 0x80 && s.text[i] < 0x80 && s.src[s.start[i]] < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteString(strings.ToLower(norm.NFKC.String(s.src[s.start[i]:s.end[i]])))
		}
	}
	return b.String()
}

// digitsOf is the digits of characters i to j.
func (s *scan) digitsOf(i, j int) string {
	b := make([]byte, 0, 24)
	for ; i < j; i++ {
		if isDigit(s.low[i]) {
			b = append(b, s.low[i])
		}
	}
	return string(b)
}

func isDigit(c byte) bool { return c-'0' <= 9 }
func isLower(c byte) bool { return c-'a' <= 25 }
func isHex(c byte) bool   { return isDigit(c) || c-'a' <= 5 }
func isWord(c byte) bool  { return isDigit(c) || isLower(c) || c == letter }
func isPlain(c byte) bool { return isDigit(c) || isLower(c) } // a letter of a script without spaces may stand beside
func isSpace(c byte) bool { return c == ' ' || c == '\n' }

// worthReading reports whether a value can be in s. It looks at each byte once: most texts hold none of what all values
// have at least one of: three digits, an at sign or the word dot, an encoded character, or a word that tells of secrets.
func worthReading(s string) bool {
	digits := 0
	wide := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; class[c] {
		case 0:
		case digit:
			if digits++; digits == 3 || wide || c == '4' && i > 0 && s[i-1] == '=' && i+1 < len(s) && s[i+1] == '0' {
				return true
			}
		case sign:
			return true
		case escape: // %40, &#64;, \u0040
			if i+2 < len(s) && (c == '%' && isHex(s[i+1]|0x20) || c == '&' && (s[i+1] == '#' || s[i+1]|0x20 == 'c') || c == '\\' && (s[i+1] == 'u' || s[i+1] == 'x')) {
				return true
			}
		case opening: // (at), [.]
			if i+2 < len(s) && spelling(s[i+1:]) {
				return true
			}
		case dash: // -u ann:…
			if i > 0 && i+2 < len(s) && s[i-1] == ' ' && (s[i+1] == 'u' || s[i+1] == 'p' || s[i+1] == '-' && s[i+2] == 'u') {
				return true
			}
			if joinsLong(s[i+1:]) {
				return true
			}
		case joint1:
			if joinsLong(s[i+1:]) {
				return true
			}
		case stem:
			if i+2 < len(s) && tells(s[i:]) {
				return true
			}
		case lead:
			wide = true
			if digits > 0 {
				return true
			}
			if r, n := utf8.DecodeRuneInString(s[i:]); r >= 0x660 && (unicode.IsDigit(r) || r == '＠' || r == '﹫') {
				return true
			} else {
				if (r == 'ä' || r == 'Ä') && i+n+1 < len(s) && s[i+n]|0x20 == 't' && s[i+n+1] == ' ' {
					return true
				}
				i += n - 1
			}
		}
	}
	return false
}

const (
	digit = 1 + iota
	sign
	escape
	stem
	lead
	opening
	dash
	joint1
)

// joinsLong reports whether a key may follow the sign before s: sixteen letters and digits, or a part of a web token.
func joinsLong(s string) bool {
	if len(s) < 16 || s[0] == ' ' || s[15] == ' ' {
		return false
	}
	for i := range 16 {
		if c := s[i]; !isDigit(c) && !isLower(c|0x20) {
			return false
		}
	}
	return true
}

// class tells worthReading at which bytes to look twice.
var class = func() (t [256]byte) {
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['@'], t['%'], t['&'], t['\\'] = sign, escape, escape, escape
	for _, c := range "abcdfhklmopstwz" {
		t[c], t[c-0x20] = stem, stem
	}
	t['['], t['('], t['{'], t['<'], t['-'] = opening, opening, opening, opening, dash
	t['_'], t['.'] = joint1, joint1
	for c := 0xc2; c <= 0xf4; c++ {
		t[c] = lead
	}
	return t
}()

// tells reports whether s begins with a word, or part of one, beside which there can be a secret or a spelled address.
func tells(s string) bool {
	for _, w := range tellingStems[s[0]|0x20] {
		if len(s) >= len(w) && s[1]|0x20 == w[1]|0x20 && strings.EqualFold(s[:len(w)], w) {
			if w != "at " {
				return true
			}
			for k := strings.IndexByte(s, '.'); k > 0 && k+1 < len(s); k++ {
				if s[k] == '.' && isLower(s[k+1]|0x20) {
					return true // ann at example.com
				}
			}
			if host := len(w); len(s) > host+4 && hasMailHost(s[host:]) {
				return true // ann at gmail
			}
		}
	}
	return false
}

func hasMailHost(s string) bool {
	for _, h := range [...]string{"gmail", "googlemail", "hotmail", "yahoo", "outlook", "icloud", "proton"} {
		if len(s) >= len(h) && strings.EqualFold(s[:len(h)], h) {
			return true
		}
	}
	return false
}

// spelling reports whether a bracket before s can hold a spelled sign.
func spelling(s string) bool {
	for i := 0; i < len(s) && i < 3; i++ {
		switch s[i] | 0x20 {
		case ' ', '_' | 0x20, '-':
		case '.', ':':
			return true
		case 'a', 'd', 'p', 'k', 'c':
			return len(s) > i+2 && (s[i]|0x20 == 'a' && (s[i+1] == ')' || s[i+1] == ']') || s[i+1]|0x20 == 't' && strings.IndexByte(")]} _->", s[i+2]) >= 0 || strings.IndexByte("or0ul", s[i+1]|0x20) >= 0 && strings.IndexByte("trniao", s[i+2]|0x20) >= 0)
		default:
			return s[i] >= 0x80
		}
	}
	return false
}

var tellingStems = [256][]string{
	'a': {"auth", "arroba", "at ", "at_", "at-", "at*", "at|", "akia", "asia", "aiza"},
	'b': {"bearer", "basic "},
	'c': {"cookie", "cred", "contras", "clave"},
	'd': {"dot ", "dot-", "dot_", "double "},
	'f': {"four ", "five "},
	'h': {"haslo"},
	'k': {"key", "kennw"},
	'l': {"losenord", "login "},
	'm': {"mnemonic", "mot de p"},
	'o': {"otp"},
	'p': {"pass", "pwd", "psw", "pw:", "pw ", "pw=", "phrase", "parola"},
	's': {"secret", "senha", "session", "seven ", "six ", "sk-", "sk_"},
	't': {"token"},
	'w': {"wachtw"},
	'z': {"zero "},
}
