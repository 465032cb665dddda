package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/querylog"
	"assay/corpus/text"
	"assay/store"
	"assay/tui/port"
)

// write makes the changes in one transaction and remembers them for undo.
func (d *Desk) write(ctx context.Context, saved port.Saved, active time.Duration, changes ...store.Change) (port.Saved, error) {
	events, err := d.opt.DB.Write(ctx, d.author(active), changes...)
	if err != nil {
		return port.Saved{}, brief(err)
	}
	if len(events) == 0 {
		return saved, nil
	}
	saved.Changed = true
	a := action{saved: saved}
	for _, e := range events {
		a.events = append(a.events, e.ID)
	}
	d.done = append(d.done, a)
	d.taken = nil
	return saved, nil
}

// briefError is an error in the few words that fit a status line.
type briefError struct {
	words string
	error
}

func (e briefError) Error() string { return e.words }
func (e briefError) Unwrap() error { return e.error }

// brief says what the system refused without the file's name: it is always labels.db.
func brief(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return briefError{"disk full", err}
	case errors.As(err, &path):
		return briefError{path.Err.Error(), err}
	}
	return err
}

func (d *Desk) author(active time.Duration) store.Author {
	return store.Author{Annotator: d.opt.Annotator, Role: "annotator", Guidelines: d.opt.GuidelinesHash, Active: active}
}

// label is the annotator's label for a chunk, or a new one that points at the chunk as it is now, with the chunk's text.
func (d *Desk) label(ctx context.Context, queryID, chunkID string) (corpus.Label, string, error) {
	q, ok, err := d.opt.DB.Query(queryID)
	if err != nil {
		return corpus.Label{}, "", err
	}
	if !ok {
		return corpus.Label{}, "", errors.New("the query is not there any more")
	}
	if d.opt.Index == nil {
		return corpus.Label{}, "", index.ErrNone
	}
	c, err := d.opt.Index.Chunk(ctx, chunkID)
	if err != nil {
		return corpus.Label{}, "", err
	}
	key := corpus.LabelKey{QueryID: queryID, CorpusID: d.corpusID, ChunkID: chunkID, Annotator: d.opt.Annotator}
	old, ok, err := d.opt.DB.Label(key)
	if err != nil {
		return corpus.Label{}, "", err
	}
	l := corpus.Label{QueryID: queryID, CorpusID: d.corpusID, ChunkID: chunkID, Annotator: d.opt.Annotator}
	anchor := corpus.AnchorOf(d.corpusID, c)
	if ok {
		l = old
		if old.Anchor.ChunkSHA256 == anchor.ChunkSHA256 {
			anchor.Evidence = old.Anchor.Evidence
		}
	}
	l.Anchor = anchor
	l.ScaleID = d.opt.Scale.ID
	l.QuerySHA256 = corpus.HashText(q.Text)
	l.GuidelinesSHA256 = d.opt.GuidelinesHash
	l.At = time.Time{} // the store's clock
	return l, c.Text, nil
}

// Grade implements port.Desk.
func (d *Desk) Grade(ctx context.Context, g port.Grading) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.opt.Scale.Holds(g.Grade) {
		return port.Saved{}, fmt.Errorf("grade %s is not on the scale %d to %d", g.Grade, d.opt.Scale.Min, d.opt.Scale.Max)
	}
	l, chunk, err := d.label(ctx, g.QueryID, g.ChunkID)
	if err != nil {
		return port.Saved{}, err
	}
	l.Grade, l.Found = g.Grade, g.Found.Route
	words := fmt.Sprintf("graded %s %s", g.Grade, d.opt.Scale.Name(g.Grade))
	if g.Grade == corpus.CannotJudge {
		words = "marked as can't judge"
	}
	saved := port.Saved{QueryID: g.QueryID, ChunkID: g.ChunkID, Words: words}
	return d.write(ctx, saved, g.Active, store.PutLabel(l, g.Found, chunk))
}

// Clear implements port.Desk.
func (d *Desk) Clear(ctx context.Context, queryID, chunkID string) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := corpus.LabelKey{QueryID: queryID, CorpusID: d.corpusID, ChunkID: chunkID, Annotator: d.opt.Annotator}
	saved := port.Saved{QueryID: queryID, ChunkID: chunkID, Words: "cleared the grade"}
	return d.write(ctx, saved, 0, store.ClearLabel(key))
}

