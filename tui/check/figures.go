package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/port"
)

// mostRuns is how many runs are shown side by side.
const mostRuns = 4

// letters name the runs on the screen.
const letters = "ABCD"

// measured is a run with its figures.
type measured struct {
	run    port.Run
	report retrieval.Report
	have   bool  // there is a report
	err    error // why the newest check failed
	epoch  int   // that the figures, or the error, are of
}

// figures are the runs that were chosen, measured.
type figures struct {
	runs    []port.Run        // that can be chosen, as listed last
	texts   map[string]string // of queries, by id
	lookErr error             // why either could not be read
	chosen  []*measured       // 1 to mostRuns; the others are compared with the first
	epoch   int               // grows whenever something may have changed
	looked  int               // the epoch that runs and texts are of
	running bool
}

func newFigures() figures {
	return figures{runs: []port.Run{{}}, texts: map[string]string{}, chosen: []*measured{{}}}
}

// base is the run that the others are compared with.
func (f *figures) base() *measured { return f.chosen[0] }

// measuring reports whether figures on the screen may be older than the labels.
func (f *figures) measuring() bool {
	return f.running || slices.ContainsFunc(f.chosen, func(m *measured) bool { return m.epoch < f.epoch })
}

// failed is the first reason why figures are not current.
func (f *figures) failed() error {
	for _, m := range f.chosen {
		if m.err != nil {
			return m.err
		}
	}
	return f.lookErr
}

type checkedMsg struct {
	run    string
	epoch  int
	report retrieval.Report
	err    error

	looked  bool
	runs    []port.Run
	texts   map[string]string
	lookErr error
}

// check measures all chosen runs again, one after the other.
func (s *Screen) check() tea.Cmd {
	if s.o.Checker == nil {
		return nil
	}
	s.epoch++
	return s.next()
}

// next measures the first run whose figures are old, unless one is being measured.
func (s *Screen) next() tea.Cmd {
	if s.running || s.o.Checker == nil {
		return nil
	}
	i := slices.IndexFunc(s.chosen, func(m *measured) bool { return m.epoch < s.epoch })
	if i < 0 {
		return nil
	}
	s.running = true
	m := checkedMsg{run: s.chosen[i].run.Name, epoch: s.epoch, looked: s.looked < s.epoch}
	checker, desk := s.o.Checker, s.o.Desk
	return func() tea.Msg {
		ctx := context.Background()
		if m.looked {
			m.texts = map[string]string{}
			rows, err := desk.Queue(ctx)
			for _, r := range rows {
				m.texts[r.Query.ID] = r.Query.Text
			}
			m.runs, m.lookErr = checker.Runs(ctx)
			m.lookErr = cmp.Or(err, m.lookErr)
		}
		m.report, m.err = checker.Check(ctx, m.run)
		return m
	}
}

func (s *Screen) checked(m checkedMsg) tea.Cmd {
	s.running = false
	if m.looked {
		s.looked, s.lookErr = m.epoch, m.lookErr
		if m.lookErr == nil {
			s.runs, s.texts = m.runs, m.texts
		}
	}
	if i := slices.IndexFunc(s.chosen, func(c *measured) bool { return c.run.Name == m.run }); i >= 0 {
		c := s.chosen[i]
		c.epoch, c.err = m.epoch, m.err
		if m.err == nil {
			c.have, c.report = true, m.report
		}
		for _, r := range s.runs {
			if r.Name == m.run {
				c.run = r
			}
		}
	}
	s.measure = max(0, min(s.measure, len(s.base().report.Measures)-1))
	s.pairing.gen++
	s.remake()
	return tea.Batch(s.sort(false), s.next(), s.compare())
}

// choose measures other runs from now on; figures of those that stay are kept.
func (s *Screen) choose(runs []port.Run) tea.Cmd {
	old := s.chosen
	s.chosen = nil
	for _, r := range runs {
		if i := slices.IndexFunc(old, func(m *measured) bool { return m.run.Name == r.Name }); i >= 0 {
			s.chosen = append(s.chosen, old[i])
			continue
		}
		s.chosen = append(s.chosen, &measured{run: r})
	}
	s.measure = max(0, min(s.measure, len(s.base().report.Measures)-1))
	s.pairing.gen++
	s.pairing.pairs, s.pairing.notes = nil, nil
	s.remake()
	return tea.Batch(s.sort(false), s.next(), s.compare())
}

// row is a query with the base's value of the measure at hand, nil where it is undefined.
type row struct {
	id    string
	value *float64
}

// order is the queries as they are listed.
type order struct {
	gen     int
	measure string
	rows    []row
	idWidth int // cells that the longest id of a row takes
	value   int // and the longest value
}

type orderMsg struct {
	order
	top bool // the cursor goes to the first row, else it stays at its query
}

// sort puts the worst queries first, and those without a value last. The order on show stays until it is here.
func (s *Screen) sort(top bool) tea.Cmd {
	s.sorting++
	gen, name := s.sorting, s.measureName()
	report := s.base().report
	return func() tea.Msg {
		o := order{gen: gen, measure: name, rows: make([]row, 0, len(report.Queries))}
		for _, q := range report.Queries {
			o.rows = append(o.rows, row{q.QueryID, q.Values[name]})
			o.value = max(o.value, len(number(q.Values[name])))
			o.idWidth = max(o.idWidth, cell.Width(cell.Cut(q.QueryID, 28)))
		}
		slices.SortStableFunc(o.rows, func(a, b row) int {
			switch {
			case a.value == nil && b.value == nil:
				return 0
			case a.value == nil:
				return 1
			case b.value == nil:
				return -1
			}
			return cmp.Compare(*a.value, *b.value)
		})
		return orderMsg{o, top}
	}
}

func (s *Screen) ordered(m orderMsg) {
	if m.gen != s.sorting {
		return
	}
	p := &s.places[queriesSection]
	at := ""
	if p.cursor < len(s.order.rows) {
		at = s.order.rows[p.cursor].id
	}
	s.order = m.order
	if m.top {
		*p = place{}
		return
	}
	if i := slices.IndexFunc(s.order.rows, func(r row) bool { return r.id == at }); i >= 0 {
		p.cursor = i
	}
}

// valuesIn are a query's values in a report, nil where it does not count there.
func valuesIn(r retrieval.Report, id string) map[string]*float64 {
	i, ok := slices.BinarySearchFunc(r.Queries, id, func(q retrieval.QueryValues, id string) int { return strings.Compare(q.QueryID, id) })
	if !ok {
		return nil
	}
	return r.Queries[i].Values
}

// mean is a run's mean of the measure of that name.
func (m *measured) mean(name string) (retrieval.Mean, bool) { return meanOf(m.report.Measures, name) }

func meanOf(means []retrieval.Mean, name string) (retrieval.Mean, bool) {
	i := slices.IndexFunc(means, func(m retrieval.Mean) bool { return m.Name == name })
	if i < 0 {
		return retrieval.Mean{Name: name}, false
	}
	return means[i], true
}

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
