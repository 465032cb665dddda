package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxMarks is how many combining marks one character may carry. Vietnamese needs 2, Hebrew with cantillation 4,
	// Tibetan at most 6; more is noise stacked over the lines above ("zalgo").
	maxMarks = 8
	// maxJoins is how many pictographs or letters in a row may be joined into one. A family of four needs 3.
	maxJoins = 8
	// tabWidth is how many spaces stand for a tab where lines are kept.
	tabWidth = 4
)

const (
	zwnj   = '\u200c'
	zwj    = '\u200d'
	vs15   = '\ufe0e'
	vs16   = '\ufe0f'
	endTag = '\U000e007f'
	dotted = "\u25cc" // dotted circle: what Unicode puts under a mark that has no base
)

// Sanitize makes s safe and honest to show on one line of a terminal. Control characters become their pictures (ESC
// is ␛, a line end ␤), a tab becomes a space, and what is invisible or reorders text is named, as in ⟨U+202E⟩.
// Invalid UTF-8 becomes U+FFFD. Letters of any script, emoji sequences and ordinary combining marks stay as they are.
// It is idempotent, and returns s itself where nothing is to be changed.
func Sanitize(s string) string {
	if printable(s, false) {
		return s
	}
	return sanitize(s, false, nil)
}

// SanitizeLines is Sanitize for text of several lines: "\n" and "\r\n" end a line, a tab becomes four spaces.
func SanitizeLines(s string) string {
	if printable(s, true) {
		return s
	}
	return sanitize(s, true, nil)
}

// SanitizeMapped is SanitizeLines (or Sanitize, where keepNewlines is false) and tells where each byte went: byte i of s
// is shown from offsets[i] of the output on. There are len(s)+1 offsets, they never fall, and the bytes of one rune
// share one, so that a span of s can be lit in what is shown.
func SanitizeMapped(s string, keepNewlines bool) (out string, offsets []int) {
	offsets = make([]int, len(s)+1)
	if printable(s, keepNewlines) {
		for i := range offsets {
			offsets[i] = i
		}
		return s, offsets
	}
	return sanitize(s, keepNewlines, offsets), offsets
}

// printable reports whether s is printable ASCII, which needs no work at all.
func printable(s string, keepNewlines bool) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 || c > 0x7e) && (c != '\n' || !keepNewlines) {
			return false
		}
	}
	return true
}

// sanitize does the work. It copies nothing before the first change, and fills offsets if there are any.
func sanitize(s string, keepNewlines bool, offsets []int) string {
	var b strings.Builder
	var c cluster
	copied, changed := 0, false
	at := 0 // length of the output so far
	for i := 0; i < len(s); {
		shown, size, same := c.next(s[i:], keepNewlines)
		if offsets != nil {
			mapUnit(offsets, s, i, size, at, same)
		}
		if same {
			at += size
		} else {
			if !changed {
				b.Grow(len(s) + 32)
				changed = true
			}
			b.WriteString(s[copied:i])
			b.WriteString(shown)
			copied = i + size
			at += len(shown)
		}
		i += size
	}
	if offsets != nil {
		offsets[len(s)] = at
	}
	if !changed {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// mapUnit fills the offsets of one unit of s, which is shown from offset at on: all its bytes share the unit's start,
// unless it is shown as it is; then each of its runes has its own.
func mapUnit(offsets []int, s string, i, size, at int, same bool) {
	start := i
	for k := i; k < i+size; k++ {
		if same && utf8.RuneStart(s[k]) {
			start = k
		}
		offsets[k] = at + start - i
	}
}

// cluster is what next remembers of the characters before: enough to tell whether one that is invisible by itself
// does something there.
type cluster struct {
	base  rune // last character that stands by itself; 0 at the start of a line
	prev  rune // character just before
	marks int  // marks on the base so far
	joins int  // joiners in the sequence so far
}

// next looks at the first unit of s: how it is shown, how many bytes of s it is, and whether that is just as it was.
func (c *cluster) next(s string, keepNewlines bool) (shown string, size int, same bool) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r >= 0x20 && r < 0x7f:
		c.stand(r)
		return "", size, true
	case r == utf8.RuneError && size == 1:
		return c.replace("\ufffd"), size, false
	case r == '\n', r == '\r' && strings.HasPrefix(s, "\r\n"):
		return c.newline(keepNewlines, r)
	case r == '\t':
		if c.stand(' '); keepNewlines {
			return strings.Repeat(" ", tabWidth), size, false
		}
		return " ", size, false
	case r < 0x20:
		return c.replace(string(0x2400 + r)), size, false
	case r == 0x7f:
		return c.replace("\u2421"), size, false
	case r < 0xa0:
		return c.replace(fmt.Sprintf("⟨%02X⟩", r)), size, false
	case plain(r):
		c.stand(r)
		return "", size, true
	case isMark(r):
		return c.mark(s, r, size)
	case r == blackFlag:
		if n := regionFlag(s); n > 0 {
			c.stand(r)
			c.prev = endTag
			return "", n, true
		}
	case hidden(r) && !c.allows(r, s[size:]):
		return c.replace(fmt.Sprintf("⟨U+%04X⟩", r)), size, false
	case hidden(r):
		if r == zwj || r == zwnj {
			c.joins++
		}
		c.prev = r
		return "", size, true
	}
	c.stand(r)
	return "", size, true
}

