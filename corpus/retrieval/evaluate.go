package retrieval

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"assay/corpus"
	"assay/corpus/retrieval/measure"
)

// Evaluate measures the run against the gold set. Rankings are ordered here; of a chunk that comes twice in one, the
// best ranked counts and those below move up. Queries of the gold set without a ranking score 0, queries of the run
// without a gold query are only reported. The error is about the input: a query listed twice, or a chunk returned
// twice under Strict or Compat.
func Evaluate(in Input, measures []Measure) (Report, error) {
	queries, err := in.sorted()
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Assay: "check", Version: 1, Program: in.Program,
		Run: in.Run.Name, Labels: string(in.Labels), Corpus: string(in.Corpus), Scale: in.Scale, Scorer: in.Scorer,
		Compat: in.Compat.String(), Seed: in.Seed, Excluded: []Excluded{}, Queries: []QueryValues{},
	}
	var counted, unanswerable []Query
	known := make(map[string]bool, len(queries))
	for _, q := range queries {
		known[q.ID] = true
		if q.NoText {
			r.NoText = append(r.NoText, q.ID)
		}
		if q.Unanswerable && relevantIn(q.Grades, in.relevantFrom()) > 0 {
			r.Contradictory = append(r.Contradictory, q.ID)
		}
		failure, failed := in.Failed[q.ID]
		if failed {
			r.Failed = append(r.Failed, Failed{q.ID, failure})
		}
		if why := in.why(q); why != "" {
			r.Excluded = append(r.Excluded, Excluded{q.ID, why})
			if why == WhyUnanswerable {
				unanswerable = append(unanswerable, q)
			}
			continue
		}
		counted = append(counted, q)
		if len(in.Run.Rankings[q.ID]) == 0 && !failed {
			r.NoResult = append(r.NoResult, q.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(in.Run.Rankings)) {
		if !known[id] {
			r.Unknown = append(r.Unknown, id)
		}
	}
	asked := withLimits(measures, in.Limits)
	scored := in.score(counted, asked)
	if err := in.refuseRepeats(counted, scored); err != nil {
		return Report{}, err
	}
	for i, s := range scored {
		r.Queries = append(r.Queries, QueryValues{counted[i].ID, byName(measures, s.values)})
		r.Repeats += s.Repeats
	}
	means := in.means(asked, scored)
	r.Measures = means[:len(measures):len(measures)]
	r.Depth, r.Recall = deepest(scored), recallByK(scored)
	r.Unanswerable = in.unanswerable(unanswerable, scored)
	r.Slices = in.slices(counted, scored, measures)
	r.Latency = latency(in.Latency)
	if in.Limits != nil {
		if len(r.Failed) > 0 { // what was not answered is no fault of the ranking
			scored := answered(counted, scored, in.Failed)
			r.Diagnosis = in.diagnosis(asked, in.means(asked, scored), scored)
		} else {
			r.Diagnosis = in.diagnosis(asked, means, scored)
		}
	}
	if in.InCorpus != nil {
		r.Missing = Missing(queries, in.InCorpus)
	}
	if len(r.Missing)+len(r.NoText) > 0 {
		r.WithoutMissing = in.meansWithout(r.Missing, measures)
	}
	if len(r.Failed) > 0 {
		r.WithoutFailed = in.means(measures, answered(counted, scored, in.Failed))
	}
	r.Warnings = in.warnings(r, counted, scored, measures)
	return r, nil
}

// score is one query's values, in the order of the measures, with what judging its ranking brought up.
type score struct {
	measure.Outcome
	values    []float64 // NaN: undefined
	low, high []float64 // the same with what is unjudged taken as irrelevant, as relevant
	judged    []float64 // share judged of what the measure looks at; NaN where that says nothing
	found     []int32   // relevant hits within each depth of curveDepths, and in all
	relevant  int       // chunks that count
	positive  int       // chunks with a grade above 0: what trec_eval sums up as num_rel
	returned  int
	top       float64 // the best score; 0 where nothing was returned
	tied      []int   // cut-offs that only the order of ids decides
	lookalike string
	weight    float64 // how many asked queries it stands for; 0: none
	chance    float64 // with which it came to be measured; 0: unknown
}

// score judges the queries on all processors. The result does not depend on how they are shared out.
func (in Input) score(queries []Query, measures []Measure) []score {
	scores := make([]score, len(queries))
	best := in.best(queries)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(queries)) {
		wg.Go(func() {
			s := scorer{judge: measure.NewJudge(in.relevantFrom(), in.Compat), measures: measures, depths: depths(measures), best: best}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(queries) {
					return
				}
				scores[i] = s.score(queries[i], in.ranking(queries[i].ID))
			}
		})
	}
	wg.Wait()
	chance := in.chances()
	for i, q := range queries {
		if scores[i].weight = q.Weight; chance != nil && weighted(q.Weight) {
			scores[i].chance = chance(q)
		}
	}
	return scores
}

