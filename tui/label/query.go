package label

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/label/outbox"
	"assay/tui/label/tagging"
	"assay/tui/port"
	"assay/tui/screen"
)

// queue is all queries in the order of their first import, with this annotator's progress.
type queue struct {
	rows        []port.QueueRow
	at          map[string]int
	done, total int // of those that are not excluded
	gen         int
}

func (q *queue) set(rows []port.QueueRow) {
	q.rows, q.at = rows, make(map[string]int, len(rows))
	q.done, q.total = 0, 0
	for i, r := range rows {
		q.at[r.Query.ID] = i
		if r.Query.Excluded {
			continue
		}
		q.total++
		if r.State == corpus.Done {
			q.done++
		}
	}
}

func (q *queue) row(id string) (port.QueueRow, bool) {
	i, ok := q.at[id]
	if !ok {
		return port.QueueRow{}, false
	}
	return q.rows[i], true
}

// setState notes a state that is on disk.
func (q *queue) setState(id string, state corpus.State) {
	i, ok := q.at[id]
	if !ok || q.rows[i].State == state {
		return
	}
	if !q.rows[i].Query.Excluded {
		if q.rows[i].State == corpus.Done {
			q.done--
		}
		if state == corpus.Done {
			q.done++
		}
	}
	q.rows[i].State = state
}

// step is the next query from id in a direction that is wanted; wrapping around where around is true.
func (q *queue) step(id string, by int, around bool, want func(port.QueueRow) bool) (string, bool) {
	n := len(q.rows)
	i, ok := q.at[id]
	if !ok {
		i = -1
		if by < 0 {
			i = n
		}
	}
	for range n {
		i += by
		if i < 0 || i >= n {
			if !around {
				return "", false
			}
			i = (i + n) % n
		}
		if r := q.rows[i]; !r.Query.Excluded && want(r) {
			return r.Query.ID, true
		}
	}
	return "", false
}

func anyQuery(port.QueueRow) bool { return true }

// stillOpen looks at writes under way too, so that finishing two queries fast doesn't come back to the first.
func (s *Screen) stillOpen(r port.QueueRow) bool { return s.stateOf(r) == corpus.Open }

func (s *Screen) stateOf(r port.QueueRow) corpus.State {
	if state, ok := s.box.StateOf(r.Query.ID); ok {
		return state
	}
	if r.State == "" {
		return corpus.Open
	}
	return r.State
}

func (s *Screen) firstQuery() string {
	if id, ok := s.queue.step("", 1, false, s.stillOpen); ok {
		return id
	}
	id, _ := s.queue.step("", 1, false, anyQuery)
	return id
}

// query is the one at hand.
type query struct {
	id     string
	gen    int
	loaded bool // the sheet is here
	sheet  port.Sheet
	want   string   // a chunk to go to once list and sheet are here
	seen   []string // chunks that were shown for it, oldest first
	left   string   // the chunk that a grade just moved the cursor away from
	sent   screen.LabelChunks
}

// text is what was asked, known from the queue before the sheet is here.
func (s *Screen) query() corpus.Query {
	if s.q.loaded {
		return s.q.sheet.Query
	}
	r, _ := s.queue.row(s.q.id)
	return r.Query
}

// Open shows a query, and a chunk of it where chunkID is not "".
func (s *Screen) Open(queryID, chunkID string) tea.Cmd {
	if !s.loaded {
		s.start.QueryID, s.start.ChunkID = queryID, chunkID
		return nil
	}
	if _, known := s.queue.row(queryID); !known && queryID != "" {
		// Added by another screen since.
		s.start.QueryID, s.start.ChunkID = queryID, chunkID
		return s.reloadQueue()
	}
	s.recordSearch()
	s.closeDocument()
	s.q = query{id: queryID, gen: s.q.gen + 1, want: chunkID}
	s.focus, s.tab, s.revealed = inList, searchTab, false
	s.tabs = [tabCount]list{}
	s.tags = tagging.Panel{}
	s.forgetSearch()
	s.takeSent()
	if queryID == "" {
		return nil
	}
	q := s.query()
	s.find.box.Set(q.Text)
	s.find.mode, s.find.typed = corpus.Plain, false
	return tea.Batch(s.reloadSheet(), s.search(false))
}

type queueMsg struct {
	gen  int
	rows []port.QueueRow
	err  error
}

func (s *Screen) reloadQueue() tea.Cmd {
	s.queue.gen++
	gen, desk := s.queue.gen, s.desk
	return func() tea.Msg {
		rows, err := desk.Queue(context.Background())
		return queueMsg{gen, rows, err}
	}
}

