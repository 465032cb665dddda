package check

import (
	"errors"
	"fmt"
	"testing"

	"assay/corpus/retrieval"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

// values is a report of RR over queries a, b, …
func values(run string, rr ...float64) retrieval.Report {
	r := retrieval.Report{Run: run, Labels: "l", Seed: 1, Measures: []retrieval.Mean{{Name: "RR", N: len(rr)}}}
	sum := 0.0
	for i, v := range rr {
		sum += v
		r.Queries = append(r.Queries, retrieval.QueryValues{QueryID: fmt.Sprintf("%c", 'a'+i), Values: map[string]*float64{"RR": of(v)}})
	}
	if len(rr) > 0 {
		r.Measures[0].Mean = of(sum / float64(len(rr)))
	}
	return r
}

func letterOf(s *Screen, run string) string {
	for i, m := range s.chosen {
		if m.run.Name == run {
			return letters[i : i+1]
		}
	}
	return ""
}

func TestChoosesUpToFourRuns(t *testing.T) {
	c := &fixed{report: values("x", 0.5, 1)}
	for _, name := range []string{"", "b", "c", "d", "e"} {
		c.runs = append(c.runs, port.Run{Name: name})
	}
	d, s := shown(t, labeled(t, fake.Plain), c, "none", 120, 36)
	d.Press("c")
	d.Sees("[A] built-in search", "[ ] b", "› [A]")
	d.Press(" ")
	d.Sees("one run at least is shown")
	d.Press("j", " ", "j", "j", " ", "j", " ")
	d.Sees("[B] b", "[ ] c", "[C] d", "[D] e")
	d.Press("k", "k", " ")
	d.Sees("4 runs at most are shown", "[ ] c")
	d.Press("g", " ")
	d.Sees("[ ] built-in search", "[A] b", "[B] d", "[C] e")
	if s.base().run.Name != "b" || !s.base().have || letterOf(s, "e") != "C" {
		t.Error("the first that was chosen is not what others are compared with:", s.base().run)
	}
	d.Press("j", "j", "o", "q")
	if len(s.chosen) != 1 || s.base().run.Name != "c" {
		t.Error("not this one only:", s.base().run)
	}
	d.Sees("· c", "current")
}

func TestOneRunAloneSaysHowToGetMore(t *testing.T) {
	d, _ := shown(t, labeled(t, fake.Plain), &fixed{}, "none", 80, 24)
	d.Press("c")
	d.Sees("assay import run FILE")
	c := &fixed{runs: []port.Run{}}
	d, s := shown(t, labeled(t, fake.Plain), c, "none", 80, 24)
	d.Press("c", " ", "o")
	if len(s.chosen) != 1 {
		t.Error(s.chosen)
	}
}

// Runs are told apart by letters, also where there is no colour, and held against the first by query.
func TestRunsSideBySide(t *testing.T) {
	c := &fixed{
		runs: []port.Run{{}, {Name: "up"}, {Name: "even"}},
		reports: map[string]retrieval.Report{
			"": values("s", 0.1, 0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.1), "up": values("up", 0.5, 0.6, 0.7, 0.5, 0.9, 0.8, 0.5, 0.6),
			"even": values("even", 0.2, 0, 0.3, 0, 0.4, 0.1, 0.2, 0),
		},
	}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 120, 36)
	d.Press("c", "j", " ", "j", " ", "enter")
	d.Sees("A built-in search  B up  C even", "RR      A 0.1500  8", "B 0.6375  8  +0.4875 ", "C 0.1500  8  +0.0000~",
		"against A: RR +0.4875 (+0.", "better on 8, worse on 0, same on 0", ", which may be", "0.100 0.500 0.200 a")
	d.Press("enter")
	d.Sees("a  RR 0.1000")
	d.Press("tab")
	d.Sees("a  RR 0.5000")
}

