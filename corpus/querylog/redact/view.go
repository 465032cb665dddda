package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What a character of a view is, where it is not ASCII.
const (
	held   = 0x01 // not to be read: a placeholder
	letter = 0x80 // any letter that doesn't fold to ASCII's
	other  = 0x81
)

// view is a text as people read it: encoded characters decoded, digits and signs of any script as ASCII, invisible
// ones left out, one byte each. What is found in it is cut out of the text that it was made from.
type view struct {
	src        string
	text       []byte  // as it reads
	low        []byte  // text in lower case
	start, end []int32 // bytes of src that a character was made from
}

func (v *view) read(src string) {
	v.src = src
	v.text, v.low, v.start, v.end = v.text[:0], v.low[:0], v.start[:0], v.end[:0]
	for i := 0; i < len(src); {
		i += v.next(i)
	}
}

func (v *view) emit(c byte, i, n int) int {
	if c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == 0 {
		c = ' '
	}
	if c == held {
		c = other
	}
	v.put(c, i, n)
	return n
}

func (v *view) put(c byte, i, n int) {
	v.text = append(v.text, c)
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	v.low = append(v.low, c)
	v.start = append(v.start, int32(i))
	v.end = append(v.end, int32(i+n))
}

// last is the last character so far.
func (v *view) last() byte {
	if len(v.low) == 0 {
		return ' '
	}
	return v.low[len(v.low)-1]
}

// next reads what begins at src[i], a character or more, and is how many bytes that is.
func (v *view) next(i int) int {
	s := v.src[i:]
	switch c := s[0]; {
	case c >= 0x80:
		return v.wide(s, i, len(s))
	case isDigit(c) || isLower(c|0x20) || c == ' ':
		return v.emit(c, i, 1)
	case c == '[' || c == '(' || c == '{' || c == '<':
		return v.bracket(s, i)
	case c == '%' || c == '&' || c == '\\' || c == '=':
		return v.encoded(s, i)
	case c == '\n':
		return v.emit(c, i, 1+quoteMarks(s[1:]))
	case c == '"' || c == '\'':
		if n := joint(s); n > 0 && isWord(v.last()) || n > 0 && strings.IndexByte("@.+-_/ ", v.last()) >= 0 {
			return n // nothing stands between the two halves of a value that code joins
		}
	}
	return v.emit(s[0], i, 1)
}

// quoteMarks is the length of the marks that begin a quoted or commented line.
func quoteMarks(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '>' || s[n] == '|' || s[n] == '#') {
		n++
	}
	if strings.ContainsAny(s[:n], ">|#") {
		return n
	}
	return 0
}

// joint is the length of what joins two literals: " + ", " . ", a line break between them.
func joint(s string) int {
	i, join := 1, false
	for i < len(s) && i < 80 {
		switch s[i] {
		case ' ', '\t', '\r':
		case '\n', '+', '&':
			join = true
		case '.', '\\':
		case s[0]:
			if join || strings.Contains(s[1:i], " . ") || strings.Contains(s[1:i], " .. ") {
				return i + 1
			}
			return 0
		default:
			return 0
		}
		i++
	}
	return 0
}

// bracket reads a placeholder, a spelled sign such as [at] or (dot), or a tag that makes no difference to how it reads.
func (v *view) bracket(s string, i int) int {
	if s[0] == '[' {
		if n, _ := placeholder(s); n > 0 {
			v.put(held, i, n)
			return n
		}
	}
	if s[0] == '<' {
		if n, space := tag(s); n > 0 {
			if space {
				return v.emit(' ', i, n)
			}
			return n
		}
	}
	if c, n := spelled(s); n > 0 {
		from := i
		for k := len(v.text) - 1; k >= 0 && v.text[k] == ' '; k-- {
			from = int(v.start[k])
			v.text, v.low, v.start, v.end = v.text[:k], v.low[:k], v.start[:k], v.end[:k]
		}
		for n < len(s) && s[n] == ' ' {
			n++
		}
		v.put(c, from, i+n-from)
		return n
	}
	return v.emit(s[0], i, 1)
}

