package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Weighted is a mean of values with unequal weights, from a sample with unequal chances.
type Weighted struct {
	Mean      float64
	Interval  Interval
	N         int     // values that count
	Effective float64 // as many values of equal weight say as much: (Σw)²/Σw², Kish 1965
}

// WeightedMean estimates the mean over all that a sample was drawn from: x are values from 0 to 1, such as recall, and
// weights say for how many each stands. inclusions are the probabilities with which each was drawn, 1 for what was
// certain to be and so adds no uncertainty; nil where unknown, or where the sample stands for more than it was drawn from.
// NaN among x is undefined and left out. Not ok where nothing is left, a value lies outside 0…1, a weight is not above 0
// and finite, an inclusion outside 0…1, or level outside 0…1. It panics where lengths differ.
//
// The mean is Hájek's (1971), Σwx/Σw. Its variance is the linearised one of order sampling (Rosén 1997), which treats what
// is certain as such, but not below what the weights alone make of the spread of x (Kish's 1+CV²): where a few weights
// are large, few values decide, and the first may see too little of them. The interval is Clopper and Pearson's for the
// number of independent answers that would be as uncertain (Korn and Graubard 1998), so that it stays within 0…1 and says
// something where all values are equal; Student's t takes degrees of freedom after Satterthwaite (1946) from the weights.
// At last it leaves room for what is heavier than anything drawn: above the heaviest of those drawn with probability p
// there are 1/p − 1 others on average, as many as it stands for beside itself. They may have any value.
//
// Strata are not asked for. Centring the variance within them would make intervals about 2% narrower where the sample is
// stratified, and too narrow where it is not. In simulations (11 designs, 5 populations) it held the mean in 95 to 100 of
// 100 samples even without that room; with the lower bound of the variance left out too in as few as 92, with n−1 degrees
// of freedom in as few as 67. One thing no interval can know: where a few queries make up much of what was asked, a
// sample that took all queries alike often holds none of them. On such traffic the mean was held in 88 of 100.
func WeightedMean(x, weights, inclusions []float64, level float64) (Weighted, bool) {
	if len(weights) != len(x) || inclusions != nil && len(inclusions) != len(x) {
		panic("stats: values and weights differ in number")
	}
	var w Weighted
	var sum, products, squares float64
	for i, v := range x {
		if math.IsNaN(v) {
			continue
		}
		if !(v >= 0 && v <= 1) || !(weights[i] > 0) || math.IsInf(weights[i], 1) || inclusions != nil && !(inclusions[i] >= 0 && inclusions[i] <= 1) {
			return Weighted{}, false
		}
		w.N++
		sum += weights[i]
	}
	if w.N == 0 || !proper(level) || math.IsInf(sum, 1) {
		return Weighted{}, false
	}
	for i, v := range x {
		if math.IsNaN(v) {
			continue
		}
		share := weights[i] / sum // shares sum to 1: no scale of weights over- or underflows
		products += share * v
		squares += share * share
	}
	w.Mean, w.Effective = min(1, products), 1/squares
	d := deviations{mean: w.Mean}
	for i, v := range x {
		if !math.IsNaN(v) {
			free := 1.0
			if inclusions != nil {
				free -= inclusions[i]
			}
			d.add(v, weights[i]/sum, free)
		}
	}
	w.Interval = d.interval(level)
	return w, true
}

// deviations gather how uncertain a weighted mean is. share is a weight's part of all weights, free the part of its
// value's inclusion that chance decided: 1 − inclusion.
type deviations struct {
	mean                float64
	uncertain           float64 // values of which free > 0
	free, lean, squares float64 // Σ free, Σ free·z, Σ free·z² with z = share·(x−mean)
	spread              float64 // Σ share·(x−mean)²
	load, loads         float64 // Σ a, Σ a² with a = free·share²
	heaviest            float64 // the largest free·share
}

func (d *deviations) add(x, share, free float64) {
	z := share * (x - d.mean)
	d.spread += z * (x - d.mean)
	if free <= 0 {
		return
	}
	d.uncertain++
	d.heaviest = max(d.heaviest, free*share)
	d.free += free
	d.lean += free * z
	d.squares += free * z * z
	a := free * share * share
	d.load += a
	d.loads += a * a
}

func (d *deviations) interval(level float64) Interval {
	if d.load == 0 { // nothing was left to chance
		return Interval{d.mean, d.mean}
	}
	answers := 1 / d.load
	if d.spread > 1e-18 { // else all values are equal
		variance := (d.squares - d.lean*d.lean/d.free) * d.uncertain / max(1, d.uncertain-1)
		answers = d.mean * (1 - d.mean) / max(variance, d.spread*d.load)
	}
	tail := (1 - level) / 2
	t := distuv.UnitNormal.Quantile(1-tail) / studentQuantile(1-tail, max(1, d.load*d.load/d.loads-1))
	i, unseen := clopperPearson(d.mean, answers*t*t, tail), d.heaviest/(1+d.heaviest)
	return Interval{i.Lo * (1 - unseen), i.Hi*(1-unseen) + unseen}
}

// clopperPearson is the interval of a share of n answers, which need not be a whole number.
func clopperPearson(share, n, tail float64) Interval {
	i := Interval{0, 1}
	yes, no := share*n, (1-share)*n
	if yes > 0 {
		i.Lo = distuv.Beta{Alpha: yes, Beta: no + 1}.Quantile(tail)
	}
	if no > 0 {
		i.Hi = distuv.Beta{Alpha: yes + 1, Beta: no}.Quantile(1 - tail)
	}
	return Interval{min(i.Lo, share), max(i.Hi, share)}
}
