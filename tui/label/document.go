package label

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/pages"
)

// document is the view of a chunk among its neighbours. Its place is a chunk and a line within it, so that pages that
// arrive late, above or below, move nothing.
type document struct {
	gen     int
	queryID string
	from    row          // the row that it was opened from
	found   corpus.Found // and how that was found
	search  string
	mode    corpus.Mode

	loaded bool
	err    string
	chunks []corpus.Chunk
	cursor int
	top    place
	show   bool // bring the chunk at the cursor into view
	fresh  bool // just opened: with some of what comes before
}

// place is a line of a document: of a chunk, 0 is its heading, the last one is the blank below it.
type place struct{ chunk, line int }

type documentMsg struct {
	gen    int
	chunks []corpus.Chunk
	err    error
}

func (s *Screen) openDocument(r row, found corpus.Found) tea.Cmd {
	search, mode := s.lit()
	s.doc = document{gen: s.doc.gen + 1, queryID: s.q.id, from: r, found: found, search: search, mode: mode}
	s.focus = inDocument
	gen, finder := s.doc.gen, s.finder
	return func() tea.Msg {
		chunks, err := finder.Document(context.Background(), r.chunkID)
		return documentMsg{gen, chunks, err}
	}
}

func (s *Screen) closeDocument() {
	if s.focus == inDocument {
		s.focus = inList
	}
	s.doc = document{gen: s.doc.gen + 1}
}

func (s *Screen) gotDocument(m documentMsg) tea.Cmd {
	if m.gen != s.doc.gen || s.focus != inDocument {
		return nil
	}
	if m.err != nil {
		s.doc.err = m.err.Error()
		return nil
	}
	s.doc.loaded, s.doc.chunks = true, m.chunks
	s.doc.cursor = max(0, s.doc.find(s.doc.from.chunkID))
	s.doc.top, s.doc.show, s.doc.fresh = place{s.doc.cursor, 0}, true, true
	if len(m.chunks) > 0 && m.chunks[0].DocID != "" {
		s.texts.sizes[m.chunks[0].DocID] = len(m.chunks)
	}
	return nil
}

func (d *document) find(chunkID string) int {
	return slices.IndexFunc(d.chunks, func(c corpus.Chunk) bool { return c.ID == chunkID })
}

func (d *document) current() (corpus.Chunk, bool) {
	if !d.loaded || d.cursor < 0 || d.cursor >= len(d.chunks) {
		return corpus.Chunk{}, false
	}
	return d.chunks[d.cursor], true
}

func (d *document) clamp() {
	d.cursor = min(max(0, d.cursor), max(0, len(d.chunks)-1))
	d.top.chunk = min(max(0, d.top.chunk), max(0, len(d.chunks)-1))
}

// docChunk is a chunk of the open document, whose text need not be fetched again; else nil.
func (s *Screen) docChunk(id string) *corpus.Chunk {
	if s.focus != inDocument {
		return nil
	}
	if i := s.doc.find(id); i >= 0 {
		return &s.doc.chunks[i]
	}
	return nil
}

func (s *Screen) docPage(i int) (pages.Page, bool) {
	return s.texts.cache.Get(s.textKey(s.doc.chunks[i].ID), s.textWidth())
}

// docHeight is how many lines a chunk takes: heading, text, a blank. ok is false while its text is not wrapped.
func (s *Screen) docHeight(i int) (lines int, ok bool) {
	if i < 0 || i >= len(s.doc.chunks) {
		return 0, false
	}
	x, ok := s.docPage(i)
	if !ok {
		return 3, false
	}
	return 2 + max(1, x.Text.Len()), true
}

func (s *Screen) back(p place, n int) place {
	for ; n > 0; n-- {
		if p.line > 0 {
			p.line--
			continue
		}
		if p.chunk == 0 {
			break
		}
		lines, ok := s.docHeight(p.chunk - 1)
		if !ok {
			break
		}
		p = place{p.chunk - 1, lines - 1}
	}
	return p
}

func (s *Screen) forth(p place, n int) place {
	for ; n > 0; n-- {
		lines, _ := s.docHeight(p.chunk)
		if p.line+1 < lines {
			p.line++
			continue
		}
		if p.chunk+1 >= len(s.doc.chunks) {
			break
		}
		p = place{p.chunk + 1, 0}
	}
	return p
}

// headingAt is how many lines below the top a chunk's heading is; -1 where it is not on screen.
func (s *Screen) headingAt(chunk, height int) int {
	if chunk < s.doc.top.chunk || chunk == s.doc.top.chunk && s.doc.top.line > 0 {
		return -1
	}
	at := -s.doc.top.line
	for i := s.doc.top.chunk; i < chunk; i++ {
		lines, _ := s.docHeight(i)
		if at += lines; at >= height {
			return -1
		}
	}
	return at
}

