package cell

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Seg is a piece of text in one style. The text may be anything: it is cleaned when it is drawn.
type Seg struct {
	Text  string
	Style Style
	clean bool // by Wrap, with what stands before and after on other lines in view
}

func (s Seg) cleaned(w int) string {
	t := clip(s.Text, w)
	if s.clean {
		return settle(t)
	}
	return Clean(t)
}

// Plain is text without a style.
func Plain(s string) Seg { return Seg{Text: s} }

// Line draws the pieces one after the other in at most w cells; what does not fit is cut, with More in its place.
func Line(w int, segs ...Seg) string {
	if w <= 0 {
		return ""
	}
	var b strings.Builder
	used, before := 0, ""
	for i, seg := range segs {
		t := seg.cleaned(w)
		if t == "" {
			continue
		}
		if joins(before, t) {
			t = " " + t
		}
		tw := room(t)
		if used+tw > w || used+tw == w && anyText(segs[i+1:]) {
			// Cut to one cell less than there is and add More by hand: t may fit whole while what follows does not.
			t = cut(t, w-used)
			if used+room(t) == w && !strings.HasSuffix(t, More) {
				t = t[:last(t)]
				for used+room(t) > w-1 && t != "" {
					t = t[:last(t)]
				}
				t += More
			}
			seg.Style.write(&b, t)
			break
		}
		seg.Style.write(&b, t)
		used += tw
		before = t
	}
	return b.String()
}

func anyText(segs []Seg) bool {
	for _, s := range segs {
		if s.Text != "" {
			return true
		}
	}
	return false
}

// Fill is Line, filled up to w cells in the style of its last piece.
func Fill(w int, segs ...Seg) string {
	line := Line(w, segs...)
	gap := w - Width(line)
	if gap <= 0 {
		return line
	}
	var b strings.Builder
	b.WriteString(line)
	var style Style
	if len(segs) > 0 {
		style = segs[len(segs)-1].Style
	}
	style.write(&b, spaces(gap))
	return b.String()
}

// Beside puts a drawn line to the right of another one, at column w. Where terminals disagree on the left one's width
// the right one is placed by an absolute column: the line must then begin at the screen's left edge.
func Beside(left string, w int, right string) string {
	if right == "" {
		return left
	}
	lw := ansi.StringWidth(left)
	if lw > w {
		left, lw = ansi.Truncate(left, w, ""), w
	}
	gap := spaces(w - lw)
	if lw != ansi.StringWidthWc(left) {
		return left + gap + "\x1b[" + strconv.Itoa(w+1) + "G" + right
	}
	return left + gap + right
}

// Between draws left and, against the right edge, right. Where there is no room for both, left is cut, but to no less
// than half of the line.
func Between(w int, left, right []Seg) string {
	r := Line(min(w, max(w/2, w-lineWidth(left, w)-1)), right...)
	rw := Width(r)
	if rw == 0 {
		return Line(w, left...)
	}
	l := Line(w-rw-1, left...)
	return l + spaces(w-rw-Width(l)) + r
}

// Columns draws cells side by side, each cut to its width. The last one is drawn as it is. Like Beside's, the line must
// begin at the screen's left edge.
func Columns(widths []int, cells ...string) string {
	line, x := "", 0
	for i, c := range cells {
		if i < len(widths) && ansi.StringWidth(c) > widths[i] {
			c = ansi.Truncate(c, widths[i], "")
		}
		line = Beside(line, x, c)
		if i < len(widths) {
			x += widths[i]
		}
	}
	return line
}

func lineWidth(segs []Seg, w int) int {
	n := 0
	for _, s := range segs {
		n += room(s.cleaned(w))
	}
	return n
}

// Rule is a horizontal line of w cells with a heading in it.
func Rule(w int, style Style, heading ...Seg) string {
	if w <= 0 {
		return ""
	}
	if !anyText(heading) || w < 6 {
		return Line(w, style.Of(strings.Repeat("─", w)))
	}
	title := Line(w-4, heading...)
	return Line(w, style.Of("─ ")) + title + Line(w, style.Of(" "+strings.Repeat("─", max(1, w-3-Width(title)))))
}

// Bar shows done of total in w cells.
func Bar(done, total, w int) string {
	if w <= 0 {
		return ""
	}
	n := 0
	if total > 0 {
		n = min(w, max(0, done)*w/total)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", w-n)
}

// Frame is exactly h lines of at most w cells, whatever it is given: what a screen's View returns.
func Frame(lines []string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	var b strings.Builder
	for i := range h {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i >= len(lines) {
			continue
		}
		line := lines[i]
		if at := strings.IndexByte(line, '\n'); at >= 0 {
			line = line[:at]
		}
		if len(line) > w && ansi.StringWidth(line) > w {
			line = exactly(line, w)
		}
		b.WriteString(line)
	}
	return b.String()
}

// exactly cuts a drawn line that is too wide after all.
func exactly(line string, w int) string {
	cutLine := ansi.Truncate(line, w, "")
	if ansi.StringWidth(cutLine) > w {
		return Cut(ansi.Strip(line), w)
	}
	return cutLine
}

// Overlay draws box, whose lines are drawn ones, over a frame, at r.
func Overlay(frame string, box []string, r Rect) string {
	lines := strings.Split(frame, "\n")
	for i := 0; i < r.H && i < len(box); i++ {
		y := r.Y + i
		if y < 0 || y >= len(lines) {
			continue
		}
		under, right := lines[y], r.X+r.W
		left := exactly(under, r.X)
		line := Beside(left+reset(left), r.X, box[i]+reset(box[i]))
		if rest := ansi.StringWidth(under) - right; rest > 0 {
			tail := ansi.TruncateLeft(under, right, "")
			if ansi.StringWidth(tail) > rest { // a wide character stands across the edge
				tail = " " + exactly(ansi.TruncateLeft(under, right+1, ""), rest-1)
			}
			line = Beside(line, right, tail)
		}
		lines[y] = line
	}
	return strings.Join(lines, "\n")
}

// reset ends the styles of a line that was cut in the middle of one.
func reset(s string) string {
	if strings.Contains(s, "\x1b[") {
		return "\x1b[0m"
	}
	return ""
}
