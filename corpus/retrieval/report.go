package retrieval

// Why says why a query stands outside the means.
type Why string

// The reasons for exclusion.
const (
	WhyUnanswerable Why = "unanswerable" // tagged so, no relevant chunk
	WhyUnfinished   Why = "unfinished"   // nobody finished labeling it
	WhyNoRelevant   Why = "no_relevant"  // finished, answerable or undecided, yet no chunk is relevant
)

// Excluded is a query that the means leave out.
type Excluded struct {
	QueryID string `json:"query_id"`
	Why     Why    `json:"why"`
}

// Mean is a measure over the queries for which it is defined. Mean is nil where N is 0.
type Mean struct {
	Name string   `json:"name"`
	Mean *float64 `json:"mean"`
	N    int      `json:"n"`
}

// QueryValues are the measures of one query by name; nil is undefined.
type QueryValues struct {
	QueryID string              `json:"query_id"`
	Values  map[string]*float64 `json:"values"`
}

// Report is the outcome of a check. Queries come sorted by id, bytewise, and are those that count.
type Report struct {
	Run      string        `json:"run"`
	Labels   string        `json:"labels"` // fingerprint of the labels measured against
	Corpus   string        `json:"corpus"` // fingerprint of the corpus
	Scorer   string        `json:"scorer,omitempty"`
	Measures []Mean        `json:"measures"`
	Excluded []Excluded    `json:"excluded"`
	Queries  []QueryValues `json:"queries"`
	Warnings []string      `json:"warnings,omitempty"`
}
