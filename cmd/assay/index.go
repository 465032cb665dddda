package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"assay/cmd/assay/internal/desk"
	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/docs"
	"assay/corpus/index"
	"assay/store"

	"github.com/spf13/cobra"
)

type indexFlags struct {
	only, asJSON     bool
	format, encoding string
	fields           map[string]*string
}

type indexedJSON struct {
	Corpus    corpus.Info       `json:"corpus"`
	Scorer    string            `json:"scorer"`
	Documents int               `json:"documents"`
	Added     int               `json:"added"`
	Changed   int               `json:"changed"`
	Moved     int               `json:"moved"` // the same words elsewhere in the document, or with other metadata
	Gone      int               `json:"gone"`
	Unchanged int               `json:"unchanged"`
	Rebuilt   bool              `json:"rebuilt"`
	Repaired  string            `json:"repaired,omitempty"` // why the old index could not be used
	Accepted  int               `json:"accepted"`
	Rejected  int               `json:"rejected"`
	Repeated  int               `json:"repeated"`
	EmptyRows int               `json:"empty_chunks"`
	Empty     []string          `json:"empty"` // their ids, the first of them where there are many
	Skipped   []skippedJSON     `json:"skipped"`
	Rejects   []rejectJSON      `json:"rejects"`
	Alike     [][2]string       `json:"alike"`
	Notes     []string          `json:"notes"`
	Touched   map[string]int    `json:"labels_touched"` // labels made on another text ("changed"), or whose chunk is gone
	Adopted   int               `json:"labels_adopted"` // labels that came before the corpus, and belong to it now
	Sources   []sourceCountJSON `json:"sources"`
}

type skippedJSON struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

