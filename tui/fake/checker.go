package fake

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"assay/corpus"
	"assay/corpus/retrieval"
)

// Checker is a port.Checker that measures R@5, P@5 and RR of a Finder against a Desk's labels, simply: enough to see
// figures change while labels are made. The real definitions are in corpus/retrieval.
type Checker struct {
	Desk   *Desk
	Finder *Finder

	mu   sync.Mutex
	hook Hook
}

// SetHook replaces the hook; nil removes it.
func (c *Checker) SetHook(h Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hook = h
}

func (c *Checker) enter(ctx context.Context, method string) error {
	c.mu.Lock()
	h := c.hook
	c.mu.Unlock()
	if h != nil {
		if err := h(ctx, method); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context) (retrieval.Report, error) {
	if err := c.enter(ctx, "Check"); err != nil {
		return retrieval.Report{}, err
	}
	rows, err := c.Desk.Queue(ctx)
	if err != nil {
		return retrieval.Report{}, err
	}
	rep := retrieval.Report{Run: "search", Labels: "labels", Corpus: "corpus", Scorer: "fake"}
	sum := map[string]float64{}
	names := []string{"R@5", "P@5", "RR"}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Query.ID < rows[j].Query.ID })
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
		ranking, err := c.ranking(ctx, r.Query)
		if err != nil {
			return retrieval.Report{}, err
		}
		hits, rr := 0, 0.0
		for i, h := range ranking {
			if g, ok := c.Desk.GradeOf(r.Query.ID, h.ChunkID); ok && c.Desk.ws.Scale.Relevant(g) {
				if i < 5 {
					hits++
				}
				if rr == 0 {
					rr = 1 / float64(i+1)
				}
			}
		}
		values := map[string]*float64{}
		for i, v := range []float64{float64(hits) / float64(r.Relevant), float64(hits) / 5, rr} {
			values[names[i]] = &v
			sum[names[i]] += v
		}
		rep.Queries = append(rep.Queries, retrieval.QueryValues{QueryID: r.Query.ID, Values: values})
	}
	for _, n := range names {
		m := retrieval.Mean{Name: n, N: len(rep.Queries)}
		if m.N > 0 {
			v := sum[n] / float64(m.N)
			m.Mean = &v
		}
		rep.Measures = append(rep.Measures, m)
	}
	return rep, nil
}

// Ranking implements port.Checker.
func (c *Checker) Ranking(ctx context.Context, queryID string) (corpus.Ranking, error) {
	if err := c.enter(ctx, "Ranking"); err != nil {
		return nil, err
	}
	s, err := c.Desk.Sheet(ctx, queryID)
	if err != nil {
		return nil, err
	}
	return c.ranking(ctx, s.Query)
}

func (c *Checker) ranking(ctx context.Context, q corpus.Query) (corpus.Ranking, error) {
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

// Exporter is a port.Exporter that writes nothing and says what it would have.
type Exporter struct {
	Losses []string
	Err    error
}

// Formats implements port.Exporter.
func (Exporter) Formats() []string { return []string{"assay", "beir", "trec"} }

// Export implements port.Exporter.
func (e Exporter) Export(_ context.Context, format string) (paths, losses []string, err error) {
	if e.Err != nil {
		return nil, nil, e.Err
	}
	return []string{"exports/gold." + format + ".jsonl"}, e.Losses, nil
}
