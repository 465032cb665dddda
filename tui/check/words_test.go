package check

import (
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/fake"
	"assay/tui/port"
)

func TestDifferencesInWords(t *testing.T) {
	iv := func(lo, hi float64) *retrieval.Interval { return &retrieval.Interval{Lo: lo, Hi: hi} }
	for _, c := range []struct {
		delta         retrieval.Delta
		column, words string
	}{
		{retrieval.Delta{Name: "RR", Delta: of(0.05), Interval: iv(0.01, 0.09), Holm: of(0.0004), Wins: 3, Losses: 1, Ties: 2},
			"+0.0500 ", "against A: RR +0.0500 (+0.010 to +0.090), adjusted p below 0.001; better on 3, worse on 1, same on 2"},
		{retrieval.Delta{Name: "RR", Delta: of(-0.05), Interval: iv(-0.1, 0), Holm: of(0.04)},
			"-0.0500~", "against A: RR -0.0500 (-0.100 to +0.000), which may be none, adjusted p 0.040; better on 0, worse on 0, same on 0"},
		{retrieval.Delta{Name: "RR", Delta: of(0), Note: "too few"},
			"+0.0000 ", "against A: RR +0.0000; better on 0, worse on 0, same on 0; too few"},
	} {
		if got := change(c.delta); got != c.column {
			t.Errorf("in a column %q, want %q", got, c.column)
		}
		if got := against(c.delta); got != c.words {
			t.Errorf("in words\n%s\nwant\n%s", got, c.words)
		}
	}
}

