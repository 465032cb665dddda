package status

import (
	"strings"
	"testing"

	"assay/tui/cell"
	"assay/tui/screen"
)

var bindings = []screen.Binding{
	{Action: "open", Keys: []string{"enter"}, Short: "label"},
	{Action: "quiet", Keys: []string{"z"}},
	{Action: "named", Short: "nokey"},
	{Action: "page", Keys: []string{" "}, Short: "page"},
	{Action: "undo", Keys: []string{"u"}, Short: "undo"},
}

func TestHintsThatHaveRoom(t *testing.T) {
	for w, want := range map[int]string{
		60: "enter label  space page  u undo  ? help ",
		34: "enter label  space page  ? help ",
		22: "enter label  ? help ",
		10: "? help ",
	} {
		if got := strings.TrimLeft(Line(w, cell.Theme{}, nil, bindings, false), " "); got != want {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
	if got := Line(60, cell.Theme{}, nil, bindings, true); !strings.HasSuffix(got, "f1 help ") {
		t.Errorf("%q promises a key that is text", got)
	}
	closing := append(bindings, screen.Binding{Action: "close", Keys: []string{"esc"}, Short: "close"})
	if got := Line(14, cell.Theme{}, nil, closing, false); !strings.HasSuffix(got, "esc close ") {
		t.Errorf("%q tells no way out", got)
	}
}

func TestAMessageComesFirst(t *testing.T) {
	th, err := cell.NewTheme("dark", nil)
	if err != nil {
		t.Fatal(err)
	}
	long := screen.Say{Text: strings.Repeat("disk full \x1b[2J 返金 ", 9), Bad: true}
	for w := range 120 {
		for _, s := range []screen.Say{{}, {Text: "saved"}, long} {
			got := Line(w, th, Message(th, s), bindings, false)
			if cell.Width(got) > w {
				t.Errorf("%d: %q", w, got)
			}
			if s.Bad && w > 30 && !strings.Contains(got, "! disk full") {
				t.Errorf("%d: the message gave way: %q", w, got)
			}
		}
	}
	if got := Line(40, cell.Theme{}, Message(cell.Theme{}, screen.Say{Text: "saved"}), bindings, false); !strings.HasPrefix(got, " saved") || !strings.HasSuffix(got, "? help ") {
		t.Errorf("%q", got)
	}
}
