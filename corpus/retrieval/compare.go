package retrieval

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/corpus/retrieval/measure"
	"assay/corpus/stats"
)

// CompareOptions say how to compare. The zero value is usable.
type CompareOptions struct {
	Alpha     float64 // significance; 0 is 0.05
	Resamples int     // of the bootstrap and the randomization test; 0 is 10,000
	Seed      uint64
	Force     bool // compare what was measured against different labels, corpora or scales all the same
	OnlyWorse bool // name only queries that got worse
	Moved     int  // how many queries that moved most to name; 0 is 10, less is none
	// Shift tests whether the difference is −Shift instead of 0, as NoWorse does. The test of 0 flips signs: two runs that
	// don't differ could change places, so differences lie evenly about 0. Nothing makes them lie evenly about −Shift: most
	// queries may lose a little and a few gain much. So that test is stats.Studentized, which supposes no shape, only that
	// differences lie in −1…1, and takes it that queries which gain 1 may be missing among few.
	Shift float64

	draws int // of the tests at least: see Compare
}

// usualResamples is how often is drawn where nobody says otherwise; mostDraws is what small alphas ask for at most.
const (
	usualResamples = 10_000
	mostDraws      = 1_000_000
)

// drawsFor is how many draws tell p-values of so many tests from alpha once they are adjusted: from B draws none below
// 1/(B+1) can come.
func drawsFor(tests int, alpha float64) int {
	const resolution = 20
	return int(min(mostDraws, resolution*float64(tests)/alpha))
}

func (o CompareOptions) alpha() float64 { return cmp.Or(o.Alpha, 0.05) }

// power is the chance with which a detectable difference is found.
const power = 0.8

// ErrNotComparable says that reports were measured against different things. The error that wraps it says which.
var ErrNotComparable = errors.New("can't be compared")

// Compare holds each report against the first, paired by query. The reports need their queries' values. It refuses
// reports that were measured against different labels, corpora, scales or by different rules, unless told to go on.
func Compare(reports []Report, opt CompareOptions) (Comparison, error) {
	if len(reports) < 2 {
		return Comparison{}, errors.New("a comparison takes two runs at least")
	}
	base := reports[0]
	c := Comparison{
		Assay: "compare", Version: 1, Program: base.Program, Labels: base.Labels, Corpus: base.Corpus, Scale: base.Scale,
		Alpha: opt.alpha(), Seed: opt.Seed, Base: base.Run,
	}
	for _, r := range reports {
		if err := checkQueries(r); err != nil {
			return c, err
		}
	}
	for _, r := range reports[1:] {
		if why := different(base, r); why != "" {
			if !opt.Force {
				return c, fmt.Errorf("%q and %q %w: %s", base.Run, r.Run, ErrNotComparable, why)
			}
			c.Warnings = append(c.Warnings, fmt.Sprintf("%q and %q are compared although %s", base.Run, r.Run, why))
		}
		if r.Program != base.Program {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%q was measured by %q, %q by %q", base.Run, base.Program, r.Run, r.Program))
		}
	}
	if opt.Resamples == 0 {
		opt.draws = drawsFor(len(base.Measures)*(len(reports)-1), opt.alpha())
	}
	var ps []float64
	for _, r := range reports[1:] {
		pair, err := pairUp(base, r, opt)
		if err != nil {
			return c, err
		}
		c.Warnings = append(c.Warnings, leftOut(base, r)...)
		c.Pairs = append(c.Pairs, pair)
		for _, d := range pair.Deltas {
			p := math.NaN()
			if d.P != nil {
				p = *d.P
			}
			ps = append(ps, p)
		}
	}
	adjusted := stats.Holm(ps)
	for i := range c.Pairs {
		for j := range c.Pairs[i].Deltas {
			c.Pairs[i].Deltas[j].Holm = defined(adjusted[0])
			adjusted = adjusted[1:]
		}
	}
	return c, nil
}

