package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/input"
	"assay/tui/overlay"
	"assay/tui/screen"
	"assay/tui/terminal"
)

// Sizes in cells. Below the least, nothing can be seen and so no key acts; above the most, a terminal is not telling
// the truth.
const (
	startWidth, startHeight = 80, 24
	leastWidth, leastHeight = 40, 10
	mostWidth, mostHeight   = 1000, 400
)

// model is the root: Bubble Tea's tea.Model. It is changed in Update only.
type model struct {
	o     Options
	theme cell.Theme
	make  map[string]func() screen.Screen

	width, height int
	screens       map[string]screen.Screen // those made so far; they live as long as the program
	stack         []string                 // by name; the last one is on top
	overlays      []overlay.Overlay

	decoder input.Decoder
	wakeAt  time.Time // when the next look at the decoder is due; zero for none
	burst   burst
	reads   int // counts reads, so that one read can't both ask and answer

	asked int    // the read in which "quit?" was asked, 0 where it was not
	word  string // the root's own: why keys did nothing; until the next key that does something
	frame string
	leaving
}

func newModel(o Options) (*model, error) {
	theme, err := newTheme(o)
	if err != nil {
		return nil, err
	}
	m := &model{o: o, theme: theme, width: startWidth, height: startHeight, reads: 1, screens: map[string]screen.Screen{}, stack: []string{o.Start}}
	m.make = m.constructors()
	if m.make[o.Start] == nil {
		return nil, unknownStart(o.Start)
	}
	return m, nil
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd {
	return m.protected(func() tea.Cmd { return m.open(m.o.Start) })
}

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.protected(func() tea.Cmd { return m.update(msg) })
}

// View implements tea.Model. The frame is drawn in Update, where a panic can still end the program in order.
func (m *model) View() string { return m.frame }

// protected runs a step, draws, and sees whether the program can leave by now.
func (m *model) protected(step func() tea.Cmd) tea.Cmd {
	cmd := m.safely(step)
	cmd = tea.Batch(cmd, m.safely(func() tea.Cmd {
		m.frame = m.draw()
		return nil
	}))
	return guard(tea.Batch(cmd, m.safely(m.tryLeave)))
}

// safely turns a panic into the beginning of the end.
func (m *model) safely(f func() tea.Cmd) (cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			cmd = m.crash(crashed(r).err)
		}
	}()
	return f()
}

func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		return nil
	case input.Raw:
		return tea.Batch(m.read(m.decoder.Feed(msg), &msg), m.wake())
	case wakeMsg:
		m.wakeAt = time.Time{}
		return tea.Batch(m.read(m.decoder.Expire(m.o.Now()), nil), m.wake())
	case tea.KeyMsg, tea.MouseMsg:
		return m.read([]tea.Msg{msg}, nil) // decoded elsewhere: on Windows, in tests
	case tea.ResumeMsg:
		return m.top().Shown()
	case crashMsg:
		return m.crash(msg.err)
	case leaveMsg, terminal.Hangup, closedMsg, giveUpMsg:
		return m.leave(msg)
	case screen.Changed:
		return m.top().Update(msg) // the others read anew when they are shown again
	}
	if cmd, ok := m.navigate(msg); ok {
		return cmd
	}
	// Messages carry a type of the package they are for; the others ignore them.
	var cmds []tea.Cmd
	for _, name := range screenNames {
		if s := m.screens[name]; s != nil {
			cmds = append(cmds, s.Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// wakeMsg says that it is time to see what became of an incomplete sequence.
type wakeMsg struct{}

// wake asks to be woken when what the decoder holds back is due.
func (m *model) wake() tea.Cmd {
	due, ok := m.decoder.Deadline()
	if !ok || !m.wakeAt.IsZero() && !m.wakeAt.After(due) {
		return nil
	}
	m.wakeAt = due
	return m.o.Tick(max(0, due.Sub(m.o.Now())), func(time.Time) tea.Msg { return wakeMsg{} })
}

// resize takes a size as the terminal tells it. 0 means that it does not know: what was known stays.
func (m *model) resize(width, height int) {
	if width <= 0 || height <= 0 {
		return
	}
	m.width, m.height = min(width, mostWidth), min(height, mostHeight)
	if m.tooSmall() {
		return
	}
	for _, s := range m.screens {
		s.Resize(m.width, m.height)
	}
}

func (m *model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// draw makes the frame: exactly height lines of at most width cells.
func (m *model) draw() string {
	if m.tooSmall() {
		return m.drawTooSmall()
	}
	frame := cell.Frame(strings.Split(m.top().View(), "\n"), m.width, m.height)
	for _, o := range m.overlays {
		all, _ := cell.Rect{W: m.width, H: m.height}.Top(m.height - 1)
		room := all.Inset(2, 1)
		box := o.Box(room.W, room.H, m.theme)
		if len(box) == 0 {
			continue
		}
		frame = cell.Overlay(frame, box, room.Center(cell.Width(box[0]), len(box)))
	}
	return m.foot(frame)
}

func (m *model) drawTooSmall() string {
	lines := make([]string, m.height)
	at := max(0, (m.height-2)/2)
	lines[at] = cell.Line(m.width, cell.Plain("too small"))
	if at+1 < m.height {
		lines[at+1] = cell.Line(m.width, cell.Plain("needs 40×10"))
	}
	return cell.Frame(lines, m.width, m.height)
}
