package queries

import (
	"fmt"
	"strings"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/status"
)

// headLines are progress, filter and column headings.
const headLines = 3

// rows is how many queries are shown.
func (s *Screen) rows() int { return max(1, s.height-headLines-s.panelLines()-1) }

// panelLines are the lines at the foot for the editor, a menu or an import.
func (s *Screen) panelLines() int {
	switch {
	case s.editor != nil && s.editor.field.Lines:
		return min(8, s.height-headLines-2)
	case s.editor != nil:
		return 3
	case s.menu != nil:
		return min(len(s.menu.rows)+1, s.height-headLines-2)
	case s.intake != nil && s.intake.stage == reading:
		return max(3, min(len(s.intake.report.Lines)+2, s.height-headLines-2))
	case s.intake != nil:
		return 3
	}
	return 0
}

// View implements screen.Screen.
func (s *Screen) View() string {
	l := &s.list
	lines := make([]string, 0, s.height)
	lines = append(lines, s.progress(), s.filterLine(), s.headings())
	n := s.rows()
	for i := l.top; i < min(len(l.view), l.top+n); i++ {
		lines = append(lines, s.row(l.items[l.view[i]].row, i == l.cursor))
	}
	if len(l.view) == 0 {
		lines = append(lines, s.empty()...)
	}
	for len(lines) < headLines+n {
		lines = append(lines, "")
	}
	lines = append(lines[:headLines+n], s.panel()...)
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:s.height-1], status.Line(s.width, s.o.Theme, status.Message(s.o.Theme, s.message), s.Keys(), s.InText()))
	return cell.Frame(lines, s.width, s.height)
}

// progress gives up the bar first, then the name.
func (s *Screen) progress() string {
	l, th := &s.list, s.o.Theme
	percent := 0
	if l.total > 0 {
		percent = l.done * 100 / l.total
	}
	left := []cell.Seg{th.Strong.Of(" queries")}
	if s.width >= 56 && s.ws.Name != "" {
		left = append(left, cell.Plain(" · "+s.ws.Name))
	}
	right := []cell.Seg{}
	if len(s.writes) > 0 {
		right = append(right, th.Warn.Of("saving… · "))
	}
	right = append(right, cell.Plain(fmt.Sprintf("%d/%d done ", l.done, l.total)))
	if s.width >= 70 {
		right = append(right, th.Bar.Of(cell.Bar(l.done, l.total, min(20, s.width/6))), cell.Plain(" "))
	}
	right = append(right, cell.Plain(fmt.Sprintf("%d%% ", percent)))
	return cell.Between(s.width, left, right)
}

func (s *Screen) filterLine() string {
	l, th := &s.list, s.o.Theme
	info := fmt.Sprintf("%d of %d · by %s ", len(l.view), len(l.items), l.order)
	if s.lags() {
		info = "… " + info
	}
	room := max(8, s.width-cell.Width(info)-5)
	switch {
	case s.filtering:
		field := cell.Line(3, th.Key.Of(" / ")) + s.filter.View(room, true, th.Text, th.Cursor)
		return cell.Beside(field, s.width-cell.Width(info), cell.Line(cell.Width(info), th.Dim.Of(info)))
	case !s.filter.Empty():
		return cell.Between(s.width, []cell.Seg{th.Key.Of(" / "), cell.Plain(s.filter.Text())}, []cell.Seg{th.Dim.Of(info)})
	}
	return cell.Between(s.width, []cell.Seg{th.Dim.Of(" / filter")}, []cell.Seg{th.Dim.Of(info)})
}

// columns are the widths of mark, id, count, found, tags and source; text takes the rest.
func (s *Screen) columns() []int {
	id, asked, tags, source := max(6, min(s.list.idWidth+2, s.width/4)), 7, 0, 0
	if s.width < 56 {
		return []int{6, id, 0, 8, 0, 0}
	}
	if s.list.grouped {
		asked = 11
	}
	if s.width >= 72 && s.list.tagged {
		tags = max(14, min(28, s.width/6))
	}
	if s.width >= 120 && s.list.sources > 1 {
		source = min(20, s.width/8)
	}
	return []int{6, id, asked, 8, tags, source}
}

func (s *Screen) headings() string {
	w := s.columns()
	names := []string{"", "id", "asked", "rel/jdg", "tags", "source", "query"}
	cells := make([]string, 0, len(names))
	widths := make([]int, 0, len(w))
	for i, n := range names {
		if i < len(w) && w[i] == 0 {
			continue
		}
		room := s.width
		if i < len(w) {
			widths = append(widths, w[i])
			room = w[i] - 1
		}
		cells = append(cells, cell.Line(room, s.o.Theme.Dim.Of(n)))
	}
	return cell.Columns(widths, cells...)
}

