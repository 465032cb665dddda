package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/cmd/assay/internal/intake"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/querylog"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/redact"
	"assay/corpus/querylog/sample"
	"assay/store"

	"github.com/spf13/cobra"
)

type queriesFlags struct {
	read             querylog.Options
	format, kind     string
	noClean          string
	noRedact         string
	noGroup, all     bool
	maxLength        int
	gap              time.Duration
	sample           int
	by, strata       string
	seed             uint64
	rejects          string
	dryRun, asJSON   bool
	design           *sample.Design // what sample, by and strata come to
	seeded, fromLogs bool
}

func (a *app) importQueriesCommand() *cobra.Command {
	var f queriesFlags
	c := &cobra.Command{
		Use:   "queries [FILE…]",
		Short: "Mine a query log, all of it or a sample (- is stdin)",
		Long: `Bring in what users asked: clean it, take personal data out, count, group near-duplicates, and draw a sample.

Formats are found out from the content: ` + formatNames() + `.
All that was asked goes to the frame (logs/frame.jsonl.zst); only what is drawn, or all of a small log, goes to
labels.db. A second import adds only what is new and touches no label. Bad rows are listed by line; the good ones
around them are kept. Without FILE, --sample draws more from the frame.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.settle(cmd, args); err != nil {
				return err
			}
			return a.importQueries(cmd, args, f)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would happen, write nothing")
	fl.IntVar(&f.sample, "sample", 0, "draw so many new queries to label (else all of a log of up to 20,000)")
	fl.StringVar(&f.by, "by", "stratified", "how to draw: top, random, proportional or stratified")
	fl.StringVar(&f.strata, "strata", "frequency", "what strata are made by: frequency, tag, language or time")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the draws; the first one holds for the workspace (default 1)")
	fl.BoolVar(&f.all, "all", false, "take all queries to label, however many")
	fl.StringVar(&f.format, "format", "", "the log's format (else found out)")
	fl.StringVar(&f.read.Encoding, "encoding", "", "the text's encoding, e.g. windows-1252 (else UTF-8 or UTF-16)")
	fl.StringVar(&f.read.TextField, "text-field", "", "the column or key that holds the query; a number where there is no header")
	fl.StringVar(&f.read.IDField, "id-field", "", "the column or key that holds the id")
	fl.StringVar(&f.read.TimeField, "time-field", "", "the column or key that holds the time")
	fl.StringVar(&f.read.UserField, "user-field", "", "the column or key that says who asked")
	fl.StringVar(&f.read.SessionField, "session-field", "", "the column or key of the session, conversation or trace")
	fl.StringSliceVar(&f.read.Params, "param", nil, "search parameter of an access log, e.g. q")
	fl.DurationVar(&f.gap, "gap", 0, "a user's pause that ends a conversation (default 30m)")
	fl.StringVar(&f.noClean, "no-clean", "", "drop nothing; or =RULE,… to switch off empty, long, health, bot, burst")
	fl.IntVar(&f.maxLength, "max-length", 0, "longest query kept, in characters (default 1000)")
	fl.StringVar(&f.noRedact, "no-redact", "", "keep personal data: the gold set will hold it; or =KIND,… of "+kindNames())
	fl.BoolVar(&f.noGroup, "no-group", false, "don't group near-duplicates")
	fl.StringVar(&f.rejects, "rejects", "", "keep refused rows in this file, just as they are")
	fl.StringVar(&f.kind, "kind", "", "mined, written or synthetic (default mined)")
	fl.StringVar(&f.read.Source, "source", "", "where the queries come from (default the file's name)")
	fl.BoolVar(&f.asJSON, "json", false, "as one JSON object")
	for _, name := range []string{"no-clean", "no-redact"} {
		fl.Lookup(name).NoOptDefVal = everything
	}
	return c
}

// everything is what --no-clean and --no-redact stand for without a list.
const everything = "all"

func formatNames() string {
	var names []string
	for _, f := range querylog.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func kindNames() string {
	var names []string
	for _, k := range redact.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// settle checks what was said on the command line.
func (f *queriesFlags) settle(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch f.read.Kind = corpus.Kind(f.kind); f.read.Kind {
	case corpus.Mined, corpus.Written, corpus.Synthetic, "":
	default:
		return usagef("kind %q is not mined, written or synthetic", text80(f.kind))
	}
	f.read.Format = querylog.Format(f.format)
	f.fromLogs, f.seeded = len(args) == 0, given("seed")
	whole := f.read.Kind == corpus.Written || f.read.Kind == corpus.Synthetic
	switch {
	case f.fromLogs && !given("sample"):
		return withHint(usagef("name a log, or how many to draw from the logs that are in already"), "assay import queries LOG; assay import queries --sample 200")
	case given("sample") && f.sample < 1:
		return usagef("--sample %d: draw at least 1", f.sample)
	case !given("sample") && (given("by") || given("strata") || given("seed")):
		return usagef("--by, --strata and --seed go with --sample N")
	case given("sample") && f.all:
		return usagef("--sample and --all exclude each other")
	case given("sample") && whole:
		return usagef("only mined queries are drawn: what people wrote comes in whole")
	case slices.Contains(args, "-") && len(args) != len(slices.Compact(slices.Sorted(slices.Values(args)))):
		return usagef("- is there twice")
	case given("gap") && f.gap <= 0, given("max-length") && f.maxLength <= 0:
		return usagef("--gap and --max-length are more than 0")
	case f.rejects == "-":
		return usagef("--rejects names a file")
	case f.rejects != "" && f.dryRun:
		return usagef("--dry-run writes nothing: leave --rejects away")
	case f.format != "" && !slices.Contains(querylog.Formats(), f.read.Format):
		return withHint(usagef("no format is called %q", text80(f.format)), "formats are "+formatNames())
	}
	if given("sample") {
		f.design = &sample.Design{By: sample.By(f.by), N: f.sample, Strata: sample.Dimension(f.strata)}
		if !slices.Contains([]string{"top", "random", "proportional", "stratified"}, f.by) {
			return usagef("--by %q is not top, random, proportional or stratified", text80(f.by))
		}
		if !slices.Contains([]string{"frequency", "tag", "language", "time"}, f.strata) {
			return usagef("--strata %q is not frequency, tag, language or time", text80(f.strata))
		}
	}
	return nil
}

// options are what the flags come to.
func (f *queriesFlags) options(files []string) (intake.Options, error) {
	opt := intake.Options{
		Files: files, Read: f.read, DryRun: f.dryRun, NoGroup: f.noGroup, Gap: f.gap, All: f.all, Draw: f.design,
		NoClean: f.noClean == everything, NoRedact: f.noRedact == everything,
	}
	opt.Clean.MaxLength = f.maxLength
	var err error
	if f.noClean != "" && !opt.NoClean {
		if opt.Clean.Off, err = intake.ParseList(f.noClean, clean.Rules()); err != nil {
			return opt, usagef("--no-clean: %w", err)
		}
	}
	if f.noRedact != "" && !opt.NoRedact {
		if opt.Keep, err = intake.ParseList(f.noRedact, redact.Kinds()); err != nil {
			return opt, usagef("--no-redact: %w", err)
		}
	}
	if f.seeded {
		opt.Seed = &f.seed
	}
	return opt, nil
}

func (a *app) importQueries(cmd *cobra.Command, files []string, f queriesFlags) (err error) {
	ctx := cmd.Context()
	var report intake.Report
	opt, err := f.options(files)
	if err != nil {
		return err
	}
	w, err := a.workspace()
	if err != nil {
		return err
	}
	place, done, err := a.intakePlace(ctx, w, f.dryRun)
	if err != nil {
		return err
	}
	defer done()
	opt.Read.Stdin = a.stdin
	opt.Annotator = func() (string, error) {
		who, err := a.annotator()
		if err != nil {
			err = withHint(fmt.Errorf("the log tags queries, and a tag needs someone who says so"), "say --annotator NAME")
		}
		return who, err
	}
	if f.rejects != "" {
		rejects, e := keepRejects(w, f.rejects, files)
		if e != nil {
			return e
		}
		opt.Rejects = rejects.out
		defer func() {
			if e := rejects.end(report.Read == 0 && err != nil); e != nil && err == nil {
				err = fmt.Errorf("import queries: keep rejects: %w", e)
			}
		}()
	}
	shown := a.stages()
	opt.Progress = shown.at
	report, err = intake.Run(ctx, place, opt)
	shown.done()
	if err != nil {
		return fmt.Errorf("import queries: %w", err)
	}
	if f.asJSON {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else {
		a.printIntake(report, opt)
	}
	if report.Accepted == 0 && report.Rejected > 0 {
		return fmt.Errorf("no row could be used: %d of %d were refused", report.Rejected, report.Rejected)
	}
	return nil
}

// rejectsFile takes refused rows. It replaces what is there once the import is done, and not before.
type rejectsFile struct {
	path string
	file *os.File
	out  *bufio.Writer
	temp bool
}

// keepRejects begins a file for refused rows. It must be none of the logs and nothing of the workspace.
func keepRejects(w *workspace.Workspace, path string, logs []string) (*rejectsFile, error) {
	fail := func(err error) (*rejectsFile, error) { return nil, fmt.Errorf("import queries: keep rejects: %w", err) }
	abs, err := filepath.Abs(path)
	if err != nil {
		return fail(err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	root := w.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if rel, err := filepath.Rel(root, abs); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, withHint(usagef("--rejects %s lies in the workspace", text80(path)), "it holds what the log held, personal data too: name a file elsewhere")
	}
	there, err := os.Stat(path)
	for _, log := range logs {
		if info, e := os.Stat(log); err == nil && e == nil && os.SameFile(there, info) {
			return nil, withHint(usagef("--rejects %s is the log itself", text80(path)), "name another file: it is written anew")
		}
	}
	r := &rejectsFile{path: abs, temp: err != nil || there.Mode().IsRegular()}
	if r.temp {
		r.file, err = os.CreateTemp(filepath.Dir(abs), "."+filepath.Base(abs)+".*")
	} else {
		r.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		return fail(err)
	}
	r.out = bufio.NewWriter(r.file)
	return r, nil
}

// end keeps the file, or leaves what was there before where the import failed.
func (r *rejectsFile) end(failed bool) error {
	err := errors.Join(r.out.Flush(), r.file.Close())
	if !r.temp {
		return err
	}
	if failed || err != nil {
		os.Remove(r.file.Name())
		return err
	}
	return os.Rename(r.file.Name(), r.path)
}

// intakePlace opens what logs come into. The function that it returns closes it.
func (a *app) intakePlace(ctx context.Context, w *workspace.Workspace, dryRun bool) (intake.Place, func(), error) {
	open := func() (*store.DB, error) { return a.openStore(ctx, w) }
	if dryRun {
		open = func() (*store.DB, error) { return a.readStore(w) }
	}
	db, err := open()
	if err != nil {
		return intake.Place{}, nil, err
	}
	ix, err := index.Open(w.Path("corpus"))
	if err != nil {
		ix = nil // without an index, or with a broken one, nothing is guessed from it
	}
	place := intake.Place{DB: db, Index: ix, Logs: w.Path("logs"), Now: a.now, Batch: func() string { return a.newBatch("queries") }}
	return place, func() {
		if ix != nil {
			ix.Close()
		}
		db.Close()
	}, nil
}

func (a *app) printIntake(r intake.Report, opt intake.Options) {
	var rejects []rejectJSON
	for _, x := range r.Rejects {
		rejects = append(rejects, rejectJSON{x.File, x.Line, x.Reason, x.Hint})
	}
	files := []importedFile{{Rejected: r.Rejected}}
	a.printRejects(rejects, files)
	for _, note := range r.Notes() {
		a.say("%s", note)
	}
	if opt.NoRedact {
		a.say("warning: nothing was taken out (--no-redact): queries, gold set and exports hold what people typed, personal data and secrets included")
	}
	for _, line := range r.Lines() {
		a.line("%s", line)
	}
	for _, c := range r.Changed {
		a.line("changed: %s: %q → %q (%s)", c.QueryID, c.Old, c.New, strings.Join(c.What, ", "))
		if c.Labels > 0 {
			a.line("         %s made on the old text: kept, and marked as such", count(c.Labels, "label"))
		}
	}
	if r.Batch != "" {
		a.say("batch %s; take it back with: assay log undo %s", r.Batch, r.Batch)
	}
	if r.KeptIn != "" {
		a.say("this report is kept in %s", r.KeptIn)
	}
}

// stages shows the progress of work in several stages.
type stages struct {
	app  *app
	name string
	now  *progress
}

func (a *app) stages() *stages { return &stages{app: a} }

func (s *stages) at(stage string, done, total int64) {
	if stage != s.name {
		s.done()
		s.name, s.now = stage, s.app.progress(stage)
	}
	if stage == "reading" {
		s.now.at(done, total)
	} else {
		s.now.count(done, total)
	}
}

func (s *stages) done() {
	if s.now != nil {
		s.now.done()
	}
}
