package querylog

import (
	"slices"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/rows"
)

// shelf is where imported queries are.
type shelf map[string]corpus.Query

func (s shelf) find(id string) (corpus.Query, bool) {
	q, ok := s[id]
	return q, ok
}

// put does what a plan says.
func (s shelf) put(p Plan) {
	for _, q := range p.New {
		s[q.ID] = q
	}
	for _, c := range p.Changed {
		s[c.New.ID] = c.New
	}
}

// B011: importing again duplicates queries. Public report: HumanSignal/label-studio#540, HumanSignal/label-studio#1165.
func TestB011ImportAgain(t *testing.T) {
	log := collectFile(t, "testdata/bugs/B011/log.csv", Options{}, rows.Options{})
	edited := collectFile(t, "testdata/bugs/B011/log_edited.csv", Options{}, rows.Options{})
	kept := shelf{}
	first := PlanImport(kept.find, log.Queries)
	if len(first.New) != 2 || len(first.Same) != 0 || len(first.Changed) != 0 {
		t.Errorf("first import: %+v", first)
	}
	kept.put(first)
	if again := PlanImport(kept.find, log.Queries); len(again.New) != 0 || len(again.Same) != 2 || len(again.Changed) != 0 {
		t.Errorf("second import: %+v", again)
	}
	p := PlanImport(kept.find, edited.Queries)
	want(t, "new", list(p.New), "q3: new one ×1")
	want(t, "same", list(p.Same), "q2: cancel order ×1")
	if len(p.Changed) != 1 || p.Changed[0].Old.Text != "refund time" || p.Changed[0].New.Text != "refund time?" || !slices.Equal(p.Changed[0].What, []string{"text"}) {
		t.Errorf("changed: %+v", p.Changed)
	}
	kept.put(p)
	if again := PlanImport(kept.find, edited.Queries); len(again.Same) != 3 {
		t.Errorf("the edited log again: %+v", again)
	}
}

func TestPlanKeepsWhatTheLogDoesNotSay(t *testing.T) {
	seen := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	two := 2.0
	old := corpus.Query{
		ID: "1", Text: "a", Kind: corpus.Written, Count: 5, Source: "hand", Language: "en", ReferenceAnswer: "x", Standalone: "by hand",
		Excluded: true, Order: 9, FirstSeen: &seen,
	}
	kept := shelf{"1": old}
	same := corpus.Query{ID: "1", Text: "a", Kind: corpus.Mined, Count: 8, Source: "log.csv", Order: 1, LastSeen: &seen}
	if p := PlanImport(kept.find, []corpus.Query{same}); len(p.Same) != 1 || p.Same[0].Count != 5 {
		t.Errorf("%+v", p)
	}
	more := same
	more.Text, more.ReferenceAnswer, more.ParentID, more.Weight = "A", "y", "0", &two
	more.Turns = []corpus.Turn{{Role: "user", Content: "b"}}
	p := PlanImport(kept.find, []corpus.Query{more})
	if len(p.Changed) != 1 {
		t.Fatalf("%+v", p)
	}
	c := p.Changed[0]
	want(t, "what", c.What, "text", "parent_id", "reference_answer", "turns", "weight")
	if c.New.Text != "A" || c.New.ReferenceAnswer != "y" || c.New.Language != "en" || c.New.Standalone != "by hand" ||
		!c.New.Excluded || c.New.Order != 9 || c.New.Count != 5 || c.New.Kind != corpus.Written || c.New.Source != "hand" {
		t.Errorf("new: %+v", c.New)
	}
	if c.Old.Text != "a" || c.Old.ReferenceAnswer != "x" {
		t.Errorf("old: %+v", c.Old)
	}
}

// An id that is made from the text stands for all its spellings; one that is given does not.
func TestPlanOfSpellings(t *testing.T) {
	id := TextID("yahoo chat")
	kept := shelf{id: {ID: id, Text: "yahoo chat"}, "7": {ID: "7", Text: "yahoo chat"}}
	p := PlanImport(kept.find, []corpus.Query{{ID: id, Text: "Yahoo  Chat"}, {ID: "7", Text: "Yahoo  Chat"}})
	if len(p.Same) != 1 || p.Same[0].Text != "yahoo chat" || len(p.Changed) != 1 || p.Changed[0].New.ID != "7" {
		t.Errorf("%+v", p)
	}
}
