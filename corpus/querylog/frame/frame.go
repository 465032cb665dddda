package frame

import (
	"time"

	"assay/corpus"
)

// Name is the frame's file within a workspace's logs folder.
const Name = "frame.jsonl.zst"

// version of the file's layout. A change that older programs can live with (a new optional field) needs no new one.
const version = 1

// Entry is one distinct query of the frame. Count is the sum over Asked. Group is the id of the query that stands for
// its near-duplicates, "" where it is alone. The one that stands for a group holds the group's Total and Variants.
type Entry struct {
	corpus.Query
	Total   int      `json:"total,omitempty"`   // how often the group was asked; 0 where it is alone
	Tags    []string `json:"tags,omitempty"`    // that the log itself gives
	Asked   []Asked  `json:"asked"`             // by source, ascending
	Derived bool     `json:"derived,omitempty"` // its id was made from its text
}

// Stands reports whether the entry stands for itself or for its group, rather than being some other's variant.
func (e Entry) Stands() bool { return e.Group == "" || e.Group == e.ID }

// Whole is how often it and all that it stands for were asked.
func (e Entry) Whole() int { return max(e.Count, e.Total) }

// Asked is how often one source asked a query.
type Asked struct {
	Source int `json:"s"` // position in Header.Sources
	Count  int `json:"n"`
}

// Source is a log that is in the frame.
type Source struct {
	Name    string      `json:"name"`   // as queries name their source
	SHA256  corpus.Hash `json:"sha256"` // of its bytes, decompressed
	Bytes   int64       `json:"bytes"`  // of these
	At      time.Time   `json:"at"`     // of the import
	Rows    int         `json:"rows"`
	Queries int         `json:"queries"` // distinct ones
	Asked   int         `json:"asked"`
}

// Header begins the file.
type Header struct {
	Assay   string   `json:"assay"` // "frame"
	Version int      `json:"version"`
	Queries int      `json:"queries"`
	Groups  int      `json:"groups"` // of two or more
	Asked   int      `json:"asked"`
	Sources []Source `json:"sources"`
}
