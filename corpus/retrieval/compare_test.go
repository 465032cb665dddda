package retrieval

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func compared(t *testing.T, opt CompareOptions, reports ...Report) Comparison {
	t.Helper()
	opt.Resamples = cmp.Or(opt.Resamples, 200)
	c, err := Compare(reports, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values are a report's of one measure, by query; what is undefined is left out.
func values(r Report, name string) map[string]float64 {
	list := map[string]float64{}
	for _, q := range r.Queries {
		if v := q.Values[name]; v != nil {
			list[q.QueryID] = *v
		}
	}
	return list
}

// holm reads the procedure word by word: the p of rank i of n is n-i+1 times itself, never less than those before.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted, least := make([]float64, len(ps)), 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		adjusted[i] = least
	}
	return adjusted
}

// Three runs on several measures: everything that can be counted is counted again, slowly.
func TestCompareEqualsLiteralReading(t *testing.T) {
	for seed := range uint64(25) {
		c := collection{queries: 12, seed: seed}
		const measures = "nDCG@10 R@5 Success@1 Sets@5 NumRel GMAP Judged@10 RR"
		var reports []Report
		for number, noise := range []float64{.5, .6, 2} {
			in := c.run(uint64(number+1), noise)
			for i := range in.Queries {
				if i%3 > 0 {
					in.Queries[i].Sets = [][]string{{"d00", "d07"}, {"d01"}}
				}
			}
			reports = append(reports, evaluate(t, in, measures))
		}
		comparison := compared(t, CompareOptions{Seed: seed}, reports...)
		if len(comparison.Pairs) != 2 || comparison.Base != "run 1" || comparison.Alpha != 0.05 || comparison.Seed != seed || comparison.Warnings != nil ||
			comparison.Labels != "labels" || comparison.Corpus != "corpus" || comparison.Scale != "scale" {
			t.Fatalf("%+v", comparison)
		}
		var ps, adjusted []float64
		for i, pair := range comparison.Pairs {
			var names []string
			for _, d := range pair.Deltas {
				names = append(names, d.Name)
				before, after := values(reports[0], d.Name), values(reports[i+1], d.Name)
				n, wins, losses, ties, was, now := 0, 0, 0, 0, 0.0, 0.0
				for id, b := range before {
					a, ok := after[id]
					if !ok {
						continue
					}
					n++
					was, now = was+b, now+a
					switch {
					case math.Abs(a-b) < 1e-9:
						ties++
					case a > b:
						wins++
					default:
						losses++
					}
				}
				was, now = was/float64(n), now/float64(n)
				if d.N != n || d.Wins != wins || d.Losses != losses || d.Ties != ties || math.Abs(*d.Before-was) > 1e-12 ||
					math.Abs(*d.After-now) > 1e-12 || math.Abs(*d.Delta-(now-was)) > 1e-12 {
					t.Errorf("seed %d, %s: %s; want n %d, %d:%d:%d, %v to %v", seed, pair.Run, asJSON(t, d), n, wins, ties, losses, was, now)
				}
				if d.Interval != nil && (d.Interval.Lo > *d.Delta+1e-12 || d.Interval.Hi < *d.Delta-1e-12) {
					t.Errorf("seed %d, %s: %v lies outside %v", seed, d.Name, *d.Delta, d.Interval)
				}
				if d.Name == "Sets@5" && d.N != 8 {
					t.Errorf("Sets@5 is paired over %d queries, 8 have sets", d.N)
				}
				ps, adjusted = append(ps, *d.P), append(adjusted, *d.Holm)
			}
			if want := []string{"nDCG@10", "R@5", "Success@1", "Sets@5", "RR"}; !slices.Equal(names, want) || pair.N != 12 || pair.Run != reports[i+1].Run {
				t.Errorf("pair %+v compares %v, want %v", pair, names, want)
			}
			checkMoved(t, pair, values(reports[0], "nDCG@10"), values(reports[i+1], "nDCG@10"))
		}
		for i, want := range holm(ps) {
			if math.Abs(adjusted[i]-want) > 1e-12 {
				t.Errorf("seed %d: p's %v are adjusted to %v, want %v", seed, ps, adjusted, holm(ps))
				break
			}
		}
	}
}

