package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/overlay"
	"assay/tui/screen"
	"assay/tui/terminal"
)

// everywhere are the root's own bindings, which work where nothing above them takes the key.
var everywhere = []screen.Binding{
	{Action: "help", Keys: []string{"?", "f1"}, Help: "show all keys", Group: "Everywhere", Short: "help"},
	{Action: "palette", Keys: []string{":"}, Help: "find an action by name", Group: "Everywhere", Text: true},
	{Action: "queries", Keys: []string{"Q"}, Help: "list the queries", Group: "Everywhere"},
	{Action: "check", Keys: []string{"C"}, Help: "measure the search", Group: "Everywhere"},
	{Action: "labeling", Help: "go to labeling", Group: "Everywhere"},
	{Action: "back", Keys: []string{"q"}, Help: "leave this screen", Group: "Everywhere"},
	{Action: "suspend", Keys: []string{"ctrl+z"}, Help: "back to the shell for now", Group: "Everywhere"},
	{Action: "quit", Keys: []string{"ctrl+c"}, Help: "save drafts and quit", Group: "Everywhere"},
}

// bindings are those of what has focus, then the root's where no key of theirs is taken.
func (m *model) bindings() []screen.Binding {
	own := m.top().Keys()
	all := slices.Clone(own)
	for _, b := range everywhere {
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool {
			return k != "ctrl+c" && (bound(own, k) || m.top().InText() && k != "f1" && k != "ctrl+z")
		})
		if !slices.ContainsFunc(own, func(o screen.Binding) bool { return o.Action == b.Action }) {
			all = append(all, b)
		}
	}
	return all
}

func bound(bindings []screen.Binding, key string) bool {
	return slices.ContainsFunc(bindings, func(b screen.Binding) bool { return slices.Contains(b.Keys, key) })
}

// opensText reports whether the key leads into a text field.
func opensText(bindings []screen.Binding, key string) bool {
	if key == "/" {
		return bound(bindings, key)
	}
	return slices.ContainsFunc(bindings, func(b screen.Binding) bool { return b.Text && slices.Contains(b.Keys, key) })
}

// inText reports whether letters are text now.
func (m *model) inText() bool {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].InText()
	}
	return m.top().InText()
}

// key gives one key, or one paste, to what it is for.
func (m *model) key(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	switch {
	case name == "ctrl+c" && !k.Paste:
		return m.interrupt()
	case m.begun || m.tooSmall():
		return nil // nothing can be seen, or nothing is left to do
	}
	if k.Paste && !m.inText() {
		m.word = "a paste does nothing here: open a text field first, e.g. with /"
		return nil
	}
	if name != "q" {
		m.asked = 0
	}
	m.word = ""
	if n := len(m.overlays); n > 0 {
		return m.overlayKey(m.overlays[n-1], k)
	}
	top := m.top()
	if top.InText() && name != "f1" && name != "ctrl+z" || bound(top.Keys(), name) {
		return top.Update(k)
	}
	for _, b := range everywhere {
		if slices.Contains(b.Keys, name) {
			return m.run(b.Action)
		}
	}
	return nil
}

func (m *model) overlayKey(o overlay.Overlay, k tea.KeyMsg) tea.Cmd {
	out := o.Key(k)
	if out.Done {
		m.overlays = m.overlays[:len(m.overlays)-1]
	}
	if out.Chosen == "" {
		return nil
	}
	if slices.ContainsFunc(m.top().Keys(), func(b screen.Binding) bool { return b.Action == out.Chosen }) {
		return m.top().Update(screen.Run{Action: out.Chosen})
	}
	return m.run(out.Chosen)
}

// run does one of the root's own actions.
func (m *model) run(action string) tea.Cmd {
	switch action {
	case "help":
		m.overlays = append(m.overlays, overlay.NewHelp("keys", m.bindings()))
	case "palette":
		m.overlays = append(m.overlays, overlay.NewPalette(m.bindings()))
	case "queries":
		return m.open(Queries)
	case "check":
		return m.open(Check)
	case "labeling":
		return m.open(Label)
	case "back":
		return m.back()
	case "suspend":
		if !terminal.CanSuspend() {
			m.word = "there is no shell here to come back from"
			return nil
		}
		return tea.Suspend
	case "quit":
		return m.interrupt()
	}
	return nil
}
