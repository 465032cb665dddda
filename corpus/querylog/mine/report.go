package mine

import (
	"assay/corpus/querylog/clean"
	"assay/corpus/querylog/redact"
)

// Report says what was done to the logs.
type Report struct {
	Files         []File                       `json:"files"`
	Read          int                          `json:"read"` // rows: accepted and rejected
	Accepted      int                          `json:"accepted"`
	Rejected      int                          `json:"rejected"`
	NoQuery       int                          `json:"no_query"` // accepted rows that ask nothing
	Cleaned       map[clean.Rule]int           `json:"cleaned"`
	Forgotten     int                          `json:"forgotten"` // rows that ask what is to be forgotten
	Redacted      map[redact.Kind]redact.Count `json:"redacted"`
	Conversations int                          `json:"conversations"` // of two rows or more
	FollowUps     int                          `json:"follow_ups"`
	Unthreaded    int                          `json:"unthreaded"`   // rows of users with too many to look at together
	Twice         int                          `json:"twice"`        // rows of a log that was given twice, under whatever names
	Kept          int                          `json:"kept"`         // rows that are counted in the frame
	Repeats       int                          `json:"repeats"`      // of these, rows that ask what another asked
	Distinct      int                          `json:"distinct"`     // queries of these logs
	New           int                          `json:"new_to_frame"` // of these, queries that were not in the frame
	Gone          int                          `json:"gone"`         // queries that were in the frame and no log asks any more
	Frame         int                          `json:"frame"`        // queries in the frame now
	Groups        int                          `json:"groups"`       // of two near-duplicates or more
	Grouped       int                          `json:"grouped"`      // queries that another stands for
	Replaced      []Replaced                   `json:"replaced"`
	Unread        []Unread                     `json:"unread_fields"`
	Rejects       []Reject                     `json:"rejects"` // the first MaxRejects
}

// MaxRejects is how many rejects a report lists. All are counted.
const MaxRejects = 1000

// File is what one log was found to be, and what became of its rows.
type File struct {
	File         string `json:"file"`
	Source       string `json:"source"`
	Format       string `json:"format"`
	Encoding     string `json:"encoding"`
	Compression  string `json:"compression,omitempty"`
	TextField    string `json:"text_field,omitempty"` // where the queries were found
	IDField      string `json:"id_field,omitempty"`
	TimeField    string `json:"time_field,omitempty"`
	UserField    string `json:"user_field,omitempty"`
	SessionField string `json:"session_field,omitempty"`
	Accepted     int    `json:"accepted"`
	Rejected     int    `json:"rejected"`
	Blank        int    `json:"blank"`
	NoQuery      int    `json:"no_query"`
	Warning      string `json:"warning,omitempty"`
}

// Replaced is a source of the frame that a log takes the place of.
type Replaced struct {
	Source string `json:"source"`
	By     string `json:"by"`
	Why    string `json:"why"` // "same" (the very same log), "longer" (it begins with all of it) or "name" (another of its name)
}

// Unread is a field (a count, a time or the like) that could not be read in some rows, which were kept without it.
type Unread struct {
	File  string `json:"file"`
	Field string `json:"field"`
	Rows  int    `json:"rows"`
	Line  int    `json:"first_line"`
}

// Reject is one row that was not taken.
type Reject struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

func (r *Report) unread(file, field string, line int) {
	for i := range r.Unread {
		if u := &r.Unread[i]; u.File == file && u.Field == field {
			u.Rows++
			return
		}
	}
	r.Unread = append(r.Unread, Unread{file, field, 1, line})
}
