package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
	"assay/corpus/text"
)

// Limits are the figures below which a rule of the diagnosis fires. All are shares from 0 to 1.
type Limits struct {
	DeepRecall float64 // R@50: below it the first stage misses
	TopRecall  float64 // R@5: below it, with deep recall high, the ranking is at fault
	FirstHit   float64 // RR: below it, with top recall high, the order of the top is at fault
	Precision  float64 // P@5: below it the top holds much that is irrelevant
}

// DefaultLimits are the usual ones.
func DefaultLimits() Limits {
	return Limits{DeepRecall: 0.8, TopRecall: 0.6, FirstHit: 0.6, Precision: 0.4}
}

// The measures that the rules look at.
var (
	deepRecall   = measure.Of(measure.Recall, 50)
	topRecall    = measure.Of(measure.Recall, 5)
	firstHit     = measure.Of(measure.ReciprocalRank, 0)
	topPrecision = measure.Of(measure.Precision, 5)
)

// enough is how many queries are asked for where there is nothing to reckon from.
const enough = 30

// ofPerfect is the share of the precision that a perfect ranking would have above which precision is not low: with one
// relevant chunk a query, P@5 can't pass 0.2.
const ofPerfect = 0.75

// withLimits adds the measures that the diagnosis needs.
func withLimits(measures []Measure, limits *Limits) []Measure {
	if limits == nil {
		return measures
	}
	all := slices.Clone(measures)
	for _, m := range []Measure{deepRecall, topRecall, firstHit, topPrecision} {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// diagnosis is made of the means of asked, which have their intervals or get them here: verdicts need them.
func (in Input) diagnosis(asked []Measure, means []Mean, scores []score) *Diagnosis {
	if in.Resamples == 0 {
		in.Resamples = 1000
		means = in.means(asked, scores)
	}
	return in.Limits.diagnose(means, scores)
}

// diagnose applies the rules to means that hold the four measures.
func (l Limits) diagnose(means []Mean, scores []score) *Diagnosis {
	find := func(m Measure, limit float64) limited {
		i := slices.IndexFunc(means, func(mean Mean) bool { return mean.Name == m.String() })
		return limited{means[i], limit}
	}
	deep, top := find(deepRecall, l.DeepRecall), find(topRecall, l.TopRecall)
	first, precise := find(firstHit, l.FirstHit), find(topPrecision, l.Precision)
	d := &Diagnosis{Findings: []Finding{}}
	add := func(f Finding) { d.Findings = append(d.Findings, f) }
	if deep.N == 0 {
		add(Finding{Rule: "gold_set", Verdict: Unclear, Figures: []Mean{}, Limits: []string{}, Needed: enough,
			Line: "no query counts yet", Advice: fmt.Sprintf("finish queries that have a relevant chunk; about %d tell the rough picture", enough)})
		return d
	}

	precise.limit = l.precision(scores)
	if deep.verdict() != Pass {
		advice := "stage one misses: look at the chunking, add hybrid search, rewrite queries"
		if depth := deepest(scores); depth < deepRecall.Cutoff() {
			advice = fmt.Sprintf("the run is only %d deep: return %d chunks to tell whether stage one misses (chunking, hybrid search, query rewriting)", depth, deepRecall.Cutoff())
		}
		add(finding("stage_one", advice, deep))
	}
	if deep.verdict() == Pass && top.verdict() != Pass {
		add(finding("ranking", "found, but not on top: add or tune a reranker", top, deep))
	}
	if top.verdict() == Pass && first.verdict() != Pass {
		add(finding("ordering", "the top holds it, but not first: mend the order within the top (reranker, title boosts, ties)", first, top))
	}
	if precise.verdict() != Pass {
		add(finding("noise", "much of the top is irrelevant: a smaller k, filters or a reranker", precise))
	}
	if len(d.Findings) == 0 {
		f := finding("gold_set", "if users are unhappy all the same, the gold set does not represent them: mine their queries again", deep, top, first, precise)
		f.Line = "everything is high: " + strings.Join([]string{figure(deep.Mean), figure(top.Mean), figure(first.Mean), figure(precise.Mean)}, ", ")
		add(f)
	}
	return d
}

// limited is a mean with the figure that it should reach.
type limited struct {
	Mean
	limit float64
}

// precision is the limit of P@5, lower where a perfect ranking could not reach it.
func (l Limits) precision(scores []score) float64 {
	perfect := 0.0
	for _, s := range scores {
		perfect += float64(min(s.relevant, topPrecision.Cutoff())) / float64(topPrecision.Cutoff())
	}
	return min(l.Precision, ofPerfect*perfect/float64(len(scores)))
}

// verdict says whether the mean is at least the limit (Pass), below it (Fail), or too uncertain to tell.
func (m limited) verdict() Verdict {
	switch {
	case m.Interval == nil: // of fewer than two queries
		return Unclear
	case m.Interval.Hi < m.limit:
		return Fail
	case m.Interval.Lo >= m.limit:
		return Pass
	}
	return Unclear
}

// finding says that the first mean is below its limit, or may be, while the others reach theirs.
func finding(rule, advice string, at limited, reached ...limited) Finding {
	f := Finding{Rule: rule, Verdict: at.verdict(), Advice: advice, Figures: []Mean{at.Mean}}
	sign := "<"
	if f.Verdict == Pass {
		sign = ">="
	}
	f.Limits = []string{fmt.Sprintf("%s %s %.2f", at.Name, sign, at.limit)}
	f.Line = fmt.Sprintf("%s is below %.2f", figure(at.Mean), at.limit)
	for _, m := range reached {
		f.Figures = append(f.Figures, m.Mean)
		f.Limits = append(f.Limits, fmt.Sprintf("%s >= %.2f", m.Name, m.limit))
		f.Line += fmt.Sprintf(", while %s is not below %.2f", figure(m.Mean), m.limit)
	}
	if f.Verdict == Unclear {
		f.Needed = at.needed()
		f.Line = fmt.Sprintf("too few queries to tell %s from %.2f", figure(at.Mean), at.limit)
		if f.Needed > 0 {
			f.Line += fmt.Sprintf("; about %d would do", f.Needed)
		}
		f.Advice = "if it is below: " + advice
	}
	if b := at.Bounds; b != nil && f.Verdict != Pass && b.Relevant >= at.limit && at.Judged != nil && *at.Judged < fewJudged {
		f.Line += fmt.Sprintf("; only %s of what it looks at is judged, so it could be up to %.3f", text.Percent(*at.Judged), b.Relevant)
	}
	return f
}

// needed is how many queries would part the mean from its limit, with a power of 0.8, if they are like those at hand,
// whose spread their interval gives away. 0 where the mean is as good as the limit.
func (m limited) needed() int {
	if m.Interval == nil {
		return enough
	}
	distance := math.Abs(*m.Mean.Mean - m.limit)
	if distance < 0.005 {
		return 0
	}
	const ends = 1.96 // standard errors from the mean to an end of its interval
	spread := (m.Interval.Hi - m.Interval.Lo) / (2 * ends) * math.Sqrt(float64(m.N))
	return max(enough, m.N+1, stats.Needed(spread, distance, 1-confidence, power))
}

func deepest(scores []score) int {
	depth := 0
	for _, s := range scores {
		depth = max(depth, s.returned)
	}
	return depth
}

// figure is a mean with its interval and n.
func figure(m Mean) string {
	if m.Mean == nil {
		return m.Name + " undefined"
	}
	if m.Interval == nil {
		return fmt.Sprintf("%s %.3f (n = %d)", m.Name, *m.Mean, m.N)
	}
	return fmt.Sprintf("%s %.3f (%.3f to %.3f, n = %d)", m.Name, *m.Mean, m.Interval.Lo, m.Interval.Hi, m.N)
}
