package corpus

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"unicode/utf8"
)

// MaxIDLen is the longest identifier that is accepted, in bytes.
const MaxIDLen = 8 << 10

// CheckID reports why id can't be an identifier: it is empty, too long, or not valid UTF-8. Any other bytes are
// fine, spaces, slashes and control characters included.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the id is empty")
	case len(id) > MaxIDLen:
		return fmt.Errorf("the id is %d bytes long, more than %d", len(id), MaxIDLen)
	case !utf8.ValidString(id):
		return errors.New("the id is not valid UTF-8")
	}
	return nil
}

// Hash is a SHA-256 in 64 lower-case hex digits; "" means unknown.
type Hash string

// HashText is the SHA-256 of the text's bytes.
func HashText(text string) Hash {
	sum := sha256.Sum256([]byte(text))
	return Hash(hex.EncodeToString(sum[:]))
}

// Span is a half-open range of bytes [Start, End).
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Len is the span's length in bytes.
func (s Span) Len() int { return s.End - s.Start }

// Document is a decoded source text: UTF-8, no BOM, LF line ends.
type Document struct {
	ID    string
	Title string
	Text  string
	Hash  Hash // of Text
}

// Chunk is the piece of a document that a retriever returns.
type Chunk struct {
	ID      string
	DocID   string // "" where the source names no document
	DocHash Hash   // of the decoded document; "" where there is none to point into
	Span    *Span  // within the decoded document; nil where the source gives none
	Ordinal int    // 1 for a document's first chunk; 0 where unknown
	Title   string // heading path or title; may be empty
	Text    string
	Meta    json.RawMessage // the source's metadata, byte for byte; nil where there was none
}

// Hash is the SHA-256 of the chunk's text.
func (c Chunk) Hash() Hash { return HashText(c.Text) }

// Fingerprint identifies a corpus by its content: the SHA-256 over length-prefixed (id, SHA-256 of text) pairs,
// which must come sorted by id, bytewise. Two corpora with the same chunks have the same fingerprint however they
// were read.
func Fingerprint(chunks iter.Seq2[string, [sha256.Size]byte]) Hash {
	h := sha256.New()
	var n [8]byte
	for id, sum := range chunks {
		binary.BigEndian.PutUint64(n[:], uint64(len(id)))
		h.Write(n[:])
		h.Write([]byte(id))
		binary.BigEndian.PutUint64(n[:], uint64(len(sum)))
		h.Write(n[:])
		h.Write(sum[:])
	}
	return Hash(hex.EncodeToString(h.Sum(nil)))
}

// Source is a path that a corpus was read from, as the user gave it, with what overrode the reader's own guesses.
type Source struct {
	Path     string            `json:"path"`
	Format   string            `json:"format,omitempty"`
	Encoding string            `json:"encoding,omitempty"`
	Fields   map[string]string `json:"fields,omitempty"` // our name (id, text, title, document, metadata) → the source's column or key
}

// Info describes a corpus as a whole.
type Info struct {
	ID          string   `json:"id"`
	Fingerprint Hash     `json:"fingerprint"`
	Chunks      int      `json:"chunks"`
	Chunking    string   `json:"chunking,omitempty"` // how documents were cut, e.g. "markdown 1200/0"
	Sources     []Source `json:"sources,omitempty"`
}