// spelled is the sign that a bracketed word or sign at the start of s stands for.
func spelled(s string) (c byte, n int) {
	closing := "])}>"[strings.IndexByte("[({<", s[0])]
	j := strings.IndexByte(s[:min(len(s), 16)], closing)
	if j < 2 {
		return 0, 0
	}
	switch strings.ToLower(strings.Trim(s[1:j], " _-")) {
	case "a":
		if s[0] != '<' && j+1 < len(s) && isLower(s[j+1]|0x20) {
			return '@', j + 1
		}
	case "at", "@", "ät", "arroba", "a t", "æt", "chiocciola", "klammeraffe":
		return '@', j + 1
	case "dot", ".", "punkt", "punto", "point", "d0t", "ponto":
		return '.', j + 1
	case ":":
		return ':', j + 1
	}
	return 0, 0
}

// tag is the length of an inline tag or comment of HTML at the start of s, and whether it reads as a space.
func tag(s string) (n int, space bool) {
	if strings.HasPrefix(s, "<!--") {
		if j := strings.Index(s[:min(len(s), 100)], "-->"); j > 0 && !holds(s[:j]) {
			return j + 3, false
		}
		return 0, false
	}
	j := strings.IndexByte(s[:min(len(s), 300)], '>')
	if j < 2 || holds(s[:j]) {
		return 0, false
	}
	name := strings.TrimPrefix(s[1:j], "/")
	if k := strings.IndexAny(name, " /\n\t"); k >= 0 {
		name = name[:k]
	}
	switch strings.ToLower(name) {
	case "b", "i", "u", "s", "em", "strong", "span", "wbr", "font", "mark", "small", "sup", "sub", "code", "kbd", "tt", "bdi", "bdo":
		return j + 1, false
	case "br", "p", "div", "td", "tr", "li", "a":
		return j + 1, true
	}
	return 0, false
}

// holds reports whether a tag or comment has something in it that may be a value: then it is read like all else.
func holds(s string) bool {
	digits := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
	}
	return digits > 4 || strings.ContainsAny(s, "@%&?\\") || strings.Contains(s, "://") || strings.Contains(s, "pass") || strings.Contains(s, "token")
}

// wide reads one character beyond ASCII from s, which came from n bytes at i if not from its own.
func (v *view) wide(s string, i, n int) int {
	r, size := utf8.DecodeRuneInString(s)
	if n == len(s) || n < size {
		n = size
	}
	switch {
	case r >= 0x4e00 && r <= 0x9fff && alias(s).word == "":
		v.put(letter, i, n)
	case r == utf8.RuneError && size == 1:
		v.put(other, i, n)
	case unicode.IsSpace(r) || r == 0x2800 || r == 0x3164:
		v.emit(' ', i, n)
	case unicode.In(r, unicode.Cf, unicode.Me) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r):
		// invisible
	case unicode.IsDigit(r):
		v.put(digitValue(r), i, n)
	case unicode.IsMark(r):
		if r < 0x370 || len(v.text) == 0 {
			break // belongs to a letter that folds to ASCII's
		}
		v.put(letter, i, n)
	default:
		if m := alias(s); len(s) > size && m.word != "" && (r >= 0x900 || v.last() != letter) {
			for k := range len(m.word) {
				v.put(m.word[k], i, len(m.as))
			}
			return len(m.as)
		}
		v.put(folded(r), i, n)
	}
	return n
}

// digitValue is the value of a decimal digit of any script: they come in tens.
func digitValue(r rune) byte {
	n := byte(0)
	for ; unicode.IsDigit(r - 1); r-- {
		n++
	}
	return '0' + n%10
}

// folded is the ASCII that r reads as, letter or other where there is none.
func folded(r rune) byte {
	switch {
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0x2043, r == 0xfe58, r == 0xfe63:
		return '-'
	case r == '。', r == '․', r == '·', r == '•', r == '∙', r == '⋅', r == '｡', r == '٫':
		return '.'
	case r == '⁄', r == '∕':
		return '/'
	case r == '“', r == '”', r == '„', r == '«', r == '»', r == '‟':
		return '"'
	case r == '‘', r == '’', r == '‚', r == '‹', r == '›':
		return '\''
	case r == '∶', r == '꞉':
		return ':'
	case r == '、', r == '，':
		return ','
	}
	if r < 0x250 || r >= 0x1e00 && r < 0x2500 || r >= 0xfe00 && r < 0xfff0 || r >= 0x1d400 && r < 0x1d800 {
		var b [16]byte
		d := norm.NFKD.AppendString(b[:0], string(r))
		if d[0] < 0x80 && d[0] > ' ' {
			if len(d) == 1 || d[1] >= 0x80 && unicode.IsLetter(r) {
				return d[0]
			}
		}
	}
	if unicode.IsLetter(r) {
		return letter
	}
	return other
}
