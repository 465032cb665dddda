package store

import (
	"context"
	"errors"
	"time"

	"assay/corpus"
)

var errUnbuilt = errors.New("not built yet")

// Options say how a file is opened. The zero value opens an existing one.
type Options struct {
	Create  bool             // make the file where there is none; without it a missing file is ErrNone
	Now     func() time.Time // nil: time.Now
	Process string           // 32 hex digits that name the writing process; "": random
	Program string           // what writes, e.g. "assay 0.1.0"; kept in each event
}

// DB is an open labels file. It is safe for concurrent use.
type DB struct{}

// Open opens the file for its single writer.
func Open(path string, opt Options) (*DB, error) { return nil, errUnbuilt }

// OpenCopy opens a private, read-only copy of the file as its last transaction left it, without a lock.
func OpenCopy(path string, opt Options) (*DB, error) { return nil, errUnbuilt }

// Close gives the lock back. It may be called again.
func (db *DB) Close() error { return errUnbuilt }

// WorkspaceID is the random id that the file was given when it was made; copies share it.
func (db *DB) WorkspaceID() string { return "" }

// ReadOnly reports whether the DB came from OpenCopy.
func (db *DB) ReadOnly() bool { return false }

// Author says who writes, and in what circumstances.
type Author struct {
	Annotator  string        // "": the annotator that the change is about
	Role       string        // e.g. "annotator", "import", "adjudicator"
	Guidelines corpus.Hash   // of the guidelines in force; given to labels that name none
	Batch      string        // groups the changes of one import; "" for none
	Active     time.Duration // time spent on it, idle excluded
}

// Change is one thing to write, made by PutQuery, PutLabel and so on.
type Change struct{}

func PutQuery(q corpus.Query) Change                                       { return Change{} }
func PutLabel(l corpus.Label, found corpus.Found, chunkText string) Change { return Change{} }
func ClearLabel(key corpus.LabelKey) Change                                { return Change{} }
func PutWork(w corpus.Work) Change                                         { return Change{} }
func PutSaid(s corpus.Said) Change                                         { return Change{} }
func DropSaid(s corpus.Said) Change                                        { return Change{} }
func AddSearch(s corpus.SearchTried) Change                                { return Change{} }
func SetScale(s corpus.Scale) Change                                       { return Change{} }
func PutCorpus(info corpus.Info) Change                                    { return Change{} }
func (db *DB) Write(ctx context.Context, by Author, changes ...Change) ([]corpus.Event, error) {
	return nil, errUnbuilt
}
func (db *DB) Undo(ctx context.Context, by Author, id corpus.EventID) (corpus.Event, error) {
	return corpus.Event{}, errUnbuilt
}
func (db *DB) UndoBatch(ctx context.Context, by Author, batch string) (reverted int, kept []corpus.Event, err error) {
	return 0, nil, errUnbuilt
}

// Errors that a caller decides on.
var (
	ErrNone         = errors.New("there is no labels file")
	ErrBusy         = errors.New("the labels file changes too fast to be copied")
	ErrReadOnly     = errors.New("the labels file is open for reading only")
	ErrChangedSince = errors.New("it was changed since")
	ErrNoEvent      = errors.New("there is no such event")
	ErrNoBatch      = errors.New("there is no such batch")
)

// LockedError says who holds the file. PID is 0 where that is not known.
type LockedError struct {
	Path  string
	PID   int
	Host  string
	Since time.Time
}

func (e *LockedError) Error() string { return "locked" }
func (e *LockedError) Hint() string  { return "" }

// DamagedError says what is wrong with a file that can't be used, and names the newest backup, "" where there is none.
type DamagedError struct {
	Path   string
	Reason string
	Backup string
}

func (e *DamagedError) Error() string { return "damaged" }
func (e *DamagedError) Hint() string  { return "" }

// NewerError says that a newer program wrote the file.
type NewerError struct {
	Path      string
	Has, Know int
}

func (e *NewerError) Error() string { return "newer" }
func (e *NewerError) Hint() string  { return "" }

// Queries lists all queries in the order of their first import.
func (db *DB) Queries() ([]corpus.Query, error)              { return nil, errUnbuilt }
func (db *DB) Query(id string) (corpus.Query, bool, error)   { return corpus.Query{}, false, errUnbuilt }
func (db *DB) Labels(queryID string) ([]corpus.Label, error) { return nil, errUnbuilt }
func (db *DB) Label(key corpus.LabelKey) (corpus.Label, bool, error) {
	return corpus.Label{}, false, errUnbuilt
}
func (db *DB) EachLabel(ctx context.Context, fn func(corpus.Label) error) error { return errUnbuilt }

