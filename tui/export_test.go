package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
)

// noFile is a terminal that is no file, as an SSH session's channel is.
type noFile struct{}

func (noFile) Read([]byte) (int, error)    { return 0, nil }
func (noFile) Write(p []byte) (int, error) { return len(p), nil }

// root is the model over a kit, complete but not started.
func root(t testing.TB, k fake.Kit, o Options, clock *drive.Clock) *model {
	t.Helper()
	o.Desk, o.Finder, o.Checker, o.Exporter = k.Desk, k.Finder, k.Checker, k.Exporter
	o.Now, o.Tick, o.In, o.Out = clock.Now, clock.Tick, noFile{}, noFile{}
	o, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// started is the whole program over a kit, driven without a terminal.
func started(t testing.TB, k fake.Kit, o Options, width, height int) (*drive.Driver, *model, *drive.Clock) {
	t.Helper()
	clock := drive.NewClock()
	m := root(t, k, o, clock)
	return drive.New(t, m, clock, width, height), m, clock
}

// stubbed is the root over screens that write down what reaches them.
func stubbed(t testing.TB) (*drive.Driver, *model, map[string]*stub, *drive.Clock) {
	t.Helper()
	clock := drive.NewClock()
	m := root(t, fake.Sample(fake.Plain, nil), Options{}, clock)
	stubs := map[string]*stub{}
	for _, name := range screenNames {
		s := &stub{name: name, bind: map[string]tea.Cmd{}}
		stubs[name] = s
		m.make[name] = func() screen.Screen { return s }
	}
	return drive.New(t, m, clock, 80, 24), m, stubs, clock
}

// stub is a screen that binds what it is told to.
type stub struct {
	name    string
	bind    map[string]tea.Cmd // by key
	text    bool
	pending int
	close   tea.Cmd
	log     []string
	panics  string // on a key of this name; "view" when it is drawn
	w, h    int
}

func (s *stub) note(format string, a ...any) { s.log = append(s.log, fmt.Sprintf(format, a...)) }

// took is what was written down since the last call.
func (s *stub) took() string {
	out := strings.Join(s.log, " ")
	s.log = nil
	return out
}

func (s *stub) Init() tea.Cmd   { s.note("init"); return nil }
func (s *stub) Shown() tea.Cmd  { s.note("shown"); return nil }
func (s *stub) Resize(w, h int) { s.w, s.h = w, h }
func (s *stub) InText() bool    { return s.text }
func (s *stub) Pending() int    { return s.pending }
func (s *stub) Close() tea.Cmd  { s.note("close"); return s.close }
func (s *stub) Keys() (keys []screen.Binding) {
	for k := range s.bind {
		keys = append(keys, screen.Binding{Action: "do-" + k, Keys: []string{k}, Help: "does " + k, Group: "Stub", Short: k})
	}
	return keys
}

func (s *stub) View() string {
	if s.panics == "view" {
		panic("drawing")
	}
	return s.name + strings.Repeat("\n", max(0, s.h-1))
}

// textMsg switches a stub's text field on or off.
type textMsg bool

func (s *stub) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		name := msg.String()
		if name == s.panics {
			panic("on " + name)
		}
		switch {
		case msg.Paste:
			s.note("paste:%d", len(msg.Runes))
		case s.text && len(msg.Runes) > 1:
			s.note("text:%s", string(msg.Runes))
		default:
			s.note("%s", name)
		}
		if s.text && name == "enter" {
			s.text = false
		}
		if cmd, ok := s.bind[name]; ok && !s.text {
			if name == "/" {
				s.text = true
			}
			return cmd
		}
	case screen.Run:
		s.note("run:%s", msg.Action)
	case screen.OpenQuery:
		s.note("open:%s,%s", msg.QueryID, msg.ChunkID)
	case screen.LabelChunks:
		s.note("sent:%s,%s,%v", msg.QueryID, msg.Run, msg.Chunks)
	case screen.Say:
		s.note("say:%s", msg.Text)
	case screen.Changed:
		s.note("changed")
	case tea.MouseMsg:
		s.note("mouse")
	case textMsg:
		s.text = bool(msg)
	case string:
		s.note("msg:%s", msg)
	}
	return nil
}
