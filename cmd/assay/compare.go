package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"assay/cmd/assay/internal/bench"
	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/corpus/text"
	reports "assay/export/report"

	"github.com/spf13/cobra"
)

// compareFlags say what a comparison looks at and prints.
type compareFlags struct {
	reference referenceFlags
	asking    retrieverFlags
	asJSON    bool
	markdown  string
	alpha     float64
	force     bool
	moved     int
	show      int
	worse     bool
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare BASE RUN…",
		Short: "Two or more runs, paired by query, with significance",
		Long: `Compare runs query by query, each with the first. A run is a file, the name of a run in runs/, of a [[retriever]] in
assay.toml, "search" (the built-in search; "search:exact" and "search:phrase" in another mode), or a report that
"check --json --per-query" wrote.

For each measure: the difference of the means with its 95% interval, queries won, tied and lost, the p of a paired
randomization test, and that p adjusted for the number of measures and runs (Holm). Then the queries that moved most,
with both rankings side by side. Reports against different labels or corpora are refused, unless --force.`,
		Example: `  assay compare bm25 hybrid
  assay compare search search:exact -m "RR@10 R@10"
  assay compare last-week.json today.json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !(f.alpha > 0 && f.alpha < 1):
				return usagef("--alpha %g is not between 0 and 1", f.alpha)
			case f.moved < 0 || f.show < 0:
				return usagef("--moved and --show can't be negative")
			case f.asJSON && f.markdown == "-":
				return usagef("only one of --json and --markdown - fits on stdout")
			}
			if err := f.reference.check(); err != nil {
				return err
			}
			for _, name := range args {
				if _, _, err := (&retrieverFlags{run: name}).searchMode(); err != nil {
					return err
				}
			}
			return a.compare(cmd.Context(), &f, args)
		},
	}
	fl := c.Flags()
	fl.SortFlags = false
	f.reference.add(fl)
	fl.BoolVar(&f.asJSON, "json", false, "as one JSON object; \"assay guide schema\" describes it")
	fl.StringVar(&f.markdown, "markdown", "", "write the comparison for a pull request's comment to this file (- is stdout)")
	fl.Float64Var(&f.alpha, "alpha", 0.05, "what counts as significant, after adjustment")
	fl.BoolVar(&f.force, "force", false, "compare although labels or corpora differ")
	fl.IntVar(&f.moved, "moved", 10, "how many of the queries that moved most are listed")
	fl.BoolVar(&f.worse, "worse", false, "list only queries that got worse")
	fl.IntVar(&f.show, "show", 3, "for how many of them both rankings are shown")
	f.asking.retries = -1
	fl.IntVar(&f.asking.depth, "depth", 0, "how many chunks retrievers are asked for (default [check] depth of assay.toml)")
	fl.BoolVar(&f.asking.fresh, "fresh", false, "ask retrievers everything again; the runs that were kept move aside")
	return c
}

// compared is one of the runs: its report, and its rankings where these are at hand.
type compared struct {
	report retrieval.Report
	run    *bench.Retrieved
}

func (a *app) compare(ctx context.Context, f *compareFlags, args []string) error {
	list, ref, err := a.measureAll(ctx, f, args)
	if ref != nil {
		defer ref.close()
	}
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	reported := make([]retrieval.Report, len(list))
	for i, c := range list {
		reported[i] = c.report
		for _, w := range c.report.Warnings {
			a.say("warning: %s: %s", c.report.Run, w)
		}
	}
	result, err := retrieval.Compare(reported, retrieval.CompareOptions{Alpha: f.alpha, Seed: f.reference.seed, Force: f.force, Moved: max(f.moved, f.show), OnlyWorse: f.worse})
	if err != nil {
		return fmt.Errorf("compare: %w", notComparable(err))
	}
	for _, w := range result.Warnings {
		a.say("warning: %s", w)
	}
	if f.markdown != "" {
		if err := a.writeTo(f.markdown, func(w io.Writer) error { return reports.WriteMarkdownComparison(w, result) }); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
	}
	switch {
	case f.asJSON:
		if err := a.printJSON(result); err != nil {
			return fmt.Errorf("compare: %w", err)
		}
	case f.markdown != "-":
		a.printComparison(ctx, result, f, list, ref)
	}
	for _, c := range list {
		if n := len(c.report.Failed); n > 0 {
			a.printFailed(c.report)
			return withHint(fmt.Errorf("compare: %s failed on %s", c.report.Run, count(n, "query")), "they are left out of the comparison; check asks for them again")
		}
	}
	return nil
}

// measureAll makes a report of each run. The reference is opened only where a run has to be measured.
func (a *app) measureAll(ctx context.Context, f *compareFlags, args []string) ([]compared, *reference, error) {
	var ref *reference
	var how bench.Measuring
	list := make([]compared, len(args))
	for i, name := range args {
		path, done, err := a.seekable(name)
		if err != nil {
			return nil, ref, err
		}
		defer done()
		if reports.IsCheck(path) {
			if list[i].report, err = reports.ReadCheck(path); err != nil {
				return nil, ref, err
			}
			list[i].report.Run = name + ": " + list[i].report.Run
			if err := f.only(&list[i].report); err != nil {
				return nil, ref, err
			}
			continue
		}
		if ref == nil {
			searching := false
			for _, other := range args {
				searching = searching || other == bench.SearchName || strings.HasPrefix(other, bench.SearchName+":")
			}
			if ref, err = a.openReference(ctx, f.reference, searching, true); err != nil {
				return nil, nil, err
			}
			if how, err = f.reference.measuring(ref.w); err != nil {
				return nil, ref, err
			}
			how.Resamples, how.Limits = 0, nil // intervals of the differences are made later
		}
		run, err := a.retrieve(ctx, ref, f.named(ref, path), f.reference.decodeIDs)
		if err != nil {
			return nil, ref, err
		}
		if path != name {
			run.Name = name
		}
		if list[i].report, err = ref.Measure(run, how); err != nil {
			return nil, ref, err
		}
		list[i].run = &run
	}
	names := map[string]int{}
	for i := range list {
		names[list[i].report.Run]++
		if n := names[list[i].report.Run]; n > 1 {
			list[i].report.Run = fmt.Sprintf("%s (%d)", list[i].report.Run, n)
		}
	}
	return list, ref, nil
}

// seekable is a path that can be read twice, to see what it is and then to read it: what comes through a pipe is copied
// into a file first, which done takes away.
func (a *app) seekable(path string) (copied string, done func(), err error) {
	done = func() {}
	var from io.Reader
	switch info, err := os.Stat(path); {
	case path == "-":
		from = a.stdin
	case err != nil || info.Mode().IsRegular() || info.IsDir():
		return path, done, nil
	default:
		file, err := os.Open(path)
		if err != nil {
			return "", done, err
		}
		defer file.Close()
		from = file
	}
	to, err := os.CreateTemp("", "assay-*")
	if err != nil {
		return "", done, err
	}
	defer to.Close()
	done = func() { os.Remove(to.Name()) }
	if _, err := io.Copy(to, from); err != nil {
		done()
		return "", func() {}, fmt.Errorf("read %s: %w", path, err)
	}
	return to.Name(), done, nil
}

// only leaves of a report the measures that were asked for.
func (f *compareFlags) only(r *retrieval.Report) error {
	if len(f.reference.names) == 0 {
		return nil
	}
	measures, err := retrieval.ParseMeasures(f.reference.names...)
	if err != nil {
		return usageError{err}
	}
	var kept []retrieval.Mean
	for _, m := range measures {
		i := slices.IndexFunc(r.Measures, func(have retrieval.Mean) bool { return have.Name == m.String() })
		if i < 0 {
			return withHint(fmt.Errorf("the report of %q has no %s", r.Run, m), "a report has what was measured when it was made")
		}
		kept = append(kept, r.Measures[i])
	}
	r.Measures = kept
	return nil
}

// named is how to come by the run of that name. A retriever of assay.toml comes before its kept run, which may have been
// interrupted: where nothing is left to ask for, nothing is asked.
func (f *compareFlags) named(ref *reference, name string) retrieverFlags {
	r := f.asking
	if ref.w != nil {
		if _, ok := ref.w.Config.Retriever(name); ok {
			r.retriever = name
			return r
		}
	}
	r.run = name
	return r
}

// printComparison prints each run against the first.
func (a *app) printComparison(ctx context.Context, c retrieval.Comparison, f *compareFlags, list []compared, ref *reference) {
	for i, pair := range c.Pairs {
		if i > 0 {
			a.line("")
		}
		a.line("%s against %s, %s", pair.Run, c.Base, count(pair.N, "query"))
		a.line("%-14s %8s %8s %8s  %-18s %-14s %8s %8s", "measure", "before", "after", "change", "95% interval", "won/tied/lost", "p", "adjusted")
		for _, d := range pair.Deltas {
			a.line("%s", strings.TrimRight(deltaRow(d, c.Alpha), " "))
			if d.Note != "" {
				a.line("  %s", d.Note)
			}
		}
		a.printMoved(ctx, pair, f, list[0], list[i+1], ref)
	}
	a.say("labels %.12s · corpus %.12s · significant is an adjusted p of %g at most, marked *", orDash(c.Labels), orDash(c.Corpus), c.Alpha)
}

func deltaRow(d retrieval.Delta, alpha float64) string {
	change := "–"
	if d.Delta != nil {
		change = fmt.Sprintf("%+.4f", *d.Delta)
	}
	between := ""
	if d.Interval != nil {
		between = fmt.Sprintf("%+.4f – %+.4f", d.Interval.Lo, d.Interval.Hi)
	}
	mark := ""
	if d.Holm != nil && *d.Holm <= alpha {
		mark = " *"
	}
	return fmt.Sprintf("%-14s %8s %8s %8s  %-18s %-14s %8s %8s%s", d.Name, figure(d.Before), figure(d.After), change, between,
		fmt.Sprintf("%d/%d/%d", d.Wins, d.Ties, d.Losses), reports.Chance(d.P), reports.Chance(d.Holm), mark)
}

// sideHits is how many hits of a ranking are shown beside another's.
const sideHits = 5

// printMoved lists the queries that moved most, the first of them with both rankings.
func (a *app) printMoved(ctx context.Context, pair retrieval.Pair, f *compareFlags, base, other compared, ref *reference) {
	if len(pair.Moved) == 0 || f.moved == 0 {
		return
	}
	a.line("moved most by %s:", pair.Moved[0].Measure)
	var texts map[string]string
	if ref != nil {
		texts = ref.asText()
	}
	for i, m := range pair.Moved {
		if i >= f.moved {
			break
		}
		a.line("  %+.4f  %.4f → %.4f  %s  %s", m.After-m.Before, m.Before, m.After, m.QueryID, text80(texts[m.QueryID]))
		if i >= f.show || base.run == nil || other.run == nil || ref == nil {
			continue
		}
		grades := ref.Grades(m.QueryID)
		left, right := bench.Top(base.run.Rankings[m.QueryID], sideHits), bench.Top(other.run.Rankings[m.QueryID], sideHits)
		for rank := range max(len(left), len(right)) {
			a.line("    %2d  %s %s", rank+1, padRight(ref.side(ctx, left, rank, grades), sideWidth), ref.side(ctx, right, rank, grades))
		}
		for _, line := range ref.placed(base.run.Rankings[m.QueryID], other.run.Rankings[m.QueryID], grades) {
			a.line("    %s", line)
		}
	}
}

// sideWidth is how many characters a hit takes beside another run's.
const sideWidth = 46

// side is a hit with its grade and title.
func (ref *reference) side(ctx context.Context, ranking corpus.Ranking, rank int, grades map[string]corpus.Grade) string {
	if rank >= len(ranking) {
		return ""
	}
	mark := "·"
	if g, ok := grades[ranking[rank].ChunkID]; ok && g >= 0 {
		mark = g.String()
	}
	words := "[" + mark + "] " + idEnd(ranking[rank].ChunkID, 28)
	if ref.ix != nil && ref.ix.Has(ranking[rank].ChunkID) {
		if chunk, err := ref.ix.Chunk(ctx, ranking[rank].ChunkID); err == nil {
			words += "  " + cmp.Or(chunk.Title, chunk.Text)
		}
	}
	if r := []rune(text.Sanitize(words)); len(r) > sideWidth-1 {
		return string(r[:sideWidth-2]) + "…"
	} else {
		return string(r)
	}
}

// idEnd is the end of an id, which tells it from others.
func idEnd(id string, most int) string {
	if r := []rune(id); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return id
}

// placed says where the relevant chunks stood and stand, where that is not the same.
func (ref *reference) placed(before, after corpus.Ranking, grades map[string]corpus.Grade) []string {
	was, is := bench.Ranks(before), bench.Ranks(after)
	place := func(r bench.Ranked) string {
		if r.Rank == 0 {
			return "not found"
		}
		return fmt.Sprint(r.Rank)
	}
	var ids []string
	for id, g := range grades {
		if g >= max(1, ref.Scale.RelevantFrom) && was[id].Rank != is[id].Rank {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(x, y string) int {
		return cmp.Or(cmp.Compare(grades[y], grades[x]), strings.Compare(x, y))
	})
	var lines []string
	for i, id := range ids {
		if i == sideHits {
			lines = append(lines, fmt.Sprintf("and %d more relevant chunks that moved", len(ids)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("[%s] %s moved: rank %s → %s", grades[id], idEnd(id, 40), place(was[id]), place(is[id])))
	}
	return lines
}
