package docs

import (
	"fmt"

	"assay/corpus"
	"assay/corpus/rows"
)

// DefaultSize is the size of chunks where none is set, in bytes.
const DefaultSize = 1200

// The bounds of a Chunking.
const (
	minSize = 16
	maxSize = 1 << 20
)

// Chunking says how documents are cut. The zero value is DefaultSize without overlap.
type Chunking struct {
	Size    int // the longest chunk, in bytes of the decoded document
	Overlap int // how many bytes of whole sentences or blocks a chunk may repeat from the one before; at most half of Size
}

func (c Chunking) orDefault() Chunking {
	if c.Size == 0 {
		c.Size = DefaultSize
	}
	return c
}

// Check reports what makes the settings unusable.
func (c Chunking) Check() error {
	c = c.orDefault()
	switch {
	case c.Size < minSize || c.Size > maxSize:
		return fmt.Errorf("chunking: size %d is not between %d and %d bytes", c.Size, minSize, maxSize)
	case c.Overlap < 0 || c.Overlap > c.Size/2:
		return fmt.Errorf("chunking: overlap %d is not between 0 and %d, half of size", c.Overlap, c.Size/2)
	}
	return nil
}

// String names the chunking as corpus.Info records it: "markdown 1200/0".
func (c Chunking) String() string {
	c = c.orDefault()
	return fmt.Sprintf("markdown %d/%d", c.Size, c.Overlap)
}

// Options say how to read. The zero value is fine.
type Options struct {
	Chunking Chunking
	Encoding string                  // of sources that name none themselves
	MaxLine  int                     // of rows, in bytes; 0 for rows.DefaultMaxLine
	Progress func(done, total int64) // bytes of the files; may be nil
}

// Sink takes what is read: a document first, then its chunks in order. Chunks that came as rows have no document.
// What it returns ends the reading.
type Sink interface {
	Document(corpus.Document) error
	Chunk(corpus.Chunk) error
}

// MaxListed is how many rejects, repeats, look-alikes and empty chunks a Summary lists each. All are counted, and
// skipped files and notes are listed whatever their number.
const MaxListed = 10_000

// Summary says what came of the sources.
type Summary struct {
	Sources   []SourceSummary
	Documents int // files that were cut into chunks
	Chunks    int // kept, from rows and from documents

	Empty     []string // ids of chunks without text, which are kept
	EmptyRows int

	Rejects  []*rows.Reject // rows that were refused, conflicts included
	Rejected int

	Repeats  []Repeat // rows that say again what an earlier one says, dropped
	Repeated int

	Conflicts []Conflict // rows refused because their id stands for something else already

	Alike      []Alike // chunks whose ids differ by case or Unicode normalisation only, kept
	AlikeCount int

	Skipped []Skipped // files and folders that were not read, source by source, in the order of their paths
	Notes   []Note    // what was wrong with files that were read all the same
}

// SourceSummary counts what one source held. For rows, Accepted + Repeated + Rejected is their number, without the Blank.
type SourceSummary struct {
	Source    corpus.Source
	Kind      Kind
	Format    string // of rows: jsonl, json, csv, tsv, lines
	Encoding  string // of rows: utf-8, utf-16le, windows-1252 …
	Documents int
	Chunks    int
	Skipped   int
	Accepted  int
	Repeated  int
	Rejected  int
	Blank     int
}

// Kind says what a source is.
type Kind string

// The kinds of source.
const (
	KindRows   Kind = "rows"
	KindFile   Kind = "document"
	KindFolder Kind = "folder"
)

// Place is a line of a file; Line is 0 where the file as a whole is meant.
type Place struct {
	File string
	Line int
}

// String is "file:line".
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Repeat is a row that was dropped because it equals an earlier one.
type Repeat struct {
	ID           string
	First, Again Place
}

// Conflict is an id that two rows give to different chunks. The first is kept.
type Conflict struct {
	ID           string
	First, Again Place
	What         string // what differs: "text", or "title, document or metadata"
}

// Alike are two ids that differ by case or Unicode normalisation only. Both chunks are kept. Of a document's chunks only
// the first is looked at.
type Alike struct {
	First, Second string
	FirstAt, At   Place
}

// Skipped is a file or folder that was not read.
type Skipped struct {
	Path   string
	Reason string
	Hint   string // what to do about it; may be empty
}

// Note is what was wrong with a file that was read all the same.
type Note struct {
	Place
	Text string
}

// SourceError says why a source can't be read at all.
type SourceError struct {
	Path   string
	Reason string
	Advice string // what to do; may be empty
	Err    error  // the cause; may be nil
}

// Error is "read source path: reason".
func (e *SourceError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("read source %s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("read source %s: %s", e.Path, e.Reason)
}

// Unwrap is the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// Hint is what to do about it.
func (e *SourceError) Hint() string { return e.Advice }
