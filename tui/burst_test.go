package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/drive"
	"assay/tui/input"
)

// bug reads an input of bugs.md.
func bug(t testing.TB, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata", "bugs"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// reads sends what single reads of the terminal bring, a pause between.
func reads(d *drive.Driver, clock *drive.Clock, pause time.Duration, parts ...string) {
	for _, p := range parts {
		d.Send(input.Raw{Bytes: []byte(p), At: clock.Now()})
		d.Advance(pause)
	}
}

// grading is a stub screen with the keys of a label screen.
func grading(t testing.TB) (*drive.Driver, *model, *stub, *drive.Clock) {
	t.Helper()
	d, m, stubs, clock := stubbed(t)
	s := stubs[Label]
	for _, k := range []string{"0", "1", "2", "3", "j", "k", "enter", " ", "n", "p", "t", "a", "e", "/"} {
		s.bind[k] = nil
	}
	s.took()
	return d, m, s, clock
}

func TestFastTypingIsSplitIntoKeys(t *testing.T) {
	d, m, s, clock := grading(t)
	for in, want := range map[string]string{
		"jjj12":    "j j j 1 2",         // public report: bubbletea PR#26
		"j":        "j",                 //
		"jj j":     "j j   j",           //
		"jjjjjjjj": "j j j j j j j j",   // 8: the most
		"\x1b[Bj2": "j 2",               // an arrow that is not bound
		"/error":   "/ text:error",      // what follows is for the field
		"2/c++":    "2 / text:c++",      //
		"/日本":      "/ text:日本",         //
		"/ab\r2":   "/ text:ab enter 2", //
	} {
		reads(d, clock, time.Second, in)
		if got := s.took(); got != want || m.word != "" {
			t.Errorf("%q: %q, want %q (%s)", in, got, want, m.word)
		}
		s.text = false
	}
}

func TestMessagesThatMeanNothingAreDroppedWhole(t *testing.T) {
	for _, in := range []string{"jz", "2 apples", "ERR_42", "jjjjjjjjj", "1212121212", strings.Repeat("2", 5000), "2\r2\r2\r2\r2\r2", "\x1bOMjjjjjjjjj"} {
		d, m, s, clock := grading(t)
		reads(d, clock, time.Second, in)
		if got := s.took(); got != "" && got != "enter" || m.word == "" {
			t.Errorf("%q acted: %q (%s)", in, got, m.word)
		}
		d.Sees("came at once")
		reads(d, clock, time.Second, "j")
		if got := s.took(); got != "j" || m.word != "" {
			t.Errorf("%q stops what follows: %q (%s)", in, got, m.word)
		}
	}
	// The same as one message, as Bubble Tea's own decoder makes them.
	d, m, s, _ := grading(t)
	d.Burst("2222222222")
	if got := s.took(); got != "" || m.word == "" {
		t.Errorf("a long message acted: %q", got)
	}
	d.Burst("jj2")
	if got := s.took(); got != "j j 2" {
		t.Error(got)
	}
}

// At the speed of a hand, of a key held down, and of tmux send-keys, each key counts.
func TestKeysOneByOneAreNeverDropped(t *testing.T) {
	for _, pause := range []time.Duration{8 * time.Millisecond, 30 * time.Millisecond, 200 * time.Millisecond} {
		d, m, s, clock := grading(t)
		reads(d, clock, pause, strings.Split(strings.Repeat("j", 50), "")...)
		if got := strings.Count(s.took(), "j"); got != 50 || m.word != "" {
			t.Errorf("pause %v: %d of 50 (%s)", pause, got, m.word)
		}
	}
}

// B062 (public report: charmbracelet/bubbletea#404).
func TestB062BracketedPasteNeverActs(t *testing.T) {
	d, m, s, clock := grading(t)
	reads(d, clock, time.Second, bug(t, "B062", "paste_bracketed.bin"))
	if got := s.took(); got != "" || m.asked > 0 {
		t.Errorf("a paste acted: %q", got)
	}
	d.Sees("a paste does nothing here")
	// Nor in an overlay.
	d.Press("?")
	reads(d, clock, time.Second, bug(t, "B062", "paste_bracketed.bin"))
	if len(m.overlays) != 1 || d.Quit() {
		t.Error("a paste closed help")
	}
	d.Press("esc")
	// In a field it is text.
	d.Press("/")
	s.took()
	reads(d, clock, time.Second, bug(t, "B062", "paste_bracketed.bin"))
	if got := s.took(); got != "paste:7" {
		t.Errorf("%q", got)
	}
}

// B062: what can't be told from typing acts as typing, but never quits without being asked again.
func TestB062PlainPasteOfAFewKeys(t *testing.T) {
	d, _, s, clock := grading(t)
	reads(d, clock, time.Second, bug(t, "B062", "paste_plain.bin"))
	if got := s.took(); got != "1 enter 2 enter 3 enter" {
		t.Error(got)
	}
	d.Sees("q again to leave")
	reads(d, clock, time.Second, "qq")
	if !d.Quit() {
		t.Error("q in a later read doesn't leave")
	}
	d, _, _, clock = grading(t)
	reads(d, clock, time.Second, "qqqq")
	if d.Quit() {
		t.Error("one read both asked and answered")
	}
}

// B062: a megabyte, bracketed and not, on the grading screen and in a field.
func TestB062BigPaste(t *testing.T) {
	text := strings.Repeat("1 of 2 apples\rq\n", 70_000)
	for _, size := range []int{64, 1000, 4095} {
		for _, pause := range []time.Duration{0, 20 * time.Millisecond} {
			var parts []string
			for i := 0; i < len(text); i += size {
				parts = append(parts, text[i:min(i+size, len(text))])
			}
			if size < 4095 {
				parts = parts[:200]
			}
			parts = append(parts, "2", "\r", "12")
			for _, inField := range []bool{false, true} {
				d, m, s, clock := grading(t)
				if inField {
					d.Press("/")
				}
				s.took()
				reads(d, clock, pause, parts...)
				got := s.took()
				if !inField && got != "" || inField && strings.Contains(strings.ReplaceAll(got, "text:1 of 2 apples", ""), "2") {
					t.Errorf("reads of %d, pause %v, in a field %v: %.200q", size, pause, inField, got)
				}
				if d.Quit() || m.asked > 0 || m.word == "" {
					t.Errorf("reads of %d: quit %v, asked %v, %q", size, d.Quit(), m.asked, m.word)
				}
				reads(d, clock, time.Second, "", "j")
				reads(d, clock, time.Second, "j")
				if got := s.took(); !strings.HasSuffix(got, "j") {
					t.Errorf("dead after the paste: %q", got)
				}
			}
		}
	}
	d, _, s, clock := grading(t)
	d.Press("/")
	s.took()
	var parts []string
	paste := "\x1b[200~" + text + "\x1b[201~"
	for i := 0; i < len(paste); i += 4095 {
		parts = append(parts, paste[i:min(i+4095, len(paste))])
	}
	reads(d, clock, 0, parts...)
	if got := s.took(); got != fmt.Sprintf("paste:%d", input.PasteLimit) {
		t.Errorf("%.100q", got)
	}
}

// A search typed in one go is a search, also where it is longer than a burst; and it is nothing else.
func TestALongSearchInOneRead(t *testing.T) {
	d, m, s, clock := grading(t)
	reads(d, clock, time.Second, "/how do i rotate the signing key\r2")
	if got := s.took(); got != "/ text:how do i rotate the signing key enter" {
		t.Errorf("%q", got)
	}
	if m.word == "" {
		t.Error("the dropped grade is not told")
	}
	d, m, s, clock = grading(t)
	reads(d, clock, time.Second, ":list the queries\r")
	if len(m.overlays) != 1 || len(m.stack) != 1 {
		t.Errorf("an action was found and run within one read: %q %v", s.took(), m.stack)
	}
	d.Sees("list the queries")
	reads(d, clock, time.Second, "\r")
	if len(m.stack) != 2 {
		t.Error("enter by hand doesn't run it")
	}
}

// B057 through the whole root: nothing typed, nothing acted.
func TestB057SplitMouseReportInTheSearchField(t *testing.T) {
	for _, text := range []bool{true, false} {
		d, m, s, clock := grading(t)
		s.text = text
		reads(d, clock, 200*time.Millisecond, bug(t, "B057", "keys_1.bin"), bug(t, "B057", "keys_2.bin"))
		d.Advance(time.Minute)
		reads(d, clock, time.Second, "\x1b]11;rgb:00/00/00\x07", "\x1b[24;80R", "\x1b[?62c")
		reads(d, clock, 300*time.Millisecond, "\x1b[", "2", "x", "\x1b[<0;1")
		d.Advance(time.Minute)
		if got := s.took(); got != "" || m.word != "" || len(m.overlays) > 0 {
			t.Errorf("in text %v: %q (%s)", text, got, m.word)
		}
	}
}

func TestTheEscapeKeyComesWhenNothingFollows(t *testing.T) {
	d, _, s, clock := grading(t)
	s.bind["esc"] = nil
	reads(d, clock, 10*time.Millisecond, "\x1b")
	if got := s.took(); got != "" {
		t.Error("too early:", got)
	}
	d.Advance(100 * time.Millisecond)
	if got := s.took(); got != "esc" {
		t.Error(got)
	}
	reads(d, clock, time.Second, "\x1b", "j")
	if got := s.took(); got != "esc j" {
		t.Error(got)
	}
	// A paste that lost its end is handed over in the end, although another timer ran before.
	s.text = true
	reads(d, clock, time.Millisecond, "\x1b", "[200~lost", " text")
	d.Advance(time.Minute)
	if got := s.took(); got != "paste:9" {
		t.Error(got)
	}
}

// Public report: bubbletea#668.
func TestSplitCharactersReachTheField(t *testing.T) {
	d, _, s, clock := grading(t)
	s.text = true
	for _, b := range []byte("返金") {
		reads(d, clock, 20*time.Millisecond, string([]byte{b}))
	}
	if got := s.took(); got != "返 金" {
		t.Error(got)
	}
}

func TestTyped(t *testing.T) {
	for name, want := range map[string]int{"j": 1, " ": 1, "enter": 1, "tab": 1, "esc": 0, "up": 0, "ctrl+s": 0, "alt+2": 0, "backspace": 0, "ctrl+j": 1} {
		if got := typed(drive.Key(name)); got != want {
			t.Errorf("%s: %d", name, got)
		}
	}
	if typed(tea.MouseMsg{}) != 0 || typed(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("abc"), Paste: true}) != 0 {
		t.Error("mouse or paste counted")
	}
}