// bringIntoView moves only where the chunk's heading is not on screen, or so low that its text is not. While pages
// above are on their way it stays at it, so that the place is right once they are here.
func (s *Screen) bringIntoView(height int) {
	d := &s.doc
	if at := s.headingAt(d.cursor, height); d.fresh || at < 0 || at > height*2/3 {
		above := height / 4
		if n, ok := s.docHeight(d.cursor - 1); ok && n <= height/2 {
			above = n // the whole of the chunk before, heading and all
		}
		d.top = s.back(place{d.cursor, 0}, above)
	}
	lines, here := 0, true
	for i := d.cursor; i >= 0 && lines < height && here; i-- {
		n, ok := s.docHeight(i)
		lines, here = lines+n, ok
	}
	if here {
		d.show, d.fresh = false, false
	}
}

func (s *Screen) moveInDocument(to int) {
	s.doc.cursor = min(max(0, to), max(0, len(s.doc.chunks)-1))
	s.doc.show, s.doc.fresh = true, false
}

// scrollDocument moves the text; the cursor goes along, so that a grade is for a chunk on screen.
func (s *Screen) scrollDocument(by int) {
	if len(s.doc.chunks) == 0 {
		return
	}
	height := s.layout().text.H
	if by < 0 {
		s.doc.top = s.back(s.doc.top, -by)
	} else if end := s.forth(s.doc.top, by); end.chunk < len(s.doc.chunks)-1 || s.linesBelow(end) > 1 {
		s.doc.top = end
	}
	s.doc.show, s.doc.fresh = false, false
	if s.headingAt(s.doc.cursor, height) >= 0 {
		return
	}
	s.doc.cursor = s.doc.top.chunk
	if s.doc.top.line > 0 && s.headingAt(s.doc.top.chunk+1, height) >= 0 && s.doc.top.chunk+1 < len(s.doc.chunks) {
		s.doc.cursor++
	}
}

func (s *Screen) linesBelow(p place) int {
	lines, _ := s.docHeight(p.chunk)
	return lines - p.line
}

// docWanted are the pages on screen, then those around.
func (s *Screen) docWanted() []pages.Key {
	d := &s.doc
	if len(d.chunks) == 0 {
		return nil
	}
	height := max(20, s.layout().text.H)
	var keys []pages.Key
	add := func(i int) {
		if i >= 0 && i < len(d.chunks) {
			keys = append(keys, s.textKey(d.chunks[i].ID))
		}
	}
	at, i := -d.top.line, d.top.chunk
	for ; i < len(d.chunks) && at < height; i++ {
		add(i)
		lines, ok := s.docHeight(i)
		if !ok {
			break
		}
		at += lines
	}
	for k := range 3 {
		add(d.top.chunk - 1 - k)
		add(i + k)
	}
	return keys
}

// documentLines draws the document from its top on.
func (s *Screen) documentLines(w, h int) []string {
	d := &s.doc
	switch {
	case d.err != "":
		return []string{cell.Line(w, s.theme.Bad.Of("can't read the document: "+d.err)), "", cell.Line(w, cell.Plain("esc goes back"))}
	case !d.loaded:
		return []string{cell.Line(w, s.theme.Dim.Of("reading the document…"))}
	}
	lines := make([]string, 0, h)
	for p := d.top; len(lines) < h && p.chunk < len(d.chunks); {
		n, ok := s.docHeight(p.chunk)
		switch {
		case p.line == 0:
			lines = append(lines, s.chunkHeading(p.chunk, w))
		case p.line >= n-1:
			lines = append(lines, "")
		case !ok:
			lines = append(lines, cell.Line(w, s.theme.Dim.Of("      …")))
		default:
			x, _ := s.docPage(p.chunk)
			lines = append(lines, cell.Line(w, append([]cell.Seg{s.margin(p.chunk)}, s.pageLine(x, p.line-1)...)...))
		}
		if p.line++; p.line >= n {
			p = place{p.chunk + 1, 0}
		}
	}
	return lines
}

// docMargin is what stands left of a document's text: cursor and grade on headings.
const docMargin = 2

func (s *Screen) margin(chunk int) cell.Seg {
	if chunk == s.doc.cursor {
		return s.theme.Bar.Of("┃ ")
	}
	return cell.Plain("  ")
}

func (s *Screen) chunkHeading(i, w int) string {
	c := s.doc.chunks[i]
	cursor, style := " ", s.theme.Strong
	if i == s.doc.cursor {
		cursor, style = "›", s.theme.Cursor
	}
	segs := []cell.Seg{style.Of(cursor + s.flag(c.ID)), s.mark(c.ID), style.Of(" " + c.ID)}
	if c.Title != "" {
		segs = append(segs, s.theme.Dim.Of("  "+c.Title))
	}
	return cell.Line(w, segs...)
}

// pageLine is a line of a wrapped text, or why there is none.
func (s *Screen) pageLine(x pages.Page, i int) []cell.Seg {
	switch {
	case x.Err != "":
		return []cell.Seg{s.theme.Bad.Of("can't read this chunk: " + x.Err)}
	case x.Chunk.Text == "":
		return []cell.Seg{s.theme.Dim.Of("(this chunk is empty)")}
	}
	return x.Text.Segs(i, s.theme.Text, s.theme.Match)
}
