package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/quick"

	"assay/corpus/retrieval"
)

// place reads a place as it is written: percent or pixels.
func place(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil {
		t.Fatalf("place %q: %v", s, err)
	}
	return v
}

func TestBar(t *testing.T) {
	b := barOf(retrieval.Mean{Name: "R@5", Mean: ptr(0.625), N: 4, Interval: &retrieval.Interval{Lo: -0.1, Hi: 0.875}, Bounds: &retrieval.Bounds{Irrelevant: 0.5, Relevant: 1.2}})
	if want := (bar{Label: "R@5 0.6250, n = 4, 95% interval -0.1000–0.8750, between 0.5000–1.2000 once all is judged",
		Width: "62.50%", Whisker: true, Lo: "0.00%", Hi: "87.50%", Bounded: true, BoundLo: "50.00%", BoundHi: "100.00%"}); *b != want {
		t.Errorf("bar is %+v, want %+v", *b, want)
	}
	if b := barOf(retrieval.Mean{Name: "R@5", Mean: ptr(0.0), N: 1}); b == nil || b.Width != "0.00%" || b.Whisker || b.Bounded {
		t.Errorf("bar of 0 is %+v", b)
	}
	for name, m := range map[string]retrieval.Mean{
		"undefined": {Name: "R@5"}, "count": {Name: "NumRet", Mean: ptr(1.0)}, "above 1": {Name: "x", Mean: ptr(1.5)}, "below 0": {Name: "x", Mean: ptr(-1.0)}, "NaN": {Name: "R@5", Mean: ptr(math.NaN())},
	} {
		if b := barOf(m); b != nil {
			t.Errorf("%s has a bar: %+v", name, b)
		}
	}
}

func TestCurve(t *testing.T) {
	c := curveOf([]retrieval.CurvePoint{{K: 100, Mean: 1}, {K: 1, Mean: 0}, {K: 10, Mean: 0.5}})
	if len(c.Segments) != 2 || c.Segments[0] != (segment{"0.00%", "220.0", "50.00%", "110.0"}) || c.Segments[1] != (segment{"50.00%", "110.0", "100.00%", "0.0"}) {
		t.Errorf("segments are %v", c.Segments)
	}
	if len(c.Dots) != 3 || c.Dots[1] != (dot{"50.00%", "110.0", "recall 0.5000 at 10"}) {
		t.Errorf("dots are %v", c.Dots)
	}
	if c.Label != "Recall by depth: 0.000 at 1, 1.000 at 100" {
		t.Errorf("label is %q", c.Label)
	}
	if c := curveOf([]retrieval.CurvePoint{{K: 7, Mean: 0.5}}); len(c.Segments) != 0 || len(c.Dots) != 1 || c.Dots[0].X != "50.00%" || len(c.Values) != 1 {
		t.Errorf("curve of one point is %+v", c)
	}
	for _, points := range [][]retrieval.CurvePoint{nil, {}, {{K: 0, Mean: 1}}, {{K: -3, Mean: 1}}, {{K: 3, Mean: math.NaN()}}} {
		if c := curveOf(points); c != nil {
			t.Errorf("%v has a curve", points)
		}
	}
}

