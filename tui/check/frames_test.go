package check

import (
	"flag"
	"fmt"
	"math/rand"
	"testing"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
)

var update = flag.Bool("update", false, "write the golden files anew")

// labeled is a kit with two finished queries, one that has no relevant chunk, the rest unfinished, and two kept runs.
// Of the first query's chunks others judged one.
func labeled(t testing.TB, f fake.Flavour) fake.Kit {
	t.Helper()
	k := fake.Sample(f, nil)
	for _, g := range []port.Grading{
		{QueryID: "q0001", ChunkID: "docs/keys.md#1", Grade: 3}, {QueryID: "q0001", ChunkID: "docs/faq.md#2", Grade: 1},
		{QueryID: "q0001", ChunkID: "docs/keys.md#2", Grade: 0}, {QueryID: "q0001", ChunkID: "blog/2023-tokens.md#1", Grade: corpus.CannotJudge},
		{QueryID: "q0002", ChunkID: "docs/faq.md#1", Grade: 2}, {QueryID: "q0003", ChunkID: "docs/faq.md#1", Grade: 0},
	} {
		if _, err := k.Desk.Grade(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{"q0001", "q0002", "q0003"} {
		if _, err := k.Desk.SetState(t.Context(), q, corpus.Done, ""); err != nil {
			t.Fatal(err)
		}
	}
	k.Checker.Kept = map[string]map[string]corpus.Ranking{
		"bm25": {
			"q0001": {{ChunkID: "docs/faq.md#3", Score: 9}, {ChunkID: "docs/keys.md#1", Score: 8.5}, {ChunkID: "docs/keys.md#3", Score: 8}, {ChunkID: "docs/keys.md#2", Score: 7}, {ChunkID: "blog/2023-tokens.md#1", Score: 6}, {ChunkID: "blog/2023-tokens.md#2", Score: 5}},
			"q0002": {{ChunkID: "docs/faq.md#1", Score: 1}},
		},
		"dense": {"q0001": {{ChunkID: "docs/keys.md#1", Score: 0.93}, {ChunkID: "docs/faq.md#2", Score: 0.91}}},
	}
	k.Checker.Others = map[string]map[string]bool{"q0001": {"docs/keys.md#3": true, "docs/keys.md#1": true}}
	return k
}

func shown(t testing.TB, k fake.Kit, c port.Checker, themeName string, w, h int) (*drive.Driver, *Screen) {
	t.Helper()
	th, err := cell.NewTheme(themeName, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Desk: k.Desk, Finder: k.Finder, Checker: c, Theme: th})
	return drive.Screen(t, s, nil, w, h), s
}

var sizes = [][2]int{{40, 10}, {60, 20}, {80, 24}, {120, 36}, {160, 50}}

// both chooses a second run, the first kept one.
var both = []string{"c", "j", " ", "enter"}

func TestGoldenFrames(t *testing.T) {
	for _, f := range []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile} {
		for _, size := range sizes {
			for _, th := range []string{"dark", "none"} {
				if th == "none" && f != fake.Plain || f != fake.Plain && size[0]%40 != 0 {
					continue
				}
				k := labeled(t, f)
				d, s := shown(t, k, k.Checker, th, size[0], size[1])
				golden := func(what string) {
					t.Helper()
					d.CheckFrame(size[0], size[1])
					drive.Golden(t, fmt.Sprintf("%s-%s-%s-%dx%d", what, f, th, size[0], size[1]), d.Frame(), *update)
				}
				golden("queries")
				d.Press(both...)
				if th == "none" {
					for s.section = queriesSection; ; {
						golden("two-" + sectionNames[s.section])
						d.Press("tab")
						if s.section == queriesSection {
							break
						}
					}
					d.Press("c")
					golden("runs")
					d.Press("esc")
				}
				d.Press("g", "enter", "n")
				golden("ranking")
			}
		}
	}
	k := fake.Sample(fake.Plain, nil)
	d, _ := shown(t, k, k.Checker, "none", 80, 24)
	drive.Golden(t, "nothing-labeled-80x24", d.Frame(), *update)
}

