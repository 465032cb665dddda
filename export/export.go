package export

import (
	"assay/corpus/rows"
)

// MaxLine is the longest line that is read, in bytes. Longer ones are rejected, those after them are kept.
const MaxLine = rows.DefaultMaxLine

// Format names a file format.
type Format string

// The formats.
const (
	Native     Format = "native"       // gold set, JSON Lines with a header
	BEIR       Format = "beir"         // corpus.jsonl, queries.jsonl, qrels/<split>.tsv; or such a .tsv alone
	TREC       Format = "trec"         // qrels
	TRECRun    Format = "trec-run"     // run
	CSV        Format = "csv"          // for spreadsheets
	RunLines   Format = "jsonl-run"    // run, {"query", "chunks"} a line
	LabelLines Format = "jsonl-labels" // {"query", "chunk", "annotator", "grade"} or {"query", "relevant", "tags"} a line
)

// Loss is one thing that a format could not hold.
type Loss struct {
	Field string `json:"field"`
	Rows  int    `json:"rows"` // how many rows of the gold set, or lines of the file, it touched
	Why   string `json:"why"`
}

// Reject is a line that was not accepted.
type Reject = rows.Reject

// Stats count lines: Accepted + Rejected + Blank + Header is all of them. Repeats are accepted lines that say what an
// earlier one said, and were dropped.
type Stats struct {
	Accepted int
	Rejected int
	Blank    int // empty lines and comments
	Header   int // lines that name columns or describe the file
	Repeats  int
	Rejects  []*Reject
}

// reject counts a bad line.
func (s *Stats) reject(r *Reject) {
	s.Rejected++
	s.Rejects = append(s.Rejects, r)
}
