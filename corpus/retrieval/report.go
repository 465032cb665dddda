package retrieval

import "assay/corpus"

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

// Interval is a 95% confidence interval of a mean. Method is "bootstrap" (percentiles, widened as Student's t asks where
// the queries are few), or "wilson" where all values are the same (all 0, all 1), of which resampling can't say anything.
// In gates on the figure for the traffic it is "weighted", stats.WeightedMean's.
type Interval struct {
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Method string  `json:"method"`
}

// Bounds are a mean at the two extremes of what the chunks that were returned and never judged could be: all of them
// irrelevant, all of them relevant (with the scale's best grade), within the depth that the measure looks at. Where more
// relevant chunks make for a better ideal (nDCG, AP, Bpref and their kin), Relevant may be the lower of the two.
type Bounds struct {
	Irrelevant float64 `json:"irrelevant"`
	Relevant   float64 `json:"relevant"`
}

// Mean is a measure over the queries for which it is defined. Mean is nil where N is 0; Why then says why. For counts
// (NumRet, …) it is the sum, for GMAP the geometric mean.
type Mean struct {
	Name string   `json:"name"`
	Mean *float64 `json:"mean"`
	N    int      `json:"n"`
	Why  string   `json:"why,omitempty"`

	Interval *Interval `json:"interval,omitempty"` // nil where fewer than two queries count
	Judged   *float64  `json:"judged,omitempty"`   // share judged of what the measure looks at, averaged over the queries
	Bounds   *Bounds   `json:"bounds,omitempty"`   // nil where unjudged chunks can't change the figure
	Traffic  *Traffic  `json:"traffic,omitempty"`  // nil where no query has a weight, and for counts and GMAP
}

// QueryValues are the measures of one query by name; nil is undefined.
type QueryValues struct {
	QueryID string              `json:"query_id"`
	Values  map[string]*float64 `json:"values"`
}

// MissingGold is a graded chunk that the corpus does not hold.
type MissingGold struct {
	QueryID string       `json:"query_id"`
	ChunkID string       `json:"chunk_id"`
	Grade   corpus.Grade `json:"grade"`
}

// Failed is a query that the retriever could not answer: an error, not an empty ranking.
type Failed struct {
	QueryID string `json:"query_id"`
	Error   string `json:"error"`
}

// CurvePoint is mean recall at a depth.
type CurvePoint struct {
	K    int     `json:"k"`
	Mean float64 `json:"mean"`
}

// Quantiles describe a distribution of N values.
type Quantiles struct {
	N      int     `json:"n"`
	Min    float64 `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`
}

// Unanswerable is how the retriever treats queries that nothing in the corpus answers. It has no part in any mean.
type Unanswerable struct {
	Queries  int `json:"queries"`
	Returned int `json:"returned"` // of these, how many the retriever returned anything for
	// TopScore is the distribution of the best score of those with a ranking, Answerable that of the queries that count.
	TopScore   *Quantiles `json:"top_score"`
	Answerable *Quantiles `json:"answerable_top_score"`
	// Separation is the probability that an answerable query's best score is above an unanswerable one's, ties half:
	// 0.5 means that no threshold on the score tells them apart. Nil where one side has no score.
	Separation *float64 `json:"separation"`
}

// Slice is the means over a part of the queries.
type Slice struct {
	By       string `json:"by"`    // tag, kind, source, language or frequency
	Value    string `json:"value"` // e.g. "identifier"; "" stands for none
	N        int    `json:"n"`     // queries of it that count
	Measures []Mean `json:"measures"`
}

