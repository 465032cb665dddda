package label

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/port"
)

var sizes = [][2]int{{40, 10}, {80, 24}, {120, 36}, {160, 50}}

// Frames of the whole screen, after two grades. NO_COLOR is the theme without colours: everything can be read.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name    string
		flavour fake.Flavour
		theme   string
	}{{"plain", fake.Plain, "dark"}, {"cjk", fake.CJK, "dark"}, {"emoji", fake.Emoji, "light"}, {"hostile", fake.Hostile, "dark"}, {"nocolor", fake.Plain, "none"}} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), func(t *testing.T) {
				clock := drive.NewClock()
				b := begin(t, clock, fake.Sample(c.flavour, clock.Now), setup{theme: c.theme, w: size[0], h: size[1]})
				b.Press("2", "0", "k", "!")
				b.Advance(linger)
				b.CheckFrame(size[0], size[1])
				drive.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), b.Frame(), *update)
			})
		}
	}
}

// Frames of what lies over the list or takes its place.
func TestGoldenPanels(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
	}{{"document", []string{"2", "enter"}}, {"tags", []string{"2", "t", "j"}}, {"conflicting", []string{"2", "0", "t", "j", "enter", " ", "j", "w"}}, {"note", []string{"2", "k", "m", "a", "b", "enter", "c"}}, {"box", []string{"/"}}, {"judged", []string{"2", "1", "tab"}}} {
		for _, size := range sizes[:3] {
			clock := drive.NewClock()
			b := begin(t, clock, fake.Sample(fake.Plain, clock.Now), setup{w: size[0], h: size[1]})
			b.Press(c.keys...)
			b.Advance(linger)
			b.CheckFrame(size[0], size[1])
			drive.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), b.Frame(), *update)
		}
	}
}

// hostile is the workspace of a public report's corpus.
func hostile(t testing.TB, id string) *bench {
	t.Helper()
	var chunks []corpus.Chunk
	lines := bufio.NewScanner(bytes.NewReader(bugs(t, id, "corpus.jsonl")))
	for lines.Scan() {
		var c struct{ ID, Text string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, corpus.Chunk{ID: c.ID, Title: c.Text, Text: c.Text, DocID: c.ID, Ordinal: 1})
	}
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	query := corpus.Query{ID: "q1", Text: "refund " + chunks[0].Text}
	query.Turns = []corpus.Turn{{Role: chunks[1].Text, Content: chunks[2].Text}}
	return begin(t, clock, fake.NewKit(ws, clock.Now, []corpus.Query{query}, chunks), setup{w: 80, h: 24, theme: "dark"})
}

// B027 (public reports: vercel/ai#20052, boxdot/gurk-rs#384), B029 (marmot-protocol/mdk#586) and B063
// (charmbracelet/lipgloss#562): every chunk is opened, graded, noted and tagged at several sizes, and no frame breaks its
// columns or holds a byte that a terminal obeys.
func TestHostileTextIsInert(t *testing.T) {
	for _, id := range []string{"B027", "B029", "B063"} {
		b := hostile(t, id)
		for _, size := range [][2]int{{40, 9}, {80, 24}, {120, 35}} {
			b.Resize(size[0], size[1])
			check := func(keys ...string) {
				t.Helper()
				b.Press(keys...)
				b.CheckFrame(size[0], size[1])
			}
			check("g")
			for range len(b.s.tabs[searchTab].rows) {
				check("1", "k", "m")
				b.Paste("\x1b[31m\u202e note")
				check("ctrl+s")
				check("enter")
				check("2", "esc", "j")
			}
			check("tab")
			check("tab", "t")
			check("j", "enter")
			check("esc", "esc", "v")
			check("/")
			check("esc", "v")
		}
	}
}

// B027: what a terminal would obey is shown as a picture of itself.
func TestEscapesAreVisible(t *testing.T) {
	b := hostile(t, "B027")
	for b.current() != "c_clip" {
		b.Press("j")
	}
	b.Sees("␛]52;c;cm0gLXJm␇")
	if strings.Contains(b.Frame(), "\x1b]") || strings.Contains(b.Frame(), "\a") {
		t.Error("an escape sequence of the corpus is in the frame")
	}
}

// B029: ids that look alike are told apart, and a reversing control is named.
func TestLookalikesAreToldApart(t *testing.T) {
	b := hostile(t, "B029")
	b.Sees("⟨U+202E⟩", "adm⟨U+200B⟩in", "admin")
	b.Press("G", "g")
	for _, id := range []string{"adm\u200bin", "admin"} {
		for b.current() != id {
			b.Press("j")
		}
		b.Press("2", "g")
		b.graded("q1", id, 2)
	}
}

