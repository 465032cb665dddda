package retrieval

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/stats"
)

func TestParseGate(t *testing.T) {
	type gate struct {
		measure, op string
		bound       float64
		by          Facet
		value       string
		slice       string
	}
	for text, want := range map[string]gate{
		"R@5>=0.8":                    {"R@5", ">=", 0.8, "", "", ""},
		"  ndcg@10 >= .6 ":            {"nDCG@10", ">=", 0.6, "", "", ""},
		"MRR>0":                       {"RR", ">", 0, "", "", ""},
		"RR<1":                        {"RR", "<", 1, "", "", ""},
		"P(rel=2)@5<=1e-1":            {"P(rel=2)@5", "<=", 0.1, "", "", ""},
		"RBP(p=0.5, rel=3)>=0.25@a b": {"RBP(p=0.5,rel=3)", ">=", 0.25, ByTag, "a b", "tag a b"},
		"R@5>=0.8@identifier":         {"R@5", ">=", 0.8, ByTag, "identifier", "tag identifier"},
		"R@5>=0.8 @ identifier ":      {"R@5", ">=", 0.8, ByTag, "identifier", "tag identifier"},
		"R@5>=0.8@kind:mined":         {"R@5", ">=", 0.8, ByKind, "mined", "kind mined"},
		"R@5>=0.8@kind: mined":        {"R@5", ">=", 0.8, ByKind, "mined", "kind mined"},
		"R@5>=0.8@frequency:2-9":      {"R@5", ">=", 0.8, ByFrequency, "2-9", "frequency 2-9"},
		"R@5>=0.8@tag:kind:mined":     {"R@5", ">=", 0.8, ByTag, "kind:mined", "tag kind:mined"},
		"R@5>=0.8@area:billing":       {"R@5", ">=", 0.8, ByTag, "area:billing", "tag area:billing"},
		"R@5>=0.8@a@b>c":              {"R@5", ">=", 0.8, ByTag, "a@b>c", "tag a@b>c"},
		"R@5>=-0":                     {"R@5", ">=", 0, "", "", ""},
		"NumQ>=50":                    {"NumQ", ">=", 50, "", "", ""},
		"Sets@5>=0.5":                 {"Sets@5", ">=", 0.5, "", "", ""},
	} {
		g, err := ParseGate(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := (gate{g.Measure.String(), g.Op, g.Bound, g.By, g.Value, g.Slice()}); got != want || g.Text != text {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
}

func TestParseGateRefuses(t *testing.T) {
	for text, words := range map[string]string{
		"":                     `has no >=`,
		"R@5":                  `has no >=`,
		"R@5==0.8":             `has no >=`,
		"R@5=0.8":              `has no >=`,
		">=0.8":                "no measure named",
		"R>=0.8":               "needs a cut-off",
		"recall@5>=0.8":        "R@5 is the share",
		"R@5=>0.8":             "whole number from 1",
		"R@5,P@5>=0.8":         "names 2 measures; give each its own",
		"R@5 P@5>=0.8":         "names 2 measures",
		"R@5>=":                `"" is not a number`,
		"R@5>=high":            `"high" is not a number`,
		"R@5>=0,8":             `"0,8" is not a number`,
		"R@5>=80%":             `"80%" is not a number`,
		"R@5>==0.8":            `"=0.8" is not a number`,
		"R@5>=>0.8":            "is not a number",
		"R@5>=NaN":             `"NaN" is not a number`,
		"R@5>=nan@identifier":  "is not a number",
		"R@5<=inf":             "is not a number",
		"R@5>=-Inf":            "is not a number",
		"R@5>=1e999":           "is not a number",
		"R@5>=80":              "R@5 lies between 0 and 1",
		"R@5>=-0.1":            "lies between 0 and 1",
		"RR<=1.5":              "lies between 0 and 1",
		"R@5>=0.8@":            "names no tag",
		"R@5>=0.8@  ":          "names no tag",
		"R@5>=0.8@kind:":       "names no tag",
		"R@5\x1b[31m>=0.8":     "whole number from 1",
		"nDGC@\x1b[31m>=0.8":   "did you mean",
		"recall@\x1b[31m>=0.8": "means two things",
	} {
		_, err := ParseGate(text)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: the error drives the terminal", text)
		}
	}
}

// What a gate is read as, written out plainly, is read as the same gate.
func FuzzParseGate(f *testing.F) {
	for _, seed := range []string{
		"R@5>=0.8", "nDCG@10>0.6@identifier", "RR<=1e-3@kind:mined", "P(rel=2)@5<.5@tag:kind:mined", "R@5>=0.8@ a : b ", "NumQ>=50",
		"R@5=>1", "@", ">=", "R@5>=0x1p-2", "R@5>=0.8@\x00", "R@5>=0.8@kind:\u00a0x", "R(rel=2>3)@5>=1", "IPrec@0.1>=0.1@language:de",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ParseGate(text)
		if err != nil {
			if g.Text != text {
				t.Errorf("%q is refused as %q", text, g.Text)
			}
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Errorf("%q: the error %q drives the terminal", text, err)
			}
			return
		}
		if math.IsNaN(g.Bound) || math.IsInf(g.Bound, 0) || (g.By == "") != (g.Value == "") || g.By == "" && g.Slice() != "" {
			t.Errorf("%q is read as %+v", text, g)
		}
		if again, err := ParseGate(g.Text); err != nil || again != g {
			t.Errorf("%q is read as %+v, then as %+v (%v)", text, g, again, err)
		}
		plain := g.Measure.String() + g.Op + number(g.Bound)
		if g.By != "" {
			plain += "@" + string(g.By) + ":" + g.Value
		}
		again, err := ParseGate(plain)
		again.Text = g.Text
		if err != nil || again != g {
			t.Errorf("%q is read as %+v, and that, written %q, as %+v (%v)", text, g, plain, again, err)
		}
		if result := g.Check(Report{}); result.Verdict != Fail || result.Figure != nil || result.Line == "" {
			t.Errorf("%q passes a report without figures: %+v", text, result)
		}
	})
}