func checkMoved(t *testing.T, pair Pair, before, after map[string]float64) {
	t.Helper()
	var want []Moved
	for id, b := range before {
		if math.Abs(after[id]-b) > 1e-9 {
			want = append(want, Moved{id, "nDCG@10", b, after[id]})
		}
	}
	slices.SortFunc(want, func(a, b Moved) int {
		return cmp.Or(cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)), cmp.Compare(a.QueryID, b.QueryID))
	})
	if want = want[:min(10, len(want))]; !slices.Equal(pair.Moved, want) {
		t.Errorf("%s: moved %v, want %v", pair.Run, pair.Moved, want)
	}
}

func TestMovedQueriesAreFew(t *testing.T) {
	a, b := fixed("a", .5, .5, .5, .5, .5), fixed("b", .6, .1, .5, .9, .4)
	ids := func(n int) (list []string) {
		for _, m := range compared(t, CompareOptions{Moved: n}, a, b).Pairs[0].Moved {
			list = append(list, m.QueryID)
		}
		return list
	}
	if got := ids(0); !slices.Equal(got, []string{"q0001", "q0003", "q0000", "q0004"}) { // equal changes by id
		t.Errorf("moved %v", got)
	}
	if got := ids(2); !slices.Equal(got, []string{"q0001", "q0003"}) {
		t.Errorf("the two that moved most are %v", got)
	}
	if got := ids(-1); got != nil {
		t.Errorf("nobody asked for %v", got)
	}
	if text := asJSON(t, compared(t, CompareOptions{}, a, a)); !strings.Contains(text, `"moved":[]`) {
		t.Errorf("nothing moved: %s", text)
	}
}

