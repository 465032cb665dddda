package retrieval

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"assay/corpus"
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
		Run: in.Run.Name, Labels: string(in.Labels), Corpus: string(in.Corpus), Scorer: in.Scorer,
		Excluded: []Excluded{}, Queries: []QueryValues{},
	}
	var counted []Query
	known := make(map[string]bool, len(queries))
	for _, q := range queries {
		known[q.ID] = true
		if q.NoText {
			r.NoText = append(r.NoText, q.ID)
		}
		if q.Unanswerable && relevantIn(q.Grades, in.relevantFrom()) > 0 {
			r.Contradictory = append(r.Contradictory, q.ID)
		}
		if why := in.why(q); why != "" {
			r.Excluded = append(r.Excluded, Excluded{q.ID, why})
			continue
		}
		counted = append(counted, q)
		if len(in.Run.Rankings[q.ID]) == 0 {
			r.NoResult = append(r.NoResult, q.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(in.Run.Rankings)) {
		if !known[id] {
			r.Unknown = append(r.Unknown, id)
		}
	}
	scored := in.score(counted, measures)
	if err := in.refuseRepeats(counted, scored); err != nil {
		return Report{}, err
	}
	for i, s := range scored {
		r.Queries = append(r.Queries, QueryValues{counted[i].ID, byName(measures, s.values)})
		r.Repeats += s.repeats
	}
	r.Measures = means(measures, scored)
	if in.InCorpus != nil {
		r.Missing = Missing(queries, in.InCorpus)
	}
	if len(r.Missing)+len(r.NoText) > 0 {
		r.WithoutMissing = in.meansWithout(r.Missing, measures)
	}
	r.Warnings = in.warnings(r, counted, scored, measures)
	return r, nil
}

// score is one query's values, in the order of the measures, with what judging its ranking brought up.
type score struct {
	outcome
	values    []float64
	tied      []int // cut-offs that only the order of ids decides
	lookalike string
}

// score judges the queries on all processors. The result does not depend on how they are shared out.
func (in Input) score(queries []Query, measures []Measure) []score {
	scores := make([]score, len(queries))
	cuts := cutoffs(measures)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(queries)) {
		wg.Go(func() {
			j := judge{from: in.relevantFrom(), float32s: in.Compat == TrecEval9, table: newTable()}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(queries) {
					return
				}
				scores[i] = j.score(queries[i], in.Run.Rankings[queries[i].ID], measures, cuts)
			}
		})
	}
	wg.Wait()
	return scores
}

func (j *judge) score(q Query, ranking corpus.Ranking, measures []Measure, cuts []int) score {
	s := score{outcome: j.judge(q, ranking), values: make([]float64, len(measures))}
	for i, m := range measures {
		s.values[i] = j.sheet.value(m)
	}
	for _, k := range cuts {
		if j.tieAcross(k) {
			s.tied = append(s.tied, k)
		}
	}
	if !s.touched {
		s.lookalike = lookalike(q.Grades, ranking)
	}
	return s
}

// cutoffs are the distinct cut-offs of the measures, ascending.
func cutoffs(measures []Measure) []int {
	var cuts []int
	for _, m := range measures {
		if m.k > 0 {
			cuts = append(cuts, m.k)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

func byName(measures []Measure, values []float64) map[string]*float64 {
	named := make(map[string]*float64, len(measures))
	for i, m := range measures {
		named[m.String()] = &values[i]
	}
	return named
}

// means sums in the order of the queries and divides last, as trec_eval does.
func means(measures []Measure, scores []score) []Mean {
	list := make([]Mean, 0, len(measures))
	for i, m := range measures {
		mean := Mean{Name: m.String(), N: len(scores)}
		if len(scores) == 0 {
			mean.Why = "no query counts"
		} else {
			sum := 0.0
			for _, s := range scores {
				sum += s.values[i]
			}
			sum /= float64(len(scores))
			mean.Mean = &sum
		}
		list = append(list, mean)
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
	return means(measures, in.score(counted, measures))
}

// refuseRepeats is what trec_eval does about a chunk that is returned twice.
func (in Input) refuseRepeats(queries []Query, scores []score) error {
	if !in.Strict && in.Compat == Assay {
		return nil
	}
	total, first := 0, -1
	for i, s := range scores {
		if s.repeats > 0 && first < 0 {
			first = i
		}
		total += s.repeats
	}
	if first < 0 {
		return nil
	}
	return fmt.Errorf("evaluate run %q: query %q returns chunk %q more than once (%s in all)",
		in.Run.Name, queries[first].ID, scores[first].firstSeen, count(total, "repeated hit", "repeated hits"))
}
