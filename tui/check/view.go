package check

import (
	"fmt"
	"strings"

	"assay/tui/cell"
	"assay/tui/status"
)

// layout is where things are. Side by side where there is room, else one above the other.
type layout struct {
	wide     bool
	measures cell.Rect
	body     cell.Rect // of the section at hand, below its heading
}

const (
	wideFrom  = 100
	leastSide = 60 // columns of the measures beside a section
)

func (s *Screen) layout() layout {
	_, rest := cell.Rect{W: s.width, H: s.height - 1}.Top(1) // the last line is the status
	if s.width >= wideFrom {
		left, body := rest.Left(max(leastSide, s.width*54/100))
		_, body = body.Top(1)
		return layout{true, left, body}
	}
	need := 0
	if s.section != measuresSection {
		// The section keeps half of the height; measures and a summary have what they need of the other.
		need = 2 + s.length(measuresSection)
	}
	top, body := rest.Top(min(need, (rest.H-1)/2))
	_, body = body.Top(1)
	return layout{false, top, body}
}

// View implements screen.Screen.
func (s *Screen) View() string {
	switch {
	case s.choosing != nil:
		return s.choosingView()
	case s.ranking != nil:
		return s.rankingView()
	}
	lines := append(make([]string, 0, s.height), s.head())
	base := s.base()
	switch {
	case s.o.Checker == nil:
		return s.framed(append(lines, s.notice("nothing here can measure", "use assay check on the command line")...))
	case !base.have && base.err != nil:
		return s.framed(append(lines, s.notice("can't measure: "+base.err.Error(), "labels are safe · r to try again · c to choose other runs")...))
	case !base.have:
		return s.framed(append(lines, s.notice("measuring…")...))
	}
	l := s.layout()
	section := append([]string{s.sectionHeading(l.body.W)}, s.sectionLines(l.body.W, l.body.H)...)
	if !l.wide {
		above := s.measureBlock(l.measures.W, l.measures.H)
		return s.framed(append(append(lines, above...), section...))
	}
	left := s.measureSide(l.measures.W-1, l.measures.H)
	for i := range l.measures.H {
		one := ""
		if i < len(section) {
			one = section[i]
		}
		lines = append(lines, cell.Beside(left[i], l.measures.W, one))
	}
	return s.framed(lines)
}

// framed is a frame of lines, with the status as its last one.
func (s *Screen) framed(lines []string) string {
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:s.height-1], status.Line(s.width, s.o.Theme, status.Message(s.o.Theme, s.message), s.Keys(), s.InText()))
	return cell.Frame(lines, s.width, s.height)
}

// head says what is measured, and whether the figures are of now.
func (s *Screen) head() string {
	th := s.o.Theme
	left := []cell.Seg{th.Strong.Of(" check")}
	if s.ws.Name != "" && (s.width >= 70 || len(s.chosen) == 1) {
		left = append(left, th.Dim.Of(" · "), cell.Plain(s.ws.Name))
	}
	for i, m := range s.chosen {
		if len(s.chosen) > 1 {
			left = append(left, cell.Plain("  "), s.runStyle(i).Of(letters[i:i+1]), cell.Plain(" "+cell.Cut(m.run.Title(), 24)))
			continue
		}
		left = append(left, th.Dim.Of(" · "), cell.Plain(cell.Cut(m.run.Title(), 40)))
		if m.run.Words != "" && s.width >= wideFrom {
			left = append(left, th.Dim.Of(" "+m.run.Words))
		}
	}
	state := th.Good.Of("current ")
	switch {
	case s.o.Checker == nil:
		state = cell.Plain("")
	case s.measuring() || s.sorting != s.order.gen || s.pairing.busy:
		state = th.Warn.Of("measuring… ")
	case s.failed() != nil:
		state = th.Bad.Of("not current ")
	}
	return cell.Between(s.width, left, []cell.Seg{state})
}

