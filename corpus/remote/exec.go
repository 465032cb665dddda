package remote

import (
	"context"
	"io"
	"time"

	"assay/corpus"
)

// Exec asks a command: one process answers all queries. It is started through the shell.
type Exec struct {
	Command string
	Dir     string        // "" for the current one
	Env     []string      // "NAME=value"; nil for this process's own
	Timeout time.Duration // for the next answer to come; 0 for DefaultTimeout
	Window  int           // how many queries are in flight at once; 0 for 1
	Stderr  io.Writer     // gets what the command writes there, line by line, made safe to show; may be nil
	Warn    func(string)  // gets what is odd but costs no query its answer, one line each; may be nil
}

// Check says what is wrong with the settings.
func (e Exec) Check() error { return nil }

// Ask runs the command. See Retriever.
func (e Exec) Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(Answer) error) error {
	return nil
}
