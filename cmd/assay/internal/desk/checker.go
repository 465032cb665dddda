package desk

import (
	"context"
	"fmt"
	"sync"

	"assay/cmd/assay/internal/bench"
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

// said is what runs are measured against as it was after an event, for runs that are measured one after the other.
type said struct {
	mu    sync.Mutex
	known bool
	upTo  uint64 // the newest event that was there when the bench was made
	bench bench.Bench
	asked []asked
}

// asked is a query that a run needs a ranking for.
type asked struct{ id, text string }

// Runs implements port.Checker.
func (c *Checker) Runs(context.Context) ([]port.Run, error) {
	builtin := port.Run{Words: "nothing is indexed yet"}
	if c.Index != nil {
		builtin.Words = c.Index.Scorer()
	}
	files, err := bench.ListRuns(c.Dir)
	runs := []port.Run{builtin}
	for _, f := range files {
		runs = append(runs, port.Run{Name: f.Name, Words: sizeOf(f.Info), When: f.Info.ModTime()})
	}
	return runs, err
}

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context, name string) (retrieval.Report, error) {
	if name == "" && c.Index == nil {
		return retrieval.Report{}, index.ErrNone
	}
	against, queries, err := c.bench(ctx)
	if err != nil {
		return retrieval.Report{}, err
	}
	var run bench.Retrieved
	if name == "" {
		run, err = c.search(ctx, queries)
	} else {
		run, err = c.keptRun(name)
	}
	if err != nil {
		return retrieval.Report{}, err
	}
	return against.Measure(run, bench.Measuring{
		Measures: c.Measures, Resamples: bench.Resamples, Seed: bench.Seed, By: retrieval.Facets(), Limits: &c.Limits,
	})
}

// search is the built-in search as a run.
func (c *Checker) search(ctx context.Context, queries []asked) (bench.Retrieved, error) {
	depth := c.searched.fit(queries, c.Depth, c.floor())
	run := bench.Retrieved{Scorer: c.Index.Scorer(), Corpus: c.Index.Info().Fingerprint}
	run.Name, run.Rankings = corpus.BuiltinRun, make(map[string]corpus.Ranking, len(queries))
	for _, q := range queries {
		r, err := c.searched.ranking(ctx, c.Index, q.text, depth)
		if err != nil {
			return run, fmt.Errorf("search for query %q: %w", q.id, err)
		}
		run.Rankings[q.id] = r
	}
	if depth < c.Depth {
		run.Warnings = append(run.Warnings, fmt.Sprintf(
			"with %d queries the search is measured to depth %d here, not %d: assay check looks at all of it", len(queries), depth, c.Depth))
	}
	return run, nil
}

// keptRun is the run of that name, from its file.
func (c *Checker) keptRun(name string) (bench.Retrieved, error) {
	file, err := c.kept.read(c.Dir, name)
	if err != nil {
		return bench.Retrieved{}, err
	}
	run := bench.RetrievedFrom(file)
	run.Tag, run.Name = run.Name, name
	return run, nil
}

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

// bench is what is labeled by now, and the queries that are worth a search: others never count. It is made anew only
// when something was said since.
func (c *Checker) bench(ctx context.Context) (bench.Bench, []asked, error) {
	s := &c.said
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known {
		if newer, err := c.DB.Events(s.upTo, 1); err != nil || len(newer) == 0 {
			return s.bench, s.asked, err
		}
	}
	n, err := c.DB.Counts() // before what it counts is read: what is written meanwhile makes the next check read again
	if err != nil {
		return bench.Bench{}, nil, err
	}
	gold, err := bench.Gold(ctx, c.DB, c.Rule, c.Program, c.Guidelines)
	if err != nil {
		return bench.Bench{}, nil, err
	}
	s.known, s.upTo, s.bench, s.asked = true, uint64(n.Events), bench.New(gold, c.Index), nil
	for _, row := range gold.Rows {
		if row.Query != nil && row.State == corpus.Done {
			s.asked = append(s.asked, asked{row.QueryID, *row.Query})
		}
	}
	return s.bench, s.asked, nil
}
