package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/cmd/assay/internal/bench"
	"assay/export"

	"github.com/spf13/cobra"
)

// importedRun says what became of a run.
type importedRun struct {
	DryRun   bool         `json:"dry_run"`
	Name     string       `json:"name"`
	Path     string       `json:"path,omitempty"`
	Format   string       `json:"format"`
	Queries  int          `json:"queries"`
	Hits     int          `json:"hits"`
	Accepted int          `json:"accepted"`
	Rejected int          `json:"rejected"`
	Warnings []string     `json:"warnings"`
	Rejects  []rejectJSON `json:"rejects"`
}

func (a *app) importRunCommand() *cobra.Command {
	var name string
	var dryRun, replace, asJSON bool
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Keep a retriever's rankings under runs/",
		Long: `Keep a retriever's rankings under runs/, as they are: TREC run lines, or JSON Lines {"query": …, "chunks": […]}.
"assay check --run NAME" measures it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			run, err := export.ReadRun(args[0], export.ReadOptions{})
			if err != nil {
				return fmt.Errorf("import run: %w", err)
			}
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			}
			if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
				return usagef("run name %q can't be a file's name", text80(name))
			}
			out := importedRun{
				DryRun: dryRun, Name: name, Format: string(run.Format), Queries: len(run.Run.Rankings), Hits: run.Hits,
				Accepted: run.Stats.Accepted, Rejected: run.Stats.Rejected, Warnings: append([]string{}, run.Warnings...), Rejects: exportRejects(run.Stats),
			}
			if run.Stats.Accepted == 0 {
				a.printRejects(out.Rejects, []importedFile{{Rejected: out.Rejected}})
				return fmt.Errorf("import run: %s holds no ranking", args[0])
			}
			there := slices.DeleteFunc(bench.RunPaths(w.Path("runs"), name), func(path string) bool {
				_, err := os.Lstat(path)
				return errors.Is(err, fs.ErrNotExist)
			})
			if len(there) > 0 && !replace {
				return withHint(fmt.Errorf("import run: there is a run %q already", name), "--replace puts this one in its place, --name gives it another name")
			}
			if !dryRun {
				ending := bench.TRECEnding
				if run.Format == export.RunLines {
					ending = bench.LinesEnding
				}
				out.Path = w.Path("runs", name+ending)
				if err := copyFile(args[0], out.Path); err != nil {
					return fmt.Errorf("import run: %w", err)
				}
				for _, old := range there {
					if old == out.Path {
						continue
					}
					if err := os.Remove(old); err != nil {
						return fmt.Errorf("import run: %w", err)
					}
				}
			}
			if asJSON {
				return a.printJSON(out)
			}
			a.printRejects(out.Rejects, []importedFile{{Rejected: out.Rejected}})
			for _, warning := range out.Warnings {
				a.say("warning: %s", warning)
			}
			a.line("run %s: %s, %s", out.Name, count(out.Queries, "query"), count(out.Hits, "hit"))
			return nil
		},
	}
	c.Flags().BoolVar(&replace, "replace", false, "take the place of a run of that name")
	c.Flags().StringVar(&name, "name", "", "what to call it (default the file's name)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would happen, write nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}
