package converse

import (
	"time"

	"assay/corpus"
)

// Row is one thing that a user asked.
type Row struct {
	Text  string
	At    time.Time     // zero where unknown
	Chat  bool          // from a chat or trace, where position alone tells that a row follows on another; else a search log
	Turns []corpus.Turn // the turns before it as the log itself gives them; nil where it gives none
}

// Place is where a row stands.
type Place struct {
	Conversation int  // from 0, in order of their first rows
	FollowUp     bool // it can't be understood without the rows before it
	Parent       int  // the row that it follows on; -1 where it follows on none
	First        int  // the first row of the turns before it: those from First up to the row itself
}

// DefaultGap ends a conversation where only user and time are known.
const DefaultGap = 30 * time.Minute

// Places puts one user's or session's rows, in order, into conversations: a longer silence than gap begins a new one
// (0: the rows are one conversation, since a trace or session id says so).
func Places(rows []Row, gap time.Duration) []Place { return make([]Place, len(rows)) }
