package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/retrieval"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

// fixed answers with what it is given.
type fixed struct {
	report  retrieval.Report            // of any run
	reports map[string]retrieval.Report // of these
	runs    []port.Run
	ranking port.Ranking
	err     error
}

func (f *fixed) Runs(context.Context) ([]port.Run, error) {
	if f.runs == nil {
		return []port.Run{{}}, nil
	}
	return f.runs, nil
}

func (f *fixed) Check(_ context.Context, run string) (retrieval.Report, error) {
	if r, ok := f.reports[run]; ok {
		return r, f.err
	}
	return f.report, f.err
}

func (f *fixed) Ranking(context.Context, string, string) (port.Ranking, error) {
	return f.ranking, f.err
}

func of(x float64) *float64 { return &x }

func asked[T any](d *drive.Driver) (out []T) {
	for _, m := range d.Messages() {
		if v, ok := m.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// cursors counts the lines that a cursor stands in, which must never be more than one.
func cursors(d *drive.Driver) int {
	return strings.Count(d.Plain(), "› ") - strings.Count(d.Plain(), "‹")
}

func TestShowsMeasuresWithWhatTheyStandOn(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, _ := shown(t, k, k.Checker, "none", 120, 24)
	d.Sees("* R@5     0.7500  0.650–0.850  2     46%  █████████████├─┼─┤░░", "left out 4 (x): unfinished 3, no relevant chunk 1", "2 queries, worst R@5 first", "current")
	d.Sees("R@5: 46% of what it looks at is judged; the rest could make")
}

func TestUndefinedIsNotZero(t *testing.T) {
	c := &fixed{report: retrieval.Report{
		Measures: []retrieval.Mean{{Name: "R@5", N: 0, Why: "no query counts"}, {Name: "P@5", Mean: of(0), N: 1}},
		Queries:  []retrieval.QueryValues{{QueryID: "q0001", Values: map[string]*float64{"R@5": nil, "P@5": of(0)}}},
	}}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 80, 24)
	d.Sees("R@5     undefined  0  no query counts", "P@5        0.0000  1", "undefined q0001")
}

func TestWorstFirstByAnyMeasure(t *testing.T) {
	c := &fixed{report: retrieval.Report{
		Measures: []retrieval.Mean{{Name: "A", Mean: of(0.5), N: 3}, {Name: "B", Mean: of(0.5), N: 2}},
		Queries: []retrieval.QueryValues{
			{QueryID: "a", Values: map[string]*float64{"A": of(0.9), "B": nil}},
			{QueryID: "b", Values: map[string]*float64{"A": of(0.1), "B": of(0.7)}},
			{QueryID: "c", Values: map[string]*float64{"A": of(0.1), "B": of(0.2)}},
		},
	}}
	d, s := shown(t, labeled(t, fake.Plain), c, "none", 80, 24)
	order := func() (out string) {
		for _, r := range s.order.rows {
			out += r.id
		}
		return out
	}
	if order() != "bca" {
		t.Error(order())
	}
	d.Press("j", "o")
	if order() != "cba" {
		t.Error("what is undefined is not last:", order())
	}
	if at := s.places[queriesSection].cursor; at != 0 {
		t.Error("another order does not begin at its worst:", at)
	}
	d.Press("j", "r")
	if s.order.rows[s.places[queriesSection].cursor].id != "b" {
		t.Error("the cursor left its query")
	}
	// Until the new order is here, the old one says what it is.
	d.Hold()
	d.Press("o")
	d.Sees("worst B first", "measuring…", "* A")
	d.Press("o")
	d.Release()
	d.Sees("worst B first", "current", "* B")
}

// Always current: what changes while a check runs makes another one follow, and the screen says so until then.
func TestAlwaysCurrent(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	if n := k.Checker.Calls("Check"); n != 1 {
		t.Fatalf("%d checks at start", n)
	}
	d.Hold()
	d.Send(screen.Changed{})
	d.Send(screen.Changed{})
	d.Send(screen.Changed{})
	d.Sees("measuring…")
	d.SeesNot("current")
	if d.Held() != 1 {
		t.Errorf("%d checks at once", d.Held())
	}
	d.Release()
	if n := k.Checker.Calls("Check"); n != 3 || s.measuring() {
		t.Errorf("%d checks, want the first, the one that was running and one more", n)
	}
	d.Sees("current")
	d.Hold()
	if cmd := s.Shown(); cmd == nil {
		t.Error("shown again, not measured again")
	}
}

func TestFailuresAreTold(t *testing.T) {
	k := labeled(t, fake.Plain)
	c := &fixed{err: errors.New("no index")}
	d, _ := shown(t, k, c, "none", 80, 24)
	d.Sees("can't measure: no index", "labels are safe", "not current")
	c.err, c.report = nil, retrieval.Report{Measures: []retrieval.Mean{{Name: "RR", Mean: of(0.5), N: 1}}, Queries: []retrieval.QueryValues{{QueryID: "q0001", Values: map[string]*float64{"RR": of(0.5)}}}}
	d.Press("r")
	d.Sees("RR", "0.5000")
	c.err = errors.New("no index")
	d.Press("r")
	d.Sees("these figures are old: no index", "not current", "0.5000")
	d.Press("enter")
	d.Sees("can't rank: no index")
	c.err = nil
	d.Press("r")
	d.Sees("0 of 0", "not found 2")
	c.ranking.Error = "status 503"
	d.Press("r")
	d.Sees("the retriever failed on this query: status 503")

	k.Desk.Fail("Queue", errors.New("disk is gone"))
	d, _ = shown(t, k, &fixed{report: c.report}, "none", 80, 24)
	d.Sees("disk is gone", "not current")

	d, _ = shown(t, k, nil, "none", 80, 24)
	d.Sees("assay check")
	d.SeesNot("current")
	d.Press("enter", "r", "o", "n", "c", " ", "o", "esc", "tab", "w", "x", "s")
}

func TestLeftOutAndFailedAreListed(t *testing.T) {
	c := &fixed{report: retrieval.Report{
		Excluded: []retrieval.Excluded{{QueryID: "q0001", Why: retrieval.WhyUnfinished}, {QueryID: "q0002", Why: "b"}},
		Failed:   []retrieval.Failed{{QueryID: "q0003", Error: "timed out"}},
	}}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 120, 24)
	d.Sees("left out 2 (x): unfinished 1, b 1", "failed 1 (they count as 0): q0003: timed out")
	d.Press("x")
	got := asked[screen.ShowText](d)
	if len(got) != 1 || !strings.Contains(got[0].Text, "q0001  unfinished  how do i") || !strings.Contains(got[0].Text, "q0003  failed, counts as 0: timed out") {
		t.Error(got)
	}
}

