package label

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/outbox"
)

// The lists of candidates. Pool and similar follow when there is something to put into them.
const (
	searchTab = iota
	judgedTab
	sentTab // chunks of a run that another screen asked to label
	tabCount
)

var tabNames = [tabCount]string{"search", "judged", ""}

// list is one tab: its rows never reorder by themselves. Each keeps its own cursor and scroll.
type list struct {
	rows        []row
	cursor, top int
}

// row is a candidate as the list shows it.
type row struct {
	chunkID string
	docID   string
	title   string
	snippet string
	rank    int // in the search, from 1; 0 where it did not come from one
	score   float64
	known   bool // title and snippet are here
}

func hitRows(hits []corpus.SearchHit) []row {
	rows := make([]row, len(hits))
	for i, h := range hits {
		rows[i] = row{h.ChunkID, h.DocID, firstWords(h.Title), firstWords(h.Snippet), i + 1, h.Score, true}
	}
	return rows
}

// judgedRows are what this annotator graded, best first.
func judgedRows(labels map[string]corpus.Label) []row {
	rows := make([]row, 0, len(labels))
	for id, l := range labels {
		rows = append(rows, row{chunkID: id, docID: l.Anchor.DocID})
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(labels[b.chunkID].Grade, labels[a.chunkID].Grade), cmp.Compare(a.chunkID, b.chunkID))
	})
	return rows
}

// fillJudged lists what is judged now, with the cursor on the chunk where it was.
func (s *Screen) fillJudged() {
	old := &s.tabs[judgedTab]
	l := list{rows: judgedRows(s.q.sheet.Labels)}
	if r, ok := old.current(); ok {
		l.cursor = max(0, l.find(r.chunkID))
	}
	for i, r := range l.rows {
		if k := old.find(r.chunkID); k >= 0 {
			l.rows[i] = old.rows[k]
		}
	}
	*old = l
}

func (l *list) current() (row, bool) {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return row{}, false
	}
	return l.rows[l.cursor], true
}

func (l *list) find(chunkID string) int {
	return slices.IndexFunc(l.rows, func(r row) bool { return r.chunkID == chunkID })
}

func (s *Screen) switchTab(by int) {
	s.tab = (s.tab + by + tabCount) % tabCount
	if s.tab == sentTab && !s.hasSent() {
		s.tab = (s.tab + by + tabCount) % tabCount
	}
	s.focus, s.q.left = inList, ""
	if s.tab == judgedTab {
		s.fillJudged()
	}
}

// move puts the cursor on another row; the lists of all keys that move end here.
func (s *Screen) move(to int) tea.Cmd {
	t := &s.tabs[s.tab]
	t.cursor = min(max(0, to), max(0, len(t.rows)-1))
	s.q.left = ""
	if s.tab == searchTab {
		s.countSearch()
	}
	return s.loadMore()
}

// advance goes to the next row that has no grade yet; where there is none below, the cursor stays.
func (s *Screen) advance() tea.Cmd {
	t := &s.tabs[s.tab]
	from, _ := t.current()
	for i := t.cursor + 1; i < len(t.rows); i++ {
		if _, judged := s.gradeOf(t.rows[i].chunkID); !judged {
			cmd := s.move(i)
			s.q.left = from.chunkID
			return cmd
		}
	}
	return nil
}

type rowsMsg struct {
	gen    int
	tab    int
	chunks []corpus.Chunk
	gone   []string
}