func (s *Screen) gotQueue(m queueMsg) tea.Cmd {
	if m.gen != s.queue.gen {
		return nil
	}
	if m.err != nil {
		s.warn("can't read the queries: %v", m.err)
		return nil
	}
	s.queue.set(m.rows)
	start := s.start
	s.start.QueryID, s.start.ChunkID = "", ""
	if _, known := s.queue.row(start.QueryID); known && start.QueryID != s.q.id {
		return s.Open(start.QueryID, start.ChunkID)
	}
	if _, known := s.queue.row(s.q.id); !known || s.q.id == "" {
		return s.Open(s.firstQuery(), "")
	}
	return nil
}

type sheetMsg struct {
	gen    int
	landed int // writes acknowledged when reading began
	sheet  port.Sheet
	err    error
}

func (s *Screen) reloadSheet() tea.Cmd {
	if s.q.id == "" {
		return nil
	}
	gen, landed, id, desk := s.q.gen, s.box.Landed(), s.q.id, s.desk
	return func() tea.Msg {
		sheet, err := desk.Sheet(context.Background(), id)
		return sheetMsg{gen, landed, sheet, err}
	}
}

func (s *Screen) gotSheet(m sheetMsg) tea.Cmd {
	switch {
	case m.gen != s.q.gen:
		return nil
	case m.err != nil:
		s.warn("can't read what was said about %s: %v (r to retry)", s.q.id, m.err)
		return nil
	case m.landed != s.box.Landed() && s.q.loaded:
		// A write landed while it was read: what is here is newer.
		return s.reloadSheet()
	}
	s.q.sheet, s.q.loaded = m.sheet, true
	if s.q.sheet.Labels == nil {
		s.q.sheet.Labels = map[string]corpus.Label{}
	}
	s.queue.setState(s.q.id, m.sheet.State)
	var again tea.Cmd
	if m.landed != s.box.Landed() {
		again = s.reloadSheet()
	}
	if s.tab == judgedTab && len(s.tabs[judgedTab].rows) == 0 {
		s.fillJudged()
	}
	return tea.Batch(again, s.goWanted())
}

// label is the annotator's label on disk for a chunk of the query at hand.
func (s *Screen) label(chunkID string) (corpus.Label, bool) {
	l, ok := s.q.sheet.Labels[chunkID]
	return l, ok
}

func (s *Screen) said(what corpus.What, value string) (corpus.Said, bool) {
	for _, said := range s.q.sheet.Said {
		if said.What == what && (said.Value == value || what == corpus.SaidNote || what == corpus.SaidAnswer) {
			return said, true
		}
	}
	return corpus.Said{}, false
}

func (s *Screen) hardNegative(chunkID string) bool {
	_, ok := s.said(corpus.SaidHardNegative, chunkID)
	return ok
}

// answer is the reference answer: what this annotator said, else what came with the query.
func (s *Screen) answer() string {
	if said, ok := s.said(corpus.SaidAnswer, ""); ok {
		return said.Value
	}
	return s.query().ReferenceAnswer
}

func (s *Screen) step(by int) tea.Cmd {
	id, ok := s.queue.step(s.q.id, by, false, anyQuery)
	if !ok {
		if by > 0 {
			s.say("this is the last query")
		} else {
			s.say("this is the first query")
		}
		return nil
	}
	return s.Open(id, "")
}

// setState says how far the annotator is and goes on to the next open query.
func (s *Screen) setState(state corpus.State) tea.Cmd {
	if s.q.id == "" {
		return nil
	}
	id, desk := s.q.id, s.desk
	s.recordSearch()
	s.box.Add(outbox.Write{
		Kind: outbox.State, QueryID: id, State: state, Words: "marking " + id + " " + string(state),
		Do: func(ctx context.Context) (port.Saved, error) { return desk.SetState(ctx, id, state, "") },
	})
	if state == corpus.Open {
		return nil
	}
	next, ok := s.queue.step(id, 1, true, s.stillOpen)
	if !ok || next == id {
		s.say("no open query is left: p and n go to any, Q lists them")
		return nil
	}
	return s.Open(next, "")
}

// whole is all of the query that the card may have to cut.
func (s *Screen) whole() string {
	q := s.query()
	var b strings.Builder
	b.WriteString(q.Text + "\n")
	for i, t := range q.Turns {
		if i == 0 {
			b.WriteString("\nTurns before it\n")
		}
		b.WriteString("  " + t.Role + ": " + t.Content + "\n")
	}
	for _, part := range [][2]string{{"Stands alone as", q.Standalone}, {"Reference answer", s.answer()}, {"Note", s.note()}, {"Source", q.Source}, {"Follows", q.ParentID}} {
		if part[1] != "" {
			b.WriteString("\n" + part[0] + "\n  " + part[1] + "\n")
		}
	}
	return b.String()
}

func (s *Screen) note() string {
	said, _ := s.said(corpus.SaidNote, "")
	return said.Value
}
