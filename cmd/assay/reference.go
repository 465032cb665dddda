package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/querylog"
	"assay/corpus/retrieval"
	"assay/corpus/rows"
	"assay/export"

	"github.com/spf13/pflag"
)

// reference is what check and compare measure against, and what retrievers are asked with.
type reference struct {
	bench.Bench
	w     *workspace.Workspace // nil where there is none
	ix    *index.Index         // nil where none is needed, or there is none
	texts []corpus.Query       // that retrievers can be asked with
	name  string               // what reports are headed with
}

// close lets go of what the reference holds open.
func (ref *reference) close() {
	if ref.ix != nil {
		ref.ix.Close()
	}
}

// referenceFlags say against what, and how, to measure.
type referenceFlags struct {
	labels, queries string
	relevantFrom    int
	names           []string
	strict          bool
	compat          string
	decodeIDs       bool
	rule            string
	by              string
	seed            uint64
}

func (f *referenceFlags) add(fl *pflag.FlagSet) {
	fl.StringArrayVarP(&f.names, "measures", "m", nil, `what to measure, e.g. "R@5 P@5 RR nDCG@10" (default that of assay.toml)`)
	fl.StringVar(&f.labels, "labels", "", "measure against this file of labels instead of a workspace's: TREC or BEIR qrels, a native gold set, JSON Lines")
	fl.StringVar(&f.queries, "queries", "", "with --labels: the queries' texts, to ask a retriever with and to show")
	fl.IntVar(&f.relevantFrom, "relevant-from", 0, "the lowest grade that counts as relevant (default the scale's; 1 with --labels)")
	fl.StringVar(&f.rule, "rule", "", "how annotators' grades become one: majority, single or adjudicated (default that of assay.toml)")
	fl.BoolVar(&f.decodeIDs, "decode-ids", false, "undo what export --encode-ids did to the ids of runs and labels")
	fl.StringVar(&f.compat, "compat", "", "count as trec_eval -c does: trec_eval-10 or trec_eval-9")
	fl.Lookup("compat").NoOptDefVal = "trec_eval-10"
	fl.BoolVar(&f.strict, "strict", false, "refuse a run that returns a chunk twice for a query, and labels that repeat a pair")
	fl.Uint64Var(&f.seed, "seed", bench.Seed, "of the intervals and the significance tests")
}

// check refuses what can be refused before anything is opened.
func (f *referenceFlags) check() error {
	_, err := f.measuring(nil)
	switch corpus.Rule(f.rule) {
	case "", corpus.Majority, corpus.Single, corpus.Adjudicated:
	default:
		return usagef("rule %q is not majority, single or adjudicated", text80(f.rule))
	}
	switch {
	case f.relevantFrom < 0:
		return usagef("--relevant-from %d is below 1", f.relevantFrom)
	case f.queries != "" && f.labels == "":
		return usagef("--queries goes with --labels; a workspace has its queries")
	}
	return err
}

// measuring reads the flags on how to measure.
func (f *referenceFlags) measuring(w *workspace.Workspace) (bench.Measuring, error) {
	how := bench.Measuring{Strict: f.strict, Resamples: bench.Resamples, Seed: f.seed}
	names := f.names
	if len(names) == 0 {
		names = []string{retrieval.DefaultMeasures}
		if w != nil {
			names = w.Config.Check.Measures
		}
	}
	var err error
	if how.Measures, err = retrieval.ParseMeasures(names...); err != nil {
		return how, usageError{err}
	}
	switch f.compat {
	case "":
	case "trec_eval-10":
		how.Compat = retrieval.TrecEval10
	case "trec_eval-9":
		how.Compat = retrieval.TrecEval9
	default:
		return how, usagef("compat %q is not trec_eval-10 or trec_eval-9", text80(f.compat))
	}
	if how.By, err = retrieval.ParseFacets(f.by); err != nil {
		return how, usageError{err}
	}
	limits := retrieval.DefaultLimits()
	if w != nil {
		limits = retrieval.Limits(w.Config.Diagnosis)
	}
	how.Limits = &limits
	return how, nil
}

// openReference opens what to measure against. searched says that the built-in search is to be measured, shown that a report
// shows chunks, whose texts are a help, not a need.
func (a *app) openReference(ctx context.Context, f referenceFlags, searched, shown bool) (*reference, error) {
	w, err := a.workspace()
	if f.labels != "" && errors.Is(err, workspace.ErrNone) && a.dir == "" {
		w, err = nil, nil
	}
	if err != nil {
		return nil, withLabelsHint(err)
	}
	var ref *reference
	if f.labels == "" {
		ref, err = a.workspaceReference(ctx, w, f, searched)
	} else {
		ref, err = a.fileReference(w, f, searched, shown)
	}
	var nothing bench.NothingRelevantError
	if errors.As(err, &nothing) {
		return nil, usagef("--relevant-from: %w", nothing)
	}
	return ref, err
}

// withLabelsHint adds that a file of labels does without a workspace.
func withLabelsHint(err error) error {
	if errors.Is(err, workspace.ErrNone) {
		return withHint(err, "make one with \"assay init DIR\"; or --labels QRELS --run RUN measures without one")
	}
	return err
}

