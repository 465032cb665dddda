package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// FieldLimit is how many bytes a field holds.
const FieldLimit = 4 << 10

// Field is a text being typed, in one line or several. Its text is kept as typed, without control characters, in
// valid UTF-8; the cursor stands between graphemes. bubbles' fields measure and cut by runes, draw with the global
// renderer and know no selection, hence this one. The zero Field is an empty one of one line.
type Field struct {
	Lines bool // several lines: enter and pasted line ends are kept

	text     string
	cursor   int
	selected bool // all of it: the next character replaces it
}

// Edit is what a key did to a field.
type Edit struct {
	Taken   bool // the key belongs to the field, even if it did nothing
	Changed bool // the text is another
	Clipped bool // not all of a paste had room
}

// Text is what was typed.
func (f *Field) Text() string { return f.text }

// Empty reports whether there is nothing but blanks.
func (f *Field) Empty() bool { return strings.TrimSpace(f.text) == "" }

// Set replaces the text and puts the cursor at its end.
func (f *Field) Set(s string) {
	f.text, _ = f.admit(s, FieldLimit)
	f.cursor, f.selected = len(f.text), false
}

// SelectAll lets the next character replace the text.
func (f *Field) SelectAll() { f.selected, f.cursor = f.text != "", len(f.text) }

// Selected reports whether the next character replaces the text.
func (f *Field) Selected() bool { return f.selected }

// Key edits the text. Keys that are no edits (enter in a field of one line, esc, tab, up and down there) are not taken.
func (f *Field) Key(msg tea.KeyMsg) Edit {
	if msg.Type == tea.KeyRunes && !msg.Alt || msg.Type == tea.KeySpace && !msg.Alt {
		// A paste may hold megabytes: cut before anything looks at all of it.
		runes, clipped := msg.Runes, false
		if len(runes) > FieldLimit {
			runes, clipped = runes[:FieldLimit], true
		}
		s := string(runes)
		if msg.Type == tea.KeySpace && s == "" {
			s = " "
		}
		e := f.insert(s)
		e.Clipped = e.Clipped || clipped
		return e
	}
	was := f.text
	switch msg.String() {
	case "left", "ctrl+b":
		f.cursor = before(f.text, f.cursor)
	case "right", "ctrl+f":
		f.cursor = after(f.text, f.cursor)
	case "home", "ctrl+a":
		f.cursor = f.lineStart()
	case "end", "ctrl+e":
		f.cursor = f.lineEnd()
	case "ctrl+left", "alt+left", "alt+b":
		f.cursor = f.wordLeft()
	case "ctrl+right", "alt+right", "alt+f":
		f.cursor = f.wordRight()
	case "backspace", "ctrl+h": // some terminals send the one for the other
		f.remove(before(f.text, f.cursor), f.cursor)
	case "delete", "ctrl+d":
		f.remove(f.cursor, after(f.text, f.cursor))
	case "ctrl+w", "alt+backspace":
		f.remove(f.wordLeft(), f.cursor)
	case "ctrl+u":
		f.remove(f.lineStart(), f.cursor)
	case "ctrl+k":
		f.remove(f.cursor, f.lineEnd())
	case "enter":
		if !f.Lines {
			return Edit{}
		}
		return f.insert("\n")
	case "up", "down":
		if !f.Lines {
			return Edit{}
		}
		f.vertical(msg.String() == "down")
	default:
		return Edit{}
	}
	f.selected = false
	return Edit{Taken: true, Changed: f.text != was}
}

func (f *Field) insert(s string) Edit {
	was := f.text
	if f.selected {
		f.text, f.cursor, f.selected = "", 0, false
	}
	s, clipped := f.admit(s, FieldLimit-len(f.text))
	// What is typed may merge with what stands before it; the cursor then goes behind the whole.
	f.text = f.text[:f.cursor] + s + f.text[f.cursor:]
	f.cursor += len(s)
	if at := before(f.text, f.cursor); at < f.cursor {
		f.cursor = max(f.cursor, after(f.text, at))
	}
	return Edit{Taken: true, Changed: f.text != was, Clipped: clipped}
}