// Reports come with their queries in any order; what is compared does not depend on it, nor on who asks again.
func TestCompareDoesNotDependOnOrder(t *testing.T) {
	c := collection{queries: 40, seed: 9}
	a, b := evaluate(t, c.run(1, .5), "nDCG@10 RR"), evaluate(t, c.run(2, .8), "nDCG@10 RR")
	first := asJSON(t, compared(t, CompareOptions{Seed: 3}, a, b))
	if again := asJSON(t, compared(t, CompareOptions{Seed: 3}, a, b)); again != first {
		t.Errorf("%s\n%s", first, again)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	shuffled := a
	shuffled.Queries = slices.Clone(a.Queries)
	rnd.Shuffle(len(a.Queries), func(i, j int) {
		shuffled.Queries[i], shuffled.Queries[j] = shuffled.Queries[j], shuffled.Queries[i]
	})
	if again := asJSON(t, compared(t, CompareOptions{Seed: 3}, shuffled, b)); again != first {
		t.Errorf("the base shuffled:\n%s\n%s", first, again)
	}
	b.Queries = slices.Clone(b.Queries)
	slices.Reverse(b.Queries)
	if again := asJSON(t, compared(t, CompareOptions{Seed: 3}, a, b)); again != first {
		t.Errorf("the other reversed:\n%s\n%s", first, again)
	}
	if other := asJSON(t, compared(t, CompareOptions{Seed: 4}, a, b)); other == first {
		t.Error("the seed changes nothing")
	}
	// The other way round everything is mirrored.
	back, there := compared(t, CompareOptions{}, b, a).Pairs[0].Deltas[0], compared(t, CompareOptions{}, a, b).Pairs[0].Deltas[0]
	if *back.Delta != -*there.Delta || back.Wins != there.Losses || back.Losses != there.Wins || *back.P != *there.P || *back.T != *there.T {
		t.Errorf("%s\n%s", asJSON(t, back), asJSON(t, there))
	}
}

func TestCompareRefuses(t *testing.T) {
	a, b := fixed("a", 0, 1, 1), fixed("b", 1, 1, 0)
	change := func(r Report, f func(*Report)) Report { f(&r); return r }
	for name, c := range map[string]struct {
		reports []Report
		words   string
		differs bool
	}{
		"none":         {nil, "takes two runs", false},
		"one":          {[]Report{a}, "takes two runs", false},
		"labels":       {[]Report{a, change(b, func(r *Report) { r.Labels = "\x1b[31mother and long" })}, `the labels differ ("l" and "\x1b[31mother a")`, true},
		"corpus":       {[]Report{a, change(b, func(r *Report) { r.Corpus = "x" })}, `the corpora differ ("c" and "x")`, true},
		"scale":        {[]Report{a, change(b, func(r *Report) { r.Scale = "x" })}, `the scales differ ("s" and "x")`, true},
		"two":          {[]Report{a, change(b, func(r *Report) { r.Scale, r.Labels = "x", "y" })}, `the labels differ ("l" and "y"), the scales differ ("s" and "x")`, true},
		"rules":        {[]Report{a, change(b, func(r *Report) { r.Compat = "trec_eval-10" })}, `they count by different rules ("assay" and "trec_eval-10")`, true},
		"rules of two": {[]Report{change(a, func(r *Report) { r.Compat = "trec_eval-9" }), change(b, func(r *Report) { r.Compat = "trec_eval-10" })}, `("trec_eval-9" and "trec_eval-10")`, true},
		"the third":    {[]Report{a, b, change(b, func(r *Report) { r.Run, r.Labels = "third", "x" })}, `"a" and "third" can't be compared: the labels`, true},
		"no values":    {[]Report{a, change(b, func(r *Report) { r.Queries = nil })}, `the report of "b" has no values of single queries`, false},
		"no values, first measure undefined": {[]Report{a, change(b, func(r *Report) { r.Queries, r.Measures = nil, append([]Mean{{Name: "Sets@5"}}, r.Measures...) })},
			`the report of "b" has no values of single queries`, false},
		"nothing counts":     {[]Report{a, {Run: "b", Measures: []Mean{{Name: "R@5"}}}}, `"a" and "b" have no query in common`, false},
		"other queries":      {[]Report{a, change(b, func(r *Report) { r.Queries = []QueryValues{{QueryID: "x"}} })}, "no query in common", false},
		"other measures":     {[]Report{a, change(b, func(r *Report) { r.Measures = []Mean{{Name: "P@5", N: 1}} })}, "no measure in common", false},
		"a query twice":      {[]Report{a, change(b, func(r *Report) { r.Queries = append(r.Queries[:2:2], r.Queries[1]) })}, `the report of "b" lists query "q0001" twice`, false},
		"no measure's value": {[]Report{fixed("a", -math.MaxFloat64, 0), b}, `the report of "a" has -1.7976931348623157e+308 as "R@5" of query "q0000"`, false},
		"no number":          {[]Report{a, fixed("b", 1, math.NaN())}, `has NaN as "R@5"`, false},
		"counts only":        {[]Report{measuring(a, "NumRel", "GMAP", "Judged@10"), measuring(b, "NumRel", "GMAP", "Judged@10")}, "no measure in common that can be compared query by query", false},
		"names with escapes": {[]Report{a, change(b, func(r *Report) { r.Run, r.Queries = "\x1b]0;", nil })}, `"\x1b]0;"`, false},
	} {
		_, err := Compare(c.reports, CompareOptions{Resamples: 50})
		if err == nil || !strings.Contains(err.Error(), c.words) || errors.Is(err, ErrNotComparable) != c.differs || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
		if !c.differs {
			continue
		}
		forced, err := Compare(c.reports, CompareOptions{Resamples: 50, Force: true})
		if err != nil || len(forced.Warnings) != 1 || !strings.Contains(forced.Warnings[0], "are compared although") || len(forced.Pairs) != len(c.reports)-1 {
			t.Errorf("%s, forced: %v, warnings %q", name, err, forced.Warnings)
		}
	}
}

func measuring(r Report, names ...string) Report {
	r.Measures = nil
	for _, name := range names {
		r.Measures = append(r.Measures, Mean{Name: name, N: len(r.Queries)})
	}
	return r
}

// A fingerprint that one report lacks says nothing: a run measured against a plain qrels file has no corpus.
func TestCompareWithoutFingerprints(t *testing.T) {
	a, b := fixed("a", 0, 1, 1), fixed("b", 1, 1, 0)
	b.Labels, b.Corpus, b.Scale = "", "", ""
	a.Program, b.Program = "assay 1", "assay\x1b 2"
	b.Queries = b.Queries[:2]
	a.Queries = a.Queries[1:]
	c := compared(t, CompareOptions{}, a, b)
	want := []string{`"a" was measured by "assay 1", "b" by "assay\x1b 2"`, `2 queries are in only one of "a" and "b", and left out`}
	if !slices.Equal(c.Warnings, want) || c.Pairs[0].N != 1 || c.Pairs[0].Deltas[0].N != 1 {
		t.Errorf("%+v, want warnings %q", c, want)
	}
}

// A query that either retriever failed on says nothing about the rankings: pairs leave it out, and it is said how many.
func TestCompareLeavesFailedQueriesOut(t *testing.T) {
	for seed := range uint64(20) {
		c := collection{queries: 30, seed: seed}
		a, b := c.run(1, .5), c.run(2, .8)
		a.Failed = map[string]string{"q00003": "timeout", "q00004": "timeout", "q00029": "timeout", "elsewhere": "timeout"}
		b.Failed = map[string]string{"q00004": "timeout", "q00010": "timeout"}
		b = only(b, func(q Query) bool { return q.ID != "q00029" })
		ra, rb := evaluate(t, a, "nDCG@10 RR"), evaluate(t, b, "nDCG@10 RR")
		got := compared(t, CompareOptions{Seed: seed}, ra, rb)
		if want := []string{`1 query is in only one of "run 1" and "run 2", and left out`, `3 queries were not answered for one of "run 1" and "run 2", and left out`}; !slices.Equal(got.Warnings, want) {
			t.Fatalf("warnings %q, want %q", got.Warnings, want)
		}
		both := func(q Query) bool { return !slices.Contains([]string{"q00003", "q00004", "q00010", "q00029"}, q.ID) }
		want := compared(t, CompareOptions{Seed: seed}, evaluate(t, only(a, both), "nDCG@10 RR"), evaluate(t, only(b, both), "nDCG@10 RR"))
		if x, y := asJSON(t, got.Pairs), asJSON(t, want.Pairs); x != y || got.Pairs[0].N != 26 {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, x, y)
		}
		gates, warnings, err := NoWorse(ra, rb, 0, CompareOptions{Seed: seed, Resamples: 200})
		if err != nil || gates[0].N != 26 || !slices.Equal(warnings, got.Warnings) {
			t.Fatalf("gates %+v, warnings %q, %v", gates, warnings, err)
		}
	}
	all := collection{queries: 3, seed: 1}.run(1, .5)
	fine := evaluate(t, all, "RR")
	all.Failed = map[string]string{"q00000": "x", "q00001": "x", "q00002": "x"}
	if _, err := Compare([]Report{fine, evaluate(t, all, "RR")}, CompareOptions{}); err == nil || !strings.Contains(err.Error(), "no query in common that was answered for both") {
		t.Errorf("one of them answered nothing: %v", err)
	}
}

