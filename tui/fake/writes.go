package fake

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"assay/corpus"
	"assay/tui/port"
)

// do runs a change and makes it reversible. The lock is held.
func (d *Desk) do(saved port.Saved, again, back func()) port.Saved {
	again()
	saved.Changed = true
	d.undo = append(d.undo, change{saved: saved, back: back, again: again})
	d.redo = nil
	d.written++
	return saved
}

// Grade implements port.Desk.
func (d *Desk) Grade(ctx context.Context, g port.Grading) (port.Saved, error) {
	if err := d.enter(ctx, "Grade"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(g.QueryID)
	switch {
	case i < 0:
		return port.Saved{}, fmt.Errorf("grade chunk: no query %q", g.QueryID)
	case g.Grade != corpus.CannotJudge && (g.Grade < d.ws.Scale.Min || g.Grade > d.ws.Scale.Max):
		return port.Saved{}, fmt.Errorf("grade chunk: %d is not on the scale", g.Grade)
	}
	d.gradings = append(d.gradings, g)
	saved := port.Saved{QueryID: g.QueryID, ChunkID: g.ChunkID, Words: gradeWords(d.ws.Scale, g.Grade)}
	old, had := d.labels[g.QueryID][g.ChunkID]
	if had && old.Grade == g.Grade {
		return saved, nil
	}
	l := corpus.Label{
		QueryID: g.QueryID, CorpusID: d.ws.CorpusID, ChunkID: g.ChunkID, Annotator: d.ws.Annotator, Grade: g.Grade,
		At: d.now(), ScaleID: d.ws.Scale.ID, Note: old.Note, Found: g.Found.Route,
		QuerySHA256: corpus.HashText(d.queries[i].Text),
	}
	return d.do(saved, func() { d.putLabel(l) }, func() { d.restore(old, had, l) }), nil
}

func gradeWords(s corpus.Scale, g corpus.Grade) string {
	if g == corpus.CannotJudge {
		return "marked as can't judge"
	}
	if n := s.Name(g); n != g.String() {
		return fmt.Sprintf("graded %d %s", g, n)
	}
	return fmt.Sprintf("graded %d", g)
}

func (d *Desk) putLabel(l corpus.Label) {
	if d.labels[l.QueryID] == nil {
		d.labels[l.QueryID] = map[string]corpus.Label{}
	}
	d.labels[l.QueryID][l.ChunkID] = l
}

func (d *Desk) restore(old corpus.Label, had bool, l corpus.Label) {
	if had {
		d.putLabel(old)
		return
	}
	delete(d.labels[l.QueryID], l.ChunkID)
}

// Clear implements port.Desk.
func (d *Desk) Clear(ctx context.Context, queryID, chunkID string) (port.Saved, error) {
	if err := d.enter(ctx, "Clear"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	saved := port.Saved{QueryID: queryID, ChunkID: chunkID, Words: "cleared the grade"}
	old, had := d.labels[queryID][chunkID]
	if !had {
		return saved, nil
	}
	return d.do(saved, func() { delete(d.labels[queryID], chunkID) }, func() { d.putLabel(old) }), nil
}

// Note implements port.Desk.
func (d *Desk) Note(ctx context.Context, queryID, chunkID, text string) (port.Saved, error) {
	if err := d.enter(ctx, "Note"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if chunkID == "" {
		s := corpus.Said{QueryID: queryID, What: corpus.SaidNote, Value: text, Annotator: d.ws.Annotator}
		if text == "" {
			return d.unsay(s, "removed the note"), nil
		}
		return d.say(s, "saved the note"), nil
	}
	saved := port.Saved{QueryID: queryID, ChunkID: chunkID, Words: "saved the note"}
	old, had := d.labels[queryID][chunkID]
	if !had {
		return port.Saved{}, fmt.Errorf("save note: chunk %q has no grade yet", chunkID)
	}
	if old.Note == text {
		return saved, nil
	}
	l := old
	l.Note = text
	return d.do(saved, func() { d.putLabel(l) }, func() { d.putLabel(old) }), nil
}

// SetState implements port.Desk.
func (d *Desk) SetState(ctx context.Context, queryID string, state corpus.State, _ string) (port.Saved, error) {
	if err := d.enter(ctx, "SetState"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	saved := port.Saved{QueryID: queryID, Words: "marked " + string(state)}
	if d.find(queryID) < 0 {
		return port.Saved{}, fmt.Errorf("set state: no query %q", queryID)
	}
	old := d.state(queryID)
	if old == state {
		return saved, nil
	}
	return d.do(saved, func() { d.states[queryID] = state }, func() { d.states[queryID] = old }), nil
}

// Say implements port.Desk.
func (d *Desk) Say(ctx context.Context, s corpus.Said) (port.Saved, error) {
	if err := d.enter(ctx, "Say"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.say(s, fmt.Sprintf("said %s %s", s.What, s.Value)), nil
}

// Unsay implements port.Desk.
func (d *Desk) Unsay(ctx context.Context, s corpus.Said) (port.Saved, error) {
	if err := d.enter(ctx, "Unsay"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unsay(s, fmt.Sprintf("took back %s %s", s.What, s.Value)), nil
}

// same reports whether b is the statement that a replaces: there is one answer and one note, of the rest one a value.
func same(a, b corpus.Said) bool {
	return a.What == b.What && (a.What == corpus.SaidAnswer || a.What == corpus.SaidNote || a.Value == b.Value)
}

func (d *Desk) say(s corpus.Said, words string) port.Saved {
	saved := port.Saved{QueryID: s.QueryID, Words: words}
	s.Annotator, s.At = d.ws.Annotator, d.now()
	before := slices.Clone(d.said[s.QueryID])
	after := slices.Clone(before)
	if i := slices.IndexFunc(after, func(o corpus.Said) bool { return same(o, s) }); i >= 0 {
		if after[i].Value == s.Value && bytes.Equal(after[i].Proof, s.Proof) {
			return saved
		}
		after[i] = s
	} else {
		after = append(after, s)
	}
	return d.do(saved, func() { d.said[s.QueryID] = after }, func() { d.said[s.QueryID] = before })
}

func (d *Desk) unsay(s corpus.Said, words string) port.Saved {
	saved := port.Saved{QueryID: s.QueryID, Words: words}
	before := slices.Clone(d.said[s.QueryID])
	after := slices.DeleteFunc(slices.Clone(before), func(o corpus.Said) bool { return same(o, s) })
	if len(after) == len(before) {
		return saved
	}
	return d.do(saved, func() { d.said[s.QueryID] = after }, func() { d.said[s.QueryID] = before })
}

// Tried implements port.Desk. The newest of the same text and mode replaces the older.
func (d *Desk) Tried(ctx context.Context, s corpus.SearchTried) error {
	if err := d.enter(ctx, "Tried"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Annotator, s.At = d.ws.Annotator, d.now()
	list := d.searches[s.QueryID]
	if i := slices.IndexFunc(list, func(o corpus.SearchTried) bool { return o.Text == s.Text && o.Mode == s.Mode }); i >= 0 {
		s.Deepest = max(s.Deepest, list[i].Deepest)
		list[i] = s
	} else {
		d.searches[s.QueryID] = append(list, s)
	}
	return nil
}

// Undo implements port.Desk.
func (d *Desk) Undo(ctx context.Context) (port.Saved, error) {
	if err := d.enter(ctx, "Undo"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.undo) == 0 {
		return port.Saved{}, port.ErrNothing
	}
	c := d.undo[len(d.undo)-1]
	d.undo = d.undo[:len(d.undo)-1]
	c.back()
	d.redo = append(d.redo, c)
	d.written++
	s := c.saved
	s.Words = "took back: " + s.Words
	return s, nil
}

// Redo implements port.Desk.
func (d *Desk) Redo(ctx context.Context) (port.Saved, error) {
	if err := d.enter(ctx, "Redo"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.redo) == 0 {
		return port.Saved{}, port.ErrNothing
	}
	c := d.redo[len(d.redo)-1]
	d.redo = d.redo[:len(d.redo)-1]
	c.again()
	d.undo = append(d.undo, c)
	d.written++
	s := c.saved
	s.Words = "again: " + s.Words
	return s, nil
}

// AddQuery implements port.Desk.
func (d *Desk) AddQuery(ctx context.Context, text string) (port.Saved, error) {
	if err := d.enter(ctx, "AddQuery"); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if text == "" {
		return port.Saved{}, fmt.Errorf("add query: the query is empty")
	}
	q := corpus.Query{ID: fmt.Sprintf("w-%d", len(d.queries)+1), Text: text, Kind: corpus.Written, Count: 1, Order: len(d.queries) + 1}
	saved := port.Saved{QueryID: q.ID, Words: "added a query"}
	return d.do(saved, func() { d.queries = append(d.queries, q) }, func() {
		d.queries = slices.DeleteFunc(d.queries, func(o corpus.Query) bool { return o.ID == q.ID })
	}), nil
}

// EditQuery implements port.Desk.
func (d *Desk) EditQuery(ctx context.Context, queryID, text string) (port.Saved, error) {
	return d.editQuery(ctx, "EditQuery", queryID, "changed the query", func(q *corpus.Query) bool {
		changed := q.Text != text
		q.Text = text
		return changed
	})
}

// Exclude implements port.Desk.
func (d *Desk) Exclude(ctx context.Context, queryID string, excluded bool) (port.Saved, error) {
	words := "excluded the query"
	if !excluded {
		words = "included the query"
	}
	return d.editQuery(ctx, "Exclude", queryID, words, func(q *corpus.Query) bool {
		changed := q.Excluded != excluded
		q.Excluded = excluded
		return changed
	})
}

func (d *Desk) editQuery(ctx context.Context, method, queryID, words string, edit func(*corpus.Query) bool) (port.Saved, error) {
	if err := d.enter(ctx, method); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(queryID)
	if i < 0 {
		return port.Saved{}, fmt.Errorf("change query: no query %q", queryID)
	}
	saved := port.Saved{QueryID: queryID, Words: words}
	before := d.queries[i]
	after := before
	if !edit(&after) {
		return saved, nil
	}
	put := func(q corpus.Query) {
		if i := d.find(queryID); i >= 0 {
			d.queries[i] = q
		}
	}
	return d.do(saved, func() { put(after) }, func() { put(before) }), nil
}
