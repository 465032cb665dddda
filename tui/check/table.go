package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/corpus/retrieval"
	"assay/tui/cell"
)

// figureRow is a line of a table of means: a measure, or a slice, of one run.
type figureRow struct {
	label string // "" where the line above has the same
	run   int    // place of the run among those chosen
	mean  retrieval.Mean
	have  bool // the run was measured, and has such a mean
	delta *retrieval.Delta
}

// columns are the widths of a table's columns; 0 where there is no room for it, or nothing to show in it.
type columns struct{ label, letter, mean, interval, n, delta, judged, bar int }

const (
	leastBar = 8
	mostBar  = 40
)

// fit shares out w cells: what the figures say first, how they look last. two tells that several runs are shown.
func fit(w int, rows []figureRow, two bool) columns {
	c := columns{label: 7, mean: 6}
	for _, r := range rows {
		c.label = max(c.label, min(cell.Width(r.label), max(8, w/3)))
		if !r.have {
			continue
		}
		c.mean = max(c.mean, len(number(r.mean.Mean)))
		c.n = max(c.n, len(strconv.Itoa(r.mean.N)))
	}
	if two {
		c.letter = 2
	}
	room := w - 2 - c.label - 1 - c.letter - c.mean
	take := func(width int, wanted bool) int {
		if !wanted || width+2 > room {
			return 0
		}
		room -= width + 2
		return width
	}
	has := func(f func(figureRow) bool) bool {
		for _, r := range rows {
			if f(r) {
				return true
			}
		}
		return false
	}
	c.interval = take(11, has(func(r figureRow) bool { return r.mean.Interval != nil }))
	c.n = take(c.n, true)
	c.delta = take(8, has(func(r figureRow) bool { return r.delta != nil }))
	bars := has(func(r figureRow) bool { return r.have && barred(r.mean) })
	if judged := has(func(r figureRow) bool { return r.mean.Judged != nil }); room >= 8+leastBar+2 || !bars {
		c.judged = take(6, judged)
	}
	if bars && room >= leastBar+2 {
		c.bar = min(mostBar, room-2)
	}
	return c
}

// headings are the names of the columns; first is that of the labels.
func (s *Screen) headings(c columns, first string, w int) string {
	b := "  " + cell.Pad(first, c.label) + " " + strings.Repeat(" ", c.letter) + right("mean", c.mean)
	for _, h := range []struct {
		name  string
		width int
	}{{"95%", c.interval}, {"n", c.n}, {"vs A ", c.delta}, {"judged", c.judged}} {
		if h.width > 0 {
			b += "  " + right(h.name, h.width)
		}
	}
	if c.bar > 0 {
		b += "  0" + strings.Repeat(" ", c.bar-2) + "1"
	}
	return cell.Line(w, s.o.Theme.Dim.Of(b))
}

// figureLine draws a row; mark stands before it, in two cells.
func (s *Screen) figureLine(r figureRow, c columns, w int, mark string, style cell.Style) string {
	th := s.o.Theme
	segs := []cell.Seg{style.Of(mark + cell.Pad(r.label, c.label) + " ")}
	if c.letter > 0 {
		segs = append(segs, s.runStyle(r.run).Of(cell.Pad(letters[r.run:r.run+1], c.letter)))
	}
	if !r.have {
		return cell.Line(w, append(segs, th.Dim.Of(s.whyNot(r)))...)
	}
	m := r.mean
	segs = append(segs, th.Strong.Of(right(number(m.Mean), c.mean)))
	column := func(width int, text string) {
		if width > 0 {
			segs = append(segs, cell.Plain("  "+right(text, width)))
		}
	}
	interval, difference, judged := "", "", ""
	if m.Interval != nil {
		interval = short(m.Interval.Lo) + "–" + short(m.Interval.Hi)
	}
	if r.delta != nil {
		difference = change(*r.delta)
	}
	if m.Judged != nil {
		judged = percent(*m.Judged)
	}
	column(c.interval, interval)
	column(c.n, strconv.Itoa(m.N))
	column(c.delta, difference)
	column(c.judged, judged)
	switch {
	case c.bar > 0 && barred(m):
		segs = append(segs, cell.Plain("  "), th.Bar.Of(gauge(*m.Mean, m.Interval, c.bar)))
	case m.Mean == nil && m.Why != "":
		segs = append(segs, th.Dim.Of("  "+m.Why))
	}
	return cell.Line(w, segs...)
}

// whyNot is what stands in place of figures that are not there.
func (s *Screen) whyNot(r figureRow) string {
	switch m := s.chosen[r.run]; {
	case m.have:
		return "–"
	case m.err != nil:
		return "can't measure: " + m.err.Error()
	}
	return "measuring…"
}

// runStyle repeats a run's letter in colour.
func (s *Screen) runStyle(run int) cell.Style {
	th := s.o.Theme
	return []cell.Style{th.Bar, th.Tag, th.Good, th.Warn}[run%mostRuns]
}

// barred reports whether a mean can be shown as a bar from 0 to 1.
func barred(m retrieval.Mean) bool {
	in := func(v float64) bool { return v >= 0 && v <= 1 }
	return m.Mean != nil && in(*m.Mean) && (m.Interval == nil || in(m.Interval.Lo) && in(m.Interval.Hi))
}

// gauge is a bar from 0 to 1 in w cells: filled up to where the interval begins, which is drawn as ├─┼─┤ with the mean
// at ┼. Where the interval is narrower than a cell it is ┃.
func gauge(mean float64, iv *retrieval.Interval, w int) string {
	at := func(v float64) int { return max(0, min(w-1, int(v*float64(w)))) }
	bar := make([]rune, w)
	filled := int(math.Round(mean * float64(w)))
	for i := range bar {
		bar[i] = '░'
		if i < filled {
			bar[i] = '█'
		}
	}
	if iv == nil {
		return string(bar)
	}
	lo, hi, m := at(iv.Lo), at(iv.Hi), at(mean)
	lo, hi = min(lo, hi), max(lo, hi)
	for i := range bar {
		switch {
		case i < lo:
			bar[i] = '█'
		case i > hi:
			bar[i] = '░'
		case i == m && lo == hi:
			bar[i] = '┃'
		case i == m:
			bar[i] = '┼'
		case i == lo:
			bar[i] = '├'
		case i == hi:
			bar[i] = '┤'
		default:
			bar[i] = '─'
		}
	}
	return string(bar)
}

// number is a value to four digits; what is undefined says so.
func number(v *float64) string {
	switch {
	case v == nil:
		return "undefined"
	case math.Abs(*v) >= 1000:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.4f", *v)
}

// short is a value to three digits.
func short(v float64) string {
	if math.Abs(v) >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// percent rounds down: all judged is said only where it is so.
func percent(share float64) string {
	if share > 0 && share < 0.01 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", math.Floor(share*100+1e-9))
}

// right puts text against the right edge of w cells.
func right(text string, w int) string {
	return strings.Repeat(" ", max(0, w-cell.Width(text))) + text
}
