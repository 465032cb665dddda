package demo

import (
	_ "embed" // for the log and the script
	"errors"
	"fmt"

	"assay/corpus"
)

//go:embed labels.jsonl
var script []byte

// Step is one thing that an annotator says about a query: a label, a state or a tag. Exactly one of the three is set.
type Step struct {
	Line      int // in the script, from 1
	QueryID   string
	Annotator string
	Label     *Label
	State     corpus.State // "" where the step is another
	Tag       *Tag
}

// Label grades a passage.
type Label struct {
	Place Place
	Grade corpus.Grade
	Note  string
}

// Tag is one of the tags that ask for a proof. Which of the further fields are set depends on its name.
type Tag struct {
	Name       string   // one of corpus.Tag…
	Searches   []string // unanswerable: what was searched for, at least one
	Identifier string   // identifier: the exact string
	Standalone string   // follow-up: the rewrite
	Places     []Place  // conflicting: the passages that disagree, at least two
	Holds      int      // conflicting: which of Places is right, from 0; -1 where nobody knows
	Note       string   // conflicting: why
}

// Place is a passage of the guide: a file's name and a heading in it, without its number signs.
type Place struct {
	Document string `json:"document"`
	Heading  string `json:"heading"`
}

// Script lists what the demo's annotators say, in the order in which they say it.
func Script() ([]Step, error) {
	steps, err := readScript(script)
	if err != nil {
		return nil, fmt.Errorf("read the demo's script: %w", err)
	}
	return steps, nil
}

// scriptRow is a line of the script.
type scriptRow struct {
	QueryID   string `json:"query_id"`
	Annotator string `json:"annotator"`
	Place
	Grade      *corpus.Grade `json:"grade"`
	State      corpus.State  `json:"state"`
	Tag        string        `json:"tag"`
	Searches   []string      `json:"searches"`
	Identifier string        `json:"identifier"`
	Standalone string        `json:"standalone"`
	Chunks     []Place       `json:"chunks"`
	Holds      *int          `json:"holds"`
	Note       string        `json:"note"`
}

func readScript(data []byte) ([]Step, error) {
	var steps []Step
	err := eachLine(data, func(line int, row scriptRow) error {
		step, err := row.step()
		if err != nil {
			return err
		}
		step.Line = line
		steps = append(steps, step)
		return nil
	})
	return steps, err
}

func (r scriptRow) step() (Step, error) {
	step := Step{QueryID: r.QueryID, Annotator: r.Annotator}
	if r.QueryID == "" || r.Annotator == "" {
		return step, errors.New("a step names a query and an annotator")
	}
	said := 0
	if r.Grade != nil {
		said++
		if r.Document == "" || r.Heading == "" {
			return step, errors.New("a grade names a document and a heading")
		}
		step.Label = &Label{Place: r.Place, Grade: *r.Grade, Note: r.Note}
	}
	if r.State != "" {
		said++
		switch r.State {
		case corpus.Open, corpus.Later, corpus.Skipped, corpus.Done:
			step.State = r.State
		default:
			return step, fmt.Errorf("there is no state %q", r.State)
		}
	}
	if r.Tag != "" {
		said++
		tag, err := r.proof()
		if err != nil {
			return step, err
		}
		step.Tag = &tag
	}
	if said != 1 {
		return step, errors.New("a step says one thing: a grade, a state or a tag")
	}
	return step, nil
}

// proof is the tag with what it asks for.
func (r scriptRow) proof() (Tag, error) {
	tag := Tag{
		Name: r.Tag, Searches: r.Searches, Identifier: r.Identifier, Standalone: r.Standalone, Places: r.Chunks, Holds: -1,
		Note: r.Note,
	}
	if r.Holds != nil {
		tag.Holds = *r.Holds
	}
	shown := false
	switch r.Tag {
	case corpus.TagUnanswerable:
		shown = len(r.Searches) > 0
	case corpus.TagIdentifier:
		shown = r.Identifier != ""
	case corpus.TagFollowUp:
		shown = r.Standalone != ""
	case corpus.TagConflicting:
		shown = len(r.Chunks) > 1 && tag.Holds < len(r.Chunks) && tag.Holds >= -1
	default:
		return tag, fmt.Errorf("there is no tag %q that asks for a proof", r.Tag)
	}
	if !shown {
		return tag, fmt.Errorf("the tag %q lacks its proof", r.Tag)
	}
	return tag, nil
}
