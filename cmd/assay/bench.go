package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/export"

	"github.com/spf13/pflag"
)

// bench is what check and compare measure against, and what retrievers are asked with.
type bench struct {
	desk.Bench
	w     *workspace.Workspace // nil where there is none
	ix    *index.Index         // nil where none is needed, or there is none
	texts []corpus.Query       // that retrievers can be asked with
	name  string               // what reports are headed with
}

// close lets go of what the bench holds open.
func (b *bench) close() {
	if b.ix != nil {
		b.ix.Close()
	}
}

// benchFlags say against what, and how, to measure.
type benchFlags struct {
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

func (f *benchFlags) add(fl *pflag.FlagSet) {
	fl.StringArrayVarP(&f.names, "measures", "m", nil, `what to measure, e.g. "R@5 P@5 RR nDCG@10" (default that of assay.toml)`)
	fl.StringVar(&f.labels, "labels", "", "measure against this file of labels instead of a workspace's: TREC or BEIR qrels, a native gold set, JSON Lines")
	fl.StringVar(&f.queries, "queries", "", "with --labels: the queries' texts, where a retriever is to be asked")
	fl.IntVar(&f.relevantFrom, "relevant-from", 0, "the lowest grade that counts as relevant (default the scale's; 1 with --labels)")
	fl.StringVar(&f.rule, "rule", "", "how annotators' grades become one: majority, single or adjudicated (default that of assay.toml)")
	fl.BoolVar(&f.decodeIDs, "decode-ids", false, "undo what export --encode-ids did to the ids of runs and labels")
	fl.StringVar(&f.compat, "compat", "", "count as trec_eval -c does: trec_eval-10 or trec_eval-9")
	fl.Lookup("compat").NoOptDefVal = "trec_eval-10"
	fl.BoolVar(&f.strict, "strict", false, "refuse a run that returns a chunk twice for a query, and labels that repeat a pair")
	fl.Uint64Var(&f.seed, "seed", desk.Seed, "of the intervals and the significance tests")
}

// check refuses what can be refused before anything is opened.
func (f *benchFlags) check() error {
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
func (f *benchFlags) measuring(w *workspace.Workspace) (desk.Measuring, error) {
	how := desk.Measuring{Strict: f.strict, Resamples: desk.Resamples, Seed: f.seed}
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

// openBench opens what to measure against. searched says that the built-in search is to be measured, shown that a report
// shows chunks, whose texts are a help, not a need.
func (a *app) openBench(ctx context.Context, f benchFlags, searched, shown bool) (*bench, error) {
	w, err := a.workspace()
	if f.labels != "" && errors.Is(err, workspace.ErrNone) && a.dir == "" {
		w, err = nil, nil
	}
	if err != nil {
		return nil, withLabelsHint(err)
	}
	if f.labels == "" {
		return a.workspaceBench(ctx, w, f, searched)
	}
	return a.fileBench(w, f, searched, shown)
}

// withLabelsHint adds that a file of labels does without a workspace.
func withLabelsHint(err error) error {
	if errors.Is(err, workspace.ErrNone) {
		return withHint(err, "make one with \"assay init DIR\"; or --labels QRELS --run RUN measures without one")
	}
	return err
}

// workspaceBench measures against the labels of the workspace.
func (a *app) workspaceBench(ctx context.Context, w *workspace.Workspace, f benchFlags, searched bool) (*bench, error) {
	db, err := a.readStore(w)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	b := &bench{w: w, name: w.Name()}
	if b.ix, err = index.Open(w.Path("corpus")); err != nil && (searched || !errors.Is(err, index.ErrNone)) {
		if errors.Is(err, index.ErrNone) {
			err = withHint(err, "assay index PATH… reads a corpus; --run FILE measures a run without one")
		}
		return nil, err
	}
	fail := func(err error) (*bench, error) {
		b.close()
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
	said, err := desk.Said(ctx, db)
	if err != nil {
		return fail(err)
	}
	gold, err := desk.GoldIn(said, rule, program(), guidelines)
	if err != nil {
		return fail(err)
	}
	if len(gold.Rows) == 0 {
		return fail(withHint(errors.New("there is no query to measure on"), "assay import queries LOG, then label some, or assay import labels FILE"))
	}
	b.Bench = desk.NewBench(gold, b.ix)
	if f.relevantFrom > 0 {
		b.RelevantFrom(corpus.Grade(f.relevantFrom))
	}
	b.texts = included(said.Queries)
	drift, err := desk.DriftIn(ctx, said, b.ix)
	if err != nil {
		return fail(err)
	}
	if drift.Stale > 0 {
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s made on a text that is different now: look at them again", count(drift.Stale, "label")))
	}
	return b, nil
}

// fileBench measures against a file of labels. A workspace around it lends its corpus and query texts where these are
// needed.
func (a *app) fileBench(w *workspace.Workspace, f benchFlags, searched, shown bool) (*bench, error) {
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
	b := &bench{w: w, name: filepath.Base(f.labels)}
	if b.Bench, err = desk.BenchOf(labels, corpus.Rule(f.rule), corpus.Grade(f.relevantFrom), program()); err != nil {
		return nil, err
	}
	if b.texts, err = a.textsFor(w, f, labels); err != nil {
		return nil, err
	}
	if !searched {
		if shown && w != nil {
			b.ix, _ = index.Open(w.Path("corpus"))
		}
		return b, nil
	}
	if w == nil {
		return nil, withHint(errors.New("there is no corpus to search"), "--run FILE measures a run; the built-in search needs a workspace")
	}
	if b.ix, err = a.openIndex(w); err != nil {
		return nil, err
	}
	b.InCorpus, b.Corpus = b.ix.Has, b.ix.Info().Fingerprint
	return b, nil
}

// textsFor finds the texts of queries that a file of labels names: in --queries, in the file, beside it, or in the
// workspace.
func (a *app) textsFor(w *workspace.Workspace, f benchFlags, labels export.Labels) ([]corpus.Query, error) {
	path := f.queries
	if path == "" && labels.Format == export.BEIR && labels.File != "-" {
		beside := filepath.Join(filepath.Dir(filepath.Dir(labels.File)), "queries.jsonl")
		if _, err := os.Stat(beside); err == nil && filepath.Base(filepath.Dir(labels.File)) == "qrels" {
			path = beside
		}
	}
	if path != "" {
		log, err := a.readLog(path, queriesFlags{})
		if err != nil {
			return nil, fmt.Errorf("read queries: %w", err)
		}
		return log.Queries, nil
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

// asText is a query's text by id.
func (b *bench) asText() map[string]string {
	texts := make(map[string]string, len(b.texts))
	for _, q := range b.texts {
		texts[q.ID] = q.Text
	}
	return texts
}
