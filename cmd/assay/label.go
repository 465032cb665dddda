package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/intake"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/tui"
	"assay/tui/screen"

	"github.com/spf13/cobra"
)

// labelStart says where the screens open.
type labelStart struct {
	query string
	hint  []string
}

func (a *app) labelCommand() *cobra.Command {
	var start labelStart
	c := &cobra.Command{
		Use:   "label",
		Short: "Label: search, read, grade (plain \"assay\" too)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if !a.canShow() {
				return withHint(usagef("the labeling screen needs a terminal"), "assay help lists the commands that work without one")
			}
			who, err := a.annotator()
			if err != nil {
				return err
			}
			return a.showLabel(cmd.Context(), w, who, start)
		},
	}
	c.Flags().StringVar(&start.query, "query", "", "open this query (its id)")
	return c
}

// canShow reports whether there is a terminal to draw on and to read keys from.
func (a *app) canShow() bool { return isTerminal(a.stdin) && isTerminal(a.stdout) }

// showLabel opens the screens and returns when they close.
func (a *app) showLabel(ctx context.Context, w *workspace.Workspace, who string, start labelStart) error {
	measures, err := retrieval.ParseMeasures(w.Config.Check.Measures...)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Path("assay.toml"), err)
	}
	db, err := a.openStore(ctx, w)
	if err != nil {
		return err
	}
	defer db.Close()
	ix, err := index.Open(w.Path("corpus"))
	if err != nil && !errors.Is(err, index.ErrNone) {
		return err
	}
	if ix != nil {
		defer ix.Close()
		if err := knowCorpus(ctx, db, ix.Info()); err != nil {
			return err
		}
	}
	guidelines, hash, err := w.Guidelines()
	if err != nil {
		return err
	}
	one, err := desk.New(desk.Options{
		DB: db, Index: ix, Annotator: who, Scale: w.Scale(), Name: w.Name(), Guidelines: guidelines, GuidelinesHash: hash,
		AutoAdvance: w.Config.Labeling.AutoAdvance, Mouse: w.Config.Labeling.Mouse, Hint: start.hint, Now: a.now,
	})
	if err != nil {
		return err
	}
	if start.query != "" {
		if _, ok, err := db.Query(start.query); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("there is no query %q", text80(start.query))
		}
	}
	if err := os.MkdirAll(w.Path("exports"), 0o755); err != nil {
		return err
	}
	rule := corpus.Rule(w.Config.Gold.Rule)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(signals)
	if a.screens != nil {
		a.screens.Store(true)
		defer a.screens.Store(false)
	}
	// The screens end by the signals themselves: they have drafts to save first.
	return tui.Run(context.WithoutCancel(ctx), tui.Options{
		Desk:   one,
		Finder: desk.NewFinder(ix),
		Checker: &desk.Checker{
			DB: db, Index: ix, Dir: w.Path("runs"), Measures: measures, Limits: retrieval.Limits(w.Config.Diagnosis), Depth: w.Config.Check.Depth, Rule: rule, Program: program(), Guidelines: hash,
		},
		Exporter: desk.Exporter{
			DB: db, Index: ix, Dir: w.Path("exports"), Name: w.Name(), Rule: rule, Program: program(), Guidelines: hash,
		},
		Importer: desk.Importer{
			Place:     intake.Place{DB: db, Index: ix, Logs: w.Path("logs"), Now: a.now, Batch: func() string { return a.newBatch("queries") }},
			Annotator: who, Home: a.getenv("HOME"),
		},
		Theme:   w.Config.Labeling.Theme,
		Mouse:   w.Config.Labeling.Mouse,
		NoColor: a.getenv("NO_COLOR") != "",
		Query:   screen.OpenQuery{QueryID: start.query},
		Now:     a.now,
		Signals: signals,
	})
}
