package label

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
)

// tagProof is what is stored with a tag.
func tagProof[T any](b *bench, queryID, tag string) (T, bool) {
	b.t.Helper()
	var proof T
	for _, s := range b.sheet(queryID).Said {
		if s.What == corpus.SaidTag && s.Value == tag {
			if len(s.Proof) > 0 {
				if err := json.Unmarshal(s.Proof, &proof); err != nil {
					b.t.Fatal(err)
				}
			}
			return proof, true
		}
	}
	return proof, false
}

func TestUnanswerableKeepsTheSearchesTried(t *testing.T) {
	b := sample(t)
	b.Press("t", "enter")
	b.Sees("no search counts yet")
	b.Press("enter")
	b.says("search first")
	if _, ok := tagProof[corpus.UnanswerableProof](b, "q0001", corpus.TagUnanswerable); ok {
		t.Error("claimed without a search")
	}
	b.Press("esc", "esc")
	b.search("hardware token")
	b.Press("enter", "t", "enter")
	b.Sees("1 search tried, kept as proof", "hardware token", "2 results, read to 2")
	b.Press("enter")
	proof, ok := tagProof[corpus.UnanswerableProof](b, "q0001", corpus.TagUnanswerable)
	if !ok || len(proof.Searches) != 1 || proof.Searches[0].Text != "hardware token" || proof.Searches[0].Deepest != 2 {
		t.Errorf("proof %+v", proof)
	}
	b.Sees("[x] unanswerable")
	b.Press("esc")
	b.Sees("#unanswerable")
	b.Press("u")
	b.SeesNot("#unanswerable")
}

func TestUnanswerableWarnsOfAContradiction(t *testing.T) {
	b := sample(t)
	b.Press("2", "t", "enter")
	b.Sees("but 1 graded relevant")
}

func TestConflictingLinksChunks(t *testing.T) {
	b := sample(t)
	b.Press("2", "j", "t", "j", "enter", "enter")
	b.says("pick two or more")
	b.Press(" ", "j", " ", "j", "w", "k", " ")
	b.Sees("[x] [2] docs/keys.md#1", "holds")
	b.Press("tab")
	b.Type("the old one is wrong")
	b.Press("ctrl+s")
	proof, ok := tagProof[corpus.ConflictProof](b, "q0001", corpus.TagConflicting)
	if !ok || len(proof.ChunkIDs) != 2 || proof.Holds == "" || proof.Note != "the old one is wrong" {
		t.Errorf("proof %+v", proof)
	}
	// It opens as it was saved.
	b.Press("enter")
	b.Sees("holds", "note: the old one is wrong")
	b.Press("w")
	b.Press("enter")
	if proof, _ := tagProof[corpus.ConflictProof](b, "q0001", corpus.TagConflicting); len(proof.ChunkIDs) < 2 {
		t.Errorf("proof %+v", proof)
	}
}

func TestIdentifierIsPrefilled(t *testing.T) {
	clock := drive.NewClock()
	b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{start: screen.OpenQuery{QueryID: "q0003"}})
	b.Press("t", "j", "j", "enter")
	b.Sees("exact string: ERR_TOKEN_42▏")
	b.Press("backspace", "ctrl+u", "enter")
	b.says("type the exact string")
	b.Type("ERR_42")
	b.Sees("not in the query letter by letter")
	b.Press("enter")
	if proof, ok := tagProof[corpus.IdentifierProof](b, "q0003", corpus.TagIdentifier); !ok || proof.Identifier != "ERR_42" {
		t.Errorf("proof %+v", proof)
	}
}

func TestFollowUpNeedsTurnAndRewrite(t *testing.T) {
	b := sample(t)
	b.Press("t", "j", "j", "j", "enter", "ctrl+s", "ctrl+s")
	b.says("name the query that it follows")
	b.Press("tab")
	for _, c := range []struct{ parent, says string }{{"q0001", "can't follow itself"}, {"nope", "there is no query nope"}} {
		b.Press("ctrl+u")
		b.Type(c.parent)
		b.Press("tab")
		b.Type("x")
		b.Press("ctrl+s")
		b.says(c.says)
		b.Press("ctrl+u", "tab")
	}
	b.Press("ctrl+u")
	b.Type("q0002")
	b.Press("enter")
	b.Type("how do I rotate the key that signs refunds?")
	b.Press("enter")
	proof, ok := tagProof[corpus.FollowUpProof](b, "q0001", corpus.TagFollowUp)
	if !ok || proof.ParentID != "q0002" || proof.Standalone != "how do I rotate the key that signs refunds?" {
		t.Errorf("proof %+v", proof)
	}
	// With turns before it no other query needs to be named.
	b.Press("esc", "n", "t", "j", "j", "j", "enter")
	b.Sees("user: how do i rotate")
	b.Type("refunds for keys")
	b.Press("enter")
	if _, ok := tagProof[corpus.FollowUpProof](b, "q0002", corpus.TagFollowUp); !ok {
		t.Error("not tagged")
	}
}

