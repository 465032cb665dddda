package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/remote"
	"assay/export"
)

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
			Warn: func(s string) { a.say("warning: %s", s) },
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
