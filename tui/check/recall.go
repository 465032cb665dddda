package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/linechart"

	"assay/corpus/retrieval"
	"assay/tui/cell"
)

// A curve has room for axes and labels from this size on; below it is a list.
const leastCurveWidth, leastCurveHeight = 30, 7

// depths are the depths at which some chosen run's recall is known, ascending.
func (s *Screen) depths() []int {
	if s.curve != nil {
		return s.curve
	}
	all := []int{}
	for _, m := range s.chosen {
		for _, p := range m.report.Recall {
			if p.K > 0 {
				all = append(all, p.K)
			}
		}
	}
	slices.Sort(all)
	s.curve = slices.Compact(all)
	return s.curve
}

// recallAt is a run's recall at a depth.
func recallAt(r retrieval.Report, k int) (float64, bool) {
	i, ok := slices.BinarySearchFunc(r.Recall, k, func(p retrieval.CurvePoint, k int) int { return p.K - k })
	if !ok {
		return 0, false
	}
	return r.Recall[i].Mean, true
}

// recallLines are the curve with what it says at the cursor's depth, or a list of depths where it has no room.
func (s *Screen) recallLines(w, h int) []string {
	depths, th := s.depths(), s.o.Theme
	if len(depths) == 0 {
		return s.noticeIn(w, "no curve yet: no query counts")
	}
	at := s.places[recallSection]
	if w < leastCurveWidth || h < leastCurveHeight {
		var lines []string
		for i := at.top; i < min(len(depths), at.top+h); i++ {
			cursor, style := "  ", th.Text
			if i == at.cursor {
				cursor, style = "› ", th.Cursor
			}
			lines = append(lines, cell.Line(w, append([]cell.Seg{style.Of(cursor)}, s.reading(depths[i], w-2)...)...))
		}
		return lines
	}
	k := depths[min(at.cursor, len(depths)-1)]
	lines := s.curveLines(w-1, h-1, k)
	return append(lines, cell.Line(w-1, append([]cell.Seg{cell.Plain("  ┊ ")}, s.reading(k, w-5)...)...))
}

