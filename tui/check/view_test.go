package check

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/charmbracelet/x/ansi"

	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/fake"
	"assay/tui/port"
)

// many is a screen of n runs with m measures each.
func many(n, m int) *Screen {
	s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk, Checker: &fixed{}})
	s.chosen = nil
	for i := range n {
		one := &measured{run: port.Run{Name: fmt.Sprintf("run-%d", i)}, have: true}
		for j := range m {
			one.report.Measures = append(one.report.Measures, retrieval.Mean{
				Name: fmt.Sprintf("M@%d", j), Mean: of(0.5), N: 9, Interval: &retrieval.Interval{Lo: 0.4, Hi: 0.6}, Judged: of(0.5),
			})
		}
		s.chosen = append(s.chosen, one)
	}
	return s
}

// The measure at hand is in view at any size, all its runs if they fit, and the window is never half empty.
func TestTheMeasureAtHandIsInView(t *testing.T) {
	f := func(runs, measures, at, h uint8) bool {
		s := many(1+int(runs%mostRuns), 1+int(measures%12))
		n := len(s.chosen)
		s.measure = int(at) % len(s.base().report.Measures)
		room := 1 + int(h%20)
		top := s.measureWindow(room)
		first, all := s.measure*n, s.length(measuresSection)
		if top < 0 || first < top || first >= top+room {
			return false
		}
		if room >= n && first+n > top+room {
			return false
		}
		return room > all && top == 0 || top+min(room, n) <= all
	}
	if err := quick.Check(f, nil); err != nil {
		t.Error(err)
	}
}

