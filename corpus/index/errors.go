package index

import (
	"errors"
	"fmt"
	"time"
)

// ErrNone says that nothing was indexed yet.
var ErrNone = errors.New("nothing is indexed yet")

// ErrNoChunk says that the corpus holds no chunk of that id.
var ErrNoChunk = errors.New("no such chunk")

// ErrNoDocument says that the corpus holds no document of that hash.
var ErrNoDocument = errors.New("no such document")

// DamagedError says that the index on disk is not what was built. `assay index` builds it anew.
type DamagedError struct {
	What string // the file or the figure that is wrong
	Err  error  // may be nil
}

func (e *DamagedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("open index: %s: %v", e.What, e.Err)
	}
	return "open index: " + e.What
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *DamagedError) Hint() string {
	return "run `assay index` to build it anew; labels are not touched"
}

// BuildingError says that another process is building the index.
type BuildingError struct {
	PID   int
	Host  string
	Since time.Time
}

func (e *BuildingError) Error() string {
	return fmt.Sprintf("build index: process %d on %s is building it since %s", e.PID, e.Host, e.Since.Format(time.RFC3339))
}

// SyntaxError is a mistake in a search in query mode. Pos is a byte offset into the text.
type SyntaxError struct {
	Pos int
	Msg string
}

func (e *SyntaxError) Error() string { return e.Msg }
