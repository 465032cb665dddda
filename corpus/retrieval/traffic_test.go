package retrieval

import (
	"math"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/stats"
)

// asked are queries with a relevant chunk each, found at the given rank (0: not found), and what they stand for.
type asked struct {
	rank, count int
	weight      float64
}

func sampled(list ...asked) Input {
	in := Input{Run: corpus.Run{Name: "run", Rankings: map[string]corpus.Ranking{}}}
	for i, a := range list {
		id := string(rune('a' + i))
		in.Queries = append(in.Queries, Query{ID: id, Done: true, Grades: map[string]corpus.Grade{"x": 1}, Count: a.count, Weight: a.weight})
		switch a.rank {
		case 0:
			in.Run.Rankings[id] = ranked("y")
		case 1:
			in.Run.Rankings[id] = ranked("x", "y")
		case 2:
			in.Run.Rankings[id] = ranked("y", "x")
		}
	}
	return in
}

func TestTrafficByHand(t *testing.T) {
	// RR is 1, ½, 0, 1 and, for a query that somebody wrote, 0: weighted (10 + 2 + 0 + 4) / 20, plainly 2.5/5.
	in := sampled(asked{1, 10, 10}, asked{2, 2, 4}, asked{0, 1, 2}, asked{1, 1, 4}, asked{0, 3, 0})
	r := evaluate(t, in, "RR NumRet GMAP R@1")
	m := r.Measures[0]
	if *m.Mean != .5 || m.N != 5 {
		t.Errorf("the mean over queries is %v of %d", *m.Mean, m.N)
	}
	got := m.Traffic
	if got == nil || math.Abs(got.Value-.8) > 1e-15 || got.N != 4 || got.Outside != 1 || got.Asked != 20 || math.Abs(got.Effective-400./136) > 1e-12 {
		t.Fatalf("for the traffic: %+v", got)
	}
	// All of the first query's chances were 1, the others' 1/2, 1/2 and 1/4.
	w, _ := stats.WeightedMean([]float64{1, .5, 0, 1}, []float64{10, 4, 2, 4}, []float64{1, .5, .5, .25}, .95)
	if got.Interval != (Range{w.Interval.Lo, w.Interval.Hi}) {
		t.Errorf("interval %+v, want %+v", got.Interval, w.Interval)
	}
	// R@1 is 1, 0, 0, 1: 14 of 20.
	if got := r.Measures[3].Traffic; got == nil || math.Abs(got.Value-.7) > 1e-15 {
		t.Errorf("R@1 for the traffic: %+v", got)
	}
	if r.Measures[1].Traffic != nil || r.Measures[2].Traffic != nil {
		t.Errorf("NumRet %+v, GMAP %+v", r.Measures[1].Traffic, r.Measures[2].Traffic)
	}
	if s := asJSON(t, got); !strings.HasPrefix(s, `{"value":0.8,"interval":{"low":0.`) || !strings.Contains(s, `"n":4,"outside":1,"effective_n":2.94`) || !strings.HasSuffix(s, `,"asked":20}`) {
		t.Error(s)
	}
}

func TestNoWeightsNoTraffic(t *testing.T) {
	r := evaluate(t, sampled(asked{1, 10, 0}, asked{2, 2, math.Inf(1)}, asked{0, 1, math.NaN()}, asked{1, 1, -3}), "RR")
	if m := r.Measures[0]; m.Traffic != nil || m.N != 4 || strings.Contains(asJSON(t, m), "traffic") {
		t.Errorf("%+v", m.Traffic)
	}
	if line := TrafficLine(r.Measures); line != "" {
		t.Error(line)
	}
}

// Equal weights give the mean over the queries; it is an estimate still, with an interval.
func TestEqualWeights(t *testing.T) {
	in := sampled(asked{1, 1, 7}, asked{2, 1, 7}, asked{0, 1, 7}, asked{1, 1, 7})
	m := evaluate(t, in, "RR").Measures[0]
	if m.Traffic == nil || math.Abs(m.Traffic.Value-*m.Mean) > 1e-15 || math.Abs(m.Traffic.Effective-4) > 1e-9 || m.Traffic.Interval.High-m.Traffic.Interval.Low < .2 {
		t.Errorf("%+v beside %v", m.Traffic, *m.Mean)
	}
}

// What a measure leaves out, the traffic's figure leaves out too.
func TestTrafficIsOverWhatIsDefined(t *testing.T) {
	in := sampled(asked{1, 1, 10}, asked{0, 1, 30}, asked{1, 1, 60}, asked{1, 1, 500}, asked{1, 1, 900})
	in.Queries[0].Sets = [][]string{{"x"}}
	in.Queries[1].Sets = [][]string{{"x"}}
	in.Queries[3].Done = false
	in.Queries[4].Unanswerable, in.Queries[4].Grades = true, nil
	r := evaluate(t, in, "Sets@5 R@1")
	if got := r.Measures[0].Traffic; got == nil || got.Value != .25 || got.N != 2 || got.Asked != 40 {
		t.Errorf("Sets@5: %+v", got)
	}
	if got := r.Measures[1].Traffic; got == nil || math.Abs(got.Value-.7) > 1e-15 || got.N != 3 || got.Asked != 100 {
		t.Errorf("R@1: %+v", got)
	}
	in.By = []Facet{ByFrequency}
	if s := evaluate(t, in, "R@1").Slices; len(s) != 1 || s[0].Measures[0].Traffic == nil {
		t.Errorf("slices %+v", s)
	}
}

