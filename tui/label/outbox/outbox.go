package outbox

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/port"
	"assay/tui/screen"
)

// Kind says what a write is about.
type Kind int

// The kinds of write. Searches and drafts are not undone: they say nothing about the query.
const (
	Grade Kind = iota
	Clear
	Said
	Note
	State
	Undo
	Redo
	Search
	Draft
)

// Write is one change. Do runs in a tea.Cmd; of the rest, those that its kind needs are set.
type Write struct {
	ID      int // given by Add
	Kind    Kind
	Do      func(context.Context) (port.Saved, error)
	Words   string // what it is, where it failed or was dropped
	QueryID string
	ChunkID string
	Grade   corpus.Grade
	State   corpus.State
	Tried   corpus.SearchTried
	Text    string // of a note or an answer
	Draft   string // name of the draft that it makes superfluous
}

// Box is the queue. Its zero value is empty.
type Box struct {
	queue  []Write
	ids    int
	busy   bool // the head is under way
	slow   bool
	failed string
	landed int
}

// SlowAfter is how long a write may take before the screen says that it is under way.
const SlowAfter = 100 * time.Millisecond

// SavedMsg is what the port said to a write; SlowMsg says that one takes long. Hand them to Got and GotSlow.
type (
	SavedMsg struct {
		ID    int
		Saved port.Saved
		Err   error
	}
	SlowMsg struct{ ID int }
)

// Add queues a write, whose turn it is with the next call of Next. What failed before is tried again with it.
func (b *Box) Add(w Write) {
	b.ids++
	w.ID = b.ids
	b.queue = append(b.queue, w)
	b.failed = ""
}

// Len counts the writes that are not acknowledged.
func (b *Box) Len() int { return len(b.queue) }

// Changes counts those of them that say something about a query.
func (b *Box) Changes() int {
	n := 0
	for _, w := range b.queue {
		if w.Kind != Search && w.Kind != Draft {
			n++
		}
	}
	return n
}

// Failed says why the head failed; "" where it did not.
func (b *Box) Failed() string { return b.failed }

// Slow reports whether the head takes long.
func (b *Box) Slow() bool { return b.slow }

// Landed counts acknowledged writes: whatever was read while it grew may be older than what landed.
func (b *Box) Landed() int { return b.landed }

// Retry lets Next try the failed head again.
func (b *Box) Retry() { b.failed = "" }

// Next starts the head where nothing is under way.
func (b *Box) Next(tick screen.Tick) tea.Cmd {
	if b.busy || b.failed != "" || len(b.queue) == 0 {
		return nil
	}
	b.busy, b.slow = true, false
	w := b.queue[0]
	return tea.Batch(
		func() tea.Msg {
			saved, err := w.Do(context.Background())
			return SavedMsg{w.ID, saved, err}
		},
		tick(SlowAfter, func(time.Time) tea.Msg { return SlowMsg{w.ID} }),
	)
}

// GotSlow notes that the head takes long, if it still does.
func (b *Box) GotSlow(m SlowMsg) {
	if b.busy && len(b.queue) > 0 && b.queue[0].ID == m.ID {
		b.slow = true
	}
}

// Got takes the port's answer. done is true, and the write is out of the box, where it is on disk or where drop says of
// its error that it needs no second try.
func (b *Box) Got(m SavedMsg, drop func(error) bool) (w Write, done bool) {
	if !b.busy || len(b.queue) == 0 || b.queue[0].ID != m.ID {
		return Write{}, false
	}
	b.busy, b.slow = false, false
	w = b.queue[0]
	if m.Err != nil && !drop(m.Err) {
		b.failed = m.Err.Error()
		return w, false
	}
	b.queue = b.queue[1:]
	if m.Err == nil {
		b.landed++
	}
	return w, true
}

// Drop takes the newest change that is not under way out of the box: an undo of what was never saved. An undo that
// waits is not dropped by the next, since two are two steps back.
func (b *Box) Drop() (Write, bool) {
	for i := len(b.queue) - 1; i >= 0; i-- {
		w := b.queue[i]
		headFailed := i == 0 && b.failed != ""
		switch {
		case i == 0 && b.busy:
			return Write{}, false
		case (w.Kind == Undo || w.Kind == Redo) && b.failed == "":
			return Write{}, false
		case (w.Kind == Search || w.Kind == Draft) && !headFailed:
			continue
		}
		b.queue = append(b.queue[:i:i], b.queue[i+1:]...)
		if i == 0 {
			b.failed = ""
		}
		return w, true
	}
	return Write{}, false
}

// GradeOf is the newest grade, or clearing of one, of a chunk that is not on disk yet.
func (b *Box) GradeOf(queryID, chunkID string) (Write, bool) {
	return b.newest(func(w Write) bool {
		return (w.Kind == Grade || w.Kind == Clear) && w.QueryID == queryID && w.ChunkID == chunkID
	})
}

// StateOf is the newest state of a query that is not on disk yet.
func (b *Box) StateOf(queryID string) (corpus.State, bool) {
	w, ok := b.newest(func(w Write) bool { return w.Kind == State && w.QueryID == queryID })
	return w.State, ok
}

func (b *Box) newest(is func(Write) bool) (Write, bool) {
	for i := len(b.queue) - 1; i >= 0; i-- {
		if is(b.queue[i]) {
			return b.queue[i], true
		}
	}
	return Write{}, false
}
