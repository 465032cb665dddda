package label

import (
	"fmt"
	"strconv"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/screen"
	"assay/tui/status"
)

const (
	wideFrom  = 100 // columns from which on the chunk stands beside the list
	roomyFrom = 14  // rows from which on the card has a line of its own for what is known about the query
	gap       = 2   // columns between list and chunk; blank, since text stands to its left
)

// layout is where everything stands.
type layout struct {
	wide                                                       bool
	header, card, tabs, box, rows, heading, text, hint, status cell.Rect
}

func (s *Screen) layout() layout {
	var l layout
	rest := cell.Rect{W: s.width, H: s.height}
	l.header, rest = rest.Top(1)
	l.status, rest = rest.Bottom(1)
	l.card, rest = rest.Top(s.cardHeight())
	if len(s.ws.Hint) > 0 && !s.labeled && s.height >= 20 {
		l.hint, rest = rest.Bottom(min(3, len(s.ws.Hint)))
	}
	l.wide = s.width >= wideFrom
	if s.focus == inDocument {
		l.heading, l.text = rest.Top(1)
		return l
	}
	list, chunk := rest, rest
	if l.wide {
		list, chunk = rest.Left(min(76, s.width*45/100))
		_, chunk = chunk.Left(gap)
	} else {
		list, chunk = rest.Top(max(min(rest.H, 3), rest.H/3+2))
	}
	if list.H >= 5 {
		l.tabs, list = list.Top(1)
	}
	l.box, l.rows = list.Top(1)
	l.heading, l.text = chunk.Top(1)
	return l
}

// textWidth is what chunks are wrapped to: one column is left free at the screen's edge, for terminals that draw a
// character wider than they say.
func (s *Screen) textWidth() int {
	if s.width == 0 {
		return 0
	}
	if s.focus == inDocument {
		return max(1, s.width-docMargin-1)
	}
	l := s.layout()
	return max(1, l.text.W-1)
}

// cardText wraps the query; it is kept until query or width change.
type cardText struct {
	text  string
	width int
	page  cell.Page
}

// longestCard bounds the work on a query of a megabyte, of which three lines are shown.
const longestCard = 4 << 10

func (s *Screen) wrapCard() {
	text, width := s.query().Text, max(1, s.width-3)
	if len(text) > longestCard {
		text = text[:longestCard] + cell.More
	}
	if s.card.text != text || s.card.width != width {
		s.card = cardText{text, width, cell.Wrap(text, width, cell.Lit{})}
	}
}

func (s *Screen) cardHeight() int {
	switch {
	case s.height < roomyFrom || s.q.id == "":
		return min(1, s.height)
	case s.height < 30:
		return 1 + min(2, s.card.page.Len())
	}
	n := 1 + min(3, s.card.page.Len())
	if len(s.query().Turns) > 0 {
		n++
	}
	return n
}

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	l := s.layout()
	lines := make([]string, 0, s.height)
	lines = append(lines, s.headerLine())
	lines = append(lines, s.cardLines(l.card.H)...)
	switch {
	case s.broken != "":
		lines = append(lines, cell.Line(s.width, s.theme.Bad.Of(" "+s.broken)), cell.Line(s.width, cell.Plain(" r tries again")))
	case !s.loaded:
		lines = append(lines, cell.Line(s.width, s.theme.Dim.Of(" reading the workspace…")))
	case s.focus == inDocument:
		lines = append(lines, s.documentHeading())
		lines = append(lines, s.documentLines(s.width-1, l.text.H)...)
	case l.wide:
		lines = append(lines, s.sideBySide(l)...)
	default:
		lines = append(lines, s.listLines(l)...)
		lines = append(lines, s.chunkLines(l)...)
	}
	body := s.height - l.hint.H - l.status.H
	for len(lines) < body {
		lines = append(lines, "")
	}
	lines = lines[:max(0, body)]
	for i := range l.hint.H {
		lines = append(lines, cell.Line(s.width, s.theme.Warn.Of(" "+s.ws.Hint[i])))
	}
	if l.status.H > 0 {
		lines = append(lines, s.statusLine())
	}
	frame := cell.Frame(lines, s.width, s.height)
	if r, box := s.overlay(); box != nil {
		frame = cell.Overlay(frame, box, r)
	}
	return frame
}

