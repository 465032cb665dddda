package label

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/pages"
)

// sideBySide draws list and chunk beside each other.
func (s *Screen) sideBySide(l layout) []string {
	left, right := s.listLines(l), s.chunkLines(l)
	lines := make([]string, 0, len(right))
	for i := range max(len(left), len(right)) {
		a, b := "", ""
		if i < len(left) {
			a = left[i]
		}
		if i < len(right) {
			b = right[i]
		}
		lines = append(lines, cell.Beside(a, l.text.X, b))
	}
	return lines
}

// listLines are the tabs, the search box and the rows.
func (s *Screen) listLines(l layout) []string {
	lines := make([]string, 0, l.tabs.H+l.box.H+l.rows.H)
	if l.tabs.H > 0 {
		lines = append(lines, s.tabLine(l.tabs.W))
	}
	if l.box.H > 0 {
		lines = append(lines, s.boxLine(l.box.W))
	}
	w := l.rows.W
	if s.ws.Chunks == 0 {
		return fill(append(lines, cell.Line(w, s.theme.Strong.Of(" nothing is indexed yet"), cell.Plain(": assay index PATH…"))), l)
	}
	t := &s.tabs[s.tab]
	if len(t.rows) == 0 {
		return fill(append(lines, cell.Line(w, s.theme.Dim.Of(" "+s.emptyWords()))), l)
	}
	end := min(len(t.rows), t.top+l.rows.H)
	visible := t.rows[min(t.top, end):end]
	ids := idWidth(visible, w)
	for i, r := range visible {
		lines = append(lines, s.rowLine(r, w, ids, t.top+i == t.cursor))
	}
	return fill(lines, l)
}

func fill(lines []string, l layout) []string {
	h := l.tabs.H + l.box.H + l.rows.H
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:h]
}

// emptyWords say why a list has no rows and what to do.
func (s *Screen) emptyWords() string {
	switch {
	case s.q.id == "":
		return ""
	case s.tab == judgedTab:
		return "nothing is judged yet: digits grade what a search finds"
	case s.find.busy:
		return "searching…"
	case s.find.wrong != "":
		return "no results yet"
	case s.find.box.Empty():
		return "type to search"
	}
	return "no results: try other words, or t if the corpus holds no answer"
}

// tabLine names the lists.
func (s *Screen) tabLine(w int) string {
	var heading []cell.Seg
	for i, name := range tabNames {
		if i == sentTab {
			if !s.hasSent() {
				continue
			}
			name = s.sentName()
		}
		if n := len(s.q.sheet.Labels); i == judgedTab && n > 0 {
			name += " " + strconv.Itoa(n)
		}
		style, open, close := s.theme.Dim, " ", " "
		if i == s.tab {
			style, open, close = s.theme.Strong, "‹", "›"
		}
		heading = append(heading, style.Of(open+name+close))
	}
	return cell.Rule(w, s.theme.Rule, heading...)
}

// boxLine is the search box, with what came of it at its right. A mistake is told beside the box.
func (s *Screen) boxLine(w int) string {
	t, f := s.theme, &s.find
	prompt := "/ "
	if f.mode == corpus.Syntax {
		prompt = "query/ "
	}
	style := t.Dim
	if s.focus == inBox {
		style = t.Key
	}
	var right cell.Seg
	switch {
	case f.wrong != "":
		right = t.Bad.Of(cell.Cut(f.wrong, max(12, w/2)))
	case f.busy:
		right = t.Dim.Of("searching…")
	case s.tab == sentTab:
		right = t.Dim.Of(fmt.Sprintf("%d of %d left", s.sentLeft(), len(s.q.sent.Chunks)))
	case s.tab == judgedTab:
		right = t.Dim.Of(fmt.Sprintf("%d judged", len(s.tabs[judgedTab].rows)))
	case !f.box.Empty():
		total := strconv.Itoa(f.shown.Total)
		if f.shown.Partial {
			total += "+"
		}
		right = t.Dim.Of(fmt.Sprintf("%s · %s", total, took(f.shown.Took)))
	}
	rw := cell.Width(right.Text)
	room := max(4, w-cell.Width(prompt)-rw-3)
	left := cell.Line(w, cell.Plain(" "), style.Of(prompt)) + f.box.View(room, s.focus == inBox, t.Text, t.Selected)
	if rw == 0 || cell.Width(left)+rw+1 > w {
		return left
	}
	return left + cell.Pad("", w-rw-cell.Width(left)) + cell.Line(rw, right)
}

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// textHeight is how many lines of the chunk have room, below what was said about it.
func (s *Screen) textHeight(l layout) int {
	h := l.text.H
	if r, ok := s.tabs[s.tab].current(); ok && h > 3 && s.aboutChunk(r.chunkID) != nil {
		h--
	}
	return h
}

