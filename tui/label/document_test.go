package label

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
)

// book is a workspace with one document of n chunks, of which the middle one is found.
func book(t testing.TB, n, lines int) *bench {
	t.Helper()
	var chunks []corpus.Chunk
	for i := range n {
		text := fmt.Sprintf("chunk %d\n", i+1) + strings.Repeat("line of text\n", lines)
		if i == n/2 {
			text += "needle"
		}
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("book#%d", i+1), DocID: "book", Ordinal: i + 1, Title: "Chapter", Text: text})
	}
	clock := drive.NewClock()
	return begin(t, clock, fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{ID: "q1", Text: "needle"}}, chunks), setup{w: 80, h: 23})
}

func TestDocumentShowsNeighbours(t *testing.T) {
	b := book(t, 100, 2)
	b.Press("enter")
	b.Sees("book · chunk 51 of 100", "› [·] book#51", "  [·] book#50", "  [·] book#52", "[needle]")
	b.CheckFrame(80, 23)
	b.Press("2", "j", "1", "k", "k", "0")
	for id, g := range map[string]corpus.Grade{"book#51": 2, "book#52": 1, "book#50": 0} {
		b.graded("q1", id, g)
	}
	b.Sees("[2] book#51", "[1] book#52", "› [0] book#50")
	b.Press("esc")
	if b.s.focus != inList || b.current() != "book#51" {
		t.Errorf("back at %s", b.current())
	}
	b.rowHas("book#51", "[2]")
}

func TestDocumentRemembersHowItWasFound(t *testing.T) {
	b := book(t, 9, 1)
	b.Press("enter", "j", "2", "k", "1")
	labels := b.sheet("q1").Labels
	if labels["book#6"].Found != corpus.RouteDocument || labels["book#5"].Found != corpus.RouteSearch {
		t.Errorf("found %q and %q", labels["book#6"].Found, labels["book#5"].Found)
	}
}

// Whatever is pressed, the chunk that a digit grades is on screen.
func TestDocumentCursorIsOnScreen(t *testing.T) {
	for _, lines := range []int{0, 3, 60} {
		b := book(t, 40, lines)
		b.Press("enter")
		for _, key := range strings.Split("j j k space space space j G k k b b b g j j j j j j space b pgdown pgdown pgup k k k G space space g b", " ") {
			b.Press(key)
			b.CheckFrame(80, 23)
			c, ok := b.s.doc.current()
			if !ok {
				t.Fatal("no chunk")
			}
			// Its heading, or where it is longer than the screen its text, which the margin marks.
			if plain := b.Plain(); !strings.Contains(plain, "] "+c.ID) && !strings.Contains(plain, "\n┃ ") {
				t.Fatalf("%d lines, after %s: %s is not on screen:\n%s", lines, key, c.ID, plain)
			}
		}
	}
}

func TestDocumentScrollsThroughALongChunk(t *testing.T) {
	b := book(t, 3, 50)
	b.Press("enter")
	b.SeesNot("[needle]")
	b.Press(" ", " ", " ")
	b.Sees("[needle]")
	b.Press("b", "b", "b", "b", "b", "b")
	b.Sees("chunk 1")
}

func TestDocumentThatCantBeRead(t *testing.T) {
	b := book(t, 9, 1)
	b.kit.Finder.SetHook(func(_ context.Context, m string) error {
		if m == "Document" {
			return errors.New("the index is gone")
		}
		return nil
	})
	b.Press("enter")
	b.Sees("can't read the document: the index is gone", "esc goes back")
	b.Press("2", "j", " ", "G")
	if b.kit.Desk.Written() != 0 {
		t.Error("graded")
	}
	b.Press("esc")
	b.Sees("book#5")
}

func TestChunkThatCantBeRead(t *testing.T) {
	clock := drive.NewClock()
	kit := fake.Sample(fake.Plain, clock.Now)
	b := begin(t, clock, kit, setup{wait: func(k fake.Kit) {
		k.Finder.SetHook(func(_ context.Context, m string) error {
			if m == "Chunk" {
				return errors.New("input/output error")
			}
			return nil
		})
	}})
	b.Sees("can't read this chunk: input/output error")
	kit.Finder.SetHook(nil)
	b.Press("r")
	b.Sees("To [rotate]")
}

// A labeled chunk that the corpus lost stays in the list of the judged.
func TestJudgedChunkThatIsGone(t *testing.T) {
	b := sample(t)
	b.Press("2")
	b.s.finder = fake.NewFinder()
	b.Press("tab")
	b.Sees("docs/keys.md#1", "not in the corpus any more")
}

func TestWholeDocumentSizeIsAskedForOnce(t *testing.T) {
	b := sample(t)
	b.Press("j", "k", "j", "k")
	b.SeesNot(" of 3")
	b.Advance(linger)
	b.Sees("chunk 1 of 3")
	was := b.kit.Finder.Calls("Document")
	b.Press("j", "j")
	b.Advance(linger)
	b.Sees("chunk 2 of 3")
	if got := b.kit.Finder.Calls("Document"); got > was+1 {
		t.Errorf("%d calls more", got-was)
	}
}

// A resize wraps what is on screen again without waiting for anything.
func TestResizeKeepsTheText(t *testing.T) {
	b := sample(t)
	for _, size := range [][2]int{{80, 23}, {160, 49}, {40, 9}, {120, 35}} {
		b.Resize(size[0], size[1])
		b.Sees("To [rotate]")
		b.CheckFrame(size[0], size[1])
	}
	b.Press("enter")
	for _, size := range [][2]int{{80, 23}, {160, 49}, {40, 9}, {120, 35}} {
		b.Resize(size[0], size[1])
		b.Sees("To [rotate]")
		b.CheckFrame(size[0], size[1])
	}
}