// best is the grade that an optimist gives.
func (in Input) best(queries []Query) corpus.Grade {
	best := max(in.Best, in.relevantFrom())
	if in.Best == 0 {
		for _, q := range queries {
			for _, g := range q.Grades {
				best = max(best, g)
			}
		}
	}
	return best
}

// scorer measures one ranking after the other, reusing its space.
type scorer struct {
	judge    *measure.Judge
	measures []Measure
	depths   []int // distinct cut-offs, ascending, 0 first where some measure looks at the full depth
	best     corpus.Grade
}

func (sc *scorer) score(q Query, ranking corpus.Ranking) score {
	n := len(sc.measures)
	space := make([]float64, 4*n)
	sheet, outcome := sc.judge.Read(q.Grades, q.Sets, ranking)
	s := score{Outcome: outcome, values: space[:n:n], low: space[n : 2*n : 2*n], high: space[2*n : 3*n : 3*n], judged: space[3*n:]}
	for i, m := range sc.measures {
		s.values[i] = sheet.Value(m)
	}
	copy(s.low, s.values)
	copy(s.high, s.values)
	for _, k := range sc.depths {
		sc.bounds(sheet, k, &s)
		if sc.judge.TieAcross(k) {
			s.tied = append(s.tied, k)
		}
	}
	s.relevant, s.positive, s.returned, s.top = sheet.Relevant(), sheet.Positive(), sheet.Returned(), sc.judge.TopScore()
	s.found = sheet.Found(curveDepths)
	if !s.Touched {
		s.lookalike = lookalike(q.Grades, ranking)
	}
	return s
}

// bounds fills in, for the measures that look k deep, what is judged and what the rest could be.
func (sc *scorer) bounds(sheet *measure.Sheet, k int, s *score) {
	share, open := math.NaN(), false
	if sheet.Returned() > 0 {
		share = sheet.JudgedShare(k)
		open = share < 1
	}
	var optimist *measure.Sheet
	if open {
		optimist = sc.judge.Optimist(k, sc.best)
	}
	for i, m := range sc.measures {
		if m.Cutoff() != k {
			continue
		}
		s.judged[i] = share
		if open && !m.Indifferent() {
			s.high[i] = optimist.Value(m)
		}
	}
	if !open || k > 0 {
		return
	}
	for i, m := range sc.measures {
		if m.Kind() == measure.Bpref || m.Kind() == measure.InfAP {
			s.low[i] = sc.judge.Pessimist().Value(m)
		}
	}
}

// depths are the distinct cut-offs of the measures, ascending; 0 is the full depth.
func depths(measures []Measure) []int {
	var list []int
	for _, m := range measures {
		list = append(list, m.Cutoff())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func byName(measures []Measure, values []float64) map[string]*float64 {
	named := make(map[string]*float64, len(measures))
	for i, m := range measures {
		named[m.String()] = defined(values[i])
	}
	return named
}

// defined is nil for NaN.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// answered are the scores of the queries that did not fail.
func answered(queries []Query, scores []score, failed map[string]string) []score {
	var list []score
	for i, s := range scores {
		if _, bad := failed[queries[i].ID]; !bad {
			list = append(list, s)
		}
	}
	return list
}

// meansWithout measures once more as if the missing ids and the queries without text had never been labeled.
func (in Input) meansWithout(missing []MissingGold, measures []Measure) []Mean {
	var counted []Query
	queries, _ := in.sorted() // Evaluate checked the ids
	for _, q := range Without(queries, missing) {
		if in.why(q) == "" {
			counted = append(counted, q)
		}
	}
	return in.means(measures, in.score(counted, measures))
}

// refuseRepeats is what trec_eval does about a chunk that is returned twice.
func (in Input) refuseRepeats(queries []Query, scores []score) error {
	if !in.Strict && in.Compat == Assay {
		return nil
	}
	total, first := 0, -1
	for i, s := range scores {
		if s.Repeats > 0 && first < 0 {
			first = i
		}
		total += s.Repeats
	}
	if first < 0 {
		return nil
	}
	return fmt.Errorf("evaluate run %q: query %q returns chunk %q more than once (%s in all)",
		in.Run.Name, queries[first].ID, scores[first].FirstRepeat, count(total, "repeated hit", "repeated hits"))
}
