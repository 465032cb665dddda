package report

import (
	"fmt"
	"io"
	"strings"

	"assay/corpus/retrieval"
	"assay/corpus/text"
)

const (
	// maxMarkdown is what a report may take, in bytes: GitHub refuses comments of more than 65,536 characters.
	maxMarkdown = 60_000
	// maxSlices, maxWarnings, maxNamed and maxWorst keep an ordinary report at a few kilobytes. The HTML report has the rest.
	maxSlices   = 40
	maxWarnings = 20
	maxNamed    = 5
	maxWorst    = 10
	// maxColumns is how many measures a table of slices shows.
	maxColumns = 7
	// maxLine is how many characters of a line from outside are shown.
	maxLine = 400
)

// WriteMarkdown writes a report that fits a comment on a pull request: how the check ended and the gates first, then each
// measure with what it stands on, what is left out, and the rest folded. It never takes more than 60,000 bytes; what had
// no place is named.
func WriteMarkdown(w io.Writer, d Document) error {
	r := d.Report
	c := comment{tail: markdownPrints(fingerprints(r))}
	c.add(section{name: "the title", lines: markdownTitle(d)})
	c.add(section{name: "gates", lines: markdownGates(r.Gates)})
	c.add(section{name: "measures", lines: markdownMeasures(r.Measures)})
	c.add(section{name: "notes", lines: markdownNotes(r)})
	c.add(section{name: "findings", lines: markdownDiagnosis(r.Diagnosis)})
	c.add(folded("warnings", text.Count(len(r.Warnings), "warning", "warnings"), markdownWarnings(r.Warnings)))
	c.add(folded("slices", text.Count(len(r.Slices), "slice", "slices"), markdownSlices(r.Slices, r.Measures)))
	c.add(folded("worst queries", text.Count(min(len(d.Worst), maxWorst), "worst query", "worst queries"), markdownWorst(d)))
	if _, err := io.WriteString(w, c.String()); err != nil {
		return fmt.Errorf("write Markdown report: %w", err)
	}
	return nil
}

func markdownTitle(d Document) []string {
	r := d.Report
	title := "### "
	if end, words := outcome(d); len(words) > 0 {
		title += verdictOf(end).Emoji + " " + strings.Join(words, " · ") + " · "
	}
	title += "check"
	if r.Run != "" {
		title += " of " + code(r.Run)
	}
	var under []string
	if d.Title != "" {
		under = append(under, prose(d.Title))
	}
	if !d.At.IsZero() {
		under = append(under, d.At.UTC().Format("2006-01-02 15:04 UTC"))
	}
	under = append(under, queries(counted(r))+" measured")
	return []string{title, "", strings.Join(under, " · "), ""}
}

func markdownGates(gates []retrieval.GateResult) []string {
	if len(gates) == 0 {
		return nil
	}
	var out []string
	for _, g := range gates {
		v := verdictOf(g.Verdict)
		line := g.Line
		if line == "" {
			line = g.Gate + ": " + gateDetail(g)
		}
		out = append(out, fmt.Sprintf("- %s **%s** · %s", v.Emoji, v.Word, prose(line)))
	}
	return append(out, "")
}

func markdownMeasures(measures []retrieval.Mean) []string {
	if len(measures) == 0 {
		return []string{"No measure was asked for.", ""}
	}
	out := []string{
		"| Measure | Mean | 95% interval | n | Judged | Bounds (unjudged: none–all relevant) |",
		"|:--|--:|:-:|--:|--:|:-:|",
	}
	line := retrieval.TrafficLine(measures)
	if line != "" {
		out[0] += " For the traffic (95% interval) |"
		out[1] += "--:|"
	}
	for _, m := range measures {
		mean := Figure(m.Name, m.Mean)
		if m.Why != "" {
			mean += " (" + prose(m.Why) + ")"
		}
		row := fmt.Sprintf("| %s | %s | %s | %d | %s | %s |",
			prose(m.Name), mean, interval(m.Name, m.Interval), m.N, share(m.Judged), bounds(m.Name, m.Bounds))
		if line != "" {
			row += " " + trafficFigure(m.Name, m.Traffic) + " |"
		}
		out = append(out, row)
	}
	if line != "" {
		out = append(out, "", "For the traffic: "+line+".")
	}
	return append(out, "")
}

