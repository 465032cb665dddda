package desk

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"

	"assay/corpus"
	"assay/corpus/index"
	"assay/store"
	"assay/tui/port"
)

// Options are what a desk stands on.
type Options struct {
	DB             *store.DB
	Index          *index.Index // nil where nothing is indexed
	Annotator      string
	Scale          corpus.Scale
	Name           string // the workspace's
	Guidelines     string
	GuidelinesHash corpus.Hash
	AutoAdvance    bool
	Mouse          bool
	Hint           []string
	Now            func() time.Time
}

// Desk implements port.Desk.
type Desk struct {
	opt      Options
	corpusID string

	mu    sync.Mutex // one write at a time; guards what follows
	done  []action
	taken []action // undone, newest last
}

var _ port.Desk = (*Desk)(nil)

// action is one key's worth of change: what undo takes back at once.
type action struct {
	saved  port.Saved
	events []corpus.EventID
}

// New makes a desk.
func New(opt Options) (*Desk, error) {
	d := &Desk{opt: opt}
	id, err := corpusID(opt.DB, opt.Index)
	d.corpusID = id
	return d, err
}

// corpusID is the corpus that new labels belong to: the index's, else the one that labels.db knows.
func corpusID(db *store.DB, ix *index.Index) (string, error) {
	if ix != nil {
		return ix.Info().ID, nil
	}
	info, _, err := db.CurrentCorpus()
	return info.ID, err
}

// Workspace implements port.Desk.
func (d *Desk) Workspace() port.Workspace {
	w := port.Workspace{
		Name: d.opt.Name, Annotator: d.opt.Annotator, Scale: d.opt.Scale, CorpusID: d.corpusID,
		Guidelines: d.opt.Guidelines, AutoAdvance: d.opt.AutoAdvance, Mouse: d.opt.Mouse, Hint: d.opt.Hint,
	}
	if d.opt.Index != nil {
		w.Chunks = d.opt.Index.Info().Chunks
	}
	return w
}

// Queue implements port.Desk.
func (d *Desk) Queue(ctx context.Context) ([]port.QueueRow, error) {
	queries, err := d.opt.DB.Queries()
	if err != nil {
		return nil, err
	}
	rows := make([]port.QueueRow, len(queries))
	at := make(map[string]*port.QueueRow, len(queries))
	for i, q := range queries {
		rows[i] = port.QueueRow{Query: q, State: corpus.Open}
		at[q.ID] = &rows[i]
	}
	err = d.opt.DB.EachWork(ctx, func(w corpus.Work) error {
		r := at[w.QueryID]
		if r == nil {
			return nil
		}
		r.AnyDone = r.AnyDone || w.State == corpus.Done
		if w.Annotator == d.opt.Annotator {
			r.State = w.State
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = d.opt.DB.EachGrade(ctx, func(k corpus.LabelKey, g corpus.Grade) error {
		if r := at[k.QueryID]; r != nil && k.Annotator == d.opt.Annotator && k.CorpusID == d.corpusID {
			r.Judged++
			if d.opt.Scale.Relevant(g) {
				r.Relevant++
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = d.opt.DB.EachSaid(ctx, func(s corpus.Said) error {
		if r := at[s.QueryID]; r != nil && s.What == corpus.SaidTag && s.Annotator == d.opt.Annotator {
			r.Tags = append(r.Tags, s.Value)
		}
		return nil
	})
	for i := range rows {
		sort.Strings(rows[i].Tags)
	}
	return rows, err
}

// Sheet implements port.Desk.
func (d *Desk) Sheet(ctx context.Context, queryID string) (port.Sheet, error) {
	db := d.opt.DB
	s := port.Sheet{Labels: map[string]corpus.Label{}, Stale: map[string]bool{}, State: corpus.Open}
	q, ok, err := db.Query(queryID)
	if err != nil {
		return s, err
	}
	if !ok {
		return s, errors.New("the query is not there any more")
	}
	s.Query = q
	w, ok, err := db.Work(d.opt.Annotator, queryID)
	if err != nil {
		return s, err
	}
	if ok {
		s.State = w.State
	}
	labels, err := db.Labels(queryID)
	if err != nil {
		return s, err
	}
	for _, l := range labels {
		if l.Annotator != d.opt.Annotator || l.CorpusID != d.corpusID {
			continue
		}
		s.Labels[l.ChunkID] = l
		stale, err := d.stale(ctx, q, l)
		if err != nil {
			return s, err
		}
		if stale {
			s.Stale[l.ChunkID] = true
		}
	}
	said, err := db.Said(queryID)
	if err != nil {
		return s, err
	}
	for _, x := range said {
		if x.Annotator == d.opt.Annotator {
			s.Said = append(s.Said, x)
		}
	}
	searches, err := db.Searches(queryID)
	if err != nil {
		return s, err
	}
	for _, x := range searches {
		if x.Annotator == d.opt.Annotator {
			s.Searches = append(s.Searches, x)
		}
	}
	return s, nil
}

// stale reports whether a label was made on something that is different now: the chunk's text, or the query's.
func (d *Desk) stale(ctx context.Context, q corpus.Query, l corpus.Label) (bool, error) {
	if l.QuerySHA256 != "" && l.QuerySHA256 != corpus.HashText(q.Text) {
		return true, nil
	}
	fit, err := chunkFits(ctx, d.opt.Index, l)
	return fit != fits, err
}