// What was certain to be drawn adds no uncertainty, unless it was not labeled, or nothing was left to chance at all.
func TestWhatWasCertainIsKnown(t *testing.T) {
	width := func(in Input) float64 {
		r := evaluate(t, in, "RR").Measures[0].Traffic
		return r.Interval.High - r.Interval.Low
	}
	certain := []asked{{1, 100, 100}, {0, 80, 80}, {2, 60, 60}, {1, 60, 60}, {1, 1, 4}, {0, 1, 4}, {0, 1, 4}, {1, 1, 4}}
	known := width(sampled(certain...))
	if known > .15 {
		t.Errorf("%.3f wide where 300 of 316 are known", known)
	}
	half := sampled(certain...)
	for i := range 8 {
		half.Queries = append(half.Queries, Query{ID: string(rune('m' + i)), Count: 1, Weight: 4})
	}
	if w := width(half); w < 2*known {
		t.Errorf("%.3f wide where half of the sample is labeled, %.3f where all is", w, known)
	}
	all := sampled(asked{1, 100, 100}, asked{0, 80, 80}, asked{2, 60, 60}, asked{1, 60, 60})
	if w := width(all); w < .5 {
		t.Errorf("%.3f wide where all were taken", w)
	}
	scaled := sampled(certain...)
	for i := range scaled.Queries {
		scaled.Queries[i].Weight /= 100
	}
	if w := width(scaled); w < .5 {
		t.Errorf("%.3f wide where weights are no counts", w)
	}
}

func TestTrafficLine(t *testing.T) {
	for want, in := range map[string]Input{
		"4 queries with a weight stand for 20 asked ones, and are worth 3 of equal weight; 1 query without a weight left out": sampled(asked{1, 10, 10}, asked{2, 2, 4}, asked{0, 1, 2}, asked{1, 1, 4}, asked{0, 3, 0}),
		"one query with a weight stands for 12 asked ones; 2 queries without a weight left out":                               sampled(asked{1, 10, 12}, asked{1, 1, 0}, asked{1, 1, 0}),
	} {
		if got := TrafficLine(evaluate(t, in, "RR R@1").Measures); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWeightsComeFromTheGoldSet(t *testing.T) {
	weight, bad := 12.5, -1.0
	for _, c := range []struct {
		weight *float64
		want   float64
	}{{&weight, 12.5}, {nil, 0}, {&bad, 0}} {
		if q := StatusOf(corpus.GoldRow{QueryID: "a", Count: 5, Weight: c.weight}); q.Weight != c.want || q.Count != 5 {
			t.Errorf("%+v", q)
		}
	}
}

func TestFloatingPointIsTidied(t *testing.T) {
	for v, want := range map[float64]float64{math.Nextafter(1, 2): 1, -1e-17: 0, .5: .5, 1.5: 1.5, -.5: -.5} {
		if got := tidied(v); got != want {
			t.Errorf("%v becomes %v", v, got)
		}
	}
}

func TestGatesOnTheTraffic(t *testing.T) {
	in := sampled(asked{1, 10, 10}, asked{2, 2, 4}, asked{0, 1, 2}, asked{1, 1, 4}, asked{0, 3, 0})
	in.Queries[4].Tags = []string{"mine"}
	in.By = []Facet{ByTag}
	r := evaluate(t, in, "RR R@1")
	for text, want := range map[string]struct {
		verdict Verdict
		line    string
	}{
		"traffic:RR>=0.8":      {Pass, "RR for the traffic is 0.8000, want >= 0.8 (95% interval 0."},
		" traffic: RR >= 0.81": {Fail, "RR for the traffic is 0.8000, want >= 0.81"},
		"RR>=0.8":              {Fail, "RR is 0.5000, want >= 0.8"}, // over the queries, unless the gate says otherwise
		"traffic:RR>=0.1@mine": {Fail, "there is no RR for the traffic of tag mine: no query that counts has a weight"},
		"traffic:P@9>=0.1":     {Fail, "there is no P@9 for the traffic: it was not measured"},
	} {
		g, err := ParseGate(text)
		if err != nil || g.Text != text {
			t.Errorf("%q: %+v, %v", text, g, err)
			continue
		}
		got := g.Check(r)
		if got.Verdict != want.verdict || !strings.Contains(got.Line, want.line) || got.Traffic != g.Traffic {
			t.Errorf("%q: %+v", text, got)
		}
		if g.Traffic && got.Figure != nil && (got.N != 4 || got.Interval.Method != "weighted" || got.Interval.Lo != r.Measures[0].Traffic.Interval.Low) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]string{
		"traffic:NumRet>=3": `gate "traffic:NumRet>=3": there is no NumRet for the traffic`,
		"traffic:GMAP>=0.1": "there is no GMAP for the traffic",
		"traffic:":          `gate "traffic:" has no >=`,
		"traffic:R@5>=2":    `gate "traffic:R@5>=2": R@5 lies between 0 and 1`,
	} {
		if _, err := ParseGate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
