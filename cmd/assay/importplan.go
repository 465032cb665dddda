package main

import (
	"bytes"
	"context"
	"errors"
	"reflect"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/text"
	"assay/store"
)

// plan compares what the files say with what is there, and collects the changes.
func (im *labelImport) plan(ctx context.Context) error {
	known, err := im.db.Queries()
	if err != nil {
		return err
	}
	queries := make(map[string]corpus.Query, len(known))
	order := 0
	for _, q := range known {
		queries[q.ID] = q
		order = max(order, q.Order)
	}
	for _, q := range im.in.Queries {
		if _, ok := queries[q.ID]; ok {
			continue
		}
		order++
		q.Order = order
		queries[q.ID] = q
		im.out.NewQueries++
		im.changes = append(im.changes, store.PutQuery(q))
	}
	unknown := map[string]bool{}
	noteQuery := func(id string) {
		if _, ok := queries[id]; !ok && !unknown[id] {
			unknown[id] = true
			im.out.UnknownQueries = append(im.out.UnknownQueries, id)
		}
	}
	near, err := im.foldedChunkIDs()
	if err != nil {
		return err
	}
	for _, l := range im.in.Labels {
		noteQuery(l.QueryID)
		if err := im.planLabel(ctx, l, queries, near); err != nil {
			return err
		}
	}
	for _, w := range im.in.Works {
		noteQuery(w.QueryID)
		if err := im.planWork(w); err != nil {
			return err
		}
	}
	for _, said := range im.in.Said {
		noteQuery(said.QueryID)
		if err := im.planSaid(said); err != nil {
			return err
		}
	}
	return im.planSearches()
}

// planWork takes a state over, unless the annotator said something newer here, or the file has no time of its own and
// the query is done already.
func (im *labelImport) planWork(w corpus.Work) error {
	old, ok, err := im.db.Work(w.Annotator, w.QueryID)
	if err != nil {
		return err
	}
	switch {
	case ok && (old.State == w.State || w.At.IsZero() && old.State == corpus.Done):
		return nil
	case ok && !w.At.IsZero() && old.At.After(w.At):
		im.out.Kept++
		return nil
	}
	if w.State == corpus.Done {
		im.out.QueriesDone++
	}
	im.changes = append(im.changes, store.PutWork(w))
	return nil
}

// planSaid takes a statement over, unless the annotator made it, or its like, anew here since.
func (im *labelImport) planSaid(s corpus.Said) error {
	there, err := im.db.Said(s.QueryID)
	if err != nil {
		return err
	}
	for _, old := range there {
		if old.What != s.What || old.Annotator != s.Annotator {
			continue
		}
		single := s.What == corpus.SaidAnswer || s.What == corpus.SaidNote
		if !single && old.Value != s.Value {
			continue
		}
		if old.Value == s.Value && bytes.Equal(old.Proof, s.Proof) {
			return nil
		}
		if old.At.After(s.At) {
			im.out.Kept++
			return nil
		}
	}
	im.changes = append(im.changes, store.PutSaid(s))
	return nil
}

// planLabel adds one label, unless it is there already.
func (im *labelImport) planLabel(ctx context.Context, l corpus.Label, queries map[string]corpus.Query, near map[string]string) error {
	chunkText := ""
	if im.ix != nil {
		c, err := im.ix.Chunk(ctx, l.ChunkID)
		switch {
		case errors.Is(err, index.ErrNoChunk):
			im.noteChunk(l.ChunkID, near)
		case err != nil:
			return err
		default:
			if l.Anchor.ChunkSHA256 == "" {
				l.Anchor = corpus.AnchorOf(im.ix.Info().ID, c)
			}
			// The same chunk, whatever the workspace that graded it called its corpus.
			l.CorpusID = im.ix.Info().ID
			if l.Anchor.ChunkSHA256 == c.Hash() {
				chunkText = c.Text
			}
		}
	}
	if l.ScaleID == "" {
		l.ScaleID = im.scale.ID
	}
	if q, ok := queries[l.QueryID]; ok && l.QuerySHA256 == "" {
		l.QuerySHA256 = corpus.HashText(q.Text)
	}
	old, ok, err := im.db.Label(l.Key())
	if err != nil {
		return err
	}
	if p, twice := im.pending[l.Key()]; twice { // an earlier file of this call said so
		old, ok = p, true
	}
	switch {
	case ok && old.Grade == l.Grade && !im.saysMore(l, old):
		im.out.Same++
		return nil
	case ok && old.Grade == l.Grade:
		im.out.Replaced++
	case ok && !im.replace:
		im.out.Conflicts = append(im.out.Conflicts, labelConflict{l.QueryID, l.ChunkID, l.Annotator, old.Grade, l.Grade})
		return nil
	case ok:
		im.out.Replaced++
	default:
		im.out.New++
	}
	im.pending[l.Key()] = l
	im.changes = append(im.changes, store.PutLabel(l, corpus.Found{Route: l.Found}, chunkText))
	return nil
}