func TestDoubtsInWords(t *testing.T) {
	for _, c := range []struct {
		mean retrieval.Mean
		want string
	}{
		{retrieval.Mean{Name: "R@5"}, ""},
		{retrieval.Mean{Name: "R@5", Mean: of(0.5)}, ""},
		{retrieval.Mean{Name: "R@5", Judged: of(0.5)}, ""},
		{retrieval.Mean{Name: "R@5", Mean: of(0.5), Judged: of(1)}, "R@5: 100% of what it looks at is judged"},
		// Recall can fall when more is judged: the lesser bound comes first, whichever it is.
		{retrieval.Mean{Name: "R@5", Mean: of(0.5), Judged: of(0.25), Bounds: &retrieval.Bounds{Irrelevant: 0.6, Relevant: 0.4}},
			"R@5: 25% of what it looks at is judged; the rest could make it 0.400 to 0.600"},
	} {
		if got := doubt(c.mean); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestUnanswerableInWords(t *testing.T) {
	for _, c := range []struct {
		u    retrieval.Unanswerable
		want string
	}{
		{retrieval.Unanswerable{Queries: 2}, "unanswerable 2: something was returned for 0"},
		{retrieval.Unanswerable{Queries: 2, Returned: 1, TopScore: &retrieval.Quantiles{Median: 3}}, "unanswerable 2: something was returned for 1"},
		{retrieval.Unanswerable{Queries: 2, Returned: 2, TopScore: &retrieval.Quantiles{Median: 3}, Answerable: &retrieval.Quantiles{Median: 7.25}, Separation: of(0.9)},
			"unanswerable 2: something was returned for 2; best score in the middle 3.000, of answerable ones 7.250; told apart by it 0.900 (0.5 is by chance)"},
	} {
		if got := unanswerable(c.u); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestReasonsAreCountedInOrder(t *testing.T) {
	var list []retrieval.Excluded
	for _, why := range []retrieval.Why{"z", retrieval.WhyNoRelevant, "a", retrieval.WhyUnfinished, retrieval.WhyUnanswerable, retrieval.WhyUnfinished} {
		list = append(list, retrieval.Excluded{Why: why})
	}
	if got := strings.Join(reasons(list), ", "); got != "unfinished 2, unanswerable 1, no relevant chunk 1, a 1, z 1" {
		t.Error(got)
	}
	if got := reasons(nil); len(got) != 0 {
		t.Error(got)
	}
}

func TestIdentity(t *testing.T) {
	if got := identity(retrieval.Report{Run: "mine"}); got != "run mine" {
		t.Error(got)
	}
	full := retrieval.Report{Run: "mine", Scorer: "bm25", Labels: strings.Repeat("a", 64), Corpus: "short", Scale: "0-3"}
	if got := identity(full); got != "run mine · bm25 · labels aaaaaaaaaaaa… · corpus short · scale 0-3" {
		t.Error(got)
	}
}

// The line above a narrow screen's sections says first what makes figures wrong, and where to read on.
func TestSummary(t *testing.T) {
	for want, r := range map[string]retrieval.Report{
		"": {},
		" left out 1 (x)": {
			Excluded: []retrieval.Excluded{{QueryID: "a"}},
		},
		" 1 warning (w)": {Warnings: []string{"one"}},
		" left out 2 (x) · 1 failed · 1 finding · 2 warnings (w)": {
			Excluded: []retrieval.Excluded{{QueryID: "a"}, {QueryID: "b"}}, Failed: []retrieval.Failed{{QueryID: "c"}},
			Diagnosis: &retrieval.Diagnosis{Findings: []retrieval.Finding{{}}}, Warnings: []string{"one", "two"},
		},
	} {
		s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk})
		s.base().report = r
		if got, ok := s.summary(80); got != want || ok != (want != "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatNeedsAttention(t *testing.T) {
	s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk})
	if s.attention() != 0 {
		t.Error("nothing needs attention, yet", s.attention())
	}
	s.base().report = retrieval.Report{
		Warnings: []string{"a", "b"}, Failed: []retrieval.Failed{{}, {}, {}},
		Diagnosis: &retrieval.Diagnosis{Findings: []retrieval.Finding{{Verdict: retrieval.Fail}, {Verdict: retrieval.Unclear}}},
	}
	if n := s.attention(); n != 4 { // two warnings, that there are failures, one finding that fired
		t.Error(n)
	}
}

// Words of any length and make are bounded and whole runes.
func TestFirstWords(t *testing.T) {
	for _, c := range [][2]string{{"", ""}, {" a\r\nb\tc\n", "a b c"}, {"\n\n", ""}} {
		if got := firstWords(c[0]); got != c[1] {
			t.Errorf("%q gives %q", c[0], got)
		}
	}
	for _, text := range []string{strings.Repeat("é", 1000), strings.Repeat("👩‍👩‍👧‍👦", 100), strings.Repeat("\xff", 1000)} {
		if got := firstWords(text); len(got) > 300 || strings.HasPrefix(text, "é") && !utf8.ValidString(got) {
			t.Errorf("%d bytes of %q…", len(got), text[:8])
		}
		if got := clip(strings.Repeat(text, 100)); len(got) > 5<<10 {
			t.Errorf("%d bytes", len(got))
		}
	}
}

// Megabytes in a query, an id, a warning or an error are drawn as fast as a line, and stay within the frame.
func TestHugeTexts(t *testing.T) {
	huge := strings.Repeat("huge 返金 ", 200_000)
	r := retrieval.Report{
		Measures: []retrieval.Mean{{Name: "RR", Mean: of(0.5), N: 1}}, Warnings: []string{huge}, Scorer: huge,
		Failed: []retrieval.Failed{{QueryID: huge, Error: huge}}, Queries: []retrieval.QueryValues{{QueryID: huge, Values: map[string]*float64{"RR": of(0.5)}}},
		Slices: []retrieval.Slice{{By: "source", Value: huge, Measures: []retrieval.Mean{{Name: "RR", Mean: of(0.5)}}}},
	}
	c := &fixed{report: r, runs: []port.Run{{}, {Name: huge, Words: huge}}, ranking: port.Ranking{Error: huge, Hits: corpus.Ranking{{ChunkID: huge}}}}
	for _, size := range sizes {
		d, _ := shown(t, labeled(t, fake.Plain), c, "none", size[0], size[1])
		for _, key := range []string{"tab", "tab", "tab", "tab", "tab", "c", "j", " ", "enter", "tab", "tab", "tab", "tab", "tab", "enter", "enter", "s", "n"} {
			d.Press(key)
			d.CheckFrame(size[0], size[1])
		}
	}
}

// What is known of chunks does not grow without end.
func TestWordsStartOver(t *testing.T) {
	var w words
	w.got(wordsMsg{map[string]string{"a": "x"}})
	for i := range mostWords + 1 {
		w.known[strings.Repeat("k", i%50)+string(rune(i))] = ""
	}
	w.busy = true
	w.got(wordsMsg{map[string]string{"b": "y"}})
	if len(w.known) != 1 || w.known["b"] != "y" || w.busy {
		t.Errorf("%d words, busy %v", len(w.known), w.busy)
	}
}

func TestRowsOfARanking(t *testing.T) {
	s := New(Options{Desk: fake.Sample(fake.Plain, nil).Desk, Finder: fake.NewFinder()})
	s.ranking = &ranking{loaded: true, rows: []ranked{{rank: 1, chunkID: "a"}}}
	s.words.known = map[string]string{"a": "what it says"}
	for _, c := range []struct {
		row  ranked
		want string
	}{
		{ranked{rank: 1, chunkID: "a", score: 2.5}, "     1 [·] a"},
		{ranked{rank: 1, chunkID: "a", score: 2.5}, "what it says"},
		{ranked{rank: 12345, chunkID: "a"}, "12345"},
		{ranked{chunkID: "a", judged: true, grade: 2}, "   – [2] a"},
		{ranked{chunkID: "a"}, "not found"},
		{ranked{rank: 1, chunkID: "unknown"}, cell.More},
		{ranked{rank: 1, chunkID: "a", score: -1.5e9}, "-1.5e+09"},
		{ranked{rank: 1, chunkID: "a", score: 0.00004}, "0.0000"},
	} {
		line := s.rankedLine(c.row, 80, 8, false)
		if !strings.Contains(line, c.want) || cell.Width(line) > 80 {
			t.Errorf("%+v is drawn %q, without %q", c.row, line, c.want)
		}
		if at := s.rankedLine(c.row, 80, 8, true); !strings.HasPrefix(at, "› ") {
			t.Errorf("the cursor is not in %q", at)
		}
	}
}

// Where a ranking says nothing yet, it says why.
func TestARankingUnderWay(t *testing.T) {
	k := labeled(t, fake.Plain)
	d, s := shown(t, k, k.Checker, "none", 80, 24)
	d.Hold()
	d.Press("enter")
	d.Sees("built-in search · searching…")
	d.Press("s", "n", "j", "enter") // nothing to act on
	d.Release()
	if len(s.ranking.rows) == 0 || s.ranking.cursor != 0 {
		t.Error(s.ranking.cursor)
	}
}
