package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
)

// Gate is a figure that a build must reach, over all queries or a slice of them.
type Gate struct {
	Text    string
	Measure Measure
	Op      string // >=, >, <= or <
	Bound   float64
	By      Facet // "" is all queries
	Value   string
	Traffic bool // the figure for the traffic, instead of the mean over the queries
}

// onTraffic begins a gate on the figure for the traffic.
const onTraffic = "traffic:"

// ParseGate reads "R@5>=0.8", or "nDCG@10>=0.6@identifier" for the queries with that tag; another facet is named:
// "R@5>=0.8@kind:mined". "traffic:R@5>=0.8" looks at the figure for the traffic.
func ParseGate(text string) (Gate, error) {
	g := Gate{Text: text}
	text, g.Traffic = strings.CutPrefix(strings.TrimSpace(text), onTraffic)
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return g, fmt.Errorf("gate %q has no >=, e.g. \"R@5>=0.8\"", g.Text)
	}
	g.Op = text[at : at+1]
	rest := text[at+1:]
	if strings.HasPrefix(rest, "=") {
		g.Op, rest = g.Op+"=", rest[1:]
	}
	measures, err := ParseMeasures(text[:at])
	if err != nil {
		return g, fmt.Errorf("gate %q: %w", g.Text, err)
	}
	if len(measures) > 1 {
		return g, fmt.Errorf("gate %q names %d measures; give each its own", g.Text, len(measures))
	}
	if g.Measure = measures[0]; g.Traffic && (g.Measure.Summed() || g.Measure.Kind() == measure.GMAP) {
		return g, fmt.Errorf("gate %q: there is no %s for the traffic", g.Text, g.Measure)
	}
	bound, slice, sliced := strings.Cut(rest, "@")
	if g.Bound, err = strconv.ParseFloat(strings.TrimSpace(bound), 64); err != nil || math.IsNaN(g.Bound) || math.IsInf(g.Bound, 0) {
		return g, fmt.Errorf("gate %q: %q is not a number", g.Text, strings.TrimSpace(bound))
	}
	if !g.Measure.Summed() && (g.Bound < 0 || g.Bound > 1) {
		return g, fmt.Errorf("gate %q: %s lies between 0 and 1", g.Text, g.Measure)
	}
	if !sliced {
		return g, nil
	}
	g.By, g.Value = ByTag, strings.TrimSpace(slice)
	if by, value, ok := strings.Cut(g.Value, ":"); ok && slices.Contains(Facets(), Facet(by)) {
		g.By, g.Value = Facet(by), strings.TrimSpace(value)
	}
	if g.Value == "" {
		return g, fmt.Errorf("gate %q names no tag behind the @", g.Text)
	}
	return g, nil
}

// Slice says in words which queries the gate looks at; "" for all.
func (g Gate) Slice() string {
	if g.By == "" {
		return ""
	}
	return string(g.By) + " " + g.Value
}

// Check holds the gate against a report that has its measure and its facet's slices. A figure over no query fails: a
// gate that nothing was measured for must not pass.
func (g Gate) Check(r Report) GateResult {
	result := GateResult{Gate: g.Text, Measure: g.Measure.String(), Slice: g.Slice(), Traffic: g.Traffic, Bound: g.Bound, Verdict: Fail}
	means, known := r.Measures, true
	if g.By != "" {
		i := slices.IndexFunc(r.Slices, func(s Slice) bool { return s.By == string(g.By) && s.Value == g.Value })
		if known = i >= 0; known {
			means = r.Slices[i].Measures
		} else {
			means = nil
		}
	}
	why := "it was not measured"
	if i := slices.IndexFunc(means, func(m Mean) bool { return m.Name == result.Measure }); i >= 0 {
		result.Figure, result.Interval, result.N, why = means[i].Mean, means[i].Interval, means[i].N, means[i].Why
		if g.Traffic {
			result.Figure, result.Interval, result.N, why = nil, nil, 0, "no query that counts has a weight"
			if t := means[i].Traffic; t != nil {
				result.Figure, result.Interval, result.N = &t.Value, t.interval(), t.N
			}
		}
	}
	over := ""
	if g.Traffic {
		over = " for the traffic"
	}
	if result.Slice != "" {
		over += " of " + result.Slice
	}
	switch {
	case !known:
		result.Line = fmt.Sprintf("%s: no query that counts has the %s", g.Text, result.Slice)
	case result.Figure == nil:
		result.Line = fmt.Sprintf("%s: there is no %s%s: %s", g.Text, result.Measure, over, why)
	default:
		if holds(*result.Figure, g.Op, g.Bound) {
			result.Verdict = Pass
		}
		result.Line = fmt.Sprintf("%s%s is %.4f, want %s %s (%s)", result.Measure, over, *result.Figure, g.Op, number(g.Bound), sure(result.Interval, result.N))
	}
	return result
}