// EachGrade is EachLabel for callers that need the grade only; it decodes nothing.
func (db *DB) EachGrade(ctx context.Context, fn func(corpus.LabelKey, corpus.Grade) error) error {
	return errUnbuilt
}
func (db *DB) Work(annotator, queryID string) (corpus.Work, bool, error) {
	return corpus.Work{}, false, errUnbuilt
}
func (db *DB) EachWork(ctx context.Context, fn func(corpus.Work) error) error { return errUnbuilt }
func (db *DB) Said(queryID string) ([]corpus.Said, error)                     { return nil, errUnbuilt }
func (db *DB) EachSaid(ctx context.Context, fn func(corpus.Said) error) error { return errUnbuilt }
func (db *DB) Searches(queryID string) ([]corpus.SearchTried, error)          { return nil, errUnbuilt }
func (db *DB) EachSearch(ctx context.Context, fn func(corpus.SearchTried) error) error {
	return errUnbuilt
}

// Scale is the one in force; ScaleByID any that ever was.
func (db *DB) Scale() (corpus.Scale, bool, error) { return corpus.Scale{}, false, errUnbuilt }
func (db *DB) ScaleByID(id string) (corpus.Scale, bool, error) {
	return corpus.Scale{}, false, errUnbuilt
}

// CurrentCorpus is the one at hand; Corpus any that ever was.
func (db *DB) CurrentCorpus() (corpus.Info, bool, error)   { return corpus.Info{}, false, errUnbuilt }
func (db *DB) Corpus(id string) (corpus.Info, bool, error) { return corpus.Info{}, false, errUnbuilt }

// Text is the text of a labeled chunk by its hash.
func (db *DB) Text(hash corpus.Hash) (string, bool, error) { return "", false, errUnbuilt }

// Events lists up to limit events after a local sequence number, oldest first.
func (db *DB) Events(after uint64, limit int) ([]corpus.Event, error) { return nil, errUnbuilt }

// EventsBy lists up to limit of an annotator's events before a local sequence number (0: the end), newest first.
func (db *DB) EventsBy(annotator string, before uint64, limit int) ([]corpus.Event, error) {
	return nil, errUnbuilt
}
func (db *DB) Event(id corpus.EventID) (corpus.Event, error) { return corpus.Event{}, errUnbuilt }

// Drafts are an annotator's unfinished texts by name. They are not events.
func (db *DB) Drafts(annotator string) (map[string]string, error)               { return nil, errUnbuilt }
func (db *DB) PutDraft(ctx context.Context, annotator, name, text string) error { return errUnbuilt }
func (db *DB) DropDraft(ctx context.Context, annotator, name string) error      { return errUnbuilt }

// Batch describes the changes that were written under one batch id.
type Batch struct {
	ID         string
	First      time.Time // of its events' At by the clock that wrote them
	Last       time.Time
	Annotators []string // who wrote it, sorted
	Kinds      map[corpus.EventKind]int
	Events     int
	Reverts    string // the batch that this one undoes, "" where it is no undo
	Reverted   int    // how many of its events UndoBatch took back and nobody put back since
}

// Undone reports whether UndoBatch took any of it back.
func (b Batch) Undone() bool { return b.Reverted > 0 }

func (db *DB) Batches() ([]Batch, error) { return nil, errUnbuilt }

// Counts says how much there is.
type Counts struct {
	Queries, Excluded int
	Done              int // queries, excluded ones aside, that some annotator finished
	Labels            int
	Labeled           int // queries with a label
	Said, Searches    int
	Events            uint64
	Annotators        map[string]AnnotatorCounts
}

// AnnotatorCounts says how much one annotator did.
type AnnotatorCounts struct {
	Labels int
	States map[corpus.State]int // queries not listed are open
}

func (db *DB) Counts() (Counts, error)                 { return Counts{}, errUnbuilt }
func (db *DB) LabelsFingerprint() (corpus.Hash, error) { return "", errUnbuilt }

// VerifyReport says whether the state equals a replay of all events.
type VerifyReport struct {
	Events      int
	Subjects    int
	Texts       int
	Differences []Difference // the first hundred
	Total       int          // of all differences
}

// Clean reports whether there is no difference.
func (r VerifyReport) Clean() bool { return r.Total == 0 }

// Difference is one key where state and replay disagree.
type Difference struct {
	Path string // bucket names and key, quoted where they are not plain
	What string // "missing", "unexpected", "differs", or a sentence
}

func (db *DB) Verify(ctx context.Context) (VerifyReport, error) { return VerifyReport{}, errUnbuilt }
