package fake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"assay/corpus"
	"assay/tui/port"
)

// Hook runs at the start of every call with the method's name, e.g. "Grade". An error fails the call before it
// changes anything; blocking delays it; a panic is the caller's.
type Hook func(ctx context.Context, method string) error

// Desk is a port.Desk over maps. Make it with NewDesk.
type Desk struct {
	mu       sync.Mutex
	ws       port.Workspace
	now      func() time.Time
	hook     Hook
	queries  []corpus.Query
	labels   map[string]map[string]corpus.Label
	said     map[string][]corpus.Said
	states   map[string]corpus.State
	anyDone  map[string]bool
	searches map[string][]corpus.SearchTried
	drafts   map[string]string
	undo     []change
	redo     []change
	calls    map[string]int
	written  int
	gradings []port.Grading
}

// change is one reversible write. back and again run under the lock.
type change struct {
	saved       port.Saved
	back, again func()
}

// NewDesk is a desk for the workspace with the queries given, in that order. now may be nil.
func NewDesk(ws port.Workspace, now func() time.Time, queries ...corpus.Query) *Desk {
	if now == nil {
		now = func() time.Time { return time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC) }
	}
	d := &Desk{
		ws: ws, now: now,
		labels: map[string]map[string]corpus.Label{}, said: map[string][]corpus.Said{},
		states: map[string]corpus.State{}, anyDone: map[string]bool{},
		searches: map[string][]corpus.SearchTried{}, drafts: map[string]string{}, calls: map[string]int{},
	}
	for i, q := range queries {
		q.Order = i + 1
		q.Count = max(q.Count, 1)
		d.queries = append(d.queries, q)
	}
	return d
}

// SetHook replaces the hook; nil removes it.
func (d *Desk) SetHook(h Hook) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hook = h
}

// Fail makes every call of method fail with err until it is called with nil.
func (d *Desk) Fail(method string, err error) {
	if err == nil {
		d.SetHook(nil)
		return
	}
	d.SetHook(func(_ context.Context, m string) error {
		if m == method {
			return err
		}
		return nil
	})
}

// Calls is how often the method was called, failed calls included.
func (d *Desk) Calls(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// Written counts the writes that changed something.
func (d *Desk) Written() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written
}

// Gradings are the calls of Grade that were not refused, oldest first: how the annotator came to each chunk.
func (d *Desk) Gradings() []port.Grading {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.gradings)
}

// GradeOf is the annotator's grade for the chunk, false where there is none.
func (d *Desk) GradeOf(queryID, chunkID string) (corpus.Grade, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l, ok := d.labels[queryID][chunkID]
	return l.Grade, ok
}

// Mark sets an annotator-independent "somebody finished it" flag.
func (d *Desk) Mark(queryID string, anyDone bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.anyDone[queryID] = anyDone
}

// enter counts the call, then runs the hook outside the lock, so that a blocked call doesn't block the others.
func (d *Desk) enter(ctx context.Context, method string) error {
	d.mu.Lock()
	d.calls[method]++
	h := d.hook
	d.mu.Unlock()
	if h != nil {
		if err := h(ctx, method); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Workspace implements port.Desk.
func (d *Desk) Workspace() port.Workspace { return d.ws }

// Queue implements port.Desk.
func (d *Desk) Queue(ctx context.Context) ([]port.QueueRow, error) {
	if err := d.enter(ctx, "Queue"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rows := make([]port.QueueRow, 0, len(d.queries))
	for _, q := range d.queries {
		r := port.QueueRow{Query: q, State: d.state(q.ID), AnyDone: d.anyDone[q.ID] || d.states[q.ID] == corpus.Done}
		for _, l := range d.labels[q.ID] {
			r.Judged++
			if d.ws.Scale.Relevant(l.Grade) {
				r.Relevant++
			}
		}
		for _, s := range d.said[q.ID] {
			if s.What == corpus.SaidTag {
				r.Tags = append(r.Tags, s.Value)
			}
		}
		sort.Strings(r.Tags)
		rows = append(rows, r)
	}
	return rows, nil
}

func (d *Desk) state(queryID string) corpus.State {
	if s := d.states[queryID]; s != "" {
		return s
	}
	return corpus.Open
}

func (d *Desk) find(queryID string) int {
	return slices.IndexFunc(d.queries, func(q corpus.Query) bool { return q.ID == queryID })
}

// Sheet implements port.Desk.
func (d *Desk) Sheet(ctx context.Context, queryID string) (port.Sheet, error) {
	if err := d.enter(ctx, "Sheet"); err != nil {
		return port.Sheet{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(queryID)
	if i < 0 {
		return port.Sheet{}, fmt.Errorf("read query %q: there is none", queryID)
	}
	s := port.Sheet{
		Query: d.queries[i], State: d.state(queryID), Labels: maps.Clone(d.labels[queryID]),
		Stale: map[string]bool{}, Said: slices.Clone(d.said[queryID]), Searches: slices.Clone(d.searches[queryID]),
	}
	if s.Labels == nil {
		s.Labels = map[string]corpus.Label{}
	}
	for id, l := range s.Labels {
		if l.QuerySHA256 != corpus.HashText(s.Query.Text) {
			s.Stale[id] = true
		}
	}
	return s, nil
}

// Draft implements port.Desk.
func (d *Desk) Draft(ctx context.Context, name, text string) error {
	if err := d.enter(ctx, "Draft"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if text == "" {
		delete(d.drafts, name)
		return nil
	}
	d.drafts[name] = text
	return nil
}

// Drafts implements port.Desk.
func (d *Desk) Drafts(ctx context.Context) (map[string]string, error) {
	if err := d.enter(ctx, "Drafts"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.drafts), nil
}
