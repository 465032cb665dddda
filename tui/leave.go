package tui

import (
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/terminal"
)

// How long an ending waits for writes that do not come back. An annotator who asks to quit is never hurried.
const (
	signalPatience = 5 * time.Second
	crashPatience  = 2 * time.Second
)

// leaving is where the way out stands.
type leaving struct {
	begun  bool
	closed bool // the screens' drafts are saved, or could not be
	quit   bool
	err    error
}

type (
	// leaveMsg begins the way out; err is what Run returns. A second one cuts the wait short.
	leaveMsg struct{ err error }
	// closedMsg says that the screens' Close Cmds ran to their end, and what they said.
	closedMsg struct{ msgs []tea.Msg }
	// giveUpMsg says that the wait was long enough.
	giveUpMsg struct{}
)

// interrupt is ctrl+c: leave, and when pressed again, now.
func (m *model) interrupt() tea.Cmd { return m.leave(leaveMsg{}) }

func (m *model) leave(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case leaveMsg:
		if m.begun {
			return m.force(msg.err)
		}
		cmd := m.begin(msg.err)
		if msg.err != nil {
			cmd = tea.Batch(cmd, m.patience(signalPatience))
		}
		return cmd
	case terminal.Hangup:
		if m.begun {
			return nil
		}
		return tea.Batch(m.begin(ErrHangup), m.patience(signalPatience))
	case closedMsg:
		m.closed = true
		var cmds []tea.Cmd
		for _, said := range msg.msgs {
			cmds = append(cmds, m.update(said))
		}
		return tea.Batch(cmds...)
	case giveUpMsg:
		if m.begun {
			return m.force(nil)
		}
	}
	return nil
}

// begin closes all screens in one Cmd, the newest first.
func (m *model) begin(err error) tea.Cmd {
	m.begun, m.err, m.overlays = true, err, nil
	var closers []tea.Cmd
	for i := len(screenNames) - 1; i >= 0; i-- {
		if s := m.screens[screenNames[i]]; s != nil {
			if cmd := m.safely(s.Close); cmd != nil {
				closers = append(closers, cmd)
			}
		}
	}
	return func() tea.Msg {
		var msgs []tea.Msg
		for _, c := range closers {
			msgs = append(msgs, runAll(c)...)
		}
		return closedMsg{msgs}
	}
}

func (m *model) patience(d time.Duration) tea.Cmd {
	return m.o.Tick(d, func(time.Time) tea.Msg { return giveUpMsg{} })
}

// tryLeave quits once the screens are closed and every write is acknowledged.
func (m *model) tryLeave() tea.Cmd {
	if !m.begun || m.quit || !m.closed || m.pending() > 0 {
		return nil
	}
	m.quit = true
	return tea.Quit
}

// force quits now. What is not saved is said.
func (m *model) force(err error) tea.Cmd {
	if m.quit {
		return nil
	}
	m.quit = true
	if m.err == nil {
		m.err = err
	}
	if n := m.pending(); n > 0 {
		m.err = errors.Join(m.err, &UnsavedError{n})
	}
	return tea.Quit
}

func (m *model) pending() int {
	n := 0
	for _, s := range m.screens {
		n += s.Pending()
	}
	return n
}

// crash leaves because of a panic. A second one, on the way out, ends the wait: what panicked may be what is waited for.
func (m *model) crash(err *CrashError) tea.Cmd {
	if m.begun {
		if m.err == nil {
			m.err = err
		}
		m.quit = true
		return tea.Quit
	}
	return tea.Batch(m.begin(err), m.patience(crashPatience))
}

// outcome is what Run returns, given what Bubble Tea did.
func (m *model) outcome(err error) error {
	if m.err != nil {
		return m.err
	}
	if err != nil && errors.Is(err, tea.ErrProgramPanic) {
		return &CrashError{Value: err}
	}
	return err
}