// chunkLines are the chunk at the cursor: where it stands, what was said about it, its text.
func (s *Screen) chunkLines(l layout) []string {
	if l.heading.H == 0 {
		return nil
	}
	w := l.heading.W
	r, ok := s.tabs[s.tab].current()
	if !ok {
		return []string{cell.Rule(w, s.theme.Rule)}
	}
	p := s.page()
	n, room := p.Text.Len(), s.textHeight(l)
	heading := s.where(r, p, w)
	if top := s.view.top; n > room {
		heading = append(heading, s.theme.Dim.Of(fmt.Sprintf(" · lines %d–%d of %d", top+1, min(n, top+room), n)))
	}
	lines := []string{cell.Rule(w, s.theme.Rule, heading...)}
	if room < l.text.H {
		lines = append(lines, cell.Line(w-1, s.aboutChunk(r.chunkID)...))
	}
	if p.Chunk.ID == "" {
		return lines // still loading: blank beats the text of another chunk
	}
	for i := s.view.top; i < max(1, n) && len(lines) <= l.text.H; i++ {
		lines = append(lines, cell.Line(w-1, s.pageLine(p, i)...))
	}
	return lines
}

// where names the chunk's document, its heading path and its place; long ones leave room for what follows.
func (s *Screen) where(r row, p pages.Page, w int) []cell.Seg {
	t := s.theme
	doc := cmp.Or(p.Chunk.DocID, r.docID, r.chunkID)
	doc = cell.CutLeft(doc, max(8, w/2))
	segs := []cell.Seg{t.Strong.Of(doc)}
	place := ""
	if n := p.Chunk.Ordinal; n > 0 {
		place = fmt.Sprintf(" · chunk %d", n)
		if of := s.texts.sizes[p.Chunk.DocID]; of >= n {
			place += fmt.Sprintf(" of %d", of)
		}
	}
	if title := cmp.Or(p.Chunk.Title, r.title); title != "" {
		room := w - 4 - cell.Width(doc) - cell.Width(place)
		segs = append(segs, cell.Plain(cell.Cut(" › "+title, max(8, room))))
	}
	return append(segs, t.Dim.Of(place))
}

// aboutChunk is what is said about a chunk beside its grade.
func (s *Screen) aboutChunk(chunkID string) []cell.Seg {
	l, ok := s.label(chunkID)
	if !ok {
		return nil
	}
	var segs []cell.Seg
	if s.q.sheet.Stale[chunkID] {
		segs = append(segs, s.theme.Warn.Of("↺ "+gradeWords(s.ws.Scale, l.Grade)+" is of another text: grade again  "))
	}
	if s.hardNegative(chunkID) {
		segs = append(segs, s.theme.Tag.Of("! hard negative  "))
	}
	if l.Note != "" {
		segs = append(segs, s.theme.Dim.Of("note: "+firstWords(l.Note)))
	}
	return segs
}

func (s *Screen) documentHeading() string {
	d := &s.doc
	name := d.from.docID
	if c, ok := d.current(); ok {
		name = c.DocID
	}
	if name == "" {
		name = d.from.chunkID
	}
	segs := []cell.Seg{s.theme.Strong.Of(name)}
	if d.loaded {
		segs = append(segs, s.theme.Dim.Of(fmt.Sprintf(" · chunk %d of %d", d.cursor+1, len(d.chunks))))
	}
	return cell.Rule(s.width, s.theme.Rule, segs...)
}
