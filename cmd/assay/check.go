package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"assay/cmd/assay/internal/bench"
	"assay/corpus/retrieval"
	"assay/export"
	reports "assay/export/report"

	"github.com/spf13/cobra"
)

// checkFlags say what a check measures, what it demands and what it writes.
type checkFlags struct {
	reference referenceFlags
	retriever retrieverFlags

	perQuery, asJSON, trec bool
	html, markdown, junit  string
	worst                  int
	allowMissing           bool
	require                []string
	noWorseThan            string
	alpha, drop            float64
	force                  bool
	gates                  []retrieval.Gate
	printed                bool              // they stand on stdout as text
	askedFacets            []retrieval.Facet // by --by
	slices                 []retrieval.Slice // for a page, which has room for all that tell queries apart
	baseline               *retrieval.Report // of --no-worse-than
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check",
		Short: "Measure a retriever against the gold set, and gate on it",
		Long: `Measure a retriever against the gold set: the built-in search, a run (--run FILE, or the name of an imported one), a
command (--exec) or a web service (--http). With --labels QRELS --run RUN no workspace is needed.

R@k is the share of a query's relevant chunks that stand in the top k; Success@k is the share of queries with any.
Other tools call either of them "recall@k"; here they never share a name.

Finished, answerable queries count; one without a ranking scores 0. Unanswerable and unfinished queries, and those
without a relevant chunk, are listed on lines of their own. A chunk returned twice counts once. Beside each mean stand
its 95% interval, how many queries it is over, the share judged of what it looked at, and what it would be if all
unjudged chunks were irrelevant, or relevant.

--require and --no-worse-than make exit code 3 of a figure that is too low. "assay guide checks" and "assay guide
gates" say the rest.`,
		Example: `  assay check --run mine.run -m "R@5 R@50 RR"
  assay check --require "R@5>=0.8" --require "nDCG@10>=0.6@identifier"
  assay check --http http://localhost:8080/search --hits-path '$.results' --html report.html
  assay check --labels test.qrels --run mine.run --compat --trec`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("check takes no %q by itself: rankings are --run FILE, labels --labels FILE", text80(args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.parse(); err != nil {
				return err
			}
			if err := f.retriever.without(cmd.Flags().Changed); err != nil {
				return err
			}
			return a.check(cmd.Context(), &f)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	f.retriever.add(fl)
	f.reference.add(fl)
	fl.StringVar(&f.reference.by, "by", "", "slice the means by tag, kind, source, language, frequency, or all")
	fl.BoolVar(&f.perQuery, "per-query", false, "each query's values too")
	fl.BoolVar(&f.asJSON, "json", false, "as one JSON object; \"assay guide schema\" describes it")
	fl.BoolVar(&f.trec, "trec", false, "in trec_eval's line format")
	fl.StringVar(&f.html, "html", "", "write a report for a browser to this file, all in one")
	fl.StringVar(&f.markdown, "markdown", "", "write a report for a pull request's comment to this file (- is stdout)")
	fl.StringVar(&f.junit, "junit", "", "write the gates as JUnit XML to this file (- is stdout)")
	fl.IntVar(&f.worst, "worst", 10, "how many of the worst queries the HTML and Markdown reports show with their chunks")
	fl.StringArrayVar(&f.require, "require", nil, `exit 3 unless this holds, e.g. "R@5>=0.8" "RR>=0.6@identifier" for a tag, "traffic:R@5>=0.8" for the traffic`)
	fl.StringVar(&f.noWorseThan, "no-worse-than", "", "exit 3 where a mean fell significantly below that of this run, or report (check --json --per-query)")
	fl.Float64Var(&f.alpha, "alpha", 0.05, "with --no-worse-than: significance, over all measures together")
	fl.Float64Var(&f.drop, "allowed-drop", 0, "with --no-worse-than: how far a mean may fall")
	fl.BoolVar(&f.force, "force", false, "with --no-worse-than: compare although labels or corpora differ")
	fl.BoolVar(&f.allowMissing, "allow-missing", false, "exit 0 even where gold ids are not in the corpus")
	return c
}

// parse reads the flags that can be refused before anything is opened.
func (f *checkFlags) parse() error {
	if err := f.retriever.check(); err != nil {
		return err
	}
	if err := f.reference.check(); err != nil {
		return err
	}
	stdout := 0
	for _, taken := range []bool{f.asJSON, f.trec, f.html == "-", f.markdown == "-", f.junit == "-"} {
		if taken {
			stdout++
		}
	}
	switch {
	case stdout > 1:
		return usagef("only one of --json, --trec and a report to - fits on stdout")
	case sameFile(f.html, f.markdown) || sameFile(f.html, f.junit) || sameFile(f.markdown, f.junit):
		return usagef("two reports can't go to the same file")
	case f.worst < 0:
		return usagef("--worst %d is below 0", f.worst)
	case !(f.alpha > 0 && f.alpha < 1):
		return usagef("--alpha %g is not between 0 and 1", f.alpha)
	case !(f.drop >= 0 && f.drop < 1):
		return usagef("--allowed-drop %g is not between 0 and 1", f.drop)
	case f.noWorseThan == "" && f.force:
		return usagef("--force goes with --no-worse-than")
	}
	for _, text := range f.require {
		g, err := retrieval.ParseGate(text)
		if err != nil {
			return usageError{err}
		}
		f.gates = append(f.gates, g)
	}
	return nil
}

// prepare reads the baseline and looks whether reports can be written.
func (f *checkFlags) prepare() error {
	for _, path := range []string{f.html, f.markdown, f.junit} {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		} else if !info.IsDir() {
			return fmt.Errorf("write %s: %s is no folder", path, filepath.Dir(path))
		}
	}
	if f.noWorseThan == "" {
		return nil
	}
	if !reports.IsCheck(f.noWorseThan) {
		return nil // a run, which is measured as the other one is
	}
	base, err := reports.ReadCheck(f.noWorseThan)
	if err != nil {
		return err
	}
	base.Run = f.noWorseThan // two reports of the same run are told apart by their files
	f.baseline = &base
	return nil
}

func sameFile(a, b string) bool { return a != "" && a != "-" && filepath.Clean(a) == filepath.Clean(b) }

// measuring adds to what is measured what the gates look at.
func (f *checkFlags) measuring(ref *reference) (bench.Measuring, error) {
	how, err := f.reference.measuring(ref.w)
	if err != nil {
		return how, err
	}
	f.askedFacets = how.By
	for _, g := range f.gates {
		if !slices.Contains(how.Measures, g.Measure) {
			how.Measures = append(how.Measures, g.Measure)
		}
		if g.By != "" && !slices.Contains(how.By, g.By) {
			how.By = append(how.By, g.By)
		}
	}
	if f.html != "" && f.reference.by == "" {
		how.By = retrieval.Facets()
	}
	return how, nil
}

// check measures, prints and judges.
func (a *app) check(ctx context.Context, f *checkFlags) error {
	_, search, err := f.retriever.searchMode()
	if err != nil {
		return err
	}
	if err := f.prepare(); err != nil { // before a retriever is asked and paid
		return fmt.Errorf("check: %w", err)
	}
	ref, err := a.openReference(ctx, f.reference, search, f.html != "" || f.markdown != "")
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	defer ref.close()
	how, err := f.measuring(ref)
	if err != nil {
		return err
	}
	run, err := a.retrieve(ctx, ref, f.retriever, f.reference.decodeIDs)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	r, err := ref.Measure(run, how)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if f.noWorseThan != "" && f.baseline == nil {
		base, err := a.measureBaseline(ctx, f, ref, how)
		if err != nil {
			return fmt.Errorf("check: baseline: %w", err)
		}
		f.baseline = &base
	}
	if err := f.judge(&r); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if err := a.writeReports(ctx, f, ref, run, r); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if err := a.printCheck(f, run, r); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	return f.outcome(a, r)
}

// measureBaseline measures a run that a check is held against, by the same labels and measures.
func (a *app) measureBaseline(ctx context.Context, f *checkFlags, ref *reference, how bench.Measuring) (retrieval.Report, error) {
	name := retrieverFlags{run: f.noWorseThan}
	if _, search, err := name.searchMode(); search || err != nil {
		return retrieval.Report{}, withHint(fmt.Errorf("%q is the built-in search", f.noWorseThan), "a baseline is a run, or a report that check --json --per-query wrote")
	}
	run, err := a.retrieve(ctx, ref, name, f.reference.decodeIDs)
	if err != nil {
		return retrieval.Report{}, err
	}
	how.By, how.Limits, how.Resamples = nil, nil, 0
	return ref.Measure(run, how)
}

// fewQueries is below how many a gate that passes says little.
const fewQueries = 30

// judge holds the gates against the report. Slices that only gates, or the page, asked for are taken out again.
func (f *checkFlags) judge(r *retrieval.Report) error {
	for _, g := range f.gates {
		result := g.Check(*r)
		if result.Verdict == retrieval.Pass && result.N < fewQueries {
			r.Warnings = append(r.Warnings, fmt.Sprintf("gate %s passes on %s only: chance alone may have brought that about", g.Text, count(result.N, "query")))
		}
		r.Gates = append(r.Gates, result)
	}
	if f.baseline != nil {
		gates, warnings, err := retrieval.NoWorse(*f.baseline, *r, f.drop, retrieval.CompareOptions{Alpha: f.alpha, Seed: f.reference.seed, Force: f.force})
		if err != nil {
			return notComparable(err)
		}
		r.Gates = append(r.Gates, gates...)
		r.Warnings = append(r.Warnings, warnings...)
	}
	f.slices = distinct(r.Slices)
	r.Slices = slices.DeleteFunc(slices.Clone(r.Slices), func(s retrieval.Slice) bool {
		return !slices.Contains(f.askedFacets, retrieval.Facet(s.By))
	})
	return nil
}

// distinct are the slices of facets that tell queries apart.
func distinct(all []retrieval.Slice) []retrieval.Slice {
	parts := map[string]int{}
	for _, s := range all {
		parts[s.By]++
	}
	return slices.DeleteFunc(slices.Clone(all), func(s retrieval.Slice) bool { return parts[s.By] < 2 })
}

// notComparable adds what to do about reports that were measured against different things.
func notComparable(err error) error {
	if errors.Is(err, retrieval.ErrNotComparable) {
		return withHint(err, "measure both against the same labels and corpus; --force compares all the same")
	}
	return err
}

// writeReports writes the reports that were asked for as files.
func (a *app) writeReports(ctx context.Context, f *checkFlags, ref *reference, run bench.Retrieved, r retrieval.Report) error {
	doc := reports.Document{Report: r, Title: ref.name, At: a.now(), Texts: ref.asText(), Relevant: ref.Scale.RelevantFrom, MissingAllowed: f.allowMissing}
	if f.html != "" || f.markdown != "" {
		var err error
		if doc.Worst, err = ref.Worst(ctx, r, run, ref.ix, doc.Texts, f.worst); err != nil {
			return err
		}
	}
	page := doc
	if f.reference.by == "" {
		page.Report.Slices = f.slices
	}
	for _, form := range []struct {
		path  string
		write func(io.Writer, reports.Document) error
		doc   reports.Document
	}{{f.html, reports.WriteHTML, page}, {f.markdown, reports.WriteMarkdown, doc}, {f.junit, reports.WriteJUnit, doc}} {
		if form.path == "" {
			continue
		}
		if err := a.writeTo(form.path, func(w io.Writer) error { return form.write(w, form.doc) }); err != nil {
			return err
		}
	}
	return nil
}

// writeTo writes a file, whole or not at all, or stdout.
func (a *app) writeTo(path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.data())
	}
	return export.WriteFile(path, write)
}

