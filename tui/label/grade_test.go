package label

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/label/outbox"
	"assay/tui/port"
	"assay/tui/screen"
)

// B012 (public report: HumanSignal/label-studio#6674): a grade that could not be saved does not look saved, not after
// moving on and coming back either, and a retry saves it.
func TestFailedSaveDoesNotLookSaved(t *testing.T) {
	b := sample(t)
	b.kit.Desk.Fail("Grade", errors.New("disk full"))
	b.Press("2")
	b.Sees("NOT SAVED: disk full", "r retries, u drops")
	b.SeesNot("· saved")
	b.rowHas("docs/keys.md#1", "!2!")
	if b.s.Pending() == 0 || b.s.box.Changes() != 1 {
		t.Errorf("%d writes pending, %d changes", b.s.Pending(), b.s.box.Changes())
	}
	b.Press("n", "p")
	b.Advance(time.Minute)
	b.Sees("NOT SAVED: disk full")
	b.rowHas("docs/keys.md#1", "!2!")
	b.ungraded("q0001", "docs/keys.md#1")
	b.Press("r")
	b.Sees("NOT SAVED: disk full")
	b.kit.Desk.Fail("", nil)
	b.Press("r")
	b.SeesNot("NOT SAVED")
	b.Sees("· saved")
	b.rowHas("docs/keys.md#1", "[2]")
	b.graded("q0001", "docs/keys.md#1", 2)
}

// B012: grading again once the disk is writable saves what failed before, too, in the order in which it was said.
func TestGradingAgainRetries(t *testing.T) {
	b := sample(t)
	b.kit.Desk.Fail("Grade", errors.New("read-only file system"))
	b.Press("2", "0")
	b.Sees("2 NOT SAVED: read-only file system")
	b.kit.Desk.Fail("", nil)
	b.Press("k", "k", "3")
	b.graded("q0001", "docs/keys.md#1", 3)
	b.graded("q0001", "blog/2023-tokens.md#1", 0)
	b.Sees("· saved")
	// Undo goes back one by one through what was made of it.
	b.Press("u")
	b.graded("q0001", "docs/keys.md#1", 2)
}

func TestUndoDropsWhatIsNotSaved(t *testing.T) {
	b := sample(t)
	b.Press("1")
	b.kit.Desk.Fail("Grade", errors.New("disk full"))
	b.Press("2", "u")
	b.says("not saved, dropped: grade 2 relevant on blog/2023-tokens.md#1")
	b.SeesNot("NOT SAVED")
	b.rowHas("blog/2023-tokens.md#1", "[·]")
	b.graded("q0001", "docs/keys.md#1", 1)
	b.kit.Desk.Fail("", nil)
	b.Press("u")
	b.ungraded("q0001", "docs/keys.md#1")
}

// The mark tells a grade that is on its way from one that is on disk.
func TestPendingIsShownAsPending(t *testing.T) {
	b := sample(t)
	b.Hold()
	b.Press("2")
	b.rowHas("docs/keys.md#1", "(2)")
	b.SeesNot("saved", "saving")
	b.ungraded("q0001", "docs/keys.md#1")
	b.Release()
	b.rowHas("docs/keys.md#1", "[2]")
	b.Sees("· saved")
}

func TestSavingIsSaidAfterAMoment(t *testing.T) {
	b := sample(t)
	b.s.box.Add(outbox.Write{Kind: outbox.Draft, Do: func(context.Context) (port.Saved, error) { return port.Saved{}, nil }})
	b.s.box.Next(b.clock.Tick) // under way, and never answered
	b.SeesNot("saving…", "· saved")
	b.Send(outbox.SlowMsg{ID: 1})
	b.Sees("saving…")
}

// B013 (public report: open-edge-platform/geti#5704): finishing the last query twice changes nothing the second time.
func TestSecondSaveIsANoOp(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	ws.AutoAdvance = false
	b := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, []corpus.Chunk{{ID: "a", Text: "key"}}), setup{})
	b.Press("2", "f")
	was := b.kit.Desk.Written()
	b.Press("f", "2")
	if got := b.kit.Desk.Written(); got != was {
		t.Errorf("%d writes more", got-was)
	}
	b.says("already so: grade 2 relevant on a")
	b.graded("q1", "a", 2)
	if b.sheet("q1").State != corpus.Done {
		t.Error("not done")
	}
}

