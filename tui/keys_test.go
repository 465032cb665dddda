package tui

import (
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
	"assay/tui/terminal"
)

// checkBindings fails on a key that two actions want, and on keys that terminals can't tell apart (public report:
// bubbletea#1297), and on h and l: vim fingers must not write data.
func checkBindings(t testing.TB, where string, bindings []screen.Binding) {
	t.Helper()
	taken := map[string]string{}
	for _, b := range bindings {
		if b.Action == "" || b.Help == "" || b.Group == "" {
			t.Errorf("%s: a binding lacks its name, help or group: %+v", where, b)
		}
		for _, k := range b.Keys {
			if other, ok := taken[k]; ok {
				t.Errorf("%s: %q is bound to %s and %s", where, k, other, b.Action)
			}
			taken[k] = b.Action
			switch k {
			case "ctrl+m", "ctrl+i", "ctrl+h", "ctrl+[", "ctrl+j", "h", "l", "alt+[":
				t.Errorf("%s: %q must not be bound (%s)", where, k, b.Action)
			}
			drive.Key(k) // panics on a name that Bubble Tea does not know
		}
	}
}

func TestKeyMapsAreSound(t *testing.T) {
	checkBindings(t, "root", everywhere)
	for _, start := range screenNames {
		d, m, _ := started(t, fake.Sample(fake.Plain, nil), Options{Start: start}, 100, 30)
		checkBindings(t, start, m.bindings())
		for _, b := range m.top().Keys() {
			if len(b.Keys) == 0 {
				continue
			}
			// Whatever a key opens has a key map of its own.
			d, m, _ := started(t, fake.Sample(fake.Plain, nil), Options{Start: start}, 100, 30)
			d.Press(b.Keys[0])
			checkBindings(t, start+" after "+b.Action, m.bindings())
			for _, o := range m.overlays {
				checkBindings(t, start+" above "+b.Action, o.Keys())
			}
			d.Press("tab", "j", "enter")
			checkBindings(t, start+" further after "+b.Action, m.bindings())
		}
		d.Press("?")
		checkBindings(t, "help", m.overlays[0].Keys())
	}
}

func TestKeysGoToWhatHasFocus(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	s := stubs[Label]
	s.bind["j"], s.bind["q"] = nil, screen.Ask(screen.Back{})
	s.took()

	d.Press("j", "k", "z", "Z")
	if got := s.took(); got != "j" {
		t.Errorf("bound keys only: %s", got)
	}
	// A text field takes letters that are bound, here and everywhere (public reports: relevation, redis-tui#64).
	d.Send(textMsg(true))
	d.Press("j", "q", "?", ":", "Q", "C", " ", "esc", "enter")
	if got := s.took(); got != "j q ? : Q C   esc enter" {
		t.Errorf("in text: %q", got)
	}
	d.Send(textMsg(true))
	d.Press("f1")
	if got := s.took(); got != "" || len(m.overlays) != 1 {
		t.Errorf("f1 in text: %q, %d overlays", got, len(m.overlays))
	}
	// An overlay takes everything.
	d.Press("j", "enter", "Q")
	if got := s.took(); got != "" || len(m.overlays) != 1 || len(m.stack) != 1 {
		t.Errorf("below an overlay: %q", got)
	}
	d.Press("esc")
	d.Send(textMsg(false))
	d.Press("?", "?", ":", "esc")
	if len(m.overlays) != 0 || s.took() != "" {
		t.Error("overlays don't close")
	}
	d.Press("Q")
	if m.top() != stubs[Queries] {
		t.Error("Q doesn't list the queries")
	}
	// ctrl+c comes before all of it.
	d.Send(textMsg(true))
	d.Press("f1", "ctrl+c")
	if !d.Quit() {
		t.Error("ctrl+c doesn't quit")
	}
}

func TestTheScreensKeyComesBeforeTheRoots(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].bind["?"], stubs[Label].bind["Q"] = nil, nil
	stubs[Label].took()
	d.Press("?", "Q")
	if got := stubs[Label].took(); got != "? Q" || len(m.overlays) != 0 || len(m.stack) != 1 {
		t.Errorf("%q", got)
	}
	for _, b := range m.bindings() {
		if b.Action == "help" && slices.Contains(b.Keys, "?") || b.Action == "queries" && len(b.Keys) > 0 {
			t.Errorf("help promises a key that the screen has: %+v", b)
		}
	}
}

func TestThePaletteRunsActionsByName(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].bind["j"] = nil
	stubs[Label].took()
	d.Press(":")
	d.Type("do-j")
	d.Sees("do-j", "does j")
	d.Press("enter")
	if got := stubs[Label].took(); got != "run:do-j" || len(m.overlays) != 0 {
		t.Errorf("%q", got)
	}
	d.Press(":")
	d.Type("measure the")
	d.Press("enter")
	if m.top() != stubs[Check] {
		t.Error("no check screen")
	}
	d.Press(":")
	d.Type("labeling")
	d.Press("enter")
	if m.top() != stubs[Label] || len(m.stack) != 1 {
		t.Error("not back at labeling")
	}
	d.Press(":")
	d.Type("zzzz")
	d.Press("enter")
	if len(m.overlays) != 1 {
		t.Error("an action that isn't there was run")
	}
	d.Press("esc", ":")
	d.Type("quit")
	d.Press("enter")
	if !d.Quit() {
		t.Error("quit by name doesn't quit")
	}
}

func TestMouseOnlyWhereAskedFor(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].took()
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if got := stubs[Label].took(); got != "" {
		t.Error(got)
	}
	m.o.Mouse = true
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if got := stubs[Label].took(); got != "mouse" {
		t.Error(got)
	}
	d.Press("?")
	d.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
	if got := stubs[Label].took(); got != "" {
		t.Error("through an overlay:", got)
	}
}

func TestSuspendNeedsAShell(t *testing.T) {
	d, m, _, _ := stubbed(t)
	if terminal.CanSuspend() {
		t.Skip("started by a shell with job control")
	}
	d.Press("ctrl+z")
	if m.word == "" {
		t.Error("nothing is said")
	}
	for _, msg := range d.Messages() {
		if _, ok := msg.(tea.SuspendMsg); ok {
			t.Error("suspended, with nobody to bring it back")
		}
	}
}
