package input

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

var start = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// names spells messages out: keys by name, runs of text in quotes, pastes as paste(n).
func names(msgs []tea.Msg) string {
	var out []string
	for _, m := range msgs {
		switch m := m.(type) {
		case tea.KeyMsg:
			switch {
			case m.Paste:
				out = append(out, fmt.Sprintf("paste %q", string(m.Runes)))
			case m.Type == tea.KeyRunes && len(m.Runes) > 1:
				out = append(out, fmt.Sprintf("%q", string(m.Runes)))
			default:
				out = append(out, m.String())
			}
		case tea.MouseMsg:
			out = append(out, fmt.Sprintf("mouse %s %d,%d", m, m.X, m.Y))
		}
	}
	return strings.Join(out, " ")
}

// feed gives reads one after the other at the same time, then lets all time pass.
func feed(reads ...string) string {
	var d Decoder
	var all []tea.Msg
	for _, r := range reads {
		all = append(all, d.Feed(Raw{[]byte(r), start})...)
	}
	return names(append(all, d.Expire(start.Add(time.Hour))...))
}

func TestDecodes(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"j":                         "j",
		"jjj12":                     `"jjj12"`,
		"a b":                       `"a b"`,
		" ":                         " ",
		"1\r2\n":                    "1 enter 2 ctrl+j",
		"\t\x1b[Z\x7f\x08":          "tab shift+tab backspace ctrl+h",
		"\x03\x13\x1a\x00":          "ctrl+c ctrl+s ctrl+z ctrl+@",
		"\x1b":                      "esc",
		"\x1b\x1b":                  "esc esc",
		"\x1bb\x1b\x7f":             "alt+b alt+backspace",
		"\x1bé":                     "alt+é",
		"\x1b[A\x1b[B\x1bOC\x1bOD":  "up down right left",
		"\x1b[1;5C\x1b[1;2A":        "ctrl+right shift+up",
		"\x1b[1;3D":                 "alt+left",
		"\x1b[5~\x1b[6~\x1b[3~":     "pgup pgdown delete",
		"\x1b[H\x1b[F\x1b[1~\x1b4~": "home end home alt+4 ~",
		"\x1bOP\x1b[15~\x1b[24~":    "f1 f5 f12",
		"\x1b[[Ax":                  "x",
		"日本語":                       `"日本語"`,
		"é\x1b[Aé":                  "é up é",
		"\x1b[<64;3;4M":             "mouse wheel up 2,3",
		"\x1b[<0;3;4M\x1b[<0;3;4m":  "mouse left press 2,3 mouse left release 2,3",
		"\x1b[M !!j":                "j",
		// Replies that a terminal sends late, or unasked (public report: opencode#220, soft-serve#790).
		"\x1b]11;rgb:0000/0000/0000\x07j":          "j",
		"\x1b]11;rgb:0000/0000/0000\x1b\\j":        "j",
		"\x1b[24;80Rj\x1b[?62;22c\x1b[>0;276;0c":   "j",
		"\x1bP1$r0m\x1b\\j\x1b_Gi=31;OK\x1b\\k":    "j k",
		"\x1b[I\x1b[O\x1b[?2026;2$y\x1b[27;5;13~j": "j",
		"\x1b[[\x1b[[B\x1b[99~\x1b[1;99A\x1b[;A":   "",
		// Bytes that are no text are none: broken UTF-8, surrogates, C1 controls.
		"a\xffb\xc3(c\xed\xa0\x80d\xc2\x9b31me": `"ab(cd31me"`,
		// A paste is text, whatever is in it.
		"\x1b[200~1\r2\x1bq\x03\x1b[A\x1b[201~j": `paste "1\r2\x1bq\x03\x1b[A" j`,
		"\x1b[200~\x1b[201~":                     `paste ""`,
		"\x1b[200~a\x1b[20\x1b[201~":             `paste "a\x1b[20"`,
		"\x1b[200~日\xff本\x1b[201~\x1b[201~":      `paste "日本"`,
		"\x1b[200~lost":                          `paste "lost"`,
	} {
		if got := feed(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// B057 (public reports: anomalyco/opencode#220, prapaa-ai/agav#136): the two halves of a mouse report, a pause between.
func TestB057SplitMouseReport(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", "bugs", "B057", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, pause := range []time.Duration{0, 200 * time.Millisecond, 900 * time.Millisecond, 3 * time.Second} {
		var d Decoder
		all := d.Feed(Raw{read("keys_1.bin"), start})
		all = append(all, d.Expire(start.Add(pause))...)
		all = append(all, d.Feed(Raw{read("keys_2.bin"), start.Add(pause)})...)
		all = append(all, d.Feed(Raw{[]byte("j"), start.Add(pause + time.Second)})...)
		got := strings.TrimPrefix(names(all), "mouse wheel down 11,4 ")
		if got != "j" {
			t.Errorf("pause %v: %s", pause, names(all))
		}
	}
}

// The same, split anywhere: what came before it and after it is all that is typed, or the escape key where the
// escape byte stood alone for longer than a terminal ever lets it.
func TestReportsSplitAnywhereAreNotTyped(t *testing.T) {
	for _, report := range []string{"\x1b[<65;12;5M", "\x1b[24;80R", "\x1b]11;rgb:ff/ff/ff\x07", "\x1b[?62;22c", "\x1b[200~1q\x1b[201~"} {
		for cut := 1; cut < len(report); cut++ {
			for _, pause := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
				var d Decoder
				all := d.Feed(Raw{[]byte(report[:cut]), start})
				all = append(all, d.Expire(start.Add(pause))...)
				all = append(all, d.Feed(Raw{[]byte(report[cut:]), start.Add(pause)})...)
				all = append(all, d.Expire(start.Add(time.Minute))...)
				for _, m := range all {
					if k, ok := m.(tea.KeyMsg); ok && !k.Paste && (k.Type != tea.KeyEscape || cut > 1) {
						t.Errorf("%q cut at %d, pause %v: %s", report, cut, pause, names(all))
					}
				}
			}
		}
	}
}

