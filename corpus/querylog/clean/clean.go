package clean

import "time"

// Rule names a reason to drop a row. "" drops nothing.
type Rule string

// The rules.
const (
	Empty  Rule = "empty"  // nothing that could be searched for: no letter or digit
	Health Rule = "health" // health checks, probes and synthetic tests
	Burst  Rule = "burst"  // one user asks faster than a person can
	Long   Rule = "long"   // a paste rather than a question
)

// Options switch and tune the rules. The zero value has all on.
type Options struct {
	Off       []Rule
	MaxLength int           // in runes; 0 for DefaultMaxLength
	BurstSize int           // so many asked within BurstTime are a burst; 0 for DefaultBurstSize
	BurstTime time.Duration // 0 for DefaultBurstTime
}

// Row is what the rules look at.
type Row struct {
	Text  string
	Agent string // the client's user agent; "" where unknown
}

// Check is the rule that drops the row by itself, "" where none does. Bursts need more than one row: see Bursts.
func (o Options) Check(r Row) Rule { return "" }

// Bursts marks which of one user's rows, in order of time, are part of a burst. A zero time is in none.
func (o Options) Bursts(at []time.Time) []bool { return make([]bool, len(at)) }
