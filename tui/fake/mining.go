package fake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"assay/corpus"
	"assay/tui/port"
)

// Settle implements port.Desk.
func (d *Desk) Settle(ctx context.Context, accept bool, guesses []port.Guess) (port.Saved, error) {
	words := "rejected"
	if accept {
		words = "accepted"
	}
	return d.replace(ctx, "Settle", port.Saved{Words: fmt.Sprintf("%s %d", words, len(guesses))}, func() error {
		for _, g := range guesses {
			i := d.find(g.QueryID)
			if i < 0 || !slices.Contains(d.queries[i].Proposed, g.Tag) {
				continue
			}
			q := &d.queries[i]
			q.Proposed = slices.DeleteFunc(slices.Clone(q.Proposed), func(t string) bool { return t == g.Tag })
			if accept {
				said := corpus.Said{QueryID: q.ID, What: corpus.SaidTag, Value: g.Tag, Annotator: d.ws.Annotator, At: d.now()}
				d.said[q.ID] = append(slices.Clone(d.said[q.ID]), said)
			}
		}
		return nil
	})
}

// Split implements port.Desk.
func (d *Desk) Split(ctx context.Context, queryID, variantID string) (port.Saved, error) {
	return d.replace(ctx, "Split", port.Saved{QueryID: variantID, Words: "split"}, func() error {
		i := d.find(queryID)
		if i < 0 {
			return fmt.Errorf("split: no query %q", queryID)
		}
		own, ok := d.queries[i].LetGo(variantID)
		if !ok {
			return errors.New("split: no such variant")
		}
		if j := d.find(variantID); j >= 0 {
			d.queries[j].Excluded, d.queries[j].Group = false, ""
			return nil
		}
		own.Order = len(d.queries) + 1
		d.queries = append(d.queries, own)
		return nil
	})
}

// Join implements port.Desk.
func (d *Desk) Join(ctx context.Context, intoID string, queryIDs []string) (port.Saved, error) {
	return d.replace(ctx, "Join", port.Saved{QueryID: intoID, Words: fmt.Sprintf("joined %d", len(queryIDs))}, func() error {
		into := d.find(intoID)
		if into < 0 {
			return fmt.Errorf("join: no query %q", intoID)
		}
		for _, id := range queryIDs {
			if i := d.find(id); i >= 0 {
				d.queries[into].TakeIn(&d.queries[i])
			}
		}
		return nil
	})
}

// replace runs a change of queries and statements that undo takes back as a whole.
func (d *Desk) replace(ctx context.Context, method string, saved port.Saved, edit func() error) (port.Saved, error) {
	if err := d.enter(ctx, method); err != nil {
		return port.Saved{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	queries, said := d.queries, d.said
	d.queries, d.said = slices.Clone(queries), maps.Clone(said)
	if err := edit(); err != nil {
		d.queries, d.said = queries, said
		return port.Saved{}, err
	}
	after, saidAfter := d.queries, d.said
	return d.do(saved, func() { d.queries, d.said = after, saidAfter }, func() { d.queries, d.said = queries, said }), nil
}
