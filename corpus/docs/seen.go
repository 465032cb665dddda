package docs

import (
	"crypto/sha256"
	"encoding/binary"

	"assay/corpus"
	"assay/corpus/text"
)

// seen remembers which chunks were read, and where, in about 80 bytes a chunk: ids and texts are kept as hashes, but for
// ids that are not their own fold.
type seen struct {
	byFold map[[16]byte]sighting // by the id as text.Folded gives it
	alike  map[[16]byte]sighting // by the id itself, of those whose fold was taken
	ids    map[[16]byte]string   // by the fold, the id that took it
	files  []string
}

// sighting is where a chunk was first read.
type sighting struct {
	id      uint64 // hash of the id itself
	content [12]byte
	extra   uint32 // hash of title, document and metadata
	file    int32
	line    int32
}

func newSeen() *seen {
	return &seen{byFold: map[[16]byte]sighting{}, alike: map[[16]byte]sighting{}, ids: map[[16]byte]string{}}
}

// verdict is what there is to say about a chunk's id.
type verdict struct {
	known   bool // another chunk has it
	same    bool // and is the same in all
	differs string
	first   Place  // where that one is
	alike   string // the id is new, and looks like this one
}

// meet remembers the chunk, unless its id is known.
func (s *seen) meet(c corpus.Chunk, at Place) verdict {
	own := sha256.Sum256([]byte(c.ID))
	now := sighting{id: binary.BigEndian.Uint64(own[:]), file: s.file(at.File), line: int32(at.Line)}
	content := sha256.Sum256([]byte(c.Text))
	copy(now.content[:], content[:])
	now.extra = extraHash(c)

	folded := text.Folded(c.ID)
	fold, exact := short(sha256.Sum256([]byte(folded))), short(own)
	first, taken := s.byFold[fold]
	if !taken {
		s.byFold[fold] = now
		if folded != c.ID {
			s.ids[fold] = c.ID
		}
		return verdict{}
	}
	if first.id != now.id {
		var known bool
		if first, known = s.alike[exact]; !known {
			s.alike[exact] = now
			id, odd := s.ids[fold]
			if !odd {
				id = folded
			}
			return verdict{alike: id, first: s.place(s.byFold[fold])}
		}
	}
	v := verdict{known: true, first: s.place(first)}
	switch {
	case first.content != now.content:
		v.differs = "text"
	case first.extra != now.extra:
		v.differs = "title, document or metadata"
	default:
		v.same = true
	}
	return v
}

func (s *seen) place(g sighting) Place { return Place{s.files[g.file], int(g.line)} }

// file numbers a file. Chunks come file by file, so the last one is nearly always it.
func (s *seen) file(name string) int32 {
	if n := len(s.files); n == 0 || s.files[n-1] != name {
		s.files = append(s.files, name)
	}
	return int32(len(s.files) - 1)
}

func short(sum [sha256.Size]byte) (b [16]byte) {
	copy(b[:], sum[:])
	return b
}

func extraHash(c corpus.Chunk) uint32 {
	if c.Title == "" && c.DocID == "" && c.Meta == nil {
		return 0
	}
	h := sha256.New()
	for _, part := range []string{c.Title, c.DocID, string(c.Meta)} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		h.Write([]byte(part))
	}
	return binary.BigEndian.Uint32(h.Sum(nil))
}
