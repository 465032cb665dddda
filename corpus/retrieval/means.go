package retrieval

import (
	"math"
	"slices"
	"time"

	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
)

// confidence is how sure intervals are.
const confidence = 0.95

// leastAP is what GMAP takes an AP for at least, as trec_eval does.
const leastAP = 0.00001

// means sums in the order of the queries and divides last, as trec_eval does.
func (in Input) means(measures []Measure, scores []score) []Mean {
	list := make([]Mean, 0, len(measures))
	column := func(of func(score) []float64, i int) []float64 {
		values := make([]float64, len(scores))
		for q, s := range scores {
			values[q] = of(s)[i]
		}
		return values
	}
	columns := make([][]float64, len(measures))
	for i, m := range measures {
		columns[i] = column(func(s score) []float64 { return s.values }, i)
		mean := in.mean(m, columns[i], scores)
		mean.Traffic = traffic(m, columns[i], scores)
		if mean.Mean != nil && !m.Summed() {
			if m.Kind() != measure.JudgedShare && m.Kind() != measure.EvidenceSets {
				_, judged := total(column(func(s score) []float64 { return s.judged }, i))
				mean.Judged = defined(judged)
			}
			low, high := average(m, column(func(s score) []float64 { return s.low }, i)), average(m, column(func(s score) []float64 { return s.high }, i))
			if low != *mean.Mean || high != *mean.Mean {
				mean.Bounds = &Bounds{low, high}
			}
		}
		list = append(list, mean)
	}
	in.intervals(measures, columns, list)
	return list
}

// mean is a measure's figure over all queries without what stands beside it.
func (in Input) mean(m Measure, values []float64, scores []score) Mean {
	mean := Mean{Name: m.String()}
	n, _ := total(values)
	mean.N = n
	switch {
	case n < len(values) && m.Kind() == measure.Interpolated:
		mean.Why = "trec_eval has no number where nothing judged is returned"
	case n > 0:
		mean.Mean = defined(average(m, values))
	case len(values) == 0:
		mean.Why = "no query counts"
	case m.Kind() == measure.EvidenceSets:
		mean.Why = "no query has evidence sets"
	default:
		mean.Why = "undefined for every query"
	}
	if m.Kind() == measure.NumRel && in.Compat != Assay && n > 0 {
		sum := 0.0
		for _, s := range scores {
			sum += float64(s.positive) // with -c trec_eval counts what is above 0, whatever counts as relevant
		}
		mean.Mean = &sum
	}
	return mean
}

// total counts what is defined and averages it; NaN where nothing is.
func total(values []float64) (n int, mean float64) {
	sum := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			n++
			sum += v
		}
	}
	return n, sum / float64(n)
}

// average is the figure of a measure over its values.
func average(m Measure, values []float64) float64 {
	if m.Kind() == measure.GMAP {
		_, mean := total(logs(values))
		return math.Exp(mean)
	}
	n, mean := total(values)
	if m.Summed() {
		return mean * float64(n)
	}
	return mean
}

func logs(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.Log(max(v, leastAP))
	}
	return list
}

// intervals fills in the intervals of means from the columns of values; one resampling serves all.
func (in Input) intervals(measures []Measure, columns [][]float64, means []Mean) {
	if in.Resamples == 0 {
		return
	}
	var at []int
	var resampled [][]float64
	for i, m := range measures {
		if m.Summed() || means[i].N < 2 || means[i].Mean == nil {
			continue
		}
		values := columns[i]
		if m.Kind() == measure.GMAP {
			values = logs(values)
		}
		at, resampled = append(at, i), append(resampled, values)
	}
	for j, b := range stats.Bootstraps(resampled, confidence, in.Resamples, in.Seed) {
		if !b.OK {
			continue
		}
		i := at[j]
		interval, least := *widened(b.Interval, *means[i].Mean, means[i].N, 0), 0.0
		if measures[i].Kind() == measure.GMAP {
			least = leastAP
			logs := widened(b.Interval, math.Log(*means[i].Mean), means[i].N, math.Log(leastAP))
			interval.Lo, interval.Hi = math.Exp(logs.Lo), min(1, math.Exp(logs.Hi))
		}
		if b.Lo == b.Hi { // all values are the same: resampling has nothing to say
			interval = unanimous(*means[i].Mean, least, means[i].N)
		}
		means[i].Interval = &interval
	}
}

