package querylog

import (
	"iter"

	"assay/corpus"
	"assay/corpus/rows"
)

// Options override how a log's columns or keys are found. The zero value tries the common names.
type Options struct {
	IDField   string      // the column or key that holds the id
	TextField string      // the column or key that holds the query's text; "3" is the third column where there is no header
	Source    string      // what to record as each query's source where the log names none; "" for the log's file name
	Kind      corpus.Kind // of queries that state none; "" for Mined
}

// Asked is one accepted row of a log.
type Asked struct {
	Query   corpus.Query // with the count of this row alone
	Tags    []string
	File    string
	Line    int
	Derived bool // whether the id was made from the text, because the row gives none
}

// Read yields a log's rows one by one. A *rows.Reject is one bad row; the sequence goes on after it. Any other error
// is the last thing that it yields.
func Read(r *rows.Reader, opt Options) iter.Seq2[Asked, error] {
	return func(func(Asked, error) bool) {}
}
