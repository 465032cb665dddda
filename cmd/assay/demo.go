package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/cmd/assay/guide"
	"assay/cmd/assay/internal/bench"
	"assay/cmd/assay/internal/demo"
	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/intake"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/export"
	"assay/store"
	"assay/tui/port"

	"github.com/spf13/cobra"
)

// demoHint fits 80 columns.
var demoHint = []string{
	"Grade the chunk under the cursor with 0 to 3; u takes it back.",
	"/ searches, t tags, n next query, f finishes this one, ? shows every key.",
	"Nothing here is yours: the workspace goes away when you leave. q leaves.",
}

func (a *app) demoCommand() *cobra.Command {
	var keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Try everything on a bundled corpus and log",
		Long: `Try everything on a bundled corpus (the guide) and a bundled query log, in a workspace that goes away afterwards.

On a terminal it opens the labeling screen. Elsewhere it walks the same path (index, import, label by script, check,
export) and prints each step.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := keep
			if dir == "" {
				tmp, err := os.MkdirTemp("", "assay-demo-")
				if err != nil {
					return fmt.Errorf("demo: %w", err)
				}
				defer os.RemoveAll(tmp)
				dir = filepath.Join(tmp, "demo")
			}
			d := demonstration{app: a, aloud: !a.canShow()}
			if err := d.walk(cmd.Context(), dir); err != nil {
				return fmt.Errorf("demo: %w", err)
			}
			if d.aloud {
				return nil
			}
			if err := a.showLabel(cmd.Context(), d.w, "ann", labelStart{hint: demoHint}); err != nil {
				return err
			}
			if keep != "" {
				a.say("the workspace is in %s", keep)
			}
			return nil
		},
	}
	c.Flags().StringVar(&keep, "keep", "", "make the workspace in this folder and keep it")
	return c
}

// demonstration is one walk through the product.
type demonstration struct {
	*app
	aloud bool
	steps int
	w     *workspace.Workspace
}

// step says what is done next, as the command that one would type.
func (d *demonstration) step(command string) {
	d.steps++
	if d.aloud {
		if d.steps > 1 {
			d.line("")
		}
		d.line("$ %s", command)
	}
}

func (d *demonstration) tell(format string, args ...any) {
	if d.aloud {
		d.line(format, args...)
	}
}

func (d *demonstration) walk(ctx context.Context, dir string) error {
	var err error
	d.step("assay init demo")
	if d.w, err = d.makeWorkspace(ctx, dir, "en", corpus.DefaultScale()); err != nil {
		return err
	}
	d.tell("a workspace: scale %s", describeScale(d.w.Scale()))

	d.step("assay index guide")
	if err := copyPages(d.w.Path("guide")); err != nil {
		return err
	}
	indexed, err := d.build(ctx, d.w, []corpus.Source{{Path: "guide"}})
	if err != nil {
		return err
	}
	d.tell("%s from %s, cut at headings; %s", count(indexed.Corpus.Chunks, "chunk"), count(indexed.Documents, "document"), indexed.Scorer)

	db, err := d.openStore(ctx, d.w)
	if err != nil {
		return err
	}
	defer db.Close()
	ix, err := d.openIndex(d.w)
	if err != nil {
		return err
	}
	defer ix.Close()

	d.step("assay import queries " + demo.LogName)
	queries, err := d.importLog(ctx, db, ix)
	if err != nil {
		return err
	}
	d.tell("%s, the most asked %d times: %q", count(len(queries), "query"), queries[0].Count, queries[0].Text)

	d.step("assay label")
	if err := d.label(ctx, db, ix, queries); err != nil {
		return err
	}
	if !d.aloud {
		return nil
	}
	return d.measureAndExport(ctx, db, ix)
}

// copyPages lays the guide out as the folder of Markdown that it is.
func copyPages(to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	pages := guide.Pages()
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		return err
	}
	for _, name := range names {
		page, err := fs.ReadFile(pages, name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), page, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (d *demonstration) importLog(ctx context.Context, db *store.DB, ix *index.Index) ([]corpus.Query, error) {
	path := d.w.Path(demo.LogName)
	if err := os.WriteFile(path, demo.Log(), 0o644); err != nil {
		return nil, err
	}
	place := intake.Place{DB: db, Index: ix, Logs: d.w.Path("logs"), Now: d.now, Batch: func() string { return d.newBatch("queries") }}
	report, err := intake.Run(ctx, place, intake.Options{Files: []string{path}})
	if err != nil {
		return nil, err
	}
	if len(report.Rejects) > 0 {
		return nil, fmt.Errorf("%s:%d: %s", path, report.Rejects[0].Line, report.Rejects[0].Reason)
	}
	return db.Queries()
}

// label plays the script: what ann labeled before you came.
func (d *demonstration) label(ctx context.Context, db *store.DB, ix *index.Index, queries []corpus.Query) error {
	script, err := demo.Script()
	if err != nil {
		return err
	}
	places, err := chunksByPlace(ctx, ix)
	if err != nil {
		return err
	}
	text := map[string]string{}
	for _, q := range queries {
		text[q.ID] = q.Text
	}
	desks := map[string]*desk.Desk{}
	for _, s := range script {
		one := desks[s.Annotator]
		if one == nil {
			one, err = desk.New(desk.Options{DB: db, Index: ix, Annotator: s.Annotator, Scale: d.w.Scale(), Now: d.now})
			if err != nil {
				return err
			}
			desks[s.Annotator] = one
		}
		said, err := d.play(ctx, one, ix, s, text[s.QueryID], places)
		if err != nil {
			return fmt.Errorf("script, line %d: %w", s.Line, err)
		}
		d.tell("%s  %s  %s", s.Annotator, s.QueryID, said)
	}
	return nil
}

func (d *demonstration) play(ctx context.Context, one *desk.Desk, ix *index.Index, s demo.Step, query string, places map[demo.Place]string) (string, error) {
	chunk := func(p demo.Place) (string, error) {
		id := places[p]
		if id == "" {
			return "", fmt.Errorf("no chunk of %s is headed %q", p.Document, p.Heading)
		}
		return id, nil
	}
	switch {
	case s.Label != nil:
		id, err := chunk(s.Label.Place)
		if err != nil {
			return "", err
		}
		saved, err := one.Grade(ctx, port.Grading{
			QueryID: s.QueryID, ChunkID: id, Grade: s.Label.Grade, Found: corpus.Found{Route: corpus.RouteSearch, Search: query},
		})
		if err == nil && s.Label.Note != "" {
			_, err = one.Note(ctx, s.QueryID, id, s.Label.Note)
		}
		return fmt.Sprintf("%s: %s", saved.Words, id), err
	case s.Tag != nil:
		proof, err := d.proof(ctx, one, ix, s, chunk)
		if err != nil {
			return "", err
		}
		saved, err := one.Say(ctx, corpus.Said{QueryID: s.QueryID, What: corpus.SaidTag, Value: s.Tag.Name, Proof: proof})
		return saved.Words, err
	}
	saved, err := one.SetState(ctx, s.QueryID, s.State, "")
	return saved.Words, err
}

// proof is what a tag is shown by.
func (d *demonstration) proof(ctx context.Context, one *desk.Desk, ix *index.Index, s demo.Step, chunk func(demo.Place) (string, error)) (json.RawMessage, error) {
	var proof any
	switch s.Tag.Name {
	case corpus.TagUnanswerable:
		tried := corpus.UnanswerableProof{}
		for _, words := range s.Tag.Searches {
			res, err := ix.Search(ctx, corpus.SearchRequest{Text: words, Mode: corpus.Plain, Limit: 10})
			if err != nil {
				return nil, err
			}
			search := corpus.SearchTried{
				QueryID: s.QueryID, Text: words, Mode: corpus.Plain, Results: res.Total, Deepest: len(res.Hits),
				Annotator: s.Annotator, At: d.now().UTC(), CorpusID: ix.Info().ID,
			}
			if err := one.Tried(ctx, search); err != nil {
				return nil, err
			}
			tried.Searches = append(tried.Searches, search)
		}
		proof = tried
	case corpus.TagConflicting:
		linked := corpus.ConflictProof{Note: s.Tag.Note}
		for i, p := range s.Tag.Places {
			id, err := chunk(p)
			if err != nil {
				return nil, err
			}
			linked.ChunkIDs = append(linked.ChunkIDs, id)
			if i == s.Tag.Holds {
				linked.Holds = id
			}
		}
		proof = linked
	case corpus.TagIdentifier:
		proof = corpus.IdentifierProof{Identifier: s.Tag.Identifier}
	case corpus.TagFollowUp:
		proof = corpus.FollowUpProof{Standalone: s.Tag.Standalone}
	default:
		return nil, nil
	}
	return json.Marshal(proof)
}

// chunksByPlace finds the first chunk below each heading of each page.
func chunksByPlace(ctx context.Context, ix *index.Index) (map[demo.Place]string, error) {
	places := map[demo.Place]string{}
	ordinal := map[demo.Place]int{}
	var failed error
	err := ix.EachID(func(id string, _ [32]byte) bool {
		c, err := ix.Chunk(ctx, id)
		if err != nil {
			failed = err
			return false
		}
		heading := c.Title
		if i := strings.LastIndex(heading, " › "); i >= 0 {
			heading = heading[i+len(" › "):]
		}
		p := demo.Place{Document: c.DocID, Heading: heading}
		if at, ok := ordinal[p]; !ok || c.Ordinal < at {
			places[p], ordinal[p] = id, c.Ordinal
		}
		return true
	})
	if failed != nil {
		err = failed
	}
	return places, err
}

func (d *demonstration) measureAndExport(ctx context.Context, db *store.DB, ix *index.Index) error {
	d.step("assay check")
	_, guidelines, err := d.w.Guidelines()
	if err != nil {
		return err
	}
	gold, err := bench.Gold(ctx, db, corpus.Rule(d.w.Config.Gold.Rule), program(), guidelines)
	if err != nil {
		return err
	}
	how, err := (&referenceFlags{seed: bench.Seed}).measuring(d.w)
	if err != nil {
		return err
	}
	queries, err := db.Queries()
	if err != nil {
		return err
	}
	against := bench.New(gold, ix)
	run, err := bench.Rankings(ctx, ix, against.ToAsk(queries), corpus.Plain, d.w.Config.Check.Depth, nil)
	if err != nil {
		return err
	}
	report, err := against.Measure(run, how)
	if err != nil {
		return err
	}
	d.printReport(report, false)

	for _, format := range []export.Format{export.Native, export.TREC} {
		d.step("assay export " + string(format))
		path := desk.DefaultPath(d.w.Path("exports"), d.w.Name(), format)
		losses, err := desk.Export(ctx, gold, ix, desk.ExportOptions{Format: format, Path: path})
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := d.w.Relative(path)
		if err != nil {
			return err
		}
		d.tell("%s: %s, %s", rel, count(strings.Count(string(content), "\n"), "line"), bytesText(int64(len(content))))
		for _, l := range losses {
			d.tell("not in the file: %s", desk.LossLine(l))
		}
	}
	d.tell("")
	d.tell("That is the whole path. On a terminal, \"assay demo\" opens the labeling screen on this workspace.")
	return nil
}
