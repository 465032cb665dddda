package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/store"
)

// writeSlice is how many rows of an import share a transaction.
const writeSlice = 5000

func (a *app) storeOptions() store.Options {
	return store.Options{Now: a.now, Program: program()}
}

// makeWorkspace makes a workspace with an empty labels.db, or gives one that lost its labels.db an empty one.
func (a *app) makeWorkspace(ctx context.Context, dir, language string, scale corpus.Scale) (*workspace.Workspace, error) {
	w, err := workspace.Find(dir, ".")
	if err == nil {
		if _, err := os.Lstat(w.Path("labels.db")); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is a workspace already", dir)
		}
		a.say("note: labels.db was not there: starting an empty one")
	} else if !errors.Is(err, workspace.ErrNone) {
		return nil, err
	} else if w, err = workspace.Init(dir, language, scale); err != nil {
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
	db, err := store.Open(w.Path("labels.db"), a.storeOptions())
	if err != nil {
		return nil, lostLabels(err)
	}
	if err := a.alignScale(ctx, w, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// lostLabels says what to do about a workspace without labels.db. Init makes one, so that it was lost.
func lostLabels(err error) error {
	if errors.Is(err, store.ErrNone) {
		return withHint(err, "it holds everything people said: restore it from a backup, or start an empty one with \"assay init\"")
	}
	return err
}

// readStore opens a private copy of labels.db, so that it never waits for the writer. The scale must agree.
func (a *app) readStore(w *workspace.Workspace) (*store.DB, error) {
	db, err := store.OpenCopy(w.Path("labels.db"), a.storeOptions())
	if err != nil {
		return nil, lostLabels(err)
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
