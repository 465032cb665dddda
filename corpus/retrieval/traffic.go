package retrieval

import (
	"fmt"
	"math"

	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
)

// Traffic is a measure over all that was asked, estimated from the queries that have a weight: sampled ones, each of
// which stands for Weight asked queries. Queries without a weight, such as written ones, are no part of it.
type Traffic struct {
	Value     float64 `json:"value"`
	Interval  Range   `json:"interval"`    // 95% confidence, by stats.WeightedMean
	N         int     `json:"n"`           // queries with a weight for which the measure is defined
	Outside   int     `json:"outside"`     // queries without a weight for which it is defined
	Effective float64 `json:"effective_n"` // as many queries of equal weight say as much
	Asked     float64 `json:"asked"`       // how many asked queries the N stand for: their weights' sum
}

// Range are the ends of an interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// interval is the range as gates print intervals.
func (t Traffic) interval() *Interval {
	return &Interval{Lo: t.Interval.Low, Hi: t.Interval.High, Method: "weighted"}
}

// weighted reports whether a weight is one: above 0 and finite.
func weighted(w float64) bool { return w > 0 && !math.IsInf(w, 1) }

// chances says with which probability a query with a weight came to be measured: its inclusion, which is Count/Weight,
// times the share of the sampled queries that are labeled to the end. Nil where weights say nothing of chances: where
// some query weighs less than it was asked, as with weights that somebody scaled; and where each weighs as much as it was
// asked. Then all were taken, and the figure is for traffic like it, of which this is a sample.
func (in Input) chances() func(Query) float64 {
	sampled, finished, drawn := 0, 0, false
	for _, q := range in.Queries {
		if !weighted(q.Weight) {
			continue
		}
		if sampled++; in.why(q) != WhyUnfinished {
			finished++
		}
		switch p := inclusion(q); {
		case p > 1+noise:
			return nil
		case p < 1-noise:
			drawn = true
		}
	}
	if !drawn {
		return nil
	}
	labeled := float64(finished) / float64(sampled)
	return func(q Query) float64 { return labeled * min(1, inclusion(q)) }
}

func inclusion(q Query) float64 { return float64(max(1, q.Count)) / q.Weight }

// traffic is the figure for the traffic from a measure's values; nil where no query has a weight, and for what is no
// mean of values from 0 to 1: sums and the geometric mean.
func traffic(m Measure, values []float64, scores []score) *Traffic {
	if m.Summed() || m.Kind() == measure.GMAP {
		return nil
	}
	var t Traffic
	var x, weights, chances []float64
	known := true
	for i, s := range scores {
		switch {
		case math.IsNaN(values[i]):
		case !weighted(s.weight):
			t.Outside++
		default:
			x, weights, chances = append(x, tidied(values[i])), append(weights, s.weight), append(chances, s.chance)
			t.Asked += s.weight
			known = known && s.chance > 0
		}
	}
	if !known {
		chances = nil
	}
	w, ok := stats.WeightedMean(x, weights, chances, confidence)
	if !ok {
		return nil
	}
	t.Value, t.Interval = w.Mean, Range{w.Interval.Lo, w.Interval.Hi}
	t.N, t.Effective = w.N, w.Effective
	return &t
}

// tidied takes what floating point made of 0 and 1 for what they are.
func tidied(v float64) float64 {
	switch {
	case v > 1 && v < 1+noise:
		return 1
	case v < 0 && v > -noise:
		return 0
	}
	return v
}

// TrafficLine says what the figures for the traffic stand on, in one line; "" where there are none.
func TrafficLine(measures []Mean) string {
	var widest *Traffic
	for _, m := range measures {
		if t := m.Traffic; t != nil && (widest == nil || t.N > widest.N) {
			widest = t
		}
	}
	if widest == nil {
		return ""
	}
	line := fmt.Sprintf("%s with a weight stand for %.0f asked ones, and are worth %.0f of equal weight",
		count(widest.N, "query", "queries"), widest.Asked, widest.Effective)
	if widest.N == 1 {
		line = fmt.Sprintf("one query with a weight stands for %.0f asked ones", widest.Asked)
	}
	if widest.Outside > 0 {
		line += fmt.Sprintf("; %s without a weight left out", count(widest.Outside, "query", "queries"))
	}
	return line
}
