package retrieval

import "io"

// WriteTREC prints the report as trec_eval does, under its names where it has one: a line a query and measure where
// perQuery, then the averages.
func WriteTREC(w io.Writer, r Report, perQuery bool) error { return nil }
