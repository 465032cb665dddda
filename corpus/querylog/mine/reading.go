package mine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"assay/corpus"
	"assay/corpus/querylog"
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/frame"
	"assay/corpus/rows"
)

// readAll reads the logs one after the other and spreads their rows.
func (m *miner) readAll(ctx context.Context, sources []Source) error {
	m.spreadOver(0)
	var earlier []frame.Source
	if m.old != nil {
		earlier = m.old.Header().Sources
	}
	stays := make([]bool, len(earlier))
	for i := range stays {
		stays[i] = true
	}
	var added []frame.Source
	m.twice = map[int]bool{}
	for i, s := range sources {
		read, d, err := m.readLog(ctx, s, i, append(slices.Clone(earlier), added...))
		if err != nil {
			return err
		}
		// Logs that were brought in under one name are told apart by their bytes, where these are known.
		itself := false
		for k, e := range earlier {
			itself = itself || stays[k] && e.Name == s.Name && (e.SHA256 == read.SHA256 || d.continues(e))
		}
		for k, e := range earlier {
			why := ""
			switch {
			case !stays[k]:
				continue
			case e.SHA256 == read.SHA256:
				why = "same"
			case d.continues(e):
				why = "longer"
			case e.Name == s.Name && !itself:
				why = "name"
			default:
				continue
			}
			stays[k] = false
			m.report.Replaced = append(m.report.Replaced, Replaced{Source: e.Name, By: s.Name, Why: why})
		}
		for k, other := range added { // of two that are the same, or of which one continues the other, one counts
			switch {
			case m.twice[k]:
			case other.SHA256 == read.SHA256 && read.Bytes > 0:
				m.twice[i] = true
			case d.continues(other):
				m.twice[k] = true
			}
		}
		added = append(added, read)
	}
	m.settleSources(earlier, stays, added)
	return nil
}

// large is a log of which more files are made, so that what one file holds still fits in little memory.
const large = 200 << 20

// spreadOver makes the files that rows are spread over, for a log of so many bytes. What is there already stays.
func (m *miner) spreadOver(size int64) {
	partitions := m.opt.partitions
	if partitions <= 0 && size > large {
		partitions = 4 * defaultPartitions
	}
	if m.byUser == nil || m.byUser.count == 0 {
		m.byUser = newSpread(partitions, m.path("user"), func(r *record) uint64 { return r.user >> 1 })
	}
	if m.byQuery == nil || m.byQuery.count == 0 {
		m.byQuery = newSpread(partitions, m.path("query"), func(r *record) uint64 { return xxhash.Sum64String(r.query.ID) })
	}
}

// settleSources numbers the new frame's sources: those that stay, then the new ones. Several may have one name.
func (m *miner) settleSources(earlier []frame.Source, stays []bool, added []frame.Source) {
	m.keeps = map[int]int{}
	for k, e := range earlier {
		if stays[k] {
			m.keeps[k] = len(m.sources)
			e.Queries, e.Asked = 0, 0
			m.sources = append(m.sources, e)
		}
	}
	m.first = len(m.sources)
	m.sources = append(m.sources, added...)
}

// readLog reads one log. Its rows get its number among the sources of this run, since those of the frame are not
// settled yet.
func (m *miner) readLog(ctx context.Context, s Source, number int, earlier []frame.Source) (frame.Source, *digest, error) {
	d := newDigest(earlier)
	log, err := s.Open(d, m.opt.Rejects != nil)
	if err != nil {
		return frame.Source{}, nil, err
	}
	defer log.Close()
	m.spreadOver(log.Stats().Size)
	m.report.Files = append(m.report.Files, File{File: log.File(), Source: s.Name})
	r := &reading{miner: m, number: number, source: s.Name, file: &m.report.Files[len(m.report.Files)-1], spill: newSpill(m)}
	defer r.spill.close()
	size := log.Stats().Size
	n, consumed := 0, int64(0)
	for asked, err := range log.RowsAhead() {
		consumed += int64(len(asked.Raw)) + 1
		if err := r.take(&asked, err); err != nil {
			return frame.Source{}, nil, err
		}
		if n++; n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return frame.Source{}, nil, err
			}
			m.opt.Progress("reading", consumed, max(size, consumed))
		}
	}
	if err := ctx.Err(); err != nil {
		return frame.Source{}, nil, err
	}
	if err := r.spill.close(); err != nil {
		return frame.Source{}, nil, err
	}
	m.opt.Progress("reading", consumed, consumed)
	r.finish(log.Stats())
	return frame.Source{Name: s.Name, SHA256: d.sum(), Bytes: d.bytes, At: m.opt.Now.UTC(), Rows: r.file.Accepted + r.file.Rejected}, d, nil
}

// reading is one log on its way.
type reading struct {
	*miner
	number int
	source string
	file   *File
	spill  *spill
}