// holds compares with a little grace: a mean of 0.8 that comes out as 0.79999999999999993 is 0.8.
func holds(figure float64, op string, bound float64) bool {
	switch op {
	case ">=":
		return figure >= bound-noise
	case ">":
		return figure > bound+noise
	case "<=":
		return figure <= bound+noise
	}
	return figure < bound-noise
}

// noise is what floating point makes of equal figures.
const noise = 1e-12

// sure is an interval and n in words.
func sure(interval *Interval, n int) string {
	if interval == nil {
		return fmt.Sprintf("no interval, n = %d", n)
	}
	return fmt.Sprintf("95%% interval %.4f to %.4f, n = %d", interval.Lo, interval.Hi, n)
}

// NoWorse holds the report against a baseline, a gate for each measure of the report, paired by query. A measure fails
// where its mean fell by more than drop, the interval of the difference lies below −drop, and the fall is significant at
// alpha, adjusted over the measures by Holm; it passes where that interval lies above −drop or nothing fell at all; else
// no significant fall was seen and it is Unclear, with the least fall that would show. A measure that the baseline lacks is
// Unclear too. warnings are those of Compare.
//
// Of runs whose true difference is −drop about alpha/2 fail at most, whatever their differences look like; with a drop above
// 0 far fewer where the queries are few: see CompareOptions.Shift.
func NoWorse(base, now Report, drop float64, opt CompareOptions) (gates []GateResult, warnings []string, err error) {
	if !(drop >= 0 && drop <= 1) {
		return nil, nil, fmt.Errorf("a fall of %s can't be allowed: it lies between 0 and 1", number(drop))
	}
	opt.Shift = drop
	c, err := Compare([]Report{base, now}, opt)
	if err != nil {
		return nil, nil, err
	}
	deltas := c.Pairs[0].Deltas
	bound := 0 - drop // 0, not -0, where nothing is allowed
	for _, d := range deltas {
		g := GateResult{
			Gate: fmt.Sprintf("%s no worse than %s", d.Name, c.Base), Measure: d.Name,
			Figure: d.Delta, Bound: bound, Interval: d.Interval, P: d.Holm, N: d.N, Verdict: Unclear,
		}
		change := fmt.Sprintf("no query has %s in both", d.Name)
		if d.Delta != nil {
			change = fmt.Sprintf("%s went from %.4f to %.4f, %+.4f (%s)", d.Name, *d.Before, *d.After, *d.Delta, sure(d.Interval, d.N))
		}
		switch {
		case d.Delta == nil:
			g.Verdict, g.Line = Fail, change
		case *d.Delta < -drop-noise && d.Interval != nil && d.Interval.Hi < -drop-noise && d.Holm != nil && *d.Holm <= opt.alpha():
			g.Verdict, g.Line = Fail, fmt.Sprintf("%s, adjusted p = %.3g; allowed is a fall of %s", change, *d.Holm, number(drop))
		case d.N < 2:
			g.Line = change + ": too few queries to tell"
		case d.Interval != nil && d.Interval.Lo >= -drop-noise, d.Losses == 0:
			g.Verdict, g.Line = Pass, change
		default:
			g.Line = change + ": no significant fall"
			if d.Holm != nil {
				g.Line += fmt.Sprintf(" (p = %.3g, adjusted for %s)", *d.Holm, count(len(deltas), "measure", "measures"))
			}
			if d.Detectable != nil {
				g.Line += fmt.Sprintf("; one below %.3f might not show", drop+d.detectableAmong(len(deltas), drop, opt.alpha()))
			}
		}
		gates = append(gates, g)
	}
	for _, m := range now.Measures {
		known, err := measure.ParseOne(m.Name)
		if (err != nil || known.Compared()) && !slices.ContainsFunc(base.Measures, func(o Mean) bool { return o.Name == m.Name }) {
			gates = append(gates, GateResult{
				Gate: fmt.Sprintf("%s no worse than %s", m.Name, c.Base), Measure: m.Name, Bound: bound, Verdict: Unclear,
				Line: fmt.Sprintf("%s: the baseline %s does not have it", m.Name, c.Base),
			})
		}
	}
	return gates, c.Warnings, nil
}

// detectableAmong is Detectable, which must not be nil, where Holm holds the p of so many measures against alpha: at
// worst against that part of it. With a drop above 0 the mean must also be one that unseen queries don't explain.
func (d Delta) detectableAmong(measures int, drop, alpha float64) float64 {
	spread := *d.Detectable / stats.Detectable(1, d.N, alpha, power)
	alpha /= float64(measures)
	least := stats.Detectable(spread, d.N, alpha, power)
	if drop == 0 {
		return least
	}
	const likely = 0.84 // standard errors that a mean exceeds with a power of 0.8
	return max(least, stats.UnseenMean(d.N, 1+drop, alpha)+likely*spread/math.Sqrt(float64(d.N)))
}
