package querylog

import "assay/corpus"

// Plan says what an import would do to the queries that are there already.
type Plan struct {
	New     []corpus.Query
	Same    []corpus.Query // as they are kept
	Changed []Change
}

// Change is a query that the log gives otherwise than it is kept.
type Change struct {
	Old, New corpus.Query // New is Old with what the log says instead
	What     []string     // the fields that differ, as JSON names them: "text", "reference_answer" …
}

// PlanImport compares incoming queries with those that exist.
func PlanImport(existing func(id string) (corpus.Query, bool), incoming []corpus.Query) Plan {
	return Plan{}
}
