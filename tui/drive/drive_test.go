package drive

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// recorder writes down what reaches it and answers with the Cmds it was given.
type recorder struct {
	seen  *[]string
	reply func(msg tea.Msg) tea.Cmd
}

func (r recorder) Init() tea.Cmd { return func() tea.Msg { return "init" } }
func (r recorder) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case string:
		*r.seen = append(*r.seen, m)
	case tea.KeyMsg:
		*r.seen = append(*r.seen, "key "+m.String())
	}
	if r.reply == nil {
		return r, nil
	}
	return r, r.reply(msg)
}
func (r recorder) View() string { return strings.Join(*r.seen, "\n") }

func say(s string) tea.Cmd { return func() tea.Msg { return s } }

func TestCmdsRunInOrderBeforeTheNextKey(t *testing.T) {
	var seen []string
	d := New(t, recorder{&seen, func(msg tea.Msg) tea.Cmd {
		if k, ok := msg.(tea.KeyMsg); ok && k.String() == "a" {
			return tea.Batch(say("one"), tea.Sequence(say("two"), say("three")))
		}
		return nil
	}}, nil, 80, 24)
	d.Press("a", "enter")
	if got := strings.Join(seen, ","); got != "init,key a,one,two,three,key enter" {
		t.Error(got)
	}
}

func TestTicksFireWhenTheClockPassesThem(t *testing.T) {
	var seen []string
	c := NewClock()
	tick := func(d time.Duration, s string) tea.Cmd { return c.Tick(d, func(time.Time) tea.Msg { return s }) }
	d := New(t, recorder{&seen, func(msg tea.Msg) tea.Cmd {
		switch msg {
		case "init":
			return tea.Batch(tick(3*time.Second, "late"), tick(time.Second, "soon"))
		case "soon":
			return tick(time.Second, "again")
		}
		return nil
	}}, c, 80, 24)
	d.Advance(999 * time.Millisecond)
	if len(seen) != 1 {
		t.Fatal(seen)
	}
	d.Advance(time.Second)
	d.Advance(2 * time.Second)
	if got := strings.Join(seen, ","); got != "init,soon,again,late" {
		t.Error(got)
	}
}

func TestHeldCmdsRunWhenTheTestSaysSo(t *testing.T) {
	var seen []string
	d := New(t, recorder{&seen, func(msg tea.Msg) tea.Cmd {
		if k, ok := msg.(tea.KeyMsg); ok {
			return say("reply " + k.String())
		}
		return nil
	}}, nil, 80, 24)
	d.Hold()
	d.Press("a", "b", "c")
	d.Step(1)
	d.Release()
	if got := strings.Join(seen, ","); got != "init,key a,key b,key c,reply b,reply a,reply c" {
		t.Error(got)
	}
}

func TestKeyNamesRoundTrip(t *testing.T) {
	for _, name := range []string{"j", "G", "é", " ", "enter", "ctrl+s", "esc", "tab", "shift+tab", "pgup", "up", "backspace", "alt+b", "alt+enter", "f1", "?", "+"} {
		if got := Key(name).String(); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
}

func TestCheckFrame(t *testing.T) {
	for frame, ok := range map[string]bool{
		"ab\ncd":                 true,
		"\x1b[1;31mab\x1b[0m\nc": true,
		"ab":                     false,
		"abc\nd":                 false,
		"界\n界":                   true,
		"界a\nb":                  false,
		"a\x1b[2J\nb":            false,
		"a\x1b[2Gb\nb":           true,
		"a\u202e\nb":             false,
		"a\tb\nc":                false,
		"\x1b]0;x\x07\nb":        false,
	} {
		if err := CheckFrame(frame, 2, 2); (err == nil) != ok {
			t.Errorf("%q: %v", frame, err)
		}
	}
}
