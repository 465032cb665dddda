package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/export"

	"github.com/spf13/pflag"
)

// usualRetries is how often a request is repeated where nobody says otherwise.
const usualRetries = 3

// retrieverFlags say whose rankings to measure.
type retrieverFlags struct {
	run, retriever string
	mode           string
	exec, http     string
	method, body   string
	headers        []string
	hits, id       string
	score          string
	timeout        time.Duration
	retries        int
	concurrency    int
	depth          int
	name           string
	fresh          bool
}

func (f *retrieverFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.run, "run", "", "a run's file, or the name of a run in runs/ (default the built-in search)")
	fl.StringVar(&f.mode, "mode", string(corpus.Plain), "of the built-in search: plain, exact (words only as typed) or phrase")
	fl.StringVar(&f.retriever, "retriever", "", "ask the [[retriever]] of that name in assay.toml")
	fl.StringVar(&f.exec, "exec", "", "ask a command: a query a line on its stdin, a ranking a line on its stdout, as JSON")
	fl.StringVar(&f.http, "http", "", "ask a web service, a request a query; {{query}} and {{k}} stand for their values")
	f.addAsking(fl)
}

// addAsking adds the flags on how a live retriever is asked.
func (f *retrieverFlags) addAsking(fl *pflag.FlagSet) {
	fl.StringVar(&f.method, "method", "", "with --http: POST, GET or PUT (default POST)")
	fl.StringVar(&f.body, "body", "", "with --http: the body, e.g. '{\"q\": {{query}}, \"size\": {{k}}}'")
	fl.StringArrayVar(&f.headers, "header", nil, "with --http: a header, e.g. 'Authorization: Bearer ${TOKEN}', which is read from the environment")
	fl.StringVar(&f.hits, "hits-path", "", "with --http: the JSON path of the hits, e.g. $.hits.hits")
	fl.StringVar(&f.id, "id-path", "", "with --http: the path of the chunk id in a hit, e.g. $._id")
	fl.StringVar(&f.score, "score-path", "", "with --http: the path of the score in a hit; - where their order counts")
	fl.DurationVar(&f.timeout, "timeout", 0, "how long a live retriever may take for a query (default 30s)")
	fl.IntVar(&f.retries, "retries", -1, "with --http: how often a failed request is repeated")
	fl.Lookup("retries").DefValue = strconv.Itoa(usualRetries) // unless assay.toml says otherwise
	fl.IntVar(&f.concurrency, "concurrency", 0, "how many queries are asked at once (default 4 with --http, 1 with --exec)")
	fl.IntVar(&f.depth, "depth", 0, "how many chunks to ask for (default [check] depth of assay.toml; 100 of a live retriever)")
	fl.StringVar(&f.name, "name", "", "what to call the run that a live retriever's answers are kept as, in runs/")
	fl.BoolVar(&f.fresh, "fresh", false, "ask a live retriever everything again; the run that was kept moves aside")
}

// check refuses flags that exclude each other.
func (f *retrieverFlags) check() error {
	var ways []string
	for _, way := range []struct{ flag, value string }{{"--run", f.run}, {"--retriever", f.retriever}, {"--exec", f.exec}, {"--http", f.http}} {
		if way.value != "" {
			ways = append(ways, way.flag)
		}
	}
	if len(ways) > 1 {
		return usagef("%s and %s exclude each other: a check measures one retriever", ways[0], ways[1])
	}
	if f.mode != string(corpus.Plain) && len(ways) > 0 {
		return usagef("--mode is the built-in search's, and does not go with %s", ways[0])
	}
	if f.depth < 0 || f.retries < -1 || f.concurrency < 0 || f.timeout < 0 {
		return usagef("--depth, --retries, --concurrency and --timeout can't be negative")
	}
	if f.name != "" && !workspace.FileName(f.name) {
		return usagef("--name %q becomes a file's name: letters, digits and . _ - only", text80(f.name))
	}
	return nil
}

