package check

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"assay/corpus/retrieval"
	"assay/tui/fake"
	"assay/tui/port"
)

// curved is a screen of runs with these curves.
func curved(curves ...[]retrieval.CurvePoint) *Screen {
	s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk})
	s.chosen = nil
	for i, c := range curves {
		s.chosen = append(s.chosen, &measured{run: port.Run{Name: fmt.Sprint(i)}, have: true, report: retrieval.Report{Recall: c}})
	}
	return s
}

func curve(last int, mean func(k int) float64) (points []retrieval.CurvePoint) {
	for _, k := range []int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000} {
		if k < last {
			points = append(points, retrieval.CurvePoint{K: k, Mean: mean(k)})
		}
	}
	return append(points, retrieval.CurvePoint{K: last, Mean: mean(last)})
}

// Labels of the axes never run into each other, whatever the size and the depths; both ends are always named.
func TestAxisLabelsKeepApart(t *testing.T) {
	for _, last := range []int{1, 2, 7, 10, 99, 100, 1000, 12345, 1_000_000} {
		for _, w := range []int{leastCurveWidth, 37, 44, 60, 79, 120, 200} {
			for _, h := range []int{leastCurveHeight, 9, 14, 30} {
				s := curved(curve(last, func(int) float64 { return 0.5 }))
				lines := s.curveLines(w, h, last)
				if len(lines) != h {
					t.Fatalf("%d lines, want %d", len(lines), h)
				}
				axis := strings.Fields(ansi.Strip(lines[h-1]))
				k := 0
				for _, f := range axis {
					n := 0
					if _, err := fmt.Sscan(f, &n); err != nil || fmt.Sprint(n) != f || n <= k || n > last {
						t.Fatalf("to %d at %d×%d the axis reads %q", last, w, h, lines[h-1])
					}
					k = n
				}
				if axis[0] != "1" || k != last {
					t.Errorf("to %d at %d×%d the axis reads %q", last, w, h, lines[h-1])
				}
				for _, l := range lines {
					if n := ansi.StringWidth(l); n > w {
						t.Fatalf("%d cells of %d: %q", n, w, l)
					}
				}
				for _, y := range []string{"0.0", "1.0"} {
					if !strings.Contains(strings.Join(lines, "\n"), y) {
						t.Errorf("at %d×%d there is no %s", w, h, y)
					}
				}
			}
		}
	}
}

// The curve goes from the lower left to the upper right, as recall does.
func TestTheCurveRises(t *testing.T) {
	s := curved(curve(1000, func(k int) float64 { return math.Log(float64(k)) / math.Log(1000) }))
	lines := s.curveLines(60, 20, 1000)
	column := func(line string) int { // of the first dots
		for i, r := range []rune(ansi.Strip(line)) {
			if r >= 0x2801 && r <= 0x28ff {
				return i
			}
		}
		return -1
	}
	was := 1000
	for _, l := range lines[:18] {
		at := column(l)
		if at < 0 || at > was {
			t.Fatalf("the curve falls or breaks:\n%s", strings.Join(lines, "\n"))
		}
		was = at
	}
	if was > 6 {
		t.Errorf("it begins at column %d", was)
	}
}

func TestCurvesOfSeveralRuns(t *testing.T) {
	high, low := curve(100, func(int) float64 { return 0.9 }), curve(100, func(int) float64 { return 0.2 })
	picture := ansi.Strip(strings.Join(curved(high, low).curveLines(60, 12, 1), "\n"))
	if strings.Count(picture, "A") < 30 || strings.Count(picture, "B") < 30 || strings.Contains(picture, "*") {
		t.Error(picture)
	}
	if picture = ansi.Strip(strings.Join(curved(high, high).curveLines(60, 12, 1), "\n")); strings.Count(picture, "*") < 30 || strings.ContainsAny(picture, "AB") {
		t.Error("curves that are the same do not say so:\n" + picture)
	}
}

func TestOddCurves(t *testing.T) {
	for name, s := range map[string]*Screen{
		"one point":   curved([]retrieval.CurvePoint{{K: 10, Mean: 0.5}}),
		"no depth":    curved([]retrieval.CurvePoint{{K: 0, Mean: 0.5}, {K: 3, Mean: 0.5}}),
		"outside":     curved([]retrieval.CurvePoint{{K: 1, Mean: -3}, {K: 9, Mean: 7}}),
		"not numbers": curved([]retrieval.CurvePoint{{K: 1, Mean: math.NaN()}, {K: 9, Mean: math.Inf(1)}}),
		"one has none": curved([]retrieval.CurvePoint{{K: 1, Mean: 0.5}, {K: 9, Mean: 0.5}},
			nil),
	} {
		for _, h := range []int{1, 3, leastCurveHeight, 12} {
			if lines := s.recallLines(60, h); len(lines) > h || len(lines) == 0 {
				t.Errorf("%s: %d lines of %d", name, len(lines), h)
			}
		}
	}
	s := curved([]retrieval.CurvePoint{{K: 1, Mean: 0.25}, {K: 9, Mean: 0.5}}, []retrieval.CurvePoint{{K: 1, Mean: 0.75}})
	s.places[recallSection].cursor = 1
	lines := s.recallLines(60, 12)
	if last := ansi.Strip(lines[len(lines)-1]); !strings.Contains(last, "k 9") || !strings.Contains(last, "A 0.5000") || !strings.Contains(last, "B –") {
		t.Error(last)
	}
}

// The chart library is a drawing board here: nothing runs beside it, and it is no part of what the terminal is sent.
func TestTheChartStartsNothing(t *testing.T) {
	s := curved(curve(100, func(int) float64 { return 0.5 }))
	before := runtime.NumGoroutine()
	for range 50 {
		if picture := strings.Join(s.curveLines(60, 12, 1), "\n"); strings.Contains(picture, "\x1b") {
			t.Fatalf("without colours there is %q", picture)
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

// All runs are read off at any width: digits go first.
func TestEveryRunIsReadOff(t *testing.T) {
	c := curve(1000, func(int) float64 { return 0.98765 })
	for runs := 1; runs <= mostRuns; runs++ {
		s := curved(slices.Repeat([][]retrieval.CurvePoint{c}, runs)...)
		for _, w := range []int{38, 39, 44, 60, 100} {
			lines := s.recallLines(w, 12)
			last := ansi.Strip(lines[len(lines)-1])
			if n := strings.Count(last, "9"); n < runs || strings.Contains(last, "…") || ansi.StringWidth(last) > w {
				t.Errorf("%d runs in %d cells: %q", runs, w, last)
			}
			s.places[recallSection].cursor = 10 // k 1000
			if one := ansi.Strip(s.recallLines(w, 1)[0]); strings.Count(one, "9") < runs || strings.Contains(one, "…") {
				t.Errorf("%d runs in a list of %d cells: %q", runs, w, one)
			}
			s.places[recallSection].cursor = 0
		}
	}
}
