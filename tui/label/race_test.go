package label

import (
	"errors"
	"math/rand"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/fake"
)

// Replies come in any order, as late as can be, while keys go on: nothing that is shown as saved is not on the desk, and
// once everything has come the screen knows what the desk knows.
func TestRepliesInAnyOrder(t *testing.T) {
	keys := strings.Fields("0 1 2 3 x c ! j k g G n p f s w u ctrl+r tab r v enter esc")
	for seed := range int64(12) {
		r := rand.New(rand.NewSource(seed))
		undo := seed%2 == 0
		clock := drive.NewClock()
		b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{})
		b.Hold()
		for range 250 {
			if n := b.Held(); n > 0 && r.Intn(3) > 0 {
				b.Step(r.Intn(n))
			} else if key := keys[r.Intn(len(keys))]; undo || key != "u" && key != "ctrl+r" {
				b.Press(key)
			}
			if r.Intn(60) == 0 {
				b.kit.Desk.Fail("Grade", errors.New("disk full"))
			} else if r.Intn(20) == 0 {
				b.kit.Desk.Fail("", nil)
			}
			plain := b.Plain()
			if strings.Contains(plain, "· saved") && b.s.Pending() > 0 {
				t.Fatalf("seed %d: saved, with %d writes pending", seed, b.s.Pending())
			}
			if !undo {
				marksAreOnTheDesk(t, b)
			}
		}
		b.kit.Desk.Fail("", nil)
		b.Release()
		for range 5 { // whatever failed is tried again
			b.Press("esc")
			if b.s.box.Failed() != "" {
				b.Press("r")
			}
		}
		b.Advance(5 * time.Second)
		if b.s.Pending() != 0 {
			t.Fatalf("seed %d: %d writes pending", seed, b.s.Pending())
		}
		knowsWhatTheDeskKnows(t, seed, b)
	}
}

// marksAreOnTheDesk: a grade in brackets is one that the desk has.
func marksAreOnTheDesk(t *testing.T, b *bench) {
	t.Helper()
	for _, row := range b.s.tabs[b.s.tab].rows {
		mark := b.s.mark(row.chunkID).Text
		g, ok := b.kit.Desk.GradeOf(b.s.q.id, row.chunkID)
		if !ok && mark != "[·]" && strings.HasPrefix(mark, "[") && b.s.q.loaded {
			t.Fatalf("%s on %s is shown as %s, and the desk has no grade", row.chunkID, b.s.q.id, mark)
		}
		if ok && mark == "["+digit(g+1, false)+"]" {
			t.Fatalf("%s on %s is shown as %s, and the desk has %s", row.chunkID, b.s.q.id, mark, g)
		}
	}
}

func knowsWhatTheDeskKnows(t *testing.T, seed int64, b *bench) {
	t.Helper()
	sheet := b.sheet(b.s.q.id)
	if len(sheet.Labels) != len(b.s.q.sheet.Labels) {
		t.Errorf("seed %d: %d labels shown, %d on the desk", seed, len(b.s.q.sheet.Labels), len(sheet.Labels))
	}
	for id, l := range sheet.Labels {
		if got := b.s.q.sheet.Labels[id]; got.Grade != l.Grade {
			t.Errorf("seed %d: %s is shown as %v, the desk has %v", seed, id, got.Grade, l.Grade)
		}
	}
	rows, _ := b.kit.Desk.Queue(t.Context())
	done := 0
	for _, r := range rows {
		if r.State == corpus.Done {
			done++
		}
	}
	if b.s.queue.done != done {
		t.Errorf("seed %d: %d done shown, %d on the desk", seed, b.s.queue.done, done)
	}
	if len(sheet.Said) != len(b.s.q.sheet.Said) {
		t.Errorf("seed %d: %d statements shown, %d on the desk", seed, len(b.s.q.sheet.Said), len(sheet.Said))
	}
}

// A grade that lands while the sheet is being read is not lost from view by the older sheet.
func TestOlderSheetDoesNotHideAGrade(t *testing.T) {
	b := sample(t)
	old := b.sheet("q0001")
	landed := b.s.box.Landed()
	b.Press("2")
	b.Send(sheetMsg{gen: b.s.q.gen, landed: landed, sheet: old})
	b.rowHas("docs/keys.md#1", "[2]")
}

// A digit right after n is for nothing: the next query's list is not here yet.
func TestDigitBeforeTheNextListIsHere(t *testing.T) {
	b := sample(t)
	b.Hold()
	b.Press("n", "2")
	b.says("not yet: the query is still loading")
	b.Release()
	if b.kit.Desk.Written() != 0 {
		t.Error("graded")
	}
}

