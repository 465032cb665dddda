package main

import (
	"context"
	"errors"
	"fmt"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/index"
	"assay/corpus/text"
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
		Short: "Bring in labels: a gold set, BEIR or TREC qrels, or JSON Lines",
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
	fl.BoolVar(&im.decodeIDs, "decode-ids", false, "undo what export --encode-ids did to ids")
	fl.BoolVar(&im.asJSON, "json", false, "as one JSON object")
	return c
}

// labelImport is one call of import labels.
type labelImport struct {
	*app
	dryRun, unfinished, replace, decodeIDs, asJSON bool
	format                                         string

	w       *workspace.Workspace
	db      *store.DB
	ix      *index.Index // nil where nothing is indexed
	scale   corpus.Scale
	out     importedLabels
	in      agreement.Input // what to store
	lines   map[corpus.LabelKey]int
	file    map[corpus.LabelKey]string
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
	if im.db, err = im.openStore(ctx, im.w); err != nil {
		return err
	}
	defer im.db.Close()
	im.scale = im.w.Scale()
	im.out = importedLabels{
		DryRun: im.dryRun, Files: []importedFile{}, Conflicts: []labelConflict{}, UnknownQueries: []string{},
		UnknownChunks: []string{}, NearIDs: []nearPair{}, Warnings: []string{}, Rejects: []rejectJSON{},
	}
	im.lines, im.file = map[corpus.LabelKey]int{}, map[corpus.LabelKey]string{}
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
	labels, err := export.ReadLabels(file, export.ReadOptions{Format: format, DecodeIDs: im.decodeIDs})
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
		return im.readGold(*labels.Gold)
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
func (im *labelImport) readGold(gold corpus.GoldSet) error {
	in, err := agreement.Split(gold)
	if err != nil {
		return err
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
	_, known, err := im.db.CurrentCorpus()
	if err != nil {
		return err
	}
	if im.ix == nil && !known && in.Corpus.ID != "" {
		im.in.Corpus = in.Corpus
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

// plan compares what the files say with what is there, and collects the changes.
func (im *labelImport) plan(ctx context.Context) error {
	known, err := im.db.Queries()
	if err != nil {
		return err
	}
	queries := make(map[string]corpus.Query, len(known))
	order := 0
	for _, q := range known {
		queries[q.ID] = q
		order = max(order, q.Order)
	}
	for _, q := range im.in.Queries {
		if _, ok := queries[q.ID]; ok {
			continue
		}
		order++
		q.Order = order
		queries[q.ID] = q
		im.out.NewQueries++
		im.changes = append(im.changes, store.PutQuery(q))
	}
	unknown := map[string]bool{}
	noteQuery := func(id string) {
		if _, ok := queries[id]; !ok && !unknown[id] {
			unknown[id] = true
			im.out.UnknownQueries = append(im.out.UnknownQueries, id)
		}
	}
	near, err := im.foldedChunkIDs()
	if err != nil {
		return err
	}
	for _, l := range im.in.Labels {
		noteQuery(l.QueryID)
		if err := im.planLabel(ctx, l, queries, near); err != nil {
			return err
		}
	}
	for _, w := range im.in.Works {
		noteQuery(w.QueryID)
		old, ok, err := im.db.Work(w.Annotator, w.QueryID)
		if err != nil {
			return err
		}
		if ok && (old.State == w.State || w.At.IsZero() && old.State == corpus.Done) {
			continue
		}
		if w.State == corpus.Done {
			im.out.QueriesDone++
		}
		im.changes = append(im.changes, store.PutWork(w))
	}
	for _, s := range im.in.Said {
		noteQuery(s.QueryID)
		im.changes = append(im.changes, store.PutSaid(s))
	}
	return im.planSearches()
}

// planLabel adds one label, unless it is there already.
func (im *labelImport) planLabel(ctx context.Context, l corpus.Label, queries map[string]corpus.Query, near map[string]string) error {
	chunkText := ""
	if im.ix != nil {
		c, err := im.ix.Chunk(ctx, l.ChunkID)
		switch {
		case errors.Is(err, index.ErrNoChunk):
			im.out.UnknownChunks = append(im.out.UnknownChunks, l.ChunkID)
			if other, ok := nearID(l.ChunkID, near); ok {
				im.out.NearIDs = append(im.out.NearIDs, nearPair{l.ChunkID, other})
			}
		case err != nil:
			return err
		default:
			if l.Anchor.ChunkSHA256 == "" {
				l.Anchor = corpus.AnchorOf(im.ix.Info().ID, c)
			}
			// The same chunk, whatever the workspace that graded it called its corpus.
			l.CorpusID = im.ix.Info().ID
			if l.Anchor.ChunkSHA256 == c.Hash() {
				chunkText = c.Text
			}
		}
	}
	if l.ScaleID == "" {
		l.ScaleID = im.scale.ID
	}
	if q, ok := queries[l.QueryID]; ok && l.QuerySHA256 == "" {
		l.QuerySHA256 = corpus.HashText(q.Text)
	}
	old, ok, err := im.db.Label(l.Key())
	if err != nil {
		return err
	}
	switch {
	case ok && old.Grade == l.Grade:
		im.out.Same++
		return nil
	case ok && !im.replace:
		im.out.Conflicts = append(im.out.Conflicts, labelConflict{l.QueryID, l.ChunkID, l.Annotator, old.Grade, l.Grade})
		return nil
	case ok:
		im.out.Replaced++
	default:
		im.out.New++
	}
	im.changes = append(im.changes, store.PutLabel(l, corpus.Found{Route: l.Found}, chunkText))
	return nil
}

// planSearches adds the searches that are not there yet.
func (im *labelImport) planSearches() error {
	for q, searches := range im.in.Searches {
		there, err := im.db.Searches(q)
		if err != nil {
			return err
		}
		has := map[corpus.SearchTried]bool{}
		for _, s := range there {
			s.CorpusID, s.At = "", s.At.UTC()
			has[s] = true
		}
		for _, s := range searches {
			s.QueryID = q
			key := s
			key.CorpusID, key.At = "", key.At.UTC()
			if !has[key] {
				im.changes = append(im.changes, store.AddSearch(s))
			}
		}
	}
	return nil
}

// foldedChunkIDs maps the corpus's ids without differences of case and normal form to the ids. Only built where a file
// names a chunk that is not there.
func (im *labelImport) foldedChunkIDs() (map[string]string, error) {
	if im.ix == nil {
		return nil, nil
	}
	needed := false
	for _, l := range im.in.Labels {
		needed = needed || !im.ix.Has(l.ChunkID)
	}
	if !needed {
		return nil, nil
	}
	folded := map[string]string{}
	err := im.ix.EachID(func(id string, _ [32]byte) bool {
		folded[text.Folded(id)] = id
		return true
	})
	return folded, err
}

func (im *labelImport) write(ctx context.Context) error {
	if im.scale.ID != im.w.Scale().ID {
		if err := im.w.SetScale(im.scale); err != nil {
			return err
		}
	}
	inForce, _, err := im.db.Scale()
	if err != nil {
		return err
	}
	if inForce.ID != im.scale.ID {
		if _, err := im.db.Write(ctx, store.Author{Role: "setup"}, store.SetScale(im.scale)); err != nil {
			return err
		}
	}
	info := im.in.Corpus
	if im.ix != nil {
		info = im.ix.Info()
	}
	if info.ID != "" {
		if err := knowCorpus(ctx, im.db, info); err != nil {
			return err
		}
	}
	if len(im.changes) == 0 {
		return nil
	}
	im.out.Batch = im.newBatch("labels")
	p := im.progress("importing")
	defer p.done()
	_, err = writeAll(ctx, im.db, store.Author{Role: "import", Batch: im.out.Batch}, im.changes,
		func(n int) { p.count(int64(n), int64(len(im.changes))) })
	return err
}

func (im *labelImport) print() {
	im.printRejects(im.out.Rejects, im.out.Files)
	for _, w := range im.out.Warnings {
		im.say("warning: %s", w)
	}
	for _, f := range im.out.Files {
		im.say("%s: %s; %s", f.File, f.Format, rowCounts(f))
	}
	would := ""
	if im.dryRun {
		would = "would be "
	}
	if im.out.WidenedTo != "" {
		im.line("the scale was widened: %s", im.out.WidenedTo)
	}
	im.line("%s: %d %snew, %d there already, %d replaced; %s done",
		count(im.out.New+im.out.Same+im.out.Replaced+len(im.out.Conflicts), "label"), im.out.New, would, im.out.Same, im.out.Replaced, count(im.out.QueriesDone, "query"))
	if im.out.NewQueries > 0 {
		im.line("%s came with them", count(im.out.NewQueries, "query"))
	}
	for i, c := range im.out.Conflicts {
		if i == 10 {
			im.say("… and %s more", count(len(im.out.Conflicts)-10, "conflict"))
			break
		}
		im.say("conflict: %s graded %s for %s as %s already; the file says %s", c.Annotator, c.ChunkID, c.QueryID, c.Kept, c.Given)
	}
	if len(im.out.Conflicts) > 0 {
		im.say("%s: kept as they were; --replace takes the file's", count(len(im.out.Conflicts), "conflict"))
	}
	im.sayUnknown("query", im.out.UnknownQueries)
	im.sayUnknown("chunk", im.out.UnknownChunks)
	for _, n := range im.out.NearIDs {
		im.say("warning: %q differs from the corpus's %q only by normalisation or case", n.Given, n.Known)
	}
	if im.out.Batch != "" {
		im.say("batch %s; take it back with: assay log undo %s", im.out.Batch, im.out.Batch)
	}
}

func (im *labelImport) sayUnknown(what string, ids []string) {
	if len(ids) == 0 {
		return
	}
	shown := ids
	more := ""
	if len(shown) > 5 {
		shown, more = shown[:5], ", …"
	}
	list := ""
	for i, id := range shown {
		if i > 0 {
			list += ", "
		}
		list += text80(id)
	}
	im.say("warning: labels on %s that %s not here: kept (%s%s)", count(len(ids), what), areIs(len(ids)), list, more)
}

func areIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
