package desk

import (
	"context"

	"assay/corpus"
	"assay/corpus/index"
	"assay/store"
)

// Adopt gives labels that were imported before anything was indexed the corpus that their chunk ids turn out to belong
// to, with what their anchors lacked. Labels on ids that the corpus does not hold stay as they are. It returns how many
// it moved; the moves are one batch.
func Adopt(ctx context.Context, db *store.DB, ix *index.Index, batch string) (int, error) {
	var homeless []corpus.Label
	err := db.EachLabel(ctx, func(l corpus.Label) error {
		if l.CorpusID == "" && ix.Has(l.ChunkID) {
			homeless = append(homeless, l)
		}
		return nil
	})
	if err != nil || len(homeless) == 0 {
		return 0, err
	}
	var changes []store.Change
	moved := 0
	for _, l := range homeless {
		c, err := ix.Chunk(ctx, l.ChunkID)
		if err != nil {
			return 0, err
		}
		old := l.Key()
		l.CorpusID = ix.Info().ID
		if _, there, err := db.Label(l.Key()); err != nil {
			return 0, err
		} else if !there {
			text := ""
			if l.Anchor.ChunkSHA256 == "" {
				l.Anchor = corpus.AnchorOf(ix.Info().ID, c)
			}
			if l.Anchor.ChunkSHA256 == c.Hash() {
				text = c.Text
			}
			changes = append(changes, store.PutLabel(l, corpus.Found{Route: l.Found}, text))
			moved++
		}
		changes = append(changes, store.ClearLabel(old))
	}
	for from := 0; from < len(changes); from += adoptSlice {
		part := changes[from:min(from+adoptSlice, len(changes))]
		if _, err := db.Write(ctx, store.Author{Role: "setup", Batch: batch}, part...); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// adoptSlice is how many changes share a transaction. It is even: a label and what it replaces go together.
const adoptSlice = 5000
