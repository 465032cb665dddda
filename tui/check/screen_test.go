package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

func (f *fixed) Runs(context.Context) ([]port.Run, error) { return []port.Run{{}}, f.err }
func (f *fixed) Check(context.Context, string) (retrieval.Report, error) {
	return f.report, f.err
}
func (f *fixed) Ranking(context.Context, string, string) (port.Ranking, error) {
	return port.Ranking{Hits: f.ranking}, f.err
}

func asked[T any](d *drive.Driver) (out []T) {
	for _, m := range d.Messages() {
		if v, ok := m.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

func TestShowsMeasuresWithWhatTheyStandOn(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, _ := shown(t, k, k.Checker, "none", 100, 24)
	d.Sees("› R@5", "n 2", "left out 4: unfinished 3, no relevant chunk 1", "2 queries, worst R@5 first", "current")
}

func TestUndefinedIsNotZero(t *testing.T) {
	v := 0.0
	c := &fixed{report: retrieval.Report{
		Measures: []retrieval.Mean{{Name: "R@5", N: 0}, {Name: "P@5", Mean: &v, N: 1}},
		Queries:  []retrieval.QueryValues{{QueryID: "q0001", Values: map[string]*float64{"R@5": nil, "P@5": &v}}},
	}}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 80, 24)
	d.Sees("R@5  undefined  n 0", "P@5     0.0000  n 1", "undefined q0001")
}

func TestWorstFirstByAnyMeasure(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	c := &fixed{report: retrieval.Report{
		Measures: []retrieval.Mean{{Name: "A", Mean: f(0.5), N: 3}, {Name: "B", Mean: f(0.5), N: 2}},
		Queries: []retrieval.QueryValues{
			{QueryID: "a", Values: map[string]*float64{"A": f(0.9), "B": nil}},
			{QueryID: "b", Values: map[string]*float64{"A": f(0.1), "B": f(0.7)}},
			{QueryID: "c", Values: map[string]*float64{"A": f(0.1), "B": f(0.2)}},
		},
	}}
	d, s := shown(t, labeled(t, fake.Plain), c, "none", 80, 24)
	order := func() (out string) {
		for _, r := range s.rows {
			out += r.id
		}
		return out
	}
	if order() != "bca" {
		t.Error(order())
	}
	d.Press("o")
	if order() != "cba" {
		t.Error("what is undefined is not last:", order())
	}
	d.Press("j", "r")
	if s.rows[s.cursor].id != "b" {
		t.Error("the cursor left its query")
	}
}

func TestARankingWithGradesAndGaps(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 100, 24)
	s.cursor = 0
	for s.rows[s.cursor].id != "q0001" {
		s.cursor++
	}
	d.Press("enter")
	d.Sees("how do i rotate the signing key", "q0001", "[3]", "[0]", "[~]", "[·]", "unjudged")
	if s.ranking.rows[0].chunkID != "docs/keys.md#1" || s.ranking.rows[0].rank != 1 {
		t.Error(s.ranking.rows[0])
	}
	d.Press("n")
	if s.ranking.rows[s.ranking.cursor].judged {
		t.Error("n went to a judged chunk")
	}
	want := s.ranking.rows[s.ranking.cursor].chunkID
	d.Press("enter")
	if got := asked[screen.OpenQuery](d); len(got) != 1 || got[0] != (screen.OpenQuery{QueryID: "q0001", ChunkID: want}) {
		t.Error(got)
	}
	// A grade given meanwhile shows when the screen does.
	if _, err := k.Desk.Grade(t.Context(), port.Grading{QueryID: "q0001", ChunkID: want, Grade: 2}); err != nil {
		t.Fatal(err)
	}
	d.Send(screen.Changed{})
	if r := s.ranking.rows[s.ranking.cursor]; r.chunkID != want || !r.judged || r.grade != 2 {
		t.Error("the grade is not shown, or the cursor moved:", r)
	}
	for range 20 {
		d.Press("n")
	}
	d.Sees("no unjudged chunk below")
	d.Press("esc", "enter", "q")
	if s.ranking != nil {
		t.Error("q doesn't go back to the measures")
	}
}