// A bar is as wide as it is told, its interval lies where it is, and no cell of it is anything else.
func TestGaugesAreSound(t *testing.T) {
	f := func(a, b, c uint16, width uint8) bool {
		v := []float64{float64(a) / math.MaxUint16, float64(b) / math.MaxUint16, float64(c) / math.MaxUint16}
		slices.Sort(v)
		w := leastBar + int(width)%mostBar
		bar := []rune(gauge(v[1], &retrieval.Interval{Lo: v[0], Hi: v[2]}, w))
		if len(bar) != w || strings.Trim(string(bar), "█░├─┼┤┃") != "" {
			return false
		}
		marks := strings.Trim(string(bar), "█░")
		lo := len([]rune(string(bar)[:strings.Index(string(bar), marks)]))
		at := func(x float64) int { return min(w-1, int(x*float64(w))) }
		return lo == at(v[0]) && len([]rune(marks)) == at(v[2])-at(v[0])+1 && strings.Count(marks, "┼")+strings.Count(marks, "┃") == 1
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// A table's line is never wider than it was promised, whatever is in it, and has the run's letter where there are several.
func TestTableLinesFit(t *testing.T) {
	f := func(seed int64, width uint8) bool {
		rnd := rand.New(rand.NewSource(seed))
		w := 38 + int(width)%130
		s := many(2, 3)
		r := hostileReport(rnd)
		var rows []figureRow
		for i, m := range r.Measures {
			rows = append(rows, figureRow{label: m.Name, run: i % 2, mean: m, have: rnd.Intn(5) > 0})
		}
		c := fit(w, rows, true)
		for _, row := range rows {
			line := s.figureLine(row, c, w, "  ", cell.Style{})
			if ansi.StringWidth(line) > w || !strings.Contains(line, letters[row.run:row.run+1]) {
				t.Logf("%d cells: %q", w, line)
				return false
			}
		}
		return ansi.StringWidth(s.headings(c, "measure", w)) <= w
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

// Headings stand above their columns.
func TestHeadingsStandAboveTheirColumns(t *testing.T) {
	s := many(1, 1)
	rows := s.measureRows()
	for w := 40; w < 140; w++ {
		c := fit(w, rows, false)
		head, line := s.headings(c, "measure", w), s.figureLine(rows[0], c, w, "  ", cell.Style{})
		end := func(in, what string) int {
			i := strings.Index(in, what)
			if i < 0 {
				return -1
			}
			return cell.Width(in[:i+len(what)])
		}
		for name, value := range map[string]string{"mean": "0.5000", "95%": "0.400–0.600", " n": "  9", "judged": "50%"} {
			if end(head, name) != end(line, value) {
				t.Fatalf("at %d %s is not above %s:\n%s\n%s", w, name, value, head, line)
			}
		}
	}
}

// The section at hand is named in the heading at any width, and how many sections there are.
func TestTheHeadingNamesTheSection(t *testing.T) {
	for _, w := range []int{40, 60, 79, 100, 120, 200} {
		s := many(2, 3)
		s.base().report.Warnings = []string{"one", "two"}
		s.Resize(w, 24)
		for s.section = range sectionCount {
			if s.layout().wide && s.section == measuresSection {
				continue
			}
			l := s.layout()
			heading := s.sectionHeading(l.body.W)
			name := "‹" + sectionNames[s.section]
			if !strings.Contains(heading, name) || ansi.StringWidth(heading) > l.body.W {
				t.Errorf("at %d the heading of %s is %q", w, sectionNames[s.section], heading)
			}
			if strings.Count(heading, "‹") != 1 {
				t.Errorf("at %d more than one section is at hand: %q", w, heading)
			}
		}
	}
}

func TestTheHeadNamesRunsAndState(t *testing.T) {
	s := many(1, 1)
	s.base().run = port.Run{Name: "bm25", Words: "620 kB"}
	s.Resize(120, 24)
	if got := s.head(); !strings.Contains(got, "bm25 620 kB") || !strings.Contains(got, "current") {
		t.Error(got)
	}
	s.Resize(60, 24)
	if got := s.head(); !strings.Contains(got, "bm25") || strings.Contains(got, "620 kB") {
		t.Error(got)
	}
	for _, n := range []int{2, 3, 4} {
		s = many(n, 1)
		s.Resize(120, 24)
		for i := range n {
			if want := fmt.Sprintf("%s run-%d", letters[i:i+1], i); !strings.Contains(s.head(), want) {
				t.Errorf("%q does not name %s", s.head(), want)
			}
		}
	}
	s.running = true
	if got := s.head(); !strings.Contains(got, "measuring…") {
		t.Error(got)
	}
}

// A resize, back and forth, moves neither cursor nor section.
func TestResizingKeepsThePlace(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 120, 36)
	d.Press("j", "tab", "j", "j")
	was := s.places
	for _, size := range append(sizes, [2]int{120, 36}) {
		d.Resize(size[0], size[1])
		d.CheckFrame(size[0], size[1])
	}
	if s.places[queriesSection].cursor != was[queriesSection].cursor || s.places[recallSection].cursor != was[recallSection].cursor || s.section != recallSection {
		t.Errorf("%+v, was %+v", s.places, was)
	}
	// A ranking stays open too.
	d.Press("enter", "enter", "j")
	at := s.ranking.cursor
	for _, size := range sizes {
		d.Resize(size[0], size[1])
		d.CheckFrame(size[0], size[1])
	}
	if s.ranking == nil || s.ranking.cursor != at {
		t.Error("the ranking lost its place")
	}
}

// What is sent are the open ones among the first k, in order, with their ranks.
func TestUnjudgedAreThoseInTheTop(t *testing.T) {
	f := func(marks []uint8, k uint8) bool {
		r := &ranking{}
		var want []string
		for i, m := range marks {
			x := ranked{rank: i + 1, chunkID: fmt.Sprint(i), judged: m%3 == 1, others: m%3 == 2}
			if m > 200 { // relevant, not found: these come last, but a cut must not count on it
				x.rank = 0
			}
			r.rows = append(r.rows, x)
			if i < int(k) && x.rank > 0 && m%3 == 0 {
				want = append(want, x.chunkID)
			}
		}
		var got []string
		for _, c := range r.unjudged(int(k)) {
			got = append(got, c.ChunkID)
			if fmt.Sprint(c.Rank-1) != c.ChunkID {
				return false
			}
		}
		return slices.Equal(got, want)
	}
	if err := quick.Check(f, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}
