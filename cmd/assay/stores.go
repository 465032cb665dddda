package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/store"
)

// writeSlice is how many rows of an import share a transaction.
const writeSlice = 5000

func (a *app) storeOptions() store.Options {
	return store.Options{Now: a.now, Program: program()}
}

// makeWorkspace makes a workspace with an empty labels.db.
func (a *app) makeWorkspace(ctx context.Context, dir, language string, scale corpus.Scale) (*workspace.Workspace, error) {
	w, err := workspace.Init(dir, language, scale)
	if err != nil {
		return nil, err
	}
	opt := a.storeOptions()
	opt.Create = true
	db, err := store.Open(w.Path("labels.db"), opt)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return w, a.alignScale(ctx, w, db)
}

// openStore opens labels.db for writing and brings its scale in line with assay.toml.
func (a *app) openStore(ctx context.Context, w *workspace.Workspace) (*store.DB, error) {
	opt := a.storeOptions()
	db, err := store.Open(w.Path("labels.db"), opt)
	if errors.Is(err, store.ErrNone) {
		a.say("note: labels.db was not there: starting an empty one in %s", w.Root)
		opt.Create = true
		db, err = store.Open(w.Path("labels.db"), opt)
	}
	if err != nil {
		return nil, err
	}
	if err := a.alignScale(ctx, w, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// readStore opens a private copy of labels.db, so that it never waits for the writer. The scale must agree.
func (a *app) readStore(w *workspace.Workspace) (*store.DB, error) {
	db, err := store.OpenCopy(w.Path("labels.db"), a.storeOptions())
	if errors.Is(err, store.ErrNone) {
		return nil, withHint(fmt.Errorf("%w in %s", err, w.Root), "labels.db holds everything people said: restore it from a backup, or import anew")
	}
	if err != nil {
		return nil, err
	}
	if err := checkScale(w, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// alignScale takes over the scale of assay.toml as long as no label names another.
func (a *app) alignScale(ctx context.Context, w *workspace.Workspace, db *store.DB) error {
	if err := checkScale(w, db); err != nil {
		return err
	}
	inForce, ok, err := db.Scale()
	if err != nil || ok && inForce.ID == w.Scale().ID {
		return err
	}
	_, err = db.Write(ctx, store.Author{Role: "setup"}, store.SetScale(w.Scale()))
	return err
}

// checkScale refuses a scale in assay.toml that differs from the one that labels were made on.
func checkScale(w *workspace.Workspace, db *store.DB) error {
	inForce, ok, err := db.Scale()
	if err != nil || !ok || inForce.ID == w.Scale().ID {
		return err
	}
	counts, err := db.Counts()
	if err != nil || counts.Labels == 0 {
		return err
	}
	return withHint(
		fmt.Errorf("the scale in assay.toml (%s) is not the one that labels were made on (%s)", describeScale(w.Scale()), describeScale(inForce)),
		"put the old scale back into assay.toml")
}

// newBatch names an import, so that it can be undone as a whole.
func (a *app) newBatch(what string) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%s-%s", what, a.now().UTC().Format("20060102T150405"), hex.EncodeToString(b[:]))
}

// writeAll writes an import slice by slice. What was written stays if it is interrupted; importing again adds the rest.
func writeAll(ctx context.Context, db *store.DB, by store.Author, changes []store.Change, done func(int)) (int, error) {
	written := 0
	for from := 0; from < len(changes); from += writeSlice {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		events, err := db.Write(ctx, by, changes[from:min(from+writeSlice, len(changes))]...)
		written += len(events)
		if err != nil {
			return written, err
		}
		if done != nil {
			done(min(from+writeSlice, len(changes)))
		}
	}
	return written, nil
}

// knowCorpus records the corpus that the index holds, so that labels and exports can name it.
func knowCorpus(ctx context.Context, db *store.DB, info corpus.Info) error {
	_, err := db.Write(ctx, store.Author{Role: "setup"}, store.PutCorpus(info))
	return err
}