// TestCurveLabels holds, for any depths, that labels stand apart, that each value belongs to a dot, and that ends have one.
func TestCurveLabels(t *testing.T) {
	apart := func(list []mark, gap float64) bool {
		for i := 1; i < len(list); i++ {
			if place(t, list[i].X)-place(t, list[i-1].X) < 100*gap-0.02 {
				return false
			}
		}
		return true
	}
	check := func(depths []uint16) bool {
		var points []retrieval.CurvePoint
		for i, k := range depths {
			points = append(points, retrieval.CurvePoint{K: int(k) + 1, Mean: float64(i) / float64(len(depths))})
		}
		slices.SortFunc(points, func(a, b retrieval.CurvePoint) int { return a.K - b.K })
		points = slices.CompactFunc(points, func(a, b retrieval.CurvePoint) bool { return a.K == b.K })
		c := curveOf(points)
		if len(points) == 0 {
			return c == nil
		}
		dots := map[string]bool{}
		for _, d := range c.Dots {
			dots[d.X] = true
		}
		for _, v := range c.Values {
			if !dots[v.X] {
				return false
			}
		}
		last := fmt.Sprint(points[len(points)-1].K)
		return apart(c.Depths, labelGap) && apart(c.Values, valueGap) && len(c.Depths) == len(c.Dots) && c.Depths[len(c.Depths)-1].Text == last
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
	var all []retrieval.CurvePoint
	for k := 1; k <= 1000; k++ {
		all = append(all, retrieval.CurvePoint{K: k, Mean: float64(k) / 1000})
	}
	c := curveOf(all)
	var depths []string
	for _, d := range c.Depths {
		depths = append(depths, d.Text)
	}
	if got := strings.Join(depths, " "); got != "1 2 5 10 20 50 100 200 1000" {
		t.Errorf("a thousand depths are labelled %s", got)
	}
	if len(c.Segments) > 2*maxPoints {
		t.Errorf("a thousand depths take %d segments", len(c.Segments))
	}
}

func TestAxes(t *testing.T) {
	for names, want := range map[string]string{
		"R@5 R@50 P@5 Success@5 RR nDCG@10 Judged@10": "R@50 RR",
		"nDCG@10 R@5":         "R@5 nDCG@10",
		"P@5 R@5 AP":          "R@5 AP",
		"R@5 P@5":             "R@5 P@5",
		"P@5 Success@5":       "P@5 Success@5",
		"R@5 R@50":            " ",
		"R@5 Judged@5 NumRet": " ",
		"RR":                  " ",
		"":                    " ",
	} {
		var r retrieval.Report
		for _, name := range strings.Fields(names) {
			r.Measures = append(r.Measures, retrieval.Mean{Name: name})
		}
		if x, y := axes(r); x+" "+y != want {
			t.Errorf("axes of %s are %s %s, want %s", names, x, y, want)
		}
	}
}

func TestScatter(t *testing.T) {
	r := retrieval.Report{Measures: []retrieval.Mean{{Name: "R@5"}, {Name: "RR"}}}
	add := func(n int, x, y *float64) {
		for range n {
			r.Queries = append(r.Queries, retrieval.QueryValues{QueryID: fmt.Sprintf("q%d", len(r.Queries)), Values: map[string]*float64{"R@5": x, "RR": y}})
		}
	}
	add(36, ptr(1.0), ptr(0.5))
	add(1, ptr(0.25), ptr(0.0))
	add(2, ptr(0.5), nil)
	s := scatterOf(r)
	if s.N != 37 || len(s.Dots) != 2 || s.Left != "2 queries without a value are left out." || s.Binned != "" {
		t.Fatalf("scatter is %+v", s)
	}
	if d := s.Dots[0]; d.X != "100.00%" || d.Y != "150.0" || d.R != "22.0" || d.Count != "36" || !strings.HasPrefix(d.Title, "R@5 1.00, RR 0.50: 36 queries: q0, q1, q2, q3, q4, …") {
		t.Errorf("the great dot is %+v", d)
	}
	if d := s.Dots[1]; d.X != "25.00%" || d.Y != "300.0" || d.Count != "" || d.Title != "R@5 0.25, RR 0.00: 1 query: q36" {
		t.Errorf("the small dot is %+v", d)
	}
	if a, b := place(t, s.Dots[0].R), place(t, s.Dots[1].R); math.Abs(a/b-6) > 0.1 {
		t.Errorf("36 queries have radius %v, one has %v: areas are not as their numbers", a, b)
	}
	r.Queries = r.Queries[37:]
	if s := scatterOf(r); s != nil {
		t.Errorf("queries without values are drawn: %+v", s)
	}
}

// TestScatterHoldsAll holds that no query is lost in drawing, whether drawn alone or in cells.
func TestScatterHoldsAll(t *testing.T) {
	for _, n := range []int{1, 10, 700, 5000} {
		r := many(n).Report
		s := scatterOf(r)
		sum := 0
		for _, d := range s.Dots {
			_, after, _ := strings.Cut(d.Title, ": ")
			k, err := strconv.Atoi(strings.Fields(after)[0])
			if err != nil {
				t.Fatal(err)
			}
			sum += k
			if place(t, d.X) < 0 || place(t, d.X) > 100 || place(t, d.Y) < 0 || place(t, d.Y) > scatterHeight {
				t.Errorf("a dot is outside: %+v", d)
			}
		}
		if sum != n || s.N != n {
			t.Errorf("of %d queries %d are drawn", n, sum)
		}
		if len(s.Dots) > manyPlaces {
			t.Errorf("%d queries take %d dots", n, len(s.Dots))
		}
	}
}

func TestScatterNumbersStandApart(t *testing.T) {
	r := retrieval.Report{Measures: []retrieval.Mean{{Name: "R@5"}, {Name: "RR"}}}
	for i := range 40 {
		for range 20 {
			r.Queries = append(r.Queries, retrieval.QueryValues{QueryID: "q", Values: map[string]*float64{"R@5": ptr(float64(i) / 200), "RR": ptr(0.5)}})
		}
	}
	var at []float64
	for _, d := range scatterOf(r).Dots {
		if d.Count != "" {
			at = append(at, place(t, d.X))
		}
	}
	slices.Sort(at)
	for i := 1; i < len(at); i++ {
		if (at[i]-at[i-1])/100*narrowest < 29 {
			t.Errorf("numbers at %v%% and %v%% touch", at[i-1], at[i])
		}
	}
	if len(at) < 2 {
		t.Errorf("%d numbers", len(at))
	}
}

func TestBins(t *testing.T) {
	for v, want := range map[float64]int{-1: 0, 0: 0, 1e-6: 1, 0.1: 1, 0.1000001: 2, 0.2: 2, 0.3: 3, 0.7: 7, 0.95: 10, 0.9999999: 10, 1: 11, 2: 11} {
		if got := bin(v); got != want {
			t.Errorf("bin(%v) is %d, want %d", v, got, want)
		}
	}
	ordered := func(a, b float64) bool {
		a, b = math.Mod(math.Abs(a), 1), math.Mod(math.Abs(b), 1)
		return a > b || bin(a) <= bin(b)
	}
	if err := quick.Check(ordered, nil); err != nil {
		t.Error(err)
	}
}

func TestHistograms(t *testing.T) {
	list := histograms(small().Report)
	if len(list) != 2 || list[0].Name != "R@5" || list[1].Name != "RR" {
		t.Fatalf("histograms are %+v", list)
	}
	if h := list[0]; h.Note != "25% at 0, 50% at 1" || h.Label != "R@5 over 4 queries: 25% at 0, 50% at 1" {
		t.Errorf("R@5 says %q, %q", h.Note, h.Label)
	}
	if h := list[1]; !strings.HasPrefix(h.Label, "RR over 3 queries") {
		t.Errorf("RR says %q", h.Label)
	}
	tall := []string{}
	for _, b := range list[0].Bars {
		tall = append(tall, b.Height)
		if place(t, b.Y)+place(t, b.Height) != histogramHeight {
			t.Errorf("a column does not stand on the axis: %+v", b)
		}
	}
	if got := strings.Join(tall, " "); got != "28.0 0.0 0.0 0.0 0.0 28.0 0.0 0.0 0.0 0.0 0.0 56.0" {
		t.Errorf("heights are %s", got)
	}
	if b := list[0].Bars[5]; b.Title != "1 query above 0.4 to 0.5" {
		t.Errorf("column 5 is %+v", b)
	}
}

func TestBoxes(t *testing.T) {
	q := func(lo, q1, m, q3, hi float64) *retrieval.Quantiles {
		return &retrieval.Quantiles{N: 5, Min: lo, Q1: q1, Median: m, Q3: q3, Max: hi}
	}
	list, scale := boxes(&retrieval.Unanswerable{TopScore: q(0, 1, 2, 3, 4), Answerable: q(2, 4, 6, 8, 10)})
	if scale != "Both on one axis, from 0 to 10." || len(list) != 2 || list[0].Name != "Answerable" || list[1].Name != "Unanswerable" {
		t.Fatalf("boxes are %+v, %s", list, scale)
	}
	if b := list[0]; b.Min != "20.00%" || b.Q1 != "40.00%" || b.Median != "60.00%" || b.Q3 != "80.00%" || b.Max != "100.00%" || b.Width != "40.00%" {
		t.Errorf("box is %+v", b)
	}
	if list, _ := boxes(&retrieval.Unanswerable{TopScore: q(3, 3, 3, 3, 3)}); len(list) != 1 || list[0].Median != "50.00%" || list[0].Width != "0.00%" {
		t.Errorf("box of one score is %+v", list)
	}
	if list, _ := boxes(&retrieval.Unanswerable{TopScore: q(math.NaN(), 1, 2, 3, 4), Answerable: &retrieval.Quantiles{}}); list != nil {
		t.Errorf("boxes of nothing are %+v", list)
	}
	if list, _ := boxes(&retrieval.Unanswerable{TopScore: q(-5, -4, -3, -2, -1)}); list[0].Min != "0.00%" || list[0].Max != "100.00%" {
		t.Errorf("box below 0 is %+v", list)
	}
}
