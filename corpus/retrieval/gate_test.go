package retrieval

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/corpus"
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