// sectionHeading names the sections, the one at hand in ‹›, and says how much there is of it.
func (s *Screen) sectionHeading(w int) string {
	th := s.o.Theme
	info := s.sectionInfo(w)
	var all, one []cell.Seg
	n, at := 0, 0
	for i := range sectionCount {
		if i == measuresSection && s.layout().wide {
			continue
		}
		n++
		name := sectionNames[i]
		if i == notesSection && s.attention() > 0 {
			name += fmt.Sprintf(" %d!", s.attention())
		}
		style, open, end := th.Dim, " ", " "
		if i == s.sectionShown() {
			at, style, open, end = n, th.Strong, "‹", "›"
			one = []cell.Seg{style.Of("‹" + sectionNames[i] + "›")}
		}
		all = append(all, style.Of(open+name+end))
	}
	if info != "" {
		info = " " + info
	}
	if room := w - 6; width(all)+cell.Width(info) <= room {
		return cell.Rule(w, th.Rule, append(all, cell.Plain(info))...)
	}
	return cell.Rule(w, th.Rule, append(one, th.Dim.Of(fmt.Sprintf(" %d/%d", at, n)), cell.Plain(info))...)
}

// sectionInfo is what there is to say of the section at hand.
func (s *Screen) sectionInfo(w int) string {
	of := s.sectionShown()
	n, h, at := s.length(of), s.layout().body.H, s.places[of]
	switch of {
	case queriesSection:
		if w < 50 {
			return fmt.Sprintf("%d, worst %s first", n, s.order.measure)
		}
		return fmt.Sprintf("%d queries, worst %s first", n, s.order.measure)
	case recallSection:
		return "by k"
	case slicesSection:
		if n == 0 {
			return s.measureName()
		}
		// The label at the cursor in full, as far as there is room: in the table it may be cut.
		row := s.slices[min(at.cursor, n-1)]
		return fmt.Sprintf("%s, %d of %d: %s", s.measureName(), at.cursor+1, n, row.label)
	}
	if n > h {
		return fmt.Sprintf("%d–%d of %d", at.top+1, min(n, at.top+h), n)
	}
	return ""
}

// sectionLines are at most h lines of the section at hand.
func (s *Screen) sectionLines(w, h int) []string {
	switch s.sectionShown() {
	case measuresSection:
		return s.measureLines(w, h, s.places[measuresSection].top)
	case recallSection:
		return s.recallLines(w, h)
	case slicesSection:
		return s.sliceLines(w, h)
	case notesSection:
		return s.noteView(w, h)
	}
	return s.queryLines(w, h)
}

// queryLines are the queries from worst to best.
func (s *Screen) queryLines(w, h int) []string {
	th := s.o.Theme
	if len(s.base().report.Queries) == 0 {
		return s.noticeIn(w, "no query counts yet: grade a chunk as relevant and finish the query with f; q goes back")
	}
	var lines []string
	at := s.places[queriesSection]
	id := max(4, min(s.order.idWidth, w/4))
	for i := at.top; i < min(len(s.order.rows), at.top+h); i++ {
		r := s.order.rows[i]
		cursor, style, dim := "  ", th.Text, th.Dim
		if i == at.cursor {
			cursor, style, dim = "› ", th.Cursor, th.Cursor
		}
		value := right(number(r.value), s.order.value) + " "
		if len(s.chosen) > 1 {
			value = briefly(r.value)
			for _, m := range s.chosen[1:] {
				value += " " + briefly(valuesIn(m.report, r.id)[s.order.measure])
			}
			value += " "
		}
		lines = append(lines, cell.Line(w, style.Of(cursor+value), dim.Of(cell.Pad(r.id, id)+"  "), style.Of(s.texts[r.id])))
	}
	return lines
}

// briefly is a value in five cells.
func briefly(v *float64) string {
	switch {
	case v == nil:
		return "    –"
	case *v >= 100:
		return right(fmt.Sprintf("%.0f", *v), 5)
	}
	return right(fmt.Sprintf("%.3f", *v), 5)
}

func (s *Screen) notice(text ...string) []string { return s.noticeIn(s.width, text...) }

func (s *Screen) noticeIn(w int, text ...string) []string {
	lines := []string{""}
	for _, t := range text {
		p := cell.Wrap(clip(t), max(1, w-4), cell.Lit{})
		for i := range p.Len() {
			lines = append(lines, cell.Line(w, append([]cell.Seg{cell.Plain("  ")}, p.Segs(i, s.o.Theme.Dim, s.o.Theme.Dim)...)...))
		}
	}
	return lines
}

// clip bounds the work on texts of any length, of which some lines are shown.
func clip(text string) string {
	const most = 4 << 10
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + cell.More
	}
	return text
}

func width(segs []cell.Seg) int {
	n := 0
	for _, s := range segs {
		n += cell.Width(cell.Clean(s.Text))
	}
	return n
}
