package mine

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/frame"
)

// record is a row on its way, and later a query with what its rows add up to.
type record struct {
	seq    uint64 // of its first row: the order of first appearance
	user   uint64 // hash of who asked or of the session; rows on their way to conversations only
	source int    // position in the new frame's sources; -1 for a query of the old frame
	line   int
	at     int64 // microseconds since 1970; 0: unknown
	flags  flags
	query  corpus.Query
	tags   []string
	asked  []frame.Asked
	raw    []byte // the row as it was, sealed, where rejects are to be kept
	rows   int    // of this run that it adds up
	size   int    // bytes that it takes in a file of a spread
}

type flags byte

const (
	derived  flags = 1 << iota // the id is made from the text
	chat                       // from a conversation
	session                    // user is that of a session
	followUp                   // it follows on other rows
	fresh                      // a log of this run asks it
	known                      // it was in the old frame
)

// with are the flags of what two rows ask. An id that one of them gives is given.
func (f flags) with(g flags) flags { return (f|g)&^derived | f&g&derived }

// common is what a row mostly has in common with the row before it in a file.
type common struct {
	kind, source, language string
	at                     int64
}

// What of a record is there, beside what all have.
const (
	hasUser = 1 << iota
	hasWords
	hasCount
	hasTimes
	hasLast // another than the first
	hasAt   // another than the first
	hasMore // what few rows have
)

// What few records have.
const (
	hasAsked = 1 << iota
	hasTurns
	hasTexts
	hasWeight
	hasTags
	hasGroup
	hasRaw
)

var errCutOff = errors.New("a temporary file is cut off")

// append encodes the record behind b. Where records are read one after the other, before is what the last one had; nil
// where each is read by itself.
func (r *record) append(b []byte, before *common) []byte {
	q := &r.query
	now := common{string(q.Kind), q.Source, q.Language, micros(q.FirstSeen)}
	var base common
	if before != nil {
		base = *before
		*before = now
	}
	last := micros(q.LastSeen)
	has := where(r.user != 0, hasUser) | where(now.kind != base.kind || now.source != base.source || now.language != base.language, hasWords) |
		where(q.Count != 1, hasCount) | where(now.at != 0, hasTimes) | where(last != now.at, hasLast) | where(r.at != now.at, hasAt)
	more := where(len(r.asked) > 0, hasAsked) | where(len(q.Turns) > 0, hasTurns) | where(q.ParentID != "" || q.Standalone != "" || q.ReferenceAnswer != "" || q.Stratum != "", hasTexts) |
		where(q.Weight != nil, hasWeight) | where(len(r.tags) > 0, hasTags) | where(q.Group != "", hasGroup) | where(len(r.raw) > 0, hasRaw)
	b = append(b, has|where(more != 0, hasMore), byte(r.flags))
	b = binary.AppendUvarint(b, r.seq)
	b = binary.AppendVarint(b, int64(r.source))
	b = binary.AppendVarint(b, int64(r.line))
	b = appendText(b, q.ID)
	b = appendText(b, q.Text)
	if has&hasUser != 0 {
		b = binary.LittleEndian.AppendUint64(b, r.user)
	}
	if has&hasWords != 0 {
		b = appendText(appendText(appendText(b, now.kind), now.source), now.language)
	}
	if has&hasCount != 0 {
		b = binary.AppendVarint(b, int64(q.Count))
	}
	if has&hasTimes != 0 {
		b = binary.AppendVarint(b, now.at-base.at)
	}
	if has&hasLast != 0 {
		b = binary.AppendVarint(b, last)
	}
	if has&hasAt != 0 {
		b = binary.AppendVarint(b, r.at)
	}
	if more == 0 {
		return b
	}
	return r.appendMore(append(b, more), more)
}

func (r *record) appendMore(b []byte, more byte) []byte {
	q := &r.query
	if more&hasAsked != 0 {
		b = binary.AppendUvarint(b, uint64(len(r.asked)))
		for _, a := range r.asked {
			b = binary.AppendVarint(b, int64(a.Source))
			b = binary.AppendVarint(b, int64(a.Count))
		}
	}
	if more&hasTurns != 0 {
		b = binary.AppendUvarint(b, uint64(len(q.Turns)))
		for _, t := range q.Turns {
			b = appendText(appendText(b, t.Role), t.Content)
		}
	}
	if more&hasTexts != 0 {
		for _, s := range []string{q.ParentID, q.Standalone, q.ReferenceAnswer, q.Stratum} {
			b = appendText(b, s)
		}
	}
	if more&hasWeight != 0 {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(*q.Weight))
	}
	if more&hasTags != 0 {
		b = binary.AppendUvarint(b, uint64(len(r.tags)))
		for _, t := range r.tags {
			b = appendText(b, t)
		}
	}
	if more&hasGroup != 0 {
		b = appendText(b, q.Group)
	}
	if more&hasRaw != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(r.raw))), r.raw...)
	}
	return b
}

