package tui

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/input"
	"assay/tui/port"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The root's own parts over a screen: help, palette, question and word. The screens have golden files of their own.
func TestGoldenFrames(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {160, 50}} {
		for _, f := range []fake.Flavour{fake.Plain, fake.CJK, fake.Emoji} {
			for _, theme := range []string{"dark", "none"} {
				if theme == "none" && f != fake.Plain {
					continue
				}
				d, _, _ := started(t, fake.Sample(f, nil), Options{Start: Queries, Theme: theme}, size[0], size[1])
				name := func(what string) string { return fmt.Sprintf("%s-%s-%s-%dx%d", what, f, theme, size[0], size[1]) }
				d.Press("?")
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, name("help"), d.Frame(), *update)
				d.Press("esc", ":")
				d.Type("e")
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, name("palette"), d.Frame(), *update)
				d.Press("esc", "q")
				d.CheckFrame(size[0], size[1])
				drive.Golden(t, name("ask"), d.Frame(), *update)
			}
		}
	}
	d, _, _ := started(t, fake.Sample(fake.Plain, nil), Options{Theme: "none"}, 39, 9)
	drive.Golden(t, "too-small-39x9", d.Frame(), *update)
}

// B063 (public reports: charmbracelet/lipgloss#562, #204): its corpus on every screen, at 40 and at 80 columns.
func TestB063WideAndCombiningText(t *testing.T) {
	var queries []corpus.Query
	var chunks []corpus.Chunk
	for _, line := range strings.Split(strings.TrimSpace(bug(t, "B063", "corpus.jsonl")), "\n") {
		var row struct{ ID, Text string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, corpus.Chunk{ID: row.ID, DocID: row.ID + ".md", Title: row.Text, Text: row.Text})
		queries = append(queries, corpus.Query{ID: row.ID, Text: row.Text})
	}
	for _, w := range []int{40, 80, 120} {
		k := fake.NewKit(port.Workspace{Name: "🏳️‍🌈 返金", Annotator: "ア\t👩‍👩‍👧‍👦", Scale: corpus.DefaultScale()}, nil, queries, chunks)
		d, _, _ := started(t, k, Options{}, w, 24)
		for range queries {
			d.Press("/", "ctrl+u")
			d.Type("refund 返金")
			d.CheckFrame(w, 24)
			d.Press("enter", "2", "enter")
			d.CheckFrame(w, 24)
			d.Press("esc", "f")
			d.CheckFrame(w, 24)
		}
		d.Press("Q", "X")
		d.CheckFrame(w, 24)
		d.Press("C", "enter")
		d.CheckFrame(w, 24)
	}
}

// playful are keys as people and cats press them, and what terminals send besides.
func playful(rnd *rand.Rand) string {
	keys := []string{
		"j", "k", "g", "G", "0", "1", "2", "3", "9", "x", "u", "\x12", "n", "p", "f", "s", "w", "c", "t", "e", "!", "d", "a", "m", "M", "+", "i", "v", "r", "o",
		":", "?", "q", "Q", "C", "/", "\r", "\t", "\x1b[Z", "\x1b", " ", "b", "E", "X", "\x13", "\x14", "h", "l", "\x7f", "\x15", "\x17", "\n",
		"\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\x1bOP", "\x1b[1;5C", "\x1bb",
		"key", "refund policy", "返金", "é", "👩‍👩‍👧‍👦", "\u202e", "\x1b[200~pasted 2\rq 返金\x1b[201~", "\x1b[200~", "\x1b[201~",
		"\x1b[<65;12;5M", "\x1b[<65;1", "2;5M", "\x1b]11;rgb:0/0/0\x07", "\x1b[24;80R", "\xff\xc3", "\x1b[", "\x1bP", "12j", "\"open", "-x word* fuzzy~",
	}
	return keys[rnd.Intn(len(keys))]
}

// Whatever comes in, at whatever size: no panic, and the frame is exactly h lines of at most w cells. Key maps stay
// sound in every state that is reached.
func TestRandomInputKeepsFramesAndKeyMapsSound(t *testing.T) {
	seeds, steps := int64(24), 150
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewSource(seed))
		k := fake.Sample([]fake.Flavour{fake.Plain, fake.CJK, fake.Emoji, fake.Hostile}[seed%4], nil)
		w, h := 40+rnd.Intn(211), 10+rnd.Intn(61)
		clock := drive.NewClock()
		m := root(t, k, Options{Theme: []string{"dark", "none", "light"}[seed%3], Mouse: seed%2 == 0, Start: screenNames[seed%3]}, clock)
		d := drive.New(t, m, clock, w, h)
		var sent []string
		for range steps {
			switch rnd.Intn(25) {
			case 0:
				w, h = 40+rnd.Intn(211), 10+rnd.Intn(61)
				if usual := [][2]int{{40, 10}, {60, 20}, {80, 24}, {120, 36}, {160, 50}}; rnd.Intn(2) == 0 {
					w, h = usual[seed%5][0], usual[seed%5][1]
				}
				d.Resize(w, h)
				sent = append(sent, fmt.Sprintf("%d×%d", w, h))
			case 1:
				d.Send(tea.MouseMsg{Button: tea.MouseButton(rnd.Intn(5)), X: rnd.Intn(w), Y: rnd.Intn(h)})
			case 2:
				d.Advance(time.Duration(rnd.Intn(8)) * time.Second)
			default:
				in := playful(rnd)
				sent = append(sent, fmt.Sprintf("%q", in))
				d.Send(input.Raw{Bytes: []byte(in), At: clock.Now()})
				d.Advance([]time.Duration{0, 20, 60, 300}[rnd.Intn(4)] * time.Millisecond)
			}
			if d.Quit() {
				if m.outcome(nil) != nil {
					t.Fatalf("seed %d: %v after %s", seed, m.outcome(nil), strings.Join(sent, " "))
				}
				m = root(t, k, Options{}, clock)
				d, sent = drive.New(t, m, clock, w, h), nil
			}
			if m.err != nil {
				t.Fatalf("seed %d: %v after %s", seed, m.err, strings.Join(sent, " "))
			}
			if err := drive.CheckFrame(d.Frame(), w, h); err != nil {
				t.Fatalf("seed %d at %d×%d: %v after %s", seed, w, h, err, strings.Join(sent, " "))
			}
			checkBindings(t, fmt.Sprintf("seed %d after %s", seed, strings.Join(sent, " ")), m.bindings())
			if t.Failed() {
				return
			}
		}
	}
}

func FuzzRoot(f *testing.F) {
	for _, s := range []string{"j2u/key\r2\x1b", ":quit\r", "QE\x1bC\r", "t\r\x1b[B", "\x1b[200~1\r2q\x1b[201~", "+new\r\x1b"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		if len(in) > 400 {
			in = in[:400]
		}
		clock := drive.NewClock()
		m := root(t, fake.Sample(fake.Hostile, nil), Options{Theme: "none"}, clock)
		d := drive.New(t, m, clock, 80, 24)
		n := int(step%5) + 1
		for i := 0; i < len(in) && !d.Quit(); i += n {
			d.Send(input.Raw{Bytes: in[i:min(i+n, len(in))], At: clock.Now()})
			d.Advance(60 * time.Millisecond)
		}
		if m.err != nil {
			t.Fatalf("%q: %v", in, m.err)
		}
		d.CheckFrame(80, 24)
	})
}