func TestRunsThatCantBeCompared(t *testing.T) {
	other := values("b", 0.5)
	other.Labels = "others"
	c := &fixed{runs: []port.Run{{}, {Name: "b"}}, reports: map[string]retrieval.Report{"": values("s", 0.1), "b": other}}
	d, _ := shown(t, labeled(t, fake.Plain), c, "none", 120, 36)
	d.Press(both...)
	d.Sees("can't be compared", "B 0.5000")
	d.SeesNot("+0.4000")

	// One without figures leaves the others theirs, and says why it has none.
	k := labeled(t, fake.Plain)
	k.Checker.Kept["bm25"] = nil
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Press(both...)
	delete(k.Checker.Kept, "bm25")
	d.Press("r")
	d.Sees("A 0.7500", `these figures are old: there is no run "bm25"`)
	s.chosen[1] = &measured{run: s.chosen[1].run, err: s.chosen[1].err, epoch: s.epoch}
	d.Resize(100, 24)
	d.Sees(`B can't measure: there is no run "bm25"`)
	if s.pairing.pairs != nil {
		t.Error("compared with figures that are not there")
	}
}

// One run is measured at a time, old figures stay until the new are here, and late ones of runs that are no longer
// shown are dropped.
func TestRunsAreMeasuredOneAfterTheOther(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 120, 36)
	d.Hold()
	d.Press("c", "j", " ", "j", " ")
	if d.Held() == 0 || k.Checker.Calls("Check") != 1 {
		t.Fatal(d.Held(), k.Checker.Calls("Check"))
	}
	d.Press("enter")
	d.Sees("measuring…", "A 0.7500", "B measuring…", "C measuring…")
	d.Press("c", "j", " ", "enter") // bm25 goes while it is measured
	if letterOf(s, "dense") != "B" {
		t.Fatal(letterOf(s, "dense"))
	}
	d.Release()
	d.Sees("current", "B dense")
	if n := k.Checker.Calls("Check"); n != 3 {
		t.Errorf("%d checks, want one for each run", n)
	}
	if s.chosen[1].report.Run != "dense" || s.measuring() {
		t.Error("the figures of another run are shown:", s.chosen[1].report.Run)
	}
	// Figures of before a change do not pass for current ones, neither does a comparison.
	d.Hold()
	d.Send(screen.Changed{})
	d.Sees("measuring…")
	d.Release()
	if s.pairing.busy || s.pairing.of != s.pairing.gen || len(s.pairing.pairs) != 1 {
		t.Errorf("%+v", s.pairing)
	}
}

func TestALateOrderIsDropped(t *testing.T) {
	report := values("x", 0.5, 0.1)
	report.Measures = append(report.Measures, retrieval.Mean{Name: "AP"})
	d, s := shown(t, labeled(t, fake.Plain), &fixed{report: report}, "none", 80, 24)
	d.Hold()
	d.Press("o", "o")
	d.Step(1)
	d.Step(0)
	if s.order.measure != "RR" || s.order.rows[0].id != "b" {
		t.Error("a late order is shown:", s.order.measure)
	}
}

func TestGauge(t *testing.T) {
	iv := func(lo, hi float64) *retrieval.Interval { return &retrieval.Interval{Lo: lo, Hi: hi} }
	for _, c := range []struct {
		mean float64
		iv   *retrieval.Interval
		want string
	}{
		{0.5, nil, "█████░░░░░"},
		{0, nil, "░░░░░░░░░░"},
		{1, nil, "██████████"},
		{0.55, iv(0.3, 0.85), "███├─┼──┤░"},
		{0.55, iv(0.5, 0.59), "█████┃░░░░"},
		{1, iv(0.8, 1), "████████├┼"},
		{0, iv(0, 0.3), "┼──┤░░░░░░"},
		{0.5, iv(0.55, 0.3), "███├─┤░░░░"},
	} {
		if got := gauge(c.mean, c.iv, 10); got != c.want && c.iv != nil && c.iv.Lo <= c.iv.Hi || len([]rune(got)) != 10 {
			t.Errorf("%v %v is %s, want %s", c.mean, c.iv, got, c.want)
		}
	}
}