// One cursor: the eye must find it, and enter must mean what it stands on.
func TestOneCursor(t *testing.T) {
	k := labeled(t, fake.Plain)
	for _, size := range sizes {
		d, s := shown(t, k, k.Checker, "none", size[0], size[1])
		d.Press(both...)
		for range sectionCount {
			d.Press("tab")
			if n := cursors(d); n > 1 {
				t.Errorf("%d cursors in %s at %v:\n%s", n, sectionNames[s.section], size, d.Plain())
			}
		}
		d.Press("c")
		if n := cursors(d); n != 1 {
			t.Errorf("%d cursors among the runs:\n%s", n, d.Plain())
		}
		d.Press("esc")
		for s.section = queriesSection; s.ranking == nil; {
			d.Press("enter")
		}
		if n := cursors(d); n != 1 {
			t.Errorf("%d cursors in a ranking:\n%s", n, d.Plain())
		}
	}
}

func TestEnterWhereThereIsNoQueryGoesToTheQueries(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 120, 36)
	d.Press("tab", "enter")
	if s.ranking != nil || s.section != queriesSection {
		t.Error("a ranking that nobody pointed at was opened")
	}
	d.Press("enter")
	if s.ranking == nil {
		t.Error("no ranking")
	}
}

// What has no room is reached by moving, in every section at every size.
func TestNothingIsOutOfReach(t *testing.T) {
	var report retrieval.Report
	for _, name := range []string{"R@1", "R@5", "R@50", "P@5", "RR", "nDCG@10", "AP", "Last@9"} {
		report.Measures = append(report.Measures, retrieval.Mean{Name: name, Mean: of(0.5), N: 2})
	}
	for _, v := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "last"} {
		report.Slices = append(report.Slices, retrieval.Slice{By: "tag", Value: v, N: 2, Measures: report.Measures})
		report.Warnings = append(report.Warnings, "warning "+v)
		report.Queries = append(report.Queries, retrieval.QueryValues{QueryID: "query-" + v, Values: map[string]*float64{"R@1": of(0.5)}})
	}
	report.Scorer = "the-end"
	for i := range 12 {
		report.Recall = append(report.Recall, retrieval.CurvePoint{K: i + 1, Mean: 0.05 * float64(i)})
	}
	for _, size := range append([][2]int{{40, 9}}, sizes...) {
		d, s := shown(t, labeled(t, fake.Plain), &fixed{report: report}, "none", size[0], size[1])
		for at, last := range [sectionCount]string{queriesSection: "query-last", measuresSection: "Last@9", recallSection: "k 12", slicesSection: "tag last", notesSection: "the-end"} {
			s.section = section(at)
			d.Press("g", "G")
			d.Sees(last)
			d.Press("g")
			seen := d.Plain()
			for range 60 {
				d.Press("pgdown")
				seen += d.Plain()
			}
			for _, want := range map[section][]string{
				queriesSection: {"query-a", "query-e", "query-h"}, slicesSection: {"tag a", "tag f", "tag i"},
				notesSection: {"warning a", "warning f", "warning last"}, measuresSection: {"R@1", "P@5", "AP"},
			}[section(at)] {
				if !strings.Contains(seen, want) {
					t.Errorf("%s is out of reach in %s at %v", want, sectionNames[at], size)
				}
			}
		}
		// The measure at hand is in view wherever there is room for one.
		s.section = queriesSection
		for _, m := range report.Measures {
			d.Sees("* " + m.Name)
			d.Press("o")
		}
		if size[0] < wideFrom {
			d.Sees("10 warnings (w)")
		} else {
			d.Sees("! warning a")
		}
	}
}

