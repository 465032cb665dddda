package port

import "context"

// Guess is a tag that assay proposes for a query.
type Guess struct {
	QueryID string
	Tag     string
}

// ImportRequest says which log to read and what to take of it.
type ImportRequest struct {
	Path   string
	Sample int    // how many queries to draw; 0 for all
	By     string // "top", "random", "proportional" or "stratified"; "" for stratified
}

// ImportReport says what an import did, or would do.
type ImportReport struct {
	Lines []string // the report, a line each, sanitised
	New   int      // queries that it adds to label
	Batch string   // for taking it back; "" for a preview
}

// Importer reads query logs. Both methods call progress, which may be nil, from another goroutine: a stage's name, and
// how much of it is done of how much (0: unknown).
type Importer interface {
	// Preview says what Import would do. It writes nothing.
	Preview(ctx context.Context, r ImportRequest, progress func(stage string, done, total int64)) (ImportReport, error)
	Import(ctx context.Context, r ImportRequest, progress func(stage string, done, total int64)) (ImportReport, error)
}