// overlay is the panel or editor that lies over the lower part of the screen.
func (s *Screen) overlay() (cell.Rect, []string) {
	all := cell.Rect{W: s.width, H: max(0, s.height-1)}
	switch {
	case s.editor.open:
		r, _ := all.Bottom(max(4, min(12, s.height/2)))
		return r, s.editorBox(r)
	case s.tags.Open():
		r, _ := all.Bottom(max(6, min(14, s.height-5)))
		return r, s.tags.Box(r, s.facts(), s.theme)
	}
	return cell.Rect{}, nil
}

// headerLine gives up pace first, then the bar, then the name; whether all is saved it never gives up.
func (s *Screen) headerLine() string {
	t := s.theme
	q := &s.queue
	percent := 0
	if q.total > 0 {
		percent = q.done * 100 / q.total
	}
	name := []cell.Seg{t.Strong.Of(" assay"), t.Dim.Of(" · "), cell.Plain(s.ws.Name)}
	who := []cell.Seg{cell.Plain(cell.Cut(s.ws.Annotator, 20)), t.Dim.Of(" · "), cell.Plain(fmt.Sprintf("%d/%d done", q.done, q.total))}
	bar := []cell.Seg{cell.Plain(" "), t.Bar.Of(cell.Bar(q.done, q.total, 20)), cell.Plain(fmt.Sprintf(" %d%%", percent))}
	var pace []cell.Seg
	if p := s.pace.perMinute(); p > 0 {
		pace = []cell.Seg{t.Dim.Of(" · "), cell.Plain(strconv.FormatFloat(p, 'f', 1, 64) + "/min")}
	}
	state := s.saveState()
	for _, parts := range [][][]cell.Seg{{who, bar, pace, state}, {who, bar, state}, {who, state}, {state}} {
		var right []cell.Seg
		for _, p := range parts {
			right = append(right, p...)
		}
		left := name
		rw, lw := width(right), width(name)
		if len(parts) <= 2 && rw+lw+2 > s.width {
			left, lw = name[:1], width(name[:1])
		}
		if rw+lw+2 <= s.width {
			return cell.Between(s.width, left, append(right, cell.Plain(" ")))
		}
	}
	return cell.Line(s.width, append([]cell.Seg{cell.Plain(" ")}, state[1:]...)...)
}

func width(segs []cell.Seg) int {
	n := 0
	for _, s := range segs {
		n += cell.Width(cell.Clean(s.Text))
	}
	return n
}

// saveState is "saved" only while everything is on disk.
func (s *Screen) saveState() []cell.Seg {
	t, n := s.theme, s.box.Len()
	dot := t.Dim.Of(" · ")
	switch {
	case !s.loaded:
		return []cell.Seg{dot, cell.Plain("     ")}
	case s.box.Failed() != "":
		words := "NOT SAVED: " + s.box.Failed()
		if c := s.box.Changes(); c > 1 {
			words = fmt.Sprintf("%d NOT SAVED: %s", c, s.box.Failed())
		}
		return []cell.Seg{dot, t.Bad.Of(cell.Cut(words, max(10, s.width-26))), t.Bad.Of(" (r retries, u drops)")}
	case n == 0:
		return []cell.Seg{dot, t.Good.Of("saved")}
	case s.box.Slow():
		return []cell.Seg{dot, t.Warn.Of("saving…")}
	}
	return []cell.Seg{dot, cell.Plain("     ")} // not worth a word yet, and not saved either
}