// B015 (public report: o19s/quepid#126): a hit found by a second search, far down, is kept like any other, with how it
// was found.
func TestGradeFoundByASecondSearchAtRank37(t *testing.T) {
	var chunks []corpus.Chunk
	for i := range 60 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("c%02d", 99-i), Text: "refund"})
	}
	chunks = append(chunks, corpus.Chunk{ID: "k", Text: "key"})
	clock := drive.NewClock()
	b := begin(t, clock, fake.NewKit(fake.Sample(fake.Plain, nil).Desk.Workspace(), clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, chunks), setup{})
	var found corpus.Found
	b.kit.Desk.SetHook(nil)
	b.s.desk = spy{b.kit.Desk, func(g port.Grading) { found = g.Found }}
	b.Press("1")
	b.search("refund")
	b.Press("enter")
	for range 36 {
		b.Press("j")
	}
	at := b.current()
	b.Press("v", "2")
	b.graded("q1", "k", 1)
	b.graded("q1", at, 2)
	if want := (corpus.Found{Route: corpus.RouteSearch, Search: "refund", Rank: 37, Revealed: true}); found != want {
		t.Errorf("found %+v, want %+v", found, want)
	}
	tried := b.sheet("q1").Searches
	if len(tried) != 2 || tried[1].Text != "refund" || tried[1].Results != 60 || tried[1].Deepest < 37 {
		t.Errorf("searches tried: %+v", tried)
	}
}

// spy looks at what is graded on its way to the desk.
type spy struct {
	port.Desk
	see func(port.Grading)
}

func (s spy) Grade(ctx context.Context, g port.Grading) (port.Saved, error) {
	s.see(g)
	return s.Desk.Grade(ctx, g)
}

// Undo goes to where the change was, across queries, and says what it took back.
func TestUndoAcrossQueries(t *testing.T) {
	b := sample(t)
	b.Press("2", "n", "3", "f")
	if b.s.q.id != "q0003" {
		t.Fatalf("at %s", b.s.q.id)
	}
	b.Press("u")
	b.says("took back: marked done · q0002")
	b.Sees("q0002", "0/6 done")
	b.Press("u")
	b.says("took back: graded 3 perfect · q0002 docs/faq.md#1")
	if b.current() != "docs/faq.md#1" {
		t.Errorf("at %s", b.current())
	}
	b.Press("u")
	b.says("took back: graded 2 relevant · q0001 docs/keys.md#1")
	b.Sees("q0001")
	if b.current() != "docs/keys.md#1" {
		t.Errorf("at %s", b.current())
	}
	b.rowHas("docs/keys.md#1", "[·]")
	b.Press("u")
	b.says("nothing to take back")
	b.Press("ctrl+r", "ctrl+r")
	b.says("again: graded 3 perfect · q0002")
	b.graded("q0001", "docs/keys.md#1", 2)
	b.graded("q0002", "docs/faq.md#1", 3)
	b.Press("ctrl+r", "ctrl+r")
	b.says("nothing to do again")
	b.Sees("1/6 done")
}

// What was changed in a list that is not open any more is shown where it can be seen.
func TestUndoGoesToAChunkThatNoListHolds(t *testing.T) {
	b := sample(t)
	b.search("refund")
	b.Press("enter", "2")
	b.graded("q0001", "docs/faq.md#1", 2)
	b.search("grace")
	b.Press("enter", "u")
	b.ungraded("q0001", "docs/faq.md#1")
	b.Sees("docs/faq.md · chunk 1 of 3")
	b.Press("ctrl+r")
	b.graded("q0001", "docs/faq.md#1", 2)
	b.rowHas("docs/faq.md#1", "[2]")
}

