package mine

import (
	"cmp"
	"context"
	"slices"

	"assay/corpus"
	"assay/corpus/querylog/frame"
	"assay/corpus/querylog/group"
)

// finish groups the queries and writes the frame.
func (m *miner) finish(ctx context.Context, t *items) error {
	var g *groups // nil where each stands alone
	if !m.opt.NoGroup {
		reps, err := group.Near(ctx, t, group.Options{
			Scratch: m.dir, Progress: func(done, total int) { m.opt.Progress("grouping", int64(done), int64(total)) },
		})
		if err != nil {
			return err
		}
		t.grouped()
		g = newGroups(reps)
		m.report.Groups, m.report.Grouped = g.many, g.grouped
	}
	if m.opt.New == "" {
		return nil
	}
	h := frame.Header{Queries: t.Len(), Groups: m.report.Groups, Sources: m.sources}
	for _, s := range m.sources {
		h.Asked = plus(h.Asked, s.Asked)
	}
	w, err := frame.Create(m.opt.New, h)
	if err != nil {
		return err
	}
	if err := m.write(ctx, w, t, g); err != nil {
		w.Abort()
		return err
	}
	return w.Commit()
}

// batch is how many entries go from the one who puts them together to the one who packs them at once.
const batch = 256

// write puts the entries together on one core while another packs those before.
func (m *miner) write(ctx context.Context, w *frame.Writer, t *items, g *groups) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	made, used := make(chan []frame.Entry, 4), make(chan []frame.Entry, 8)
	go func() {
		defer close(made)
		var r record
		entries := make([]frame.Entry, 0, batch)
		for i := range t.Len() {
			err := t.record(i, &r)
			if err == nil {
				var e frame.Entry
				if e, err = m.entry(t, g, i, &r); err == nil {
					entries = append(entries, e)
				}
			}
			if err != nil {
				stop(err)
				return
			}
			if len(entries) < batch && i < t.Len()-1 {
				continue
			}
			select {
			case made <- entries:
			case <-ctx.Done():
				return
			}
			select {
			case entries = <-used:
			default:
				entries = make([]frame.Entry, 0, batch)
			}
		}
	}()
	n := 0
	for entries := range made {
		for _, e := range entries {
			if err := w.Add(e); err != nil {
				stop(err)
				for range made { // let the other one end before its file is closed
				}
				return err
			}
		}
		n += len(entries)
		select {
		case used <- entries[:0]:
		default:
		}
		m.opt.Progress("writing", int64(n), int64(t.Len()))
		if ctx.Err() != nil {
			for range made {
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// entry is a query as the frame has it. What it proposes is what only the log shows; the rest is guessed from the text
// where it is needed.
func (m *miner) entry(t *items, g *groups, i int, r *record) (frame.Entry, error) {
	e := frame.Entry{Query: r.query, Tags: r.tags, Asked: r.asked, Derived: r.flags&derived != 0}
	slices.SortFunc(e.Asked, func(a, b frame.Asked) int { return cmp.Compare(a.Source, b.Source) })
	if r.flags&followUp != 0 {
		e.Proposed = []string{corpus.TagFollowUp}
	}
	e.Group = ""
	if g == nil {
		return e, nil
	}
	rep := int(g.reps[i])
	others := g.others(i)
	if rep == i && len(others) == 0 {
		return e, nil
	}
	if rep != i {
		var stands record
		err := t.apart(rep, &stands)
		e.Group = stands.query.ID
		return e, err
	}
	e.Group = r.query.ID
	// Most groups are small. Of a large one only those that are kept are read.
	slices.SortStableFunc(others, func(a, b int32) int { return cmp.Compare(t.Count(int(b)), t.Count(int(a))) })
	e.Total = r.query.Count
	room := mostVariants
	for n, k := range others {
		if n >= corpus.MaxVariants && t.Count(int(k)) < clipped {
			e.Total = plus(e.Total, t.Count(int(k)))
			continue
		}
		var other record
		if err := t.apart(int(k), &other); err != nil {
			return e, err
		}
		q := &other.query
		e.Total = plus(e.Total, q.Count)
		if room -= len(q.ID) + len(q.Text); room > 0 && len(e.Variants) < corpus.MaxVariants {
			e.Variants = append(e.Variants, corpus.Variant{ID: q.ID, Text: q.Text, Count: q.Count})
		}
	}
	slices.SortStableFunc(e.Variants, func(a, b corpus.Variant) int { return cmp.Compare(b.Count, a.Count) })
	return e, nil
}

// mostVariants is how many bytes of variants an entry has at most, so that its line stays one that can be read.
const mostVariants = 4 << 20

// groups are who stands for whom, and for each that stands for others those others.
type groups struct {
	reps    []int32
	next    []int32 // the next one of the same group: behind the one that stands for it the others in order, then -1
	many    int
	grouped int
}

func newGroups(reps []int32) *groups {
	g := &groups{reps: reps, next: make([]int32, len(reps))}
	for i := range g.next {
		g.next[i] = -1
	}
	for i, rep := range slices.Backward(reps) {
		if int(rep) == i {
			continue
		}
		if g.grouped++; g.next[rep] < 0 {
			g.many++
		}
		g.next[i], g.next[rep] = g.next[rep], int32(i)
	}
	return g
}

// others are those that i stands for, itself apart, in order; none where another one stands for it.
func (g *groups) others(i int) []int32 {
	if int(g.reps[i]) != i {
		return nil
	}
	var all []int32
	for k := g.next[i]; k >= 0; k = g.next[k] {
		all = append(all, k)
	}
	return all
}
