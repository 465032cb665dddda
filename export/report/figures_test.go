package report

import (
	"math"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"assay/corpus/retrieval"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Figure("R@5", nil), "–"},
		{Figure("R@5", ptr(math.NaN())), "–"},
		{Figure("R@5", ptr(math.Inf(-1))), "–"},
		{Figure("R@5", ptr(0.12345)), "0.1235"},
		{Figure("R@5", ptr(1.0)), "1.0000"},
		{Figure("NumRet", ptr(22500.0)), "22500"},
		{interval("R@5", nil), "–"},
		{interval("R@5", &retrieval.Interval{Lo: 0.1, Hi: 0.25}), "0.1000–0.2500"},
		{bounds("R@5", nil), "–"},
		{bounds("R@5", &retrieval.Bounds{Irrelevant: 0, Relevant: 1}), "0.0000–1.0000"},
		{share(nil), "–"},
		{share(ptr(0.0)), "0%"},
		{share(ptr(0.001)), "<1%"},
		{share(ptr(0.5)), "50%"},
		{share(ptr(0.996)), ">99%"},
		{share(ptr(1.0)), "100%"},
		{Chance(nil), "–"},
		{Chance(ptr(0.00001)), "<0.0001"},
		{Chance(ptr(0.0499)), "0.0499"},
		{change(nil), "–"},
		{change(ptr(0.1)), "+0.1000"},
		{change(ptr(-0.1)), "-0.1000"},
		{changes(&retrieval.Interval{Lo: -0.1, Hi: 0.1}), "-0.1000 to +0.1000"},
		{Millis(1.234), "1.23 ms"},
		{Millis(12.34), "12.3 ms"},
		{Millis(0), "0.00 ms"},
		{Millis(0.004), "<0.01 ms"},
		{Millis(9.996), "10.0 ms"},
		{Millis(999.4), "999 ms"},
		{Millis(999.6), "1.00 s"},
		{Millis(1234.5), "1.23 s"},
		{Millis(30000), "30.0 s"},
		{Millis(1234567), "1235 s"},
		{queries(1), "1 query"},
		{queries(0), "0 queries"},
		{measureLine(retrieval.Mean{Name: "R@5", Why: "no query counts"}), "R@5 –, n = 0 (no query counts)"},
		{sliceName(retrieval.Slice{By: "language"}), "language (none)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestTally(t *testing.T) {
	verdicts := map[rune]retrieval.Verdict{'p': retrieval.Pass, 'f': retrieval.Fail, 'u': retrieval.Unclear, '?': "odd"}
	for s, want := range map[string]string{
		"p": "pass: the gate passed", "pp": "pass: all 2 gates passed", "f": "fail: 1 of 1 gate failed", "pf": "fail: 1 of 2 gates failed", "pfu": "fail: 1 of 3 gates failed, 1 unclear",
		"pu": "unclear: no gate failed, 1 of 2 unclear", "p?": "unclear: no gate failed, 1 of 2 unclear",
	} {
		var gates []retrieval.GateResult
		for _, r := range s {
			gates = append(gates, retrieval.GateResult{Verdict: verdicts[r]})
		}
		got := tallied(gates)
		if got := string(got.overall()) + ": " + got.String(); got != want {
			t.Errorf("%s is %q, want %q", s, got, want)
		}
	}
}

func TestVerdictsHaveWords(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range []retrieval.Verdict{retrieval.Pass, retrieval.Fail, retrieval.Unclear} {
		got := verdictOf(v)
		if got.Word != string(v) || got.Class != string(v) || seen[got.Mark] || seen[got.Emoji] {
			t.Errorf("%s is %+v", v, got)
		}
		seen[got.Mark], seen[got.Emoji] = true, true
	}
	for v, word := range map[retrieval.Verdict]string{"a\x1bb": "a␛b", "": "unclear"} {
		if got := verdictOf(v); got.Word != word || got.Class != "unclear" {
			t.Errorf("%q is %+v", v, got)
		}
	}
}

func TestLeftOut(t *testing.T) {
	r := retrieval.Report{Excluded: []retrieval.Excluded{{QueryID: "a", Why: "new\nwhy"}, {QueryID: "b", Why: retrieval.WhyNoRelevant}, {QueryID: "c", Why: retrieval.WhyUnanswerable}, {QueryID: "d", Why: retrieval.WhyUnfinished}, {QueryID: "e", Why: retrieval.WhyUnanswerable}}}
	want := "2 queries unanswerable; 1 query unfinished; 1 query finished without a relevant chunk; 1 query new␤why"
	if got := strings.Join(leftOut(r), "; "); got != want {
		t.Errorf("left out are %s, want %s", got, want)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"", 3, ""}, {"漢字漢字", 2, "漢…"}} {
		if got := clip(c.s, c.n); got != c.want {
			t.Errorf("clip(%q, %d) is %q, want %q", c.s, c.n, got, c.want)
		}
	}
	if got := shown(strings.Repeat("\x1b", 1<<20), 10); got != strings.Repeat("␛", 9)+"…" {
		t.Errorf("a megabyte of escapes is %q", got)
	}
	short := func(s string, n uint8) bool {
		got := shown(s, int(n)+1)
		return utf8.ValidString(got) && utf8.RuneCountInString(got) <= int(n)+1
	}
	if err := quick.Check(short, nil); err != nil {
		t.Error(err)
	}
}

func TestMeasureNames(t *testing.T) {
	measures := []retrieval.Mean{{Name: "RR"}, {Name: "R@5"}, {Name: "AP"}}
	values := map[string]*float64{"zzz": nil, "R@5": nil, "RR": nil, "abc": nil}
	if got := strings.Join(measureNames(measures, values), " "); got != "RR R@5 abc zzz" {
		t.Errorf("names are %s", got)
	}
}

func TestThinned(t *testing.T) {
	var all []retrieval.CurvePoint
	for k := 3; k <= 120; k++ {
		all = append(all, retrieval.CurvePoint{K: k})
	}
	var got []int
	for _, p := range thinned(all, 12) {
		got = append(got, p.K)
	}
	want := []int{3, 5, 10, 20, 50, 100, 120}
	if len(got) != len(want) {
		t.Fatalf("kept %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("kept %v, want %v", got, want)
			break
		}
	}
	if n := len(thinned(all[:12], 12)); n != 12 {
		t.Errorf("of 12 points %d are kept", n)
	}
	if list := strided(all, 20); len(list) > 40 || list[0].K != 3 || list[len(list)-1].K != 120 {
		t.Errorf("strided keeps %v", list)
	}
}