// reading is the recall of all runs at a depth, in w cells: with fewer digits where there is little room.
func (s *Screen) reading(k, w int) []cell.Seg {
	var segs []cell.Seg
	for _, form := range []struct {
		depth, gap string
		value      func(float64) string
	}{
		{"k %-5d", "  ", func(v float64) string { return fmt.Sprintf("%.4f", v) }},
		{"k %d", "  ", short},
		{"k %d", " ", func(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0") }},
	} {
		segs = []cell.Seg{cell.Plain(fmt.Sprintf(form.depth, k))}
		for i, m := range s.chosen {
			name, value := "recall ", "–"
			if len(s.chosen) > 1 {
				name = letters[i:i+1] + " "
			}
			if v, ok := recallAt(m.report, k); ok {
				value = form.value(v)
			}
			segs = append(segs, s.runStyle(i).Of(form.gap+name), cell.Plain(value))
		}
		if width(segs) <= w {
			break
		}
	}
	return segs
}

// curveLines draw recall by depth, depths on a logarithmic axis, recall from 0 to 1. One run is a line of dots; of
// several each is drawn in its letter, * where they meet. at is the depth that ┊ stands at.
func (s *Screen) curveLines(w, h, at int) []string {
	depths := s.depths()
	first, last := math.Log(float64(depths[0])), math.Log(float64(depths[len(depths)-1]))
	c := linechart.New(w, h, first, max(last, first+1e-9), 0, 1, linechart.WithXYSteps(1, 1),
		linechart.WithYLabelFormatter(yLabels(h-2)), linechart.WithXLabelFormatter(func(int, float64) string { return "" }))
	c.DrawXYAxisAndLabel()
	column := func(k int) int { // of the graph, from 0
		return int(math.Round(c.ScaleFloat64Point(canvas.Float64Point{X: math.Log(float64(k))}).X))
	}
	for _, l := range xLabels(depths, column, c.Origin().X+1, w) {
		c.Canvas.SetString(canvas.Point{X: l.x, Y: h - 1}, l.text)
	}
	for y := range c.GraphHeight() {
		c.Canvas.SetRune(canvas.Point{X: c.Origin().X + 1 + column(at), Y: y}, '┊')
	}
	if len(s.chosen) == 1 {
		s.drawDots(&c, s.base().report.Recall)
	} else {
		for i, m := range s.chosen {
			drawLetter(&c, m.report.Recall, rune(letters[i]))
		}
	}
	lines := make([]string, h)
	for y := range h {
		lines[y] = s.canvasLine(&c, y, w)
	}
	return lines
}

// yLabels name heights of a graph of h rows: 0, a half and 1, or fifths where there is room.
func yLabels(h int) linechart.LabelFormatter {
	at := map[int]string{}
	step := 0.5
	if h >= 12 {
		step = 0.2
	}
	for v := 0.0; v <= 1.001; v += step {
		at[int(math.Round(v*float64(h-1)))+1] = fmt.Sprintf("%.1f", v)
	}
	return func(i int, _ float64) string { return at[i] }
}

// drawn reports whether a point has a place on a logarithmic axis.
func drawn(p retrieval.CurvePoint) bool { return p.K > 0 && !math.IsNaN(p.Mean) }

type xLabel struct {
	x    int
	text string
}

// xLabels places the depths below the axis: the ends first, then tens, fives and twos, as far as they keep a blank
// between each other. left is the column of the graph's first cell, w the width of it all.
func xLabels(depths []int, column func(int) int, left, w int) []xLabel {
	lo, hi := depths[0], depths[len(depths)-1]
	wanted := []int{lo, hi}
	for _, digit := range []int{1, 5, 2} {
		for ten := 1; ten <= hi/digit && ten < 1<<30; ten *= 10 {
			if k := digit * ten; k > lo && k < hi {
				wanted = append(wanted, k)
			}
		}
	}
	taken := make([]bool, w+2) // with a margin of one at both sides
	var labels []xLabel
	for _, k := range wanted {
		text := strconv.Itoa(k)
		x := max(0, min(w-len(text), left+column(k)-len(text)/2))
		if x+len(text) > w || slices.Contains(taken[x:x+len(text)+2], true) {
			continue
		}
		for i := range text {
			taken[x+1+i] = true
		}
		labels = append(labels, xLabel{x, text})
	}
	return labels
}

// drawDots draws one curve as a line of braille dots, eight to a cell.
func (s *Screen) drawDots(c *linechart.Model, points []retrieval.CurvePoint) {
	grid := graph.NewBrailleGrid(c.GraphWidth(), c.GraphHeight(), c.MinX(), c.MaxX(), c.MinY(), c.MaxY())
	var before canvas.Point
	first := slices.IndexFunc(points, drawn)
	for i, p := range points {
		if !drawn(p) {
			continue
		}
		now := grid.GridPoint(canvas.Float64Point{X: math.Log(float64(p.K)), Y: max(0, min(1, p.Mean))})
		if i == first {
			before = now
		}
		for _, q := range graph.GetLinePoints(before, now) {
			grid.Set(q)
		}
		before = now
	}
	graph.DrawBraillePatterns(&c.Canvas, canvas.Point{X: c.Origin().X + 1}, grid.BraillePatterns(), c.Style)
}

// drawLetter draws one of several curves.
func drawLetter(c *linechart.Model, points []retrieval.CurvePoint, letter rune) {
	var before canvas.Float64Point
	first := slices.IndexFunc(points, drawn)
	for i, p := range points {
		if !drawn(p) {
			continue
		}
		now := c.ScaleFloat64Point(canvas.Float64Point{X: math.Log(float64(p.K)), Y: max(0, min(1, p.Mean))})
		if i == first {
			before = now
		}
		for _, q := range graph.GetLinePoints(canvas.NewPointFromFloat64Point(before), canvas.NewPointFromFloat64Point(now)) {
			at := canvas.Point{X: c.Origin().X + 1 + q.X, Y: c.Origin().Y - 1 - q.Y}
			r := letter
			if there := c.Canvas.Cell(at).Rune; there >= 'A' && there <= 'D' && there != letter || there == '*' {
				r = '*'
			}
			c.Canvas.SetRune(at, r)
		}
		before = now
	}
}

// canvasLine takes a line of cells off the canvas: its runes, in colours of ours.
func (s *Screen) canvasLine(c *linechart.Model, y, w int) string {
	th := s.o.Theme
	var segs []cell.Seg
	var text []rune
	var style cell.Style
	for x := range w {
		r := c.Canvas.Cell(canvas.Point{X: x, Y: y}).Rune
		if r == 0 {
			r = ' '
		}
		now := th.Dim
		switch {
		case r >= 'A' && r <= 'D':
			now = s.runStyle(int(r - 'A'))
		case runes.IsBraillePattern(r) || r == '*':
			now = th.Bar
		}
		if now != style && len(text) > 0 {
			segs = append(segs, style.Of(string(text)))
			text = text[:0]
		}
		style = now
		text = append(text, r)
	}
	return cell.Line(w, append(segs, style.Of(string(text)))...)
}
