package check

import (
	"cmp"

	"assay/corpus/retrieval"
)

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
			r := figureRow{label: slice.By + " " + cmp.Or(slice.Value, "(none)"), run: i}
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
