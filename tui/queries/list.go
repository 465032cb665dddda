package queries

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/corpus/text"
	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// item is a query with what a filter looks at: its id, text, tags and state, folded.
type item struct {
	row port.QueueRow
	key string
}

// order is what the list is sorted by.
type order int

const (
	byImport order = iota
	byCount        // most often asked first
	byState        // open, later, skipped, done, excluded
	orders
)

func (o order) String() string { return [...]string{"import", "count", "state"}[o] }

// list is the view over the items. items and view are replaced, never changed: Cmds read them.
type list struct {
	items  []item
	view   []int // into items
	loaded bool
	err    error

	loads int // generation of the load asked for last
	asked int // generation of the view asked for last

	order  order  // wanted
	filter string // that made the view at hand
	sorted order  // of the view at hand

	done, total int  // of those in the gold set
	idWidth     int  // cells that the longest id takes
	tagged      bool // some query has tags or proposals
	proposed    bool // some query has proposals
	grouped     bool // some query stands for others too
	sources     int  // different ones; 2 stands for more
	cursor, top int
}

// lags reports whether the view is not that of the filter and order asked for.
func (s *Screen) lags() bool {
	return s.filter.Text() != s.list.filter || s.list.order != s.list.sorted
}

func (l *list) move(by int) { l.cursor = max(0, min(l.cursor+by, len(l.view)-1)) }

// current is the item at the cursor.
func (s *Screen) current() (item, bool) {
	l := &s.list
	if l.cursor < 0 || l.cursor >= len(l.view) {
		return item{}, false
	}
	return l.items[l.view[l.cursor]], true
}

// viewMsg is a new view.
type viewMsg struct {
	gen    int
	view   []int
	filter string
	sorted order
}

// maxID is how wide a column of ids gets at most.
const maxID = 28

// loadedMsg is the queue with a view of it.
type loadedMsg struct {
	gen         int
	items       []item
	view        viewMsg
	done, total int
	idWidth     int
	tagged      bool
	proposed    bool
	grouped     bool
	sources     int
	err         error
}

// load reads the queue and makes the view of it, in one go.
func (s *Screen) load() tea.Cmd {
	s.list.loads++
	s.list.asked++ // views over the items of before are void once these are here
	desk, m := s.o.Desk, loadedMsg{gen: s.list.loads, view: viewMsg{gen: s.list.asked, filter: s.filter.Text(), sorted: s.list.order}}
	return func() tea.Msg {
		rows, err := desk.Queue(context.Background())
		m.err, m.items = err, make([]item, len(rows))
		for i, r := range rows {
			m.items[i] = item{r, key(r)}
			m.idWidth = max(m.idWidth, cell.Width(cell.Cut(r.Query.ID, maxID)))
			m.tagged = m.tagged || len(r.Tags) > 0 || len(r.Query.Proposed) > 0
			m.proposed = m.proposed || len(r.Query.Proposed) > 0
			m.grouped = m.grouped || len(r.Query.Variants) > 0
			if m.sources < 2 && r.Query.Source != rows[0].Query.Source {
				m.sources = 2
			}
			if !r.Query.Excluded {
				m.total++
				if r.State == corpus.Done {
					m.done++
				}
			}
		}
		m.view.view = look(m.items, nil, m.view.filter, m.view.sorted)
		return m
	}
}

// key is what filters look for.
func key(r port.QueueRow) string {
	var b strings.Builder
	b.WriteString(text.MatchKey(r.Query.ID + " " + r.Query.Text))
	for _, t := range r.Tags {
		b.WriteString(" #" + text.MatchKey(t))
	}
	b.WriteString(" is:" + string(stateOf(r)))
	q := r.Query
	for _, t := range q.Proposed {
		b.WriteString(" #" + text.MatchKey(t) + "?")
	}
	flag := func(is string, holds bool) {
		if holds {
			b.WriteString(" is:" + is)
		}
	}
	flag("proposed", len(q.Proposed) > 0)
	flag("grouped", len(q.Variants) > 0)
	flag("sampled", q.Inclusion != nil)
	flag("joined", joined(q))
	field := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + ":" + text.MatchKey(value))
		}
	}
	field("source", q.Source)
	field("kind", string(q.Kind))
	field("lang", q.Language)
	field("stratum", q.Stratum)
	field("group", q.Group)
	for _, v := range q.Variants {
		b.WriteString(" " + text.MatchKey(v.Text))
	}
	return b.String()
}

// joined reports whether another query stands for this one.
func joined(q corpus.Query) bool { return q.Excluded && q.Group != "" && q.Group != q.ID }

// stateOf is the state shown: excluded queries have none of their own.
func stateOf(r port.QueueRow) corpus.State {
	switch {
	case r.Query.Excluded:
		return "excluded"
	case r.State == "":
		return corpus.Open
	}
	return r.State
}

