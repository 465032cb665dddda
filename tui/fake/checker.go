package fake

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/port"
)

// Checker is a port.Checker that measures R@5, P@5 and RR against a Desk's labels, simply: enough to see figures,
// intervals, curves and slices change while labels are made. The real definitions are in corpus/retrieval.
type Checker struct {
	Desk   *Desk
	Finder *Finder
	Kept   map[string]map[string]corpus.Ranking // rankings by run and query, beside the built-in search
	Others map[string]map[string]bool           // chunks that others judged, by query

	mu    sync.Mutex
	hook  Hook
	calls map[string]int
}

// SetHook replaces the hook; nil removes it.
func (c *Checker) SetHook(h Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hook = h
}

// Calls is how often the method was called.
func (c *Checker) Calls(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[method]
}

func (c *Checker) enter(ctx context.Context, method string) error {
	c.mu.Lock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[method]++
	h := c.hook
	c.mu.Unlock()
	if h != nil {
		if err := h(ctx, method); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Runs implements port.Checker.
func (c *Checker) Runs(ctx context.Context) ([]port.Run, error) {
	if err := c.enter(ctx, "Runs"); err != nil {
		return nil, err
	}
	runs := []port.Run{{Words: "fake"}}
	for name := range c.Kept {
		runs = append(runs, port.Run{Name: name, Words: "kept"})
	}
	slices.SortFunc(runs, func(a, b port.Run) int { return cmp.Compare(a.Name, b.Name) })
	return runs, nil
}

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context, run string) (retrieval.Report, error) {
	if err := c.enter(ctx, "Check"); err != nil {
		return retrieval.Report{}, err
	}
	rows, err := c.Desk.Queue(ctx)
	if err != nil {
		return retrieval.Report{}, err
	}
	slices.SortFunc(rows, func(a, b port.QueueRow) int { return cmp.Compare(a.Query.ID, b.Query.ID) })
	rep := retrieval.Report{Run: port.Run{Name: run}.Title(), Labels: "labels", Corpus: "corpus", Scorer: "fake"}
	all, slices := tally{}, map[string]*tally{}
	for _, r := range rows {
		switch {
		case r.Query.Excluded:
			continue
		case !r.AnyDone:
			rep.Excluded = append(rep.Excluded, retrieval.Excluded{QueryID: r.Query.ID, Why: retrieval.WhyUnfinished})
			continue
		case r.Relevant == 0:
			rep.Excluded = append(rep.Excluded, retrieval.Excluded{QueryID: r.Query.ID, Why: retrieval.WhyNoRelevant})
			continue
		}
		hits, err := c.hits(ctx, run, r.Query)
		if err != nil {
			return retrieval.Report{}, err
		}
		one := c.judge(r, hits)
		rep.Queries = append(rep.Queries, retrieval.QueryValues{QueryID: r.Query.ID, Values: one.values()})
		kind := string(r.Query.Kind)
		if slices[kind] == nil {
			slices[kind] = &tally{}
		}
		all.add(one)
		slices[kind].add(one)
	}
	rep.Measures, rep.Recall = all.means(), all.curve()
	for _, kind := range sortedKeys(slices) {
		rep.Slices = append(rep.Slices, retrieval.Slice{By: "kind", Value: kind, N: len(slices[kind].all), Measures: slices[kind].means()})
	}
	return rep, nil
}

// Ranking implements port.Checker.
func (c *Checker) Ranking(ctx context.Context, run, queryID string) (port.Ranking, error) {
	if err := c.enter(ctx, "Ranking"); err != nil {
		return port.Ranking{}, err
	}
	s, err := c.Desk.Sheet(ctx, queryID)
	if err != nil {
		return port.Ranking{}, err
	}
	r := port.Ranking{Judged: map[string]bool{}}
	for id := range c.Others[queryID] {
		r.Judged[id] = true
	}
	for id, l := range s.Labels {
		if l.Grade >= 0 {
			r.Judged[id] = true
		}
	}
	r.Hits, err = c.hits(ctx, run, s.Query)
	return r, err
}

func (c *Checker) hits(ctx context.Context, run string, q corpus.Query) (corpus.Ranking, error) {
	if run != "" {
		kept, ok := c.Kept[run]
		if !ok {
			return nil, fmt.Errorf("there is no run %q", run)
		}
		return kept[q.ID], nil
	}
	res, err := c.Finder.Search(ctx, corpus.SearchRequest{Text: q.Text, Mode: corpus.Plain, Limit: 100})
	if err != nil {
		return nil, fmt.Errorf("search for query %q: %w", q.ID, err)
	}
	r := make(corpus.Ranking, len(res.Hits))
	for i, h := range res.Hits {
		r[i] = corpus.Hit{ChunkID: h.ChunkID, Score: h.Score}
	}
	return r, nil
}
