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

// labeled is a kit with two finished queries, one that has no relevant chunk, and the rest unfinished.
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
	return k
}

func shown(t testing.TB, k fake.Kit, c port.Checker, themeName string, w, h int) (*drive.Driver, *Screen) {
	t.Helper()
	th, err := cell.NewTheme(themeName, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Desk: k.Desk, Checker: c, Theme: th})
	return drive.Screen(t, s, nil, w, h), s
}

func TestGoldenFrames(t *testing.T) {
	for _, f := range []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile} {
		for _, size := range [][2]int{{40, 10}, {80, 24}, {160, 50}} {
			for _, th := range []string{"dark", "none"} {
				if th == "none" && f != fake.Plain {
					continue
				}
				k := labeled(t, f)
				d, _ := shown(t, k, k.Checker, th, size[0], size[1])
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, fmt.Sprintf("%s-%s-%dx%d", f, th, size[0], size[1]), d.Frame(), *update)
				d.Press("g", "enter", "n")
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, fmt.Sprintf("ranking-%s-%s-%dx%d", f, th, size[0], size[1]), d.Frame(), *update)
			}
		}
	}
	k := fake.Sample(fake.Plain, nil)
	d, _ := shown(t, k, k.Checker, "none", 80, 24)
	drive.Golden(t, "nothing-labeled-80x24", d.Frame(), *update)
}

// fixed answers with one report.
type fixed struct {
	report  retrieval.Report
	ranking corpus.Ranking
	err     error
}

// hostileReport is as long and strange as a report may be.
func hostileReport(rnd *rand.Rand) retrieval.Report {
	odd := []string{"nDCG@10", "R\x1b[31m@5", "返金@5", "👩‍👩‍👧‍👦", "", "a very long name of a measure that nobody chose", "z\u0301\u0302\u0303"}
	r := retrieval.Report{Run: odd[rnd.Intn(len(odd))], Scorer: odd[rnd.Intn(len(odd))]}
	for i := range rnd.Intn(20) {
		v := rnd.Float64()*3 - 1
		m := retrieval.Mean{Name: fmt.Sprint(odd[rnd.Intn(len(odd))], i), N: rnd.Intn(1_000_000)}
		if rnd.Intn(3) > 0 {
			m.Mean = &v
		}
		r.Measures = append(r.Measures, m)
	}
	for i := range rnd.Intn(40) {
		q := retrieval.QueryValues{QueryID: fmt.Sprintf("q%04d%s", i, odd[rnd.Intn(len(odd))]), Values: map[string]*float64{}}
		for _, m := range r.Measures {
			if v := rnd.Float64(); rnd.Intn(4) > 0 {
				q.Values[m.Name] = &v
			}
		}
		r.Queries = append(r.Queries, q)
	}
	for i := range rnd.Intn(30) {
		r.Excluded = append(r.Excluded, retrieval.Excluded{QueryID: fmt.Sprint("x", i), Why: []retrieval.Why{retrieval.WhyUnfinished, retrieval.WhyNoRelevant, retrieval.WhyUnanswerable, "odd\x1b]0;x\x07", "other"}[rnd.Intn(5)]})
	}
	for range rnd.Intn(9) {
		r.Warnings = append(r.Warnings, "warned: "+odd[rnd.Intn(len(odd))]+" and so on for quite a while, longer than a line of eighty cells is")
	}
	return r
}

func TestFramesAlwaysFit(t *testing.T) {
	keys := []string{"j", "k", "g", "G", "pgdown", "pgup", "o", "enter", "esc", "n", "r", "w", "x"}
	for seed := range int64(60) {
		rnd := rand.New(rand.NewSource(seed))
		k := labeled(t, []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile}[seed%4])
		c := &fixed{report: hostileReport(rnd)}
		for i := range rnd.Intn(50) {
			c.ranking = append(c.ranking, corpus.Hit{ChunkID: fmt.Sprint([]string{"docs/keys.md#1", "長い識別子👩‍👩‍👧‍👦長い識別子", "a\x1b[2Jb", "x"}[rnd.Intn(4)], i), Score: rnd.NormFloat64() * 1e6})
		}
		w, h := 40+rnd.Intn(211), 10+rnd.Intn(61)
		d, _ := shown(t, k, c, []string{"dark", "none", "light"}[seed%3], w, h)
		for range 40 {
			if rnd.Intn(8) == 0 {
				w, h = 40+rnd.Intn(211), 10+rnd.Intn(61)
				d.Resize(w, h)
			}
			d.Press(keys[rnd.Intn(len(keys))])
			if err := drive.CheckFrame(d.Frame(), w, h); err != nil {
				t.Fatalf("seed %d at %d×%d: %v", seed, w, h, err)
			}
		}
	}
}
