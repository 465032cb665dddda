package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/status"
)

type queryValues = retrieval.QueryValues

// layout is where things are. Side by side where there is room, else one above the other.
type layout struct {
	wide     bool
	measures cell.Rect
	list     cell.Rect // rows only, below their heading
}

// sideWidth is how wide measures are beside the list.
const sideWidth = 48

func (s *Screen) layout() layout {
	_, rest := cell.Rect{W: s.width, H: s.height - 1}.Top(1) // the last line is the status
	if s.width >= 100 {
		left, right := rest.Left(sideWidth)
		_, right = right.Top(1)
		return layout{true, left, right}
	}
	// The list keeps half of the height; measures have what they need of the other.
	need := len(s.report.Measures) + len(s.notes(s.width))
	top, below := rest.Top(min(max(1, need), (rest.H-1)/2))
	_, below = below.Top(1)
	return layout{false, top, below}
}

// View implements screen.Screen.
func (s *Screen) View() string {
	if s.ranking != nil {
		return s.rankingView()
	}
	l := s.layout()
	lines := make([]string, 0, s.height)
	lines = append(lines, s.head())
	switch {
	case s.o.Checker == nil:
		return s.framed(append(lines, s.notice("nothing here can measure", "use assay check on the command line")...))
	case !s.have && s.err != nil:
		return s.framed(append(lines, s.notice("can't measure: "+s.err.Error(), "labels are safe · r to try again")...))
	case !s.have:
		return s.framed(append(lines, s.notice("measuring…")...))
	}
	measures := s.measureLines(l.measures.W, l.measures.H, l.wide)
	queries := s.queryLines(l.list.W, l.list.H)
	if !l.wide {
		for len(measures) < l.measures.H {
			measures = append(measures, "")
		}
		return s.framed(append(append(lines, measures...), queries...))
	}
	for i := range l.measures.H {
		left, right := "", ""
		if i < len(measures) {
			left = measures[i]
		}
		if i < len(queries) {
			right = queries[i]
		}
		lines = append(lines, cell.Beside(left, sideWidth, right))
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
	if s.ws.Name != "" {
		left = append(left, cell.Plain(" · "+s.ws.Name))
	}
	if s.have && s.width >= 70 {
		left = append(left, th.Dim.Of(" · "+orElse(s.report.Run, "search")+" "+s.report.Scorer))
	}
	state := th.Good.Of("current ")
	switch {
	case s.running:
		state = th.Warn.Of("measuring… ")
	case s.err != nil:
		state = th.Bad.Of("not current ")
	}
	return cell.Between(s.width, left, []cell.Seg{state})
}

// notes are what stands below the measures: an error, what is left out, warnings.
func (s *Screen) notes(w int) []cell.Seg {
	th := s.o.Theme
	var notes []cell.Seg
	if s.err != nil && s.have {
		notes = append(notes, th.Bad.Of(" these figures are old: "+s.err.Error()+" (r to retry)"))
	}
	counts := map[retrieval.Why]int{}
	for _, e := range s.report.Excluded {
		counts[e.Why]++
	}
	if len(s.report.Excluded) > 0 {
		parts := []string{}
		for _, why := range []retrieval.Why{retrieval.WhyUnfinished, retrieval.WhyUnanswerable, retrieval.WhyNoRelevant} {
			if n := counts[why]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", reason(why), n))
				delete(counts, why)
			}
		}
		for _, why := range slices.Sorted(maps.Keys(counts)) { // reasons that are not known here
			parts = append(parts, fmt.Sprintf("%s %d", why, counts[why]))
		}
		left := fmt.Sprintf(" left out %d", len(s.report.Excluded))
		if all := left + ": " + strings.Join(parts, ", "); cell.Width(all) <= w-1 {
			left = all
		} else {
			left += " (x lists them)"
		}
		notes = append(notes, th.Dim.Of(left))
	}
	for i, warning := range s.report.Warnings {
		if i == 2 && len(s.report.Warnings) > 3 {
			notes = append(notes, th.Warn.Of(fmt.Sprintf(" ! %d more warnings (w)", len(s.report.Warnings)-2)))
			break
		}
		notes = append(notes, th.Warn.Of(" ! "+warning))
	}
	return notes
}

