package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

// kindOf is a query with a ranking, described by what the rules of the diagnosis look at: how many chunks are relevant
// and at which ranks they stand, 0 for one that is not returned.
type kindOf struct {
	ranks []int
	depth int // of the ranking
}

// others are ids of chunks that nobody judged.
var others = func() (ids [200]string) {
	for i := range ids {
		ids[i] = fmt.Sprintf("other %d", i)
	}
	return ids
}()

func (k kindOf) add(in *Input, id string) {
	q := Query{ID: id, Done: true, Grades: map[string]corpus.Grade{}}
	ids := slices.Clone(others[:k.depth])
	for i, rank := range k.ranks {
		chunk := string(rune('A' + i))
		q.Grades[chunk] = 1
		if rank > 0 {
			ids[rank-1] = chunk
		}
	}
	in.Queries = append(in.Queries, q)
	in.Run.Rankings[id] = ranked(ids...)
}

// share is so many queries of a kind.
type share struct {
	n int
	kindOf
}

func diagnosed(t *testing.T, shares ...share) *Diagnosis {
	t.Helper()
	in := Input{Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}, Resamples: 400, Seed: 1}
	limits := DefaultLimits()
	in.Limits = &limits
	for i, s := range shares {
		for j := range s.n {
			s.add(&in, fmt.Sprint(i, " ", j))
		}
	}
	r := evaluate(t, in, "AP") // none of the measures that the rules need
	if len(r.Measures) != 1 || len(r.Queries) > 0 && len(r.Queries[0].Values) != 1 {
		t.Errorf("the diagnosis shows in the measures: %+v", r.Measures)
	}
	asJSON(t, r)
	return r.Diagnosis
}

// findings are the rules that spoke, with their verdicts.
func findings(d *Diagnosis) (list []string) {
	for _, f := range d.Findings {
		list = append(list, f.Rule+" "+string(f.Verdict))
	}
	return list
}

// The kinds of query that the collections below are made of, all of runs 50 deep.
var (
	perfect   = kindOf{[]int{1, 2, 3, 4}, 50}
	missed    = kindOf{[]int{0, 0, 0}, 50}
	buried    = kindOf{[]int{20, 30, 40}, 50}
	late      = kindOf{[]int{4, 5}, 50}
	lone      = kindOf{[]int{1}, 50} // P@5 can't pass 0.2
	oneOfFour = kindOf{[]int{1, 6, 7, 8}, 50}
	halfOnTop = kindOf{[]int{1, 2, 3, 6, 7, 8}, 50}
)

// Each rule fires on a collection built for it, and not on its neighbour, which differs in what the rule is about.
func TestRulesOfDiagnosis(t *testing.T) {
	for _, c := range []struct {
		name   string
		shares []share
		want   []string
	}{
		{"everything is high", []share{{100, perfect}}, []string{"gold_set pass"}},
		{"nothing is found", []share{{100, missed}}, []string{"stage_one fail", "noise fail"}},
		{"a third is not found", []share{{70, perfect}, {30, missed}}, []string{"stage_one fail"}},
		{"a twentieth is not found", []share{{95, perfect}, {5, missed}}, []string{"gold_set pass"}},
		{"found deep", []share{{40, perfect}, {60, buried}}, []string{"ranking fail", "noise fail"}},
		{"found deep, seldom", []share{{90, perfect}, {10, buried}}, []string{"gold_set pass"}},
		{"on top, and late", []share{{20, perfect}, {80, late}}, []string{"ordering fail"}},
		{"on top, seldom late", []share{{90, perfect}, {10, late}}, []string{"gold_set pass"}},
		{"half of the relevant on top", []share{{100, halfOnTop}}, []string{"ranking fail"}},
		{"a quarter of them", []share{{100, oneOfFour}}, []string{"ranking fail", "noise fail"}},
		// With one relevant chunk a query, a P@5 of 0.2 is as good as it gets.
		{"one relevant chunk each", []share{{100, lone}}, []string{"gold_set pass"}},
		{"one relevant chunk each, second", []share{{100, kindOf{[]int{2}, 50}}}, []string{"ordering fail"}},
		{"one relevant chunk each, half of them missed", []share{{50, lone}, {50, kindOf{[]int{0}, 50}}}, []string{"stage_one fail", "noise fail"}},
		// Too few to tell, or too near the limit.
		{"two queries", []share{{2, perfect}}, []string{"stage_one unclear", "noise unclear"}},
		{"one query", []share{{1, missed}}, []string{"stage_one unclear", "noise unclear"}},
		{"four fifths found", []share{{40, perfect}, {10, missed}}, []string{"stage_one unclear"}},
		{"ranking unclear", []share{{11, perfect}, {9, buried}}, []string{"ranking unclear", "noise unclear"}},
		{"ordering unclear", []share{{10, perfect}, {10, late}}, []string{"ordering unclear"}},
	} {
		d := diagnosed(t, c.shares...)
		if got := findings(d); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q\n%s", c.name, got, c.want, asJSON(t, d))
		}
		for _, f := range d.Findings {
			if f.Line == "" || f.Advice == "" || strings.ContainsAny(f.Line+f.Advice, "\n") || len(f.Figures) == 0 || len(f.Figures) != len(f.Limits) {
				t.Errorf("%s: %+v", c.name, f)
			}
			if f.Verdict == Unclear != strings.HasPrefix(f.Line, "too few queries to tell") || f.Verdict == Unclear != strings.HasPrefix(f.Advice, "if it is below: ") {
				t.Errorf("%s: %s says %q, %q", c.name, f.Verdict, f.Line, f.Advice)
			}
			if f.Verdict != Unclear && f.Needed != 0 {
				t.Errorf("%s: %d queries are needed though all is clear", c.name, f.Needed)
			}
		}
	}
}

