package check

import (
	"cmp"
	"fmt"

	"assay/corpus/retrieval"
	"assay/tui/cell"
)

// measureRows are the measures, run by run.
func (s *Screen) measureRows() []figureRow {
	rows := make([]figureRow, 0, s.length(measuresSection))
	for _, m := range s.base().report.Measures {
		for i, c := range s.chosen {
			r := figureRow{label: cell.Cut(m.Name, longestLabel), run: i}
			if i > 0 {
				r.label = ""
				r.delta = s.deltaOf(i, m.Name)
			}
			r.mean, r.have = c.mean(m.Name)
			rows = append(rows, r)
		}
	}
	return rows
}

// measureLines are rows of the table of measures from top on. The measure at hand is marked *.
func (s *Screen) measureLines(w, h, top int) []string {
	rows := s.measureRows()
	c := fit(w-1, rows, len(s.chosen) > 1)
	lines := make([]string, 0, h)
	for i := top; i < min(len(rows), top+h); i++ {
		mark, style := "  ", s.o.Theme.Text
		if i/len(s.chosen) == s.measure {
			style = s.o.Theme.Strong
			if i%len(s.chosen) == 0 {
				mark = "* "
			}
		}
		r := rows[i]
		if i == top {
			r.label = rows[i-i%len(s.chosen)].label // its first line is out of view
		}
		lines = append(lines, s.figureLine(r, c, w-1, mark, style))
	}
	return lines
}

// measureWindow is where a view of h rows begins so that the measure at hand is in it, all its runs if they fit.
func (s *Screen) measureWindow(h int) int {
	n := len(s.chosen)
	first := s.measure * n
	if h < n {
		return first
	}
	return cell.Window(0, first+n-1, s.length(measuresSection), h)
}

// measureHeading names the columns, or says which part of the table is in view.
func (s *Screen) measureHeading(w, h, top int) string {
	c := fit(w-1, s.measureRows(), len(s.chosen) > 1)
	name := "measure"
	if n := s.length(measuresSection); n > h {
		name = fmt.Sprintf("%d–%d/%d", top+1, min(n, top+h), n)
	}
	return s.headings(c, name, w-1)
}

// measureBlock are the measures above a section, with one line that sums up what is beside them.
func (s *Screen) measureBlock(w, h int) []string {
	var lines []string
	last, ok := s.summary(w)
	room := h
	if ok && h > 2 {
		room--
	}
	if room >= 4 {
		room--
		lines = append(lines, s.measureHeading(w, room, s.measureWindow(room)))
	}
	lines = append(lines, s.measureLines(w, room, s.measureWindow(room))...)
	if ok && h > 2 {
		lines = append(lines[:min(len(lines), h-1)], last)
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines
}

// measureSide are the measures beside a section, and below them the notes as far as there is room.
func (s *Screen) measureSide(w, h int) []string {
	need := s.length(measuresSection)
	room := min(need, max(h/2, h-2-min(6, len(s.side)+1)))
	top := s.measureWindow(room)
	lines := append([]string{s.measureHeading(w, room, top)}, s.measureLines(w, room, top)...)
	lines = append(lines, "")
	notes := s.side
	if left := h - len(lines); len(notes) > left && left > 0 {
		more := fmt.Sprintf(" … %d lines more (w)", len(notes)-left+1)
		notes = append(notes[:left-1:left-1], cell.Line(w, s.o.Theme.Warn.Of(more)))
	}
	lines = append(lines, notes...)
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:h]
}

// longestLabel bounds the work on labels of any length.
const longestLabel = 120

// sliceRows are the slices of the base with the measure at hand, each with the other runs' below.
func (s *Screen) sliceRows() []figureRow {
	type key struct{ by, value string }
	others := make([]map[key]retrieval.Slice, len(s.chosen))
	for i, m := range s.chosen {
		others[i] = make(map[key]retrieval.Slice, len(m.report.Slices))
		for _, slice := range m.report.Slices {
			others[i][key{slice.By, slice.Value}] = slice
		}
	}
	name := s.measureName()
	rows := make([]figureRow, 0, len(s.base().report.Slices)*len(s.chosen))
	for _, slice := range s.base().report.Slices {
		for i := range s.chosen {
			r := figureRow{label: cell.Cut(slice.By+" "+cmp.Or(slice.Value, "(none)"), longestLabel), run: i}
			r.mean, r.have = meanOf(others[i][key{slice.By, slice.Value}].Measures, name)
			rows = append(rows, r)
		}
	}
	return rows
}

// sliceLines are the slices in view. A slice is named in its first line, that of the base, or the first in view.
func (s *Screen) sliceLines(w, h int) []string {
	if len(s.slices) == 0 {
		return s.noticeIn(w, "no slices: queries have no tags, kinds, sources, languages or frequencies that tell them apart")
	}
	th, at := s.o.Theme, s.places[slicesSection]
	c := fit(w-1, s.slices, len(s.chosen) > 1)
	var lines []string
	for i := at.top; i < min(len(s.slices), at.top+h); i++ {
		r, mark, style := s.slices[i], "  ", th.Text
		if r.run > 0 && i > at.top {
			r.label = ""
		}
		if i == at.cursor {
			mark, style = "› ", th.Cursor
		}
		lines = append(lines, s.figureLine(r, c, w-1, mark, style))
	}
	return lines
}
