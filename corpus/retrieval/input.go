package retrieval

import "assay/corpus"

// Query is one query of the gold set with its agreed grades.
type Query struct {
	ID     string
	Grades map[string]corpus.Grade // by chunk id; negative grades count as unjudged
	// Done says that somebody finished labeling it.
	Done bool
	// Unanswerable says that somebody tagged it so.
	Unanswerable bool
	// NoText says that the labels name a query that was never imported.
	NoText bool
}

// Compat says whose defaults to follow.
type Compat int

// Assay is the default. TrecEval10 is trec_eval 10 with -c: every query with a grade counts, duplicates are errors.
// TrecEval9 compares scores as float32 besides.
const (
	Assay Compat = iota
	TrecEval10
	TrecEval9
)

// Input is what Evaluate measures.
type Input struct {
	Queries      []Query      // any order; ids are unique
	RelevantFrom corpus.Grade // 0 stands for 1
	Run          corpus.Run

	Strict bool // a chunk returned twice is an error
	Compat Compat

	// InCorpus reports whether a chunk id is in the corpus; nil where there is none to ask. Gold ids that are not are
	// listed in the report, with the means without them beside those with them.
	InCorpus func(chunkID string) bool

	Labels corpus.Hash // fingerprint of the labels, for the report
	Corpus corpus.Hash // fingerprint of the corpus, for the report
	Scorer string      // what ranked, for the report
}

// QueriesOf are the rows of a gold set as Evaluate wants them.
func QueriesOf(gold corpus.GoldSet) []Query { return nil }

// QrelsQueries takes each query of the qrels as finished, as trec_eval does. Sorted by id.
func QrelsQueries(qrels corpus.Qrels) []Query { return nil }

// Evaluate measures the run.
func Evaluate(in Input, measures []Measure) (Report, error) { return Report{}, nil }