// Public report: bubbletea#668.
func TestCharactersSplitAcrossReads(t *testing.T) {
	in := "返金é👩‍👩‍👧ポ"
	for i := 1; i < len(in); i++ {
		for j := i; j < len(in); j++ {
			var d Decoder
			var got []rune
			for _, part := range []string{in[:i], in[i:j], in[j:]} {
				for _, m := range d.Feed(Raw{[]byte(part), start}) {
					got = append(got, m.(tea.KeyMsg).Runes...)
				}
			}
			if string(got) != in {
				t.Fatalf("split at %d and %d: %q", i, j, string(got))
			}
		}
	}
}

func TestTheEscapeKeyWaitsForWhatFollows(t *testing.T) {
	var d Decoder
	if got := names(d.Feed(Raw{[]byte("\x1b"), start})); got != "" {
		t.Error(got)
	}
	due, ok := d.Deadline()
	if !ok || due != start.Add(escapeWait) {
		t.Error(due, ok)
	}
	if got := names(d.Expire(due.Add(-1))); got != "" {
		t.Error("too early:", got)
	}
	if got := names(d.Expire(due)); got != "esc" {
		t.Error(got)
	}
	if _, ok := d.Deadline(); ok {
		t.Error("still waiting")
	}
	// Ordinary typing after it is typing, also of brackets and digits.
	for _, s := range []string{"[", "j", "[1", "2", "]"} {
		if got := names(d.Feed(Raw{[]byte(s), due})); strings.Trim(got, `"`) != s {
			t.Errorf("%q became %s", s, got)
		}
	}
}

