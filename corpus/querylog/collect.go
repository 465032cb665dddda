package querylog

import (
	"assay/corpus"
	"assay/corpus/rows"
)

// Log is what a file of queries says, each query once.
type Log struct {
	Queries   []corpus.Query      // in the order of their first row; Count is how often each was asked, Order its place from 1
	Tags      map[string][]string // by query id, for queries that the log tags
	Lines     map[string]int      // by query id: the line of its first row
	Repeats   int                 // accepted rows that ask a query again
	Conflicts []Conflict          // rows refused because their id already stands for another text
	Rejects   []*rows.Reject      // the first MaxRejects refused rows, conflicts included
	Rows      Counts
	Stats     rows.Stats // what the reader of rows counted, before this room looked at them
}

// MaxRejects is how many rejects a Log keeps. All are counted.
const MaxRejects = 1000

// Counts of a log's rows. Accepted + Rejected + Blank is all of them.
type Counts struct {
	Accepted, Rejected, Blank int
}

// Conflict is an id that two rows give to different texts. The first is kept.
type Conflict struct {
	ID                    string
	KeptLine, Line        int
	KeptText, RefusedText string
}

// Collect reads a whole log. Rows with the same given id and the same text, and rows without an id whose texts match,
// are one query asked several times.
func Collect(r *rows.Reader, opt Options) (Log, error) { return Log{}, nil }
