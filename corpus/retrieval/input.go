package retrieval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/corpus"
)

// Query is one query of the gold set with its agreed grades.
type Query struct {
	ID     string
	Grades map[string]corpus.Grade // by chunk id; negative grades count as unjudged
	Sets   [][]string              // evidence sets: chunks that answer it together, one set or another
	// Done says that somebody finished labeling it.
	Done bool
	// Unanswerable says that somebody tagged it so.
	Unanswerable bool
	// NoText says that the labels name a query that was never imported.
	NoText bool

	// What slices go by; all may be empty.
	Tags     []string
	Kind     corpus.Kind
	Source   string
	Language string
	Count    int // how often it was asked

	// Weight is how many asked queries it stands for, above 0; 0 where it was not sampled and stands for none.
	Weight float64
}

// Input is what Evaluate measures.
type Input struct {
	Queries      []Query      // any order; ids are unique
	RelevantFrom corpus.Grade // the lowest grade that counts as relevant; below 1 stands for 1
	Run          corpus.Run   // rankings in any order; they are not changed

	Strict bool // a chunk returned twice is an error
	Compat Compat

	// InCorpus reports whether a chunk id is in the corpus; nil where there is none to ask. Gold ids that are not are
	// listed in the report, and the means without them stand beside those with them.
	InCorpus func(chunkID string) bool

	// Best is the scale's best grade, which bounds suppose of what is unjudged; 0 takes the best in the labels.
	Best corpus.Grade
	// Failed are the queries, by id, that the retriever could not answer, with the error. A ranking that the run has for
	// them from before is not looked at.
	Failed map[string]string
	// Latency is how long the retriever took, by query id; nil where unknown.
	Latency map[string]time.Duration

	Resamples int     // of the bootstrap; 0 leaves intervals out
	Seed      uint64  // of the bootstrap
	By        []Facet // what to slice by
	Limits    *Limits // of the diagnosis; nil leaves it out

	Labels  corpus.Hash // fingerprint of the labels, for the report
	Corpus  corpus.Hash // fingerprint of the corpus, for the report
	Scale   string      // id of the scale, for the report
	Scorer  string      // what ranked, for the report
	Program string      // for the report
}

// StatusOf is what the means need to know of a row of a gold set.
func StatusOf(row corpus.GoldRow) Query {
	q := Query{
		ID:           row.QueryID,
		Grades:       row.Grades,
		Sets:         row.EvidenceSets,
		Done:         row.State == corpus.Done,
		Unanswerable: slices.Contains(row.Tags, corpus.TagUnanswerable),
		NoText:       row.Query == nil,
		Tags:         row.Tags,
		Kind:         row.Kind,
		Source:       row.Source,
		Language:     row.Language,
		Count:        row.Count,
	}
	if row.Weight != nil && weighted(*row.Weight) {
		q.Weight = *row.Weight
	}
	return q
}

// QueriesOf are the rows of a gold set as Evaluate wants them.
func QueriesOf(gold corpus.GoldSet) []Query {
	queries := make([]Query, 0, len(gold.Rows))
	for _, row := range gold.Rows {
		queries = append(queries, StatusOf(row))
	}
	return queries
}

// QrelsQueries takes each query of the qrels as finished, as trec_eval does. Sorted by id.
func QrelsQueries(qrels corpus.Qrels) []Query {
	queries := make([]Query, 0, len(qrels))
	for _, id := range slices.Sorted(maps.Keys(qrels)) {
		queries = append(queries, Query{ID: id, Grades: qrels[id], Done: true})
	}
	return queries
}

// ranking is what the run has for the query, nil where its retriever failed.
func (in Input) ranking(queryID string) corpus.Ranking {
	if _, failed := in.Failed[queryID]; failed {
		return nil
	}
	return in.Run.Rankings[queryID]
}

// relevantFrom is the threshold in force.
func (in Input) relevantFrom() corpus.Grade { return max(1, in.RelevantFrom) }

// sorted are the queries by id, bytewise.
func (in Input) sorted() ([]Query, error) {
	queries := slices.Clone(in.Queries)
	slices.SortFunc(queries, func(a, b Query) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(queries); i++ {
		if queries[i].ID == queries[i-1].ID {
			return nil, fmt.Errorf("evaluate run: query %q is in the gold set twice", queries[i].ID)
		}
	}
	return queries, nil
}

// why says why the means leave the query out; "" where it counts.
func (in Input) why(q Query) Why {
	relevant := relevantIn(q.Grades, in.relevantFrom()) > 0
	if in.Compat != Assay {
		// A query without any grade has no line in a qrels file: trec_eval would not know of it.
		switch {
		case len(q.Grades) > 0:
			return ""
		case q.Unanswerable:
			return WhyUnanswerable
		case q.Done:
			return WhyNoRelevant
		}
		return WhyUnfinished
	}
	switch {
	case !q.Done:
		return WhyUnfinished
	case relevant:
		return ""
	case q.Unanswerable:
		return WhyUnanswerable
	}
	return WhyNoRelevant
}

func relevantIn(grades map[string]corpus.Grade, from corpus.Grade) int {
	n := 0
	for _, g := range grades {
		if g >= from {
			n++
		}
	}
	return n
}

// Missing lists the gold ids that are not in the corpus, by query and chunk id. Negative grades are left out: they
// say that nobody judged the chunk.
func Missing(queries []Query, inCorpus func(chunkID string) bool) []MissingGold {
	var missing []MissingGold
	for _, q := range queries {
		for id, g := range q.Grades {
			if g >= 0 && !inCorpus(id) {
				missing = append(missing, MissingGold{q.ID, id, g})
			}
		}
	}
	slices.SortFunc(missing, func(a, b MissingGold) int {
		if c := strings.Compare(a.QueryID, b.QueryID); c != 0 {
			return c
		}
		return strings.Compare(a.ChunkID, b.ChunkID)
	})
	return missing
}

// Without are the queries with the missing ids taken out of their grades, and without those that were never
// imported. The queries given are not changed.
func Without(queries []Query, missing []MissingGold) []Query {
	gone := map[string]map[string]bool{}
	for _, m := range missing {
		if gone[m.QueryID] == nil {
			gone[m.QueryID] = map[string]bool{}
		}
		gone[m.QueryID][m.ChunkID] = true
	}
	var kept []Query
	for _, q := range queries {
		if q.NoText {
			continue
		}
		if ids := gone[q.ID]; ids != nil {
			q.Grades = maps.Clone(q.Grades)
			maps.DeleteFunc(q.Grades, func(id string, _ corpus.Grade) bool { return ids[id] })
		}
		kept = append(kept, q)
	}
	return kept
}
