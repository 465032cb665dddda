package querylog

import (
	"slices"

	"assay/corpus"
)

// Plan says what an import would do to the queries that are there already. Each incoming query is in exactly one list.
type Plan struct {
	New     []corpus.Query
	Same    []corpus.Query // as they are kept
	Changed []Change
}

// Change is a query that the log gives otherwise than it is kept.
type Change struct {
	Old, New corpus.Query // New is Old with what the log says instead
	What     []string     // the fields that differ, as JSON names them: "text", "reference_answer" …
}

// textFields are the fields that a log may say anew, beside the query's text.
var textFields = []struct {
	name string
	of   func(*corpus.Query) *string
}{
	{"language", func(q *corpus.Query) *string { return &q.Language }},
	{"parent_id", func(q *corpus.Query) *string { return &q.ParentID }},
	{"standalone_query", func(q *corpus.Query) *string { return &q.Standalone }},
	{"reference_answer", func(q *corpus.Query) *string { return &q.ReferenceAnswer }},
	{"stratum", func(q *corpus.Query) *string { return &q.Stratum }},
}

// PlanImport compares incoming queries, whose ids are unique, with those that exist.
//
// Importing a log twice changes nothing: how often, when and from which file a query was asked is not compared, nor
// are its kind, order and exclusion; they stay as they are kept, and counts don't add up. What the log doesn't say is
// no change either. The text is compared byte for byte, except where its id is made from it (TextID): such an id stands
// for all spellings, and the first is kept.
func PlanImport(existing func(id string) (corpus.Query, bool), incoming []corpus.Query) Plan {
	var p Plan
	for _, in := range incoming {
		old, known := existing(in.ID)
		if !known {
			p.New = append(p.New, in)
			continue
		}
		if c := compare(old, in); len(c.What) > 0 {
			p.Changed = append(p.Changed, c)
		} else {
			p.Same = append(p.Same, old)
		}
	}
	return p
}

func compare(old, in corpus.Query) Change {
	c := Change{Old: old, New: old}
	if in.Text != old.Text && (TextID(in.Text) != in.ID || TextID(old.Text) != old.ID) {
		c.New.Text = in.Text
		c.What = append(c.What, "text")
	}
	for _, f := range textFields {
		if s := *f.of(&in); s != "" && s != *f.of(&old) {
			*f.of(&c.New) = s
			c.What = append(c.What, f.name)
		}
	}
	if in.Turns != nil && !slices.Equal(in.Turns, old.Turns) {
		c.New.Turns = in.Turns
		c.What = append(c.What, "turns")
	}
	if in.Weight != nil && (old.Weight == nil || *in.Weight != *old.Weight) {
		c.New.Weight = in.Weight
		c.What = append(c.What, "weight")
	}
	return c
}
