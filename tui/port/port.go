// Package port declares what the terminal program needs done for it, as small interfaces over the domain's types.
//
// The screens know these and nothing else of the outside: not bbolt, not bleve, not files. cmd/assay satisfies them
// over the store and the index, tests over fakes in memory. Every method may block and is therefore called from a
// tea.Cmd only, never from Update or View; all must be safe to call from several goroutines. Import: corpus,
// corpus/retrieval.
package port

import (
	"context"
	"errors"
	"time"

	"assay/corpus"
)

// Desk reads and writes what one annotator says. A method that writes returns only when the change is on disk.
type Desk interface {
	// Workspace describes where the annotator is. It is read once, at start.
	Workspace() Workspace
	// Queue lists all queries, excluded ones too, in the order of their first import.
	Queue(ctx context.Context) ([]QueueRow, error)
	// Sheet is everything this annotator said about one query.
	Sheet(ctx context.Context, queryID string) (Sheet, error)
	// Grade saves a grade at once. CannotJudge is a grade too.
	Grade(ctx context.Context, g Grading) (Saved, error)
	// Clear takes the annotator's grade for the chunk away.
	Clear(ctx context.Context, queryID, chunkID string) (Saved, error)
	// Note sets the note of a graded chunk's label, or of the query where chunkID is "". "" removes it.
	Note(ctx context.Context, queryID, chunkID, text string) (Saved, error)
	// SetState says how far the annotator is with the query.
	SetState(ctx context.Context, queryID string, state corpus.State, reason string) (Saved, error)
	// Say adds or replaces a statement; Unsay removes it.
	Say(ctx context.Context, said corpus.Said) (Saved, error)
	Unsay(ctx context.Context, said corpus.Said) (Saved, error)
	// Tried records a search that the annotator read.
	Tried(ctx context.Context, search corpus.SearchTried) error
	// Undo reverts this annotator's newest change of this session that is not undone yet; Redo takes an undo back.
	// Both report ErrNothing where there is none.
	Undo(ctx context.Context) (Saved, error)
	Redo(ctx context.Context) (Saved, error)
	// AddQuery makes a written query; EditQuery changes a query's text; Exclude takes it out of the gold set or back in.
	AddQuery(ctx context.Context, text string) (Saved, error)
	EditQuery(ctx context.Context, queryID, text string) (Saved, error)
	Exclude(ctx context.Context, queryID string, excluded bool) (Saved, error)
	// Settle accepts guessed tags as the annotator's own, or rejects them. Either way they are guessed no more.
	Settle(ctx context.Context, accept bool, guesses []Guess) (Saved, error)
	// Split makes a variant of a query a query of its own; Join makes queries variants of another. Labels stay.
	Split(ctx context.Context, queryID, variantID string) (Saved, error)
	Join(ctx context.Context, intoID string, queryIDs []string) (Saved, error)
	// Draft keeps unfinished text under a name, e.g. "note/q1/c7"; "" removes it. Drafts lists them.
	Draft(ctx context.Context, name, text string) error
	Drafts(ctx context.Context) (map[string]string, error)
}

// Finder searches the corpus. Implementations honour ctx promptly.
type Finder interface {
	Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error)
	Chunk(ctx context.Context, chunkID string) (corpus.Chunk, error)
	// Document lists the chunks of a document in order. A chunk without a document is alone.
	Document(ctx context.Context, chunkID string) ([]corpus.Chunk, error)
	// Matches are the spans of text that a search lights up, in order, not overlapping.
	Matches(search string, mode corpus.Mode, text string) []corpus.Span
}

// Exporter writes the gold set to its default place.
type Exporter interface {
	Formats() []string
	// Export returns the paths written and one line for each thing that the format could not hold.
	Export(ctx context.Context, format string) (paths, losses []string, err error)
}

// ErrNothing says that there is nothing to undo or redo.
var ErrNothing = errors.New("nothing to undo")

// Workspace is what the screens show of it.
type Workspace struct {
	Name        string
	Annotator   string
	Scale       corpus.Scale
	CorpusID    string
	Chunks      int // 0 where nothing is indexed yet
	Guidelines  string
	AutoAdvance bool
	Mouse       bool
	Hint        []string // shown until the session's first grade, e.g. by the demo; may be empty
}

// QueueRow is a query with this annotator's progress and, for the gold set, anyone's.
type QueueRow struct {
	Query    corpus.Query
	State    corpus.State // this annotator's
	AnyDone  bool         // some annotator finished it
	Judged   int          // chunks that this annotator graded
	Relevant int          // of these, relevant ones
	Tags     []string     // this annotator's, sorted
}

// Sheet is one annotator's view of one query.
type Sheet struct {
	Query    corpus.Query
	State    corpus.State
	Labels   map[string]corpus.Label // by chunk id, of the corpus at hand
	Stale    map[string]bool         // labels whose chunk changed, is gone, or whose query was reworded since
	Said     []corpus.Said
	Searches []corpus.SearchTried
}

// Grading is a grade with how the annotator came to the chunk.
type Grading struct {
	QueryID string
	ChunkID string
	Grade   corpus.Grade
	Found   corpus.Found
	Active  time.Duration // time spent on it, idle excluded; 0 where unknown
}

// Saved says what a write did, in words for the status line, and where, so that undo can go there.
type Saved struct {
	QueryID string
	ChunkID string // "" where it was about the query as a whole
	Words   string // e.g. "graded 2 relevant", "took back: graded 2 relevant"
	Changed bool   // false where the store already said so: nothing was written
}
