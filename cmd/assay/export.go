package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/export"

	"github.com/spf13/cobra"
)

type exported struct {
	Format  string        `json:"format"`
	Path    string        `json:"path"`
	Queries int           `json:"queries"`
	Labels  int           `json:"labels"` // of native; else grades, or hits of a run
	Losses  []export.Loss `json:"losses"`
}

func (a *app) exportCommand() *cobra.Command {
	var path, rule string
	var guard, encode, binary, asJSON bool
	c := &cobra.Command{
		Use:   "export [native|beir|trec|csv|run]",
		Short: "Write the gold set for another tool",
		Long: `Write the gold set for another tool: native (JSON Lines, everything that was said), beir (a folder), trec (qrels)
or csv; or run, the built-in search's rankings in TREC form. Default: native, into exports/.

What the format can't hold is listed on stderr. An old file stays as it is until the new one is on disk.`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"native", "beir", "trec", "csv", "run"},
		RunE: func(cmd *cobra.Command, args []string) error {
			format := "native"
			if len(args) == 1 {
				format = args[0]
			}
			switch format {
			case "native", "beir", "trec", "csv", "run":
			default:
				return usagef("format %q is not native, beir, trec, csv or run", text80(format))
			}
			if asJSON && path == "-" {
				return usagef("--json reports on stdout, where the file goes: name one with -o")
			}
			ctx := cmd.Context()
			w, err := a.workspace()
			if err != nil {
				return err
			}
			if rule == "" {
				rule = w.Config.Gold.Rule
			}
			switch corpus.Rule(rule) {
			case corpus.Majority, corpus.Single, corpus.Adjudicated:
			default:
				return usagef("rule %q is not majority, single or adjudicated", text80(rule))
			}
			db, err := a.readStore(w)
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			defer db.Close()
			ix, err := index.Open(w.Path("corpus"))
			if err != nil && !errors.Is(err, index.ErrNone) {
				if format == "run" || format == "beir" {
					return fmt.Errorf("export: %w", err)
				}
				a.say("warning: %s", err)
			}
			if ix != nil {
				defer ix.Close()
			}
			_, hash, err := w.Guidelines()
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			gold, err := bench.Gold(ctx, db, corpus.Rule(rule), program(), hash)
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			f := export.Format(format)
			if path == "" {
				path = desk.DefaultPath(w.Path("exports"), w.Name(), f)
				if format == "run" {
					path = w.Path("exports", "built-in.run")
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return fmt.Errorf("export: %w", err)
				}
			}
			if err := ownFile(w, path); err != nil {
				return err
			}
			out := exported{Format: format, Path: path, Queries: len(gold.Rows), Losses: []export.Loss{}}
			what := "label"
			if format == "native" {
				out.Labels = gold.Header.Labels
			} else {
				what = "grade"
				for _, row := range gold.Rows {
					out.Labels += len(row.Grades)
				}
			}
			var losses []export.Loss
			if format == "run" {
				if ix == nil {
					return withHint(fmt.Errorf("export: %w", index.ErrNone), "assay index PATH… reads a corpus")
				}
				queries, err := db.Queries()
				if err != nil {
					return fmt.Errorf("export: %w", err)
				}
				run, err := bench.Rankings(ctx, ix, included(queries), corpus.Plain, w.Config.Check.Depth, nil)
				if err != nil {
					return fmt.Errorf("export: %w", err)
				}
				run.Name = "assay"
				what, out.Queries, out.Labels = "hit", len(run.Rankings), 0
				for _, r := range run.Rankings {
					out.Labels += len(r)
				}
				losses, err = desk.WriteTREC(desk.ExportOptions{Path: path, Stdout: a.data(), EncodeIDs: encode},
					func(w io.Writer, o export.TRECOptions) ([]export.Loss, error) { return export.WriteRun(w, run.Run, o) })
				if err != nil {
					return fmt.Errorf("export: %w", err)
				}
			} else {
				losses, err = desk.Export(ctx, gold, ix, desk.ExportOptions{
					Format: f, Path: path, Stdout: a.data(), GuardFormulas: guard, EncodeIDs: encode, Binary: binary,
				})
				if err != nil {
					return fmt.Errorf("export: %w", err)
				}
			}
			counts, err := db.Counts()
			if err != nil {
				return fmt.Errorf("export: %w", err)
			}
			losses = append(losses, desk.ExcludedLoss(counts)...)
			out.Losses = append(out.Losses, losses...)
			if asJSON {
				return a.printJSON(out)
			}
			if path != "-" {
				a.line("%s: %s, %s → %s", format, count(out.Queries, "query"), count(out.Labels, what), path)
			}
			for _, l := range losses {
				a.say("not in the file: %s", desk.LossLine(l))
			}
			return nil
		},
	}
	c.Flags().StringVarP(&path, "output", "o", "", "where to write; - is stdout (default exports/NAME…)")
	c.Flags().StringVar(&rule, "rule", "", "majority, single or adjudicated (default that of assay.toml)")
	c.Flags().BoolVar(&guard, "guard-formulas", false, "csv: keep cells from running as formulas in a spreadsheet")
	c.Flags().BoolVar(&encode, "encode-ids", false, "trec, run: percent-encode ids that the format can't hold")
	c.Flags().BoolVar(&binary, "binary", false, "trec: 1 for relevant, 0 for not, instead of grades")
	c.Flags().BoolVar(&asJSON, "json", false, "report as one JSON object")
	return c
}

// ownFile refuses to write an export over what the workspace lives on.
func ownFile(w *workspace.Workspace, path string) error {
	abs, err := filepath.Abs(path)
	if path == "-" || err != nil {
		return err
	}
	rel, err := filepath.Rel(w.Root, abs)
	if err != nil || strings.HasPrefix(rel, "..") {
		rel = ""
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	own := []string{"labels.db", "labels.db.lock", "assay.toml", "guidelines.md", "corpus", "runs", "prompts", "answers", "logs", "backups"}
	refused := slices.Contains(own, top) || rel == "."
	if target, err := os.Stat(path); err == nil {
		for _, name := range own {
			if info, err := os.Stat(w.Path(name)); err == nil && os.SameFile(info, target) {
				refused = true
			}
		}
	}
	if refused {
		return withHint(usagef("%s is the workspace's own", text80(path)), "exports/ is the place for exports; without -o they go there")
	}
	return nil
}

// included leaves out the queries that were taken out of the gold set.
func included(queries []corpus.Query) []corpus.Query {
	var in []corpus.Query
	for _, q := range queries {
		if !q.Excluded {
			in = append(in, q)
		}
	}
	return in
}

// copyFile replaces to with the bytes of from, whole or not at all.
func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return export.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}
