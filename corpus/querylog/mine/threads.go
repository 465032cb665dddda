package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/converse"
)

// mostThreaded is how large a file of users' rows may be to be looked at together. What is above has a user that stands
// for many, such as a proxy's address: conversations would be made up.
const mostThreaded = 256 << 20

// thread puts the rows of each user into conversations, drops bursts, and sends the rest on.
func (m *miner) thread(ctx context.Context) error {
	s := m.byUser
	defer s.close()
	most := int64(m.opt.most)
	if most <= 0 {
		most = mostThreaded
	}
	type file struct {
		rows  []*record // by user, then in order
		twice int
		err   error
	}
	files := make(chan file, 1) // one is dealt with while the next is read
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	large := make([]bool, len(s.files))
	for n, size := range s.size {
		large[n] = size > most
	}
	go func() {
		defer close(files)
		for n := range s.files {
			if large[n] {
				continue
			}
			var f file
			f.err = s.each(n, func(r *record) error {
				if m.twice[r.source] {
					f.twice++
					return nil
				}
				c := *r
				f.rows = append(f.rows, &c)
				return nil
			})
			slices.SortFunc(f.rows, func(a, b *record) int { return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.seq, b.seq)) })
			select {
			case files <- f:
			case <-ctx.Done():
				return
			}
			if f.err != nil {
				return
			}
		}
	}()
	fail := func(err error) error {
		stop()
		for range files { // let the other one end before its files are closed
		}
		return err
	}
	done := int64(0)
	for f := range files {
		if err := errors.Join(f.err, ctx.Err()); err != nil {
			return fail(err)
		}
		if err := m.threadUsers(f.rows); err != nil {
			return fail(err)
		}
		m.report.Twice += f.twice
		done += int64(len(f.rows) + f.twice)
		m.opt.Progress("conversations", done, s.count)
	}
	for n := range s.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !large[n] {
			continue
		}
		err := s.each(n, func(r *record) error {
			if m.twice[r.source] {
				m.report.Twice++
				return nil
			}
			m.report.Unthreaded++
			return m.toQuery(r)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// threadUsers deals with the rows of several users, those of each together.
func (m *miner) threadUsers(rows []*record) error {
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].user == rows[from].user {
			to++
		}
		if err := m.threadUser(rows[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// threadUser deals with one user's or session's rows.
func (m *miner) threadUser(rows []*record) error {
	if !slices.ContainsFunc(rows, func(r *record) bool { return r.at == 0 }) {
		slices.SortStableFunc(rows, func(a, b *record) int { return cmp.Compare(a.at, b.at) })
	}
	burst := make([]bool, len(rows))
	if !m.opt.NoClean {
		burst = m.opt.Clean.Bursts(times(rows))
	}
	kept := rows[:0]
	for i, r := range rows {
		if burst[i] {
			m.report.Cleaned[clean.Burst]++
			continue
		}
		kept = append(kept, r)
	}
	gap := m.opt.Gap
	if gap <= 0 {
		gap = converse.DefaultGap
	}
	if len(kept) > 0 && kept[0].flags&session != 0 {
		gap = 0
	}
	asked := make([]converse.Row, len(kept))
	for i, r := range kept {
		asked[i] = converse.Row{Text: r.query.Text, Chat: r.flags&chat != 0, Turns: r.query.Turns}
		if r.at != 0 {
			asked[i].At = time.UnixMicro(r.at)
		}
	}
	places := converse.Places(asked, gap)
	before := make([]string, len(kept)) // the ids, once they are known
	for i, p := range places {
		if i > 0 && p.Conversation == places[i-1].Conversation && (i == 1 || p.Conversation != places[i-2].Conversation) {
			m.report.Conversations++
		}
		r := kept[i]
		if p.FollowUp {
			m.report.FollowUps++
			r.flags |= followUp
		}
		if p.Parent >= 0 && r.query.Turns == nil {
			for k, earlier := range kept[p.First : p.Parent+1] {
				turn := corpus.Turn{Role: "user", Content: earlier.query.Text}
				if m.forgotten(before[p.First+k]) {
					turn.Content = forgottenTurn
				}
				r.query.Turns = append(r.query.Turns, turn)
			}
			if r.query.ParentID == "" && !m.forgotten(before[p.Parent]) {
				r.query.ParentID = before[p.Parent]
			}
		}
		if err := m.toQuery(r); err != nil {
			return err
		}
		before[i] = r.query.ID
	}
	return nil
}

// forgottenTurn stands where a turn's text was.
const forgottenTurn = "[forgotten]"

func (m *miner) forgotten(id string) bool { return m.opt.Forgotten != nil && m.opt.Forgotten(id) }

func times(rows []*record) []time.Time {
	at := make([]time.Time, len(rows))
	for i, r := range rows {
		if r.at != 0 {
			at[i] = time.UnixMicro(r.at).UTC()
		}
	}
	return at
}

// addOld spreads the queries of the frame so far, without what replaced sources asked.
func (m *miner) addOld(ctx context.Context) error {
	if m.old == nil {
		return nil
	}
	seq := uint64(0)
	total := int64(m.old.Header().Queries)
	for e, err := range m.old.Entries() {
		if err != nil {
			return err
		}
		if seq%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.opt.Progress("reading what is there", int64(seq), total)
		}
		r := record{seq: seq, source: -1, query: e.Query, tags: e.Tags, flags: known}
		if e.Derived {
			r.flags |= derived
		}
		if slices.Contains(e.Proposed, corpus.TagFollowUp) {
			r.flags |= followUp
		}
		for _, a := range e.Asked {
			if at, stays := m.keeps[a.Source]; stays {
				a.Source = at
				r.asked = append(r.asked, a)
			}
		}
		seq++
		if m.forgotten(e.ID) {
			continue
		}
		if err := m.toOld(&r); err != nil {
			return fmt.Errorf("mine: %w", err)
		}
	}
	return nil
}
