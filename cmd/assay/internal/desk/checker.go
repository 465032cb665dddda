package desk

import (
	"context"
	"sync"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/store"
	"assay/tui/port"
)

// Checker implements port.Checker. Rankings are kept by query text for as long as the program runs: the index it
// holds is read-only, so that only what was labeled changes between two checks.
type Checker struct {
	DB         *store.DB
	Index      *index.Index // nil where nothing is indexed
	Measures   []retrieval.Measure
	Depth      int
	Rule       corpus.Rule
	Program    string
	Guidelines corpus.Hash

	mu    sync.Mutex
	known map[string]corpus.Ranking
}

var _ port.Checker = (*Checker)(nil)

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context) (retrieval.Report, error) {
	if c.Index == nil {
		return retrieval.Report{}, index.ErrNone
	}
	gold, err := Gold(ctx, c.DB, c.Rule, c.Program, c.Guidelines)
	if err != nil {
		return retrieval.Report{}, err
	}
	labels, err := c.DB.LabelsFingerprint()
	if err != nil {
		return retrieval.Report{}, err
	}
	run := corpus.Run{Name: BuiltinRun, Rankings: map[string]corpus.Ranking{}}
	for _, row := range gold.Rows {
		if row.Query == nil || row.State != corpus.Done {
			continue // never counted: not worth a search
		}
		if run.Rankings[row.QueryID], err = c.ranking(ctx, *row.Query); err != nil {
			return retrieval.Report{}, err
		}
	}
	return Measured(gold, labels, c.Index, run, c.Measures, false, retrieval.Assay)
}

// Ranking implements port.Checker.
func (c *Checker) Ranking(ctx context.Context, queryID string) (corpus.Ranking, error) {
	if c.Index == nil {
		return nil, index.ErrNone
	}
	q, ok, err := c.DB.Query(queryID)
	if err != nil || !ok {
		return nil, err
	}
	return c.ranking(ctx, q.Text)
}

func (c *Checker) ranking(ctx context.Context, query string) (corpus.Ranking, error) {
	c.mu.Lock()
	r, ok := c.known[query]
	c.mu.Unlock()
	if ok {
		return r, nil
	}
	r, err := c.Index.Ranking(ctx, corpus.SearchRequest{Text: query, Mode: corpus.Plain, Limit: c.Depth})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]corpus.Ranking{}
	}
	c.known[query] = r
	return r, nil
}