// hostileReport is as long and strange as a report may be.
func hostileReport(rnd *rand.Rand) retrieval.Report {
	odd := []string{"nDCG@10", "R\x1b[31m@5", "返金@5", "👩‍👩‍👧‍👦", "", "a very long name of a measure that nobody chose", "z\u0301\u0302\u0303", "RR"}
	pick := func() string { return odd[rnd.Intn(len(odd))] }
	number := func() float64 {
		return []float64{rnd.Float64(), rnd.Float64()*3 - 1, rnd.NormFloat64() * 1e9, 0, 1}[rnd.Intn(5)]
	}
	means := func(n int) (list []retrieval.Mean) {
		for i := range n {
			m := retrieval.Mean{Name: fmt.Sprint(odd[i%len(odd)], i), N: rnd.Intn(1_000_000), Why: pick()}
			if rnd.Intn(3) > 0 {
				v := number()
				m.Mean = &v
			}
			if rnd.Intn(3) > 0 {
				m.Interval = &retrieval.Interval{Lo: number(), Hi: number()}
			}
			if rnd.Intn(3) > 0 {
				v := rnd.Float64()
				m.Judged, m.Bounds = &v, &retrieval.Bounds{Irrelevant: number(), Relevant: number()}
			}
			list = append(list, m)
		}
		return list
	}
	n := rnd.Intn(20)
	r := retrieval.Report{Run: pick(), Scorer: pick(), Measures: means(n), WithoutFailed: means(n), WithoutMissing: means(rnd.Intn(3))}
	for i := range rnd.Intn(40) {
		q := retrieval.QueryValues{QueryID: fmt.Sprintf("q%04d%s", i, pick()), Values: map[string]*float64{}}
		for _, m := range r.Measures {
			if v := number(); rnd.Intn(4) > 0 {
				q.Values[m.Name] = &v
			}
		}
		r.Queries = append(r.Queries, q)
	}
	for i := range rnd.Intn(30) {
		r.Excluded = append(r.Excluded, retrieval.Excluded{QueryID: fmt.Sprint("x", i), Why: []retrieval.Why{retrieval.WhyUnfinished, retrieval.WhyNoRelevant, retrieval.WhyUnanswerable, "odd\x1b]0;x\x07", "other"}[rnd.Intn(5)]})
	}
	for range rnd.Intn(9) {
		r.Warnings = append(r.Warnings, "warned: "+pick()+" and so on for quite a while, longer than a line of eighty cells is")
	}
	for i := range rnd.Intn(4) {
		r.Failed = append(r.Failed, retrieval.Failed{QueryID: fmt.Sprint("f", i, pick()), Error: "status 500 \x1b[2J " + pick()})
	}
	k := rnd.Intn(3)
	for range rnd.Intn(30) {
		k += 1 + rnd.Intn(1+k)
		r.Recall = append(r.Recall, retrieval.CurvePoint{K: k, Mean: number()})
	}
	for i := range rnd.Intn(50) {
		r.Slices = append(r.Slices, retrieval.Slice{By: []string{"tag", "kind", pick()}[rnd.Intn(3)], Value: fmt.Sprint(pick(), i), N: i, Measures: means(n)})
	}
	if rnd.Intn(2) > 0 {
		v := rnd.Float64()
		r.Unanswerable = &retrieval.Unanswerable{Queries: rnd.Intn(3), Returned: 1, TopScore: &retrieval.Quantiles{Median: number()}, Answerable: &retrieval.Quantiles{Median: number()}, Separation: &v}
		r.Latency = &retrieval.Latency{N: 3, P50: number(), P95: number(), P99: number(), Max: number()}
		r.Diagnosis = &retrieval.Diagnosis{Findings: []retrieval.Finding{{Rule: "noise", Verdict: retrieval.Fail, Line: "low precision " + pick(), Advice: pick()}, {Verdict: retrieval.Unclear, Line: pick()}}}
	}
	return r
}

func TestFramesAlwaysFit(t *testing.T) {
	keys := []string{"j", "k", "g", "G", "pgdown", "pgup", "o", "enter", "esc", "n", "r", "w", "x", "tab", "tab", "shift+tab", "c", " ", "s"}
	for seed := range int64(80) {
		rnd := rand.New(rand.NewSource(seed))
		k := labeled(t, []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile}[seed%4])
		c := &fixed{report: hostileReport(rnd), reports: map[string]retrieval.Report{}}
		for _, name := range []string{"", "a\x1b[2Jb", "長い名前の👩‍👩‍👧‍👦 run", "c", "d", "e"}[:1+rnd.Intn(6)] {
			c.runs = append(c.runs, port.Run{Name: name, Words: "odd \u202e words"})
			c.reports[name] = hostileReport(rnd)
		}
		for i := range rnd.Intn(50) {
			c.ranking.Hits = append(c.ranking.Hits, corpus.Hit{ChunkID: fmt.Sprint([]string{"docs/keys.md#1", "長い識別子👩‍👩‍👧‍👦長い識別子", "a\x1b[2Jb", "x"}[rnd.Intn(4)], i), Score: rnd.NormFloat64() * 1e6})
		}
		if rnd.Intn(4) == 0 {
			c.ranking.Error = "no \x1b]0;x\x07 answer"
		}
		size := func() (int, int) {
			if rnd.Intn(3) == 0 {
				s := sizes[rnd.Intn(len(sizes))]
				return s[0], s[1] - 1
			}
			return 40 + rnd.Intn(211), 9 + rnd.Intn(61)
		}
		w, h := size()
		d, _ := shown(t, k, c, []string{"dark", "none", "light"}[seed%3], w, h)
		for range 60 {
			if rnd.Intn(8) == 0 {
				w, h = size()
				d.Resize(w, h)
			}
			key := keys[rnd.Intn(len(keys))]
			d.Press(key)
			if err := drive.CheckFrame(d.Frame(), w, h); err != nil {
				t.Fatalf("seed %d at %d×%d after %s: %v", seed, w, h, key, err)
			}
		}
	}
}