// measureLines draws as many measures as there is room for, and the notes.
func (s *Screen) measureLines(w, h int, wide bool) []string {
	th := s.o.Theme
	var lines []string
	if wide {
		lines = append(lines, cell.Rule(w-1, th.Rule, th.Text.Of("measures")))
		h--
	}
	notes := s.notes(w)
	name := 4
	for _, m := range s.report.Measures {
		name = max(name, min(cell.Width(m.Name), w/3))
	}
	room := h - min(len(notes), max(1, h/2))
	top := cell.Window(0, s.measure, len(s.report.Measures), room)
	for i, m := range s.report.Measures {
		if i < top || i >= top+room {
			continue
		}
		cursor := "  "
		if i == s.measure {
			cursor = "› "
		}
		figure := fmt.Sprintf(" %9s  n %-5d ", number(m.Mean), m.N)
		bar := ""
		if n := w - 2 - name - len(figure) - 2; n >= 5 && m.Mean != nil {
			bar = cell.Bar(int(*m.Mean*1000), 1000, min(n, 24))
		}
		lines = append(lines, cell.Line(w-1, cell.Plain(cursor+cell.Pad(m.Name, name)), th.Strong.Of(figure), th.Bar.Of(bar)))
	}
	if wide {
		lines = append(lines, "")
	}
	for _, n := range notes {
		if wide {
			p := cell.Wrap(n.Text, w-2, cell.Lit{})
			if p.Len() > 1 {
				p = cell.Wrap(n.Text, w-5, cell.Lit{}) // with room to hang
			}
			for i := range p.Len() {
				hang := ""
				if i > 0 {
					hang = "   "
				}
				lines = append(lines, cell.Line(w-1, append([]cell.Seg{cell.Plain(hang)}, p.Segs(i, n.Style, n.Style)...)...))
			}
			continue
		}
		lines = append(lines, cell.Line(w-1, n))
	}
	return lines[:min(len(lines), h+btoi(wide))]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// queryLines are the queries from worst to best, under their heading.
func (s *Screen) queryLines(w, h int) []string {
	th := s.o.Theme
	lines := []string{cell.Rule(w, th.Rule, th.Text.Of(fmt.Sprintf("%d queries, worst %s first", len(s.rows), s.measureName())))}
	if len(s.rows) == 0 {
		p := cell.Wrap("no query counts yet: grade a chunk as relevant and finish the query with f; q goes back", max(1, w-3), cell.Lit{})
		for i := range p.Len() {
			lines = append(lines, cell.Line(w, append([]cell.Seg{cell.Plain("  ")}, p.Segs(i, th.Dim, th.Dim)...)...))
		}
		return lines
	}
	id := max(4, min(s.idWidth, w/4))
	for i := s.top; i < min(len(s.rows), s.top+h); i++ {
		r := s.rows[i]
		cursor, style, dim := "  ", th.Text, th.Dim
		if i == s.cursor {
			cursor, style, dim = "› ", th.Cursor, th.Cursor
		}
		lines = append(lines, cell.Line(w, style.Of(cursor+fmt.Sprintf("%9s ", number(r.value))), dim.Of(cell.Pad(r.id, id)+"  "), style.Of(s.texts[r.id])))
	}
	return lines
}

func (s *Screen) notice(text ...string) []string {
	lines := []string{""}
	for _, t := range text {
		p := cell.Wrap(t, max(1, s.width-4), cell.Lit{})
		for i := range p.Len() {
			lines = append(lines, cell.Line(s.width, append([]cell.Seg{cell.Plain("  ")}, p.Segs(i, s.o.Theme.Dim, s.o.Theme.Dim)...)...))
		}
	}
	return lines
}

// number is a value to four digits; what is undefined says so.
func number(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *v)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