func TestHardNegatives(t *testing.T) {
	b := sample(t)
	b.Press("!")
	b.graded("q0001", "docs/keys.md#1", 0)
	b.rowHas("docs/keys.md#1", "![0]")
	if _, ok := b.s.said(corpus.SaidHardNegative, "docs/keys.md#1"); !ok {
		t.Error("not said")
	}
	b.Press("2", "k", "!")
	b.says("a relevant chunk is no hard negative")
	b.Press("x", "c", "k", "k", "!")
	b.rowHas("docs/keys.md#1", " [0]")
	b.Press("!")
	b.rowHas("docs/keys.md#1", "![0]")
	// A chunk that turns out relevant is none any more.
	b.Press("3")
	b.rowHas("docs/keys.md#1", " [3]")
	at := b.current()
	b.Press("c", "k", "!")
	b.says("marked as can't judge: grade it first")
	if b.current() != at || b.s.hardNegative(at) {
		t.Error("a chunk that nobody could judge became a hard negative")
	}
}

// A label whose query was reworded since is marked, and grading it again settles it.
func TestStaleLabels(t *testing.T) {
	b := sample(t)
	b.Press("2")
	if _, err := b.kit.Desk.EditQuery(t.Context(), "q0001", "rotate the signing key"); err != nil {
		t.Fatal(err)
	}
	b.run(b.s.Shown())
	b.rowHas("docs/keys.md#1", "[↺]")
	b.Press("k")
	b.Sees("grade 2 relevant is of another text: grade again")
	b.Press("3")
	b.rowHas("docs/keys.md#1", "[3]")
}

func TestLabelsOnAWiderScale(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	ws.Scale = corpus.NewScale(0, 4, nil, 2)
	b := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "key"}}, []corpus.Chunk{{ID: "a", Text: "key"}, {ID: "b", Text: "key"}}), setup{})
	b.Press("4", "1", "7", "h", "l")
	b.Sees("[4]", "[1]", "relevant 1")
	if b.kit.Desk.Written() != 2 {
		t.Errorf("%d writes", b.kit.Desk.Written())
	}
}

// A negative grade of another tool, and what else an import may bring, is shown without breaking the columns.
func TestMarks(t *testing.T) {
	b := sample(t)
	for g, want := range map[corpus.Grade]string{2: "[2]", 0: "[0]", corpus.CannotJudge: "[~]", -1: "[-]", 42: "[-]"} {
		b.s.q.sheet.Labels["x"] = corpus.Label{Grade: g}
		if got := b.s.mark("x").Text; got != want {
			t.Errorf("%d is %q, want %q", g, got, want)
		}
	}
}

func TestEveryWriteIsTold(t *testing.T) {
	b := sample(t)
	b.Press("2")
	b.asked(screen.Changed{})
}

// What is written while an older one is under way waits for it.
func TestWritesReachTheDeskInOrder(t *testing.T) {
	b := sample(t)
	var order []string
	b.s.desk = spy{b.kit.Desk, func(g port.Grading) { order = append(order, fmt.Sprint(g.ChunkID, "=", g.Grade)) }}
	b.Hold()
	b.Press("2", "k", "3", "k", "1")
	for range 500 {
		if b.Held() == 0 {
			break
		}
		b.Step(b.Held() - 1) // the newest Cmd first
	}
	if got, want := strings.Join(order, " "), "docs/keys.md#1=2 docs/keys.md#1=3 docs/keys.md#1=1"; got != want {
		t.Errorf("order %q", got)
	}
	b.Release()
	if b.s.Pending() != 0 {
		t.Errorf("%d pending", b.s.Pending())
	}
	b.graded("q0001", "docs/keys.md#1", 1)
}

func TestActiveTimeGoesWithTheGrade(t *testing.T) {
	b := sample(t)
	var active []time.Duration
	b.s.desk = spy{b.kit.Desk, func(g port.Grading) { active = append(active, g.Active) }}
	b.Advance(4 * time.Second)
	b.Press("2")
	b.Advance(2 * time.Second)
	b.Press("j")
	b.Advance(10 * time.Minute)
	b.Press("1")
	if len(active) != 2 || active[0] != 4*time.Second || active[1] != 62*time.Second {
		t.Errorf("active %v", active)
	}
}