// cardLines are the query: what is known about it, then what was asked.
func (s *Screen) cardLines(h int) []string {
	t := s.theme
	edge := t.Bar.Of("┃ ")
	switch {
	case h <= 0:
		return nil
	case s.loaded && len(s.queue.rows) == 0:
		return []string{cell.Line(s.width, edge, t.Strong.Of("no queries yet"), cell.Plain(": assay import queries LOG"))}
	case s.q.id == "":
		return []string{cell.Line(s.width, edge)}
	}
	if h == 1 {
		return []string{cell.Line(s.width, edge, t.Dim.Of(s.shortID(s.q.id)+"  "), t.Strong.Of(s.card.text))}
	}
	lines := []string{s.aboutLine(edge)}
	last := h - 1
	turns := s.query().Turns
	if s.height >= 30 && len(turns) > 0 {
		last--
		turn := turns[len(turns)-1]
		lines = append(lines, cell.Line(s.width, edge, t.Dim.Of("after "+turn.Role+": "+firstWords(turn.Content))))
	}
	for i := range min(last, s.card.page.Len()) {
		segs := append([]cell.Seg{edge}, s.card.page.Segs(i, t.Strong, t.Strong)...)
		line := cell.Line(s.width, segs...)
		if i == last-1 && s.card.page.Len() > last {
			line = cell.Line(s.width-len(more), segs...) + cell.Line(len(more), t.Dim.Of(more))
		}
		lines = append(lines, line)
	}
	return lines
}

// more stands at the end of a query that the card can't hold, with the key that shows all of it.
const more = " (o)…"

// shortID is an id that leaves room for what stands beside it.
func (s *Screen) shortID(id string) string { return cell.Cut(id, max(10, s.width/3)) }

func (s *Screen) aboutLine(edge cell.Seg) string {
	t, q := s.theme, s.query()
	left := []cell.Seg{edge, t.Dim.Of(s.shortID(q.ID))}
	add := func(seg cell.Seg) { left = append(left, cell.Plain("  "), seg) }
	if q.Count > 1 {
		left = append(left, cell.Plain(" ×"+strconv.Itoa(q.Count)))
	}
	if n := len(q.Variants); n > 0 {
		left = append(left, cell.Plain(" ≈"+strconv.Itoa(n+1)))
	}
	if q.Kind != "" {
		add(t.Dim.Of(string(q.Kind)))
	}
	if n := len(q.Turns); n > 0 {
		add(cell.Plain(fmt.Sprintf("turns %d (o)", n)))
	}
	for _, tag := range s.myTags() {
		add(t.Tag.Of("#" + tag))
	}
	for _, tag := range s.proposals() {
		add(t.Dim.Of("#" + tag + "?"))
	}
	row, _ := s.queue.row(s.q.id)
	if state := s.stateOf(row); state != corpus.Open {
		add(t.Warn.Of(string(state)))
	}
	if note := s.note(); note != "" {
		add(t.Dim.Of("note: " + firstWords(note)))
	}
	answer := "–"
	if a := s.answer(); a != "" {
		answer = firstWords(a)
	}
	return cell.Between(s.width, left, []cell.Seg{t.Dim.Of("answer: "), cell.Plain(answer), t.Dim.Of(" (a) ")})
}

// statusLine is a message where there is one, else how the query stands; to the right what keys do.
func (s *Screen) statusLine() string {
	left := status.Message(s.theme, s.message)
	switch {
	case left != nil:
	case s.find.wrong != "" && s.focus == inBox:
		left = status.Message(s.theme, screen.Say{Text: s.find.wrong, Bad: true})
	case s.find.shown.Note != "" && s.tab == searchTab && s.focus != inDocument:
		left = []cell.Seg{cell.Plain(" " + s.find.shown.Note)}
	case s.q.loaded:
		left = []cell.Seg{cell.Plain(fmt.Sprintf(" relevant %d · judged %d", s.relevantCount(), len(s.q.sheet.Labels)))}
	}
	return status.Line(s.width, s.theme, left, s.Keys(), s.InText())
}

func (s *Screen) relevantCount() int {
	n := 0
	for _, l := range s.q.sheet.Labels {
		if s.relevant(l) {
			n++
		}
	}
	return n
}
