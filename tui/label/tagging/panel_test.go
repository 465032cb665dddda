package tagging

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
)

func facts() Facts {
	return Facts{
		Query:  corpus.Query{ID: "q1", Text: "what does ERR_TOKEN_42 mean?", Turns: []corpus.Turn{{Role: "user", Content: "it failed"}}},
		Chunks: []string{"a", "b", "c"},
		Mark:   func(string) cell.Seg { return cell.Plain("[·]") },
		Known:  func(id string) bool { return id == "q2" },
		Draft:  func(string) string { return "" },
	}
}

// act runs actions one after the other and gives the last answer.
func act(p *Panel, f Facts, actions ...string) Answer {
	var a Answer
	for _, name := range actions {
		a = p.Act(name, f)
	}
	return a
}

func write(p *Panel, text string) {
	p.Type(tea.KeyMsg{Type: tea.KeyCtrlU})
	p.Type(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
}

func proofOf[T any](t *testing.T, a Answer) T {
	t.Helper()
	var proof T
	if a.Said == nil {
		t.Fatalf("nothing said: %+v", a)
	}
	if err := json.Unmarshal(a.Said.Proof, &proof); err != nil {
		t.Fatal(err)
	}
	return proof
}

func TestUnanswerable(t *testing.T) {
	f, p := facts(), New("q1")
	if a := act(&p, f, "open", "save"); !a.Refused || a.Said != nil {
		t.Errorf("claimed without a search: %+v", a)
	}
	f.Searches = []corpus.SearchTried{{Text: "token", Mode: corpus.Plain, Results: 3, Deepest: 2}}
	a := act(&p, f, "save")
	proof := proofOf[corpus.UnanswerableProof](t, a)
	if a.Said.Value != corpus.TagUnanswerable || a.Said.QueryID != "q1" || len(proof.Searches) != 1 || proof.Searches[0].Deepest != 2 {
		t.Errorf("%+v with %+v", a.Said, proof)
	}
}

func TestConflictPicksStayInOrder(t *testing.T) {
	f, p := facts(), New("q1")
	act(&p, f, "down", "open", "down", "down", "pick", "up", "up", "holds")
	proof := proofOf[corpus.ConflictProof](t, act(&p, f, "save"))
	if strings.Join(proof.ChunkIDs, ",") != "a,c" || proof.Holds != "a" {
		t.Errorf("%+v", proof)
	}
	// What no longer is picked does not hold; the same twice means that nobody knows.
	p = New("q1")
	act(&p, f, "down", "open", "holds", "down", "pick", "down", "pick", "up", "up", "pick")
	if proof := proofOf[corpus.ConflictProof](t, act(&p, f, "save")); proof.Holds != "" || len(proof.ChunkIDs) != 2 {
		t.Errorf("%+v", proof)
	}
	p = New("q1")
	act(&p, f, "down", "open", "holds", "holds", "down", "pick")
	if proof := proofOf[corpus.ConflictProof](t, act(&p, f, "save")); proof.Holds != "" {
		t.Errorf("%+v", proof)
	}
	f.Chunks = nil
	p = New("q1")
	if a := act(&p, f, "down", "open", "pick", "holds", "down", "save"); !a.Refused {
		t.Errorf("a conflict of nothing: %+v", a)
	}
}

// A chunk that was said to be part of a conflict is listed even where it was not seen this time.
func TestStoredProofOpensAgain(t *testing.T) {
	f, p := facts(), New("q1")
	raw, _ := json.Marshal(corpus.ConflictProof{ChunkIDs: []string{"a", "z"}, Holds: "z", Note: "old"})
	f.Said = []corpus.Said{{What: corpus.SaidTag, Value: corpus.TagConflicting, Proof: raw}}
	act(&p, f, "down", "open")
	if proof := proofOf[corpus.ConflictProof](t, act(&p, f, "save")); strings.Join(proof.ChunkIDs, ",") != "a,z" || proof.Holds != "z" || proof.Note != "old" {
		t.Errorf("%+v", proof)
	}
	// What can't be read is offered anew.
	f.Said = []corpus.Said{{What: corpus.SaidTag, Value: corpus.TagIdentifier, Proof: []byte(`{"identifier":7}`)}}
	p = New("q1")
	act(&p, f, "down", "down", "open")
	if got := p.Field().Text(); got != "ERR_TOKEN_42" {
		t.Errorf("offers %q", got)
	}
}

func TestIdentifierIn(t *testing.T) {
	for text, want := range map[string]string{
		"what does ERR_TOKEN_42 mean?": "ERR_TOKEN_42", "kube-apiserver flags": "kube-apiserver", "is `net/http` safe": "net/http",
		"NullPointerException in login": "NullPointerException", "PROJ-1234, again": "PROJ-1234", "how are you": "", "": "", "  single  ": "single",
		"see https://example.com/a?b=c for \"x\"": "https://example.com/a?b=c", "エラー E-42 とは": "E-42",
	} {
		if got := identifierIn(text); got != want {
			t.Errorf("identifierIn(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFollowUp(t *testing.T) {
	for _, c := range []struct {
		parent, standalone string
		turns              bool
		refused            string
	}{
		{"", "alone", true, ""}, {"q2", "alone", false, ""}, {"", "alone", false, "no turns"}, {"q1", "alone", true, "itself"},
		{"q9", "alone", true, "there is no query q9"}, {"q2", "", true, "stands alone"}, {"orphan", "alone", true, ""},
	} {
		f, p := facts(), New("q1")
		f.Query.ParentID = "orphan" // named by the log, not imported: what the log says is taken
		if !c.turns {
			f.Query.Turns = nil
		}
		act(&p, f, "down", "down", "down", "open")
		p.at = 0
		write(&p, c.parent)
		p.at = 1
		write(&p, c.standalone)
		a := act(&p, f, "save")
		if (c.refused != "") != a.Refused || !strings.Contains(a.Words, c.refused) {
			t.Errorf("%+v: %+v", c, a)
		}
		if !a.Refused {
			if proof := proofOf[corpus.FollowUpProof](t, a); proof.ParentID != c.parent || proof.Standalone != c.standalone {
				t.Errorf("%+v: %+v", c, proof)
			}
		}
	}
}

func TestDraftsGoAndComeBack(t *testing.T) {
	f, p := facts(), New("q1")
	act(&p, f, "down", "down", "down", "down", "open")
	write(&p, "half")
	a := act(&p, f, "back")
	if a.Form != freeForm || a.Draft == "" {
		t.Fatalf("%+v", a)
	}
	f.Draft = func(form string) string {
		if form == freeForm {
			return a.Draft
		}
		return "not json"
	}
	if a := act(&p, f, "open"); a.Words != "your draft is back" || p.Field().Text() != "half" {
		t.Errorf("%+v, %q", a, p.Field().Text())
	}
	if a := act(&p, f, "save"); a.Said == nil || a.Said.Value != "half" || a.Form != freeForm || a.Draft != "" {
		t.Errorf("%+v", a)
	}
	if a := act(&p, f, "back"); p.Open() || a.Form != "" {
		t.Errorf("%+v, open %v", a, p.Open())
	}
}

// Any actions and keys, on any facts: no panic, and a box of exactly its size.
func TestAnythingGoes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	actions := []string{"open", "clear", "down", "up", "pick", "holds", "next-part", "save", "back", "nonsense"}
	theme, _ := cell.NewTheme("dark", nil)
	f := facts()
	p := New("q1")
	for range 5000 {
		switch r.Intn(8) {
		case 0:
			p.Type(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("\x1b[31m界👩‍👩‍👧‍👦")})
		case 1:
			f.Chunks = []string{"a", "b\x1b", strings.Repeat("界", 200), "d", "e", "f", "g"}[:r.Intn(7)]
			f.Searches = make([]corpus.SearchTried, r.Intn(30))
			f.Relevant = r.Intn(2)
		default:
			a := p.Act(actions[r.Intn(len(actions))], f)
			if a.Said != nil {
				f.Said = append(f.Said[:len(f.Said):len(f.Said)], *a.Said)[max(0, len(f.Said)-9):]
			}
			if !p.Open() {
				p = New("q1")
			}
		}
		rect := cell.Rect{W: r.Intn(100), H: 1 + r.Intn(20)}
		box := p.Box(rect, f, theme)
		if len(box) != rect.H {
			t.Fatalf("%d lines, not %d", len(box), rect.H)
		}
		for _, line := range box {
			if cell.Width(line) > rect.W && rect.W > 4 {
				t.Fatalf("%q is wider than %d", line, rect.W)
			}
		}
	}
}
