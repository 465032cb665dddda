package main

import (
	"context"
	"errors"
	"fmt"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/index"
	"assay/export"
	"assay/store"

	"github.com/spf13/cobra"
)

type importedLabels struct {
	DryRun         bool            `json:"dry_run"`
	Batch          string          `json:"batch,omitempty"`
	Files          []importedFile  `json:"files"`
	New            int             `json:"new"`
	Same           int             `json:"same"`
	Conflicts      []labelConflict `json:"conflicts"` // graded otherwise already: kept as they were unless --replace
	Replaced       int             `json:"replaced"`
	Kept           int             `json:"kept_newer"`     // statements that are newer here than in the file
	Refused        int             `json:"refused_labels"` // labels of accepted rows that are off the scale
	Repeats        int             `json:"repeats"`
	QueriesDone    int             `json:"queries_done"`
	NewQueries     int             `json:"new_queries"`
	UnknownQueries []string        `json:"unknown_queries"`
	UnknownChunks  []string        `json:"unknown_chunks"`
	NearIDs        []nearPair      `json:"near_ids"`
	WidenedTo      string          `json:"widened_to,omitempty"`
	Warnings       []string        `json:"warnings"`
	Rejects        []rejectJSON    `json:"rejects"`
}

type labelConflict struct {
	QueryID   string       `json:"query_id"`
	ChunkID   string       `json:"chunk_id"`
	Annotator string       `json:"annotator"`
	Kept      corpus.Grade `json:"grade_here"`
	Given     corpus.Grade `json:"grade_given"`
}

// nearPair is an id of the file that differs from a known one only by normal form or case.
type nearPair struct {
	Given string `json:"given"`
	Known string `json:"known"`
}

