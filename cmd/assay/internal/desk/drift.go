package desk

import (
	"context"
	"errors"

	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/index"
	"assay/store"
)

// Drift counts labels that no longer fit what is there.
type Drift struct {
	Stale   int // the chunk's or the query's text is different now
	Gone    int // the chunk is not in the corpus
	Unknown int // the query was never imported
}

// DriftOf compares every label with the corpus and the queries as they are. ix may be nil: chunks are then not looked at.
func DriftOf(ctx context.Context, db *store.DB, ix *index.Index) (Drift, error) {
	queries, err := db.Queries()
	if err != nil {
		return Drift{}, err
	}
	look := newDriftCount(queries)
	err = db.EachLabel(ctx, func(l corpus.Label) error { return look.count(ctx, ix, l) })
	return look.Drift, err
}

// DriftIn is DriftOf for what was read already.
func DriftIn(ctx context.Context, said agreement.Input, ix *index.Index) (Drift, error) {
	look := newDriftCount(said.Queries)
	for _, l := range said.Labels {
		if err := look.count(ctx, ix, l); err != nil {
			return look.Drift, err
		}
	}
	return look.Drift, nil
}

type driftCount struct {
	Drift
	asked map[string]corpus.Hash // by query id, of its text
}

func newDriftCount(queries []corpus.Query) *driftCount {
	d := &driftCount{asked: make(map[string]corpus.Hash, len(queries))}
	for _, q := range queries {
		d.asked[q.ID] = corpus.HashText(q.Text)
	}
	return d
}

func (d *driftCount) count(ctx context.Context, ix *index.Index, l corpus.Label) error {
	now, known := d.asked[l.QueryID]
	if !known {
		d.Unknown++
	}
	reworded := known && l.QuerySHA256 != "" && l.QuerySHA256 != now
	fit, err := chunkFits(ctx, ix, l)
	switch {
	case err != nil:
		return err
	case fit == gone:
		d.Gone++
	case fit == changed || reworded:
		d.Stale++
	}
	return nil
}

type fit int

const (
	fits fit = iota
	changed
	gone
)

// chunkFits reports whether the chunk that a label was made on is still the same.
func chunkFits(ctx context.Context, ix *index.Index, l corpus.Label) (fit, error) {
	if ix == nil {
		return fits, nil
	}
	c, err := ix.Chunk(ctx, l.ChunkID)
	switch {
	case errors.Is(err, index.ErrNoChunk):
		return gone, nil
	case err != nil:
		return fits, err
	case l.Anchor.ChunkSHA256 != "" && c.Hash() != l.Anchor.ChunkSHA256:
		return changed, nil
	}
	return fits, nil
}