// markdownNotes are what the means leave out and what else there is to know, a line each.
func markdownNotes(r retrieval.Report) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "- "+fmt.Sprintf(format, args...)) }
	if left := leftOut(r); len(left) > 0 {
		add("Left out of the means: %s.", strings.Join(left, ", "))
	}
	if n := len(r.Failed); n > 0 {
		ids := make([]string, n)
		for i, f := range r.Failed {
			ids[i] = f.QueryID
		}
		add("The retriever failed on %s, %s: %s.%s", queries(n), theyScore(n), named(ids), without(r.WithoutFailed, n))
	}
	if n := len(r.NoResult); n > 0 {
		add("Nothing was returned for %s, %s: %s.", queries(n), theyScore(n), named(r.NoResult))
	}
	if n := len(r.Missing); n > 0 {
		ids := make([]string, n)
		for i, m := range r.Missing {
			ids[i] = m.ChunkID
		}
		add("Not in the corpus: %s: %s.%s", text.Count(n, "gold id", "gold ids"), named(ids), without(r.WithoutMissing, n))
	}
	if u := r.Unanswerable; u != nil && u.Queries > 0 {
		add("%s", prose(unanswerableLine(u)))
	}
	if len(r.Recall) > 0 {
		var points []string
		for _, p := range thinned(r.Recall, 12) {
			points = append(points, fmt.Sprintf("%d: %.3f", p.K, p.Mean))
		}
		add("Recall by depth: %s.", strings.Join(points, " · "))
	}
	if l := r.Latency; l != nil && l.N > 0 {
		add("%s", latencyLine(l))
	}
	if out != nil {
		out = append(out, "")
	}
	return out
}

// without says the figures without the n things that were wrong.
func without(measures []retrieval.Mean, n int) string {
	if len(measures) == 0 {
		return ""
	}
	what := "them"
	if n == 1 {
		what = "it"
	}
	var parts []string
	for _, m := range measures {
		parts = append(parts, prose(m.Name)+" "+Figure(m.Name, m.Mean))
	}
	return " Without " + what + ": " + strings.Join(parts, ", ") + "."
}

func markdownDiagnosis(d *retrieval.Diagnosis) []string {
	if d == nil || len(d.Findings) == 0 {
		return nil
	}
	out := []string{"**What to mend first**", ""}
	for _, f := range d.Findings {
		line := "- " + prose(f.Line)
		if f.Verdict == retrieval.Unclear {
			line = "- ❔ unclear · " + prose(f.Line)
		}
		if f.Advice != "" {
			line += " → " + prose(f.Advice)
		}
		if f.Needed > 0 {
			line += fmt.Sprintf(" (%s would do)", queries(f.Needed))
		}
		out = append(out, line)
	}
	return append(out, "")
}

func markdownWarnings(warnings []string) []string {
	var out []string
	for i, w := range warnings {
		if i == maxWarnings {
			out = append(out, fmt.Sprintf("- … and %d more", len(warnings)-i))
			break
		}
		out = append(out, "- "+prose(w))
	}
	return out
}

func markdownSlices(slices []retrieval.Slice, measures []retrieval.Mean) []string {
	if len(slices) == 0 {
		return nil
	}
	names := sliceColumns(slices, measures, maxColumns)
	head, rule := "| Slice | n |", "|:--|--:|"
	for _, name := range names {
		head += " " + prose(name) + " |"
		rule += "--:|"
	}
	out := []string{head, rule}
	for i, s := range slices {
		if i == maxSlices {
			out = append(out, fmt.Sprintf("| … and %d more | |%s", len(slices)-i, strings.Repeat(" |", len(names))))
			break
		}
		row := fmt.Sprintf("| %s | %d |", prose(sliceName(s)), s.N)
		for _, name := range names {
			row += " " + Figure(name, meanOf(s.Measures, name).Mean) + " |"
		}
		out = append(out, row)
	}
	return out
}

func markdownWorst(d Document) []string {
	if len(d.Worst) == 0 {
		return nil
	}
	names := measureNames(d.Report.Measures, d.Worst[0].Values)
	names = names[:min(len(names), maxColumns)]
	head, rule := "| Query | |", "|:--|:--|"
	for _, name := range names {
		head += " " + prose(name) + " |"
		rule += "--:|"
	}
	out := []string{head, rule}
	for i, q := range d.Worst {
		if i == maxWorst {
			break
		}
		row := fmt.Sprintf("| %s | %s |", code(q.QueryID), prose(clip(q.Text, 100)))
		for _, name := range names {
			row += " " + Figure(name, q.Values[name]) + " |"
		}
		out = append(out, row)
	}
	return out
}

func markdownPrints(prints []fact) string {
	var parts []string
	for _, f := range prints {
		parts = append(parts, f.Name+" "+code(clip(f.Value, 80)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "<sub>" + strings.Join(parts, " · ") + "</sub>\n"
}
