package main

import (
	"fmt"
	"strings"

	"assay/corpus/retrieval"
	"assay/corpus/text"
	reports "assay/export/report"
)

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

// printFailed lists the queries that the retriever could not answer, before any figure.
func (a *app) printFailed(r retrieval.Report) {
	for i, f := range r.Failed {
		if i == 10 {
			a.say("… and %d more", len(r.Failed)-i)
			return
		}
		a.say("failed: query %s: %s", f.QueryID, f.Error)
	}
}

func (a *app) printReport(r retrieval.Report, perQuery bool) {
	if perQuery {
		a.printQueries(r)
	}
	width := 16
	for _, m := range r.Measures {
		width = max(width, len(m.Name))
	}
	a.line("%-*s %8s   %-16s %6s  %6s  %s", width, "measure", "mean", "95% interval", "n", "judged", "if unjudged were irrelevant … relevant")
	for _, m := range r.Measures {
		a.line("%s", strings.TrimRight(meanRow(m, width), " "))
	}
	a.printTraffic(r.Measures, width)
	for _, other := range []struct {
		what  string
		means []retrieval.Mean
	}{
		{"without the gold ids that are not in the corpus:", r.WithoutMissing},
		{"without the queries that the retriever failed on:", r.WithoutFailed},
	} {
		if len(other.means) == 0 {
			continue
		}
		a.line("%s", other.what)
		for _, m := range other.means {
			a.line("%s", strings.TrimRight(meanRow(m, width), " "))
		}
	}
	a.printCurve(r.Recall)
	a.printSlices(r)
	a.printAside(r, a.line)
	a.printUnanswerable(r.Unanswerable)
	if l := r.Latency; l != nil {
		a.line("latency: median %s, p95 %s, p99 %s, longest %s (n = %d)", reports.Millis(l.P50), reports.Millis(l.P95), reports.Millis(l.P99), reports.Millis(l.Max), l.N)
	}
	a.printDiagnosis(r.Diagnosis)
	scorer := r.Scorer
	if scorer != "" {
		scorer = " · " + scorer
	}
	a.say("run %s%s · labels %.12s · corpus %.12s", r.Run, scorer, orDash(r.Labels), orDash(r.Corpus))
}

// meanRow is a measure with what stands beside it.
func meanRow(m retrieval.Mean, width int) string {
	row := fmt.Sprintf("%-*s %8s   %-16s %6d", width, m.Name, reports.Figure(m.Name, m.Mean), interval(m.Interval), m.N)
	if m.Why != "" {
		return row + "  (" + m.Why + ")"
	}
	judged := ""
	if m.Judged != nil {
		judged = text.Percent(*m.Judged)
	}
	row += fmt.Sprintf("  %6s", judged)
	if m.Bounds != nil {
		row += fmt.Sprintf("  %.4f … %.4f", m.Bounds.Irrelevant, m.Bounds.Relevant)
	}
	return row
}

func interval(i *retrieval.Interval) string {
	if i == nil {
		return ""
	}
	return ends(i.Lo, i.Hi)
}

func ends(low, high float64) string { return fmt.Sprintf("%.4f – %.4f", low, high) }

// printTraffic prints the figures for the traffic under those of the sample, in the same columns.
func (a *app) printTraffic(measures []retrieval.Mean, width int) {
	line := retrieval.TrafficLine(measures)
	if line == "" {
		return
	}
	a.line("%-*s %8s   %-16s %6s  %6s", width, "for the traffic", "mean", "95% interval", "n", "worth")
	for _, m := range measures {
		if t := m.Traffic; t != nil {
			a.line("%-*s %8s   %-16s %6d  %6.0f", width, m.Name, reports.Figure(m.Name, &t.Value), ends(t.Interval.Low, t.Interval.High), t.N, t.Effective)
		}
	}
	for _, part := range strings.Split(line, "; ") {
		a.line("  %s", part)
	}
}

// printQueries prints a line for each query that counts.
func (a *app) printQueries(r retrieval.Report) {
	width := 0
	for _, q := range r.Queries {
		width = max(width, len([]rune(column(q.QueryID))))
	}
	header := padRight("query", width)
	for _, m := range r.Measures {
		header += fmt.Sprintf(" %10s", m.Name)
	}
	a.line("%s", header)
	for _, q := range r.Queries {
		row := padRight(column(q.QueryID), width)
		for _, m := range r.Measures {
			row += fmt.Sprintf(" %*s", max(10, len(m.Name)), figure(q.Values[m.Name]))
		}
		a.line("%s", row)
	}
	a.line("")
}

// column is a text as it stands in a column: made safe first, since that changes its width, then cut.
func column(s string) string {
	const most = 40
	r := []rune(text.Sanitize(s))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// printCurve prints recall at each depth.
func (a *app) printCurve(curve []retrieval.CurvePoint) {
	const perLine = 7
	for from := 0; from < len(curve); from += perLine {
		row := "recall by k:"
		if from > 0 {
			row = "            "
		}
		for _, p := range curve[from:min(len(curve), from+perLine)] {
			row += fmt.Sprintf("  %10s", fmt.Sprintf("@%d %.3f", p.K, p.Mean))
		}
		a.line("%s", row)
	}
}

// printSlices prints a table for each facet: a part of the queries a line, a measure a column.
func (a *app) printSlices(r retrieval.Report) {
	by, width := "", 0
	for _, s := range r.Slices {
		width = max(width, len([]rune(column(s.Value))), len("by frequency"))
	}
	for _, s := range r.Slices {
		if s.By != by {
			by = s.By
			header := fmt.Sprintf("%s %6s", padRight("by "+by, width), "n")
			for _, m := range s.Measures {
				header += fmt.Sprintf(" %10s", m.Name)
			}
			a.line("%s", header)
		}
		name := s.Value
		if name == "" {
			name = "(none)"
		}
		row := fmt.Sprintf("%s %6d", padRight(column(name), width), s.N)
		for _, m := range s.Measures {
			row += fmt.Sprintf(" %*s", max(10, len(m.Name)), reports.Figure(m.Name, m.Mean))
		}
		a.line("%s", row)
	}
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

// printUnanswerable says what the retriever does with queries that nothing answers.
func (a *app) printUnanswerable(u *retrieval.Unanswerable) {
	if u == nil {
		return
	}
	a.line("unanswerable: something was returned for %d of %s", u.Returned, count(u.Queries, "query"))
	if u.TopScore != nil && u.Answerable != nil {
		a.line("  best score of these:      %s", quantiles(u.TopScore))
		a.line("  best score of answerable: %s", quantiles(u.Answerable))
	}
	if u.Separation != nil {
		a.line("  of those with a result, an answerable query scores above an unanswerable one with probability %.2f (0.5: the score can't tell them apart)", *u.Separation)
	}
}

func quantiles(q *retrieval.Quantiles) string {
	return fmt.Sprintf("%.4g to %.4g, median %.4g, middle half %.4g to %.4g (n = %d)", q.Min, q.Max, q.Median, q.Q1, q.Q3, q.N)
}

// printDiagnosis says what to mend first, and why.
func (a *app) printDiagnosis(d *retrieval.Diagnosis) {
	if d == nil {
		return
	}
	for _, f := range d.Findings {
		a.line("diagnosis (%s): %s", strings.ReplaceAll(f.Rule, "_", " "), f.Line)
		a.line("  %s", f.Advice)
	}
}

// figure is a value as trec_eval prints it, or a dash where it is undefined.
func figure(v *float64) string { return reports.Figure("", v) }

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
