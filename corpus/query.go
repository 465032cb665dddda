package corpus

import "time"

// Kind says where a query comes from.
type Kind string

// The kinds of query. Synthetic ones are measured apart from the others.
const (
	Mined     Kind = "mined"
	Written   Kind = "written"
	Synthetic Kind = "synthetic"
)

// Turn is one message of the conversation before a query.
type Turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Variant is another way in which a query was asked: one of its group's near-duplicates.
type Variant struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Count int    `json:"count"` // how often it was asked so
}

// Query is what a user asked. Text is kept as it came; matching normalises a copy.
type Query struct {
	ID              string     `json:"id"`
	Text            string     `json:"text"`
	Kind            Kind       `json:"kind,omitempty"`
	Count           int        `json:"count,omitempty"`     // how often it was asked, its variants included; at least 1
	Inclusion       *float64   `json:"inclusion,omitempty"` // the probability with which sampling drew it, (0, 1]; nil: not sampled
	Weight          *float64   `json:"weight,omitempty"`    // how many asked queries of the traffic it stands for: Count / Inclusion
	Stratum         string     `json:"stratum,omitempty"`
	Group           string     `json:"group,omitempty"`    // the id of the query that stands for its near-duplicates; itself for that one
	Variants        []Variant  `json:"variants,omitempty"` // the group's other members, most asked first; at most MaxVariants
	Proposed        []string   `json:"proposed,omitempty"` // tags that assay guesses, until a person accepts or rejects them; sorted
	Source          string     `json:"source,omitempty"`
	Language        string     `json:"language,omitempty"`
	FirstSeen       *time.Time `json:"first_seen,omitempty"`
	LastSeen        *time.Time `json:"last_seen,omitempty"`
	Turns           []Turn     `json:"turns,omitempty"`
	ParentID        string     `json:"parent_id,omitempty"`
	Standalone      string     `json:"standalone_query,omitempty"`
	ReferenceAnswer string     `json:"reference_answer,omitempty"`
	Excluded        bool       `json:"excluded,omitempty"` // taken out of the gold set by hand, kept in the store
	Order           int        `json:"order,omitempty"`    // position of its first import, so that queues follow the source
}

// MaxVariants is how many variants a query keeps. Count includes all of them.
const MaxVariants = 100

// State of a query for one annotator. In the gold set a query is done when any annotator finished it.
type State string

// The states of a query.
const (
	Open    State = "open"
	Later   State = "later"
	Skipped State = "skipped"
	Done    State = "done"
)

// Work is how far one annotator is with one query.
type Work struct {
	QueryID   string    `json:"query_id"`
	Annotator string    `json:"annotator"`
	State     State     `json:"state"`
	Reason    string    `json:"reason,omitempty"`
	At        time.Time `json:"at"`
}
