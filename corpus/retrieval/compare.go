package retrieval

// Comparison is two or more runs measured on the same queries, each against the first.
type Comparison struct {
	Assay   string  `json:"assay"`   // "compare"
	Version int     `json:"version"` // of this form: 1
	Program string  `json:"program"`
	Labels  string  `json:"labels"`
	Corpus  string  `json:"corpus"`
	Scale   string  `json:"scale"`
	Alpha   float64 `json:"alpha"`
	Seed    uint64  `json:"seed"`
	Base    string  `json:"base"` // the first run, which the others are compared with
	Pairs   []Pair  `json:"pairs"`

	Warnings []string `json:"warnings,omitempty"`
}

// Pair is one run against the first.
type Pair struct {
	Run    string  `json:"run"`
	N      int     `json:"n"` // queries that both have
	Deltas []Delta `json:"measures"`
	Moved  []Moved `json:"moved"` // the queries that moved most, by the first measure, the greatest change first
}

// Delta is the paired difference of one measure over N queries: After is the run's mean, Before the first run's.
type Delta struct {
	Name       string    `json:"name"`
	N          int       `json:"n"`
	Before     *float64  `json:"before"`
	After      *float64  `json:"after"`
	Delta      *float64  `json:"delta"`
	Interval   *Interval `json:"interval,omitempty"` // of the mean difference
	Wins       int       `json:"wins"`
	Ties       int       `json:"ties"`
	Losses     int       `json:"losses"`
	P          *float64  `json:"p"`           // two-sided paired randomization test
	Method     string    `json:"method"`      // exact, mcnemar, randomization, none
	Holm       *float64  `json:"p_holm"`      // adjusted over measures and runs
	T          *float64  `json:"p_t"`         // paired t test, beside it; nil where undefined
	EffectSize *float64  `json:"effect_size"` // d_z: mean over spread of the differences
	Detectable *float64  `json:"detectable"`  // the least difference that this many queries show with a power of 0.8
	Note       string    `json:"note,omitempty"`
}

// Moved is a query whose value changed.
type Moved struct {
	QueryID string  `json:"query_id"`
	Measure string  `json:"measure"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
}
