package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"assay/corpus/text"
)

// More stands for what was cut off.
const More = "…"

// Width is how many cells s takes at most, in any terminal; escape sequences take none.
func Width(s string) int {
	if isASCII(s) && strings.IndexByte(s, 0x1b) < 0 {
		return len(s)
	}
	return max(ansi.StringWidth(s), ansi.StringWidthWc(s))
}

// room is Width summed over graphemes, which is what cutting between them needs: it may be larger, where some are
// wider for the one kind of terminal and some for the other. s is clean.
func room(s string) int {
	if isASCII(s) {
		return len(s)
	}
	cells := 0
	for i := 0; i < len(s); {
		n, w := next(s[i:])
		i, cells = i+n, cells+w
	}
	return cells
}

// Clean is s as one inert line, of which no end merges with what it is put beside. It is for text that is handed to
// something other than this package; Line and the others clean what they get.
func Clean(s string) string { return settle(text.Sanitize(s)) }

// Cut is s as one inert line of at most w cells, cut between graphemes, with More at its end where something is missing.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return cut(Clean(clip(s, w)), w)
}

// CutLeft is Cut from the other end: the last cells of s, with More before them.
func CutLeft(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if limit := clipBytes(w); len(s) > limit {
		from := len(s) - limit
		for from < len(s) && !utf8.RuneStart(s[from]) {
			from++
		}
		s = s[from:]
	}
	s = Clean(s)
	total := room(s)
	if total <= w {
		return s
	}
	for total > w-1 && s != "" {
		n, gw := next(s)
		s, total = s[n:], total-gw
	}
	return More + settle(s)
}

// Pad is Cut, filled up with spaces to w cells.
func Pad(s string, w int) string {
	s = Cut(s, w)
	return s + spaces(w-Width(s))
}

// cut shortens a clean s.
func cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	used, fits := 0, 0 // fits: bytes that leave room for More
	for i := 0; i < len(s); {
		n, gw := next(s[i:])
		if used+gw > w {
			return s[:fits] + More
		}
		used += gw
		i += n
		if used <= w-1 {
			fits = i
		}
	}
	return s
}

// next measures the first grapheme of a clean, non-empty s: its bytes and its cells.
func next(s string) (bytes, cells int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if len(cluster) == 0 {
		return 1, 1
	}
	return len(cluster), max(w, ansi.StringWidthWc(cluster))
}

// last is the byte where the last grapheme of a clean s begins.
func last(s string) int {
	if s == "" || s[len(s)-1] < utf8.RuneSelf && (len(s) == 1 || s[len(s)-2] < utf8.RuneSelf) {
		return max(0, len(s)-1)
	}
	at := 0
	for i := 0; i < len(s); {
		at = i
		n, _ := next(s[i:])
		i += n
	}
	return at
}

// loner is what Unicode puts where a character wants another one to sit on and there is none.
const loner = "◌"

// settle makes text stand on its own: a mark at its start would combine with what comes before, a sign that spans its
// successor, at its end, would swallow what comes after.
func settle(s string) string {
	if s == "" {
		return s
	}
	if r, _ := utf8.DecodeRuneInString(s); r >= utf8.RuneSelf {
		n, _ := next(s)
		if joined, _ := ansi.FirstGraphemeCluster(" "+s[:n], ansi.GraphemeWidth); len(joined) > 1 {
			s = loner + s
		}
	}
	if r, _ := utf8.DecodeLastRuneInString(s); spansNext(r) {
		s += loner
	}
	return s
}

// spansNext reports whether r forms one grapheme with whatever follows (Unicode's Prepend).
func spansNext(r rune) bool {
	if r < 0x600 || r > 0x8ff && r < 0xd4e || r > 0xd4e && r < 0x11000 || r > 0x11fff {
		return false
	}
	joined, _ := ansi.FirstGraphemeCluster(string(r)+" ", ansi.GraphemeWidth)
	return joined[len(joined)-1] == ' '
}

// joins reports whether b, put after a, would merge with its end; both clean.
func joins(a, b string) bool {
	if a == "" || b == "" || a[len(a)-1] < utf8.RuneSelf || b[0] < utf8.RuneSelf {
		return false
	}
	tail := a[last(a):]
	n, _ := next(b)
	whole, _ := ansi.FirstGraphemeCluster(tail+b[:n], ansi.GraphemeWidth)
	return len(whole) != len(tail)
}

// clip bounds the work on a long text of which w cells are shown. Graphemes may be of any length; one that does not
// fit the bound is cut in two, which only shows in a text made to do so.
func clip(s string, w int) string {
	limit := clipBytes(w)
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + More
}

func clipBytes(w int) int { return 32*w + 256 }

const blanks = "                                                                                                                                "

// spaces is n blanks; none for a negative n, where strings.Repeat panics.
func spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
