package frame

import (
	"time"

	"assay/corpus"
)

// Entry is one distinct query of the frame.
type Entry struct {
	corpus.Query          // Count is the sum over Asked; Group its representative's id, "" where it is alone; no Variants
	Tags         []string `json:"tags,omitempty"` // that the log itself gives
	Asked        []Asked  `json:"asked"`
	Derived      bool     `json:"derived,omitempty"` // its id was made from its text
}

// Asked is how often one source asked a query.
type Asked struct {
	Source int `json:"s"` // position in Header.Sources
	Count  int `json:"n"`
}

// Source is a log that is in the frame.
type Source struct {
	Name    string      `json:"name"`   // as queries name their source
	SHA256  corpus.Hash `json:"sha256"` // of its bytes, decompressed
	Bytes   int64       `json:"bytes"`
	At      time.Time   `json:"at"` // of the import
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

// Name is the frame's file within a workspace's logs folder.
const Name = "frame.jsonl.zst"
