package queries

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/port"
)

// split asks which variant of the query at the cursor to make a query of its own.
func (s *Screen) split() tea.Cmd {
	it, ok := s.current()
	switch {
	case !ok:
		return nil
	case s.lags():
		return say("still filtering: press it again", true)
	case len(it.row.Query.Variants) == 0:
		return say("this query stands for itself alone", false)
	}
	q, desk := it.row.Query, s.o.Desk
	m := &menu{heading: "split off, as a query of its own", help: "split this one off"}
	for _, v := range q.Variants {
		m.rows = append(m.rows, fmt.Sprintf("×%d  %s", v.Count, v.Text))
	}
	m.pick = func(at int) tea.Cmd {
		s.menu = nil
		return s.write(write{do: func(ctx context.Context) (port.Saved, error) { return desk.Split(ctx, q.ID, q.Variants[at].ID) }})
	}
	s.menu = m
	return nil
}

// mark marks the query at the cursor for joining, or no more, and moves on.
func (s *Screen) mark() tea.Cmd {
	it, ok := s.current()
	switch {
	case !ok:
		return nil
	case s.lags():
		return say("still filtering: press it again", true)
	}
	id := it.row.Query.ID
	if s.marked[id] {
		delete(s.marked, id)
	} else {
		if s.marked == nil {
			s.marked = map[string]bool{}
		}
		s.marked[id] = true
	}
	s.list.move(1)
	return nil
}

// join makes the marked queries variants of the one at the cursor.
func (s *Screen) join() tea.Cmd {
	it, ok := s.current()
	switch {
	case !ok:
		return nil
	case s.lags():
		return say("still filtering: press it again", true)
	}
	var ids []string
	for _, other := range s.list.items { // in their order
		if id := other.row.Query.ID; s.marked[id] && id != it.row.Query.ID {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return say("mark the near-duplicates with m, then press J on the query that is to stand for them", false)
	}
	s.marked = nil
	into, desk := it.row.Query.ID, s.o.Desk
	return s.write(write{do: func(ctx context.Context) (port.Saved, error) { return desk.Join(ctx, into, ids) }})
}

// takeBack undoes the annotator's last change, wherever it was made; again does it again.
func (s *Screen) takeBack(again bool) tea.Cmd {
	undo := s.o.Desk.Undo
	if again {
		undo = s.o.Desk.Redo
	}
	return s.write(write{undo: true, do: undo})
}