// B062 (public report: charmbracelet/bubbletea#404).
func TestB062Pastes(t *testing.T) {
	for name, want := range map[string]string{"paste_bracketed.bin": `paste "1\r2\r3\rq"`, "paste_plain.bin": "1 enter 2 enter 3 enter q"} {
		b, err := os.ReadFile(filepath.Join("testdata", "bugs", "B062", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := feed(string(b)); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// B062: a megabyte in small reads is one paste, cut, and nothing is looked at twice.
func TestB062BigPaste(t *testing.T) {
	text := strings.Repeat("refund policy text ", 60_000)
	in := "\x1b[200~" + text + "\x1b[201~j"
	var d Decoder
	var all []tea.Msg
	for i := 0; i < len(in); i += 1000 {
		all = append(all, d.Feed(Raw{[]byte(in[i:min(i+1000, len(in))]), start})...)
	}
	if len(all) != 2 {
		t.Fatalf("%d messages", len(all))
	}
	k := all[0].(tea.KeyMsg)
	if !k.Paste || string(k.Runes) != text[:PasteLimit] || names(all[1:]) != "j" {
		t.Errorf("paste %v of %d runes, then %s", k.Paste, len(k.Runes), names(all[1:]))
	}
}

func TestCtrlCLeavesAPasteWithoutEnd(t *testing.T) {
	var d Decoder
	d.Feed(Raw{[]byte("\x1b[200~text"), start})
	if got := names(d.Feed(Raw{[]byte("\x03"), start.Add(time.Second)})); got != `paste "text" ctrl+c` {
		t.Error(got)
	}
}

func TestASlowPasteIsOnePaste(t *testing.T) {
	var d Decoder
	at := start
	for _, s := range []string{"\x1b[200~1", "2", "3"} {
		if got := names(d.Feed(Raw{[]byte(s), at})); got != "" {
			t.Error(got)
		}
		at = at.Add(pasteWait - time.Second)
		if got := names(d.Expire(at)); got != "" {
			t.Error(got)
		}
	}
	if got := names(d.Feed(Raw{[]byte("\x1b[201~"), at})); got != `paste "123"` {
		t.Error(got)
	}
}

// single are the keys one by one, so that runs of text compare whatever reads they came in.
func single(msgs []tea.Msg) (out []string) {
	for _, m := range msgs {
		k, ok := m.(tea.KeyMsg)
		if !ok || k.Paste || k.Type != tea.KeyRunes && k.Type != tea.KeySpace || k.Alt {
			out = append(out, names([]tea.Msg{m}))
			continue
		}
		for _, r := range k.Runes {
			out = append(out, string(r))
		}
	}
	return out
}

func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"jjj12", "\x1b[<65;12;5M", "\x1b[200~1\r\x1b[201~q", "返金\x1b\x1b[A", "\x1b]11;rgb:0/0/0\x1b\\", "\x1bP\x1b[M\x1b[M !!\xff\xc3", "\x1b[200~\x1b[20"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		var whole, parts Decoder
		a := append(whole.Feed(Raw{b, start}), whole.Expire(start.Add(time.Hour))...)
		var c []tea.Msg
		step := int(cut%7) + 1
		if step == 1 {
			step = 2 // ctrl+c alone in a read leaves a paste
		}
		for i := 0; i < len(b); i += step {
			part := b[i:min(i+step, len(b))]
			if len(part) == 1 && part[0] == 0x03 {
				return
			}
			c = append(c, parts.Feed(Raw{part, start})...)
		}
		c = append(c, parts.Expire(start.Add(time.Hour))...)
		if len(b) == 1 && b[0] == 0x03 {
			return
		}
		if x, y := strings.Join(single(a), "|"), strings.Join(single(c), "|"); x != y {
			t.Errorf("%q whole: %s\nin parts of %d: %s", b, x, step, y)
		}
		for _, m := range a {
			k, ok := m.(tea.KeyMsg)
			if !ok || k.Paste || k.Type != tea.KeyRunes {
				continue
			}
			for _, r := range k.Runes {
				if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xfffd && !strings.Contains(string(b), "\ufffd") {
					t.Errorf("%q types %U", b, r)
				}
			}
		}
	})
}