// saysMore reports whether a label with the same grade brings a note or evidence that is newer than what is here.
func (im *labelImport) saysMore(l, old corpus.Label) bool {
	differs := l.Note != old.Note || !reflect.DeepEqual(append([]corpus.Evidence{}, l.Anchor.Evidence...), append([]corpus.Evidence{}, old.Anchor.Evidence...))
	return differs && (l.Note != "" || len(l.Anchor.Evidence) > 0) && (im.replace || l.At.After(old.At))
}

// noteChunk remembers a chunk id that is not in the corpus, and the id that it may have meant.
func (im *labelImport) noteChunk(id string, near map[string]string) {
	if im.missing[id] {
		return
	}
	im.missing[id] = true
	im.out.UnknownChunks = append(im.out.UnknownChunks, id)
	if other := near[text.Folded(id)]; other != "" {
		im.out.NearIDs = append(im.out.NearIDs, nearPair{id, other})
	}
}

// planSearches adds the searches that are not there yet.
func (im *labelImport) planSearches() error {
	for q, searches := range im.in.Searches {
		there, err := im.db.Searches(q)
		if err != nil {
			return err
		}
		has := map[corpus.SearchTried]bool{}
		for _, s := range there {
			s.CorpusID, s.At = "", s.At.UTC()
			has[s] = true
		}
		for _, s := range searches {
			s.QueryID = q
			key := s
			key.CorpusID, key.At = "", key.At.UTC()
			if !has[key] {
				im.changes = append(im.changes, store.AddSearch(s))
			}
		}
	}
	return nil
}

// foldedChunkIDs maps the corpus's ids without differences of case and normal form to the ids. Only built where a file
// names a chunk that is not there.
func (im *labelImport) foldedChunkIDs() (map[string]string, error) {
	if im.ix == nil {
		return nil, nil
	}
	needed := false
	for _, l := range im.in.Labels {
		needed = needed || !im.ix.Has(l.ChunkID)
	}
	if !needed {
		return nil, nil
	}
	folded := map[string]string{}
	err := im.ix.EachID(func(id string, _ [32]byte) bool {
		folded[text.Folded(id)] = id
		return true
	})
	return folded, err
}

func (im *labelImport) write(ctx context.Context) error {
	if im.scale.ID != im.w.Scale().ID {
		if err := im.w.SetScale(im.scale); err != nil {
			return err
		}
	}
	inForce, _, err := im.db.Scale()
	if err != nil {
		return err
	}
	if inForce.ID != im.scale.ID {
		if _, err := im.db.Write(ctx, store.Author{Role: "setup"}, store.SetScale(im.scale)); err != nil {
			return err
		}
	}
	info := im.in.Corpus
	if im.ix != nil {
		info = im.ix.Info()
	}
	if info.ID != "" {
		if err := knowCorpus(ctx, im.db, info); err != nil {
			return err
		}
	}
	if len(im.changes) == 0 {
		return nil
	}
	im.out.Batch = im.newBatch("labels")
	p := im.progress("importing")
	defer p.done()
	_, err = writeAll(ctx, im.db, store.Author{Role: "import", Batch: im.out.Batch}, im.changes,
		func(n int) { p.count(int64(n), int64(len(im.changes))) })
	return err
}
