package retrieval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/corpus"
)

// B074: a grade that no float can raise 2 to must not make a NaN.
func TestHugeGradesHaveFiniteGains(t *testing.T) {
	in := Input{
		Queries: []Query{
			{ID: "a", Done: true, Grades: map[string]corpus.Grade{"x": 1023, "y": 5}},
			{ID: "b", Done: true, Grades: map[string]corpus.Grade{"x": 1 << 30, "y": 1<<30 - 1}},
		},
		Run: corpus.Run{Rankings: map[string]corpus.Ranking{"a": {{ChunkID: "y", Score: 2}, {ChunkID: "z", Score: 1}}, "b": {{ChunkID: "x", Score: 1}}}},
	}
	r := evaluate(t, in, "nDCG(dcg='exp-log2')@20 nDCG nDCG@1")
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measures {
		if m.N != 2 || !(*m.Mean >= 0 && *m.Mean <= 1) || m.Bounds != nil && !(m.Bounds.Relevant >= 0 && m.Bounds.Relevant <= 1) {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
}

// A p-value can't fall below one over the number of draws, which must not decide what is significant.
func TestSmallAlphasGetEnoughDraws(t *testing.T) {
	const n = 60
	all, none := make([]float64, n), make([]float64, n)
	for i := range all {
		all[i] = 0.5 + float64(i)/200 // of different sizes, so that signs are drawn
	}
	c, err := Compare([]Report{fixed("base", none...), fixed("now", all...)}, CompareOptions{Alpha: 0.0001})
	if err != nil {
		t.Fatal(err)
	}
	if d := c.Pairs[0].Deltas[0]; *d.Holm > 0.0001 || d.Method != "randomization" {
		t.Errorf("%d of %d won: p is %v, adjusted %v (%s)", d.Wins, d.N, *d.P, *d.Holm, d.Method)
	}
	if got := drawsFor(1, 1e-9); got != mostDraws {
		t.Errorf("%d draws", got)
	}
}

func TestWarningsDoNotQuoteWholePages(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1}, ranked("a"))
	in.Run.Rankings[strings.Repeat("x", 8000)] = ranked("a")
	if w := strings.Join(evaluate(t, in, "R@5").Warnings, "\n"); len(w) > 400 || !strings.Contains(w, "xxx…") {
		t.Errorf("%d bytes: %.300s", len(w), w)
	}
	if _, err := ParseMeasures(strings.Repeat("x", 100_000)); err == nil || len(err.Error()) > 300 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

func TestShallowRankingsAreNamed(t *testing.T) {
	in := Input{Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	for i := range 12 {
		id := fmt.Sprint("q", i)
		in.Queries = append(in.Queries, Query{ID: id, Done: true, Grades: map[string]corpus.Grade{"a": 1}})
		in.Run.Rankings[id] = ranked("a", "b", "c")
	}
	if r := evaluate(t, in, "R@3 R@5 nDCG@10 RR"); !warned(r, "rankings end at 3: R@5, nDCG@10 can't see deeper") {
		t.Errorf("%q", r.Warnings)
	}
	if r := evaluate(t, in, "R@3 RR"); warned(r, "can't see deeper") {
		t.Errorf("%q", r.Warnings)
	}
	for i := range 7 { // most find fewer: nothing was cut off
		in.Run.Rankings[fmt.Sprint("q", i)] = ranked("a")
	}
	if r := evaluate(t, in, "R@5"); warned(r, "can't see deeper") {
		t.Errorf("%q", r.Warnings)
	}
}

// What is printed for other programs keeps ids byte for byte, unless a line could not hold them.
func TestTrecLinesKeepIds(t *testing.T) {
	in := Input{Run: corpus.Run{Name: "a\u202eb", Rankings: map[string]corpus.Ranking{}}}
	for _, id := range []string{"q\u202e1", "q\u00a02", "q\t3\n", "ü"} {
		in.Queries = append(in.Queries, Query{ID: id, Done: true, Grades: map[string]corpus.Grade{"a": 1}})
	}
	var out bytes.Buffer
	if err := WriteTREC(&out, evaluate(t, in, "RR"), true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4+3 || !strings.Contains(out.String(), "\tq\u202e1\t") || !strings.Contains(out.String(), "\tü\t") || !strings.Contains(out.String(), "\ta\u202eb\n") {
		t.Errorf("%q", out.String())
	}
	for _, line := range lines {
		if strings.Count(line, "\t") != 2 {
			t.Errorf("%q", line)
		}
	}
}

// Grades mean the same under other names.
func TestNamesOfGradesDoNotMatter(t *testing.T) {
	a, b := fixed("base", .5, .6), fixed("now", .5, .7)
	a.Scale = corpus.NewScale(0, 3, map[corpus.Grade]string{3: "best"}, 1).ID
	b.Scale = corpus.NewScale(0, 3, nil, 1).ID
	if a.Scale == b.Scale {
		t.Fatal("names are not in the id")
	}
	if _, err := Compare([]Report{a, b}, CompareOptions{}); err != nil {
		t.Error(err)
	}
	b.Scale = corpus.NewScale(0, 3, nil, 2).ID
	if _, err := Compare([]Report{a, b}, CompareOptions{}); err == nil {
		t.Error("another threshold is the same scale")
	}
}

// Where Judged@k is not asked for, what is judged is told all the same.
func TestFewJudgedIsWarnedOfWithoutAsking(t *testing.T) {
	in := one(map[string]corpus.Grade{"a": 1}, ranked("a", "b", "c", "d", "e", "f"))
	if r := evaluate(t, in, "RR nDCG@5 R@2 R@50"); !warned(r, "only 20% of what nDCG@5 looks at was ever judged") || warned(r, "R@50 looks") {
		t.Errorf("%q", r.Warnings)
	}
	if r := evaluate(t, in, "R@1 R@50 RR"); warned(r, "was ever judged") {
		t.Errorf("%q", r.Warnings)
	}
	if r := evaluate(t, in, "R@5 Judged@5"); warned(r, "was ever judged") || !warned(r, "Judged@5 is 0.20") {
		t.Errorf("%q", r.Warnings)
	}
}
