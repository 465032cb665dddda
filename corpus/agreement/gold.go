package agreement

import (
	"time"

	"assay/corpus"
)

// Input is everything that was said.
type Input struct {
	Queries  []corpus.Query
	Labels   []corpus.Label
	Works    []corpus.Work
	Said     []corpus.Said
	Searches map[string][]corpus.SearchTried // by query id

	Scale            corpus.Scale
	Corpus           corpus.Info
	Program          string      // what makes the gold set, e.g. "assay 0.1.0"
	GuidelinesSHA256 corpus.Hash // used where no label names any
	Rule             corpus.Rule // "" is Majority
	AsOf             time.Time   // at least; anything said later moves it
	Snapshot         string      // "" for none
}

// Gold derives the gold set.
func Gold(in Input) (corpus.GoldSet, error) { return corpus.GoldSet{}, nil }

// Split is the inverse of Gold for a set that was read from a file: what to store so that Gold makes the same set.
func Split(gold corpus.GoldSet) (Input, error) { return Input{}, nil }
