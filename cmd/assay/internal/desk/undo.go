package desk

import (
	"context"
	"errors"
	"slices"

	"assay/store"
	"assay/tui/port"
)

// Undo implements port.Desk.
func (d *Desk) Undo(ctx context.Context) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.revert(ctx, &d.done, &d.taken, "took back: ")
}

// Redo implements port.Desk.
func (d *Desk) Redo(ctx context.Context) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.revert(ctx, &d.taken, &d.done, "did again: ")
}

// revert takes back the newest action of one list and puts what takes that back on the other. An action that another
// writer's change overtook can't be taken back: it is dropped, with an error, so that older ones can.
func (d *Desk) revert(ctx context.Context, from, to *[]action, words string) (port.Saved, error) {
	if len(*from) == 0 {
		return port.Saved{}, port.ErrNothing
	}
	last := (*from)[len(*from)-1]
	opposite := action{saved: last.saved}
	for _, id := range slices.Backward(last.events) {
		e, err := d.opt.DB.Undo(ctx, d.author(0), id)
		if errors.Is(err, store.ErrChangedSince) && len(opposite.events) == 0 {
			*from = (*from)[:len(*from)-1]
		}
		if err != nil {
			return port.Saved{}, err
		}
		opposite.events = append(opposite.events, e.ID)
	}
	*from = (*from)[:len(*from)-1]
	*to = append(*to, opposite)
	saved := last.saved
	saved.Words = words + saved.Words
	return saved, nil
}
