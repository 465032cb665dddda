package corpus

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// EventKind says what an event is about.
type EventKind string

// The kinds of event. Each sets its subject to After, or removes it where After is null.
const (
	EventQuery  EventKind = "query"  // After: Query
	EventLabel  EventKind = "label"  // After: Label
	EventWork   EventKind = "work"   // After: Work
	EventSaid   EventKind = "said"   // After: Said
	EventSearch EventKind = "search" // After: SearchTried
	EventScale  EventKind = "scale"  // After: Scale; the one in force from here on
	EventCorpus EventKind = "corpus" // After: Info
)

// EventID is the writing process's random 128-bit id in hex, a dash, and its counter. Unique across copies of a
// workspace, so that they merge.
type EventID string

// Process is the part of the id that names the writing process.
func (id EventID) Process() string {
	p, _, _ := strings.Cut(string(id), "-")
	return p
}

// HLC is a hybrid logical clock: milliseconds since 1970 in the upper 48 bits, a counter in the lower 16. It never
// runs backwards within a workspace, whatever the wall clock does.
type HLC uint64

// MarshalText writes 16 hex digits, since JSON numbers lose precision above 2^53.
func (h HLC) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText reads what MarshalText wrote.
func (h *HLC) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("not a logical time: %q", b)
	}
	*h = HLC(n)
	return nil
}

// Subject names what an event is about; which fields are set depends on its kind.
type Subject struct {
	Query     string `json:"query,omitempty"`
	Corpus    string `json:"corpus,omitempty"`
	Chunk     string `json:"chunk,omitempty"`
	Annotator string `json:"annotator,omitempty"`
	What      What   `json:"what,omitempty"`
	Value     string `json:"value,omitempty"`
	Scale     string `json:"scale,omitempty"`
}

// Found is how the annotator came to the chunk of a label. Rank counts from 1, 0 where there was none.
type Found struct {
	Route    Route  `json:"route"`
	Search   string `json:"search,omitempty"`
	Run      string `json:"run,omitempty"`
	Rank     int    `json:"rank,omitempty"`
	Revealed bool   `json:"revealed,omitempty"`
}

// Event is one thing that somebody said, as the journal keeps it. Replay order is (HLC, ID). Unknown JSON fields
// are kept in Extra.
type Event struct {
	V              int                        `json:"v"`
	Kind           EventKind                  `json:"kind"`
	ID             EventID                    `json:"id"`
	Seq            uint64                     `json:"seq"`
	HLC            HLC                        `json:"hlc"`
	At             time.Time                  `json:"at"`
	Annotator      string                     `json:"annotator,omitempty"`
	Role           string                     `json:"role,omitempty"`
	CorpusID       string                     `json:"corpus_id,omitempty"`
	ScaleID        string                     `json:"scale_id,omitempty"`
	Subject        Subject                    `json:"subject"`
	Before         json.RawMessage            `json:"before,omitempty"`
	After          json.RawMessage            `json:"after,omitempty"`
	Parent         EventID                    `json:"parent,omitempty"`  // the event that last set the subject
	Reverts        EventID                    `json:"reverts,omitempty"` // the event that this one undoes
	Batch          string                     `json:"batch,omitempty"`
	Found          *Found                     `json:"found,omitempty"`
	ActiveMS       int64                      `json:"active_ms,omitempty"`
	GuidelinesHash Hash                       `json:"guidelines_hash,omitempty"`
	Program        string                     `json:"program,omitempty"`
	Extra          map[string]json.RawMessage `json:"-"`
}