func where(is bool, bit byte) byte {
	if is {
		return bit
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode reads a record that append wrote. Its texts are parts of s.
func (r *record) decode(s string, before *common) error {
	d := decoder{s: s}
	has := d.byte()
	*r = record{flags: flags(d.byte()), seq: d.uint(), source: int(d.int()), line: int(d.int())}
	q := &r.query
	q.ID, q.Text = d.text(), d.text()
	var base common
	if before != nil {
		base = *before
	}
	if has&hasUser != 0 {
		r.user = d.word()
	}
	if has&hasWords != 0 {
		base.kind, base.source, base.language = d.text(), d.text(), d.text()
	}
	q.Kind, q.Source, q.Language = corpus.Kind(base.kind), base.source, base.language
	q.Count = 1
	if has&hasCount != 0 {
		q.Count = int(d.int())
	}
	first := int64(0)
	if has&hasTimes != 0 {
		first = d.int() + base.at
		q.FirstSeen = timeOf(first)
	}
	q.LastSeen, r.at, base.at = q.FirstSeen, first, first
	if has&hasLast != 0 {
		q.LastSeen = timeOf(d.int())
	}
	if has&hasAt != 0 {
		r.at = d.int()
	}
	if has&hasMore != 0 {
		r.decodeMore(&d)
	}
	if before != nil {
		*before = base
	}
	if d.bad {
		return errCutOff
	}
	return nil
}

func (r *record) decodeMore(d *decoder) {
	q := &r.query
	more := d.byte()
	if more&hasAsked != 0 {
		for range d.count() {
			r.asked = append(r.asked, frame.Asked{Source: int(d.int()), Count: int(d.int())})
		}
	}
	if more&hasTurns != 0 {
		for range d.count() {
			q.Turns = append(q.Turns, corpus.Turn{Role: d.text(), Content: d.text()})
		}
	}
	if more&hasTexts != 0 {
		q.ParentID, q.Standalone, q.ReferenceAnswer, q.Stratum = d.text(), d.text(), d.text(), d.text()
	}
	if more&hasWeight != 0 {
		w := math.Float64frombits(d.word())
		q.Weight = &w
	}
	if more&hasTags != 0 {
		for range d.count() {
			r.tags = append(r.tags, d.text())
		}
	}
	if more&hasGroup != 0 {
		q.Group = d.text()
	}
	if more&hasRaw != 0 {
		r.raw = []byte(d.text())
	}
}

// decoder takes things from the front of s. Where there is nothing to take it is bad from then on, and what it gives is
// empty.
type decoder struct {
	s   string
	bad bool
}

func (d *decoder) uint() uint64 {
	var n uint64
	for i := 0; i < len(d.s) && i < binary.MaxVarintLen64; i++ {
		c := d.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.s = d.s[i+1:]
			return n
		}
	}
	d.bad, d.s = true, ""
	return 0
}

func (d *decoder) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *decoder) byte() byte {
	if len(d.s) == 0 {
		d.bad = true
		return 0
	}
	c := d.s[0]
	d.s = d.s[1:]
	return c
}

func (d *decoder) word() uint64 {
	if len(d.s) < 8 {
		d.bad, d.s = true, ""
		return 0
	}
	var eight [8]byte
	copy(eight[:], d.s)
	d.s = d.s[8:]
	return binary.LittleEndian.Uint64(eight[:])
}

// count is how many things follow, each of which takes a byte at least.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.s)) {
		d.bad, d.s = true, ""
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.count()
	s := d.s[:n]
	d.s = d.s[n:]
	return s
}

func micros(t *time.Time) int64 {
	if t == nil || t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOf(micros int64) *time.Time {
	if micros == 0 {
		return nil
	}
	t := time.UnixMicro(micros).UTC()
	return &t
}