// Latency is how long the retriever took for a query, in milliseconds.
type Latency struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Report is the outcome of a check. Queries come sorted by id, bytewise, and are those that count. Lists of ids are
// sorted likewise. Warnings say in words what the lists below them hold, and more.
type Report struct {
	Assay    string        `json:"assay"`   // "check"
	Version  int           `json:"version"` // of this form: 1
	Program  string        `json:"program"`
	Run      string        `json:"run"`
	Labels   string        `json:"labels"` // fingerprint of the labels measured against
	Corpus   string        `json:"corpus"` // fingerprint of the corpus
	Scale    string        `json:"scale"`  // id of the scale, which names its grades, and from which grade a chunk counts as relevant
	Scorer   string        `json:"scorer,omitempty"`
	Compat   string        `json:"compat,omitempty"` // "trec_eval-10" or "trec_eval-9"
	Seed     uint64        `json:"seed,omitempty"`   // of the intervals
	Depth    int           `json:"depth,omitempty"`  // how many chunks the longest ranking of a counted query has
	Measures []Mean        `json:"measures"`
	Excluded []Excluded    `json:"excluded"`
	Queries  []QueryValues `json:"queries"`
	Warnings []string      `json:"warnings,omitempty"`

	NoResult      []string      `json:"no_result,omitempty"`            // counted queries for which the run has nothing: they score 0
	Failed        []Failed      `json:"failed,omitempty"`               // queries that the retriever could not answer: they score 0
	Unknown       []string      `json:"unknown_queries,omitempty"`      // queries of the run that the gold set does not know
	NoText        []string      `json:"unknown_gold_queries,omitempty"` // queries of the labels that were never imported
	Contradictory []string      `json:"contradictory,omitempty"`        // tagged unanswerable, yet with a relevant chunk; they count
	Repeats       int           `json:"repeats,omitempty"`              // hits left out because the same chunk came before
	Missing       []MissingGold `json:"missing,omitempty"`              // gold ids that are not in the corpus
	// WithoutMissing are the means with Missing and NoText taken out of the gold set; nil where neither has any.
	WithoutMissing []Mean `json:"measures_without_missing,omitempty"`
	// WithoutFailed are the means over the queries that the retriever did answer; nil where none failed.
	WithoutFailed []Mean `json:"measures_without_failed,omitempty"`

	Recall       []CurvePoint  `json:"recall_by_k,omitempty"` // down to the depth of the run
	Unanswerable *Unanswerable `json:"unanswerable,omitempty"`
	Slices       []Slice       `json:"slices,omitempty"`
	Latency      *Latency      `json:"latency_ms,omitempty"`
	Diagnosis    *Diagnosis    `json:"diagnosis,omitempty"`
	Gates        []GateResult  `json:"gates,omitempty"`
}

// Verdict is what became of a gate or of a rule of the diagnosis.
type Verdict string

// The verdicts. Unclear never fails a build: the queries are too few to tell.
const (
	Pass    Verdict = "pass"
	Fail    Verdict = "fail"
	Unclear Verdict = "unclear"
)

// GateResult is a gate with what it saw. Line says it all in one line.
type GateResult struct {
	Gate     string    `json:"gate"` // as written, e.g. "R@5>=0.8@identifier", or "R@5 no worse than base"
	Verdict  Verdict   `json:"verdict"`
	Measure  string    `json:"measure"`
	Slice    string    `json:"slice,omitempty"`   // e.g. "tag identifier"
	Traffic  bool      `json:"traffic,omitempty"` // it looks at the figure for the traffic
	Figure   *float64  `json:"figure"`            // the mean, or the difference to the baseline; nil where no query counts
	Bound    float64   `json:"bound"`
	Interval *Interval `json:"interval,omitempty"`
	P        *float64  `json:"p,omitempty"` // adjusted over the measures; baselines only
	N        int       `json:"n"`
	Line     string    `json:"line"`
}

// Diagnosis is what the figures say to mend first.
type Diagnosis struct {
	Findings []Finding `json:"findings"`
}

// Finding is one rule that fired, or that can't tell yet. The rules are: "stage_one" (low recall at depth: the first
// stage misses), "ranking" (found deep, not on top), "ordering" (found on top, first hit late), "noise" (low precision),
// "gold_set" (everything is high).
type Finding struct {
	Rule    string   `json:"rule"`
	Verdict Verdict  `json:"verdict"`          // Fail where it fired, Unclear where too few queries count to tell
	Figures []Mean   `json:"figures"`          // that it looked at
	Limits  []string `json:"limits"`           // what it compared them with, e.g. "R@50 < 0.80"
	Line    string   `json:"line"`             // what was seen, in one line
	Advice  string   `json:"advice"`           // what to do, in one line
	Needed  int      `json:"needed,omitempty"` // how many queries would do, where it is unclear
}
