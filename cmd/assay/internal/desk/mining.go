package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/corpus"
	"assay/corpus/text"
	"assay/store"
	"assay/tui/port"
)

// Settle implements port.Desk. All guesses are one change: one undo takes it back.
func (d *Desk) Settle(ctx context.Context, accept bool, guesses []port.Guess) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	queries := map[string]corpus.Query{}
	var order []string
	var changes []store.Change
	settled, last := 0, ""
	for _, g := range guesses {
		q, seen := queries[g.QueryID]
		if !seen {
			var ok bool
			var err error
			if q, ok, err = d.opt.DB.Query(g.QueryID); err != nil {
				return port.Saved{}, err
			} else if !ok {
				continue // gone meanwhile
			}
			order = append(order, g.QueryID)
		}
		if slices.Contains(q.Proposed, g.Tag) {
			q.Proposed = without(q.Proposed, g.Tag)
			settled, last = settled+1, g.Tag
			if accept {
				proof, err := guessProof(q, g.Tag)
				if err != nil {
					return port.Saved{}, err
				}
				changes = append(changes, store.PutSaid(corpus.Said{
					QueryID: q.ID, What: corpus.SaidTag, Value: g.Tag, Proof: proof, Annotator: d.opt.Annotator,
				}))
			}
		}
		queries[g.QueryID] = q
	}
	for _, id := range order {
		changes = append(changes, store.PutQuery(queries[id]))
	}
	saved := port.Saved{Words: settledWords(accept, settled, len(order), last)}
	if len(order) == 1 {
		saved.QueryID = order[0]
	}
	return d.write(ctx, saved, 0, changes...)
}

// without is the tags but one, nil where none is left.
func without(tags []string, tag string) []string {
	tags = slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == tag })
	if len(tags) == 0 {
		return nil
	}
	return tags
}

// guessProof is what the log itself shows of a tag. What it can't show, the annotator adds on the tags panel.
func guessProof(q corpus.Query, tag string) (json.RawMessage, error) {
	if tag != corpus.TagFollowUp || q.ParentID == "" && q.Standalone == "" {
		return nil, nil
	}
	return json.Marshal(corpus.FollowUpProof{ParentID: q.ParentID, Standalone: q.Standalone})
}

func settledWords(accept bool, tags, queries int, last string) string {
	verb := "rejected"
	if accept {
		verb = "accepted"
	}
	if tags == 1 {
		return fmt.Sprintf("%s #%s", verb, last)
	}
	return fmt.Sprintf("%s %s on %s", verb, text.Count(tags, "proposal", "proposals"), text.Count(queries, "query", "queries"))
}

// Split implements port.Desk.
func (d *Desk) Split(ctx context.Context, queryID, variantID string) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, err := d.query(queryID)
	if err != nil {
		return port.Saved{}, err
	}
	own, ok := q.LetGo(variantID)
	if !ok {
		return port.Saved{}, errors.New("the query has no such variant any more")
	}
	old, there, err := d.opt.DB.Query(variantID)
	if err != nil {
		return port.Saved{}, err
	}
	if there { // it was a query before it was joined: it comes back as it was
		own = old
		own.Excluded, own.Group = false, ""
	}
	saved := port.Saved{QueryID: variantID, Words: "made it a query of its own"}
	return d.write(ctx, saved, 0, store.PutQuery(q), store.PutQuery(own))
}

// Join implements port.Desk.
func (d *Desk) Join(ctx context.Context, intoID string, queryIDs []string) (port.Saved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	into, err := d.query(intoID)
	if err != nil {
		return port.Saved{}, err
	}
	var changes []store.Change
	for _, id := range queryIDs {
		other, err := d.query(id)
		if err != nil {
			return port.Saved{}, err
		}
		if into.TakeIn(&other) {
			changes = append(changes, store.PutQuery(other))
		}
	}
	saved := port.Saved{QueryID: intoID, Words: fmt.Sprintf("joined %s to it", text.Count(len(changes), "query", "queries"))}
	return d.write(ctx, saved, 0, append(changes, store.PutQuery(into))...)
}

func (d *Desk) query(id string) (corpus.Query, error) {
	q, ok, err := d.opt.DB.Query(id)
	if err == nil && !ok {
		err = errors.New("the query is not there any more")
	}
	return q, err
}
