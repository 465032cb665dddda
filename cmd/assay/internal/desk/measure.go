package desk

import (
	"context"
	"fmt"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
)

// BuiltinRun is the name of the built-in search as a run.
const BuiltinRun = "built-in search"

// Rankings asks the built-in search for every query's ranking, depth deep, without the prefix that typing has.
// done is told how many are ready; it may be nil.
func Rankings(ctx context.Context, ix *index.Index, queries []corpus.Query, depth int, done func(int)) (corpus.Run, error) {
	run := corpus.Run{Name: BuiltinRun, Rankings: make(map[string]corpus.Ranking, len(queries))}
	for i, q := range queries {
		r, err := ix.Ranking(ctx, corpus.SearchRequest{Text: q.Text, Mode: corpus.Plain, Limit: depth})
		if err != nil {
			return run, fmt.Errorf("search for query %q: %w", q.ID, err)
		}
		run.Rankings[q.ID] = r
		if done != nil {
			done(i + 1)
		}
	}
	return run, nil
}

// Measured fills in what a report says about where it comes from, and evaluates.
func Measured(gold corpus.GoldSet, labels corpus.Hash, ix *index.Index, run corpus.Run, measures []retrieval.Measure, strict bool, compat retrieval.Compat) (retrieval.Report, error) {
	in := retrieval.Input{
		Queries: retrieval.QueriesOf(gold), RelevantFrom: gold.Header.Scale.RelevantFrom,
		Run: run, Strict: strict, Compat: compat, Labels: labels, Corpus: gold.Header.Corpus.Fingerprint,
	}
	if ix != nil {
		in.InCorpus, in.Corpus = ix.Has, ix.Info().Fingerprint
		if run.Name == BuiltinRun {
			in.Scorer = ix.Scorer()
		}
	}
	report, err := retrieval.Evaluate(in, measures)
	unresolved := 0
	for _, row := range gold.Rows {
		unresolved += len(row.Unresolved)
	}
	if err == nil && unresolved > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf(
			"unresolved: %d (annotators disagree without a majority), treated as unjudged", unresolved))
	}
	return report, err
}