func gate(t *testing.T, text string) Gate {
	t.Helper()
	g, err := ParseGate(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Floats that ought to be equal are, and the operators differ at the bound and nowhere else.
func TestGateAtItsBound(t *testing.T) {
	tenth := 0.1
	for _, c := range []struct {
		figure float64
		passes string
	}{
		{0.7, "< <="}, {0.7999999999, "< <="}, {0.8000000001, "> >="}, {0.9, "> >="},
		{0.8, "<= >="}, {math.Nextafter(0.8, 0), "<= >="}, {math.Nextafter(0.8, 1), "<= >="}, {0.7999999999999999, "<= >="},
		{tenth + 0.7, "<= >="}, // 0.7999999999999999
	} {
		r := Report{Measures: []Mean{{Name: "P@5"}, {Name: "R@5", Mean: &c.figure, N: 10}}}
		for _, op := range []string{"<", "<=", ">", ">="} {
			want := Fail
			for passing := range strings.FieldsSeq(c.passes) {
				if op == passing {
					want = Pass
				}
			}
			got := gate(t, "R@5"+op+"0.8").Check(r)
			if got.Verdict != want || *got.Figure != c.figure || got.Bound != 0.8 || got.N != 10 || got.Measure != "R@5" || got.P != nil {
				t.Errorf("%v %s 0.8: %+v, want %s", c.figure, op, got, want)
			}
		}
	}
}

// gated is a report over two tags, one of which nothing that counts has.
func gated(t *testing.T) Report {
	in := Input{Resamples: 500, Seed: 1, By: Facets(), Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	for i := range 20 {
		q := Query{ID: fmt.Sprint(i), Done: true, Grades: map[string]corpus.Grade{"a": 1}, Kind: corpus.Mined, Tags: []string{"even"}, Count: 5}
		hits := ranked("a", "b")
		if i%2 == 1 {
			q.Tags, q.Kind = []string{"odd", "free"}, corpus.Written
		}
		if i%4 == 1 {
			hits = ranked("b", "a")
		}
		in.Queries = append(in.Queries, q)
		in.Run.Rankings[q.ID] = hits
	}
	in.Queries = append(in.Queries, Query{ID: "u", Done: true, Unanswerable: true, Tags: []string{"empty"}})
	return evaluate(t, in, "R@1 RR Sets@5 NumRel")
}

func TestGatesOnSlices(t *testing.T) {
	r := gated(t)
	for _, c := range []struct {
		gate    string
		verdict Verdict
		line    string
	}{
		{"R@1>=0.75", Pass, "R@1 is 0.7500, want >= 0.75 (95% interval 0."},
		{"R@1>=0.76", Fail, "R@1 is 0.7500, want >= 0.76 (95% interval 0."},
		{"R@1>=1@even", Pass, "R@1 of tag even is 1.0000, want >= 1 (95% interval 0.7225 to 1.0000, n = 10)"},
		{"R@1>0.5@free", Fail, "R@1 of tag free is 0.5000, want > 0.5 (95% interval 0."},
		{"R@1<=0.5@kind:written", Pass, "R@1 of kind written is 0.5000, want <= 0.5"},
		{"RR>=0.9@frequency:2-9", Fail, "RR of frequency 2-9 is 0.8750"},
		{"NumRel>=20", Pass, "NumRel is 20.0000, want >= 20 (no interval, n = 20)"},
		// What nothing was measured for fails, whichever way the gate looks.
		{"R@1>=0@empty", Fail, "R@1>=0@empty: no query that counts has the tag empty"},
		{"R@1<=1@empty", Fail, "no query that counts has the tag empty"},
		{"R@1<1@nowhere", Fail, "no query that counts has the tag nowhere"},
		{"R@1>=0@kind:even", Fail, "no query that counts has the kind even"},
		{"Sets@5>=0", Fail, "there is no Sets@5: no query has evidence sets"},
		{"Sets@5<=1@even", Fail, "there is no Sets@5 of tag even: no query has evidence sets"},
		{"P@5>=0", Fail, "there is no P@5: it was not measured"},
	} {
		got := gate(t, c.gate).Check(r)
		if got.Verdict != c.verdict || !strings.Contains(got.Line, c.line) || got.Gate != c.gate || strings.Contains(got.Line, "\n") {
			t.Errorf("%s: %s, %q; want %s, %q", c.gate, got.Verdict, got.Line, c.verdict, c.line)
		}
	}
	empty := evaluate(t, Input{Resamples: 10, Limits: &Limits{}}, "R@1")
	if got := gate(t, "R@1>=0").Check(empty); got.Verdict != Fail || !strings.Contains(got.Line, "no query counts") {
		t.Errorf("over nothing: %+v", got)
	}
}

// fixed is a report of R@5 alone, made by hand.
func fixed(name string, values ...float64) Report {
	r := Report{Run: name, Labels: "l", Corpus: "c", Scale: "s"}
	sum := 0.0
	for i, v := range values {
		sum += v
		r.Queries = append(r.Queries, QueryValues{fmt.Sprintf("q%04d", i), map[string]*float64{"R@5": &v}})
	}
	sum /= float64(len(values))
	r.Measures = []Mean{{Name: "R@5", Mean: &sum, N: len(values)}}
	return r
}

// mix is n values of which the first so many are low.
func mix(n, lows int, low, high float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = high
		if i < lows {
			values[i] = low
		}
	}
	return values
}

func TestNoWorse(t *testing.T) {
	for _, c := range []struct {
		name      string
		base, now []float64
		drop      float64
		verdict   Verdict
		line      string
	}{
		{"the same", mix(50, 20, 0, 1), mix(50, 20, 0, 1), 0, Pass, "R@5 went from 0.6000 to 0.6000, +0.0000 (95% interval 0.0000 to 0.0000, n = 50)"},
		{"better only", mix(10, 5, 0, 1), mix(10, 4, 0, 1), 0, Pass, "+0.1000"},
		{"much better", mix(50, 40, 0, 1), mix(50, 10, 0, 1), 0, Pass, "+0.6000"},
		{"a clear fall", mix(50, 10, 0, 1), mix(50, 40, 0, 1), 0, Fail, "R@5 went from 0.8000 to 0.2000, -0.6000 (95% interval -0."},
		{"says p", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0, Fail, "p = 0.0312; allowed is a fall of 0"},
		{"a fall of five queries", mix(50, 10, 0, 1), mix(50, 15, 0, 1), 0, Unclear, "too few queries to tell; this many would show a fall of 0.123"},
		{"allowed", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.25, Pass, "-0.1200"},
		{"allowed, not sure", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.15, Unclear, "too few queries to tell; this many would show a fall of 0.28"},
		{"more than allowed, not sure", mix(50, 10, 0, 1), mix(50, 16, 0, 1), 0.1, Unclear, "too few queries to tell"},
		{"more than allowed", mix(200, 40, 0, 1), mix(200, 160, 0, 1), 0.1, Fail, "allowed is a fall of 0.1"},
		{"everywhere the same fall", mix(50, 0, 0, .8), mix(50, 0, 0, .7), 0, Fail, "-0.1000"},
		{"just what is allowed, in floats more", mix(50, 0, 0, .8), mix(50, 0, 0, .7), 0.1, Pass, "-0.1000"},
		{"a hair more than is allowed", mix(50, 0, 0, .8), mix(50, 0, 0, .6999), 0.1, Fail, "-0.1001"},
		{"one query", mix(1, 0, 0, 1), mix(1, 1, 0, 1), 0, Unclear, "-1.0000 (no interval, n = 1): too few queries to tell"},
		{"one query, the same", mix(1, 0, 0, 1), mix(1, 0, 0, 1), 0, Pass, "+0.0000 (no interval, n = 1)"},
		{"one query, better", mix(1, 1, 0, 1), mix(1, 0, 0, 1), 0, Pass, "+1.0000"},
		{"one query, all allowed", mix(1, 0, 0, 1), mix(1, 1, 0, 1), 1, Unclear, "too few queries to tell"},
	} {
		got, _, err := NoWorse(fixed("base", c.base...), fixed("now", c.now...), c.drop, CompareOptions{Resamples: 2000, Seed: 1})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		g := got[0]
		if g.Verdict != c.verdict || !strings.Contains(g.Line, c.line) || strings.Contains(g.Line, "\n") {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, g.Verdict, g.Line, c.verdict, c.line)
		}
		if c.name == "just what is allowed, in floats more" && *g.P != 1 {
			t.Errorf("%s: p = %v", c.name, *g.P)
		}
		if g.Gate != "R@5 no worse than base" || g.Measure != "R@5" || g.Bound != -c.drop || g.N != len(c.base) || g.P == nil || g.Slice != "" {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}

// The fall that an unclear gate names is what Holm's strictest step would show, four times out of five.
func TestNoWorseNamesADetectableFall(t *testing.T) {
	c := collection{queries: 40, seed: 12}
	const measures = "R@5 RR nDCG@10 P@5"
	a, b := evaluate(t, c.run(1, .8), measures), evaluate(t, c.run(2, .85), measures)
	opt := CompareOptions{Resamples: 300, Alpha: .1}
	results, _, err := NoWorse(a, b, .02, opt)
	if err != nil {
		t.Fatal(err)
	}
	unclear := 0
	for i, d := range compared(t, opt, a, b).Pairs[0].Deltas {
		if results[i].Verdict != Unclear {
			continue
		}
		unclear++
		want := .02 + stats.Detectable(math.Abs(*d.Delta / *d.EffectSize), d.N, .1/4, .8)
		if words := fmt.Sprintf("this many would show a fall of %.3f", want); !strings.HasSuffix(results[i].Line, words) || want < .02+*d.Detectable*1.1 {
			t.Errorf("%q, want %q; alone it would be %.3f", results[i].Line, words, *d.Detectable)
		}
	}
	if unclear < 2 {
		t.Errorf("%d of the gates are unclear: %s", unclear, asJSON(t, results))
	}
}

// Of many gates on runs that differ by chance alone, no more fail than alpha says, all measures of a build together.
func TestNoWorseSeldomFailsByChance(t *testing.T) {
	const builds = 200
	failed := 0
	for seed := range uint64(builds) {
		c := collection{queries: 40, seed: seed}
		base, now := c.run(1, .5), c.run(2, .5)
		results, _, err := NoWorse(evaluate(t, base, "R@5 RR nDCG@10 P@5"), evaluate(t, now, "R@5 RR nDCG@10 P@5"), 0, CompareOptions{Resamples: 300, Seed: seed})
		if err != nil || len(results) != 4 {
			t.Fatal(results, err)
		}
		for _, g := range results {
			if g.Verdict == Fail {
				failed++
				break
			}
		}
	}
	// A fall is one side of a two-sided test: at most 0.025 of the builds are expected, 5 of 200; 12 would be p < .007.
	if failed > 11 || failed == 0 {
		t.Errorf("%d of %d builds failed by chance", failed, builds)
	}
}

func TestNoWorseRefuses(t *testing.T) {
	a, b := fixed("a", mix(9, 3, 0, 1)...), fixed("b", mix(9, 3, 0, 1)...)
	for _, drop := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if _, _, err := NoWorse(a, b, drop, CompareOptions{}); err == nil {
			t.Errorf("a drop of %v is taken", drop)
		}
	}
	b.Labels = "others"
	if _, _, err := NoWorse(a, b, 0, CompareOptions{}); !errors.Is(err, ErrNotComparable) || !strings.Contains(err.Error(), "the labels differ") {
		t.Errorf("other labels: %v", err)
	}
	if results, _, err := NoWorse(a, b, 0, CompareOptions{Force: true}); err != nil || results[0].Verdict != Pass {
		t.Errorf("forced: %v, %v", results, err)
	}
}

// A measure that one of them lacks has no gate; one that is undefined in one of them fails, since nothing was held
// against anything.
func TestNoWorseWhereMeasuresAreMissing(t *testing.T) {
	a, b := fixed("a", mix(9, 3, 0, 1)...), fixed("b", mix(9, 3, 0, 1)...)
	half := 0.5
	for i := range a.Queries {
		a.Queries[i].Values["Sets@5"] = &half
		b.Queries[i].Values["Sets@5"] = nil
		b.Queries[i].Values["RR"] = &half
	}
	a.Measures = append(a.Measures, Mean{Name: "Sets@5", N: 9, Mean: &half})
	b.Measures = append(b.Measures, Mean{Name: "RR", N: 9, Mean: &half}, Mean{Name: "Sets@5"})
	results, _, err := NoWorse(a, b, 0, CompareOptions{Resamples: 100})
	if err != nil || len(results) != 2 {
		t.Fatalf("%+v, %v", results, err)
	}
	if results[0].Measure != "R@5" || results[0].Verdict != Pass {
		t.Errorf("%+v", results[0])
	}
	if g := results[1]; g.Measure != "Sets@5" || g.Verdict != Fail || g.Figure != nil || g.P != nil || g.Line != "no query has Sets@5 in both" {
		t.Errorf("%+v", g)
	}
	asJSON(t, results)
}
