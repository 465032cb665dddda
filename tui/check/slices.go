package check

import (
	"cmp"

	"assay/corpus/retrieval"
)

// sliceRow is a slice of one run.
type sliceRow struct {
	figureRow
	first bool // of its slice
}

// sliceRows are the slices of the base with the measure at hand, each with the other runs' below.
func (s *Screen) sliceRows() []sliceRow {
	var rows []sliceRow
	name := s.measureName()
	for _, slice := range s.base().report.Slices {
		for i, m := range s.chosen {
			r := sliceRow{figureRow{label: slice.By + " " + cmp.Or(slice.Value, "(none)"), run: i}, i == 0}
			r.mean, r.have = sliceMean(m.report, slice.By, slice.Value, name)
			rows = append(rows, r)
		}
	}
	return rows
}

func sliceMean(r retrieval.Report, by, value, measure string) (retrieval.Mean, bool) {
	for _, s := range r.Slices {
		if s.By == by && s.Value == value {
			return meanOf(s.Measures, measure)
		}
	}
	return retrieval.Mean{Name: measure}, false
}

// sliceLines are the slices in view.
func (s *Screen) sliceLines(w, h int) []string {
	if len(s.slices) == 0 {
		return s.noticeIn(w, "no slices: queries have no tags, kinds, sources, languages or frequencies that tell them apart")
	}
	th, at := s.o.Theme, s.places[slicesSection]
	rows := make([]figureRow, len(s.slices))
	for i, r := range s.slices {
		rows[i] = r.figureRow
	}
	c := fit(w-1, rows, len(s.chosen) > 1)
	var lines []string
	for i := at.top; i < min(len(rows), at.top+h); i++ {
		r, mark, style := rows[i], "  ", th.Text
		if !s.slices[i].first && i > at.top {
			r.label = ""
		}
		if i == at.cursor {
			mark, style = "› ", th.Cursor
		}
		lines = append(lines, s.figureLine(r, c, w-1, mark, style))
	}
	return lines
}