// widened is a percentile interval as wide as Student's t has it: percentiles alone know nothing of how uncertain a
// spread is that few values show (Hesterberg 2015 calls it expanded). It ends at what a mean can be, least to 1.
func widened(b stats.Interval, mean float64, n int, least float64) *Interval {
	by := stats.Widening(n, confidence)
	return &Interval{max(least, mean-by*(mean-b.Lo)), min(1, mean+by*(b.Hi-mean)), "bootstrap"}
}

// unanimous is the interval of a mean of n times the same value, which lies between least and 1. The share of queries
// that have another value is at most what Wilson allows where none of n has; at worst they all have the least, or 1.
// Where the value is 0 or 1 that is Wilson's interval of a share.
func unanimous(value, least float64, n int) Interval {
	others, _ := stats.Wilson(0, n, confidence)
	if least > 0 {
		return Interval{value * math.Pow(least/value, others.Hi), value * math.Pow(1/value, others.Hi), "wilson"}
	}
	return Interval{value * (1 - others.Hi), value + (1-value)*others.Hi, "wilson"}
}

// curveDepths are the points of the recall curve.
var curveDepths = []int{1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000}

// recallByK is mean recall at each depth that some ranking reaches, the deepest included.
func recallByK(scores []score) []CurvePoint {
	deepest := deepest(scores)
	var curve []CurvePoint
	point := func(i, k int) {
		sum := 0.0
		for _, s := range scores {
			if s.relevant > 0 {
				sum += float64(s.found[i]) / float64(s.relevant)
			}
		}
		curve = append(curve, CurvePoint{k, sum / float64(len(scores))})
	}
	for i, k := range curveDepths {
		if k <= deepest {
			point(i, k)
		}
	}
	if n := len(curve); deepest > 0 && curve[n-1].K < deepest {
		point(len(curveDepths), deepest)
	}
	return curve
}

// unanswerable describes what the retriever does with queries that nothing answers.
func (in Input) unanswerable(queries []Query, counted []score) *Unanswerable {
	u := &Unanswerable{Queries: len(queries)}
	var without, with []float64
	for _, q := range queries {
		if _, failed := in.Failed[q.ID]; failed {
			u.Queries-- // it was not asked, or there is no telling what it would have got
			continue
		}
		if ranking := in.ranking(q.ID); len(ranking) > 0 {
			u.Returned++
			top := ranking[0].Score
			for _, hit := range ranking {
				top = max(top, hit.Score)
			}
			without = append(without, top)
		}
	}
	for _, s := range counted {
		if s.returned > 0 {
			with = append(with, s.top)
		}
	}
	if u.Queries == 0 {
		return nil
	}
	u.TopScore, u.Answerable = quantiles(without), quantiles(with)
	if p, ok := stats.AUC(with, without); ok {
		u.Separation = &p
	}
	return u
}

// quantiles are nil for none, and where a score is infinite, which JSON can't say.
func quantiles(values []float64) *Quantiles {
	q := stats.Quantiles(values, 0, .25, .5, .75, 1)
	if q == nil || math.IsNaN(q[0]) {
		return nil
	}
	return &Quantiles{len(values), q[0], q[1], q[2], q[3], q[4]}
}

// latency sums up how long the retriever took, in milliseconds.
func latency(took map[string]time.Duration) *Latency {
	if len(took) == 0 {
		return nil
	}
	ms := make([]float64, 0, len(took))
	for _, d := range took {
		ms = append(ms, float64(d)/float64(time.Millisecond))
	}
	slices.Sort(ms) // a map has no order, and sums depend on it
	q := stats.Quantiles(ms, .5, .95, .99, 1)
	return &Latency{len(ms), stats.Mean(ms), q[0], q[1], q[2], q[3]}
}