// mark is the state, as a sign that needs no colour.
func mark(r port.QueueRow) string {
	switch stateOf(r) {
	case corpus.Done:
		return "[✓]"
	case corpus.Later:
		return "[w]"
	case corpus.Skipped:
		return "[s]"
	case "excluded":
		return "[x]"
	}
	if r.AnyDone {
		return "[°]" // somebody else finished it
	}
	return "[·]"
}

func (s *Screen) row(r port.QueueRow, at bool) string {
	th, q := s.o.Theme, r.Query
	style, dim, tag, cursor := th.Text, th.Dim, th.Tag, "  "
	state := th.Open
	switch stateOf(r) {
	case corpus.Done:
		state = th.Good
	case "excluded":
		style, state = th.Dim, th.Dim
	}
	if at {
		cursor = "› "
		style, dim, tag, state = th.Cursor, th.Cursor, th.Cursor, th.Cursor
	}
	if s.marked[q.ID] {
		cursor = cursor[:len(cursor)-1] + "+"
	}
	asked := fmt.Sprintf("×%d", max(1, q.Count))
	if n := len(q.Variants); n > 0 {
		asked += fmt.Sprintf(" ≈%d", n+1)
	}
	found := "·"
	if r.Judged > 0 {
		found = fmt.Sprintf("%d/%d", r.Relevant, r.Judged)
	}
	values := []cell.Seg{state.Of(cursor + mark(r)), style.Of(q.ID), dim.Of(asked), dim.Of(found), tag.Of(tagsOf(r)), dim.Of(q.Source)}
	w := s.columns()
	x, widths, cells := 0, []int{}, []string{}
	for i, v := range values {
		if w[i] == 0 {
			continue
		}
		widths = append(widths, w[i])
		cells = append(cells, cell.Line(w[i]-1, v))
		x += w[i]
	}
	return cell.Columns(widths, append(cells, cell.Line(s.width-x, style.Of(q.Text)))...)
}

// tagsOf are the annotator's tags, then the proposals, each with a question mark.
func tagsOf(r port.QueueRow) string {
	var tags []string
	for _, t := range r.Tags {
		tags = append(tags, "#"+t)
	}
	for _, t := range r.Query.Proposed {
		tags = append(tags, "#"+t+"?")
	}
	return strings.Join(tags, " ")
}

// empty says why there is nothing, and what to do next.
func (s *Screen) empty() []string {
	l := &s.list
	var say []string
	switch {
	case l.err != nil:
		say = []string{"can't read the queries: " + l.err.Error(), "nothing was changed · r to try again"}
	case !l.loaded:
		say = []string{"reading the queries…"}
	case len(l.items) == 0:
		say = []string{"no queries yet", "assay import queries LOG brings a log in, or I here · + writes one by hand"}
	case s.lags():
		say = []string{"filtering…"}
	default:
		say = []string{"no query matches “" + l.filter + "”", "esc clears the filter · words, #tag, #tag?, is:open, is:done, is:proposed, is:grouped, source:NAME, lang:CODE, stratum:NAME"}
	}
	lines := []string{""}
	for _, t := range say {
		p := cell.Wrap(t, max(1, s.width-4), cell.Lit{})
		for i := range p.Len() {
			lines = append(lines, cell.Line(s.width, append([]cell.Seg{cell.Plain("  ")}, p.Segs(i, s.o.Theme.Dim, s.o.Theme.Dim)...)...))
		}
	}
	return lines
}

// panel is the editor, a menu or an import, at the foot.
func (s *Screen) panel() []string {
	th, n := s.o.Theme, s.panelLines()
	switch {
	case s.editor != nil:
		e := s.editor
		note := th.Dim.Of("")
		switch {
		case e.err != nil:
			note = th.Bad.Of(" NOT SAVED: " + e.err.Error() + " (press save to retry)")
		case e.saving:
			note = th.Warn.Of(" saving…")
		}
		lines := []string{cell.Rule(s.width, th.Rule, th.Strong.Of(e.heading()))}
		if e.field.Lines {
			for _, l := range e.field.Block(s.width-2, n-2, true, th.Text) {
				lines = append(lines, " "+l)
			}
		} else {
			lines = append(lines, " "+e.field.View(s.width-2, true, th.Text, th.Cursor))
		}
		return append(lines, cell.Line(s.width, note))
	case s.menu != nil:
		return s.menu.lines(s.width, n, th)
	case s.intake != nil:
		return s.intake.lines(s.width, n, th)
	}
	return nil
}
