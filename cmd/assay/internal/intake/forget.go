package intake

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/querylog/frame"
	"assay/store"
)

// TextsOf are all texts that queries have, in labels.db and in the frame, each once; known says of which ids anything is
// known.
func TextsOf(db *store.DB, logs string, ids []string) (texts []string, known map[string]bool, err error) {
	known = map[string]bool{}
	add := func(id, text string) {
		known[id] = true
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	queries, err := db.Queries()
	if err != nil {
		return nil, nil, err
	}
	for _, q := range queries {
		if slices.Contains(ids, q.ID) {
			add(q.ID, q.Text)
		}
		for _, v := range q.Variants {
			if slices.Contains(ids, v.ID) {
				add(v.ID, v.Text)
			}
		}
	}
	f, err := frame.Open(filepath.Join(logs, frame.Name))
	if errors.Is(err, frame.ErrNone) {
		return texts, known, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for e, err := range f.Entries() {
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(ids, e.ID) {
			add(e.ID, e.Text)
		}
	}
	return texts, known, nil
}

// Forgotten counts what Forget removed.
type Forgotten struct {
	store.Forgotten
	Frame         int // queries of the frame
	FrameMentions int
}

// Forget removes queries from labels.db and the frame for good. The frame goes first: what is cut off is done again by
// forgetting again, as long as labels.db still knows the query.
func Forget(ctx context.Context, db *store.DB, logs string, by store.Author, ids, texts []string) (Forgotten, error) {
	var out Forgotten
	removed, err := frame.Forget(filepath.Join(logs, frame.Name), func(id string) bool { return slices.Contains(ids, id) }, texts)
	if err != nil && !errors.Is(err, frame.ErrNone) {
		return out, err
	}
	out.Frame, out.FrameMentions = removed.Queries, removed.Mentions
	// What only the frame had is noted as forgotten too, so that the next import of the log leaves it out.
	var notes []store.Change
	for _, id := range ids {
		_, there, err := db.Query(id)
		if err != nil {
			return out, err
		}
		gone, err := db.IsForgotten(id)
		if err != nil {
			return out, err
		}
		if !there && !gone {
			notes = append(notes, store.PutQuery(corpus.Query{ID: id, Text: "to be forgotten"}))
		}
	}
	if len(notes) > 0 && out.Frame > 0 {
		if _, err := db.Write(ctx, by, notes...); err != nil {
			return out, err
		}
	}
	out.Forgotten, err = db.Forget(ctx, by, ids...)
	return out, err
}

// StillHeld lists the files of a workspace, by their paths from its root, that still hold one of the queries: backups,
// exports, runs, answers, reports. Sources of the corpus and labels.db itself are not looked at.
func StillHeld(ctx context.Context, root string, ids, texts []string) ([]string, error) {
	var held []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir // can't be read, and so not by anybody who runs this
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		top := strings.Split(filepath.ToSlash(rel), "/")[0]
		switch {
		case d.IsDir() && rel != "." && !slices.Contains([]string{"backups", "exports", "runs", "answers", "prompts", "logs"}, top):
			return fs.SkipDir
		case d.IsDir(), !d.Type().IsRegular(), rel == "labels.db", top == rel && !strings.HasPrefix(rel, "labels.db"):
			return nil
		}
		for _, id := range ids {
			has, err := store.Holds(path, id, texts)
			if err != nil {
				return err
			}
			if has {
				held = append(held, rel)
				return nil
			}
		}
		return nil
	})
	return held, err
}