// A run that returns more has more to find: said wherever the depths differ and are known.
func TestCompareWarnsOfDepths(t *testing.T) {
	in := collection{queries: 12, seed: 2}.run(1, .5)
	deep := evaluate(t, in, "R@5 AP")
	for id, ranking := range in.Run.Rankings {
		in.Run.Rankings[id] = ranking[:7]
	}
	in.Run.Name = "short\x1b"
	shallow := evaluate(t, in, "R@5 AP")
	unknown := shallow
	unknown.Depth = 0 // made by an earlier version
	if deep.Depth != 20 || shallow.Depth != 7 {
		t.Fatalf("depths %d and %d", deep.Depth, shallow.Depth)
	}
	for _, c := range []struct {
		a, b Report
		want []string
	}{
		{deep, deep, nil},
		{deep, unknown, nil},
		{unknown, deep, nil},
		{deep, shallow, []string{`"run 1" is 20 deep and "short\x1b" 7: measures that look deeper than 7, or without a cut-off, see more of one`}},
		{shallow, deep, []string{`"short\x1b" is 7 deep and "run 1" 20: measures that look deeper than 7, or without a cut-off, see more of one`}},
	} {
		if got := compared(t, CompareOptions{}, c.a, c.b).Warnings; !slices.Equal(got, c.want) {
			t.Errorf("warnings %q, want %q", got, c.want)
		}
	}
}

