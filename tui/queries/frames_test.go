package queries

import (
	"flag"
	"fmt"
	"math/rand"
	"testing"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
)

var update = flag.Bool("update", false, "write the golden files anew")

var sizes = [][2]int{{40, 10}, {80, 24}, {160, 50}}

func theme(t testing.TB, name string) cell.Theme {
	t.Helper()
	th, err := cell.NewTheme(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// shown is the screen over a kit, with some progress made.
func shown(t testing.TB, k fake.Kit, themeName string, w, h int) (*drive.Driver, *Screen) {
	t.Helper()
	s := New(Options{Desk: k.Desk, Exporter: k.Exporter, Theme: theme(t, themeName)})
	return drive.Screen(t, s, nil, w, h), s
}

func progress(t testing.TB, k fake.Kit) {
	t.Helper()
	ctx := t.Context()
	must := func(_ port.Saved, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(k.Desk.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: "docs/keys.md#1", Grade: 2}))
	must(k.Desk.Grade(ctx, port.Grading{QueryID: "q0001", ChunkID: "docs/faq.md#1", Grade: 0}))
	must(k.Desk.SetState(ctx, "q0001", corpus.Done, ""))
	must(k.Desk.SetState(ctx, "q0002", corpus.Later, ""))
	must(k.Desk.SetState(ctx, "q0003", corpus.Skipped, ""))
	must(k.Desk.Say(ctx, corpus.Said{QueryID: "q0003", What: corpus.SaidTag, Value: "identifier"}))
	must(k.Desk.Say(ctx, corpus.Said{QueryID: "q0002", What: corpus.SaidTag, Value: "follow-up"}))
	must(k.Desk.Exclude(ctx, "q0006", true))
	k.Desk.Mark("q0005", true)
}

// B063 (public reports: charmbracelet/lipgloss#562, #204) and the like: what the screen looks like.
func TestGoldenFrames(t *testing.T) {
	for _, f := range []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile} {
		for _, size := range sizes {
			for _, th := range []string{"dark", "none"} {
				if th == "none" && f != fake.Plain {
					continue
				}
				k := fake.Sample(f, nil)
				progress(t, k)
				d, _ := shown(t, k, th, size[0], size[1])
				d.Press("j")
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, fmt.Sprintf("%s-%s-%dx%d", f, th, size[0], size[1]), d.Frame(), *update)
			}
		}
	}
	d, _ := shown(t, fake.NewKit(port.Workspace{Name: "new"}, nil, nil, nil), "none", 80, 24)
	drive.Golden(t, "empty-80x24", d.Frame(), *update)
}

// NO_COLOR drops bold and reverse too (public report: lipgloss#64): the marks remain.
func TestNoColourHasMarks(t *testing.T) {
	k := fake.Sample(fake.Plain, nil)
	progress(t, k)
	d, _ := shown(t, k, "none", 80, 24)
	if got := d.Frame(); got != d.Plain() {
		t.Errorf("%q holds a style", got)
	}
	d.Sees("› [✓] q0001", "  [w] q0002", "  [s] q0003", "  [·] q0004", "  [°] q0005", "  [x] q0006")
}

// Whatever is typed, whatever the size, the frame is exactly h lines of at most w cells.
func TestFramesAlwaysFit(t *testing.T) {
	keys := []string{"j", "k", "g", "G", "pgdown", "pgup", "/", "esc", "enter", "o", "+", "e", "X", "E", "r", "v", "a", "界", "é", " ", "#", "backspace", "left", "tab", "ctrl+s", "ctrl+u", "\u202e", "\u0301"}
	for seed := range int64(30) {
		rnd := rand.New(rand.NewSource(seed))
		f := []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile}[seed%4]
		k := fake.Sample(f, nil)
		progress(t, k)
		w, h := 40+rnd.Intn(211), 10+rnd.Intn(61)
		d, s := shown(t, k, []string{"dark", "none", "light"}[seed%3], w, h)
		for range 60 {
			switch rnd.Intn(12) {
			case 0:
				w, h = 40+rnd.Intn(211), 10+rnd.Intn(61)
				d.Resize(w, h)
			case 1:
				d.Paste("pasted 返金 \x1b[31m text\n👩‍👩‍👧‍👦 ")
			default:
				d.Press(keys[rnd.Intn(len(keys))])
			}
			if err := drive.CheckFrame(d.Frame(), w, h); err != nil {
				t.Fatalf("seed %d at %d×%d: %v", seed, w, h, err)
			}
			if n := len(s.list.view); n > 0 && (s.list.cursor < 0 || s.list.cursor >= n) {
				t.Fatalf("seed %d: the cursor is at %d of %d", seed, s.list.cursor, n)
			}
		}
	}
}

func TestTheCursorIsAlwaysInView(t *testing.T) {
	var qs []corpus.Query
	for i := range 300 {
		qs = append(qs, corpus.Query{ID: fmt.Sprint("q", i), Text: fmt.Sprint("text ", i)})
	}
	d, s := shown(t, fake.NewKit(port.Workspace{}, nil, qs, nil), "none", 80, 24)
	for _, keys := range [][]string{{"G"}, {"g"}, {"pgdown"}, {"pgdown"}, {"+"}, {"esc"}, {"E"}, {"esc"}, {"pgup"}} {
		d.Press(keys...)
		d.Resize(80, 10+len(keys[0])*7)
		if s.list.cursor < s.list.top || s.list.cursor >= s.list.top+s.rows() {
			t.Errorf("after %v: cursor %d, rows %d+%d", keys, s.list.cursor, s.list.top, s.rows())
		}
		if !(s.editor != nil) {
			d.Sees("› [·] " + s.list.items[s.list.cursor].row.Query.ID)
		}
	}
}
