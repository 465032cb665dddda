package queries

import (
	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/screen"
)

// menu asks for one of a few things, at the foot of the screen.
type menu struct {
	heading string
	rows    []string
	at      int
	busy    string               // what to say while the choice is being carried out; "" while choosing
	help    string               // what enter does
	pick    func(at int) tea.Cmd // called once
}

func (m *menu) bindings() []screen.Binding {
	return []screen.Binding{
		{Action: "pick", Keys: []string{"enter"}, Help: m.help, Group: "Choose", Short: "choose"},
		{Action: "next-choice", Keys: []string{"j", "down", "tab"}, Help: "next choice", Group: "Choose"},
		{Action: "previous-choice", Keys: []string{"k", "up", "shift+tab"}, Help: "previous choice", Group: "Choose"},
		{Action: "close", Keys: []string{"esc", "q"}, Help: "close, change nothing", Group: "Choose", Short: "close"},
	}
}

func (s *Screen) menuKey(name string) tea.Cmd {
	m := s.menu
	switch name {
	case "esc", "q":
		s.menu = nil
	case "j", "down", "tab":
		m.at = min(m.at+1, len(m.rows)-1)
	case "k", "up", "shift+tab":
		m.at = max(0, m.at-1)
	case "enter":
		if m.busy == "" && len(m.rows) > 0 {
			return m.pick(m.at)
		}
	}
	return nil
}

// lines draws the menu in n lines.
func (m *menu) lines(width, n int, th cell.Theme) []string {
	heading := m.heading
	if m.busy != "" {
		heading = m.busy
	}
	lines := []string{cell.Rule(width, th.Rule, th.Strong.Of(heading))}
	top := cell.Window(max(0, m.at-n+2), m.at, len(m.rows), n-1)
	for i := top; i < min(len(m.rows), top+n-1); i++ {
		seg := cell.Plain("   " + m.rows[i])
		if i == m.at {
			seg = th.Cursor.Of(" › " + m.rows[i])
		}
		lines = append(lines, cell.Line(width, seg))
	}
	return lines
}