// B060 (public reports: hzqtc/taproom#17, freeman412/mineos-sveltekit#120): absurd sizes neither panic nor overflow, and
// the screen comes back.
func TestAbsurdSizes(t *testing.T) {
	b := sample(t)
	press := []string{"2", "j", "enter", "esc", "t", "j", "enter", "esc", "esc", "k", "m", "x", "esc", "/", "a", "esc", "tab", "tab", " ", "b", "G"}
	for _, size := range [][2]int{{80, 24}, {19, 5}, {1, 1}, {0, 0}, {500, 200}, {2, 40}, {400, 1}, {40, 2}, {39, 9}, {80, 24}} {
		b.Resize(size[0], size[1])
		for _, key := range press {
			b.Press(key)
			if size[0] > 0 {
				b.CheckFrame(size[0], size[1])
			} else if b.Frame() != "" {
				t.Error("a frame of no size")
			}
		}
	}
	b.Sees("q0001", "docs/keys.md#1")
}

// B063: the chunk beside the list begins in one column, whatever stands in the list; where terminals disagree on a
// width, by an absolute column.
func TestColumnsStayAligned(t *testing.T) {
	for _, f := range []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile} {
		clock := drive.NewClock()
		b := begin(t, clock, fake.Sample(f, clock.Now), setup{})
		x := b.s.layout().text.X
		for i, line := range strings.Split(b.Frame(), "\n")[4:12] {
			column := fmt.Sprintf("\x1b[%dG", x+1)
			if at := strings.Index(line, column); at >= 0 {
				line = line[:at]
			} else if ansi.StringWidth(line) > x {
				line = ansi.Truncate(line, x, "")
			}
			if w := ansi.StringWidth(line); w > x {
				t.Errorf("%s: line %d is %d cells wide before column %d: %q", f, i, w, x, line)
			}
		}
	}
}

func TestHeaderGivesUpPaceThenBarThenName(t *testing.T) {
	b := sample(t)
	b.s.pace.spent = []time.Duration{time.Second, time.Second, time.Second}
	for _, c := range []struct {
		w    int
		has  string
		lost string
	}{{120, "60.0/min", ""}, {72, "░░░", "/min"}, {50, "0/6 done", "░"}, {40, "0/6 done", "support-gold"}, {24, "saved", "done"}} {
		b.Resize(c.w, 20)
		header, _, _ := strings.Cut(b.Plain(), "\n")
		if !strings.Contains(header, c.has) || !strings.Contains(header, "saved") || c.lost != "" && strings.Contains(header, c.lost) {
			t.Errorf("at %d: %q", c.w, header)
		}
	}
}

// keysOf are all keys that mean something now, with some that mean nothing.
func keysOf(s *Screen) []string {
	keys := []string{"h", "l", "9", "left", "right", "ctrl+u", "backspace", "f5", "alt+x", "z"}
	for _, b := range s.Keys() {
		keys = append(keys, b.Keys...)
	}
	return keys
}

// labeling are the actions that may write a label.
var labeling = map[string]bool{"undo": true, "redo": true, "clear": true, "cannot-judge": true, "hard-negative": true, "again": true, "save": true}

