package converse

import (
	"time"

	"assay/corpus"
)

// Row is one thing that a user asked.
type Row struct {
	Text  string
	At    time.Time     // zero where unknown
	Chat  bool          // from a chat or trace rather than a search box
	Turns []corpus.Turn // the turns before it as the log itself gives them; nil where it gives none
}

// Place is where a row stands.
type Place struct {
	Conversation int  // from 0, in order of their first rows
	FollowUp     bool // it can't be understood without what came before it
	Parent       int  // the row that it follows on; -1 where it follows on none, or on turns of its own
	First        int  // where the turns before it begin: the rows First to Parent; its own position where Parent is -1
}

// DefaultGap ends a conversation where only user and time are known.
const DefaultGap = 30 * time.Minute

// mostTurns is how many rows before a follow-up are kept as its turns. An earlier subject of a long chat explains nothing.
const mostTurns = 6

// Places puts one user's or session's rows, in order, into conversations. A longer silence than gap begins a new one,
// and so does a row of unknown time; with gap 0 the rows are one conversation, since a trace or session id says so.
// The row before is the one that a follow-up follows on; its turns go back to the last row that stands by itself,
// at most six of them. A row that asks the very same again is no follow-up.
func Places(rows []Row, gap time.Duration) []Place {
	places := make([]Place, len(rows))
	begin, conversation := 0, -1
	for i, r := range rows {
		if i == 0 || parts(rows[i-1], r, gap) {
			begin, conversation = i, conversation+1
		}
		p := Place{Conversation: conversation, Parent: -1, First: i}
		switch {
		case len(r.Turns) > 0:
			p.FollowUp = leans(r.Text, r.Chat || hasAnswer(r.Turns))
		case i > begin && leans(r.Text, r.Chat) && !repeats(rows[i-1].Text, r.Text):
			p.FollowUp, p.Parent, p.First = true, i-1, i-1
			if before := places[i-1]; before.FollowUp && before.Parent >= 0 {
				p.First = max(before.First, i-mostTurns)
			}
		}
		places[i] = p
	}
	return places
}

// parts reports whether a new conversation begins with b.
func parts(a, b Row, gap time.Duration) bool {
	return gap > 0 && (a.At.IsZero() || b.At.IsZero() || b.At.Sub(a.At) > gap)
}

// hasAnswer reports whether the turns are those of a chat.
func hasAnswer(turns []corpus.Turn) bool {
	for _, t := range turns {
		if t.Role != "user" && t.Role != "human" {
			return true
		}
	}
	return false
}