type sourceCountJSON struct {
	Path      string `json:"path"`
	Kind      string `json:"kind"`
	Format    string `json:"format,omitempty"`
	Encoding  string `json:"encoding,omitempty"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	Skipped   int    `json:"skipped"`
	Accepted  int    `json:"accepted"`
	Repeated  int    `json:"repeated"`
	Rejected  int    `json:"rejected"`
	Blank     int    `json:"blank"`
}

func (a *app) indexCommand() *cobra.Command {
	f := indexFlags{fields: map[string]*string{}}
	c := &cobra.Command{
		Use:   "index [PATH…]",
		Short: "Read documents, build or refresh the index",
		Long: `Read documents, build or refresh the index.

A PATH is JSON Lines, CSV or TSV with a chunk a row, a BEIR folder, or a folder of Markdown and text, which is cut
into chunks. It is added to the sources in assay.toml, or refreshed; --only replaces them. Without a PATH all recorded
sources are read again. Only what changed is indexed anew, and the old index serves until the new one is complete.`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.index(cmd.Context(), args, f) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.only, "only", false, "forget the sources recorded so far")
	fl.StringVar(&f.format, "format", "", "one of "+strings.Join(docs.Formats(), ", ")+" (else found out)")
	fl.StringVar(&f.encoding, "encoding", "", "the text's encoding, e.g. windows-1252 (else UTF-8 or UTF-16)")
	for _, name := range []string{"id", "text", "title", "document", "metadata"} {
		f.fields[name] = fl.String(name+"-field", "", "the column or key that holds a row's "+name)
	}
	fl.BoolVar(&f.asJSON, "json", false, "as one JSON object")
	return c
}

// sources are those recorded with those named, each resolved for reading beside how it is recorded.
func (f indexFlags) sources(w *workspace.Workspace, paths []string) (recorded []corpus.Source, err error) {
	if !f.only {
		recorded = slices.Clone(w.Config.SourceSet)
	}
	fields := map[string]string{}
	for name, value := range f.fields {
		if *value != "" {
			fields[name] = *value
		}
	}
	if len(fields) == 0 {
		fields = nil
	}
	if len(paths) == 0 && (f.only || f.format != "" || f.encoding != "" || fields != nil) {
		return nil, usagef("say which PATH the flags are about")
	}
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			return nil, err
		}
		rel, err := w.Relative(p)
		if err != nil {
			return nil, err
		}
		s := corpus.Source{Path: rel, Format: f.format, Encoding: f.encoding, Fields: fields}
		at := slices.IndexFunc(recorded, func(o corpus.Source) bool { return o.Path == rel })
		switch {
		case at < 0:
			recorded = append(recorded, s)
		case s.Format != "" || s.Encoding != "" || s.Fields != nil:
			recorded[at] = s
		}
	}
	if len(recorded) == 0 {
		return nil, withHint(usagef("nothing to index: no source is recorded"), "assay index PATH…")
	}
	return recorded, nil
}

func (a *app) index(ctx context.Context, paths []string, f indexFlags) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	recorded, err := f.sources(w, paths)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	out, err := a.build(ctx, w, recorded)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if f.asJSON {
		return a.printJSON(out)
	}
	a.printIndexed(out)
	return nil
}

// build reads the sources into the workspace's index and records both.
func (a *app) build(ctx context.Context, w *workspace.Workspace, recorded []corpus.Source) (indexedJSON, error) {
	sources := slices.Clone(recorded)
	for i := range sources {
		sources[i].Path = w.Resolve(sources[i].Path)
	}
	chunking := docs.Chunking{Size: w.Config.Chunking.Size, Overlap: w.Config.Chunking.Overlap}
	known, err := a.adoptedCorpus(w)
	if err != nil {
		return indexedJSON{}, err
	}
	reading, indexing := a.progress("reading"), a.progress("indexing")
	defer reading.done()
	defer indexing.done()
	var summary docs.Summary
	result, err := index.Build(ctx, w.Path("corpus"), index.BuildOptions{
		CorpusID: known, Language: w.Config.Corpus.Language, Chunking: chunking.String(), Sources: recorded,
		Progress: func(p index.Progress) {
			if p.Stage != "read" {
				reading.done()
				indexing.count(int64(p.Done), int64(p.Total))
			}
		},
	}, func(ctx context.Context, sink index.Sink) error {
		summary, err = docs.Read(ctx, sources, docs.Options{Chunking: chunking, Progress: reading.at}, sink)
		if err != nil {
			return err
		}
		for _, x := range summary.Sources {
			if x.Chunks == 0 && x.Rejected > 0 && len(summary.Sources) > 1 {
				return withHint(fmt.Errorf("%s holds no chunk: %d of %d rows were refused", x.Source.Path, x.Rejected, x.Rejected),
					"index it by itself to see why; where assay.toml names it, take its [[source]] out")
			}
		}
		if summary.Chunks == 0 {
			return nothingRead(summary)
		}
		return nil
	})
	if err != nil {
		return indexedJSON{}, err
	}
	if err := w.SetSources(recorded); err != nil {
		return indexedJSON{}, err
	}
	out := describeIndexed(summary, result)
	return out, a.recordCorpus(ctx, w, result, &out)
}

// adoptedCorpus is the corpus id that an imported gold set brought, so that its labels fit the index to come.
func (a *app) adoptedCorpus(w *workspace.Workspace) (string, error) {
	db, err := store.OpenCopy(w.Path("labels.db"), a.storeOptions())
	if errors.Is(err, store.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer db.Close()
	info, _, err := db.CurrentCorpus()
	return info.ID, err
}

// recordCorpus tells labels.db which corpus is at hand, and counts the labels that a change touches. Another process
// that is labeling keeps the file: it learns of the new corpus when the next command writes.
func (a *app) recordCorpus(ctx context.Context, w *workspace.Workspace, result index.Result, out *indexedJSON) error {
	ix, err := index.Open(w.Path("corpus"))
	if err != nil {
		return err
	}
	defer ix.Close()
	out.Scorer = ix.Scorer()
	db, err := a.openStore(ctx, w)
	var locked *store.LockedError
	if errors.As(err, &locked) {
		a.say("note: %s: the new corpus is recorded there at the next write; an open label screen keeps showing the old index", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	if err := knowCorpus(ctx, db, result.Info); err != nil {
		return err
	}
	if out.Adopted, err = desk.Adopt(ctx, db, ix, a.newBatch("adopt")); err != nil {
		return err
	}
	drift, err := desk.DriftOf(ctx, db, ix)
	if err != nil {
		return err
	}
	out.Touched["changed"], out.Touched["gone"] = drift.Stale, drift.Gone
	return nil
}

// nothingRead explains a corpus without a chunk by the first thing that went wrong.
func nothingRead(s docs.Summary) error {
	err := errors.New("no chunk was read")
	switch {
	case len(s.Rejects) > 0:
		return withHint(fmt.Errorf("%w: %s", err, s.Rejects[0]), s.Rejects[0].Hint)
	case len(s.Skipped) > 0:
		return withHint(fmt.Errorf("%w: %s: %s", err, s.Skipped[0].Path, s.Skipped[0].Reason), s.Skipped[0].Hint)
	}
	return err
}

func describeIndexed(s docs.Summary, r index.Result) indexedJSON {
	out := indexedJSON{
		Corpus: r.Info, Documents: s.Documents, Added: r.Added, Changed: r.Changed, Moved: r.Moved, Gone: r.Gone, Unchanged: r.Unchanged,
		Rebuilt: r.Rebuilt, Repaired: r.Repaired, Rejected: s.Rejected, Repeated: s.Repeated, EmptyRows: s.EmptyRows, Empty: append([]string{}, s.Empty...),
		Skipped: []skippedJSON{}, Rejects: []rejectJSON{}, Alike: [][2]string{}, Notes: []string{}, Touched: map[string]int{},
	}
	for _, x := range s.Skipped {
		out.Skipped = append(out.Skipped, skippedJSON{x.Path, x.Reason, x.Hint})
	}
	for _, x := range s.Rejects {
		out.Rejects = append(out.Rejects, rejectJSON{x.File, x.Line, x.Reason, x.Hint})
	}
	for _, x := range s.Repeats {
		out.Notes = append(out.Notes, fmt.Sprintf("%s repeats %s: dropped", x.Again, x.First))
	}
	for _, x := range s.Notes {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", x.Place, x.Text))
	}
	for _, x := range s.Alike {
		out.Alike = append(out.Alike, [2]string{x.First, x.Second})
	}
	for _, x := range s.Sources {
		out.Accepted += x.Accepted
		out.Sources = append(out.Sources, sourceCountJSON{
			x.Source.Path, string(x.Kind), x.Format, x.Encoding, x.Documents, x.Chunks, x.Skipped, x.Accepted, x.Repeated, x.Rejected, x.Blank,
		})
	}
	return out
}

func (a *app) printIndexed(out indexedJSON) {
	const most = 20
	for i, r := range out.Rejects {
		if i == most {
			a.say("… and %s more (--json lists them)", count(out.Rejected-most, "refused row"))
			break
		}
		a.say("%s:%d: %s", r.File, r.Line, r.Reason)
		if r.Hint != "" && (i == 0 || out.Rejects[i-1].Hint != r.Hint) {
			a.say("hint: %s", r.Hint)
		}
	}
	for i, n := range out.Notes {
		if i == most {
			a.say("… and %s more (--json lists them)", count(len(out.Notes)-most, "note"))
			break
		}
		a.say("note: %s", n)
	}
	for i, s := range out.Skipped {
		a.say("skipped %s: %s", s.Path, s.Reason)
		if s.Hint != "" && (i+1 == len(out.Skipped) || out.Skipped[i+1].Hint != s.Hint) {
			a.say("hint: %s", s.Hint)
		}
	}
	for i, p := range out.Alike {
		if i == most {
			a.say("… and %s more (--json lists them)", count(len(out.Alike)-most, "look-alike"))
			break
		}
		a.say("warning: the ids %q and %q differ only by normalisation or case", p[0], p[1])
	}
	for _, s := range out.Sources {
		if s.Kind == string(docs.KindRows) {
			a.say("%s: %s; %d accepted + %d repeated + %d rejected = %d (and %d blank)", s.Path, s.Format, s.Accepted, s.Repeated, s.Rejected,
				s.Accepted+s.Repeated+s.Rejected, s.Blank)
			continue
		}
		a.say("%s: %s, %s, %d skipped", s.Path, count(s.Documents, "document"), count(s.Chunks, "chunk"), s.Skipped)
	}
	empty := ""
	if n := out.EmptyRows; n > 0 {
		shown := out.Empty[:min(len(out.Empty), 5)]
		empty = fmt.Sprintf(" (%d of them empty, kept: %s", n, shown[0])
		for _, id := range shown[1:] {
			empty += ", " + text80(id)
		}
		if n > len(shown) {
			empty += ", …"
		}
		empty += ")"
	}
	if out.Repaired != "" {
		a.say("note: the index was built anew: %s", out.Repaired)
	}
	moved := ""
	if out.Moved > 0 {
		moved = fmt.Sprintf(", %d moved", out.Moved)
	}
	a.line("%s%s: %d added, %d changed%s, %d gone, %d unchanged", count(out.Corpus.Chunks, "chunk"), empty, out.Added, out.Changed, moved, out.Gone, out.Unchanged)
	if n := out.Adopted; n > 0 {
		a.line("labels: %d that came before the corpus belong to it now", n)
	}
	if n := out.Touched["changed"]; n > 0 {
		a.line("labels: %d made on a text that is different now: kept, and shown as such", n)
	}
	if n := out.Touched["gone"]; n > 0 {
		a.line("labels: %d on chunks that are gone: kept, and shown as such", n)
	}
	a.say("corpus %s · %.12s · %s", out.Corpus.ID, out.Corpus.Fingerprint, out.Scorer)
}
