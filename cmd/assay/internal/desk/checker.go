package desk

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

	searched searched // in the plain mode
	modes    [2]searched
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
	if c.Index != nil {
		for _, mode := range otherModes {
			runs = append(runs, port.Run{Name: bench.SearchName + ":" + string(mode), Words: c.Index.ScorerOf(mode)})
		}
	}
	for _, f := range files {
		runs = append(runs, port.Run{Name: f.Name, Words: sizeOf(f.Info), When: f.Info.ModTime()})
	}
	return runs, err
}

// Check implements port.Checker.
func (c *Checker) Check(ctx context.Context, name string) (retrieval.Report, error) {
	mode, builtin := searchMode(name)
	if builtin && c.Index == nil {
		return retrieval.Report{}, index.ErrNone
	}
	against, queries, err := c.bench(ctx)
	if err != nil {
		return retrieval.Report{}, err
	}
	var run bench.Retrieved
	if builtin {
		run, err = c.search(ctx, mode, queries)
	} else {
		run, err = c.keptRun(name, against.Queries)
	}
	if err != nil {
		return retrieval.Report{}, err
	}
	return against.Measure(run, bench.Measuring{
		Measures: c.Measures, Resamples: bench.Resamples, Seed: bench.Seed, By: retrieval.Facets(), Limits: &c.Limits,
	})
}

// otherModes are those of the built-in search that can be measured beside the plain one.
var otherModes = [...]corpus.Mode{corpus.Exact, corpus.Phrase}

// searchMode is the mode of the built-in search that a run's name stands for.
func searchMode(name string) (mode corpus.Mode, ok bool) {
	if name == "" {
		return corpus.Plain, true
	}
	for _, mode := range otherModes {
		if name == bench.SearchName+":"+string(mode) {
			return mode, true
		}
	}
	return "", false
}

// searchedIn keeps what was searched for in a mode. Modes beside the plain one get a part of its room.
func (c *Checker) searchedIn(mode corpus.Mode) *searched {
	if mode == corpus.Plain {
		return &c.searched
	}
	s := &c.modes[slices.Index(otherModes[:], mode)]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode, s.most = mode, mostHits/4
	return s
}

// search is the built-in search as a run.
func (c *Checker) search(ctx context.Context, mode corpus.Mode, queries []asked) (bench.Retrieved, error) {
	searched := c.searchedIn(mode)
	depth := searched.fit(queries, c.Depth, c.floor())
	run := bench.Retrieved{Scorer: c.Index.ScorerOf(mode), Corpus: c.Index.Info().Fingerprint}
	run.Name, run.Rankings = bench.SearchTitle(mode), make(map[string]corpus.Ranking, len(queries))
	for _, q := range queries {
		r, err := searched.ranking(ctx, c.Index, q.text, depth)
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
func (c *Checker) keptRun(name string, queries []retrieval.Query) (bench.Retrieved, error) {
	file, err := c.kept.read(c.Dir, name)
	if err != nil {
		return bench.Retrieved{}, err
	}
	run := bench.RetrievedFrom(file)
	run.Failed = maps.Clone(run.Failed) // the file is kept as it was read
	run.Unasked(file, queries)
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
	mode, builtin := searchMode(name)
	switch {
	case !builtin:
		file, err := c.kept.read(c.Dir, name)
		if err != nil {
			return r, err
		}
		r.Hits, r.Error = file.Run.Rankings[queryID], file.Failed[queryID]
	case c.Index == nil:
		return r, index.ErrNone
	case ok:
		searched := c.searchedIn(mode)
		if r.Hits, err = searched.ranking(ctx, c.Index, q.Text, searched.kept(c.Depth)); err != nil {
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
