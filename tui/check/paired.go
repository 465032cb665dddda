package check

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/retrieval"
)

// pairing holds the chosen runs against the first of them. One comparison runs at a time.
type pairing struct {
	gen   int // grows with every figure that changes
	of    int // the gen that pairs are of
	busy  bool
	pairs []retrieval.Pair // of the second run on; none where they can't be compared
	notes []string
}

type pairedMsg struct {
	gen        int
	comparison retrieval.Comparison
	err        error
}

// resamples is how often the difference of two runs is resampled: as often as the intervals beside it.
const resamples = 2000

// compare holds the runs against the first, once all are measured.
func (s *Screen) compare() tea.Cmd {
	p := &s.pairing
	if p.busy || p.of == p.gen || s.measuring() {
		return nil
	}
	var reports []retrieval.Report
	for _, m := range s.chosen {
		if m.have && m.err == nil && len(m.report.Queries) > 0 {
			reports = append(reports, m.report)
		}
	}
	if len(s.chosen) < 2 || len(reports) < len(s.chosen) {
		p.of, p.pairs, p.notes = p.gen, nil, nil // one alone, or one without figures
		return nil
	}
	p.busy = true
	gen := p.gen
	return func() tea.Msg {
		c, err := retrieval.Compare(reports, retrieval.CompareOptions{Resamples: resamples, Seed: reports[0].Seed})
		return pairedMsg{gen, c, err}
	}
}

func (s *Screen) paired(m pairedMsg) tea.Cmd {
	p := &s.pairing
	p.busy = false
	if m.gen != p.gen {
		return s.compare()
	}
	p.of, p.pairs, p.notes = m.gen, m.comparison.Pairs, m.comparison.Warnings
	if m.err != nil {
		p.pairs, p.notes = nil, []string{m.err.Error()}
	}
	s.remake()
	return nil
}

// deltaOf is a run's paired difference to the first, nil where there is none.
func (s *Screen) deltaOf(run int, measure string) *retrieval.Delta {
	if run < 1 || run > len(s.pairing.pairs) {
		return nil
	}
	deltas := s.pairing.pairs[run-1].Deltas
	i := slices.IndexFunc(deltas, func(d retrieval.Delta) bool { return d.Name == measure })
	if i < 0 || deltas[i].Delta == nil {
		return nil
	}
	return &deltas[i]
}

// change is a difference; ~ says that it may be none: its interval holds 0.
func change(d retrieval.Delta) string {
	text := fmt.Sprintf("%+.4f", *d.Delta)
	if d.Interval != nil && d.Interval.Lo <= 0 && d.Interval.Hi >= 0 {
		return text + "~"
	}
	return text + " "
}

// against says of a difference what has no room in a column.
func against(d retrieval.Delta) string {
	line := fmt.Sprintf("against A: %s %+.4f", d.Name, *d.Delta)
	if d.Interval != nil {
		line += fmt.Sprintf(" (%+.3f to %+.3f)", d.Interval.Lo, d.Interval.Hi)
		if d.Interval.Lo <= 0 && d.Interval.Hi >= 0 {
			line += ", which may be none"
		}
	}
	if d.Holm != nil {
		line += fmt.Sprintf(", adjusted p %s", probability(*d.Holm))
	}
	line += fmt.Sprintf("; better on %d, worse on %d, same on %d", d.Wins, d.Losses, d.Ties)
	if d.Note != "" {
		line += "; " + d.Note
	}
	return line
}

func probability(p float64) string {
	if p < 0.001 {
		return "below 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
