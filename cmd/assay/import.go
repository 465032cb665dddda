package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"assay/corpus"
	"assay/corpus/querylog"
	"assay/corpus/rows"
	"assay/export"
	"assay/store"

	"github.com/spf13/cobra"
)

func (a *app) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "import queries|labels|run FILE…",
		Short: "Bring in queries, labels or a run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("say what to import: queries, labels or run")
			}
			return fmt.Errorf("can't import %q: only queries, labels or run", text80(args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(a.importQueriesCommand(), a.importLabelsCommand(), a.importRunCommand())
	return c
}

// importedFile says what became of one file's rows.
type importedFile struct {
	File      string `json:"file"`
	Format    string `json:"format"`
	TextField string `json:"text_field,omitempty"` // where the queries were found
	IDField   string `json:"id_field,omitempty"`
	Accepted  int    `json:"accepted"`
	Rejected  int    `json:"rejected"`
	Blank     int    `json:"blank"`
}

// rejectJSON is one row that was not taken.
type rejectJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

type importedQueries struct {
	DryRun  bool           `json:"dry_run"`
	Batch   string         `json:"batch,omitempty"`
	Files   []importedFile `json:"files"`
	New     int            `json:"new"`
	Same    int            `json:"same"`
	Repeats int            `json:"repeats"`
	Unread  []unreadJSON   `json:"unread_fields"`
	Changed []changedQuery `json:"changed"`
	Rejects []rejectJSON   `json:"rejects"`
}

// unreadJSON is a field (a count, a time or the like) that could not be read in some rows, which were kept without it.
type unreadJSON struct {
	File  string `json:"file"`
	Field string `json:"field"`
	Rows  int    `json:"rows"`
	Line  int    `json:"first_line"`
}

type changedQuery struct {
	QueryID string   `json:"query_id"`
	What    []string `json:"what"`
	Old     string   `json:"old_text"`
	New     string   `json:"new_text"`
	Labels  int      `json:"labels"` // made on the old text
}

type queriesFlags struct {
	dryRun, asJSON     bool
	format, encoding   string
	idField, textField string
	kind, source       string
}

func (a *app) importQueriesCommand() *cobra.Command {
	var f queriesFlags
	c := &cobra.Command{
		Use:   "queries FILE…",
		Short: "Bring in a query log (- is stdin)",
		Long: `Bring in a query log: JSON Lines, a JSON list, CSV, TSV or plain lines, found out from the content.

A query keeps its id, or gets one made from its text; the same query asked again is counted. A second import adds
only what is new and touches no label. Bad rows are listed by line; the good ones around them are kept.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch corpus.Kind(f.kind) {
			case corpus.Mined, corpus.Written, corpus.Synthetic, "":
			default:
				return usagef("kind %q is not mined, written or synthetic", text80(f.kind))
			}
			return a.importQueries(cmd, args, f)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would happen, write nothing")
	fl.StringVar(&f.format, "format", "", "jsonl, json, csv, tsv or lines (else found out)")
	fl.StringVar(&f.encoding, "encoding", "", "the text's encoding, e.g. windows-1252 (else UTF-8 or UTF-16)")
	fl.StringVar(&f.idField, "id-field", "", "the column or key that holds the id")
	fl.StringVar(&f.textField, "text-field", "", "the column or key that holds the query; a number where there is no header")
	fl.StringVar(&f.kind, "kind", "", "mined, written or synthetic (default mined)")
	fl.StringVar(&f.source, "source", "", "where the queries come from (default the file's name)")
	fl.BoolVar(&f.asJSON, "json", false, "as one JSON object")
	return c
}

func (a *app) importQueries(cmd *cobra.Command, files []string, f queriesFlags) error {
	ctx := cmd.Context()
	w, err := a.workspace()
	if err != nil {
		return err
	}
	open := func() (*store.DB, error) { return a.openStore(ctx, w) }
	if f.dryRun {
		open = func() (*store.DB, error) { return a.readStore(w) }
	}
	db, err := open()
	if err != nil {
		return err
	}
	defer db.Close()
	who, err := a.knownAnnotator()
	if err != nil {
		return err
	}
	out := importedQueries{DryRun: f.dryRun, Files: []importedFile{}, Unread: []unreadJSON{}, Changed: []changedQuery{}, Rejects: []rejectJSON{}}
	known, err := db.Queries()
	if err != nil {
		return err
	}
	there := make(map[string]corpus.Query, len(known))
	order := 0
	for _, q := range known {
		there[q.ID] = q
		order = max(order, q.Order)
	}
	var changes []store.Change
	for _, file := range files {
		log, err := a.readLog(file, f)
		if err != nil {
			return fmt.Errorf("import queries: %w", err)
		}
		out.Files = append(out.Files, importedFile{
			File: file, Format: string(log.Stats.Format), TextField: log.TextField, IDField: log.IDField,
			Accepted: log.Rows.Accepted, Rejected: log.Rows.Rejected, Blank: log.Rows.Blank,
		})
		out.Repeats += log.Repeats
		for _, u := range log.Unread {
			out.Unread = append(out.Unread, unreadJSON{file, u.Field, u.Rows, u.Line})
		}
		for _, r := range log.Rejects {
			out.Rejects = append(out.Rejects, rejectJSON{r.File, r.Line, r.Reason, r.Hint})
		}
		plan := querylog.PlanImport(func(id string) (corpus.Query, bool) { q, ok := there[id]; return q, ok }, log.Queries)
		out.New += len(plan.New)
		out.Same += len(plan.Same)
		for _, q := range plan.New {
			order++
			q.Order = order
			there[q.ID] = q
			changes = append(changes, store.PutQuery(q))
			for _, tag := range log.Tags[q.ID] {
				if who == "" {
					if who, err = a.annotator(); err != nil {
						return withHint(fmt.Errorf("import queries: the log tags queries, and a tag needs someone who says so"), "say --annotator NAME")
					}
				}
				changes = append(changes, store.PutSaid(corpus.Said{QueryID: q.ID, What: corpus.SaidTag, Value: tag, Annotator: who}))
			}
		}
		for _, c := range plan.Changed {
			there[c.New.ID] = c.New
			changes = append(changes, store.PutQuery(c.New))
			labels, err := db.Labels(c.New.ID)
			if err != nil {
				return err
			}
			out.Changed = append(out.Changed, changedQuery{c.New.ID, c.What, c.Old.Text, c.New.Text, len(labels)})
		}
	}
	if !f.dryRun && len(changes) > 0 {
		out.Batch = a.newBatch("queries")
		p := a.progress("importing")
		_, err := writeAll(ctx, db, store.Author{Annotator: who, Role: "import", Batch: out.Batch}, changes, func(n int) { p.count(int64(n), int64(len(changes))) })
		p.done()
		if err != nil {
			return fmt.Errorf("import queries: %w", err)
		}
	}
	if f.asJSON {
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else {
		a.printImportedQueries(out)
	}
	return allRefused(out.Files)
}

func (a *app) readLog(file string, f queriesFlags) (querylog.Log, error) {
	source := f.source
	if source == "" && file != "-" {
		source = filepath.Base(file)
	}
	opt := querylog.Options{IDField: f.idField, TextField: f.textField, Source: source, Kind: corpus.Kind(f.kind)}
	r, err := rows.Open(file, rows.Options{Format: rows.Format(f.format), Encoding: f.encoding, Columns: opt.Columns(), Stdin: a.stdin})
	if err != nil {
		return querylog.Log{}, err
	}
	defer r.Close()
	return querylog.Collect(r, opt)
}

// allRefused makes an import of which nothing could be used an error.
func allRefused(files []importedFile) error {
	accepted, rejected := 0, 0
	for _, f := range files {
		accepted += f.Accepted
		rejected += f.Rejected
	}
	if accepted == 0 && rejected > 0 {
		return fmt.Errorf("no row could be used: %d of %d were refused", rejected, rejected)
	}
	return nil
}

func (a *app) printImportedQueries(out importedQueries) {
	a.printRejects(out.Rejects, out.Files)
	for _, f := range out.Files {
		from := ""
		if f.TextField != "" {
			from = fmt.Sprintf(", queries in %q", text80(f.TextField))
		}
		if f.IDField != "" {
			from += fmt.Sprintf(", ids in %q", text80(f.IDField))
		}
		a.say("%s: %s%s; %s", f.File, f.Format, from, rowCounts(f))
	}
	would := ""
	if out.DryRun {
		would = "would be "
	}
	a.line("%s: %d %snew, %d there already, %d changed, %s asked again", count(out.New+out.Same+len(out.Changed), "query"),
		out.New, would, out.Same, len(out.Changed), count(out.Repeats, "row"))
	for _, u := range out.Unread {
		a.say("warning: %s: %q could not be read in %s, first here; kept without it", at(u.File, u.Line), text80(u.Field), count(u.Rows, "row"))
	}
	for _, c := range out.Changed {
		a.line("changed: %s: %q → %q (%s)", c.QueryID, c.Old, c.New, strings.Join(c.What, ", "))
		if c.Labels > 0 {
			a.line("         %s made on the old text: kept, and marked as such", count(c.Labels, "label"))
		}
	}
	if out.Batch != "" {
		a.say("batch %s; take it back with: assay log undo %s", out.Batch, out.Batch)
	}
}

func rowCounts(f importedFile) string {
	return fmt.Sprintf("%d accepted + %d rejected = %d (and %d blank)", f.Accepted, f.Rejected, f.Accepted+f.Rejected, f.Blank)
}

// at is "file:line", or the file alone where no line is known.
func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// printRejects lists refused rows by line; the total is always said.
func (a *app) printRejects(rejects []rejectJSON, files []importedFile) {
	const most = 20
	total := 0
	for _, f := range files {
		total += f.Rejected
	}
	for i, r := range rejects {
		if i == most {
			break
		}
		a.say("%s: %s", at(r.File, r.Line), r.Reason)
		if r.Hint != "" && (i == 0 || rejects[i-1].Hint != r.Hint) {
			a.say("hint: %s", r.Hint)
		}
	}
	if more := max(total, len(rejects)) - min(most, len(rejects)); more > 0 {
		a.say("… and %s more refused (--json lists them)", count(more, "row"))
	}
}

func exportRejects(s export.Stats) []rejectJSON {
	out := []rejectJSON{}
	for _, r := range s.Rejects {
		out = append(out, rejectJSON{r.File, r.Line, r.Reason, r.Hint})
	}
	return out
}
