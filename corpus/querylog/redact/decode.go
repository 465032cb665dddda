package redact

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encoded reads a character that is written as %40, &#64;, \u0040 or =40, or the sign itself where it is no code.
func (v *view) encoded(s string, i int) int {
	switch s[0] {
	case '%':
		if b, n := percents(s); n > 0 {
			return v.decoded(b, i, n)
		}
	case '&':
		if r, n := entity(s); n > 0 {
			return v.decoded(string(r), i, n)
		}
	case '\\':
		if r, n := v.escaped(s); n > 0 {
			return v.decoded(string(r), i, n)
		}
	case '=':
		if strings.HasPrefix(s, "=\r\n") {
			return 3
		}
		if strings.HasPrefix(s, "=\n") {
			return 2
		}
		if strings.HasPrefix(s, "=40") && isWord(v.last()) && len(s) > 3 && isLower(s[3]|0x20) {
			return v.emit('@', i, 3)
		}
	}
	return v.emit(s[0], i, 1)
}

func (v *view) decoded(c string, i, n int) int {
	if c[0] < 0x80 {
		return v.emit(c[0], i, n)
	}
	v.wide(c, i, n)
	return n
}

// percents is the character that s begins with in percent-encoding, once or more times over.
func percents(s string) (string, int) {
	var b []byte
	n := 0
	for len(b) < utf8.UTFMax && n < len(s) && s[n] == '%' {
		m := n + 1
		for strings.HasPrefix(s[m:], "25") && m+4 <= len(s) && isHex(s[m+2]|0x20) && isHex(s[m+3]|0x20) {
			m += 2
		}
		if m+2 > len(s) {
			break
		}
		c, err := strconv.ParseUint(s[m:m+2], 16, 8)
		if err != nil {
			break
		}
		if c < 0x80 {
			if len(b) == 0 && (c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r') {
				return string(rune(c)), m + 2
			}
			break
		}
		b = append(b, byte(c))
		n = m + 2
		if utf8.FullRune(b) {
			break
		}
	}
	if r, size := utf8.DecodeRune(b); r != utf8.RuneError && size == len(b) {
		return string(b), n
	}
	return "", 0
}

// entity is the character that s begins with as an entity of HTML.
func entity(s string) (rune, int) {
	n := 1
	for strings.HasPrefix(s[n:], "amp;") {
		n += 4
	}
	end := strings.IndexByte(s[n:min(len(s), n+12)], ';')
	if end < 2 {
		return 0, 0
	}
	name := s[n : n+end]
	r, size := utf8.DecodeRuneInString(html.UnescapeString("&" + name + ";"))
	if r == '&' && name != "amp" || r == utf8.RuneError || size == 0 {
		return 0, 0
	}
	return r, n + end + 1
}

// escaped is the character that s begins with behind a backslash, as JSON, code and Markdown write it.
func (v *view) escaped(s string) (rune, int) {
	n := 1
	for n < len(s) && n < 8 && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return 0, 0
	}
	width := map[byte]int{'u': 4, 'x': 2}[s[n]]
	if width > 0 {
		if n+1+width > len(s) {
			return 0, 0
		}
		c, err := strconv.ParseUint(s[n+1:n+1+width], 16, 16)
		if err != nil || c == 0 || !utf8.ValidRune(rune(c)) {
			return 0, 0
		}
		return rune(c), n + 1 + width
	}
	switch c := s[n]; {
	case c == 'n' || c == 'r' || c == 't':
		if before := v.last(); n+1 < len(s) && n == 1 && isLower(s[n+1]) && (isWord(before) || before == '\\' || before == '/' || before == ':' && len(v.low) > 1 && isLower(v.low[len(v.low)-2]) && (len(v.low) == 2 || !isWord(v.low[len(v.low)-3]))) && !strings.ContainsAny(s[n+1:min(len(s), n+40)], "@:=") {
			return 0, 0 // more likely a folder
		}
		return map[byte]rune{'n': '\n', 'r': ' ', 't': ' '}[c], n + 1
	case c == '\n':
		return ' ', n + 1
	case c > ' ' && c < 0x7f && !isDigit(c) && !isLower(c|0x20):
		return rune(c), n + 1
	}
	return 0, 0
}

// aliased is a word of another script that tells what stands beside it, and one of ours that does.
type aliased struct{ as, word string }

var aliases = [...]aliased{
	{"пароль", " password"}, {"密码", " password:"}, {"密碼", " password:"}, {"パスワード", " password "}, {"비밀번호", " password "}, {"كلمة المرور", " password "}, {"كلمة السر", " password "},
	{"телефон", " phone"}, {"тел", " tel"}, {"номер", " number"}, {"电话", " phone "}, {"電話", " phone "}, {"手机", " mobile "}, {"手機", " mobile "}, {"هاتف", " phone "}, {"جوال", " mobile "}, {"फ़ोन", " phone "}, {"फोन", " phone "}, {"전화", " phone "},
	{"карт", " card"}, {"卡号", " card "}, {"账号", " account "}, {"身份证", " passport "}, {"счет", " account"}, {"счёт", " account"}, {"口座", " account "}, {"계좌", " account "},
}

func alias(s string) (m aliased) {
	for _, a := range aliases {
		if strings.HasPrefix(s, a.as) {
			return aliased{a.as, a.word}
		}
	}
	return m
}