func TestFreeTags(t *testing.T) {
	b := sample(t)
	b.Press("t", "j", "j", "j", "j", "enter")
	b.Type("needs screenshot")
	b.Press("enter")
	b.Sees("› [x] needs screenshot")
	b.Press("j", "enter")
	b.Type("unanswerable")
	b.Press("enter")
	b.says("needs its proof")
	b.Press("ctrl+u")
	b.Paste(strings.Repeat("long", 30))
	b.Press("enter")
	b.says("a tag has at most 100 bytes")
	b.Press("ctrl+u", "enter")
	b.says("type a name")
	b.Press("esc", "k", "enter")
	b.says("is a tag of your own")
	b.Press("x")
	b.SeesNot("[x]", "#needs screenshot")
}

func TestTagIsTakenAway(t *testing.T) {
	b := sample(t)
	b.Press("j", "t", "x")
	b.says("does not have this tag")
	b.Press("enter", "enter")
	b.Sees("[x] unanswerable")
	b.Press("x")
	b.SeesNot("[x] unanswerable")
	b.Press("t")
	if b.s.tags.Open() {
		t.Error("t does not close the panel")
	}
}

// What was typed into a form is kept as a draft and comes back.
func TestFormKeepsADraft(t *testing.T) {
	b := sample(t)
	b.Press("t", "j", "j", "j", "enter")
	b.Type("q0002")
	b.Press("tab")
	b.Type("half a rewr")
	b.Press("esc")
	b.Press("esc", "n", "p", "t", "j", "j", "j", "enter")
	b.says("your draft is back")
	b.Sees("q0002", "half a rewr")
	b.Press("tab")
	b.Type("ite")
	b.Press("ctrl+s")
	if proof, ok := tagProof[corpus.FollowUpProof](b, "q0001", corpus.TagFollowUp); !ok || !strings.Contains(proof.Standalone, "rewrite") {
		t.Errorf("proof %+v", proof)
	}
	if drafts, _ := b.kit.Desk.Drafts(t.Context()); len(drafts) != 0 {
		t.Errorf("drafts left: %v", drafts)
	}
}

func TestNotes(t *testing.T) {
	b := sample(t)
	b.Press("m")
	b.says("grade the chunk first")
	b.Press("2", "k", "m")
	b.Type("says how")
	b.Press("enter")
	b.Type("but not when q u 2")
	b.Sees("note on docs/keys.md#1", "but not when q u 2▏")
	b.Press("ctrl+s")
	if l := b.sheet("q0001").Labels["docs/keys.md#1"]; l.Note != "says how\nbut not when q u 2" || l.Grade != 2 {
		t.Errorf("label %+v", l)
	}
	b.rowHas("docs/keys.md#1", "\"[2]")
	b.Sees("note: says how")
	b.Press("M")
	b.Type("odd one")
	b.Press("ctrl+s")
	b.Sees("note: odd one")
	b.Press("a")
	b.Type("publish both")
	b.Press("ctrl+s")
	b.Sees("answer: publish both")
	b.Press("a", "ctrl+u", "ctrl+s")
	b.Sees("answer: –")
	b.Press("M", "ctrl+u", "ctrl+s")
	b.SeesNot("odd one")
}

// Right after a grade moved the cursor on, m is about the chunk that was graded; once the cursor was moved it is not.
func TestNoteOnTheChunkJustGraded(t *testing.T) {
	b := sample(t)
	b.Press("2", "m")
	b.Sees("note on docs/keys.md#1")
	b.Type("why")
	b.Press("ctrl+s")
	if l := b.sheet("q0001").Labels["docs/keys.md#1"]; l.Note != "why" {
		t.Errorf("label %+v", l)
	}
	b.Press("1", "u", "m")
	b.says("grade the chunk first")
	b.Press("0", "j", "m")
	b.says("grade the chunk first")
}

