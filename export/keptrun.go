package export

import (
	"errors"
	"time"

	"assay/corpus"
)

// RunHeader says what a kept run came from.
type RunHeader struct {
	Name      string
	Retriever RunRetriever
	Depth     int         // how many chunks were asked for
	Corpus    corpus.Hash // fingerprint of the corpus at hand; "" where unknown
	Program   string
	Started   time.Time
}

// RunRetriever is what was asked, without its secrets: headers of requests are not among it.
type RunRetriever struct {
	Kind    string `json:"kind"` // "exec" or "http"
	Command string `json:"command,omitempty"`
	URL     string `json:"url,omitempty"`
	Method  string `json:"method,omitempty"`
	Body    string `json:"body,omitempty"`
	Hits    string `json:"hits,omitempty"`
	ID      string `json:"id,omitempty"`
	Score   string `json:"score,omitempty"`
}

// RunAnswer is a line of a kept run: what came back for one query.
type RunAnswer struct {
	QueryID  string
	Query    corpus.Hash    // of the text that was asked
	Ranking  corpus.Ranking // nil where there is an Err
	Latency  time.Duration  // 0 where unknown
	Attempts int
	At       time.Time
	Err      string // why there is no ranking
}

// ErrRunLocked says that another process is writing the run.
var ErrRunLocked = errors.New("another process is writing it")

// KeptRun is a run that is written as it comes in.
type KeptRun struct {
	Cut     int       // bytes of a last line that was torn, and cut off
	Rejects []*Reject // lines that can't be understood; they stay, and count for nothing
}

// OpenKeptRun opens a kept run for appending, or begins it.
func OpenKeptRun(path string, header RunHeader, now func() time.Time) (*KeptRun, map[string]RunAnswer, error) {
	return nil, nil, errors.New("not yet")
}

// Append writes an answer.
func (k *KeptRun) Append(a RunAnswer) error { return errors.New("not yet") }

// Close syncs and closes the file.
func (k *KeptRun) Close() error { return nil }

// Unanswered are the queries that are still to be asked: those that have no ranking yet, or had another text.
func Unanswered(queries []corpus.Query, known map[string]RunAnswer) []corpus.Query { return nil }
