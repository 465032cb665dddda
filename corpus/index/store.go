package index

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"assay/corpus"
	"assay/corpus/index/internal/texts"
	"assay/corpus/index/internal/words"
)

// store writes the texts of one build: a segment of chunks, a segment of documents.
type store struct {
	folder  string
	segment uint32
	create  func(string) (texts.File, error)
	chunks  *texts.Writer
	docs    *texts.Writer
	docList []texts.Doc
	docSeen map[[32]byte]bool
	record  []byte
}

func newStore(folder string, create func(string) (texts.File, error), segment uint32) *store {
	return &store{folder: folder, segment: segment, create: create, docSeen: map[[32]byte]bool{}}
}

func (s *store) writer(w **texts.Writer, kind string) error {
	if *w != nil {
		return nil
	}
	f, err := s.create(segmentPath(s.folder, kind, s.segment))
	if err != nil {
		return err
	}
	if *w, err = texts.NewWriter(f, s.segment); err != nil {
		f.Close()
		*w = nil
	}
	return err
}

// encode is a chunk's record, good until the next one.
func (s *store) encode(c corpus.Chunk) []byte {
	s.record = texts.AppendChunk(s.record[:0], c)
	return s.record
}

// chunk keeps a chunk's record.
func (s *store) chunk(record []byte) (texts.Ref, error) {
	if err := s.writer(&s.chunks, textSegment); err != nil {
		return texts.Ref{}, err
	}
	return s.chunks.Append(record)
}

// document keeps a document once and reports whether it is new here.
func (s *store) document(d corpus.Document) (bool, error) {
	sum := sha256.Sum256([]byte(d.Text))
	if d.Hash != "" && string(d.Hash) != hex.EncodeToString(sum[:]) {
		return false, fmt.Errorf("document %q: its hash is not that of its text", words.Cut(d.ID, 80))
	}
	if s.docSeen[sum] {
		return false, nil
	}
	if err := s.writer(&s.docs, docSegment); err != nil {
		return false, err
	}
	ref, err := s.docs.Append([]byte(d.Text))
	if err != nil {
		return false, err
	}
	s.docSeen[sum] = true
	s.docList = append(s.docList, texts.Doc{Hash: sum, Text: ref})
	return true, nil
}

// close makes the segments whole and adds them to the content.
func (s *store) close(c *content) error {
	c.docs = append(c.docs, s.docList...)
	if s.chunks != nil {
		c.texts = append(c.texts, s.segment)
		w := s.chunks
		s.chunks = nil
		if err := w.Close(); err != nil {
			return err
		}
	}
	if s.docs != nil {
		c.files = append(c.files, s.segment)
		w := s.docs
		s.docs = nil
		return w.Close()
	}
	return nil
}

func (s *store) abandon() {
	for _, w := range []*texts.Writer{s.chunks, s.docs} {
		if w != nil {
			w.Close()
		}
	}
	s.chunks, s.docs = nil, nil
}