// leftOut says which queries a pair does not stand on, and what else keeps it from being like with like.
func leftOut(base, r Report) []string {
	var list []string
	there := make(map[string]bool, len(base.Queries))
	for _, q := range base.Queries {
		there[q.QueryID] = true
	}
	failed := failedIn(base, r)
	both, unanswered := 0, 0
	for _, q := range r.Queries {
		if there[q.QueryID] {
			both++
			if failed[q.QueryID] {
				unanswered++
			}
		}
	}
	if n := len(base.Queries) + len(r.Queries) - 2*both; n > 0 {
		list = append(list, fmt.Sprintf("%s only one of %q and %q, and left out", count(n, "query is in", "queries are in"), base.Run, r.Run))
	}
	if unanswered > 0 {
		list = append(list, fmt.Sprintf("%s not answered for one of %q and %q, and left out", count(unanswered, "query was", "queries were"), base.Run, r.Run))
	}
	if base.Depth > 0 && r.Depth > 0 && base.Depth != r.Depth {
		list = append(list, fmt.Sprintf("%q is %d deep and %q %d: measures that look deeper than %d, or without a cut-off, see more of one",
			base.Run, base.Depth, r.Run, r.Depth, min(base.Depth, r.Depth)))
	}
	return list
}

// failedIn are the queries that one of the runs could not answer.
func failedIn(base, r Report) map[string]bool {
	failed := map[string]bool{}
	for _, f := range slices.Concat(base.Failed, r.Failed) {
		failed[f.QueryID] = true
	}
	return failed
}

// checkQueries refuses a report without its queries' values, and what no report of ours holds: reports come from files.
func checkQueries(r Report) error {
	if len(r.Queries) == 0 && slices.ContainsFunc(r.Measures, func(m Mean) bool { return m.N > 0 }) {
		return fmt.Errorf("the report of %q has no values of single queries: make it with --per-query", r.Run)
	}
	const beyond = 1e12 // no measure, no sum
	seen := make(map[string]bool, len(r.Queries))
	for _, q := range r.Queries {
		if seen[q.QueryID] {
			return fmt.Errorf("the report of %q lists query %q twice", r.Run, q.QueryID)
		}
		seen[q.QueryID] = true
		for name, v := range q.Values {
			if v != nil && !(math.Abs(*v) < beyond) {
				return fmt.Errorf("the report of %q has %s as %q of query %q", r.Run, number(*v), name, q.QueryID)
			}
		}
	}
	return nil
}

// different says what two reports were not both measured against; "" where figures can be compared. A fingerprint that
// one of them lacks says nothing.
func different(a, b Report) string {
	var list []string
	for _, f := range []struct{ what, a, b string }{
		{"labels", a.Labels, b.Labels}, {"corpus", a.Corpus, b.Corpus}, {"scale", scaleRule(a.Scale), scaleRule(b.Scale)},
	} {
		if f.a != f.b && f.a != "" && f.b != "" {
			list = append(list, fmt.Sprintf("the %s differ (%.12q and %.12q)", plural(f.what), f.a, f.b))
		}
	}
	if a.Compat != b.Compat {
		list = append(list, fmt.Sprintf("they count by different rules (%s and %s)", rules(a.Compat), rules(b.Compat)))
	}
	return strings.Join(list, ", ")
}

// scaleRule is what of a scale's id figures depend on: its grades and from which one a chunk counts, not their names,
// whose hash comes last.
func scaleRule(id string) string {
	if last := strings.LastIndexByte(id, '-'); last > 0 {
		return id[:last]
	}
	return id
}

// rules names whose defaults a report followed.
func rules(compat string) string { return fmt.Sprintf("%.12q", cmp.Or(compat, "assay")) }

func plural(what string) string {
	switch what {
	case "corpus":
		return "corpora"
	case "scale":
		return "scales"
	}
	return what
}

// pairUp compares one run with the first.
func pairUp(base, r Report, opt CompareOptions) (Pair, error) {
	pair := Pair{Run: r.Run, Deltas: []Delta{}, Moved: []Moved{}}
	failed := failedIn(base, r)
	before := make(map[string]map[string]*float64, len(base.Queries))
	for _, q := range base.Queries {
		if !failed[q.QueryID] {
			before[q.QueryID] = q.Values
		}
	}
	for _, q := range r.Queries {
		if _, ok := before[q.QueryID]; ok {
			pair.N++
		}
	}
	if pair.N == 0 && len(failed) > 0 {
		return pair, fmt.Errorf("%q and %q have no query in common that was answered for both", base.Run, r.Run)
	}
	if pair.N == 0 {
		return pair, fmt.Errorf("%q and %q have no query in common", base.Run, r.Run)
	}
	for _, m := range base.Measures {
		if !slices.ContainsFunc(r.Measures, func(o Mean) bool { return o.Name == m.Name }) {
			continue
		}
		if known, err := measure.ParseOne(m.Name); err == nil && !known.Compared() {
			continue
		}
		var moved []Moved
		for _, q := range r.Queries {
			if was, now := before[q.QueryID][m.Name], q.Values[m.Name]; was != nil && now != nil {
				moved = append(moved, Moved{q.QueryID, m.Name, *was, *now})
			}
		}
		slices.SortFunc(moved, func(a, b Moved) int { return strings.Compare(a.QueryID, b.QueryID) }) // resampling goes by place
		pair.Deltas = append(pair.Deltas, delta(m.Name, moved, opt))
		if len(pair.Deltas) == 1 {
			pair.Moved = most(moved, opt.OnlyWorse, cmp.Or(opt.Moved, 10))
		}
	}
	if len(pair.Deltas) == 0 {
		return pair, fmt.Errorf("%q and %q have no measure in common that can be compared query by query", base.Run, r.Run)
	}
	return pair, nil
}