func TestFiguresInWords(t *testing.T) {
	for v, want := range map[float64]string{0: "0%", 0.004: "<1%", 0.57: "57%", 0.999: "99%", 1: "100%"} {
		if got := percent(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	if number(nil) != "undefined" || number(of(225000)) != "225000" || number(of(0.25)) != "0.2500" || short(1234.5) != "1234" {
		t.Error(number(nil), number(of(225000)), short(1234.5))
	}
	if briefly(nil) != "    –" || briefly(of(0.12345)) != "0.123" || briefly(of(225)) != "  225" {
		t.Error(briefly(nil), briefly(of(0.12345)), briefly(of(225)))
	}
}

// What figures say comes first where there is little room, how they look last.
func TestColumnsGiveWayInOrder(t *testing.T) {
	rows := []figureRow{{label: "nDCG@10", have: true, delta: &retrieval.Delta{Delta: of(0.1)}, mean: retrieval.Mean{Mean: of(0.5), N: 225, Judged: of(0.5), Interval: &retrieval.Interval{Lo: 0.4, Hi: 0.6}}}}
	was := columns{interval: 1 << 10}
	for w := 160; w >= 20; w-- {
		c := fit(w, rows, true)
		used := 2 + c.label + 1 + c.letter + c.mean
		for _, n := range []int{c.interval, c.n, c.delta, c.judged, c.bar} {
			if n > 0 {
				used += n + 2
			}
		}
		if used > max(w, 18) {
			t.Fatalf("%d columns take %d", w, used)
		}
		if c.interval > was.interval {
			t.Fatalf("a narrower table shows more: %+v after %+v", c, was)
		}
		if c.bar > 0 && (c.interval == 0 || c.n == 0 || c.delta == 0) {
			t.Fatalf("at %d a bar stands where figures had room: %+v", w, c)
		}
		was = c
	}
}

func TestNotesTellWhatFiguresLeaveOut(t *testing.T) {
	r := values("x", 0.5)
	r.Measures[0].Judged, r.Measures[0].Bounds = of(0.4), &retrieval.Bounds{Irrelevant: 0.5, Relevant: 0.8}
	r.Failed = []retrieval.Failed{{QueryID: "q7", Error: "timed out"}, {QueryID: "q8", Error: "no"}}
	r.WithoutFailed = []retrieval.Mean{{Name: "RR", Mean: of(0.9), N: 1}}
	r.WithoutMissing = []retrieval.Mean{{Name: "RR", Mean: of(0.8), N: 1}}
	r.Excluded = []retrieval.Excluded{{QueryID: "a", Why: retrieval.WhyUnanswerable}, {QueryID: "b", Why: "odd"}}
	r.Unanswerable = &retrieval.Unanswerable{Queries: 5, Returned: 4, TopScore: &retrieval.Quantiles{Median: 2}, Answerable: &retrieval.Quantiles{Median: 3}, Separation: of(0.75)}
	r.Warnings = []string{"many hits were never judged"}
	r.Latency = &retrieval.Latency{N: 9, P50: 10, P95: 20, P99: 30, Max: 40}
	r.Scorer, r.Labels = "bm25", "0123456789abcdef"
	r.Diagnosis = &retrieval.Diagnosis{Findings: []retrieval.Finding{
		{Verdict: retrieval.Fail, Line: "recall is low", Advice: "look at the first stage"}, {Verdict: retrieval.Unclear, Line: "too few queries to tell"},
	}}
	d, s := shown(t, labeled(t, fake.Plain), &fixed{report: r}, "none", 160, 50)
	d.Press("w")
	d.Sees("‹notes 3!›", "✗ recall is low", "→ look at the first stage", "? too few queries to tell",
		"RR: 40% of what it looks at is judged; the rest could make it 0.500 to 0.800",
		"failed 2 (they count as 0): q7: timed out", "without those that failed: RR 0.9000, n 1", "not in the corpus: RR 0.8000, n 1",
		"left out 2 (x): unanswerable 1, odd 1", "unanswerable 5: something was returned for 4", "of answerable ones 3.000", "told apart by it 0.750",
		"! many hits were never judged", "half 10, 95% 20", "labels 0123456789ab…")
	d.Resize(80, 24)
	s.section = queriesSection
	d.Resize(80, 24)
	d.Sees("left out 2 (x) · 2 failed · 2 findings · 1 warning (w)")
}

func TestAReportWithNothingInIt(t *testing.T) {
	for _, size := range sizes {
		d, s := shown(t, labeled(t, fake.Plain), &fixed{}, "none", size[0], size[1])
		for range sectionCount {
			d.CheckFrame(size[0], size[1])
			d.Press("o", "enter", "j", "G", "tab")
		}
		s.section = queriesSection
		d.Sees("no query counts yet")
		s.section = recallSection
		d.Sees("no curve yet")
		s.section = slicesSection
		d.Sees("no slices")
	}
}

func TestAReadThatFailedIsTold(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, _ := shown(t, k, k.Checker, "none", 120, 36)
	k.Desk.Fail("Queue", errors.New("disk is gone"))
	d.Press("r", "w")
	d.Sees("not current")
}
