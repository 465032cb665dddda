package tui

import (
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/fake"
	"assay/tui/port"
)

// From figures to a ranking, from there to labeling what nobody judged, and back to figures that are of now.
func TestFromFiguresToLabelsAndBack(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	if _, err := k.Desk.Grade(t.Context(), port.Grading{QueryID: "q0002", ChunkID: "docs/faq.md#1", Grade: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Desk.SetState(t.Context(), "q0002", corpus.Done, ""); err != nil {
		t.Fatal(err)
	}
	d, m, _ := started(t, k, Options{Theme: "none"}, 120, 36)
	d.Press("C", "c", "j", "o", "enter", "tab", "tab", "tab", "tab")
	d.Sees("bm25", "RR", "0.5000", "‹queries›")
	d.Press("o", "o", "enter")
	d.Sees("bm25 · unjudged 4 in top 10", "what is your refund policy")
	d.Press("s")
	d.Sees("‹sent 4 from bm25›", "4 of 4 left")
	d.Press("2", "0", "0", "0")
	d.Sees("all that was sent is judged: q goes back")
	for i, g := range k.Desk.Gradings()[1:] {
		if g.Found.Route != corpus.RoutePool || g.Found.Run != "bm25" || g.Found.Rank != []int{1, 3, 4, 5}[i] {
			t.Errorf("%+v", g.Found)
		}
	}
	d.Press("q")
	d.Sees("bm25 · unjudged 0 in top 10", "[2]")
	d.Press("esc")
	d.Sees("1.0000", "current")
	// One chunk alone goes the same way.
	d.Press("enter", "j", "enter")
	d.Sees("docs/faq.md#1")
	d.Press("q")
	d.Sees("bm25 · unjudged 0")
	d.Press("q", "q")
	if got := strings.Join(m.stack, " "); got != "label" {
		t.Errorf("the stack is %s", got)
	}
	d.Press("q")
	d.Sees("q again to leave")
}
