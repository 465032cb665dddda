package corpus

import (
	"encoding/json"
	"time"
)

// Route says how an annotator came to a chunk, or how a label came to be.
type Route string

// The routes of a label.
const (
	RouteSearch    Route = "search"
	RoutePool      Route = "pool"
	RouteSimilar   Route = "similar"
	RouteDocument  Route = "document"
	RouteImport    Route = "import"
	RouteInherited Route = "inherited"
	RouteSynthetic Route = "synthetic"
	RouteJudge     Route = "judge"
)

// Evidence is a passage within a chunk that answers the query: byte offsets into the chunk's text, the words
// themselves and some text around them, so that it is found again in another chunking.
type Evidence struct {
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Quote  string `json:"quote"`
	Prefix string `json:"prefix"`
	Suffix string `json:"suffix"`
}

// Anchor is what a label really points to. Start and End are bytes into the decoded document, nil where the corpus
// gives no span.
type Anchor struct {
	CorpusID    string     `json:"corpus_id"`
	DocID       string     `json:"doc_id"`
	DocSHA256   Hash       `json:"doc_sha256"`
	Start       *int       `json:"start"`
	End         *int       `json:"end"`
	ChunkSHA256 Hash       `json:"chunk_sha256"`
	Evidence    []Evidence `json:"evidence"`
}

// AnchorOf points at a chunk of the corpus as it is now.
func AnchorOf(corpusID string, c Chunk) Anchor {
	a := Anchor{CorpusID: corpusID, DocID: c.DocID, DocSHA256: c.DocHash, ChunkSHA256: c.Hash(), Evidence: []Evidence{}}
	if c.Span != nil {
		start, end := c.Span.Start, c.Span.End
		a.Start, a.End = &start, &end
	}
	return a
}

// LabelKey names the thing that a label is about. There is at most one label for a key.
type LabelKey struct {
	QueryID   string
	CorpusID  string
	ChunkID   string
	Annotator string
}

// Label is one annotator's grade for one (query, chunk). CorpusID is the corpus that the chunk id belongs to in this
// workspace; the anchor's is where the label was first made.
type Label struct {
	QueryID   string    `json:"query_id"`
	CorpusID  string    `json:"corpus_id"`
	ChunkID   string    `json:"chunk_id"`
	Annotator string    `json:"annotator"`
	Grade     Grade     `json:"grade"`
	At        time.Time `json:"at"`
	ScaleID   string    `json:"scale_id"`
	Note      string    `json:"note,omitempty"`
	Found     Route     `json:"found"`
	Anchor    Anchor    `json:"anchor"`
	// QuerySHA256 is of the query's text as the annotator saw it: a label whose query was reworded since is shown as such.
	QuerySHA256 Hash `json:"query_sha256,omitempty"`
	// GuidelinesSHA256 is of the guidelines in force when the label was made.
	GuidelinesSHA256 Hash `json:"guidelines_sha256,omitempty"`
}

// Key is the label's identity.
func (l Label) Key() LabelKey { return LabelKey{l.QueryID, l.CorpusID, l.ChunkID, l.Annotator} }

// What names a kind of statement about a query that is not a grade.
type What string

// The statements about a query.
const (
	SaidTag          What = "tag"           // Value: the tag's name; Proof: one of the …Proof types
	SaidAnswer       What = "answer"        // Value: the reference answer
	SaidNote         What = "note"          // Value: a note on the query
	SaidSet          What = "set"           // Value: chunk ids, a JSON list
	SaidHardNegative What = "hard_negative" // Value: a chunk id
	SaidConflict     What = "conflict"      // Value: chunk ids, a JSON list; Proof: ConflictProof
	SaidDecision     What = "decision"      // Value: a chunk id; Proof: the grade and the labels judged
)

// Said is a statement of one annotator about a query. (What, Value) identifies it for one annotator and query,
// except for SaidAnswer and SaidNote, of which there is one each.
type Said struct {
	QueryID   string          `json:"query_id"`
	What      What            `json:"what"`
	Value     string          `json:"value"`
	Proof     json.RawMessage `json:"proof,omitempty"`
	Annotator string          `json:"annotator"`
	At        time.Time       `json:"at"`
}

// The tags that assay knows; any other name is a free tag.
const (
	TagUnanswerable = "unanswerable"
	TagConflicting  = "conflicting"
	TagIdentifier   = "identifier"
	TagFollowUp     = "follow-up"
	TagQuestion     = "question"    // worded as a question; only ever proposed
	TagNonEnglish   = "non-english" // only ever proposed
)

// UnanswerableProof is what was tried before a query was called unanswerable.
type UnanswerableProof struct {
	Searches []SearchTried `json:"searches"`
}

// ConflictProof links chunks that disagree. Holds is the id of the one that is right, "" where unknown.
type ConflictProof struct {
	ChunkIDs []string `json:"chunk_ids"`
	Holds    string   `json:"holds"`
	Note     string   `json:"note"`
}

// DecisionProof is an adjudicator's grade for a chunk, and the events of the labels that it judged.
type DecisionProof struct {
	Grade  Grade     `json:"grade"`
	Labels []EventID `json:"labels"`
}

// IdentifierProof names the exact string that the query looks up.
type IdentifierProof struct {
	Identifier string `json:"identifier"`
}

// FollowUpProof links the turn that the query follows and holds a rewrite that stands alone.
type FollowUpProof struct {
	ParentID   string `json:"parent_id,omitempty"`
	Standalone string `json:"standalone_query"`
}

// SearchTried is one search that an annotator ran and read. It counts once they moved into its results, opened or
// graded one, or dwelt for a second. Deepest is the lowest row that was on screen, from 1; 0 if there were none.
type SearchTried struct {
	QueryID   string    `json:"-"`
	Text      string    `json:"text"`
	Mode      Mode      `json:"mode"`
	Results   int       `json:"results"`
	Deepest   int       `json:"deepest"`
	Annotator string    `json:"annotator"`
	At        time.Time `json:"at"`
	CorpusID  string    `json:"corpus_id,omitempty"`
}
