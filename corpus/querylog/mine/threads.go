package mine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/converse"
)

const (
	// mostThreaded is how many bytes of rows one user may have to be looked at together. Who has more stands for many, such
	// as a proxy's address: conversations would be made up.
	mostThreaded = 8 << 20
	// pieceSize is how much of a file is looked at together, users allowing.
	pieceSize = 4 << 20
)

// piece is rows to deal with in one go.
type piece struct {
	rows  []*record // by user, then in order
	loose bool      // they are of users with too many, in no order
	twice int       // rows that don't count
	err   error
}

// thread puts the rows of each user into conversations, drops bursts, and sends the rest on.
func (m *miner) thread(ctx context.Context) error {
	s := m.byUser
	defer s.close()
	ctx, stop := context.WithCancel(ctx)
	pieces := make(chan piece, 1) // one is dealt with while the next is read
	defer func() {
		stop()
		for range pieces { // let the other one end before its files are closed
		}
	}()
	go func() {
		defer close(pieces)
		give := func(p piece) error {
			select {
			case pieces <- p:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		for n := range s.files {
			if err := m.pieces(s, n, give); err != nil {
				_ = give(piece{err: err}) // where nobody listens any more there is nobody to tell
				return
			}
		}
	}()
	done := int64(0)
	for p := range pieces {
		if err := errors.Join(p.err, ctx.Err()); err != nil {
			return err
		}
		if err := m.threadPiece(p); err != nil {
			return err
		}
		done += int64(len(p.rows) + p.twice)
		m.opt.Progress("conversations", done, s.count)
	}
	return ctx.Err()
}

// pieces cuts one file into what can be looked at in memory.
func (m *miner) pieces(s *spread, n int, give func(piece) error) error {
	size := int64(cmp.Or(m.opt.piece, pieceSize))
	further, err := s.split(n, size)
	if err != nil {
		return err
	}
	if further == nil {
		return m.gather(s, n, give)
	}
	defer further.close()
	for k := range further.files {
		if err := m.gather(further, k, give); err != nil {
			return err
		}
	}
	return nil
}

// gather reads one file's rows. Those of users with too many go on as they come.
func (m *miner) gather(s *spread, n int, give func(piece) error) error {
	most := int64(cmp.Or(m.opt.most, mostThreaded))
	var of map[uint64]int64 // bytes by user
	if s.size[n] > most {
		of = map[uint64]int64{}
		if err := s.read(n, func(r *record) error { of[r.user] += int64(r.size); return nil }); err != nil {
			return err
		}
	}
	var p piece
	loose := piece{loose: true}
	err := s.each(n, func(r *record) error {
		if m.twice[r.source] {
			p.twice++
			return nil
		}
		c := *r
		if of[r.user] <= most {
			p.rows = append(p.rows, &c)
			return nil
		}
		if loose.rows = append(loose.rows, &c); len(loose.rows) < batch {
			return nil
		}
		full := loose
		loose.rows = nil
		return give(full)
	})
	if err != nil {
		return err
	}
	if len(loose.rows) > 0 {
		if err := give(loose); err != nil {
			return err
		}
	}
	slices.SortFunc(p.rows, func(a, b *record) int { return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.seq, b.seq)) })
	return give(p)
}

func (m *miner) threadPiece(p piece) error {
	m.report.Twice += p.twice
	if !p.loose {
		return m.threadUsers(p.rows)
	}
	m.report.Unthreaded += len(p.rows)
	for _, r := range p.rows {
		if err := m.toQuery(r); err != nil {
			return err
		}
	}
	return nil
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
		if len(r.asked) == 0 { // what else is known of it was said by logs that have been replaced
			r.query = corpus.Query{ID: e.ID, Text: e.Text, Group: e.Group}
			r.tags, r.flags = nil, r.flags&(known|derived)
		}
		if err := m.byQuery.add(&r); err != nil {
			return err
		}
	}
	return nil
}