func TestFindingsSayWhatWasSeen(t *testing.T) {
	for _, c := range []struct {
		shares              []share
		rule, line, advice  string
		limits, figuresSeen []string
	}{
		{[]share{{60, perfect}, {40, missed}}, "stage_one", "R@50 0.600 (0.", "stage one misses: look at the chunking", []string{"R@50 < 0.80"}, []string{"R@50"}},
		{[]share{{40, perfect}, {60, buried}}, "ranking", "is below 0.60, while R@50 1.000 (0.963 to 1.000, n = 100) is not below 0.80", "reranker", []string{"R@5 < 0.60", "R@50 >= 0.80"}, []string{"R@5", "R@50"}},
		{[]share{{20, perfect}, {80, late}}, "ordering", "RR 0.400 (0.", "mend the order within the top", []string{"RR < 0.60", "R@5 >= 0.60"}, []string{"RR", "R@5"}},
		{[]share{{100, oneOfFour}}, "noise", "P@5 0.200 (0.1", "filters", []string{"P@5 < 0.40"}, []string{"P@5"}},
		{[]share{{100, perfect}}, "gold_set", "everything is high: R@50 1.000 (0.963 to 1.000, n = 100), R@5 1.000", "mine their queries again", []string{"R@50 >= 0.80", "R@5 >= 0.60", "RR >= 0.60", "P@5 >= 0.40"}, []string{"R@50", "R@5", "RR", "P@5"}},
		{[]share{{100, lone}}, "gold_set", "P@5 0.200 (0.193 to 0.230, n = 100)", "", []string{"R@50 >= 0.80", "R@5 >= 0.60", "RR >= 0.60", "P@5 >= 0.15"}, []string{"R@50", "R@5", "RR", "P@5"}},
		// The limit of precision is three quarters of what a perfect ranking has: (0.2 + 0.6) / 2.
		{[]share{{50, kindOf{[]int{0}, 50}}, {50, kindOf{[]int{0, 0, 0}, 50}}}, "noise", "P@5 0.000 (0.000 to 0.037, n = 100) is below 0.30", "", []string{"P@5 < 0.30"}, []string{"P@5"}},
	} {
		d := diagnosed(t, c.shares...)
		i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Rule == c.rule })
		if i < 0 {
			t.Errorf("no finding %s in %q", c.rule, findings(d))
			continue
		}
		f := d.Findings[i]
		var seen []string
		for _, m := range f.Figures {
			seen = append(seen, m.Name)
		}
		if !strings.Contains(f.Line, c.line) || !strings.Contains(f.Advice, c.advice) || !slices.Equal(f.Limits, c.limits) || !slices.Equal(seen, c.figuresSeen) {
			t.Errorf("%s: %+v", c.rule, f)
		}
	}
}

