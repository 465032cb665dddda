package bench

import (
	"context"
	"fmt"
	"time"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
)

// Retrieved is a run with what is known of how it came about.
type Retrieved struct {
	corpus.Run
	Tag      string                   // what a TREC run's lines call it
	Scorer   string                   // what ranked; may be empty
	Corpus   corpus.Hash              // of the corpus that it was asked on; "" where unknown
	Failed   map[string]string        // queries without an answer, with the reason
	Latency  map[string]time.Duration // nil where unknown
	Warnings []string
}

// SearchName is how the built-in search is called where runs are named; a mode may follow: "search:exact".
const SearchName = "search"

// SearchTitle is how the built-in search in a mode is called in reports.
func SearchTitle(mode corpus.Mode) string {
	if mode == corpus.Plain {
		return corpus.BuiltinRun
	}
	return corpus.BuiltinRun + ", " + string(mode)
}

// Rankings asks the built-in search for every query's ranking, depth deep, without the prefix that typing has.
// done is told how many are ready; it may be nil.
func Rankings(ctx context.Context, ix *index.Index, queries []corpus.Query, mode corpus.Mode, depth int, done func(int)) (Retrieved, error) {
	r := Retrieved{Scorer: ix.ScorerOf(mode), Corpus: ix.Info().Fingerprint}
	r.Name, r.Rankings = SearchTitle(mode), make(map[string]corpus.Ranking, len(queries))
	for i, q := range queries {
		ranking, err := ix.Ranking(ctx, corpus.SearchRequest{Text: q.Text, Mode: mode, Limit: depth})
		if err != nil {
			return r, fmt.Errorf("search for query %q: %w", q.ID, err)
		}
		r.Rankings[q.ID] = ranking
		if done != nil {
			done(i + 1)
		}
	}
	return r, nil
}

// Bench is what runs are measured against: the gold set of a workspace or of a file.
type Bench struct {
	Queries  []retrieval.Query
	Scale    corpus.Scale
	Labels   corpus.Hash
	Corpus   corpus.Hash       // "" where there is none
	InCorpus func(string) bool // nil where there is no corpus to ask
	Program  string
	Warnings []string
}

// New measures against a gold set and, where there is one, the corpus of an index.
func New(gold corpus.GoldSet, ix *index.Index) Bench {
	queries := retrieval.QueriesOf(gold)
	b := Bench{
		Queries: queries, Scale: gold.Header.Scale, Labels: fingerprint(queries),
		Corpus: gold.Header.Corpus.Fingerprint, Program: gold.Header.Program,
	}
	if ix != nil {
		b.InCorpus, b.Corpus = ix.Has, ix.Info().Fingerprint
	}
	unresolved := 0
	for _, row := range gold.Rows {
		unresolved += len(row.Unresolved)
	}
	if unresolved > 0 {
		b.Warnings = append(b.Warnings, fmt.Sprintf("unresolved: %d (annotators disagree without a majority), treated as unjudged", unresolved))
	}
	return b
}

// RelevantFrom makes grades from g on count as relevant, whatever the scale says.
func (b *Bench) RelevantFrom(g corpus.Grade) error {
	if g > b.Scale.Max {
		return NothingRelevantError{g, b.Scale.Max}
	}
	b.Scale = corpus.NewScale(b.Scale.Min, b.Scale.Max, b.Scale.Names, g)
	return nil
}

// Grades are those agreed for a query, by chunk id.
func (b Bench) Grades(queryID string) map[string]corpus.Grade {
	for _, q := range b.Queries {
		if q.ID == queryID {
			return q.Grades
		}
	}
	return nil
}

// Resamples is how often intervals resample, and Seed what they start from where nobody says otherwise.
const (
	Resamples = 2000
	Seed      = 1
)

// Measuring says how a run is measured. The zero value measures nothing.
type Measuring struct {
	Measures  []retrieval.Measure
	Strict    bool
	Compat    retrieval.Compat
	Resamples int
	Seed      uint64
	By        []retrieval.Facet
	Limits    *retrieval.Limits
}

// Measure measures a run, with what it and the gold set have to warn of.
func (b Bench) Measure(run Retrieved, how Measuring) (retrieval.Report, error) {
	report, err := retrieval.Evaluate(retrieval.Input{
		Queries: b.Queries, RelevantFrom: b.Scale.RelevantFrom, Best: b.Scale.Max,
		Run: run.Run, Failed: run.Failed, Latency: run.Latency,
		Strict: how.Strict, Compat: how.Compat, InCorpus: b.InCorpus,
		Resamples: how.Resamples, Seed: how.Seed, By: how.By, Limits: how.Limits,
		Labels: b.Labels, Corpus: b.Corpus, Scale: b.Scale.ID, Scorer: run.Scorer, Program: b.Program,
	}, how.Measures)
	if err != nil {
		return report, err
	}
	report.Warnings = append(append(report.Warnings, b.Warnings...), run.Warnings...)
	if run.Corpus != "" && b.Corpus != "" && run.Corpus != b.Corpus {
		report.Warnings = append(report.Warnings, "the run was made on another corpus than the one at hand: ids may not mean the same")
	}
	return report, nil
}
