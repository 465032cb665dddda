package sample

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// By is a way to draw.
type By string

// The ways to draw.
const (
	Top          By = "top"          // the most asked
	Random       By = "random"       // each query alike
	Proportional By = "proportional" // by how often it was asked
	Stratified   By = "stratified"   // random within strata
)

// Dimension is what strata are made by.
type Dimension string

// The dimensions.
const (
	Frequency Dimension = "frequency" // head, torso, tail: a third of the traffic each
	Tag       Dimension = "tag"       // the rarest of a query's tags
	Language  Dimension = "language"
	Time      Dimension = "time" // when it was first seen, by day, week, month, quarter or year, in UTC
)

// Design says what to draw.
type Design struct {
	By     By
	N      int       // how many new ones; all where there are fewer
	Strata Dimension // "" for Frequency; the table has these strata whatever By is
	Seed   uint64    // the same for all draws of a workspace
}

// Unit is one query that can be drawn: a group's representative with the group's figures.
type Unit struct {
	ID        string
	Count     int // below 1 stands for 1
	Language  string
	Tags      []string
	FirstSeen *time.Time
	Inclusion float64 // with which it was drawn before; 0: not drawn yet
}

// Pick is a query that is or was drawn.
type Pick struct {
	ID        string
	New       bool // else drawn before, and its inclusion is now greater than it was
	Stratum   string
	Inclusion float64 // (0, 1]
	Weight    float64 // how many asked queries it stands for: Count / Inclusion
}

// Stratum is a row of the strata table.
type Stratum struct {
	Name    string  `json:"name"`
	Queries int     `json:"queries"` // in the frame
	Asked   int     `json:"asked"`   // how often they were asked
	Before  int     `json:"before"`  // of them drawn before
	New     int     `json:"new"`     // drawn now
	Covered int     `json:"covered"` // how often all drawn ones were asked
	Weight  float64 `json:"weight"`  // that all drawn ones stand for, asked queries
}

// Drawn is a sample with what it was drawn from.
type Drawn struct {
	Strata []Stratum
	// Picks are the new ones, then those of the old ones whose inclusion changed. Each beginning of the new ones is a
	// sample too, by the same chances and with strata in the same mix; of Top it holds the most asked.
	Picks []Pick
	// Covered is the share of all that was asked that the drawn queries, old and new, make up themselves, 0 to 1: "these
	// 200 are 41% of what was asked". Of a sample of Top nothing stands for the rest.
	Covered float64
}

// Draw draws from the units, which are walked through three times, each time in the same order. The sample does not
// depend on that order. Errors are those of the units, of a Design that is none (they name the choices), and of a unit
// whose Inclusion is no probability.
func Draw(units iter.Seq2[Unit, error], d Design) (Drawn, error) {
	d, err := d.checked()
	if err != nil {
		return Drawn{}, err
	}
	s, err := survey(units, d.Strata)
	if err != nil {
		return Drawn{}, err
	}
	strata, err := tally(units, s)
	if err != nil {
		return Drawn{}, err
	}
	cells := d.cells(strata)
	old, err := fill(units, s, strata, cells, d)
	if err != nil {
		return Drawn{}, err
	}
	return drawn(strata, cells, old, d.By), nil
}

// checked is the design with what it leaves out filled in.
func (d Design) checked() (Design, error) {
	if d.Strata == "" {
		d.Strata = Frequency
	}
	switch {
	case d.N < 1:
		return d, fmt.Errorf("draw %d queries: at least 1", d.N)
	case !slices.Contains([]By{Top, Random, Proportional, Stratified}, d.By):
		return d, fmt.Errorf("draw by %q: only by top, random, proportional or stratified", d.By)
	case !slices.Contains([]Dimension{Frequency, Tag, Language, Time}, d.Strata):
		return d, fmt.Errorf("make strata by %q: only by frequency, tag, language or time", d.Strata)
	}
	return d, nil
}

// size is what a unit's u is divided by.
func (d Design) size(count int) float64 {
	if d.By == Proportional {
		return float64(count)
	}
	return 1
}

// each walks through the units once, with their counts made good.
func each(units iter.Seq2[Unit, error], do func(Unit) error) error {
	for u, err := range units {
		if err != nil {
			return err
		}
		u.Count = max(1, u.Count)
		if err := do(u); err != nil {
			return err
		}
	}
	return nil
}

// plus adds up without running over.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// drawn reads the sample off the filled cells.
func drawn(strata []*stratum, cells []*cell, old []earlier, by By) Drawn {
	var out Drawn
	var news []ordered
	for _, c := range cells {
		for _, u := range c.taken() {
			p := c.inclusion(u)
			s := strata[u.stratum]
			s.New++
			s.cover(u.count, p)
			news = append(news, ordered{c.pick(u, s.Name, p), u.stratum, u.u / p})
		}
		c.index()
	}
	if by != Top { // which come the most asked first
		interleave(news)
	}
	for _, n := range news {
		out.Picks = append(out.Picks, n.Pick)
	}
	for _, o := range old {
		s := strata[o.stratum]
		p := max(o.inclusion, cells[o.cell].inclusionBefore(o))
		s.cover(o.count, p)
		if p > o.inclusion {
			out.Picks = append(out.Picks, Pick{ID: o.id, Stratum: s.Name, Inclusion: p, Weight: float64(o.count) / p})
		}
	}
	var asked, covered float64
	for _, s := range strata {
		asked += float64(s.Asked)
		covered += float64(s.Covered)
		out.Strata = append(out.Strata, s.Stratum)
	}
	if asked > 0 {
		out.Covered = covered / asked
	}
	return out
}
