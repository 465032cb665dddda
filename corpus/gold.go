package corpus

import (
	"encoding/json"
	"time"
)

// Rule says how several annotators' labels become one grade.
type Rule string

// The rules. Majority is the default: a tie is unresolved, that is counted, listed, and treated as unjudged. Single
// makes two annotators on a pair an error. Adjudicated lets decisions override.
const (
	Majority    Rule = "majority"
	Single      Rule = "single"
	Adjudicated Rule = "adjudicated"
)

// GoldHeader is the first line of a native gold set file. AsOf is the time of the newest event included.
type GoldHeader struct {
	Assay            string     `json:"assay"` // "gold"
	Version          int        `json:"version"`
	AsOf             *time.Time `json:"as_of"`
	Snapshot         *string    `json:"snapshot"`
	Program          string     `json:"program"`
	GuidelinesSHA256 Hash       `json:"guidelines_sha256"`
	Scale            Scale      `json:"scale"`
	Corpus           GoldCorpus `json:"corpus"`
	Rule             Rule       `json:"rule"`
	Queries          int        `json:"queries"`
	Labels           int        `json:"labels"`
}

// GoldCorpus names the corpus that a gold set's chunk ids belong to.
type GoldCorpus struct {
	ID          string `json:"id"`
	Fingerprint Hash   `json:"fingerprint"`
	Chunks      int    `json:"chunks"`
}

// GoldRow is one query of a gold set: agreed values first, then who said what. Query is nil where labels name a
// query that was never imported. Lists are never null, so that a row always has the same keys.
type GoldRow struct {
	QueryID          string           `json:"query_id"`
	Query            *string          `json:"query"`
	Kind             Kind             `json:"kind"`
	Count            int              `json:"count"`
	Weight           *float64         `json:"weight"`
	Stratum          string           `json:"stratum"`
	Group            string           `json:"group"`
	Source           string           `json:"source"`
	Language         string           `json:"language"`
	FirstSeen        *time.Time       `json:"first_seen"`
	LastSeen         *time.Time       `json:"last_seen"`
	Turns            []Turn           `json:"turns"`
	ParentID         string           `json:"parent_id"`
	Standalone       string           `json:"standalone_query"`
	State            State            `json:"state"`
	Answerable       *bool            `json:"answerable"` // false: tagged unanswerable; true: has a relevant chunk; null: can't tell
	Tags             []string         `json:"tags"`
	ReferenceAnswer  string           `json:"reference_answer"`
	RelevantChunkIDs []string         `json:"relevant_chunk_ids"`
	Grades           map[string]Grade `json:"grades"`
	Unresolved       []string         `json:"unresolved"`
	EvidenceSets     [][]string       `json:"evidence_sets"`
	HardNegatives    []string         `json:"hard_negatives"`
	Conflicts        []ConflictProof  `json:"conflicts"`
	Labels           []GoldLabel      `json:"labels"`
	Said             []GoldSaid       `json:"said"`
	Searches         []SearchTried    `json:"searches"`
}

// GoldLabel is one annotator's label within a row. CorpusID is set only where the chunk id belongs to another corpus
// than the header's: such a label is listed and has no part in the agreed values.
type GoldLabel struct {
	ChunkID   string    `json:"chunk_id"`
	CorpusID  string    `json:"corpus_id,omitempty"`
	Grade     Grade     `json:"grade"`
	Annotator string    `json:"annotator"`
	At        time.Time `json:"at"`
	ScaleID   string    `json:"scale_id"`
	Note      string    `json:"note"`
	Found     Route     `json:"found"`
	Anchor    Anchor    `json:"anchor"`
}

// SaidState is the What of a GoldSaid that carries an annotator's state of the query.
const SaidState What = "state"

// GoldSaid is one annotator's statement within a row.
type GoldSaid struct {
	What      What            `json:"what"`
	Value     string          `json:"value"`
	Proof     json.RawMessage `json:"proof"`
	Annotator string          `json:"annotator"`
	At        time.Time       `json:"at"`
}

// GoldSet is a gold set in memory: rows sorted by query id, bytewise.
type GoldSet struct {
	Header GoldHeader
	Rows   []GoldRow
}
