package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/remote"
	"assay/export"

	"github.com/spf13/pflag"
)

// builtin is how the built-in search is called where runs are named; a mode may follow: "search:exact".
const builtin = "search"

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
	case f.run == builtin || f.run == corpus.BuiltinRun:
	case strings.HasPrefix(f.run, builtin+":"):
		name = strings.TrimPrefix(f.run, builtin+":")
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

// ask asks a live retriever, and keeps what it says.
func (a *app) ask(ctx context.Context, ref *reference, f retrieverFlags) (bench.Retrieved, error) {
	queries := ref.ToAsk(ref.texts)
	missing := ref.Textless(ref.texts)
	if len(missing) > 0 && len(queries) == 0 {
		return bench.Retrieved{}, withHint(errors.New("there are no query texts to ask a retriever with"), "--queries FILE gives them, by the ids of the labels")
	}
	asking, err := a.asking(ref, f)
	if err != nil {
		return bench.Retrieved{}, err
	}
	if f.fresh {
		if err := export.MoveRunAside(asking.Path, a.now()); err != nil {
			return bench.Retrieved{}, err
		}
	}
	p := a.progress("asking " + asking.Header.Name)
	asking.Asked = func(done, of int) { p.count(int64(done), int64(of)) }
	r, kept, err := asking.Ask(ctx, queries)
	p.done()
	got := len(r.Rankings)
	if err == nil && got == 0 && len(r.Failed) > 0 {
		first := slices.Sorted(maps.Keys(r.Failed))[0]
		err = fmt.Errorf("the retriever answered none of %s, first query %s: %s", count(len(queries), "query"), first, r.Failed[first])
	}
	if err != nil {
		if got > 0 {
			a.say("%d of %d answered and kept in %s: the same command asks for the rest", got, len(queries), a.shown(asking.Path))
		}
		return r, askError(err)
	}
	again := ""
	if kept > 0 {
		again = fmt.Sprintf(", %d of them before (--fresh asks again)", kept)
	}
	for _, id := range missing {
		r.Failed[id] = "it has no text to ask with"
	}
	a.say("asked %s: %s answered%s, kept in %s", asking.Header.Name, count(got, "query"), again, a.shown(asking.Path))
	return r, nil
}

// askError adds what to do about a kept run that is another retriever's.
func askError(err error) error {
	if errors.Is(err, export.ErrOtherRetriever) {
		return withHint(err, "--name gives this one a name of its own, --fresh moves the old run aside")
	}
	return err
}

