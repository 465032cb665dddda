package mine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
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

	words words
}

// words are texts that many records share: the names of sources, kinds, languages.
type words map[string]string

func (w words) text(b []byte) string {
	if s, ok := w[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(w) < 1000 {
		w[s] = s
	}
	return s
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

// rest is what few rows have, as JSON.
type rest struct {
	Turns     []corpus.Turn `json:"turns,omitempty"`
	Parent    string        `json:"parent,omitempty"`
	Alone     string        `json:"alone,omitempty"`
	Reference string        `json:"reference,omitempty"`
	Stratum   string        `json:"stratum,omitempty"`
	Weight    *float64      `json:"weight,omitempty"`
	Tags      []string      `json:"tags,omitempty"`
}

var errCutOff = errors.New("a temporary file is cut off")

// append encodes the record behind b.
func (r *record) append(b []byte) ([]byte, error) {
	q := &r.query
	b = binary.AppendUvarint(b, r.seq)
	b = binary.AppendUvarint(b, r.user)
	b = binary.AppendVarint(b, int64(r.source))
	b = binary.AppendVarint(b, int64(r.line))
	b = binary.AppendVarint(b, r.at)
	b = append(b, byte(r.flags))
	b = appendText(b, q.ID)
	b = appendText(b, q.Text)
	b = binary.AppendVarint(b, int64(q.Count))
	b = appendText(b, string(q.Kind))
	b = appendText(b, q.Source)
	b = appendText(b, q.Language)
	b = binary.AppendVarint(b, micros(q.FirstSeen))
	b = binary.AppendVarint(b, micros(q.LastSeen))
	b = binary.AppendUvarint(b, uint64(len(r.asked)))
	for _, a := range r.asked {
		b = binary.AppendVarint(b, int64(a.Source))
		b = binary.AppendVarint(b, int64(a.Count))
	}
	var more []byte
	if q.Turns != nil || q.ParentID != "" || q.Standalone != "" || q.ReferenceAnswer != "" || q.Stratum != "" || q.Weight != nil || r.tags != nil {
		var err error
		more, err = json.Marshal(rest{q.Turns, q.ParentID, q.Standalone, q.ReferenceAnswer, q.Stratum, q.Weight, r.tags})
		if err != nil {
			return nil, err
		}
	}
	b = appendText(b, string(more))
	b = appendText(b, q.Group)
	return appendText(b, string(r.raw)), nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode reads a record. Its texts are copies.
func (r *record) decode(b []byte) error {
	d := decoder{b: b}
	if r.words == nil {
		r.words = words{}
	}
	*r = record{words: r.words, seq: d.uint(), user: d.uint(), source: int(d.int()), line: int(d.int()), at: d.int(), flags: flags(d.byte())}
	q := &r.query
	q.ID, q.Text = d.text(), d.text()
	q.Count = int(d.int())
	q.Kind, q.Source, q.Language = corpus.Kind(r.words.text(d.bytes())), r.words.text(d.bytes()), r.words.text(d.bytes())
	first, last := d.int(), d.int()
	q.FirstSeen = timeOf(first)
	if q.LastSeen = q.FirstSeen; last != first {
		q.LastSeen = timeOf(last)
	}
	if n := d.uint(); n > 0 && n < 1<<20 && !d.bad {
		r.asked = make([]frame.Asked, n)
		for i := range r.asked {
			r.asked[i] = frame.Asked{Source: int(d.int()), Count: int(d.int())}
		}
	}
	if more := d.bytes(); len(more) > 0 && !d.bad {
		var x rest
		if err := json.Unmarshal(more, &x); err != nil {
			return err
		}
		q.Turns, q.ParentID, q.Standalone, q.ReferenceAnswer, q.Stratum, q.Weight, r.tags = x.Turns, x.Parent, x.Alone, x.Reference, x.Stratum, x.Weight, x.Tags
	}
	q.Group = d.text()
	if raw := d.bytes(); len(raw) > 0 {
		r.raw = append([]byte(nil), raw...)
	}
	if d.bad {
		return errCutOff
	}
	return nil
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.b)
	return n * d.took(size)
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	return n * int64(d.took(size))
}

// took moves on, and is 0 where there was nothing to take.
func (d *decoder) took(size int) uint64 {
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[size:]
	return 1
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) bytes() []byte {
	n := d.uint()
	if d.bad || n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) text() string { return string(d.bytes()) }

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