func (a *app) importLabelsCommand() *cobra.Command {
	im := labelImport{app: a}
	c := &cobra.Command{
		Use:   "labels FILE…",
		Short: "Bring in labels: a gold set, BEIR or TREC qrels, or JSON Lines (- is stdin)",
		Long: `Bring in labels: a native gold set, BEIR qrels (TSV), TREC qrels, or JSON Lines, found out from the content.

Files that name no annotator need --annotator. The queries that a file labels count as done, unless --unfinished.
In a workspace without labels the scale is widened to hold every grade, and that is said; otherwise rows off the
scale are refused by line. Labels on chunks or queries that are not here are kept and reported. A grade that the
annotator gave otherwise is kept as it is, and listed, unless --replace.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return im.run(cmd.Context(), args) },
	}
	fl := c.Flags()
	fl.BoolVar(&im.dryRun, "dry-run", false, "say what would happen, write nothing")
	fl.BoolVar(&im.unfinished, "unfinished", false, "leave the queries open: not everything relevant is labeled")
	fl.BoolVar(&im.replace, "replace", false, "take the file's grade where the annotator gave another")
	fl.StringVar(&im.format, "format", "", "native, beir, trec or jsonl (else found out)")
	fl.StringVar(&im.encoding, "encoding", "", "the text's encoding, e.g. windows-1252 (else UTF-8 or UTF-16)")
	fl.BoolVar(&im.decodeIDs, "decode-ids", false, "undo what export --encode-ids did to ids")
	fl.BoolVar(&im.asJSON, "json", false, "as one JSON object")
	return c
}

// labelImport is one call of import labels.
type labelImport struct {
	*app
	dryRun, unfinished, replace, decodeIDs, asJSON bool
	format, encoding                               string

	w       *workspace.Workspace
	db      *store.DB
	ix      *index.Index // nil where nothing is indexed
	scale   corpus.Scale
	out     importedLabels
	in      agreement.Input // what to store
	lines   map[corpus.LabelKey]int
	file    map[corpus.LabelKey]string
	missing map[string]bool // chunk ids that the corpus does not hold
	as      string          // whose labels those are that name nobody
	pending map[corpus.LabelKey]corpus.Label
	changes []store.Change
}

func (im *labelImport) run(ctx context.Context, files []string) error {
	var err error
	if im.w, err = im.workspace(); err != nil {
		return err
	}
	im.ix, err = index.Open(im.w.Path("corpus"))
	if err != nil && !errors.Is(err, index.ErrNone) {
		return fmt.Errorf("import labels: %w", err)
	}
	if im.ix != nil {
		defer im.ix.Close()
	}
	open := im.openStore
	if im.dryRun {
		open = func(_ context.Context, w *workspace.Workspace) (*store.DB, error) { return im.readStore(w) }
	}
	if im.db, err = open(ctx, im.w); err != nil {
		return err
	}
	defer im.db.Close()
	im.scale = im.w.Scale()
	im.out = importedLabels{
		DryRun: im.dryRun, Files: []importedFile{}, Conflicts: []labelConflict{}, UnknownQueries: []string{},
		UnknownChunks: []string{}, NearIDs: []nearPair{}, Warnings: []string{}, Rejects: []rejectJSON{},
	}
	im.lines, im.file, im.missing = map[corpus.LabelKey]int{}, map[corpus.LabelKey]string{}, map[string]bool{}
	im.pending = map[corpus.LabelKey]corpus.Label{}
	for _, f := range files {
		if err := im.read(f); err != nil {
			return fmt.Errorf("import labels: %w", err)
		}
	}
	if err := im.fitScale(); err != nil {
		return fmt.Errorf("import labels: %w", err)
	}
	if err := im.plan(ctx); err != nil {
		return fmt.Errorf("import labels: %w", err)
	}
	if !im.dryRun {
		if err := im.write(ctx); err != nil {
			return fmt.Errorf("import labels: %w", err)
		}
	}
	if im.asJSON {
		if err := im.printJSON(im.out); err != nil {
			return err
		}
	} else {
		im.print()
	}
	return allRefused(im.out.Files)
}

var labelFormats = map[string]export.Format{
	"": "", "native": export.Native, "beir": export.BEIR, "trec": export.TREC, "jsonl": export.LabelLines,
}

// read takes one file in.
func (im *labelImport) read(file string) error {
	format, ok := labelFormats[im.format]
	if !ok {
		return usagef("format %q is not native, beir, trec or jsonl", text80(im.format))
	}
	labels, err := export.ReadLabels(file, export.ReadOptions{Format: format, DecodeIDs: im.decodeIDs, Encoding: im.encoding, Stdin: im.stdin})
	if err != nil {
		return err
	}
	im.out.Files = append(im.out.Files, importedFile{
		File: file, Format: string(labels.Format), Accepted: labels.Stats.Accepted, Rejected: labels.Stats.Rejected, Blank: labels.Stats.Blank,
	})
	im.out.Repeats += labels.Stats.Repeats
	im.out.Rejects = append(im.out.Rejects, exportRejects(labels.Stats)...)
	im.out.Warnings = append(im.out.Warnings, labels.Warnings...)
	if labels.Gold != nil {
		return im.readGold(file, *labels.Gold)
	}
	who := ""
	annotator := func(named string) (string, error) {
		if named != "" {
			return named, nil
		}
		if who == "" {
			if who, err = im.annotator(); err != nil {
				return "", withHint(fmt.Errorf("%s does not say whose labels they are: %w", file, err), "say --annotator NAME")
			}
			im.as = who
		}
		return who, nil
	}
	finished := map[[2]string]bool{}
	finish := func(query, name string) {
		if !im.unfinished && !finished[[2]string{query, name}] {
			finished[[2]string{query, name}] = true
			im.in.Works = append(im.in.Works, corpus.Work{QueryID: query, Annotator: name, State: corpus.Done})
		}
	}
	judged := map[string]bool{}
	for _, j := range labels.Judgments {
		name, err := annotator(j.Annotator)
		if err != nil {
			return err
		}
		l := corpus.Label{
			QueryID: j.QueryID, CorpusID: im.corpusID(), ChunkID: j.ChunkID, Annotator: name, Grade: j.Grade, Found: corpus.RouteImport,
			Anchor: corpus.Anchor{CorpusID: im.corpusID(), Evidence: []corpus.Evidence{}},
		}
		im.in.Labels = append(im.in.Labels, l)
		im.lines[l.Key()], im.file[l.Key()] = j.Line, file
		finish(j.QueryID, name)
		judged[j.QueryID] = true
	}
	for _, t := range labels.Tags {
		name, err := annotator("")
		if err != nil {
			return err
		}
		im.in.Said = append(im.in.Said, corpus.Said{QueryID: t.QueryID, What: corpus.SaidTag, Value: t.Tag, Annotator: name})
		finish(t.QueryID, name)
		judged[t.QueryID] = true
	}
	for _, q := range labels.Queries {
		if judged[q] {
			continue
		}
		name, err := annotator("")
		if err != nil {
			return err
		}
		finish(q, name)
	}
	return nil
}

// readGold takes a native gold set in: it says everything itself.
func (im *labelImport) readGold(file string, gold corpus.GoldSet) error {
	who, err := im.knownAnnotator()
	if err != nil {
		return err
	}
	in, err := agreement.Split(gold, who)
	if err != nil {
		return withHint(err, "values that name nobody become an annotator's: say --annotator NAME")
	}
	counts, err := im.db.Counts()
	if err != nil {
		return err
	}
	if counts.Labels == 0 && in.Scale.ID != im.scale.ID {
		if err := in.Scale.Check(); err != nil {
			return err
		}
		im.scale = in.Scale
		im.out.WidenedTo = describeScale(im.scale)
	}
	for i, l := range in.Labels {
		im.file[l.Key()] = file
		if l.ScaleID != im.scale.ID && im.scale.ID != in.Scale.ID {
			// Its own scale is not in force here: the grade counts by the one that is, or is refused below.
			in.Labels[i].ScaleID = im.scale.ID
		}
	}
	if in.Scale.ID != im.scale.ID && len(in.Labels) > 0 {
		im.out.Warnings = append(im.out.Warnings, fmt.Sprintf("%s was graded on another scale (%s): grades are taken over as numbers",
			file, describeScale(in.Scale)))
	}
	_, known, err := im.db.CurrentCorpus()
	if err != nil {
		return err
	}
	if im.ix == nil && !known && in.Corpus.ID != "" {
		im.in.Corpus = in.Corpus
	}
	if im.ix != nil && in.Corpus.Fingerprint != "" && in.Corpus.Fingerprint != im.ix.Info().Fingerprint {
		im.out.Warnings = append(im.out.Warnings, fmt.Sprintf(
			"the labels were made on a corpus of %s that differs from the one here: labels whose chunk says something else are shown as stale",
			count(in.Corpus.Chunks, "chunk")))
	}
	im.in.Queries = append(im.in.Queries, in.Queries...)
	im.in.Labels = append(im.in.Labels, in.Labels...)
	im.in.Works = append(im.in.Works, in.Works...)
	im.in.Said = append(im.in.Said, in.Said...)
	if im.in.Searches == nil {
		im.in.Searches = map[string][]corpus.SearchTried{}
	}
	for q, s := range in.Searches {
		im.in.Searches[q] = append(im.in.Searches[q], s...)
	}
	return nil
}

// corpusID is the corpus that chunk ids of a file without anchors are taken to belong to.
func (im *labelImport) corpusID() string {
	if im.ix != nil {
		return im.ix.Info().ID
	}
	info, _, _ := im.db.CurrentCorpus() // a fault of the file shows at the next write
	return info.ID
}

// fitScale widens the scale where there is no label yet, and refuses the rows that are off it elsewhere.
func (im *labelImport) fitScale() error {
	counts, err := im.db.Counts()
	if err != nil {
		return err
	}
	lo, hi := im.scale.Min, im.scale.Max
	for _, l := range im.in.Labels {
		if l.Grade >= 0 {
			lo, hi = min(lo, l.Grade), max(hi, l.Grade)
		}
	}
	if counts.Labels == 0 && (lo < im.scale.Min || hi > im.scale.Max) {
		wide := im.scale.Widened(lo, hi)
		if wide.Check() == nil {
			im.scale = wide
			im.out.WidenedTo = describeScale(wide)
		}
	}
	kept := im.in.Labels[:0]
	for _, l := range im.in.Labels {
		if im.scale.Holds(l.Grade) {
			kept = append(kept, l)
			continue
		}
		file := im.file[l.Key()]
		im.out.Rejects = append(im.out.Rejects, rejectJSON{
			File: file, Line: im.lines[l.Key()],
			Reason: fmt.Sprintf("grade %s of %q for %q is not on the scale %d to %d", l.Grade, l.ChunkID, l.QueryID, im.scale.Min, im.scale.Max),
		})
		if im.lines[l.Key()] == 0 { // a row of a gold set holds many labels: the row as such was taken
			im.out.Refused++
			continue
		}
		for i := range im.out.Files {
			if im.out.Files[i].File == file {
				im.out.Files[i].Accepted--
				im.out.Files[i].Rejected++
			}
		}
	}
	im.in.Labels = kept
	return nil
}