func TestSections(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 120, 36)
	var wide []string
	for range 5 {
		wide = append(wide, sectionNames[s.section])
		d.Press("tab")
	}
	if got := strings.Join(wide, " "); got != "queries recall slices notes queries" {
		t.Error(got)
	}
	d.Press("shift+tab", "shift+tab")
	if s.section != notesSection {
		t.Error(sectionNames[s.section])
	}
	d.Resize(80, 24)
	d.Press("tab", "tab")
	d.Sees("‹measures›", "R@5", "RR")
	d.Resize(120, 36)
	d.Sees("‹queries›")
	d.Press("tab")
	if s.section != recallSection {
		t.Error(sectionNames[s.section])
	}
	d.Press("w")
	d.Sees("‹notes›")
}

// A key's work does not grow with the number of queries beyond what is drawn.
func TestWorkOfAKeyDoesNotGrow(t *testing.T) {
	work := func(n int) float64 {
		report := retrieval.Report{Measures: []retrieval.Mean{{Name: "RR", Mean: of(0.5), N: n}}}
		for i := range n {
			report.Queries = append(report.Queries, retrieval.QueryValues{QueryID: string(rune('a'+i%26)) + strings.Repeat("x", 3), Values: map[string]*float64{"RR": of(0.25)}})
		}
		_, s := shown(t, labeled(t, fake.Plain), &fixed{report: report}, "none", 80, 24)
		keys := []tea.Msg{drive.Key("j"), drive.Key("pgdown"), drive.Key("k"), drive.Key("o"), drive.Key("tab"), drive.Key("shift+tab")}
		return testing.AllocsPerRun(20, func() {
			for _, k := range keys {
				s.Update(k) // the Cmds do not run
				s.View()
			}
		})
	}
	few, many := work(100), work(20_000)
	if many > few*1.1+50 {
		t.Errorf("%.0f allocations with 20,000 queries, %.0f with 100", many, few)
	}
}

func TestMouseScrolls(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if s.places[queriesSection].cursor != 1 {
		t.Error("not down")
	}
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelUp})
	if s.places[queriesSection].cursor != 0 {
		t.Error("not up")
	}
	if s.InText() || s.Pending() != 0 || s.Close() != nil {
		t.Error("this screen writes nothing")
	}
	d.Send(screen.Run{Action: "choose"}) // not where it is not offered
	d.Send(screen.Run{Action: "ranking"})
	if s.ranking == nil {
		t.Error("not by name")
	}
}
