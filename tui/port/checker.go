package port

import (
	"context"
	"time"

	"assay/corpus"
	"assay/corpus/retrieval"
)

// Checker measures retrievers against what is labeled so far.
type Checker interface {
	// Runs lists what can be measured: the built-in search first, then the kept runs by name.
	Runs(ctx context.Context) ([]Run, error)
	// Check measures a run, "" for the built-in search, with intervals, recall by k and all slices. Measuring again
	// after a label reads no file and searches for nothing that it has read or searched before.
	Check(ctx context.Context, run string) (retrieval.Report, error)
	// Ranking is a run's ranking for a query, as Check measured it.
	Ranking(ctx context.Context, run, queryID string) (Ranking, error)
}

// Run is something that ranks.
type Run struct {
	Name  string    // what Check and Ranking take; "" is the built-in search
	Words string    // what else there is to say of it, e.g. its scorer or its size; may be empty
	When  time.Time // it was last written; zero for the built-in search
}

// Title is what to call the run.
func (r Run) Title() string {
	if r.Name == "" {
		return corpus.BuiltinRun
	}
	return r.Name
}

// Ranking is what a run returned for a query. Of what people said it holds only which chunks somebody judged: others'
// grades stay hidden while one labels.
type Ranking struct {
	Hits   corpus.Ranking  // best first
	Judged map[string]bool // ids of the chunks that anybody graded, can't judge aside
	Error  string          // why the retriever has no answer, as it was kept with the run; "" where it has one
}