// Random keys, pastes, sizes and late replies: no panic, no frame of a wrong size, and no label that a key did not mean.
func TestRandomKeys(t *testing.T) {
	for seed := range int64(6) {
		r := rand.New(rand.NewSource(seed))
		clock := drive.NewClock()
		flavour := []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile}[r.Intn(4)]
		b := begin(t, clock, fake.Sample(flavour, clock.Now), setup{theme: []string{"none", "dark"}[r.Intn(2)]})
		w, h := b.w, b.h
		for range 700 {
			if r.Intn(400) == 0 {
				b = begin(t, clock, b.kit, setup{w: w, h: h}) // drive counts messages; labels stay
			}
			was, pending := labelsOf(b), b.s.Pending()
			means := false
			switch n := r.Intn(40); {
			case n == 0:
				w, h = 1+r.Intn(170), 1+r.Intn(50)
				b.Resize(w, h)
			case n == 1:
				b.Paste([]string{"2", "u2f", "\x1b[31m", "界界", strings.Repeat("2", 300)}[r.Intn(5)])
			case n == 2:
				b.Advance(time.Duration(r.Intn(3000)) * time.Millisecond)
			case n == 3 && pending == 0:
				b.kit.Desk.Fail([]string{"Grade", "Note", "Say"}[r.Intn(3)], fmt.Errorf("disk full"))
			case n == 4:
				b.kit.Desk.Fail("", nil)
			default:
				keys := keysOf(b.s)
				key := keys[r.Intn(len(keys))]
				for _, k := range b.s.Keys() {
					for _, name := range k.Keys {
						means = means || name == key && (labeling[k.Action] || strings.HasPrefix(k.Action, "grade-"))
					}
				}
				b.Press(key)
			}
			if got := labelsOf(b); got != was && !means && pending == 0 {
				t.Fatalf("seed %d: labels changed from %s to %s", seed, was, got)
			}
			b.CheckFrame(w, h)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func labelsOf(b *bench) string {
	var out strings.Builder
	for _, q := range []string{"q0001", "q0002", "q0003", "q0004", "q0005", "q0006"} {
		sheet, _ := b.kit.Desk.Sheet(b.t.Context(), q)
		ids, _ := json.Marshal(gradesOf(sheet))
		out.Write(ids)
	}
	return out.String()
}

func gradesOf(s port.Sheet) map[string]corpus.Grade {
	grades := map[string]corpus.Grade{}
	for id, l := range s.Labels {
		grades[id] = l.Grade
	}
	return grades
}

// No key is bound twice, none that a terminal can't tell from another one, and neither h nor l.
func TestKeyMaps(t *testing.T) {
	b := sample(t)
	maps := map[string]func(){
		"list": func() {}, "box": func() { b.Press("/") }, "document": func() { b.Press("esc", "enter") }, "tags": func() { b.Press("esc", "t") },
		"form": func() { b.Press("j", "enter") }, "note": func() { b.Press("esc", "esc", "2", "k", "m") },
	}
	for _, name := range []string{"list", "box", "document", "tags", "form", "note"} {
		maps[name]()
		seen := map[string]string{}
		for _, k := range b.s.Keys() {
			for _, key := range k.Keys {
				if other, twice := seen[key]; twice {
					t.Errorf("%s: %q is bound to %s and %s", name, key, other, k.Action)
				}
				seen[key] = k.Action
				switch key {
				case "h", "l", "ctrl+m", "ctrl+i", "ctrl+h", "ctrl+[", "ctrl+@", "ctrl+j":
					t.Errorf("%s: %q is bound", name, key)
				case "?", ":", "q", "Q", "C", "ctrl+c", "ctrl+z":
					t.Errorf("%s: %q is the root's", name, key)
				}
			}
			if k.Help == "" || k.Group == "" || k.Action == "" {
				t.Errorf("%s: %+v can't be told", name, k)
			}
		}
	}
}

// Key to drawn frame, on a list of a hundred hits beside a chunk of 6 KB, for any size of corpus.
func BenchmarkKeyToFrame(b *testing.B) {
	var chunks []corpus.Chunk
	for i := range 100 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("docs/keys.md#%d", i), Title: "鍵 Rotating keys", DocID: "docs/keys.md", Text: strings.Repeat("To rotate the signing key without downtime, publish it first. ", 100)})
	}
	clock := drive.NewClock()
	ws := fake.Sample(fake.Plain, nil).Desk.Workspace()
	ws.Chunks = 1_000_000
	kit := fake.NewKit(ws, clock.Now, []corpus.Query{{ID: "q1", Text: "rotate key"}}, chunks)
	theme, _ := cell.NewTheme("dark", nil)
	s := New(Options{Desk: kit.Desk, Finder: kit.Finder, Theme: theme, Now: clock.Now, Tick: clock.Tick})
	drive.Screen(b, s, clock, 160, 50)
	for _, c := range []struct{ name, key string }{{"move", "j"}, {"scroll", " "}} {
		b.Run(c.name, func(b *testing.B) {
			back := map[string]string{"j": "k", " ": "b"}[c.key]
			for i := 0; b.Loop(); i++ {
				key := c.key
				if i%2 == 1 {
					key = back
				}
				s.Update(drive.Key(key))
				_ = s.View()
			}
		})
	}
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			_ = s.View()
		}
	})
	b.Run("type", func(b *testing.B) {
		s.Update(drive.Key("/"))
		for i := 0; b.Loop(); i++ {
			key := "x"
			if i%2 == 1 {
				key = "backspace"
			}
			s.Update(drive.Key(key))
			_ = s.View()
		}
	})
}