// Where little is judged, a low figure may be the labels' fault; that is said where it could change the verdict.
func TestDiagnosisSaysWhatIsNotJudged(t *testing.T) {
	limits := DefaultLimits()
	in := Input{Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}, Limits: &limits, Resamples: 100}
	for i := range 40 {
		missed.add(&in, fmt.Sprint(i))
	}
	said := func(rule, words string) bool {
		for _, f := range evaluate(t, in, "RR").Diagnosis.Findings {
			if f.Rule == rule {
				return strings.Contains(f.Line, words)
			}
		}
		t.Errorf("no finding %s", rule)
		return false
	}
	if !said("stage_one", "; only 0% of what it looks at is judged, so it could be up to 0.943") { // 50 of 53
		t.Errorf("%s", asJSON(t, evaluate(t, in, "RR").Diagnosis))
	}
	limits.DeepRecall = 0.95 // which it can't reach
	if said("stage_one", "is judged") {
		t.Error("labels are blamed where they could not help")
	}
	limits.DeepRecall = 0.8
	for _, q := range in.Queries {
		for _, id := range others[:38] { // 38 of 50, then 41
			q.Grades[id] = 0
		}
	}
	limits.DeepRecall = 0.1
	if !said("stage_one", "; only 76% of what it looks at is judged, so it could be up to 0.800") { // 12 of 15
		t.Errorf("%s", asJSON(t, evaluate(t, in, "RR").Diagnosis))
	}
	for _, q := range in.Queries {
		for _, id := range others[38:41] {
			q.Grades[id] = 0
		}
	}
	if said("stage_one", "is judged") {
		t.Error("four fifths are enough")
	}
}

// A run that is not fifty deep can't show that stage one misses at fifty.
func TestShallowRunsAreToldSo(t *testing.T) {
	for depth, shallow := range map[int]bool{10: true, 49: true, 50: false, 60: false} {
		d := diagnosed(t, share{40, kindOf{[]int{0, 1}, depth}}, share{5, kindOf{[]int{0, 1}, 3}})
		f := d.Findings[0]
		want := fmt.Sprintf("the run is only %d deep: return 50 chunks", depth)
		if f.Rule != "stage_one" || f.Verdict != Fail || strings.Contains(f.Advice, want) != shallow || strings.Contains(f.Advice, "only") != shallow {
			t.Errorf("%d deep: %+v", depth, f)
		}
	}
}

func TestDiagnosisOfNothing(t *testing.T) {
	d := diagnosed(t)
	if got := findings(d); !slices.Equal(got, []string{"gold_set unclear"}) || d.Findings[0].Needed != 30 || !strings.Contains(d.Findings[0].Line, "no query counts yet") {
		t.Errorf("%+v", d)
	}
	if text := asJSON(t, d); !strings.Contains(text, `"figures":[],"limits":[]`) {
		t.Error(text)
	}
	if r := evaluate(t, one(map[string]corpus.Grade{"a": 1}, ranked("a")), "RR"); r.Diagnosis != nil {
		t.Errorf("nobody asked for %+v", r.Diagnosis)
	}
}

// The verdicts hang on intervals whether or not the report has any, and the measures asked for don't change them.
func TestDiagnosisDoesNotDependOnTheRest(t *testing.T) {
	limits := DefaultLimits()
	in := collection{queries: 30, seed: 5}.run(1, .8)
	in.Limits, in.Seed = &limits, 3
	plain := evaluate(t, in, "AP")
	in.Resamples, in.By = 1000, Facets()
	all := evaluate(t, in, DefaultMeasures)
	if a, b := findings(plain.Diagnosis), findings(all.Diagnosis); !slices.Equal(a, b) {
		t.Errorf("%q without intervals, %q with", a, b)
	}
	if plain.Measures[0].Interval != nil || all.Measures[0].Interval == nil {
		t.Errorf("%+v, %+v", plain.Measures[0], all.Measures[0])
	}
	two := collection{queries: 2, seed: 5}.run(1, .8)
	two.Limits = &limits
	for _, f := range evaluate(t, two, "RR").Diagnosis.Findings {
		if f.Verdict != Unclear {
			t.Errorf("two queries say %+v", f)
		}
	}
}

