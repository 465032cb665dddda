package remote

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/text"
)

// DefaultTimeout is how long a retriever may take for one answer, where nothing else is set.
const DefaultTimeout = 30 * time.Second

// MaxReply is the longest reply to one query that is read, in bytes, decompressed.
const MaxReply = 32 << 20

// Answer is what a retriever said about one query.
type Answer struct {
	QueryID  string
	Ranking  corpus.Ranking // sorted, no deeper than asked for; empty but not nil where nothing was found, nil where there is an Err
	Latency  time.Duration  // of the attempt that succeeded; 0 where it can't be told
	Attempts int            // how often the query was asked; 0 where it was not, or only behind one that was not answered
	Err      string         // why there is no ranking: one line, safe to show, without secrets; "" where there is one
}

// Retriever asks queries of something that lives elsewhere.
type Retriever interface {
	// Ask asks each query for its depth best chunks and hands over each answer as it comes, in any order, once a query,
	// never two at a time. A query that gets no ranking has an answer with Err; the error is about all of them: the
	// retriever can't be asked at all, ctx ended, or answered returned an error, which is passed on. What came back
	// before was handed over by then. Ids of the queries differ from each other.
	Ask(ctx context.Context, queries []corpus.Query, depth int, answered func(Answer) error) error
}

// checkQueries refuses what no retriever can be asked.
func checkQueries(queries []corpus.Query, depth int) error {
	if depth < 1 {
		return fmt.Errorf("ask for %d chunks: want at least 1", depth)
	}
	seen := make(map[string]bool, len(queries))
	for i := range queries {
		id := queries[i].ID
		if err := corpus.CheckID(id); err != nil {
			return fmt.Errorf("query %d: %w", i+1, err)
		}
		if seen[id] {
			return fmt.Errorf("query %s is to be asked twice", oneLine(id, 60))
		}
		seen[id] = true
	}
	return nil
}

// oneLine makes s safe to show in a message, and short.
func oneLine(s string, most int) string {
	s = strings.TrimSpace(s)
	cut := len(s) > most
	if cut {
		for most > 0 && !utf8.RuneStart(s[most]) {
			most--
		}
		s = s[:most]
	}
	s = text.Sanitize(s)
	if cut {
		s += "…"
	}
	return s
}
