package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/check"
	"assay/tui/label"
	"assay/tui/overlay"
	"assay/tui/queries"
	"assay/tui/screen"
)

// screenNames are all screens, in the order in which messages are handed round.
var screenNames = []string{Label, Queries, Check}

func unknownStart(name string) error {
	return fmt.Errorf("open screen %q: there are %q, %q and %q", name, Label, Queries, Check)
}

// constructors make the screens. Each is made once, when it is first shown.
func (m *model) constructors() map[string]func() screen.Screen {
	return map[string]func() screen.Screen{
		Label: func() screen.Screen {
			return label.New(label.Options{Desk: m.o.Desk, Finder: m.o.Finder, Theme: m.theme, Now: m.o.Now, Tick: m.o.Tick, Start: m.o.Query})
		},
		Queries: func() screen.Screen {
			return queries.New(queries.Options{Desk: m.o.Desk, Exporter: m.o.Exporter, Importer: m.o.Importer, Theme: m.theme})
		},
		Check: func() screen.Screen {
			return check.New(check.Options{Desk: m.o.Desk, Finder: m.o.Finder, Checker: m.o.Checker, Theme: m.theme})
		},
	}
}

func newTheme(o Options) (cell.Theme, error) {
	return cell.NewTheme(o.Theme, cell.Renderer(o.Out, o.Theme != "light", o.Theme != "none"))
}

func (m *model) top() screen.Screen { return m.screens[m.stack[len(m.stack)-1]] }

// open shows a screen: down to it where it is on the stack, else above the others.
func (m *model) open(name string) tea.Cmd {
	at := len(m.stack)
	for i, n := range m.stack {
		if n == name {
			at = i
		}
	}
	return m.openAt(name, at)
}

// openAbove shows a screen above the others even where it is below them already: leaving it comes back to the one on
// top. The stack can't grow with it for long: opening any screen goes down to where it is.
func (m *model) openAbove(name string) tea.Cmd {
	at := len(m.stack)
	if m.stack[at-1] == name {
		at--
	}
	return m.openAt(name, at)
}

func (m *model) openAt(name string, at int) tea.Cmd {
	m.asked, m.overlays = 0, nil
	was := m.stack[len(m.stack)-1]
	m.stack = append(m.stack[:at], name)
	if s := m.screens[name]; s != nil {
		if was == name {
			return nil
		}
		return s.Shown()
	}
	s := m.make[name]()
	m.screens[name] = s
	s.Resize(max(m.width, leastWidth), max(m.height, leastHeight))
	return s.Init()
}

// navigate acts on what a screen asks of the root, and reports whether msg was that.
func (m *model) navigate(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case screen.OpenQuery:
		open := m.open
		if msg.Above {
			open = m.openAbove
		}
		cmd := open(Label)
		return tea.Batch(cmd, m.screens[Label].Update(msg)), true
	case screen.LabelChunks:
		cmd := m.openAbove(Label)
		return tea.Batch(cmd, m.screens[Label].Update(msg)), true
	case screen.OpenQueries:
		return m.open(Queries), true
	case screen.OpenCheck:
		return m.open(Check), true
	case screen.Back:
		return m.back(), true
	case screen.Say:
		return m.top().Update(msg), true
	case screen.ShowText:
		m.overlays = append(m.overlays, overlay.NewPage(msg.Title, msg.Text))
		return nil, true
	}
	return nil, false
}

// back leaves the screen on top. The last one asks first, and the answer must come in a later read than the question:
// a pasted "qq" leaves nothing.
func (m *model) back() tea.Cmd {
	if len(m.stack) > 1 {
		return m.open(m.stack[len(m.stack)-2])
	}
	if m.asked == 0 {
		m.asked = m.reads
		return nil
	}
	if m.reads > m.asked {
		return m.leave(leaveMsg{})
	}
	return nil
}
