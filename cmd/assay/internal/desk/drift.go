package desk

import (
	"context"
	"errors"

	"assay/corpus"
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
	var d Drift
	queries, err := db.Queries()
	if err != nil {
		return d, err
	}
	asked := make(map[string]corpus.Hash, len(queries))
	for _, q := range queries {
		asked[q.ID] = corpus.HashText(q.Text)
	}
	err = db.EachLabel(ctx, func(l corpus.Label) error {
		now, known := asked[l.QueryID]
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
	})
	return d, err
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