func TestQueueSteps(t *testing.T) {
	var q queue
	q.set(nil)
	if _, ok := q.step("", 1, true, anyQuery); ok {
		t.Error("a step in an empty queue")
	}
	rows, _ := fake.Sample(fake.Plain, nil).Desk.Queue(t.Context())
	rows[1].Query.Excluded = true
	rows[3].State = corpus.Done
	q.set(rows)
	if q.total != 5 || q.done != 1 {
		t.Errorf("%d of %d done", q.done, q.total)
	}
	for _, c := range []struct {
		from   string
		by     int
		around bool
		want   string
	}{
		{"", 1, false, "q0001"}, {"q0001", 1, false, "q0003"}, {"q0003", -1, false, "q0001"}, {"q0001", -1, false, ""},
		{"q0006", 1, false, ""}, {"q0006", 1, true, "q0001"}, {"q0001", -1, true, "q0006"}, {"unknown", 1, false, "q0001"}, {"", -1, false, "q0006"},
	} {
		if got, ok := q.step(c.from, c.by, c.around, anyQuery); got != c.want || ok != (c.want != "") {
			t.Errorf("from %q by %d: %q, want %q", c.from, c.by, got, c.want)
		}
	}
	for _, s := range []corpus.State{corpus.Done, corpus.Done, corpus.Open, corpus.Skipped} {
		q.setState("q0001", s)
		q.setState("q0002", s) // excluded: counts for nothing
		q.setState("unknown", s)
	}
	if q.done != 1 {
		t.Errorf("%d done", q.done)
	}
}

// The parts of the screen lie within it, one below or beside the other, at any size.
func TestLayout(t *testing.T) {
	b := sample(t)
	for w := 1; w <= 180; w += 7 {
		for h := 1; h <= 60; h++ {
			b.s.Resize(w, h)
			l := b.s.layout()
			parts := []cell.Rect{l.header, l.card, l.tabs, l.box, l.rows, l.heading, l.text, l.hint, l.status}
			area := 0
			for i, p := range parts {
				if p.X < 0 || p.Y < 0 || p.W < 0 || p.H < 0 || p.X+p.W > w || p.Y+p.H > h {
					t.Fatalf("%d×%d: part %d is %+v", w, h, i, p)
				}
				for k, o := range parts[:i] {
					if p.X < o.X+o.W && o.X < p.X+p.W && p.Y < o.Y+o.H && o.Y < p.Y+p.H {
						t.Fatalf("%d×%d: parts %d and %d overlap: %+v %+v", w, h, k, i, o, p)
					}
				}
				area += p.W * p.H
			}
			if blank := w*h - area; blank < 0 || blank > gap*h {
				t.Fatalf("%d×%d: %d cells belong to nothing", w, h, blank)
			}
			if h >= 9 && (l.rows.H < 1 || l.text.H < 1) {
				t.Fatalf("%d×%d: %d rows and %d lines of text", w, h, l.rows.H, l.text.H)
			}
		}
	}
}

// A query of a megabyte costs what three lines cost.
func TestHugeQuery(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	b := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: strings.Repeat("refund 界 \x1b[31m", 80_000)}}, []corpus.Chunk{{ID: "a", Text: "refund"}}), setup{w: 80, h: 24})
	b.CheckFrame(80, 24)
	b.Sees("q1", "(o)…")
	b.Press("2")
	b.graded("q1", "a", 2)
}

// Ids of the longest kind and titles without end are cut, and the ids' ends are what is shown.
func TestLongIDs(t *testing.T) {
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	long := strings.Repeat("界/", 2000)
	b := begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{{ID: long, Text: "key"}}, []corpus.Chunk{
		{ID: long + "#41", DocID: long, Title: strings.Repeat("title ", 9000), Text: "key", Ordinal: 1}, {ID: long + "#42", DocID: long, Text: "key", Ordinal: 2},
	}), setup{w: 80, h: 24})
	for _, keys := range [][]string{{}, {"2"}, {"enter"}, {"esc", "t"}, {"esc", "m"}, {"esc", "v"}, {"tab"}} {
		b.Press(keys...)
		b.CheckFrame(80, 24)
	}
	b.Sees("#42")
	b.Press("tab", "G")
	b.Sees("#41", "#42", "chunk 1")
	b.graded(long, long+"#42", 2)
}

func TestFirstWords(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a\nb\tc\r\nd": "a b c d", "a\rb": "a\rb",
		strings.Repeat("界", 150): strings.Repeat("界", 100), strings.Repeat("x", 299) + "界": strings.Repeat("x", 299),
	} {
		if got := firstWords(text); got != want {
			t.Errorf("firstWords(%.20q) = %.40q", text, got)
		}
	}
}