// Where too few queries count, Needed says how many of the same kind would do: drawn anew from those at hand, that many
// settle it four times out of five, and half as many don't.
func TestNeededQueriesSettleIt(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of collections")
	}
	const draws = 60
	for _, c := range []struct {
		rule   string
		shares []share
		power  float64
	}{
		{"stage_one", []share{{36, perfect}, {14, missed}}, .8},  // 0.72 against 0.80
		{"stage_one", []share{{44, perfect}, {6, missed}}, .8},   // 0.88
		{"ranking", []share{{26, perfect}, {24, buried}}, .8},    // 0.52 against 0.60
		{"ordering", []share{{16, perfect}, {24, late}}, .8},     // 0.55 against 0.60
		{"noise", []share{{24, perfect}, {36, oneOfFour}}, .8},   // 0.44 against 0.40
		{"ordering", []share{{5, perfect}, {4, late}}, 1},        // thirty are asked for at least
		{"stage_one", []share{{3, perfect}}, 1},                  // all the same: the worst is supposed
		{"stage_one", []share{{25, perfect}, {25, buried}}, 0.0}, // nothing is unclear about it
	} {
		d := diagnosed(t, c.shares...)
		i := slices.IndexFunc(d.Findings, func(f Finding) bool { return f.Rule == c.rule && f.Verdict == Unclear })
		if i < 0 {
			if c.power > 0 {
				t.Errorf("%s is not unclear: %q", c.rule, findings(d))
			}
			continue
		}
		needed := d.Findings[i].Needed
		if needed < 30 || !strings.Contains(d.Findings[i].Line, fmt.Sprintf("; about %d would do", needed)) {
			t.Errorf("%s: %+v", c.rule, d.Findings[i])
			continue
		}
		at, half := settled(t, c.shares, c.rule, needed, draws), settled(t, c.shares, c.rule, needed/2, draws)
		t.Logf("%s: of %d queries %.2f settle it, of half as many %.2f", c.rule, needed, at, half)
		// 0.65 and 0.95 are three standard errors from 0.8 in sixty draws.
		if at < c.power-.155 || c.power < 1 && (at > c.power+.16 || half >= at) {
			t.Errorf("%s: of %d queries %.2f settle it, of half as many %.2f", c.rule, needed, at, half)
		}
	}
}

// settled is in which share of the draws so many queries say whether the rule fires.
func settled(t *testing.T, shares []share, rule string, queries, draws int) float64 {
	var kinds []kindOf
	for _, s := range shares {
		for range s.n {
			kinds = append(kinds, s.kindOf)
		}
	}
	n := 0
	for draw := range draws {
		rnd := rand.New(rand.NewPCG(uint64(draw), 8))
		var drawn []share
		for range queries {
			drawn = append(drawn, share{1, kinds[rnd.IntN(len(kinds))]})
		}
		if !slices.Contains(findings(diagnosed(t, drawn...)), rule+" unclear") {
			n++
		}
	}
	return float64(n) / float64(draws)
}

// At the limit itself no number of queries would do, and none is named.
func TestNoNumberIsNeededAtTheLimit(t *testing.T) {
	d := diagnosed(t, share{40, perfect}, share{10, missed})
	if f := d.Findings[0]; f.Rule != "stage_one" || f.Verdict != Unclear || f.Needed != 0 || strings.Contains(f.Line, "would do") {
		t.Errorf("%+v", f)
	}
}

// What the retriever did not answer is no fault of its ranking: the diagnosis is that of the queries it did answer.
func TestDiagnosisLeavesFailedQueriesOut(t *testing.T) {
	differs := 0
	for seed := range uint64(60) {
		in := varied(rand.New(rand.NewPCG(seed, 18)))
		limits := DefaultLimits()
		in.Limits, in.Seed = &limits, seed
		in.Resamples = int(seed%2) * 100 // where nobody asked for intervals, verdicts have theirs all the same
		got := evaluate(t, in, "RR")
		answered := only(in, func(q Query) bool { _, failed := in.Failed[q.ID]; return !failed })
		answered.Failed = nil
		if a, b := asJSON(t, got.Diagnosis), asJSON(t, evaluate(t, answered, "RR").Diagnosis); a != b {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, a, b)
		}
		counted := in
		counted.Failed = nil
		for id := range in.Failed {
			delete(in.Run.Rankings, id)
		}
		if asJSON(t, got.Diagnosis) != asJSON(t, evaluate(t, counted, "RR").Diagnosis) {
			differs++
		}
	}
	if differs < 30 {
		t.Errorf("failed queries would have changed %d diagnoses", differs)
	}
}
