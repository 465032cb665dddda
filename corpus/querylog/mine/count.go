package mine

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"assay/corpus/querylog"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/redact"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// toOld sends a query of the frame so far to where rows that ask it come together.
func (m *miner) toOld(r *record) error { return m.byQuery.add(xxhash.Sum64String(r.query.ID), r) }

// countWorkers is how many files are added up at once.
const countWorkers = 2

// count brings together what asks the same, file by file, and merges the files into one in order of first appearance.
func (m *miner) count(ctx context.Context) (*items, error) {
	s := m.byQuery
	defer s.close()
	var runs []*run
	defer func() {
		for _, r := range runs {
			r.close()
		}
	}()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	made := make([]*run, len(s.files)) // in order, whoever was first
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range countWorkers {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(s.files) && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				queries, err := m.tally(n)
				if err == nil {
					made[n], err = m.writeRun(n, queries)
				}
				if err != nil {
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
	for _, r := range made {
		if r != nil {
			runs = append(runs, r)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i := range m.report.Files {
		f := &m.report.Files[i]
		m.report.Accepted += f.Accepted
		m.report.Rejected += f.Rejected
	}
	m.report.Read = m.report.Accepted + m.report.Rejected
	return m.merge(ctx, runs)
}

// tally adds up one file. Of a query that rows and the frame so far give, what the rows of this run say comes first.
func (m *miner) tally(n int) ([]*record, error) {
	at := map[string]*record{}
	kept, repeats, gone, twice := 0, 0, 0, 0
	err := m.byQuery.each(n, func(r *record) error {
		if r.flags&fresh != 0 {
			if m.twice[r.source] {
				twice++
				return nil
			}
			kept++
			r.source += m.first
			r.asked = []frame.Asked{{Source: r.source, Count: r.query.Count}}
		}
		q := at[r.query.ID]
		if q == nil {
			c := *r
			at[c.query.ID] = &c
			return nil
		}
		if r.flags&known != 0 {
			m.takeOld(q, r)
			return nil
		}
		if q.flags&derived == 0 && !sameQuestion(q.query.Text, r.query.Text) {
			return m.conflict(q, r)
		}
		repeats++
		add(q, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	queries := make([]*record, 0, len(at))
	for _, q := range at {
		if len(q.asked) == 0 {
			gone++
			continue
		}
		q.query.Count = 0
		for _, a := range q.asked {
			q.query.Count = plus(q.query.Count, a.Count)
		}
		m.note(q)
		queries = append(queries, q)
	}
	m.report.Kept += kept
	m.report.Repeats += repeats
	m.report.Gone += gone
	m.report.Twice += twice
	slices.SortFunc(queries, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	return queries, nil
}

func sameQuestion(a, b string) bool {
	return a == b || text.MatchKey(redact.Bare(a)) == text.MatchKey(redact.Bare(b))
}

// add takes a further row into a query.
func add(q, r *record) {
	first := r.seq < q.seq
	if first { // rows of conversations come later than others that were asked after them
		earlier := r.query
		again := q.query
		q.query = earlier
		q.seq, q.line, q.source, q.raw = r.seq, r.line, r.source, r.raw
		querylog.Merge(&q.query, again)
	} else {
		querylog.Merge(&q.query, r.query)
	}
	q.flags |= r.flags
	for _, t := range r.tags {
		if !slices.Contains(q.tags, t) {
			q.tags = append(q.tags, t)
		}
	}
	q.addAsked(r.asked)
}

func (r *record) addAsked(asked []frame.Asked) {
	for _, a := range asked {
		i := slices.IndexFunc(r.asked, func(x frame.Asked) bool { return x.Source == a.Source })
		if i < 0 {
			r.asked = append(r.asked, a)
			continue
		}
		r.asked[i].Count = plus(r.asked[i].Count, a.Count)
	}
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
func (m *miner) takeOld(q, old *record) {
	q.seq = old.seq
	q.flags |= old.flags
	text := q.query.Text
	q.query.Group = old.query.Group
	if q.flags&derived != 0 {
		text = old.query.Text // all spellings are one query, and the first is kept
	}
	querylog.Merge(&q.query, old.query)
	q.query.Text = text
	for _, t := range old.tags {
		if !slices.Contains(q.tags, t) {
			q.tags = append(q.tags, t)
		}
	}
	q.addAsked(old.asked)
}

// conflict refuses a row whose id stands for another text in the logs of this run.
func (m *miner) conflict(kept, r *record) error {
	if r.seq < kept.seq && kept.flags&known == 0 {
		*kept, *r = *r, *kept
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report.Kept--
	f := &m.report.Files[r.source-m.first]
	f.Accepted--
	f.Rejected++
	return m.reject(&rows.Reject{
		File: f.File, Line: r.line, Raw: m.seal.open(r.raw), Reason: fmt.Sprintf("the id %q already stands for another query, on line %d", kept.query.ID, kept.line),
		Hint: "the first is kept; give one of them another id",
	})
}

// run is one file's queries in order of first appearance, each as items keep it.
type run struct {
	file     *os.File
	in       *bufio.Reader
	buf      []byte
	seq      uint64
	asked    int
	standing bool
	group    uint64
}

// The group keys of queries that are in no group yet: new ones, and those that stand alone.
const (
	ungrouped uint64 = iota
	alone
)

// groupKey is what queries of one group have in common since an earlier run; the one that stands for it has it too, with
// the lowest bit set.
func groupKey(q *record) uint64 {
	switch {
	case q.flags&known == 0:
		return ungrouped
	case q.query.Group == "":
		return alone
	}
	return xxhash.Sum64String(q.query.Group)&^1 | 2 | bit(q.query.Group == q.query.ID)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (m *miner) writeRun(n int, queries []*record) (*run, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	f, err := os.OpenFile(m.path(fmt.Sprintf("run-%d", n)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("mine: %w", err)
	}
	w := bufio.NewWriterSize(f, 256<<10)
	var buf []byte
	var head []byte
	for _, q := range queries {
		q.user, q.raw = 0, nil
		if buf, err = appendItem(buf[:0], q); err != nil {
			break
		}
		standing := q.flags&derived == 0 || m.opt.Standing != nil && m.opt.Standing(q.query.ID)
		head = binary.AppendUvarint(head[:0], q.seq)
		head = binary.AppendUvarint(head, uint64(min(q.query.Count, 1<<30))<<1|bit(standing))
		head = binary.AppendUvarint(head, groupKey(q))
		head = binary.AppendUvarint(head, uint64(len(buf)))
		if _, err = w.Write(head); err != nil {
			break
		}
		if _, err = w.Write(buf); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("mine: %w", err)
	}
	return &run{file: f}, nil
}

// next reads the next query's bytes; false at the end.
func (r *run) next() (bool, error) {
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.file, 64<<10)
	}
	seq, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		return false, nil
	}
	asked, err2 := binary.ReadUvarint(r.in)
	group, err3 := binary.ReadUvarint(r.in)
	size, err4 := binary.ReadUvarint(r.in)
	if err != nil || err2 != nil || err3 != nil || err4 != nil {
		return false, fmt.Errorf("mine: %w", errCutOff)
	}
	if uint64(cap(r.buf)) < size {
		r.buf = make([]byte, size)
	}
	r.buf, r.seq, r.asked, r.standing, r.group = r.buf[:size], seq, int(asked>>1), asked&1 == 1, group
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return false, fmt.Errorf("mine: %w", errCutOff)
	}
	return true, nil
}

func (r *run) close() {
	if r.file != nil {
		r.file.Close()
		os.Remove(r.file.Name())
		r.file = nil
	}
}

// earliest is a heap of runs, the one with the earliest query on top.
type earliest []*run

func (h earliest) Len() int           { return len(h) }
func (h earliest) Less(i, j int) bool { return h[i].seq < h[j].seq }
func (h earliest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *earliest) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *earliest) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}

// merge puts the runs together.
func (m *miner) merge(ctx context.Context, runs []*run) (*items, error) {
	out, err := newItems(m.path("queries"), m.report.Frame)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*items, error) { out.close(); return nil, err }
	var h earliest
	for _, r := range runs {
		more, err := r.next()
		if err != nil {
			return fail(err)
		}
		if more {
			h = append(h, r)
		}
	}
	heap.Init(&h)
	for n := 0; len(h) > 0; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return fail(err)
			}
		}
		r := h[0]
		if err := out.add(r.buf, r.asked, r.standing, r.group); err != nil {
			return fail(err)
		}
		more, err := r.next()
		if err != nil {
			return fail(err)
		}
		if more {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h).(*run).close()
		}
	}
	return out, out.flush()
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