// asking puts a retriever together from the flags and assay.toml.
func (a *app) asking(ref *reference, f retrieverFlags) (bench.Asking, error) {
	retries, execDir := f.retries, ""
	headers := map[string]string{}
	if f.retriever != "" {
		c, err := configured(ref.w, f.retriever)
		if err != nil {
			return bench.Asking{}, err
		}
		f.exec, f.http = c.Exec, c.HTTP
		f.method, f.body = cmp.Or(f.method, c.Method), cmp.Or(f.body, c.Body)
		f.hits, f.id, f.score = cmp.Or(f.hits, c.Hits), cmp.Or(f.id, c.ID), cmp.Or(f.score, c.Score)
		headers, execDir = maps.Clone(c.Headers), ref.w.Root
		f.name = cmp.Or(f.name, c.Name)
		f.timeout = cmp.Or(f.timeout, time.Duration(c.Timeout))
		f.concurrency = cmp.Or(f.concurrency, c.Concurrency)
		f.depth = cmp.Or(f.depth, c.Depth)
		if retries < 0 && c.Retries != nil {
			retries = *c.Retries
		}
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return bench.Asking{}, usagef("--header wants 'Name: value'") // the text may hold a secret
		}
		if headers == nil {
			headers = map[string]string{}
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if retries < 0 {
		retries = usualRetries
	}
	depth := f.depth
	if depth == 0 {
		depth = 100
		if ref.w != nil {
			depth = min(depth, ref.w.Config.Check.Depth)
		}
	}
	dir := "runs"
	if ref.w != nil {
		dir = ref.w.Path("runs")
	}
	k := bench.Asking{Now: a.now, Header: export.RunHeader{Depth: depth, Corpus: ref.Corpus, Program: program(), Started: a.now().UTC()}}
	if f.exec != "" {
		k.Header.Retriever = export.RunRetriever{Kind: "exec", Command: f.exec}
		k.Header.Name = cmp.Or(f.name, "exec-"+slug(programOf(f.exec)))
		e := remote.Exec{Command: f.exec, Dir: execDir, Timeout: f.timeout, Window: f.concurrency, Stderr: a.stderr, Warn: func(s string) { a.say("warning: %s", s) }}
		if err := e.Check(); err != nil {
			return k, usageError{err}
		}
		k.Retriever = e
	} else {
		k.Header.Retriever = export.RunRetriever{
			Kind: "http", URL: f.http, Method: f.method, Body: f.body, Hits: f.hits, ID: f.id, Score: f.score, Headers: headersHash(headers),
		}
		host := f.http
		if u, err := url.Parse(f.http); err == nil && u.Host != "" {
			host = u.Host
		}
		k.Header.Name = cmp.Or(f.name, "http-"+slug(host))
		h := remote.HTTP{
			URL: f.http, Method: f.method, Body: f.body, Headers: headers, Hits: f.hits, ID: f.id, Score: f.score,
			Timeout: f.timeout, Retries: retries, Concurrency: f.concurrency, Seed: uint64(a.now().UnixNano()),
			LookupEnv: func(name string) (string, bool) { v := a.getenv(name); return v, v != "" }, Now: a.now,
		}
		if err := h.Check(); err != nil {
			return k, usageError{err}
		}
		k.Retriever = h
	}
	k.Path = filepath.Join(dir, k.Header.Name+bench.LinesEnding)
	return k, nil
}

// headersHash tells one set of headers from another: a header may choose the index that is searched. What may hold a
// secret, literal credentials above all, has no part in it; ${NAME} counts as it is written.
func headersHash(headers map[string]string) string {
	var kept []string
	for name, value := range headers {
		if secretHeader.MatchString(name) {
			continue
		}
		kept = append(kept, strings.ToLower(name)+": "+value)
	}
	if len(kept) == 0 {
		return ""
	}
	slices.Sort(kept)
	return string(corpus.HashText(strings.Join(kept, "\n")))[:16]
}

var secretHeader = regexp.MustCompile(`(?i)auth|token|key|secret|cookie|password|credential|session|signature`)

// configured is a [[retriever]] of assay.toml.
func configured(w *workspace.Workspace, name string) (workspace.RetrieverConfig, error) {
	if w == nil {
		return workspace.RetrieverConfig{}, withHint(usagef("there is no workspace whose assay.toml could name a retriever"), "--exec or --http says how to ask it")
	}
	c, ok := w.Config.Retriever(name)
	if ok {
		return c, nil
	}
	var known []string
	for _, r := range w.Config.Retrievers {
		known = append(known, r.Name)
	}
	if len(known) == 0 {
		return c, withHint(usagef("assay.toml names no retriever"), "assay guide retrievers shows how")
	}
	return c, usagef("assay.toml has no retriever %q; it has %s", text80(name), strings.Join(known, ", "))
}

// programOf is what of a command names it best: the script, else the first word.
func programOf(command string) string {
	words := strings.Fields(command)
	for _, word := range words {
		if ext := filepath.Ext(word); ext != "" && !strings.HasPrefix(word, "-") && len(ext) < 6 {
			return word
		}
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._]+`)

// slug makes a file's name of a command or a host.
func slug(s string) string {
	s = strings.Trim(notInNames.ReplaceAllString(filepath.Base(s), "-"), "-.")
	if s == "" {
		return "retriever"
	}
	return s[:min(len(s), 40)]
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
