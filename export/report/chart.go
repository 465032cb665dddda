package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/corpus/retrieval"
)

// Charts are drawn without a view box: places along x are in percent of whatever width there is, places along y in
// pixels. So text and strokes keep their size on a phone and on paper, where a scaled picture would not.

// percent is a place on an axis from 0 to 1.
func percent(v float64) string { return fmt.Sprintf("%.2f%%", 100*min(max(v, 0), 1)) }

func px(v float64) string { return fmt.Sprintf("%.1f", v) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// bar is a mean on an axis from 0 to 1, with its interval and its bounds.
type bar struct {
	Label            string
	Width            string
	Whisker          bool
	Lo, Hi           string
	Bounded          bool
	BoundLo, BoundHi string
}

func barOf(m retrieval.Mean) *bar {
	if m.Mean == nil || !finite(*m.Mean) || *m.Mean < 0 || *m.Mean > 1 || isCount(m.Name) {
		return nil
	}
	b := &bar{Label: shown(measureLine(m), 300), Width: percent(*m.Mean)}
	if in := m.Interval; in != nil && finite(in.Lo) && finite(in.Hi) {
		b.Whisker, b.Lo, b.Hi = true, percent(in.Lo), percent(in.Hi)
	}
	if in := m.Bounds; in != nil && finite(in.Irrelevant) && finite(in.Relevant) {
		b.Bounded, b.BoundLo, b.BoundHi = true, percent(in.Irrelevant), percent(in.Relevant)
	}
	return b
}

// curve is recall by depth, on a logarithmic axis of depths.
type curve struct {
	Label          string
	Segments       []segment
	Dots           []dot
	Depths, Values []mark
	Grid           []mark
	Height         string
}

type segment struct{ X1, Y1, X2, Y2 string }

type dot struct{ X, Y, Title string }

// mark is a text at a place.
type mark struct{ X, Y, Text string }

const (
	curveHeight = 220.0
	maxPoints   = 200
	// These gaps keep labels apart, as shares of the narrowest plot, about 300 pixels. The last depth is the longest.
	labelGap = 0.1
	lastGap  = 0.12
	valueGap = 0.14
)

// grid are the lines of an axis of height pixels, from 0 to 1.
func grid(height float64) []mark {
	var list []mark
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		list = append(list, mark{Y: px((1 - v) * height), Text: fmt.Sprintf("%.2f", v)})
	}
	return list
}

func curveOf(points []retrieval.CurvePoint) *curve {
	points = slices.DeleteFunc(slices.Clone(points), func(p retrieval.CurvePoint) bool { return p.K < 1 || !finite(p.Mean) })
	if len(points) == 0 {
		return nil
	}
	slices.SortStableFunc(points, func(a, b retrieval.CurvePoint) int { return cmp.Compare(a.K, b.K) })
	rounded := thinned(points, 12)
	points = strided(points, maxPoints)
	first, last := points[0], points[len(points)-1]
	c := &curve{
		Height: px(curveHeight), Grid: grid(curveHeight),
		Label: fmt.Sprintf("Recall by depth: %.3f at %d, %.3f at %d", first.Mean, first.K, last.Mean, last.K),
	}
	at := func(p retrieval.CurvePoint) float64 {
		if first.K == last.K {
			return 0.5
		}
		return math.Log(float64(p.K)/float64(first.K)) / math.Log(float64(last.K)/float64(first.K))
	}
	high := func(p retrieval.CurvePoint) float64 { return (1 - min(max(p.Mean, 0), 1)) * curveHeight }
	for i, p := range points {
		if i > 0 {
			q := points[i-1]
			c.Segments = append(c.Segments, segment{percent(at(q)), px(high(q)), percent(at(p)), px(high(p))})
		}
	}
	named := spaced(rounded, at, labelGap, lastGap)
	for _, p := range named {
		c.Depths = append(c.Depths, mark{X: percent(at(p)), Text: fmt.Sprint(p.K)})
		c.Dots = append(c.Dots, dot{percent(at(p)), px(high(p)), fmt.Sprintf("recall %.4f at %d", p.Mean, p.K)})
	}
	for _, p := range spaced(named, at, valueGap, valueGap) {
		c.Values = append(c.Values, mark{percent(at(p)), px(high(p) - 9), fmt.Sprintf("%.2f", p.Mean)})
	}
	return c
}