// take deals with what the log gave. The error is one that ends the run.
func (r *reading) take(a *querylog.Asked, err error) error {
	var reject *rows.Reject
	if errors.As(err, &reject) {
		return r.reject(reject)
	}
	if err != nil {
		return err
	}
	seq := r.seq
	r.seq++
	for _, field := range a.Unread {
		r.report.unread(a.File, field, a.Line)
	}
	rule := clean.Rule("")
	if r.opt.NoClean {
		rule = clean.Options{Off: []clean.Rule{clean.Long, clean.Health, clean.Bot, clean.Burst}}.Check(clean.Row{Text: a.Query.Text})
	} else {
		rule = r.opt.Clean.Check(clean.Row{Text: a.Query.Text, Agent: a.Agent})
	}
	if rule != "" {
		r.report.Cleaned[rule]++
		return nil
	}
	if strings.TrimSpace(a.Query.Text) == "" { // the rule is off, and there is nothing to label
		return r.reject(a.Reject("the query is empty", ""))
	}
	a.Query.Count = min(a.Query.Count, mostAsked)
	for _, at := range []**time.Time{&a.Query.FirstSeen, &a.Query.LastSeen} {
		if *at != nil && !sound(**at) {
			*at = nil
			r.report.unread(a.File, "time", a.Line)
		}
	}
	if !sound(a.At) {
		a.At = time.Time{}
	}
	rec := record{seq: seq, source: r.number, line: a.Line, query: a.Query, tags: a.Tags, flags: fresh}
	if a.Derived {
		rec.flags |= derived
	} else if r.opt.Rejects != nil {
		rec.raw = r.seal.close(a.Raw)
	}
	if !r.opt.NoRedact {
		r.redact(&rec.query, a.Names)
	}
	if a.Chat {
		rec.flags |= chat
	}
	if !a.At.IsZero() {
		rec.at = a.At.UnixMicro()
	}
	switch {
	case a.Session != "":
		rec.user, rec.flags = xxhash.Sum64String("s\x00"+a.Session)|1, rec.flags|session
	case a.User != "" && !a.At.IsZero():
		rec.user = xxhash.Sum64String("u\x00"+a.User) | 1
	}
	return r.spill.add(rec)
}

// mostAsked is how often one row may claim that a query was asked: more is no count, and sums have to stay sums.
const mostAsked = 1 << 40

// sound reports whether a time is one that can be written down, whatever its zone.
func sound(t time.Time) bool { return t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 }

func (r *reading) redact(q *corpus.Query, names []string) {
	q.Text = r.redactor.Text(q.Text, names...)
	if q.Turns != nil {
		turns := make([]corpus.Turn, len(q.Turns))
		for i, t := range q.Turns {
			turns[i] = corpus.Turn{Role: t.Role, Content: r.redactor.Text(t.Content, names...)}
		}
		q.Turns = turns
	}
	for _, field := range []*string{&q.Standalone, &q.ReferenceAnswer} {
		if *field != "" {
			*field = r.redactor.Text(*field, names...)
		}
	}
}

// toQuery sends a row on to where those that ask the same come together.
func (m *miner) toQuery(r *record) error {
	if !m.identify(r) {
		return nil
	}
	return m.byQuery.add(r)
}

// identify gives a row without an id its own, now that the turns before it are known. It is false for what is forgotten.
func (m *miner) identify(r *record) bool {
	if m.opt.Forgotten != nil {
		for i, t := range r.query.Turns {
			if m.forgotten(querylog.TextID(t.Content)) {
				r.query.Turns[i].Content = forgottenTurn
			}
		}
	}
	if r.flags&derived != 0 {
		r.query.ID = querylog.TurnsID(r.query.Text, r.query.Turns)
	}
	if m.forgotten(r.query.ID) {
		m.report.Forgotten++
		return false
	}
	r.user = 0
	return true
}

// finish takes over what the reader counted.
func (r *reading) finish(s querylog.Stats) {
	f := r.file
	f.Format, f.Encoding, f.Compression = string(s.Format), s.Encoding, s.Compression
	f.TextField, f.IDField, f.TimeField, f.UserField, f.SessionField = s.TextField, s.IDField, s.TimeField, s.UserField, s.SessionField
	f.Accepted, f.Blank, f.NoQuery, f.Warning = s.Accepted-(f.Rejected-s.Rejected), s.Blank, s.NoQuery, s.Warning
	r.report.NoQuery += f.NoQuery
}

// digest hashes a log as it is read, and remembers the hash at the lengths of earlier logs: a log whose first bytes are
// all of an earlier one continues it.
type digest struct {
	hash  hash.Hash
	bytes int64
	marks []mark // by length, those still ahead
	found []mark // those passed
}

type mark struct {
	length int64
	sum    corpus.Hash
}

func newDigest(earlier []frame.Source) *digest {
	d := &digest{hash: sha256.New()}
	for _, s := range earlier {
		d.marks = append(d.marks, mark{length: s.Bytes})
	}
	slices.SortFunc(d.marks, func(a, b mark) int { return cmp.Compare(a.length, b.length) })
	return d
}

// Write implements io.Writer. It never fails.
func (d *digest) Write(p []byte) (int, error) {
	n := len(p)
	for len(d.marks) > 0 && d.marks[0].length <= d.bytes+int64(len(p)) {
		k := d.marks[0].length - d.bytes
		d.hash.Write(p[:k])
		d.bytes, p = d.bytes+k, p[k:]
		d.found = append(d.found, mark{d.bytes, d.sum()})
		d.marks = d.marks[1:]
	}
	d.hash.Write(p)
	d.bytes += int64(len(p))
	return n, nil
}

func (d *digest) sum() corpus.Hash { return corpus.Hash(hex.EncodeToString(d.hash.Sum(nil))) }

// continues reports whether what was read begins with all of an earlier log, or is it.
func (d *digest) continues(s frame.Source) bool {
	return s.Bytes > 0 && slices.Contains(d.found, mark{s.Bytes, s.SHA256})
}
