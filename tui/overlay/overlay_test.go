package overlay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"assay/tui/cell"
	"assay/tui/drive"
	"assay/tui/screen"
)

var bindings = []screen.Binding{
	{Action: "grade-2", Keys: []string{"2"}, Help: "grade 2 relevant", Group: "Grade", Short: "grade"},
	{Action: "undo", Keys: []string{"u"}, Help: "take back the last change", Group: "Grade"},
	{Action: "down", Keys: []string{"j", "down"}, Help: "next row", Group: "Move"},
	{Action: "redo", Keys: []string{"ctrl+r"}, Help: "do it again", Group: "Grade"},
	{Action: "reopen", Help: "open the query again", Group: "Query"},
	{Action: "page", Keys: []string{" "}, Help: "a page \x1b[2J down 返金 👩‍👩‍👧‍👦", Group: "Move"},
}

// boxed are the lines of an overlay, checked: at most w × h cells, all as wide as the first.
func boxed(t testing.TB, o Overlay, w, h int, theme string) string {
	t.Helper()
	th, err := cell.NewTheme(theme, nil)
	if err != nil {
		t.Fatal(err)
	}
	box := o.Box(w, h, th)
	if len(box) == 0 || len(box) > h {
		t.Fatalf("%d lines in %d", len(box), h)
	}
	first := cell.Width(box[0])
	for i, l := range box {
		if n := cell.Width(l); n > w || n != first {
			t.Errorf("%d×%d: line %d takes %d cells, the first %d: %q", w, h, i+1, n, first, l)
		}
	}
	plain := ansi.Strip(strings.Join(box, "\n"))
	if strings.ContainsAny(plain, "\x1b\u202e") {
		t.Errorf("%q is not inert", plain)
	}
	return plain
}

func TestBoxesFitAnyRoom(t *testing.T) {
	var many []screen.Binding
	for i := range 80 {
		many = append(many, screen.Binding{Action: fmt.Sprint("action-", i), Keys: []string{"ctrl+a", "x", "pgdown"}, Help: strings.Repeat("返金 ", i%9), Group: fmt.Sprint("G", i%7)})
	}
	for _, theme := range []string{"dark", "none"} {
		for w := 30; w < 200; w += 13 {
			for h := 5; h < 60; h += 7 {
				for _, bs := range [][]screen.Binding{nil, bindings, many} {
					boxed(t, NewHelp("keys", bs), w, h, theme)
					p := NewPalette(bs)
					boxed(t, p, w, h, theme)
					for _, k := range []string{"down", "down", "e", "界", "up"} {
						p.Key(drive.Key(k))
						boxed(t, p, w, h, theme)
					}
				}
				page := NewPage("guide \x1b]0;x\x07", strings.Repeat("a line of text 返金 \u202e 👩‍👩‍👧‍👦 that is long\n\n\tcode", 20))
				for _, k := range []string{"j", "G", "pgup", "k", "g", "pgdown"} {
					page.Key(drive.Key(k))
					boxed(t, page, w, h, theme)
				}
			}
		}
	}
}

func TestHelpGroupsInOrder(t *testing.T) {
	got := boxed(t, NewHelp("keys", bindings), 60, 30, "none")
	grade, move, redo := strings.Index(got, "Grade"), strings.Index(got, "Move"), strings.Index(got, "do it again")
	if grade < 0 || move < grade || redo > move || strings.Contains(got, "reopen") || strings.Contains(got, "open the query again") {
		t.Error(got)
	}
	for _, want := range []string{"j ↓", "space", "ctrl+r"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestScrolling(t *testing.T) {
	p := NewPage("t", strings.TrimSpace(strings.Repeat("line\n", 50)))
	boxed(t, p, 40, 12, "none")
	for _, c := range []struct {
		key string
		top int
	}{{"j", 1}, {"k", 0}, {"k", 0}, {" ", 9}, {"b", 0}, {"G", 40}, {"pgdown", 40}, {"g", 0}, {"x", 0}} {
		p.Key(drive.Key(c.key))
		if p.at.top != c.top {
			t.Errorf("after %q: %d, want %d", c.key, p.at.top, c.top)
		}
	}
	for _, k := range []string{"esc", "q", "?", "f1"} {
		if !p.Key(drive.Key(k)).Done {
			t.Errorf("%s doesn't close", k)
		}
	}
	long := NewPage("t", strings.Repeat("x", PageLimit+5))
	if !strings.HasSuffix(long.text, "left out]") {
		t.Error("a long text is not cut, or not said to be")
	}
}

func TestPaletteFinds(t *testing.T) {
	for typed, want := range map[string]string{
		"undo":     "undo",
		"red":      "redo",
		"take bac": "undo",
		"next row": "down",
		"move":     "down page",
		"query":    "reopen",
		"rpn":      "reopen",
		"GRADE":    "grade-2 undo redo",
		"zz":       "",
	} {
		p := NewPalette(append(bindings, bindings[0])) // twice the same action is one
		for _, r := range typed {
			p.Key(drive.Key(string(r)))
		}
		var got []string
		for _, b := range p.shown {
			got = append(got, b.Action)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", typed, got, want)
		}
	}
}

func TestPaletteChooses(t *testing.T) {
	p := NewPalette(bindings)
	for _, k := range []string{"down", "down", "up"} {
		if out := p.Key(drive.Key(k)); out.Done || out.Chosen != "" {
			t.Error(out)
		}
	}
	if out := p.Key(drive.Key("enter")); !out.Done || out.Chosen != "undo" {
		t.Error(out)
	}
	for _, k := range []string{"z", "z", "z"} {
		p.Key(drive.Key(k))
	}
	if out := p.Key(drive.Key("enter")); out.Done || out.Chosen != "" {
		t.Error("nothing was found, yet", out)
	}
	for range 3 {
		if out := p.Key(drive.Key("backspace")); out.Done {
			t.Error("closed while there is text")
		}
	}
	if out := p.Key(drive.Key("backspace")); !out.Done || out.Chosen != "" {
		t.Error("backspace at the start doesn't close")
	}
	if !p.InText() || NewHelp("", nil).InText() {
		t.Error("who takes text")
	}
}