// delta tests one measure over the queries that have it in both runs.
func delta(name string, pairs []Moved, opt CompareOptions) Delta {
	d := Delta{Name: name, N: len(pairs), Method: stats.MethodNone}
	if len(pairs) == 0 {
		d.Note = "undefined for every query in one of the runs"
		return d
	}
	diffs, shifted := make([]float64, len(pairs)), make([]float64, len(pairs))
	was, now := 0.0, 0.0
	for i, p := range pairs {
		if diffs[i] = p.After - p.Before; math.Abs(diffs[i]) < noise {
			diffs[i] = 0
		}
		if shifted[i] = diffs[i] + opt.Shift; math.Abs(shifted[i]) < noise {
			shifted[i] = 0
		}
		was, now = was+p.Before, now+p.After
		switch {
		case diffs[i] > 0:
			d.Wins++
		case diffs[i] < 0:
			d.Losses++
		default:
			d.Ties++
		}
	}
	n := float64(len(pairs))
	was, now = was/n, now/n
	change := stats.Mean(diffs)
	d.Before, d.After, d.Delta = &was, &now, &change
	resamples := cmp.Or(opt.Resamples, usualResamples)
	if b, ok := stats.Bootstrap(diffs, confidence, resamples, opt.Seed); ok {
		d.Interval = widened(b, change, len(diffs), -1)
	}
	draws := max(resamples, opt.draws)
	test := stats.SignFlip(diffs, draws, opt.Seed)
	if opt.Shift != 0 {
		test = stats.Studentized(shifted, opt.Shift-1, opt.Shift+1, draws, opt.Seed)
	}
	d.P, d.Method = defined(test.P), test.Method
	if p, ok := stats.PairedT(shifted); ok {
		d.T = &p
	}
	if dz, ok := stats.EffectSize(diffs); ok {
		d.EffectSize = &dz
	}
	if sd := stats.StdDev(diffs); sd > 0 {
		least := stats.Detectable(sd, len(diffs), opt.alpha(), power)
		d.Detectable = defined(least)
	}
	d.Note = few(d, opt)
	return d
}

// few says so where no outcome could be significant, or what it would have taken.
func few(d Delta, opt CompareOptions) string {
	changed := d.Wins + d.Losses
	if changed == 0 || opt.Shift != 0 || d.P != nil && *d.P <= opt.alpha() {
		return ""
	}
	wins, ok := stats.WinsNeeded(changed, opt.alpha())
	switch {
	case !ok:
		return fmt.Sprintf("only %s changed: no outcome of so few could be significant at %s", count(changed, "query", "queries"), number(opt.alpha()))
	case changed <= 20 && max(d.Wins, d.Losses) < wins:
		return fmt.Sprintf("if all %d had changed equally, %d would have had to go one way to be significant", changed, wins)
	}
	return ""
}

// most are the n pairs that changed most, the greatest first.
func most(pairs []Moved, worse bool, n int) []Moved {
	list := slices.DeleteFunc(slices.Clone(pairs), func(m Moved) bool {
		return math.Abs(m.After-m.Before) < noise || worse && m.After > m.Before
	})
	slices.SortStableFunc(list, func(a, b Moved) int {
		return cmp.Or(cmp.Compare(math.Abs(b.After-b.Before), math.Abs(a.After-a.Before)), strings.Compare(a.QueryID, b.QueryID))
	})
	return list[:min(max(0, n), len(list))]
}

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
	P          *float64  `json:"p"`           // two-sided paired randomization test; of a Shift, studentized bootstrap
	Method     string    `json:"method"`      // exact, mcnemar, randomization, none; of a Shift, bootstrap-t, unanimous, none
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
