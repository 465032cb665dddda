package sample

import (
	"iter"
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
	Frequency Dimension = "frequency" // head, torso, tail
	Tag       Dimension = "tag"
	Language  Dimension = "language"
	Time      Dimension = "time"
)

// Design says what to draw.
type Design struct {
	By     By
	N      int       // how many new ones; all where there are fewer
	Strata Dimension // "" for Frequency
	Seed   uint64
}

// Unit is one query that can be drawn: a group's representative with the group's figures.
type Unit struct {
	ID        string
	Count     int
	Language  string
	Tags      []string
	FirstSeen *time.Time
	Inclusion float64 // with which it was drawn before; 0: not drawn yet
}

// Pick is a query that is or was drawn.
type Pick struct {
	ID        string
	New       bool
	Stratum   string
	Inclusion float64 // (0, 1]
	Weight    float64 // how many asked queries it stands for
}

// Stratum is a row of the strata table.
type Stratum struct {
	Name    string  `json:"name"`
	Queries int     `json:"queries"` // in the frame
	Asked   int     `json:"asked"`   // how often they were asked
	Before  int     `json:"before"`  // of them drawn before
	New     int     `json:"new"`     // drawn now
	Weight  float64 `json:"weight"`  // that all drawn ones stand for, asked queries
}

// Drawn is a sample with what it was drawn from.
type Drawn struct {
	Strata []Stratum
	Picks  []Pick // the new ones in an order of which each beginning is a sample too, then the old ones
}

// Draw draws from the units, which are walked through more than once, each time in the same order.
func Draw(units iter.Seq2[Unit, error], d Design) (Drawn, error) { return Drawn{}, nil }