// What can't be known is null, not NaN: one query, nothing changed, undefined on one side.
func TestUndefinedIsNullInComparisons(t *testing.T) {
	a, b := fixed("a", 1), fixed("b", 0)
	a.Measures, b.Measures = append(a.Measures, Mean{Name: "Sets@5"}), append(b.Measures, Mean{Name: "Sets@5"})
	text := asJSON(t, compared(t, CompareOptions{}, a, b))
	for _, want := range []string{
		`{"name":"R@5","n":1,"before":1,"after":0,"delta":-1,"wins":0,"ties":0,"losses":1,"p":1,"method":"mcnemar","p_holm":1,"p_t":null,"effect_size":null,"detectable":null,`,
		`{"name":"Sets@5","n":0,"before":null,"after":null,"delta":null,"wins":0,"ties":0,"losses":0,"p":null,"method":"none","p_holm":null,"p_t":null,"effect_size":null,"detectable":null,"note":"undefined for every query in one of the runs"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	same := asJSON(t, compared(t, CompareOptions{}, fixed("a", .2, .4), fixed("b", .2, .4)))
	if want := `"delta":0,"interval":{"lo":0,"hi":0,"method":"bootstrap"},"wins":0,"ties":2,"losses":0,"p":1,"method":"none","p_holm":1,"p_t":1,"effect_size":null,"detectable":null}`; !strings.Contains(same, want) {
		t.Errorf("%s\nlacks %s", same, want)
	}
	var back Comparison
	if err := json.Unmarshal([]byte(text), &back); err != nil || !reflect.DeepEqual(back, compared(t, CompareOptions{}, a, b)) {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

func TestNotesOnFewQueries(t *testing.T) {
	for _, c := range []struct {
		wins, losses, ties int
		note               string
	}{
		{0, 0, 9, ""},
		{1, 0, 9, "only 1 query changed: no outcome of so few could be significant at 0.05"},
		{5, 0, 9, "only 5 queries changed: no outcome"},
		{6, 0, 9, ""},
		{5, 1, 9, "if all 6 had changed equally, 6 would have had to go one way to be significant"},
		{1, 7, 0, "if all 8 had changed equally, 8 would have had"},
		{0, 8, 0, ""},
		{9, 1, 0, ""},
		{8, 2, 0, "if all 10 had changed equally, 9 would have had"},
		{14, 6, 0, "if all 20 had changed equally, 15 would have had"},
		{5, 15, 0, ""},
		{11, 10, 0, ""}, // enough changed for sizes to matter more than their number
	} {
		n := c.wins + c.losses + c.ties
		before, after := make([]float64, n), make([]float64, n)
		for i := range n {
			before[i], after[i] = .5, .5
			if i < c.wins {
				after[i] = 1
			} else if i < c.wins+c.losses {
				after[i] = 0
			}
		}
		d := compared(t, CompareOptions{}, fixed("a", before...), fixed("b", after...)).Pairs[0].Deltas[0]
		if d.Wins != c.wins || d.Losses != c.losses || d.Ties != c.ties || (c.note == "") != (d.Note == "") || !strings.Contains(d.Note, c.note) {
			t.Errorf("%d:%d:%d: %q, want %q", c.wins, c.ties, c.losses, d.Note, c.note)
		}
		if significant := *d.P <= .05; c.note != "" && significant {
			t.Errorf("%d:%d:%d: p = %v, yet %q", c.wins, c.ties, c.losses, *d.P, d.Note)
		}
	}
}

// Sizes count as well: a few small losses beside large wins need no further note.
func TestNoNoteWhereSizesSuffice(t *testing.T) {
	before, after := mix(18, 0, 0, .4), mix(18, 6, .39, .9)
	d := compared(t, CompareOptions{}, fixed("a", before...), fixed("b", after...)).Pairs[0].Deltas[0]
	if d.Wins != 12 || d.Losses != 6 || *d.P > .05 || d.Note != "" { // by number alone it takes 14
		t.Errorf("%s", asJSON(t, d))
	}
}

// Differences that are rounding are ties.
func TestRoundingIsNoDifference(t *testing.T) {
	tenth, fifth := .1, .2
	more := tenth + fifth // 0.30000000000000004
	d := compared(t, CompareOptions{}, fixed("a", more, .3, 1), fixed("b", .3, more, 1)).Pairs[0].Deltas[0]
	if d.Ties != 3 || *d.P != 1 || *d.Delta != 0 {
		t.Errorf("%s", asJSON(t, d))
	}
}
