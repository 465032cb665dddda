package label

import (
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
)

func TestFinishSkipAndLater(t *testing.T) {
	b := sample(t)
	b.Press("f")
	b.Sees("q0002", "1/6 done", "what is your refund policy")
	b.Press("s", "w")
	if b.s.q.id != "q0004" {
		t.Errorf("at %s", b.s.q.id)
	}
	for id, want := range map[string]corpus.State{"q0001": corpus.Done, "q0002": corpus.Skipped, "q0003": corpus.Later, "q0004": corpus.Open} {
		if got := b.sheet(id).State; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	b.Press("p", "p", "p")
	b.Sees("q0001", "done")
	b.Press("p")
	b.says("this is the first query")
	b.Send(screen.Run{Action: "reopen"})
	if got := b.sheet("q0001").State; got != corpus.Open {
		t.Errorf("reopened: %s", got)
	}
	b.Sees("0/6 done")
}

// Finishing from the middle comes round to queries before it; when none is left it says so and stays.
func TestFinishComesRound(t *testing.T) {
	b := sample(t)
	b.Press("n", "n", "n", "n", "n", "n")
	b.says("this is the last query")
	b.Press("f")
	if b.s.q.id != "q0001" {
		t.Errorf("at %s", b.s.q.id)
	}
	b.Press("f", "f", "f", "f", "f")
	b.says("no open query is left")
	if b.s.q.id != "q0005" || b.s.queue.done != 6 {
		t.Errorf("at %s with %d done", b.s.q.id, b.s.queue.done)
	}
}

func TestCardShowsWhatIsKnown(t *testing.T) {
	clock := drive.NewClock()
	kit := fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{
		ID: "q1", Text: "and without downtime?", Kind: corpus.Mined, Count: 18, ReferenceAnswer: "publish both",
		Turns: []corpus.Turn{{Role: "user", Content: "how do i rotate"}, {Role: "assistant", Content: "like this"}},
	}}, []corpus.Chunk{{ID: "a", Text: "downtime"}})
	b := begin(t, clock, kit, setup{})
	b.Sees("q1 ×18", "mined", "turns 2", "after assistant: like this", "answer: publish both", "and without downtime?")
	b.Press("o")
	b.asked(screen.ShowText{Title: "Query q1", Text: b.s.whole()})
	if !strings.Contains(b.s.whole(), "user: how do i rotate") {
		t.Error(b.s.whole())
	}
	b.Press("i")
	b.asked(screen.ShowText{Title: "Guidelines", Text: kit.Desk.Workspace().Guidelines})
}

func TestStartsWhereItIsTold(t *testing.T) {
	clock := drive.NewClock()
	b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{start: screen.OpenQuery{QueryID: "q0003", ChunkID: "docs/keys.md#3"}})
	if b.s.q.id != "q0003" || b.current() != "docs/keys.md#3" {
		t.Errorf("at %s, %s", b.s.q.id, b.current())
	}
	// A chunk that no list holds is shown in its document.
	b.Send(screen.OpenQuery{QueryID: "q0005", ChunkID: "blog/2023-tokens.md#3"})
	if b.s.focus != inDocument {
		t.Error("not in the document")
	}
	b.Press("1")
	b.graded("q0005", "blog/2023-tokens.md#3", 1)
	b.Send(screen.OpenQuery{QueryID: "none"})
	if b.s.q.id != "q0005" {
		t.Errorf("an unknown query leads to %s", b.s.q.id)
	}
}

// A query that another screen added is found by reloading.
func TestOpensAQueryAddedSince(t *testing.T) {
	b := sample(t)
	saved, err := b.kit.Desk.AddQuery(t.Context(), "grace period")
	if err != nil {
		t.Fatal(err)
	}
	b.Send(screen.OpenQuery{QueryID: saved.QueryID})
	b.Sees("grace period", "written", "0/7 done")
}

func TestShownReloads(t *testing.T) {
	b := sample(t)
	if _, err := b.kit.Desk.EditQuery(t.Context(), "q0001", "rotate keys safely"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.kit.Desk.SetState(t.Context(), "q0002", corpus.Done, ""); err != nil {
		t.Fatal(err)
	}
	b.run(b.s.Shown())
	b.Sees("rotate keys safely", "1/6 done")
}