// admit is s as a field may hold it: valid, without control characters, at most room bytes.
func (f *Field) admit(s string, room int) (string, bool) {
	clipped := false
	if len(s) > FieldLimit*utf8.UTFMax {
		s, clipped = s[:FieldLimit*utf8.UTFMax], true
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			r = ' '
			if f.Lines {
				r = '\n'
			}
		case r == '\t':
			r = ' '
		case unicode.IsControl(r):
			continue
		}
		if b.Len()+utf8.RuneLen(r) > room {
			return b.String(), true
		}
		b.WriteRune(r)
	}
	return b.String(), clipped
}

func (f *Field) remove(from, to int) {
	if f.selected {
		from, to = 0, len(f.text)
	}
	f.text = f.text[:from] + f.text[to:]
	f.cursor = from
}

func (f *Field) lineStart() int { return strings.LastIndexByte(f.text[:f.cursor], '\n') + 1 }

func (f *Field) lineEnd() int {
	if n := strings.IndexByte(f.text[f.cursor:], '\n'); n >= 0 {
		return f.cursor + n
	}
	return len(f.text)
}

func (f *Field) wordLeft() int {
	left := strings.TrimRightFunc(f.text[:f.cursor], unicode.IsSpace)
	at := strings.LastIndexFunc(left, unicode.IsSpace)
	if at < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(left[at:])
	return at + n
}

func (f *Field) wordRight() int {
	rest := f.text[f.cursor:]
	lead := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
	if n := strings.IndexFunc(rest[lead:], unicode.IsSpace); n >= 0 {
		return f.cursor + lead + n
	}
	return len(f.text)
}

// vertical moves to the line above or below, to about the same column.
func (f *Field) vertical(down bool) {
	start := f.lineStart()
	col := Width(Clean(f.text[start:f.cursor]))
	if down {
		end := f.lineEnd()
		if end == len(f.text) {
			f.cursor = end
			return
		}
		start = end + 1
	} else {
		if start == 0 {
			f.cursor = 0
			return
		}
		start = strings.LastIndexByte(f.text[:start-1], '\n') + 1
	}
	f.cursor = start
	for used := 0; used < col && f.cursor < len(f.text) && f.text[f.cursor] != '\n'; {
		n, w := next(f.text[f.cursor:])
		f.cursor, used = f.cursor+n, used+w
	}
}

// caret shows where the next character goes. A mark of its own, not a colour: it is there without colour too.
const caret = "▏"

// View draws a field of one line in at most w cells, so that the cursor is among them. Without focus there is none.
func (f *Field) View(w int, focus bool, style, selected Style) string {
	if w <= 0 {
		return ""
	}
	if !focus {
		return Line(w, style.Of(f.text))
	}
	if f.selected {
		return Line(w, Plain("["), selected.Of(Cut(f.text, max(0, w-3))), Plain("]"+caret))
	}
	left, right := Clean(f.text[:f.cursor]), f.text[f.cursor:]
	room := w - 1
	if Width(left) > room {
		left = CutLeft(left, room)
	}
	return Line(w, style.Of(left), Plain(caret), style.Of(Cut(right, room-Width(left))))
}

// Block draws a field of several lines: h lines of at most w cells, with the cursor among them.
func (f *Field) Block(w, h int, focus bool, style Style) []string {
	src, at := f.text, f.cursor
	if focus {
		src = f.text[:at] + caret + f.text[at:]
	}
	p := Wrap(src, w, Lit{})
	lines := make([]string, 0, max(0, h))
	for i := Window(0, p.LineOf(at), p.Len(), h); i < p.Len() && len(lines) < h; i++ {
		lines = append(lines, Line(w, p.Segs(i, style, style)...))
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines
}
