package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

// ranked is a ranking of the ids in the order given.
func ranked(ids ...string) corpus.Ranking {
	var r corpus.Ranking
	for i, id := range ids {
		r = append(r, corpus.Hit{ChunkID: id, Score: float64(len(ids) - i)})
	}
	return r
}

func one(t *testing.T, name string) Measure {
	t.Helper()
	m, err := ParseOne(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Values worked out by hand: a, b and d are relevant, with grades 3, 1 and 2; c was judged irrelevant, e and x never.
func TestValues(t *testing.T) {
	grades := map[string]corpus.Grade{"a": 3, "b": 1, "c": 0, "d": 2, "e": -1}
	sets := [][]string{{"a", "b"}, {"d"}, {"a", "never returned"}}
	for _, c := range []struct {
		ranking string
		measure string
		from    corpus.Grade
		want    string
	}{
		{"a b", "P@5", 1, "0.4000"}, // of k, not of what came back
		{"a b", "SetP", 1, "1.0000"},
		{"a x", "R@5", 1, "0.3333"},
		{"a b", "R@5", 2, "0.5000"}, // relevant from 2: a and d
		{"x b a", "RR", 1, "0.5000"},
		{"x b a", "RR", 2, "0.3333"},
		{"x b a", "RR@1", 1, "0.0000"},
		{"b x a", "AP", 1, "0.5556"},   // (1/1 + 2/3) / 3
		{"b x a", "AP@2", 1, "0.3333"}, // still over all three
		{"b x a", "GMAP", 1, "0.5556"}, // of one query
		{"b x a", "Rprec", 1, "0.6667"},
		{"x e", "Success@2", 1, "0.0000"},
		{"x a", "Success@2", 1, "1.0000"},
		{"x c a", "Judged@2", 1, "0.5000"},
		{"c", "Judged@10", 1, "1.0000"}, // of the one that came back
		{"e", "Judged@1", 1, "0.0000"},  // negative is unjudged
		{"", "Judged@5", 1, "0.0000"},
		{"a d b", "nDCG@3", 1, "1.0000"},
		{"b", "nDCG@1", 1, "0.3333"},                 // gain 1 of 3
		{"b", "nDCG@1", 3, "0.3333"},                 // whatever counts as relevant
		{"a", "nDCG", 1, "0.6300"},                   // 3 / (3 + 2/log2(3) + 1/2)
		{"a", "nDCG@2", 1, "0.7039"},                 // ideal cut too
		{"e a", "nDCG@2", 1, "0.4441"},               // a negative grade is no loss either
		{"b", "nDCG(dcg='exp-log2')@1", 1, "0.1429"}, // 1 of 7
		{"a x", "SetF", 1, "0.4000"},                 // of 1/2 and 1/3
		{"x", "SetF", 1, "0.0000"},
		{"a x", "SetAP", 1, "0.1667"},
		{"a x", "SetR", 1, "0.3333"},
		{"c a b", "Bpref", 1, "0.0000"},        // the one that is irrelevant stands above both
		{"a c b", "Bpref", 1, "0.3333"},        // above b only
		{"x e a", "Bpref", 1, "0.3333"},        // what was never judged does not count
		{"b", "ERR", 1, "0.0625"},              // (2^1-1)/16
		{"a", "ERR", 1, "0.4375"},              // 7/16
		{"b a", "ERR", 1, "0.2676"},            // 1/16 + 15/16 * 7/16 / 2
		{"b a", "ERR@1", 1, "0.0625"},          //
		{"a x b", "RBP(p=0.5)", 1, "0.6250"},   // (1 + .25) / 2
		{"a x b", "RBP(p=0.5)@2", 1, "0.5000"}, //
		{"a x b", "RBP", 1, "0.3280"},          // .2 * (1 + .64)
		{"x a b", "IPrec@0", 1, "0.6667"},      // 2 of 3 at best
		{"a x y b", "IPrec@0", 1, "1.0000"},    //
		{"a x y b", "IPrec@0.5", 1, "0.5000"},  // from two of three on
		{"a x y b", "IPrec@1", 1, "0.0000"},    //
		{"a", "infAP", 1, "0.3333"},            // first: precision 1, over three
		{"x a", "infAP", 1, "0.1667"},          // 1/2 + 1/2 * 0
		{"c a", "infAP", 1, "0.1667"},          // 1/2 + 1/2 * 1 * 0.00001/1.00002
		{"e a", "infAP", 1, "0.2500"},          // pooled and not judged: 1/2 + 1/2 * 1 * 1/2, over three
		{"a b d", "Sets@1", 1, "0.0000"},       //
		{"a b d", "Sets@2", 1, "1.0000"},       // a and b
		{"x x d", "Sets@2", 1, "1.0000"},       // repeats take no rank
		{"x b a", "P(rel=3)@3", 1, "0.3333"},   //
		{"x e a", "P(judged_only=True)@1", 1, "1.0000"},
		{"x a e", "NumRet", 1, "3.0000"},
		{"x a e", "NumRet(judged_only=True)", 1, "1.0000"},
		{"x", "NumRel", 1, "3.0000"},
		{"x", "NumRel(rel=2)", 1, "2.0000"},
		{"x a a b", "NumRelRet", 1, "2.0000"},
		{"", "NumQ", 1, "1.0000"},
		{"", "AP", 1, "0.0000"},
	} {
		sheet, _ := NewJudge(c.from, Assay).Read(grades, sets, ranked(strings.Fields(c.ranking)...))
		if got := fmt.Sprintf("%.4f", sheet.Value(one(t, c.measure))); got != c.want {
			t.Errorf("%s of %q from grade %d is %s, want %s", c.measure, c.ranking, c.from, got, c.want)
		}
	}
}

// Of a query for which nothing is relevant every measure has a number, or none at all.
func TestValuesWithoutLabels(t *testing.T) {
	for _, ranking := range []corpus.Ranking{nil, ranked("a", "b")} {
		for compat := range TrecEval9 + 1 {
			sheet, _ := NewJudge(1, compat).Read(nil, nil, ranking)
			for _, m := range everyMeasure(t, 3, 2, 0) {
				got := sheet.Value(m)
				undefined := m.Kind() == EvidenceSets || m == one(t, "IPrec(judged_only=True)@0") && compat != Assay
				counts := m.Kind() == NumQ || m.Kind() == NumRet
				if math.IsNaN(got) != undefined || !undefined && !counts && got != 0 {
					t.Errorf("%s of %v under %q is %v", m, ranking, compat, got)
				}
			}
		}
	}
}

func TestWhatKindsAre(t *testing.T) {
	for _, c := range []struct {
		name  string
		is    func(Measure) bool
		kinds string
	}{
		{"summed", Measure.Summed, "NumQ NumRet NumRel NumRelRet"},
		{"not compared", func(m Measure) bool { return !m.Compared() }, "Judged GMAP NumQ NumRet NumRel NumRelRet"},
		{"indifferent", Measure.Indifferent, "Judged Sets NumQ NumRet NumRel NumRelRet"},
	} {
		var got []string
		for k := range Kind(len(names)) {
			if c.is(Of(k, 0)) {
				got = append(got, k.String())
			}
		}
		if s := strings.Join(got, " "); s != c.kinds {
			t.Errorf("%s are %s, want %s", c.name, s, c.kinds)
		}
	}
	for name, want := range map[string][3]bool{ // narrowed, indifferent, by parameters
		"R@5": {}, "R(rel=2)@5": {true, false}, "P(judged_only=True)@5": {true, true}, "RBP(p=0.5)": {}, "nDCG(dcg='exp-log2')@3": {}, "IPrec@0.1": {},
	} {
		if m := one(t, name); m.Narrowed() != want[0] || m.Indifferent() != want[1] {
			t.Errorf("%s: narrowed %v, indifferent %v", m, m.Narrowed(), m.Indifferent())
		}
	}
	if got := []string{Assay.String(), TrecEval10.String(), TrecEval9.String()}; !slices.Equal(got, []string{"", "trec_eval-10", "trec_eval-9"}) {
		t.Errorf("%q", got)
	}
	for _, m := range []Measure{Of(Recall, 5), Of(ReciprocalRank, 0), Of(NDCG, 10), Of(GMAP, 0)} {
		if again := one(t, m.String()); again != m || again.Cutoff() != m.Cutoff() || again.Kind() != m.Kind() {
			t.Errorf("%s is read as %s", m, again)
		}
	}
}

// The order is that of trec_eval's -m all_trec, ours where it has no name last.
func TestCompareTREC(t *testing.T) {
	want := strings.Fields("NumRet NumRel NumRelRet AP GMAP Rprec Bpref RR IPrec@0 IPrec@0.1 IPrec@1 P@5 P@10 R@5 R@1000 infAP nDCG nDCG@5 AP@5 AP@10 Success@1 Success@10 SetP SetR SetAP SetF RBP(p=0.9) RR@10 Judged@10 ERR@20 Sets@5")
	measures, err := Parse(strings.Join(want, " "))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(measures)
	slices.SortStableFunc(measures, CompareTREC)
	var got []string
	for _, m := range measures {
		got = append(got, m.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// BenchmarkRead is one query at check's largest: 1,000 hits, a fortieth of them judged, and the usual measures with their
// bounds.
func BenchmarkRead(b *testing.B) {
	measures, err := Parse(usualNames)
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	grades := map[string]corpus.Grade{}
	for i := range 1000 {
		ids = append(ids, fmt.Sprintf("passage_%08d", i*40))
		if i%40 == 0 {
			grades[ids[i]] = corpus.Grade(i / 40 % 4)
		}
	}
	ranking, judge := ranked(ids...), NewJudge(1, Assay)
	b.ReportAllocs()
	for b.Loop() {
		sheet, _ := judge.Read(grades, nil, ranking)
		for _, m := range measures {
			sheet.Value(m)
			judge.Optimist(m.Cutoff(), 3).Value(m)
		}
	}
}
