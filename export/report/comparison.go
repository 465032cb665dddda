package report

import (
	"fmt"
	"io"
	"strconv"

	"assay/corpus/retrieval"
	"assay/corpus/text"
)

// maxMoved is how many of the queries that moved most a comparison names for each run.
const maxMoved = 20

// WriteMarkdownComparison writes a comparison that fits a comment on a pull request, under the limits of WriteMarkdown:
// each run against the first, a measure a line, with the difference, its interval and what chance makes of it.
func WriteMarkdownComparison(w io.Writer, c retrieval.Comparison) error {
	seed := ""
	if c.Seed != 0 {
		seed = strconv.FormatUint(c.Seed, 10)
	}
	out := comment{tail: markdownPrints(known([]fact{
		{"base", c.Base}, {"labels", c.Labels}, {"corpus", c.Corpus}, {"scale", c.Scale}, {"seed", seed}, {"program", c.Program},
	}))}
	out.add(section{name: "the title", lines: []string{"### Comparison with " + code(c.Base), ""}})
	if len(c.Pairs) == 0 {
		out.add(section{name: "pairs", lines: []string{"There is no other run to compare it with.", ""}})
	}
	for _, p := range c.Pairs {
		out.add(section{name: "pairs", lines: markdownPair(p, c.Alpha)})
	}
	for _, p := range c.Pairs {
		out.add(folded("moved queries", "queries that moved most in "+prose(p.Run), markdownMoved(p.Moved)))
	}
	out.add(folded("warnings", text.Count(len(c.Warnings), "warning", "warnings"), markdownWarnings(c.Warnings)))
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write Markdown comparison: %w", err)
	}
	return nil
}

func markdownPair(p retrieval.Pair, alpha float64) []string {
	out := []string{
		fmt.Sprintf("**%s** on %s that both have", code(p.Run), queries(p.N)), "",
		"| Measure | Before | After | Difference | 95% interval | Better, same, worse | p (Holm) | Verdict | Detectable |",
		"|:--|--:|--:|--:|:-:|:-:|--:|:--|--:|",
	}
	for _, d := range p.Deltas {
		out = append(out, fmt.Sprintf("| %s | %s | %s | %s | %s | %d, %d, %d | %s | %s | %s |",
			prose(d.Name), Figure(d.Name, d.Before), Figure(d.Name, d.After), change(d.Delta), changes(d.Interval),
			d.Wins, d.Ties, d.Losses, Chance(d.Holm), moved(d, alpha), Figure(d.Name, d.Detectable)))
	}
	out = append(out, "")
	for _, d := range p.Deltas {
		if d.Note != "" {
			out = append(out, fmt.Sprintf("- %s: %s", prose(d.Name), prose(d.Note)))
		}
	}
	if out[len(out)-1] != "" {
		out = append(out, "")
	}
	return out
}

// moved is what can be said of a difference at this level, in words.
func moved(d retrieval.Delta, alpha float64) string {
	switch {
	case d.Holm == nil || d.Delta == nil:
		return "can't tell"
	case *d.Holm > alpha:
		return "no clear change"
	case *d.Delta > 0:
		return "**higher**"
	}
	return "**lower**"
}

// changes is the interval of a difference.
func changes(in *retrieval.Interval) string {
	if in == nil {
		return none
	}
	return change(&in.Lo) + " to " + change(&in.Hi)
}

func markdownMoved(list []retrieval.Moved) []string {
	if len(list) == 0 {
		return nil
	}
	out := []string{"| Query | Measure | Before | After | Difference |", "|:--|:--|--:|--:|--:|"}
	for i, m := range list {
		if i == maxMoved {
			break
		}
		diff := m.After - m.Before
		out = append(out, fmt.Sprintf("| %s | %s | %s | %s | %s |",
			code(m.QueryID), prose(m.Measure), Figure(m.Measure, &m.Before), Figure(m.Measure, &m.After), change(&diff)))
	}
	return out
}
