package export

import (
	"fmt"
	"io"

	"assay/corpus"
)

// MaxLine is the longest line that is read, in bytes. Longer ones are rejected, those after them are kept.
const MaxLine = 64 << 20

// Loss is one thing that a format could not hold.
type Loss struct {
	Field string `json:"field"`
	Rows  int    `json:"rows"` // how many rows of the gold set or run it touched
	Why   string `json:"why"`
}

// Reject is a line that was not accepted.
type Reject struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// Error is "file:line: reason".
func (r *Reject) Error() string { return fmt.Sprintf("%s:%d: %s", r.File, r.Line, r.Reason) }

// Stats count lines: Accepted + Rejected + Blank + Header are all lines. Repeats are accepted lines that say what an
// earlier one said, and were dropped.
type Stats struct {
	Accepted, Rejected, Blank, Header, Repeats int
	Rejects                                    []*Reject
}

// Format names a file format.
type Format string

// The formats.
const (
	Native     Format = "native"       // gold set, JSON Lines with a header
	BEIR       Format = "beir"         // corpus.jsonl, queries.jsonl, qrels/<split>.tsv
	TREC       Format = "trec"         // qrels
	TRECRun    Format = "trec-run"     // run
	CSV        Format = "csv"          // for spreadsheets
	RunLines   Format = "jsonl-run"    // {"query", "chunks"} a line
	LabelLines Format = "jsonl-labels" // {"query", "chunk", "annotator", "grade"} or {"query", "relevant", "tags"} a line
)

// Judgment is one grade as a file without anchors gives it. Annotator is "" where the file names none.
type Judgment struct {
	Line      int
	QueryID   string
	ChunkID   string
	Annotator string
	Grade     corpus.Grade
}

// Tag is a tag as a file gives it.
type Tag struct {
	Line    int
	QueryID string
	Tag     string
}

// Labels are what a file of labels held.
type Labels struct {
	File      string
	Format    Format
	Judgments []Judgment
	Tags      []Tag
	Queries   []string        // every query that the file names, in order of appearance
	Gold      *corpus.GoldSet // native files only; Judgments and Tags are then empty: see agreement.Split
	Warnings  []string
	Stats     Stats
}

// ReadOptions say how to read labels.
type ReadOptions struct {
	Format    Format // "" detects it from the content
	DecodeIDs bool   // undo EncodeIDs
}

// ReadLabels reads a file of labels: native, BEIR qrels, TREC qrels, or simple JSON Lines.
func ReadLabels(path string, opt ReadOptions) (Labels, error) { return Labels{}, nil }

// RunFile is a run that was read.
type RunFile struct {
	Run      corpus.Run
	Format   Format
	Hits     int
	Warnings []string
	Stats    Stats
}

// ReadRun reads a run: TREC or JSON Lines.
func ReadRun(path string, opt ReadOptions) (RunFile, error) { return RunFile{}, nil }

// WriteNative writes a gold set.
func WriteNative(w io.Writer, gold corpus.GoldSet) ([]Loss, error) { return nil, nil }

// TRECOptions say how to write qrels.
type TRECOptions struct {
	EncodeIDs bool // percent-encode what the format can't hold
	Binary    bool // write 1 from relevant_from on and 0 below
}

// WriteQrels writes the agreed grades as TREC qrels.
func WriteQrels(w io.Writer, gold corpus.GoldSet, opt TRECOptions) ([]Loss, error) { return nil, nil }

// WriteRun writes a run in TREC form with scores that fall strictly.
func WriteRun(w io.Writer, run corpus.Run, opt TRECOptions) ([]Loss, error) { return nil, nil }

// BEIROptions say what a BEIR folder holds.
type BEIROptions struct {
	Split  string                                     // "" is "test"
	Chunks func(yield func(corpus.Chunk, error) bool) // nil leaves corpus.jsonl out
}

// WriteBEIR writes a BEIR folder, each file atomically.
func WriteBEIR(dir string, gold corpus.GoldSet, opt BEIROptions) ([]Loss, error) { return nil, nil }

// CSVOptions say how to write CSV.
type CSVOptions struct {
	Guard bool // put ' before cells that a spreadsheet would run as formulas
}

// WriteCSV writes a line for each agreed grade.
func WriteCSV(w io.Writer, gold corpus.GoldSet, opt CSVOptions) ([]Loss, error) { return nil, nil }

// WriteFile replaces path with what write writes, whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error { return nil }