func TestRelevantChunksThatWereNotFound(t *testing.T) {
	sheet := port.Sheet{Labels: map[string]corpus.Label{"b": {Grade: 1}, "c": {Grade: 3}, "d": {Grade: 0}, "a": {Grade: 3}, "x": {Grade: corpus.CannotJudge}}}
	rows := beside(corpus.Ranking{{ChunkID: "b", Score: 2}, {ChunkID: "z", Score: 1}}, sheet, corpus.DefaultScale())
	var got []string
	for _, r := range rows {
		got = append(got, r.chunkID)
	}
	if strings.Join(got, " ") != "b z a c" || rows[2].rank != 0 || rows[1].judged {
		t.Error(rows)
	}
}

// Always current: what changes while a check runs makes another one follow, and the screen says so until then.
func TestAlwaysCurrent(t *testing.T) {
	k := labeled(t, fake.Plain)
	runs := 0
	k.Checker.SetHook(func(_ context.Context, method string) error {
		if method == "Check" {
			runs++
		}
		return nil
	})
	d, s := shown(t, k, k.Checker, "none", 80, 24)
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
	if runs != 3 || s.running {
		t.Errorf("%d checks, want the first, the one that was running and one more", runs)
	}
	d.Sees("current")
	d.Hold()
	if cmd := s.Shown(); cmd == nil {
		t.Error("shown again, not measured again")
	}
}

func TestALateRankingIsNotShown(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Hold()
	d.Press("enter", "esc", "j", "enter")
	d.Step(1)
	d.Step(0)
	d.Release()
	if s.ranking.id != s.rows[1].id || s.ranking.text != s.texts[s.rows[1].id] {
		t.Error(s.ranking.id, s.ranking.text)
	}
	d.Hold()
	d.Press("r", "esc")
	d.Release()
	if s.ranking != nil {
		t.Error("a ranking came back by itself")
	}
}

func TestFailuresAreTold(t *testing.T) {
	k := labeled(t, fake.Plain)
	c := &fixed{err: errors.New("no index")}
	d, _ := shown(t, k, c, "none", 80, 24)
	d.Sees("can't measure: no index", "labels are safe")
	v := 0.5
	c.err, c.report = nil, retrieval.Report{Measures: []retrieval.Mean{{Name: "RR", Mean: &v, N: 1}}, Queries: []retrieval.QueryValues{{QueryID: "q0001", Values: map[string]*float64{"RR": &v}}}}
	d.Press("r")
	d.Sees("RR", "0.5000")
	c.err = errors.New("no index")
	d.Press("r")
	d.Sees("these figures are old: no index", "not current", "0.5000")
	d.Press("enter")
	d.Sees("can't rank: no index")
	c.err, c.ranking = nil, nil
	d.Press("r")
	d.Sees("0 found", "2 relevant not found")

	d, _ = shown(t, k, nil, "none", 80, 24)
	d.Sees("assay check")
	d.Press("enter", "r", "o", "n")
}

func TestWarningsAndWhatIsLeftOut(t *testing.T) {
	c := &fixed{report: retrieval.Report{
		Warnings: []string{"one", "two", "three", "four", "five"},
		Excluded: []retrieval.Excluded{{QueryID: "q0001", Why: retrieval.WhyUnfinished}, {QueryID: "q0002", Why: "b"}, {QueryID: "q0003", Why: "a"}},
	}}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 120, 24)
	d.Sees("! one", "! two", "! 3 more warnings (w)", "left out 3: unfinished 1, a 1, b 1")
	d.Press("w", "x")
	got := asked[screen.ShowText](d)
	if len(got) != 2 || !strings.Contains(got[0].Text, "five") || !strings.Contains(got[1].Text, "q0001  unfinished  how do i") {
		t.Error(got)
	}
}

func TestMouseScrolls(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelUp})
	if s.cursor != 0 {
		t.Error(s.cursor)
	}
	if s.InText() || s.Pending() != 0 || s.Close() != nil {
		t.Error("this screen writes nothing")
	}
	d.Send(screen.Run{Action: "ranking"})
	if s.ranking == nil {
		t.Error("not by name")
	}
}
