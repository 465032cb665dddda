package corpus

import "time"

// Mode says how the text of a search is read.
type Mode string

// Plain is literal but for a balanced "phrase"; Syntax knows phrase, -not, word*, fuzzy~, doc:PATH, is:unjudged and
// is:relevant. Exact is plain with each word only in the form that was typed, without stemming; Phrase takes the whole
// text as one phrase.
const (
	Plain  Mode = "plain"
	Syntax Mode = "query"
	Exact  Mode = "exact"
	Phrase Mode = "phrase"
)

// Modes lists them all.
func Modes() []Mode { return []Mode{Plain, Syntax, Exact, Phrase} }

// SearchRequest asks for the Limit best chunks.
type SearchRequest struct {
	Text   string
	Mode   Mode
	Limit  int  // at least 1
	Prefix bool // the last word also matches as a prefix: on screen only, never when measuring
	// Grades are the asker's own for the query at hand, by chunk id: what is:unjudged and is:relevant look at.
	Grades       map[string]Grade
	RelevantFrom Grade
}

// SearchHit is one chunk that was found, with what a list shows of it. Snippet is unsanitised corpus text.
type SearchHit struct {
	ChunkID string
	DocID   string
	Title   string
	Snippet string // the chunk's first words or those around the first match; at most about 200 bytes, whole runes
	Score   float64
}

// SearchResult answers a SearchRequest. Hits come by score, then id descending by bytes.
type SearchResult struct {
	Request SearchRequest
	Hits    []SearchHit
	Total   int    // how many chunks match, at least len(Hits); a lower bound where Partial
	Partial bool   // a prefix, wildcard or fuzzy word stood for more terms than were looked at
	Note    string // one line for the user, e.g. "only very common words were typed"; may be empty
	Scorer  string // what ranked it, e.g. "bm25(k1=1.2,b=0.75) en+identifiers/1"
	Took    time.Duration
}
