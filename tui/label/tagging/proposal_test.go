package tagging

import (
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/cell"
)

// guessed are the facts of a query with proposals: a tag that needs proof and one that needs none.
func guessed(said ...corpus.Said) Facts {
	return Facts{Query: corpus.Query{ID: "q1", Text: "what is ERR_7", Proposed: []string{corpus.TagIdentifier, corpus.TagQuestion}}, Said: said}
}

func TestProposalsAreShownAsSuch(t *testing.T) {
	th, err := cell.NewTheme("none", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := New("q1")
	box := strings.Join(p.Box(cell.Rect{W: 100, H: 12}, guessed(), th), "\n")
	for _, want := range []string{"[?] identifier", "[?] question", "[ ] unanswerable", "enter sets it, x rejects it"} {
		if !strings.Contains(box, want) {
			t.Errorf("no %q in\n%s", want, box)
		}
	}
	box = strings.Join(p.Box(cell.Rect{W: 100, H: 12}, guessed(corpus.Said{What: corpus.SaidTag, Value: corpus.TagQuestion}), th), "\n")
	if !strings.Contains(box, "[x] question") {
		t.Errorf("what is said counts:\n%s", box)
	}
}

func TestProposalsAreAcceptedOrRejected(t *testing.T) {
	p := New("q1")
	for range 4 { // past the known tags
		p.Act("down", guessed())
	}
	if a := p.Act("open", guessed()); a.Said == nil || a.Said.Value != corpus.TagQuestion || a.Said.What != corpus.SaidTag || a.Said.QueryID != "q1" {
		t.Errorf("accepted: %+v", a)
	}
	if a := p.Act("clear", guessed()); a.Reject != corpus.TagQuestion || a.Unsaid != nil || a.Refused {
		t.Errorf("rejected: %+v", a)
	}
	p.Act("up", guessed())
	p.Act("up", guessed())
	if a := p.Act("open", guessed()); a.Said != nil || p.Field() == nil || p.Field().Text() != "ERR_7" {
		t.Errorf("one that needs proof opens its form: %+v", a)
	}
}