// loadRows fetches what a list that no search made shows of its chunks, those around the visible ones at a time.
func (s *Screen) loadRows(height int) tea.Cmd {
	t := &s.tabs[s.tab]
	if s.tab == searchTab || s.texts.rowsBusy {
		return nil
	}
	var ids []string
	for i := max(0, t.top-5); i < min(len(t.rows), t.top+max(20, height)+5); i++ {
		if !t.rows[i].known {
			ids = append(ids, t.rows[i].chunkID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	s.texts.rowsBusy = true
	gen, tab, finder := s.q.gen, s.tab, s.finder
	return func() tea.Msg {
		m := rowsMsg{gen: gen, tab: tab}
		for _, id := range ids {
			c, err := finder.Chunk(context.Background(), id)
			if err != nil {
				m.gone = append(m.gone, id)
				continue
			}
			m.chunks = append(m.chunks, c)
		}
		return m
	}
}

func (s *Screen) gotRows(m rowsMsg) {
	s.texts.rowsBusy = false
	if m.gen != s.q.gen {
		return
	}
	t := &s.tabs[m.tab]
	for _, c := range m.chunks {
		if i := t.find(c.ID); i >= 0 {
			t.rows[i].docID, t.rows[i].title, t.rows[i].snippet, t.rows[i].known = c.DocID, firstWords(c.Title), firstWords(c.Text), true
		}
	}
	for _, id := range m.gone {
		if i := t.find(id); i >= 0 {
			t.rows[i].title, t.rows[i].known = "not in the corpus any more", true
		}
	}
}

// firstWords is the beginning of a text on one line, enough for a row. Line ends within are blanks; what drives a
// terminal is left for cell to show.
func firstWords(text string) string {
	const most = 300
	if len(text) > most {
		end := most
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return lineEnds.Replace(text)
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")

// mark is how a row shows its grade: three cells that can be read without colour.
func (s *Screen) mark(chunkID string) cell.Seg {
	if w, ok := s.box.GradeOf(s.q.id, chunkID); ok {
		open, close, style := "(", ")", s.theme.Warn
		if s.box.Failed() != "" {
			open, close, style = "!", "!", s.theme.Bad
		}
		return style.Of(open + digit(w.Grade, w.Kind == outbox.Clear) + close)
	}
	l, ok := s.label(chunkID)
	switch {
	case !ok:
		return s.theme.Open.Of("[·]")
	case s.q.sheet.Stale[chunkID]:
		return s.theme.Warn.Of("[↺]")
	case l.Grade == corpus.CannotJudge:
		return s.theme.Dim.Of("[~]")
	case s.relevant(l):
		return s.theme.Relevant.Of("[" + digit(l.Grade, false) + "]")
	}
	return s.theme.Not.Of("[" + digit(l.Grade, false) + "]")
}

func digit(g corpus.Grade, cleared bool) string {
	switch {
	case cleared:
		return "·"
	case g == corpus.CannotJudge:
		return "~"
	case g < 0 || g > 9:
		return "-"
	}
	return strconv.Itoa(int(g))
}

// flag is what else was said about a chunk.
func (s *Screen) flag(chunkID string) string {
	if s.hardNegative(chunkID) {
		return "!"
	}
	if l, ok := s.label(chunkID); ok && l.Note != "" {
		return "\""
	}
	return " "
}

// rowLine draws one row: cursor, flag, grade, id, title or first words.
func (s *Screen) rowLine(r row, w, idWidth int, here bool) string {
	cursor, style := " ", s.theme.Text
	if here {
		cursor, style = "›", s.theme.Selected
		if s.focus == inList {
			style = s.theme.Cursor
		}
	}
	segs := []cell.Seg{style.Of(cursor + s.flag(r.chunkID)), s.mark(r.chunkID), style.Of(" ")}
	if s.revealed && r.rank > 0 {
		segs = append(segs, s.theme.Dim.Of("#"+strconv.Itoa(r.rank)+" "+strconv.FormatFloat(r.score, 'f', 2, 64)+" "))
	}
	id := cell.CutLeft(r.chunkID, idWidth)
	id += cell.Pad("", idWidth-cell.Width(id))
	title := r.title
	switch {
	case title == "" && !r.known:
		title = "…"
	case title == "" && r.snippet == "":
		title = "(empty)"
	case title == "":
		title = r.snippet
	case r.snippet != "" && w > 70:
		title += " — " + r.snippet
	}
	return cell.Line(w, append(segs, style.Of(id+"  "), style.Of(title))...)
}

// idWidth is how much of the rows on screen ids take: what they need, but no more than half of what there is.
func idWidth(rows []row, w int) int {
	most := max(6, w/2-6)
	need := 0
	for _, r := range rows {
		need = max(need, min(most, cell.Width(cell.Cut(r.chunkID, most))))
	}
	return need
}