// workspaceReference measures against the labels of the workspace.
func (a *app) workspaceReference(ctx context.Context, w *workspace.Workspace, f referenceFlags, searched bool) (*reference, error) {
	db, err := a.readStore(w)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ref := &reference{w: w, name: w.Name()}
	if ref.ix, err = index.Open(w.Path("corpus")); err != nil && (searched || !errors.Is(err, index.ErrNone)) {
		if errors.Is(err, index.ErrNone) {
			err = withHint(err, "assay index PATH… reads a corpus; --run FILE measures a run without one")
		}
		return nil, err
	}
	fail := func(err error) (*reference, error) {
		ref.close()
		return nil, err
	}
	_, guidelines, err := w.Guidelines()
	if err != nil {
		return fail(err)
	}
	rule := corpus.Rule(f.rule)
	if rule == "" {
		rule = corpus.Rule(w.Config.Gold.Rule)
	}
	said, err := bench.Said(ctx, db)
	if err != nil {
		return fail(err)
	}
	gold, err := bench.GoldIn(said, rule, program(), guidelines)
	if err != nil {
		return fail(err)
	}
	if len(gold.Rows) == 0 {
		return fail(withHint(errors.New("there is no query to measure on"), "assay import queries LOG, then label some, or assay import labels FILE"))
	}
	ref.Bench = bench.New(gold, ref.ix)
	if f.relevantFrom > 0 {
		if err := ref.RelevantFrom(corpus.Grade(f.relevantFrom)); err != nil {
			return fail(err)
		}
	}
	ref.texts = included(said.Queries)
	drift, err := desk.DriftIn(ctx, said, ref.ix)
	if err != nil {
		return fail(err)
	}
	if drift.Stale > 0 {
		ref.Warnings = append(ref.Warnings, fmt.Sprintf("%s made on a text that is different now: look at them again", count(drift.Stale, "label")))
	}
	return ref, nil
}

// fileReference measures against a file of labels. A workspace around it lends its corpus and query texts where these are
// needed.
func (a *app) fileReference(w *workspace.Workspace, f referenceFlags, searched, shown bool) (*reference, error) {
	labels, err := export.ReadLabels(f.labels, export.ReadOptions{DecodeIDs: f.decodeIDs, Stdin: a.stdin})
	if err != nil {
		return nil, err
	}
	a.printRejects(exportRejects(labels.Stats), []importedFile{{Rejected: labels.Stats.Rejected}})
	for _, warning := range labels.Warnings {
		a.say("warning: %s", warning)
	}
	if labels.Stats.Accepted == 0 {
		return nil, fmt.Errorf("%s holds no label", f.labels)
	}
	if (f.strict || f.compat != "") && labels.Stats.Repeats+labels.Stats.Rejected > 0 {
		return nil, withHint(fmt.Errorf("%s: %s and %s refused", f.labels, count(labels.Stats.Repeats, "repeated label"), count(labels.Stats.Rejected, "rejected line")),
			"trec_eval takes none either; without --strict and --compat they are left out")
	}
	ref := &reference{w: w, name: filepath.Base(f.labels)}
	if ref.Bench, err = bench.FromLabels(labels, corpus.Rule(f.rule), corpus.Grade(f.relevantFrom), program()); err != nil {
		return nil, err
	}
	if ref.texts, err = a.textsFor(w, f, labels); err != nil {
		return nil, err
	}
	if !searched {
		if shown && w != nil {
			ref.ix, _ = index.Open(w.Path("corpus"))
		}
		return ref, nil
	}
	if w == nil {
		return nil, withHint(errors.New("there is no corpus to search"), "--run FILE measures a run; the built-in search needs a workspace")
	}
	if ref.ix, err = a.openIndex(w); err != nil {
		return nil, err
	}
	ref.InCorpus, ref.Corpus = ref.ix.Has, ref.ix.Info().Fingerprint
	return ref, nil
}

// textsFor finds the texts of queries that a file of labels names: in --queries, in the file, beside it, or in the
// workspace.
func (a *app) textsFor(w *workspace.Workspace, f referenceFlags, labels export.Labels) ([]corpus.Query, error) {
	path := f.queries
	if path == "" && labels.Format == export.BEIR && labels.File != "-" {
		beside := filepath.Join(filepath.Dir(filepath.Dir(labels.File)), "queries.jsonl")
		if _, err := os.Stat(beside); err == nil && filepath.Base(filepath.Dir(labels.File)) == "qrels" {
			path = beside
		}
	}
	if path != "" {
		texts, err := a.queriesIn(path)
		if err != nil {
			return nil, fmt.Errorf("read queries: %w", err)
		}
		return texts, nil
	}
	if labels.Gold != nil {
		var texts []corpus.Query
		for _, row := range labels.Gold.Rows {
			if row.Query != nil {
				texts = append(texts, corpus.Query{ID: row.QueryID, Text: *row.Query, Turns: row.Turns, Language: row.Language})
			}
		}
		return texts, nil
	}
	if w == nil {
		return nil, nil
	}
	db, err := a.readStore(w)
	if err != nil {
		return nil, nil // the texts are a help, not a need
	}
	defer db.Close()
	queries, err := db.Queries()
	return included(queries), err
}

// queriesIn are the queries of a file, each id once, as they are there. Rows that can't be used are left out.
func (a *app) queriesIn(path string) ([]corpus.Query, error) {
	log, err := querylog.Open(path, querylog.Options{Stdin: a.stdin})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	seen := map[string]bool{}
	var queries []corpus.Query
	for asked, err := range log.Rows() {
		var reject *rows.Reject
		switch {
		case errors.As(err, &reject):
		case err != nil:
			return nil, err
		case !seen[asked.Query.ID] && strings.TrimSpace(asked.Query.Text) != "":
			seen[asked.Query.ID] = true
			queries = append(queries, asked.Query)
		}
	}
	return queries, nil
}

// asText is a query's text by id.
func (ref *reference) asText() map[string]string {
	texts := make(map[string]string, len(ref.texts))
	for _, q := range ref.texts {
		texts[q.ID] = q.Text
	}
	return texts
}
