package retrieval

import "assay/corpus"

// Why says why a query stands outside the means.
type Why string

// The reasons for exclusion.
const (
	WhyUnanswerable Why = "unanswerable" // tagged so, no relevant chunk
	WhyUnfinished   Why = "unfinished"   // nobody finished labeling it
	WhyNoRelevant   Why = "no_relevant"  // finished, answerable or undecided, yet no chunk is relevant
)

// Excluded is a query that the means leave out.
type Excluded struct {
	QueryID string `json:"query_id"`
	Why     Why    `json:"why"`
}

// Mean is a measure over the queries for which it is defined. Mean is nil where N is 0; Why then says why.
type Mean struct {
	Name string   `json:"name"`
	Mean *float64 `json:"mean"`
	N    int      `json:"n"`
	Why  string   `json:"why,omitempty"`
}

// QueryValues are the measures of one query by name; nil is undefined.
type QueryValues struct {
	QueryID string              `json:"query_id"`
	Values  map[string]*float64 `json:"values"`
}

// MissingGold is a graded chunk that the corpus does not hold.
type MissingGold struct {
	QueryID string       `json:"query_id"`
	ChunkID string       `json:"chunk_id"`
	Grade   corpus.Grade `json:"grade"`
}

// Report is the outcome of a check. Queries come sorted by id, bytewise, and are those that count. Lists of ids are
// sorted likewise. Warnings say in words what the lists below them hold, and more.
type Report struct {
	Run      string        `json:"run"`
	Labels   string        `json:"labels"` // fingerprint of the labels measured against
	Corpus   string        `json:"corpus"` // fingerprint of the corpus
	Scorer   string        `json:"scorer,omitempty"`
	Measures []Mean        `json:"measures"`
	Excluded []Excluded    `json:"excluded"`
	Queries  []QueryValues `json:"queries"`
	Warnings []string      `json:"warnings,omitempty"`

	NoResult      []string      `json:"no_result,omitempty"`            // counted queries for which the run has nothing: they score 0
	Unknown       []string      `json:"unknown_queries,omitempty"`      // queries of the run that the gold set does not know
	NoText        []string      `json:"unknown_gold_queries,omitempty"` // queries of the labels that were never imported
	Contradictory []string      `json:"contradictory,omitempty"`        // tagged unanswerable, yet with a relevant chunk; they count
	Repeats       int           `json:"repeats,omitempty"`              // hits left out because the same chunk came before
	Missing       []MissingGold `json:"missing,omitempty"`              // gold ids that are not in the corpus
	// WithoutMissing are the means with Missing and NoText taken out of the gold set; nil where neither has any.
	WithoutMissing []Mean `json:"measures_without_missing,omitempty"`
}
