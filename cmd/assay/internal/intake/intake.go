package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/querylog"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/mine"
	"assay/corpus/querylog/propose"
	"assay/corpus/querylog/redact"
	"assay/corpus/querylog/sample"
	"assay/store"
)

// WholeLog is the most different queries that an import brings into labels.db without being asked for a sample.
const WholeLog = 20_000

// Place is the workspace that logs come into.
type Place struct {
	DB    *store.DB
	Index *index.Index // nil where nothing is indexed
	Logs  string       // the workspace's logs folder
	Now   func() time.Time
	Batch func() string // a name for an import
}

// Options say what to read and what to do with it.
type Options struct {
	Files     []string // none: only draws from what is in the frame
	Read      querylog.Options
	DryRun    bool
	Clean     clean.Options
	NoClean   bool
	NoRedact  bool
	Keep      []redact.Kind
	NoGroup   bool
	Gap       time.Duration
	All       bool // takes all queries, however many
	Draw      *sample.Design
	Seed      *uint64                // nil: the workspace's
	Rejects   io.Writer              // may be nil
	Annotator func() (string, error) // asked where a log tags queries: whose word that is
	Progress  func(stage string, done, total int64)
}

// Run imports. What it returns beside an error says how far it came.
func Run(ctx context.Context, p Place, opt Options) (Report, error) {
	r := &run{Place: p, opt: opt, out: Report{DryRun: opt.DryRun, Report: mine.Report{Cleaned: map[clean.Rule]int{}}}}
	if opt.Progress == nil {
		r.opt.Progress = func(string, int64, int64) {}
	}
	defer r.drop()
	err := r.run(ctx)
	r.out.settle()
	return r.out, err
}

type run struct {
	Place
	opt  Options
	out  Report
	temp string // of a dry run: where the frame that would be is
	plan *planner
}

func (r *run) drop() {
	if r.temp != "" {
		os.RemoveAll(r.temp)
	}
}

func (r *run) run(ctx context.Context) (err error) {
	if r.plan, err = newPlanner(r.DB); err != nil {
		return err
	}
	path := filepath.Join(r.Logs, frame.Name)
	whole := r.whole()
	if len(r.opt.Files) > 0 {
		if path, err = r.mine(ctx, path, whole); err != nil {
			return err
		}
	}
	f, err := frame.Open(path)
	if errors.Is(err, frame.ErrNone) {
		return fmt.Errorf("there is nothing to draw from: %w", err)
	}
	if err != nil {
		return err
	}
	if err := r.choose(ctx, f, whole); err != nil {
		return err
	}
	if err := guessGaps(ctx, r.Index, r.plan.incoming, func(done, total int) { r.opt.Progress("looking words up", int64(done), int64(total)) }); err != nil {
		return err
	}
	return r.write(ctx)
}

// whole reports whether the files are queries that people wrote or made to be labeled, rather than a log to mine: they
// all come in, and the frame has nothing to do with them.
func (r *run) whole() bool {
	return r.opt.Read.Kind == corpus.Written || r.opt.Read.Kind == corpus.Synthetic
}

// mine brings the files into the frame, or makes one of their own where they have nothing to do with it, and says where
// the frame is.
func (r *run) mine(ctx context.Context, path string, whole bool) (string, error) {
	forgotten, err := r.DB.Forgotten()
	if err != nil {
		return "", err
	}
	opt := mine.Options{
		Old: path, New: path, Scratch: r.Logs, Clean: r.opt.Clean, NoClean: r.opt.NoClean || whole, NoRedact: r.opt.NoRedact, Keep: r.opt.Keep,
		NoGroup: r.opt.NoGroup || whole, Gap: r.opt.Gap, Rejects: r.opt.Rejects, Now: r.Now(), Progress: r.opt.Progress,
		Standing: func(id string) bool { _, ok := r.plan.there[id]; return ok },
	}
	if len(forgotten) > 0 {
		opt.Forgotten = forgotten.Has
	}
	if r.opt.DryRun || whole {
		if r.temp, err = os.MkdirTemp("", "assay-import-*"); err != nil {
			return "", err
		}
		opt.Scratch, opt.New = r.temp, filepath.Join(r.temp, frame.Name)
		if whole {
			opt.Old = ""
		}
	} else {
		if err := os.MkdirAll(r.Logs, 0o755); err != nil {
			return "", err
		}
		// labels.db is ours alone, so that no other import is under way: what there is was left by one that was killed.
		for _, pattern := range []string{mine.ScratchPattern, "." + frame.Name + ".*"} {
			left, _ := filepath.Glob(filepath.Join(r.Logs, pattern))
			for _, path := range left {
				os.RemoveAll(path)
			}
		}
	}
	var sources []mine.Source
	for _, file := range r.opt.Files {
		read := r.opt.Read
		if read.Source == "" {
			read.Source = r.nameOf(file)
			if file == "-" {
				read.Source = "standard input"
			}
		}
		sources = append(sources, mine.Source{Name: read.Source, Open: func(digest io.Writer, wholeRejects bool) (*querylog.Log, error) {
			read.Digest, read.WholeRejects, read.LeaveIDs = digest, wholeRejects, true
			return querylog.Open(file, read)
		}})
	}
	r.out.Report, err = mine.Run(ctx, sources, opt)
	return opt.New, err
}

