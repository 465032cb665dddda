package desk

import (
	"context"
	"fmt"
	"sync"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/store"
	"assay/tui/port"
)

// Checker implements port.Checker. What was searched or read once is kept for as long as the program runs: the index
// it holds is read-only, and a run's file is read anew only when it changed, so that only what was labeled differs
// between two checks.
type Checker struct {
	DB         *store.DB
	Index      *index.Index // nil where nothing is indexed
	Dir        string       // of the kept runs; "" for none
	Measures   []retrieval.Measure
	Limits     retrieval.Limits
	Depth      int
	Rule       corpus.Rule
	Program    string
	Guidelines corpus.Hash

	searched searched
	kept     kept
	said     said
}

var _ port.Checker = (*Checker)(nil)

// said is the gold set as it was after an event, for runs that are measured one after the other.
type said struct {
	mu     sync.Mutex
	known  bool
	upTo   uint64 // the newest event that was there when gold was made
	gold   corpus.GoldSet
	labels corpus.Hash
}

// Runs implements port.Checker.
func (c *Checker) Runs(context.Context) ([]port.Run, error) {
	builtin := port.Run{Words: "nothing is indexed yet"}
	if c.Index != nil {
		builtin.Words = c.Index.Scorer()
	}
	files, err := listRuns(c.Dir)
	runs := []port.Run{builtin}
	for _, f := range files {
		runs = append(runs, port.Run{Name: f.name, Words: f.words(), When: f.info.ModTime()})
	}
	return runs, err
}

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context, name string) (retrieval.Report, error) {
	if name == "" && c.Index == nil {
		return retrieval.Report{}, index.ErrNone
	}
	gold, labels, err := c.gold(ctx)
	if err != nil {
		return retrieval.Report{}, err
	}
	run, warnings, err := c.run(ctx, name, gold)
	if err != nil {
		return retrieval.Report{}, err
	}
	bench := NewBench(gold, labels, c.Index)
	retrieved := Retrieved{Run: run, Warnings: warnings}
	if name == "" {
		retrieved.Scorer = c.Index.Scorer()
	}
	return bench.Measure(retrieved, Measuring{
		Measures: c.Measures, Resamples: Resamples, Seed: Seed, By: retrieval.Facets(), Limits: &c.Limits,
	})
}

// run is the run of that name, with what there is to warn of.
func (c *Checker) run(ctx context.Context, name string, gold corpus.GoldSet) (corpus.Run, []string, error) {
	if name != "" {
		file, err := c.kept.read(c.Dir, name)
		if err != nil {
			return corpus.Run{}, nil, err
		}
		run := file.Run
		run.Name = name
		return run, warningsOf(file), nil
	}
	var texts []string
	for _, row := range gold.Rows {
		if measurable(row) {
			texts = append(texts, *row.Query)
		}
	}
	depth := c.searched.fit(texts, c.Depth, c.floor())
	run := corpus.Run{Name: BuiltinRun, Rankings: make(map[string]corpus.Ranking, len(texts))}
	for _, row := range gold.Rows {
		if !measurable(row) {
			continue // never counted: not worth a search
		}
		r, err := c.searched.ranking(ctx, c.Index, *row.Query, depth)
		if err != nil {
			return run, nil, err
		}
		run.Rankings[row.QueryID] = r
	}
	if depth < c.Depth {
		return run, []string{fmt.Sprintf("with %d queries the search is measured to depth %d here, not %d: assay check measures all of it", len(texts), depth, c.Depth)}, nil
	}
	return run, nil, nil
}

// measurable reports whether the query of a row can count: it then needs a ranking.
func measurable(row corpus.GoldRow) bool { return row.Query != nil && row.State == corpus.Done }

// floor is the least depth that rankings are kept to: what the measures with a cut-off look at, and what is looked
// through by eye.
func (c *Checker) floor() int {
	floor := leastKept
	for _, m := range c.Measures {
		floor = max(floor, m.Cutoff())
	}
	return floor
}

// Ranking implements port.Checker.
func (c *Checker) Ranking(ctx context.Context, name, queryID string) (port.Ranking, error) {
	q, ok, err := c.DB.Query(queryID)
	if err != nil {
		return port.Ranking{}, err
	}
	r := port.Ranking{}
	switch {
	case name != "":
		file, err := c.kept.read(c.Dir, name)
		if err != nil {
			return r, err
		}
		r.Hits, r.Error = file.Run.Rankings[queryID], file.Failed[queryID]
	case c.Index == nil:
		return r, index.ErrNone
	case ok:
		if r.Hits, err = c.searched.ranking(ctx, c.Index, q.Text, c.searched.kept(c.Depth)); err != nil {
			return r, err
		}
	}
	r.Judged, err = c.judged(queryID)
	return r, err
}

// judged are the chunks of the corpus at hand that anybody graded for the query.
func (c *Checker) judged(queryID string) (map[string]bool, error) {
	id, err := corpusID(c.DB, c.Index)
	if err != nil {
		return nil, err
	}
	labels, err := c.DB.Labels(queryID)
	judged := make(map[string]bool, len(labels))
	for _, l := range labels {
		if l.CorpusID == id && l.Grade >= 0 {
			judged[l.ChunkID] = true
		}
	}
	return judged, err
}

// gold is what is labeled by now. It is made anew only when something was said since.
func (c *Checker) gold(ctx context.Context) (corpus.GoldSet, corpus.Hash, error) {
	s := &c.said
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		if newer, err := c.DB.Events(s.upTo, 1); err != nil || len(newer) == 0 {
			return s.gold, s.labels, err
		}
	}
	n, err := c.DB.Counts() // before what it counts is read: what is written meanwhile makes the next check read again
	if err != nil {
		return corpus.GoldSet{}, "", err
	}
	gold, err := Gold(ctx, c.DB, c.Rule, c.Program, c.Guidelines)
	if err != nil {
		return corpus.GoldSet{}, "", err
	}
	labels, err := c.DB.LabelsFingerprint()
	if err != nil {
		return corpus.GoldSet{}, "", err
	}
	s.known, s.upTo, s.gold, s.labels = true, uint64(n.Events), gold, labels
	return gold, labels, nil
}
