package mine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"assay/corpus/querylog"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/redact"
	"assay/corpus/text"
)

// countWorkers is how many files are added up at once.
const countWorkers = 2

const (
	// countedSize is how much of a file is added up at once: in memory it takes some six times the room.
	countedSize = 6 << 20
	// orderedSize is how much of it is put in order for that. What has one id stays together and may be larger; of that, rows
	// of conversations count as later than others where it matters which one says something first.
	orderedSize = 2 * countedSize
)

// count brings together what asks the same, file by file, and merges the files into one in order of first appearance.
func (m *miner) count(ctx context.Context) (*items, error) {
	s := m.byQuery
	defer s.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	made := make([]*run, len(s.files)) // in order, whoever was first
	out := make([]refused, len(s.files))
	defer func() {
		for n := range made {
			made[n].close()
			out[n].close()
		}
	}()
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range countWorkers {
		workers.Go(func() {
			t := newTally(m)
			for n := int(next.Add(1)) - 1; n < len(s.files) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				var err error
				if made[n], err = t.addUp(ctx, n, &out[n]); err != nil {
					stop(err)
					return
				}
				m.mu.Lock()
				m.opt.Progress("counting", done.Add(1), int64(len(s.files)))
				m.mu.Unlock()
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := m.settleRefused(out); err != nil {
		return nil, err
	}
	for i := range m.report.Files {
		f := &m.report.Files[i]
		m.report.Accepted += f.Accepted
		m.report.Rejected += f.Rejected
	}
	m.report.Read = m.report.Accepted + m.report.Rejected
	return m.gatherItems(ctx, made)
}

// addUp adds up one file, piece by piece where it is large.
func (t *tally) addUp(ctx context.Context, n int, out *refused) (*run, error) {
	size := int64(cmp.Or(t.opt.piece, countedSize))
	further, err := t.byQuery.split(n, size)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("run-%d", n)
	if further == nil {
		return t.file(t.byQuery, n, name, out)
	}
	defer further.close()
	made := make([]*run, len(further.files))
	defer func() {
		for _, r := range made {
			r.close()
		}
	}()
	for k := range further.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if made[k], err = t.file(further, k, fmt.Sprintf("%s-%d", name, k), out); err != nil {
			return nil, err
		}
	}
	return t.joinRuns(ctx, name, made)
}

// tally adds up one file after the other.
type tally struct {
	*miner
	at    map[string]*record
	torn  map[string]*record // ids that rows give to different queries, with the first row of each
	twice int

	slabs [][]record // room for the queries: one by one they would be much work to make
	full  int        // slabs that are
	asked []frame.Asked
}

func newTally(m *miner) *tally {
	return &tally{miner: m, at: map[string]*record{}, torn: map[string]*record{}}
}

// reset makes room for another file in that of the one before.
func (t *tally) reset() {
	clear(t.at)
	clear(t.torn)
	for i := range t.slabs {
		t.slabs[i] = t.slabs[i][:0]
	}
	t.full, t.twice = 0, 0
}

// keep is a copy of a row that stays until reset.
func (t *tally) keep(r *record) *record {
	const many = 256
	if t.full == len(t.slabs) {
		t.slabs = append(t.slabs, make([]record, 0, many))
	}
	slab := append(t.slabs[t.full], *r)
	t.slabs[t.full] = slab
	if len(slab) == many {
		t.full++
	}
	return &slab[len(slab)-1]
}

// askedOnce is that one source asked something so many times.
func (t *tally) askedOnce(source, count int) []frame.Asked {
	const many = 1024
	if len(t.asked) == cap(t.asked) {
		t.asked = make([]frame.Asked, 0, many)
	}
	n := len(t.asked)
	t.asked = append(t.asked, frame.Asked{Source: source, Count: count})
	return t.asked[n : n+1 : n+1] // whoever adds to it gets another
}

// file adds up one file. Of a query that rows and the frame so far give, what the rows of this run say comes first.
func (t *tally) file(s *spread, n int, name string, out *refused) (*run, error) {
	t.reset()
	err := s.inOrder(n, t.ordered(), t.take)
	if err == nil && len(t.torn) > 0 {
		err = t.mend(s, n, name, out)
	}
	s.drop(n)
	if err != nil {
		return nil, err
	}
	return t.writeRun(name, t.settle())
}

func (m *miner) ordered() int64 { return int64(cmp.Or(m.opt.ordered, orderedSize)) }

// take adds one row. Where there are too many to be put in order, only when all are read it is known which of two that
// contradict each other was first.
func (t *tally) take(r *record) error {
	if r.flags&fresh != 0 {
		if t.miner.twice[r.source] {
			t.twice++
			return nil
		}
		r.source += t.miner.first
		r.rows = 1
	}
	q := t.at[r.query.ID]
	switch {
	case q == nil:
		q = t.keep(r)
		q.begin(t)
		t.at[q.query.ID] = q
	case r.flags&known != 0:
		takeOld(q, r)
	case contradict(q, r):
		t.torn[q.query.ID] = q
		if r.seq < q.seq {
			*q = *r
			q.begin(t)
		}
	default:
		add(q, r)
	}
	return nil
}

// mend reads the file again for those ids that rows give to different queries: what asks the same as the first row counts,
// the rest is refused.
func (t *tally) mend(s *spread, n int, name string, out *refused) error {
	for id, first := range t.torn {
		t.torn[id] = t.keep(first)
		delete(t.at, id)
	}
	t.twice = 0 // they are all met again
	return s.inOrder(n, t.ordered(), func(r *record) error {
		first := t.torn[r.query.ID]
		switch {
		case r.flags&fresh != 0 && t.miner.twice[r.source]:
			t.twice++
			return nil
		case first == nil:
			return nil
		case r.flags&known == 0 && contradict(first, r):
			r.source += t.miner.first
			return t.refuse(out, "refused-"+name, first, r)
		}
		return t.take(r)
	})
}

// settle counts for the report, and puts the queries in order.
func (t *tally) settle() []*record {
	m := t.miner
	m.mu.Lock()
	queries := make([]*record, 0, len(t.at))
	for _, q := range t.at {
		m.report.Kept += q.rows
		m.report.Repeats += max(0, q.rows-1)
		if len(q.asked) == 0 {
			m.report.Gone++
			continue
		}
		q.query.Count = 0
		for _, a := range q.asked {
			q.query.Count = plus(q.query.Count, a.Count)
		}
		m.note(q)
		queries = append(queries, q)
	}
	m.report.Twice += t.twice
	m.mu.Unlock()
	slices.SortFunc(queries, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	return queries
}

// contradict reports whether two rows give one id to different queries. What an id is made of can't.
func contradict(a, b *record) bool {
	return a.flags&b.flags&derived == 0 && a.query.Text != b.query.Text && text.MatchKey(redact.Bare(a.query.Text)) != text.MatchKey(redact.Bare(b.query.Text))
}

// add takes a further row into a query.
func add(q, r *record) {
	count := r.query.Count
	if r.seq < q.seq {
		again := q.query
		q.query = r.query
		q.seq, q.line, q.source = r.seq, r.line, r.source
		querylog.Merge(&q.query, again)
	} else {
		querylog.Merge(&q.query, r.query)
	}
	q.flags = q.flags.with(r.flags)
	q.rows += r.rows
	q.addTags(r.tags)
	q.addAsked(frame.Asked{Source: r.source, Count: count})
}

// begin makes a query of its first row.
func (r *record) begin(t *tally) {
	if r.flags&fresh != 0 {
		r.asked = t.askedOnce(r.source, r.query.Count)
	}
}

func (r *record) addTags(tags []string) {
	for _, t := range tags {
		if !slices.Contains(r.tags, t) {
			r.tags = append(r.tags, t)
		}
	}
}

func (r *record) addAsked(a frame.Asked) {
	for i := range r.asked {
		if r.asked[i].Source == a.Source {
			r.asked[i].Count = plus(r.asked[i].Count, a.Count)
			return
		}
	}
	r.asked = append(r.asked, a)
}

// plus adds counts, which logs may claim to be anything.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// takeOld takes what the frame so far knows of a query into what this run's logs say of it: its place, its counts by
// other logs, and what the logs don't say.
func takeOld(q, old *record) {
	q.seq = old.seq
	q.query.Group = old.query.Group
	if len(old.asked) == 0 {
		q.flags |= known
		return
	}
	text := q.query.Text
	if q.flags&derived != 0 {
		text = old.query.Text // all spellings are one query, and the first is kept
	}
	querylog.Merge(&q.query, old.query)
	q.query.Text = text
	q.flags = q.flags.with(old.flags)
	q.addTags(old.tags)
	for _, a := range old.asked {
		q.addAsked(a)
	}
}

// note counts a query for the report and its sources.
func (m *miner) note(q *record) {
	m.report.Frame++
	if q.flags&fresh != 0 {
		m.report.Distinct++
		if q.flags&known == 0 {
			m.report.New++
		}
	}
	for _, a := range q.asked {
		s := &m.sources[a.Source]
		s.Queries++
		s.Asked = plus(s.Asked, a.Count)
	}
}