// printCheck prints the report in the form that was asked for. Where a report in another form goes to stdout, it has
// stdout for itself.
func (a *app) printCheck(f *checkFlags, run bench.Retrieved, r retrieval.Report) error {
	a.printMissing(r)
	a.printFailed(r)
	switch {
	case f.asJSON:
		if !f.perQuery {
			r.Queries = []retrieval.QueryValues{}
		}
		if err := a.printJSON(r); err != nil {
			return err
		}
	case f.trec:
		if run.Tag != "" {
			r.Run = run.Tag
		}
		if err := retrieval.WriteTREC(a.data(), r, f.perQuery); err != nil {
			return err
		}
		a.printAside(r, a.say)
	case f.markdown == "-" || f.junit == "-" || f.html == "-":
		a.printAside(r, a.say)
	default:
		a.printReport(r, f.perQuery)
		f.printed = true
		for _, g := range r.Gates {
			a.line("gate %-8s %s", g.Verdict, g.Line)
		}
		for _, path := range []string{f.html, f.markdown, f.junit} {
			if path != "" {
				a.say("written: %s", path)
			}
		}
	}
	return nil
}

// outcome is the error of a check: a gate that failed comes first, then what keeps the figures from being whole.
func (f *checkFlags) outcome(a *app, r retrieval.Report) error {
	failed := 0
	for _, g := range r.Gates {
		if g.Verdict == retrieval.Fail {
			if !f.printed || !isTerminal(a.stdout) {
				a.say("gate failed: %s", g.Line) // on a terminal it stands above already
			}
			failed++
		}
	}
	switch {
	case failed > 0:
		err := gateError{fmt.Errorf("check: %d of %s failed", failed, count(len(r.Gates), "gate"))}
		if f.baseline != nil {
			return withHint(err, "assay compare, with the baseline and this run, shows which queries moved")
		}
		return err
	case len(r.Missing) > 0 && !f.allowMissing:
		return withHint(gateError{fmt.Errorf("check: %s not in the corpus", countAre(len(r.Missing), "gold id"))},
			"the figures stand above, with and without them; --allow-missing makes this no error")
	case len(r.Failed) > 0:
		hint := "they count as 0; the figures without them stand beside"
		if f.retriever.live() {
			hint = "the same command asks only for them"
		}
		return withHint(fmt.Errorf("check: the retriever failed on %s", count(len(r.Failed), "query")), hint)
	}
	return nil
}