// esc keeps a draft, also over the end of the program; saving removes it.
func TestDraftsComeBack(t *testing.T) {
	b := sample(t)
	b.Press("2", "k", "m")
	b.Type("half a th")
	b.Press("esc")
	b.says("kept as a draft")
	if b.sheet("q0001").Labels["docs/keys.md#1"].Note != "" {
		t.Error("the draft was saved as a note")
	}
	again := begin(t, b.clock, b.kit, setup{start: screen.OpenQuery{QueryID: "q0001", ChunkID: "docs/keys.md#1"}})
	again.Press("m")
	again.says("your draft is back")
	again.Sees("half a th▏")
	again.Type("ought")
	again.Press("ctrl+s")
	if got := again.sheet("q0001").Labels["docs/keys.md#1"].Note; got != "half a thought" {
		t.Errorf("note %q", got)
	}
	if drafts, _ := again.kit.Desk.Drafts(t.Context()); len(drafts) != 0 {
		t.Errorf("drafts left: %v", drafts)
	}
	// Typing it back to what is stored leaves no draft either.
	again.Press("m")
	again.Type("s")
	again.Press("esc", "m", "backspace", "esc")
	if drafts, _ := again.kit.Desk.Drafts(t.Context()); len(drafts) != 0 {
		t.Errorf("drafts left: %v", drafts)
	}
}

// B059 (public report: anomalyco/opencode#12718): when the program ends in the middle of typing, and also when it is
// killed a moment later, the text is there.
func TestDraftsAreSavedAtTheEnd(t *testing.T) {
	b := sample(t)
	b.Press("M")
	b.Type("unfinished")
	b.run(b.s.Close())
	if drafts, _ := b.kit.Desk.Drafts(t.Context()); drafts["note/q0001"] != "unfinished" {
		t.Errorf("drafts %v", drafts)
	}
	b = sample(t)
	b.Press("M")
	b.Type("resting")
	b.Advance(autosaveAfter)
	if drafts, _ := b.kit.Desk.Drafts(t.Context()); drafts["note/q0001"] != "resting" {
		t.Errorf("drafts %v", drafts)
	}
	b = sample(t)
	b.Press("t", "j", "j", "j", "j", "enter")
	b.Type("mytag")
	b.run(b.s.Close())
	if drafts, _ := b.kit.Desk.Drafts(t.Context()); len(drafts) != 1 {
		t.Errorf("drafts %v", drafts)
	}
}

func TestCloseWritesWhatWasRead(t *testing.T) {
	b := sample(t)
	b.Press("j")
	b.s.find.deepest = 99
	b.run(b.s.Close())
	if got := b.sheet("q0001").Searches; len(got) != 1 || got[0].Deepest != 99 {
		t.Errorf("tried %+v", got)
	}
	b.kit.Desk.Fail("Draft", errors.New("disk full"))
	b.Press("M")
	b.Type("x")
	if say, ok := b.s.Close()().(screen.Say); !ok || say.Text != "the draft is not saved: disk full" {
		t.Errorf("says %+v", say)
	}
}

// A note that can't be saved stays in sight, and dropping it leaves the text as a draft.
func TestFailedNoteIsNotLost(t *testing.T) {
	b := sample(t)
	b.kit.Desk.Fail("Note", errors.New("disk full"))
	b.Press("M")
	b.Type("precious")
	b.Press("ctrl+s")
	b.Sees("NOT SAVED: disk full")
	b.Press("u", "M")
	b.Sees("precious▏")
	b.kit.Desk.Fail("", nil)
	b.Press("ctrl+s")
	b.Sees("note: precious")
	b.Advance(time.Minute)
	b.Sees("· saved")
}

// Names of drafts keep apart what ids may hold.
func TestDraftNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, ids := range [][]string{{"q1"}, {"q1", "c7"}, {"q1/c7"}, {"q1", "c/7"}, {"q1/c", "7"}, {"q1%2Fc7"}} {
		name := draftName("note", ids...)
		if seen[name] {
			t.Errorf("%q names two texts", name)
		}
		seen[name] = true
	}
	if draftName("note", "q1", "c7") != "note/q1/c7" {
		t.Error(draftName("note", "q1", "c7"))
	}
}