// Note implements port.Desk.
func (d *Desk) Note(ctx context.Context, queryID, chunkID, note string) (port.Saved, error) {
	if chunkID == "" {
		said := corpus.Said{QueryID: queryID, What: corpus.SaidNote, Value: note, Annotator: d.opt.Annotator}
		if note == "" {
			return d.Unsay(ctx, said)
		}
		return d.Say(ctx, said)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := corpus.LabelKey{QueryID: queryID, CorpusID: d.corpusID, ChunkID: chunkID, Annotator: d.opt.Annotator}
	old, ok, err := d.opt.DB.Label(key)
	if err != nil {
		return port.Saved{}, err
	}
	if !ok {
		return port.Saved{}, errors.New("the chunk has no grade to note something on")
	}
	chunk, _, err := d.opt.DB.Text(old.Anchor.ChunkSHA256)
	if err != nil {
		return port.Saved{}, err
	}
	old.Note, old.At = note, time.Time{} // said now
	words := "noted"
	if note == "" {
		words = "removed the note"
	}
	saved := port.Saved{QueryID: queryID, ChunkID: chunkID, Words: words}
	return d.write(ctx, saved, 0, store.PutLabel(old, corpus.Found{Route: old.Found}, chunk))
}

// SetState implements port.Desk.
func (d *Desk) SetState(ctx context.Context, queryID string, state corpus.State, reason string) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	words := map[corpus.State]string{
		corpus.Open: "opened again", corpus.Later: "kept for later", corpus.Skipped: "skipped", corpus.Done: "finished",
	}[state]
	w := corpus.Work{QueryID: queryID, Annotator: d.opt.Annotator, State: state, Reason: reason}
	return d.write(ctx, port.Saved{QueryID: queryID, Words: words}, 0, store.PutWork(w))
}

// Say implements port.Desk.
func (d *Desk) Say(ctx context.Context, s corpus.Said) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Annotator = d.opt.Annotator
	changes := []store.Change{store.PutSaid(s)}
	if s.What == corpus.SaidTag {
		q, ok, err := d.opt.DB.Query(s.QueryID)
		if err != nil {
			return port.Saved{}, err
		}
		if ok && slices.Contains(q.Proposed, s.Value) { // said by a person, it is proposed no more
			q.Proposed = without(q.Proposed, s.Value)
			changes = append(changes, store.PutQuery(q))
		}
	}
	return d.write(ctx, port.Saved{QueryID: s.QueryID, Words: saidWords(s)}, 0, changes...)
}

// Unsay implements port.Desk.
func (d *Desk) Unsay(ctx context.Context, s corpus.Said) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Annotator = d.opt.Annotator
	return d.write(ctx, port.Saved{QueryID: s.QueryID, Words: "removed: " + saidWords(s)}, 0, store.DropSaid(s))
}

func saidWords(s corpus.Said) string {
	switch s.What {
	case corpus.SaidTag:
		return "tagged #" + s.Value
	case corpus.SaidHardNegative:
		return "marked as hard negative"
	case corpus.SaidNote:
		return "note on the query"
	case corpus.SaidAnswer:
		return "reference answer"
	}
	return "marked " + string(s.What)
}

// Tried implements port.Desk. What was searched is a record, not a change that undo takes back.
func (d *Desk) Tried(ctx context.Context, s corpus.SearchTried) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Annotator, s.CorpusID = d.opt.Annotator, d.corpusID
	_, err := d.opt.DB.Write(ctx, d.author(0), store.AddSearch(s))
	return err
}

// AddQuery implements port.Desk. The same text gives the same id as a log's row without one.
func (d *Desk) AddQuery(ctx context.Context, query string) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text.MatchKey(query) == "" {
		return port.Saved{}, errors.New("the query is empty")
	}
	id := querylog.TextID(query)
	if _, ok, err := d.opt.DB.Query(id); err != nil || ok {
		return port.Saved{QueryID: id, Words: "the query is there already"}, err
	}
	queries, err := d.opt.DB.Queries()
	if err != nil {
		return port.Saved{}, err
	}
	q := corpus.Query{ID: id, Text: query, Kind: corpus.Written, Count: 1, Order: 1}
	for _, other := range queries {
		q.Order = max(q.Order, other.Order+1)
	}
	return d.write(ctx, port.Saved{QueryID: id, Words: "added a query"}, 0, store.PutQuery(q))
}

// EditQuery implements port.Desk.
func (d *Desk) EditQuery(ctx context.Context, queryID, query string) (port.Saved, error) {
	if text.MatchKey(query) == "" {
		return port.Saved{}, errors.New("the query is empty")
	}
	return d.changeQuery(ctx, queryID, "changed the query's text", func(q *corpus.Query) { q.Text = query })
}

// Exclude implements port.Desk.
func (d *Desk) Exclude(ctx context.Context, queryID string, excluded bool) (port.Saved, error) {
	words := "took the query back in"
	if excluded {
		words = "left the query out of the gold set"
	}
	return d.changeQuery(ctx, queryID, words, func(q *corpus.Query) { q.Excluded = excluded })
}

func (d *Desk) changeQuery(ctx context.Context, queryID, words string, change func(*corpus.Query)) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, ok, err := d.opt.DB.Query(queryID)
	if err != nil {
		return port.Saved{}, err
	}
	if !ok {
		return port.Saved{}, errors.New("the query is not there any more")
	}
	change(&q)
	return d.write(ctx, port.Saved{QueryID: queryID, Words: words}, 0, store.PutQuery(q))
}

// Draft implements port.Desk.
func (d *Desk) Draft(ctx context.Context, name, draft string) error {
	if draft == "" {
		return d.opt.DB.DropDraft(ctx, d.opt.Annotator, name)
	}
	return d.opt.DB.PutDraft(ctx, d.opt.Annotator, name, draft)
}

// Drafts implements port.Desk.
func (d *Desk) Drafts(context.Context) (map[string]string, error) {
	return d.opt.DB.Drafts(d.opt.Annotator)
}