// spaced are the points that can carry a label: the last, and those before it that stand far enough apart.
func spaced(points []retrieval.CurvePoint, at func(retrieval.CurvePoint) float64, gap, lastGap float64) []retrieval.CurvePoint {
	last := points[len(points)-1]
	var kept []retrieval.CurvePoint
	for i, p := range points {
		switch {
		case i == len(points)-1:
		case at(last)-at(p) < lastGap, len(kept) > 0 && at(p)-at(kept[len(kept)-1]) < gap:
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// scatter is each query as a dot: how much was found at all, and how well it was ranked. Queries at one place share a
// dot whose area is their number.
type scatter struct {
	Label, X, Y  string // the measures
	Height       string
	Dots         []scatterDot
	Grid         []mark
	Left, Binned string
	N            int
}

type scatterDot struct {
	X, Y, R, Title, Count string
	CountY                string
}

const (
	scatterHeight = 300.0
	// manyPlaces is from how many distinct places on queries are drawn in a grid of cells.
	manyPlaces = 700
	cells      = 20.0
	// minLabeled is the radius from which a dot says its number, narrowest how wide the plot is on a small screen.
	minLabeled = 11.0
	narrowest  = 270.0
)

func scatterOf(r retrieval.Report) *scatter {
	xs, ys := axes(r)
	if ys == "" {
		return nil
	}
	type place struct{ x, y float64 }
	at := map[place][]string{}
	skipped := 0
	fineness := 200.0
	gather := func() {
		clear(at)
		skipped = 0
		for _, q := range r.Queries {
			x, y := q.Values[xs], q.Values[ys]
			if x == nil || y == nil || !finite(*x) || !finite(*y) {
				skipped++
				continue
			}
			p := place{math.Round(*x*fineness) / fineness, math.Round(*y*fineness) / fineness}
			at[p] = append(at[p], q.QueryID)
		}
	}
	gather()
	s := &scatter{X: shown(xs, 80), Y: shown(ys, 80), Height: px(scatterHeight), Grid: grid(scatterHeight)}
	if len(at) > manyPlaces {
		fineness = cells
		gather()
		s.Binned = fmt.Sprintf("Dots stand for cells of %.2f by %.2f.", 1/cells, 1/cells)
	}
	if len(at) == 0 {
		return nil
	}
	places := make([]place, 0, len(at))
	for p, ids := range at {
		places = append(places, p)
		s.N += len(ids)
	}
	most := 0
	for _, ids := range at {
		most = max(most, len(ids))
	}
	slices.SortFunc(places, func(a, b place) int { // great dots below small ones
		return cmp.Or(cmp.Compare(len(at[b]), len(at[a])), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	least, unit := 2.5, min(4, 22/math.Sqrt(float64(most)))
	if s.Binned != "" { // no dot much wider than its cell
		least, unit = 1, 0.6*narrowest/cells/math.Sqrt(float64(most))
	}
	var labeled []place
	for _, p := range places {
		ids := at[p]
		radius := max(least, unit*math.Sqrt(float64(len(ids))))
		d := scatterDot{X: percent(p.x), Y: px((1 - min(max(p.y, 0), 1)) * scatterHeight), R: px(radius)}
		var names []string
		for _, id := range ids[:min(len(ids), 5)] {
			names = append(names, shown(id, 60))
		}
		d.Title = fmt.Sprintf("%s %.2f, %s %.2f: %s: %s", s.X, p.x, s.Y, p.y, queries(len(ids)), strings.Join(names, ", "))
		if len(ids) > len(names) {
			d.Title += ", …"
		}
		if radius >= minLabeled && !slices.ContainsFunc(labeled, func(l place) bool {
			return math.Abs(l.x-p.x)*narrowest < 30 && math.Abs(l.y-p.y)*scatterHeight < 16
		}) {
			labeled = append(labeled, p)
			d.Count, d.CountY = fmt.Sprint(len(ids)), px((1-min(max(p.y, 0), 1))*scatterHeight+4)
		}
		s.Dots = append(s.Dots, d)
	}
	if skipped > 0 {
		s.Left = queries(skipped) + " without a value are left out."
	}
	s.Label = fmt.Sprintf("%s as dots: %s along x, %s along y", queries(s.N), s.X, s.Y)
	return s
}

// axes are the two measures that say most about what fails: recall at the greatest depth, and how early it comes. The
// second is "" where the report holds no two measures from 0 to 1.
func axes(r retrieval.Report) (x, y string) {
	depth := 0
	for _, m := range r.Measures {
		var k int
		if n, _ := fmt.Sscanf(m.Name, "R@%d", &k); n == 1 && k > depth {
			x, depth = m.Name, k
		}
	}
	var rest []string
	for _, m := range r.Measures {
		if m.Name != x && !isCount(m.Name) && !strings.HasPrefix(m.Name, "Judged") && !strings.HasPrefix(m.Name, "R@") {
			rest = append(rest, m.Name)
		}
	}
	if x == "" && len(rest) > 1 {
		x, rest = rest[0], rest[1:]
	}
	if x == "" || len(rest) == 0 {
		return "", ""
	}
	for _, want := range []string{"RR", "nDCG", "AP"} {
		for _, name := range rest {
			if base, _, _ := strings.Cut(name, "@"); base == want {
				return x, name
			}
		}
	}
	return x, rest[0]
}

// histogram is how the values of one measure spread over the queries: those of exactly 0, tenths, those of exactly 1.
type histogram struct {
	Name, Label, Note string
	Bars              []column
	Height            string
}

type column struct{ X, Width, Y, Height, Title string }

const (
	histogramHeight = 56.0
	tenths          = 10
)

func histograms(r retrieval.Report) []histogram {
	var list []histogram
	for _, m := range r.Measures {
		if isCount(m.Name) {
			continue
		}
		var bins [tenths + 2]int
		n := 0
		for _, q := range r.Queries {
			if v := q.Values[m.Name]; v != nil && finite(*v) {
				bins[bin(*v)]++
				n++
			}
		}
		if n > 0 {
			list = append(list, histogramOf(shown(m.Name, 80), bins, n))
		}
	}
	return list
}

// bin is where a value belongs: 0 alone, then tenths that hold their upper end but 1, then 1 alone.
func bin(v float64) int {
	switch {
	case v <= 0:
		return 0
	case v >= 1:
		return tenths + 1
	}
	return min(int(math.Ceil(v*tenths-1e-9)), tenths)
}

func histogramOf(name string, bins [tenths + 2]int, n int) histogram {
	part := func(i int) string {
		p := float64(bins[i]) / float64(n)
		return share(&p)
	}
	h := histogram{Name: name, Height: px(histogramHeight), Note: part(0) + " at 0, " + part(tenths+1) + " at 1"}
	h.Label = fmt.Sprintf("%s over %s: %s", name, queries(n), h.Note)
	most := slices.Max(bins[:])
	for i, b := range bins {
		tall := float64(b) / float64(most) * histogramHeight
		if b > 0 {
			tall = max(tall, 1.5)
		}
		where := fmt.Sprintf("above %.1f to %.1f", float64(i-1)/tenths, float64(i)/tenths)
		switch i {
		case 0:
			where = "at 0"
		case tenths:
			where = "above 0.9, below 1"
		case tenths + 1:
			where = "at 1"
		}
		h.Bars = append(h.Bars, column{
			X: percent(float64(i) / float64(len(bins))), Width: percent(0.9 / float64(len(bins))),
			Y: px(histogramHeight - tall), Height: px(tall), Title: queries(b) + " " + where,
		})
	}
	return h
}

// box is a distribution as a box plot.
type box struct {
	Name, Label, Note        string
	Min, Q1, Median, Q3, Max string
	Width                    string // of the box
}

// boxes are both distributions of best scores on one axis, and what the axis is.
func boxes(u *retrieval.Unanswerable) (list []box, scale string) {
	lo, hi := math.Inf(1), math.Inf(-1)
	named := []struct {
		name string
		q    *retrieval.Quantiles
	}{{"Answerable", u.Answerable}, {"Unanswerable", u.TopScore}}
	fit := func(q *retrieval.Quantiles) bool {
		return q != nil && q.N > 0 && finite(q.Min) && finite(q.Max) && finite(q.Q1) && finite(q.Q3) && finite(q.Median)
	}
	for _, n := range named {
		if fit(n.q) {
			lo, hi = min(lo, n.q.Min), max(hi, n.q.Max)
		}
	}
	if lo > hi {
		return nil, ""
	}
	at := func(v float64) float64 {
		if hi == lo {
			return 0.5
		}
		return (v - lo) / (hi - lo)
	}
	for _, n := range named {
		if !fit(n.q) {
			continue
		}
		q := n.q
		note := fmt.Sprintf("n = %d, least %.4g, quartiles %.4g and %.4g, median %.4g, greatest %.4g", q.N, q.Min, q.Q1, q.Q3, q.Median, q.Max)
		list = append(list, box{
			Name: n.name, Note: note, Label: n.name + ": " + note,
			Min: percent(at(q.Min)), Q1: percent(at(q.Q1)), Median: percent(at(q.Median)), Q3: percent(at(q.Q3)), Max: percent(at(q.Max)),
			Width: percent(at(q.Q3) - at(q.Q1)),
		})
	}
	return list, fmt.Sprintf("Both on one axis, from %.4g to %.4g.", lo, hi)
}
