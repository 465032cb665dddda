package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/export"
	"assay/store"

	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	var runPath string
	var names []string
	var perQuery, asJSON, trec, allowMissing bool
	var how measuring
	var compat string
	c := &cobra.Command{
		Use:   "check",
		Short: "Measure a retriever against the gold set",
		Long: `Measure a retriever against the gold set: the built-in search, or a run (--run FILE, or the name of an imported one).

R@k is the share of a query's relevant chunks that stand in the top k; Success@k is the share of queries with any.
Other tools call either of them "recall@k"; here they never share a name.

Finished, answerable queries count; one without a ranking scores 0. Unanswerable and unfinished queries, and those
without a relevant chunk, are listed on lines of their own. A chunk returned twice counts once. "assay guide checks"
says the rest.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if len(names) == 0 {
				names = w.Config.Check.Measures
			}
			measures, err := retrieval.ParseMeasures(names...)
			if err != nil {
				return usageError{err}
			}
			switch compat {
			case "":
			case "trec_eval-10":
				how.compat = retrieval.TrecEval10
			case "trec_eval-9":
				how.compat = retrieval.TrecEval9
			default:
				return usagef("compat %q is not trec_eval-10 or trec_eval-9", text80(compat))
			}
			report, err := a.measure(cmd.Context(), w, runPath, measures, how)
			if err != nil {
				return fmt.Errorf("check: %w", err)
			}
			a.printMissing(report)
			switch {
			case asJSON:
				if !perQuery {
					report.Queries = []retrieval.QueryValues{}
				}
				err = a.printJSON(report)
			case trec:
				err = retrieval.WriteTREC(a.data(), report, perQuery)
				a.printAside(report, a.say)
			default:
				a.printReport(report, measures, perQuery)
			}
			if err == nil && len(report.Missing) > 0 && !allowMissing {
				err = withHint(gateError{fmt.Errorf("check: %s not in the corpus", countAre(len(report.Missing), "gold id"))},
					"the figures stand above, with and without them; --allow-missing makes this no error")
			}
			return err
		},
	}
	fl := c.Flags()
	fl.StringVar(&runPath, "run", "", "a run's file, or the name of an imported run (default the built-in search)")
	fl.StringArrayVarP(&names, "measures", "m", nil, `what to measure, e.g. "R@5 P@5 RR nDCG@10" (default that of assay.toml)`)
	fl.BoolVar(&perQuery, "per-query", false, "each query's values too")
	fl.BoolVar(&asJSON, "json", false, "as one JSON object")
	fl.BoolVar(&trec, "trec", false, "in trec_eval's line format")
	fl.BoolVar(&allowMissing, "allow-missing", false, "exit 0 even where gold ids are not in the corpus")
	fl.BoolVar(&how.decodeIDs, "decode-ids", false, "undo what export --encode-ids did to the run's ids")
	fl.StringVar(&compat, "compat", "", "count as trec_eval -c does: trec_eval-10 or trec_eval-9")
	fl.Lookup("compat").NoOptDefVal = "trec_eval-10"
	fl.BoolVar(&how.strict, "strict", false, "refuse a run that returns a chunk twice for a query")
	return c
}

// measuring says how a run is read and measured.
type measuring struct {
	strict, decodeIDs bool
	compat            retrieval.Compat
}

// measure evaluates a run, or the built-in search, against the workspace's labels.
func (a *app) measure(ctx context.Context, w *workspace.Workspace, runPath string, measures []retrieval.Measure, how measuring) (retrieval.Report, error) {
	db, err := a.readStore(w)
	if err != nil {
		return retrieval.Report{}, err
	}
	defer db.Close()
	ix, err := index.Open(w.Path("corpus"))
	if err != nil && !(runPath != "" && errors.Is(err, index.ErrNone)) {
		if errors.Is(err, index.ErrNone) {
			err = withHint(err, "assay index PATH… reads a corpus; --run FILE measures a run without one")
		}
		return retrieval.Report{}, err
	}
	if ix != nil {
		defer ix.Close()
	}
	gold, labels, err := a.gold(ctx, w, db)
	if err != nil {
		return retrieval.Report{}, err
	}
	if len(gold.Rows) == 0 {
		return retrieval.Report{}, withHint(errors.New("there is no query to measure on"), "assay import queries LOG, then label some, or assay import labels FILE")
	}
	run, err := a.loadRun(ctx, w, db, ix, runPath, how.decodeIDs)
	if err != nil {
		return retrieval.Report{}, err
	}
	report, err := desk.Measured(gold, labels, ix, run, measures, how.strict, how.compat)
	if err != nil {
		return report, err
	}
	drift, err := desk.DriftOf(ctx, db, ix)
	if err != nil {
		return report, err
	}
	if drift.Stale > 0 {
		report.Warnings = append(report.Warnings, fmt.Sprintf("%s made on a text that is different now: look at them again", count(drift.Stale, "label")))
	}
	return report, nil
}

func (a *app) gold(ctx context.Context, w *workspace.Workspace, db *store.DB) (corpus.GoldSet, corpus.Hash, error) {
	_, hash, err := w.Guidelines()
	if err != nil {
		return corpus.GoldSet{}, "", err
	}
	gold, err := desk.Gold(ctx, db, corpus.Rule(w.Config.Gold.Rule), program(), hash)
	if err != nil {
		return corpus.GoldSet{}, "", err
	}
	labels, err := db.LabelsFingerprint()
	return gold, labels, err
}

// loadRun reads the run that is named, or asks the built-in search.
func (a *app) loadRun(ctx context.Context, w *workspace.Workspace, db *store.DB, ix *index.Index, path string, decodeIDs bool) (corpus.Run, error) {
	if path == "" {
		queries, err := db.Queries()
		if err != nil {
			return corpus.Run{}, err
		}
		queries = included(queries)
		p := a.progress("searching")
		defer p.done()
		return desk.Rankings(ctx, ix, queries, w.Config.Check.Depth, func(n int) { p.count(int64(n), int64(len(queries))) })
	}
	file, err := findRun(w, path)
	if err != nil {
		return corpus.Run{}, err
	}
	read, err := export.ReadRun(file, export.ReadOptions{DecodeIDs: decodeIDs, Stdin: a.stdin})
	if err != nil {
		return corpus.Run{}, err
	}
	a.printRejects(exportRejects(read.Stats), []importedFile{{Rejected: read.Stats.Rejected}})
	for _, warning := range read.Warnings {
		a.say("warning: %s", warning)
	}
	if read.Stats.Accepted == 0 {
		return corpus.Run{}, fmt.Errorf("%s holds no ranking", path)
	}
	read.Run.Name = path
	return read.Run, nil
}

// findRun is a file by that path, or an imported run by that name.
func findRun(w *workspace.Workspace, path string) (string, error) {
	if _, err := os.Stat(path); err == nil || path == "-" {
		return path, nil
	}
	if !strings.ContainsAny(path, `/\`) {
		for _, ending := range []string{".run", ".jsonl"} {
			if _, err := os.Stat(w.Path("runs", path+ending)); err == nil {
				return w.Path("runs", path+ending), nil
			}
		}
	}
	return "", withHint(fmt.Errorf("run %q: %w", text80(path), fs.ErrNotExist), "a file, or the name of a run that \"assay import run\" took in")
}

// printMissing lists the gold ids that no retriever can find, before any figure.
func (a *app) printMissing(r retrieval.Report) {
	for i, m := range r.Missing {
		if i == 20 {
			a.say("… and %d more", len(r.Missing)-i)
			return
		}
		a.say("not in the corpus: %s, graded %s for query %s", m.ChunkID, m.Grade, m.QueryID)
	}
}

func (a *app) printReport(r retrieval.Report, measures []retrieval.Measure, perQuery bool) {
	if perQuery {
		header := fmt.Sprintf("%-24s", "query")
		for _, m := range measures {
			header += fmt.Sprintf(" %10s", m)
		}
		a.line("%s", header)
		for _, q := range r.Queries {
			row := padRight(text80(q.QueryID), 24)
			for _, m := range measures {
				row += fmt.Sprintf(" %10s", figure(q.Values[m.String()]))
			}
			a.line("%s", row)
		}
		a.line("")
	}
	for _, m := range r.Measures {
		why := ""
		if m.Why != "" {
			why = "  (" + m.Why + ")"
		}
		a.line("%-14s %8s   n = %d%s", m.Name, figure(m.Mean), m.N, why)
	}
	if len(r.WithoutMissing) > 0 {
		a.line("without the gold ids that are not in the corpus:")
		for _, m := range r.WithoutMissing {
			a.line("  %-12s %8s   n = %d", m.Name, figure(m.Mean), m.N)
		}
	}
	a.printAside(r, a.line)
	scorer := r.Scorer
	if scorer != "" {
		scorer = " · " + scorer
	}
	a.say("run %s%s · labels %.12s · corpus %.12s", r.Run, scorer, orDash(r.Labels), orDash(r.Corpus))
}

// printAside says what the means leave out, and what to be wary of.
func (a *app) printAside(r retrieval.Report, say func(string, ...any)) {
	by := map[retrieval.Why]int{}
	for _, e := range r.Excluded {
		by[e.Why]++
	}
	for _, why := range []struct {
		why   retrieval.Why
		words string
	}{
		{retrieval.WhyUnanswerable, "unanswerable"},
		{retrieval.WhyUnfinished, "unfinished (nobody is done with them)"},
		{retrieval.WhyNoRelevant, "finished without a relevant chunk"},
	} {
		if n := by[why.why]; n > 0 {
			say("left out: %s %s", count(n, "query"), why.words)
		}
	}
	for _, w := range r.Warnings {
		a.say("warning: %s", w)
	}
}

// figure is a value as trec_eval prints it, or a dash where it is undefined.
func figure(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.4f", *v)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
