package check

import (
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// chooser lists the runs that can be measured.
type chooser struct{ place }

// choosingRows is how many runs have room.
func (s *Screen) choosingRows() int { return max(1, s.height-3) }

func (s *Screen) runChoosing(action string) tea.Cmd {
	at := s.choosing.cursor
	if at >= len(s.runs) {
		return nil
	}
	run := s.runs[at]
	if action == "only" {
		return s.choose([]port.Run{run})
	}
	if action != "choose" {
		return nil
	}
	var runs []port.Run
	for _, m := range s.chosen {
		runs = append(runs, m.run)
	}
	i := slices.IndexFunc(runs, func(r port.Run) bool { return r.Name == run.Name })
	switch {
	case i >= 0 && len(runs) == 1:
		return screen.Ask(screen.Say{Text: "one run at least is shown"})
	case i >= 0:
		runs = slices.Delete(runs, i, i+1)
	case len(runs) == mostRuns:
		return screen.Ask(screen.Say{Text: strconv.Itoa(mostRuns) + " runs at most are shown: take one away first"})
	default:
		runs = append(runs, run)
	}
	return s.choose(runs)
}

// choosingView lists the runs, those that are shown with their letter.
func (s *Screen) choosingView() string {
	th, w := s.o.Theme, s.width
	lines := []string{s.head(), cell.Rule(w, th.Rule, th.Text.Of("runs · the first chosen is what others are compared with"))}
	if len(s.runs) == 0 {
		lines = append(lines, cell.Line(w, th.Dim.Of("  nothing to measure")))
	}
	name := 8
	for _, r := range s.runs {
		name = max(name, min(cell.Width(cell.Cut(r.Title(), 40)), w/2))
	}
	for i := s.choosing.top; i < min(len(s.runs), s.choosing.top+s.choosingRows()); i++ {
		r := s.runs[i]
		cursor, style, dim, mark := "  ", th.Text, th.Dim, "[ ]"
		if i == s.choosing.cursor {
			cursor, style, dim = "› ", th.Cursor, th.Cursor
		}
		if k := slices.IndexFunc(s.chosen, func(m *measured) bool { return m.run.Name == r.Name }); k >= 0 {
			mark = "[" + letters[k:k+1] + "]"
		}
		when := ""
		if !r.When.IsZero() {
			when = r.When.Format("2006-01-02 15:04") + "  "
		}
		lines = append(lines, cell.Line(w, style.Of(cursor+mark+" "+cell.Pad(r.Title(), name)+"  "), dim.Of(when+r.Words)))
	}
	if len(s.runs) < 2 {
		lines = append(lines, s.noticeIn(w, "assay import run FILE brings in another retriever's rankings")...)
	}
	return s.framed(lines)
}