// without refuses flags that would be ignored, by what the command line set.
func (f *retrieverFlags) without(changed func(flag string) bool) error {
	for _, flag := range []string{"method", "body", "header", "hits-path", "id-path", "score-path", "retries"} {
		if changed(flag) && f.http == "" && f.retriever == "" {
			return usagef("--%s goes with --http", flag)
		}
	}
	for _, flag := range []string{"timeout", "concurrency", "name", "fresh"} {
		if changed(flag) && !f.live() {
			return usagef("--%s goes with a live retriever: --exec, --http or --retriever", flag)
		}
	}
	if _, search, _ := f.searchMode(); changed("depth") && !search && !f.live() {
		return usagef("--depth says how much to ask for, and a run has been asked already")
	}
	return nil
}

// live reports whether a retriever is to be asked.
func (f *retrieverFlags) live() bool { return f.exec != "" || f.http != "" || f.retriever != "" }

// searchMode is the mode of the built-in search that the flags name; ok is false where they name another retriever.
func (f *retrieverFlags) searchMode() (mode corpus.Mode, ok bool, err error) {
	name := cmp.Or(f.mode, string(corpus.Plain))
	switch {
	case f.live():
		return "", false, nil
	case f.run == bench.SearchName || f.run == corpus.BuiltinRun:
	case strings.HasPrefix(f.run, bench.SearchName+":"):
		name = strings.TrimPrefix(f.run, bench.SearchName+":")
	case f.run != "":
		return "", false, nil
	}
	mode = corpus.Mode(name)
	if !slices.Contains([]corpus.Mode{corpus.Plain, corpus.Exact, corpus.Phrase}, mode) {
		return "", true, usagef("mode %q is not plain, exact or phrase", text80(name))
	}
	return mode, true, nil
}

// retrieve reads a run, or asks for one.
func (a *app) retrieve(ctx context.Context, ref *reference, f retrieverFlags, decodeIDs bool) (bench.Retrieved, error) {
	mode, search, err := f.searchMode()
	switch {
	case err != nil:
		return bench.Retrieved{}, err
	case search:
		depth := 1000
		if ref.w != nil {
			depth = ref.w.Config.Check.Depth
		}
		if f.depth > 0 {
			depth = f.depth
		}
		queries := ref.ToAsk(ref.texts)
		p := a.progress("searching")
		defer p.done()
		return bench.Rankings(ctx, ref.ix, queries, mode, depth, func(n int) { p.count(int64(n), int64(len(queries))) })
	case f.live():
		return a.ask(ctx, ref, f)
	}
	file, err := findRun(ref.w, f.run)
	if err != nil {
		return bench.Retrieved{}, err
	}
	read, err := export.ReadRun(file, export.ReadOptions{DecodeIDs: decodeIDs, Stdin: a.stdin})
	if err != nil {
		return bench.Retrieved{}, err
	}
	a.printRejects(exportRejects(read.Stats), []importedFile{{Rejected: read.Stats.Rejected}})
	if read.Stats.Accepted == 0 {
		return bench.Retrieved{}, fmt.Errorf("%s holds no ranking", f.run)
	}
	read.Stats.Rejected, read.Stats.Rejects = 0, nil // they are printed
	r := bench.RetrievedFrom(read)
	if len(r.Rankings) == 0 && len(r.Failed) > 0 {
		return r, fmt.Errorf("%s holds no ranking, only %s", f.run, count(len(r.Failed), "failure"))
	}
	r.Unasked(read, ref.Queries)
	r.Tag = read.Run.Name
	r.Name = f.run
	return r, nil
}

// findRun is a file by that path, or a run of the workspace by that name.
func findRun(w *workspace.Workspace, path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() || path == "-" {
		return path, nil
	}
	if w != nil && !strings.ContainsAny(path, `/\`) {
		for _, kept := range bench.RunPaths(w.Path("runs"), path) {
			if _, err := os.Stat(kept); err == nil {
				return kept, nil
			}
		}
	}
	if err == nil {
		return "", fmt.Errorf("run %q is a folder", text80(path))
	}
	return "", withHint(fmt.Errorf("run %q: %w", text80(path), fs.ErrNotExist), "a file, or the name of a run in the workspace's runs/")
}

// shown is a path as people read it: relative to where they are, where that is shorter.
func (a *app) shown(path string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}
