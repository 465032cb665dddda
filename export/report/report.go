package report

import (
	"time"

	"assay/corpus"
	"assay/corpus/retrieval"
)

// Document is what a report shows. Texts and Worst are optional.
type Document struct {
	Report   retrieval.Report
	Title    string            // e.g. the workspace's name; may be empty
	At       time.Time         // when the check was made; not shown where zero
	Texts    map[string]string // query texts by id
	Worst    []WorstQuery      // the worst first, with their chunks
	Relevant corpus.Grade      // lowest grade that counts as relevant

	MissingAllowed bool // gold ids that are not in the corpus don't fail the check
}

// WorstQuery is a query that the retriever did badly on, with what it returned and what it missed.
type WorstQuery struct {
	QueryID string
	Text    string
	Values  map[string]*float64 // by measure; nil is undefined
	Hits    []WorstHit          // in the order of the ranking, as far as it is shown
	Missed  []WorstHit          // relevant chunks that Hits doesn't hold
}

// WorstHit is a chunk that was returned, or should have been.
type WorstHit struct {
	Rank    int // from 1; 0 where the retriever didn't return it
	ChunkID string
	Title   string
	Text    string // a beginning of the chunk
	Score   float64
	Grade   *corpus.Grade // nil where nobody judged it
}