// nameOf is what a log is called as a source: its base name, with its folder's where another of this import has the same.
func (r *run) nameOf(file string) string {
	base := filepath.Base(file)
	for _, other := range r.opt.Files {
		if other != file && filepath.Base(other) == base {
			return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(file)), base))
		}
	}
	return base
}

// groups walks through those queries of the frame that stand for themselves or others, as labels.db would have them.
func (r *run) groups(f *frame.Frame) iter.Seq2[asked, error] {
	fresh := make([]bool, len(f.Header().Sources))
	for i, s := range f.Header().Sources {
		fresh[i] = slices.ContainsFunc(r.out.Files, func(m mine.File) bool { return m.Source == s.Name })
	}
	return func(yield func(asked, error) bool) {
		for e, err := range f.Groups() {
			if err != nil {
				yield(asked{}, err)
				return
			}
			a := asked{query: e.Query, tags: e.Tags}
			a.query.Count = e.Whole()
			for _, s := range e.Asked {
				a.here = a.here || s.Source < len(fresh) && fresh[s.Source]
			}
			if !yield(a, nil) {
				return
			}
		}
	}
}

// choose compares the frame with labels.db: what is known is brought up to date, and of the rest all is taken, or a
// sample. Queries that a log calls written or synthetic are always taken: they were made to be labeled.
func (r *run) choose(ctx context.Context, f *frame.Frame, whole bool) error {
	all := r.opt.Draw == nil
	if all && !r.opt.All && !whole {
		n := 0
		for a, err := range r.groups(f) {
			if err != nil {
				return err
			}
			if _, known := r.plan.there[a.query.ID]; a.here && !known && mined(a.query) {
				n++
			}
		}
		if all = n <= WholeLog; !all {
			r.out.LeftInFrame = n
		}
	}
	if len(r.plan.joined) > 0 { // what they count for now counts for those that they were joined to
		for a, err := range r.groups(f) {
			if err != nil {
				return err
			}
			r.plan.recountJoined(a.query)
		}
	}
	n := 0
	for a, err := range r.groups(f) {
		if err != nil {
			return err
		}
		if n++; n%1024 == 0 {
			r.opt.Progress("comparing", int64(n), int64(f.Header().Queries))
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if _, known := r.plan.there[a.query.ID]; known {
			r.plan.known(a, all)
		} else if a.here && (all || !mined(a.query)) {
			if r.plan.sampled && mined(a.query) { // with certainty, beside others that were drawn
				one, weight := 1.0, float64(a.query.Count)
				a.query.Inclusion, a.query.Weight = &one, &weight
			}
			r.take(a)
		}
	}
	if r.opt.Draw != nil {
		return r.draw(f)
	}
	return nil
}

func mined(q corpus.Query) bool { return q.Kind == "" || q.Kind == corpus.Mined }

// take adds a query with what is guessed of it.
func (r *run) take(a asked) {
	language := a.query.Language
	if language == "" {
		language = propose.Language(a.query.Text)
	}
	a.query.Proposed = propose.Tags(propose.Query{
		Text: a.query.Text, Language: orElse(language, propose.Undetermined), FollowUp: slices.Contains(a.query.Proposed, corpus.TagFollowUp),
	})
	a.query.Proposed = slices.DeleteFunc(a.query.Proposed, func(t string) bool { return slices.Contains(a.tags, t) })
	if len(a.query.Proposed) == 0 {
		a.query.Proposed = nil
	}
	r.plan.take(a)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// draw takes a sample from the whole frame, beside what was drawn before.
func (r *run) draw(f *frame.Frame) error {
	d := *r.opt.Draw
	seed, first, err := seedOf(r.Logs, r.opt.Seed)
	if err != nil {
		return err
	}
	d.Seed = seed
	guess := d.Strata == sample.Tag || d.Strata == sample.Language
	units := func(yield func(sample.Unit, error) bool) {
		for a, err := range r.groups(f) {
			if err != nil {
				yield(sample.Unit{}, err)
				return
			}
			q := a.query
			if !mined(q) {
				continue
			}
			u := sample.Unit{ID: q.ID, Count: q.Count, Language: q.Language, Tags: a.tags, FirstSeen: q.FirstSeen}
			if known, ok := r.plan.there[q.ID]; ok {
				u.Inclusion = 1 // brought in whole, or written: not by chance
				if known.Inclusion != nil {
					u.Inclusion = *known.Inclusion
				}
			}
			if guess {
				if u.Language == "" {
					u.Language = propose.Language(q.Text)
				}
				u.Tags = append(slices.Clone(u.Tags), propose.Tags(propose.Query{
					Text: q.Text, Language: orElse(u.Language, propose.Undetermined), FollowUp: slices.Contains(q.Proposed, corpus.TagFollowUp),
				})...)
			}
			if !yield(u, nil) {
				return
			}
		}
	}
	out, err := sample.Draw(units, d)
	if err != nil {
		return err
	}
	s := &Sampled{By: string(d.By), Strata: string(orElse(string(d.Strata), string(sample.Frequency))), Seed: seed, Table: out.Strata, Covered: out.Covered}
	r.out.Sampled = s
	picks := map[string]int{}
	for i, p := range out.Picks {
		if p.New {
			s.Drawn++
			picks[p.ID] = i
		} else {
			r.plan.redrawn(p)
		}
	}
	chosen := make([]asked, len(out.Picks))
	for a, err := range r.groups(f) {
		if err != nil {
			return err
		}
		if i, ok := picks[a.query.ID]; ok {
			drawn(&a.query, out.Picks[i])
			chosen[i] = a
		}
	}
	for i, p := range out.Picks {
		if p.New && chosen[i].query.ID != "" {
			r.take(chosen[i])
		}
	}
	r.plan.certain()
	if first && !r.opt.DryRun {
		return keepSeed(r.Logs, seed)
	}
	return nil
}

// write writes the plan, or only says what it would do.
func (r *run) write(ctx context.Context) error {
	p := r.plan
	r.out.Added, r.out.Same, r.out.Updated = len(p.incoming), p.same, p.updated
	for _, c := range p.changed {
		labels, err := r.DB.Labels(c.New.ID)
		if err != nil {
			return err
		}
		r.out.Changed = append(r.out.Changed, Changed{c.New.ID, c.What, c.Old.Text, c.New.Text, len(labels)})
	}
	for _, q := range p.incoming {
		for _, t := range q.Proposed {
			if r.out.Proposed == nil {
				r.out.Proposed = map[string]int{}
			}
			r.out.Proposed[t]++
		}
	}
	if r.opt.DryRun {
		return nil
	}
	who := ""
	if r.opt.Annotator != nil && len(p.tags) > 0 {
		var err error
		if who, err = r.opt.Annotator(); err != nil {
			return err
		}
	}
	changes := slices.Clone(p.changes)
	for _, q := range p.incoming {
		changes = append(changes, store.PutQuery(q))
	}
	changes = append(changes, p.said(who)...)
	batch := r.Batch()
	if len(changes) > 0 {
		r.out.Batch = batch
		if err := r.put(ctx, store.Author{Annotator: who, Role: "import", Batch: batch}, changes); err != nil {
			return err
		}
	}
	return r.keepReport(batch)
}

// slice is how many changes share a transaction.
const slice = 5000

func (r *run) put(ctx context.Context, by store.Author, changes []store.Change) error {
	for from := 0; from < len(changes); from += slice {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+slice, len(changes))
		if _, err := r.DB.Write(ctx, by, changes[from:to]...); err != nil {
			return err
		}
		r.opt.Progress("importing", int64(to), int64(len(changes)))
	}
	return nil
}

// ParseList reads "a,b" into names that must be among those known.
func ParseList[T ~string](s string, known []T) ([]T, error) {
	var out []T
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(known, T(name)) {
			var names []string
			for _, k := range known {
				names = append(names, string(k))
			}
			return nil, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
		}
		out = append(out, T(name))
	}
	return out, nil
}