// stand notes a character that stands by itself.
func (c *cluster) stand(r rune) {
	if c.prev != zwj && c.prev != zwnj {
		c.joins = 0
	}
	c.base, c.prev, c.marks = r, r, 0
}

// replace notes that something else is shown, which nothing after it can join.
func (c *cluster) replace(shown string) string {
	*c = cluster{base: '⟩', prev: '⟩'}
	return shown
}

func (c *cluster) newline(keep bool, r rune) (string, int, bool) {
	size := 1
	if r == '\r' {
		size = 2
	}
	if !keep {
		return c.replace("\u2424"), size, false
	}
	*c = cluster{}
	return "\n", size, size == 1
}

// mark lets a combining mark stay on its base, up to maxMarks of them. Those beyond are counted instead of shown, and a
// mark that starts a line gets a base, else it would sit on whatever the screen shows to the left.
func (c *cluster) mark(s string, r rune, size int) (string, int, bool) {
	if c.base == 0 {
		c.base, c.prev, c.marks = '\u25cc', r, 1
		return dotted + string(r), size, false
	}
	if c.marks < maxMarks {
		c.marks++
		c.prev = r
		return "", size, true
	}
	n, end := 0, 0
	for end < len(s) {
		r, w := utf8.DecodeRuneInString(s[end:])
		if !isMark(r) {
			break
		}
		n, end = n+1, end+w
	}
	return c.replace(fmt.Sprintf("⟨+%d marks⟩", n)), end, false
}

// allows reports whether r, which is invisible by itself, shapes what stands around it and so may stay. rest is what
// follows.
func (c *cluster) allows(r rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == zwj && unicode.Is(pictographic, c.base):
		return c.joins < maxJoins && c.prev != zwj && c.prev != zwnj && unicode.Is(pictographic, after)
	case r == zwj, r == zwnj:
		return c.joins < maxJoins && shapes(c.prev) && shapes(after)
	case r == vs15, r == vs16:
		return c.prev == c.base && (unicode.Is(pictographic, c.base) || strings.ContainsRune("#*0123456789", c.base))
	case r >= 0xfe00 && r <= 0xfe0f:
		return c.prev == c.base && unicode.In(c.base, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa)
	case r >= 0xe0100 && r <= 0xe01ef:
		return c.prev == c.base && unicode.Is(unicode.Han, c.base)
	case r >= 0x180b && r <= 0x180f && r != 0x180e:
		return c.prev == c.base && unicode.Is(unicode.Mongolian, c.base)
	case unicode.Is(numberSigns, r):
		return !unicode.Is(numberSigns, c.prev)
	}
	return false
}

// shapes reports whether r is a letter or mark of a script whose letters change their form beside a joiner.
func shapes(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && unicode.In(r, joining...) && !hidden(r)
}
