package label

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
	"assay/tui/screen"
)

var threeSent = screen.LabelChunks{QueryID: "q0002", Run: "bm25", Chunks: []screen.Candidate{
	{ChunkID: "docs/faq.md#2", Rank: 4}, {ChunkID: "docs/keys.md#3", Rank: 5}, {ChunkID: "blog/2023-tokens.md#3", Rank: 9},
}}

// What another screen sends is a list of its own: those chunks, in that order, and grades remember where they came from.
func TestSentChunksAreAListOfTheirOwn(t *testing.T) {
	b := sample(t)
	b.Send(threeSent)
	if b.s.q.id != "q0002" || b.s.tab != sentTab || b.current() != "docs/faq.md#2" {
		t.Fatal(b.s.q.id, b.s.tab, b.current())
	}
	b.Sees("‹sent 3 from bm25›", "search", "3 of 3 left", "a family plan for up to five")
	b.rowHas("docs/keys.md#3", "[·]")
	b.SeesNot("docs/faq.md#1 ") // what the search would find

	b.Press("2")
	if b.current() != "docs/keys.md#3" {
		t.Error("the cursor did not go on:", b.current())
	}
	b.rowHas("docs/faq.md#2", "[2]")
	b.Sees("2 of 3 left")
	b.Press("c", "0")
	b.says("all that was sent is judged: q goes back")
	b.Sees("0 of 3 left")

	want := []port.Grading{
		{QueryID: "q0002", ChunkID: "docs/faq.md#2", Grade: 2, Found: corpus.Found{Route: corpus.RoutePool, Run: "bm25", Rank: 4, Revealed: true}},
		{QueryID: "q0002", ChunkID: "docs/keys.md#3", Grade: corpus.CannotJudge, Found: corpus.Found{Route: corpus.RoutePool, Run: "bm25", Rank: 5, Revealed: true}},
		{QueryID: "q0002", ChunkID: "blog/2023-tokens.md#3", Grade: 0, Found: corpus.Found{Route: corpus.RoutePool, Run: "bm25", Rank: 9, Revealed: true}},
	}
	got := b.kit.Desk.Gradings()
	for i := range got {
		got[i].Active = 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("graded %+v\nwant %+v", got, want)
	}
	b.Press("u")
	b.rowHas("blog/2023-tokens.md#3", "[·]")
	if b.s.tab != sentTab || b.current() != "blog/2023-tokens.md#3" {
		t.Error("undo left the list")
	}
}

func TestSentListBesideTheOthers(t *testing.T) {
	b := sample(t)
	b.Press("tab", "tab")
	if b.s.tab != searchTab {
		t.Fatal("a list that was not sent can be reached")
	}
	b.Send(threeSent)
	b.Press("j", "r")
	b.says("stays as it was sent")
	b.Press("tab")
	if b.s.tab != searchTab {
		t.Error("tab goes to", b.s.tab)
	}
	b.Press("shift+tab")
	if b.s.tab != sentTab || b.current() != "docs/keys.md#3" {
		t.Error("the list lost its cursor:", b.s.tab, b.current())
	}
	// A chunk opened in its document is still one of the list.
	b.Press("enter", "1")
	if g := b.kit.Desk.Gradings(); len(g) != 1 || g[0].Found.Run != "bm25" || g[0].Found.Rank != 5 {
		t.Error(g)
	}
	b.Press("esc", "/")
	if b.s.tab != searchTab || !b.s.InText() {
		t.Error("/ does not go back to the search")
	}
	b.Press("esc")
	b.Sees("policy")
	b.Press("2")
	if g := b.kit.Desk.Gradings(); len(g) != 2 || g[1].Found.Route != corpus.RouteSearch || g[1].Found.Run != "" {
		t.Error(g)
	}
	b.Press("n")
	b.SeesNot("from bm25")
	b.Press("tab", "tab")
	if b.s.tab != searchTab {
		t.Error("the list outlives its query")
	}
}

// Results that were never on screen are no search that was tried.
func TestSentListTriesNoSearch(t *testing.T) {
	b := sample(t)
	b.Send(threeSent)
	b.Advance(5 * time.Second)
	b.Press("j", "1", "0")
	b.Press("n")
	sheet, err := b.kit.Desk.Sheet(t.Context(), "q0002")
	if err != nil || len(sheet.Searches) != 0 {
		t.Error(sheet.Searches, err)
	}
}

// The list may come before the screen has read the workspace, for a query that was added since, or for none.
func TestSentBeforeAnythingIsLoaded(t *testing.T) {
	clock := drive.NewClock()
	kit := fake.Sample(fake.Plain, clock.Now)
	s := New(Options{Desk: kit.Desk, Finder: kit.Finder, Now: clock.Now, Tick: clock.Tick})
	s.Resize(80, 23)
	if cmd := s.Update(threeSent); cmd != nil {
		cmd()
	}
	b := &bench{drive.Screen(t, s, clock, 80, 23), t, s, kit, clock, 80, 23}
	if b.s.q.id != "q0002" || b.s.tab != sentTab {
		t.Error(b.s.q.id, b.s.tab)
	}
	added, err := kit.Desk.AddQuery(t.Context(), "added elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	m := threeSent
	m.QueryID = added.QueryID
	b.Send(m)
	if b.s.q.id != added.QueryID || b.s.tab != sentTab {
		t.Error(b.s.q.id, b.s.tab)
	}
	m.QueryID = "none"
	b.Send(m)
	b.Send(screen.OpenQuery{QueryID: "q0001"})
	if b.s.q.id != "q0001" || b.s.tab != searchTab || b.s.hasSent() {
		t.Error(b.s.q.id, b.s.tab)
	}
	m = screen.LabelChunks{QueryID: "q0003", Run: "empty"}
	b.Send(m)
	if b.s.q.id != "q0003" || b.s.tab != searchTab {
		t.Error("an empty list is shown")
	}
}

func TestSentChunksThatAreGoneAndHostileNames(t *testing.T) {
	for _, size := range [][2]int{{40, 9}, {60, 19}, {80, 23}, {120, 35}} {
		clock := drive.NewClock()
		b := begin(t, clock, fake.Sample(fake.Hostile, clock.Now), setup{w: size[0], h: size[1], theme: "dark"})
		m := screen.LabelChunks{QueryID: "q0001", Run: "run\x1b[2J\u202e" + fmt.Sprintf("%0100d", 0)}
		for i := range 40 {
			m.Chunks = append(m.Chunks, screen.Candidate{ChunkID: fmt.Sprintf("gone\x1b]0;x\x07%d", i), Rank: i})
		}
		b.Send(m)
		b.CheckFrame(size[0], size[1])
		b.Press("G", "k", "v", "2", "tab", "shift+tab")
		b.CheckFrame(size[0], size[1])
		if size[0] == 120 {
			b.Sees("not in the corpus any more")
		}
	}
}

func TestGoldenSentList(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}} {
		clock := drive.NewClock()
		b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{w: size[0], h: size[1]})
		b.Send(threeSent)
		b.Press("2")
		b.CheckFrame(size[0], size[1])
		drive.Golden(t, fmt.Sprintf("sent-%dx%d", size[0], size[1]), b.Frame(), *update)
	}
}