func (s *Screen) loaded(m loadedMsg) tea.Cmd {
	if m.gen != s.list.loads {
		return nil
	}
	s.list.err = m.err
	if m.err != nil {
		var again tea.Cmd
		if s.lags() {
			again = s.look()
		}
		if !s.list.loaded {
			return again
		}
		return tea.Batch(again, say("can't read the queries: "+m.err.Error()+" (r to retry)", true))
	}
	s.list.loaded = true
	at := s.goTo
	if it, ok := s.current(); ok && at == "" {
		at = it.row.Query.ID
	}
	s.list.items, s.list.done, s.list.total, s.list.idWidth, s.list.tagged = m.items, m.done, m.total, m.idWidth, m.tagged
	s.list.proposed, s.list.grouped, s.list.sources = m.proposed, m.grouped, m.sources
	s.take(m.view)
	s.find(at)
	if m.view.gen != s.list.asked { // the filter changed while the queue was read
		return s.look()
	}
	return nil
}

// find puts the cursor on a query, if it is in the list.
func (s *Screen) find(id string) {
	for i, n := range s.list.view {
		if s.list.items[n].row.Query.ID == id {
			s.list.cursor = i
			s.goTo = ""
			return
		}
	}
}

// look asks for a view with the filter and order of now. It looks through the view at hand where that holds all that
// the new one can.
func (s *Screen) look() tea.Cmd {
	l := &s.list
	l.asked++
	items, m := l.items, viewMsg{gen: l.asked, filter: s.filter.Text(), sorted: l.order}
	var within []int
	if l.sorted == l.order && narrows(l.filter, m.filter) {
		within = l.view
	}
	return func() tea.Msg {
		m.view = look(items, within, m.filter, m.sorted)
		return m
	}
}

// narrows reports whether everything that the filter now finds was found before it grew. Folded, since an accent typed
// after its letter makes another letter.
func narrows(before, now string) bool {
	return strings.HasPrefix(text.MatchKey(now), text.MatchKey(before))
}

func (s *Screen) viewed(m viewMsg) {
	if m.gen != s.list.asked {
		return
	}
	at := ""
	if it, ok := s.current(); ok && m.filter == s.list.filter {
		at = it.row.Query.ID // another order: stay on the query
	}
	s.take(m)
	s.list.cursor, s.list.top = 0, 0
	s.find(at)
}

func (s *Screen) take(m viewMsg) {
	s.list.view, s.list.filter, s.list.sorted = m.view, m.filter, m.sorted
	s.list.move(0)
}

// look is the rows that hold every word of the filter, in order. within, where not nil, is a view in that order to
// look through instead of all.
func look(items []item, within []int, filter string, by order) []int {
	words := strings.Fields(text.MatchKey(filter))
	holds := func(n int) bool {
		for _, w := range words {
			if !strings.Contains(items[n].key, w) {
				return false
			}
		}
		return true
	}
	view := []int{}
	if within != nil {
		for _, n := range within {
			if holds(n) {
				view = append(view, n)
			}
		}
		return view
	}
	for n := range items {
		if holds(n) {
			view = append(view, n)
		}
	}
	switch by {
	case byCount:
		slices.SortStableFunc(view, func(a, b int) int { return cmp.Compare(items[b].row.Query.Count, items[a].row.Query.Count) })
	case byState:
		slices.SortStableFunc(view, func(a, b int) int { return cmp.Compare(rank(items[a].row), rank(items[b].row)) })
	}
	return view
}

func rank(r port.QueueRow) int {
	switch stateOf(r) {
	case corpus.Open:
		return 0
	case corpus.Later:
		return 1
	case corpus.Skipped:
		return 2
	case corpus.Done:
		return 3
	}
	return 4
}

func (s *Screen) reorder() tea.Cmd {
	s.list.order = (s.list.order + 1) % orders
	return tea.Batch(s.look(), say("ordered by "+s.list.order.String(), false))
}

func (s *Screen) setFilter(f string) tea.Cmd {
	if s.filter.Text() == f {
		return nil
	}
	s.filter.Set(f)
	return s.look()
}

var filterKeys = []screen.Binding{
	{Action: "to-list", Keys: []string{"enter", "down"}, Help: "go to the list", Group: "Filter", Short: "list"},
	{Action: "clear", Keys: []string{"esc"}, Help: "clear and close the filter", Group: "Filter", Short: "clear"},
}

func (s *Screen) filterKey(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter", "down":
		s.filtering = false
		return nil
	case "esc":
		s.filtering = false
		return s.setFilter("")
	}
	e := s.filter.Key(k)
	switch {
	case e.Clipped:
		return tea.Batch(s.look(), say("not all of the paste had room", true))
	case e.Changed:
		return s.look()
	}
	return nil
}
