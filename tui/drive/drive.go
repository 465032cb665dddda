package drive

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"assay/tui/screen"
)

// Clock is a time that stands still until it is moved.
type Clock struct{ now time.Time }

// NewClock starts at a fixed instant, the same in every test.
func NewClock() *Clock { return &Clock{now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)} }

// Now is the clock's time.
func (c *Clock) Now() time.Time { return c.now }

// timerMsg asks the driver to deliver a message later.
type timerMsg struct {
	after time.Duration
	msg   func(time.Time) tea.Msg
}

// Tick is a screen.Tick on this clock: it fires when Driver.Advance passes its due time.
func (c *Clock) Tick(d time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
	return func() tea.Msg { return timerMsg{after: d, msg: msg} }
}

type timer struct {
	due time.Time
	seq int
	msg func(time.Time) tea.Msg
}

// Driver holds the model under test.
type Driver struct {
	t      testing.TB
	model  tea.Model
	clock  *Clock
	timers []timer
	seq    int
	held   []tea.Cmd
	hold   bool
	quit   bool
	limit  int
	log    []tea.Msg
}

// New starts a model at the size given: Init, then the window's size, then everything that follows from it. A nil
// clock is a new one.
func New(t testing.TB, m tea.Model, clock *Clock, width, height int) *Driver {
	t.Helper()
	if clock == nil {
		clock = NewClock()
	}
	d := &Driver{t: t, model: m, clock: clock, limit: 10_000}
	d.run(m.Init())
	d.Resize(width, height)
	return d
}

// Screen starts a screen alone, as the root would.
func Screen(t testing.TB, s screen.Screen, clock *Clock, width, height int) *Driver {
	t.Helper()
	return New(t, alone{s}, clock, width, height)
}

// alone is a root that holds one screen and claims no key.
type alone struct{ screen.Screen }

func (a alone) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		a.Resize(size.Width, size.Height)
		return a, nil
	}
	return a, a.Screen.Update(msg)
}

// Send gives the model a message and settles.
func (d *Driver) Send(msg tea.Msg) {
	d.t.Helper()
	d.update(msg)
}

// Press sends keys by Bubble Tea's names ("j", "ctrl+s", "enter", " "), one message each.
func (d *Driver) Press(keys ...string) {
	d.t.Helper()
	for _, k := range keys {
		d.update(Key(k))
	}
}

// Type sends text a rune at a time, as a person would.
func (d *Driver) Type(text string) {
	d.t.Helper()
	for _, r := range text {
		if r == ' ' {
			d.update(Key(" "))
			continue
		}
		d.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
}

// Burst sends text as one message, as one read of fast typing arrives.
func (d *Driver) Burst(text string) {
	d.t.Helper()
	d.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
}

// Paste sends text as a bracketed paste.
func (d *Driver) Paste(text string) {
	d.t.Helper()
	d.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

// Resize tells the model its size.
func (d *Driver) Resize(width, height int) {
	d.t.Helper()
	d.update(tea.WindowSizeMsg{Width: width, Height: height})
}

// Advance moves the clock and fires the ticks that fall due, in order of their due time.
func (d *Driver) Advance(by time.Duration) {
	d.t.Helper()
	end := d.clock.now.Add(by)
	for {
		sort.SliceStable(d.timers, func(i, j int) bool {
			if !d.timers[i].due.Equal(d.timers[j].due) {
				return d.timers[i].due.Before(d.timers[j].due)
			}
			return d.timers[i].seq < d.timers[j].seq
		})
		if len(d.timers) == 0 || d.timers[0].due.After(end) {
			break
		}
		next := d.timers[0]
		d.timers = d.timers[1:]
		if next.due.After(d.clock.now) {
			d.clock.now = next.due
		}
		d.update(next.msg(d.clock.now))
	}
	d.clock.now = end
}

// Hold keeps Cmds from running until Release: replies are then late. What was begun before is done.
func (d *Driver) Hold() { d.hold = true }

// Held is the number of Cmds that wait.
func (d *Driver) Held() int { return len(d.held) }

// Step runs the i-th Cmd that waits, out of order if need be, and keeps on holding what follows from it.
func (d *Driver) Step(i int) {
	d.t.Helper()
	cmd := d.held[i]
	d.held = append(d.held[:i:i], d.held[i+1:]...)
	if msg := cmd(); msg != nil {
		d.deliver(msg)
	}
}

// Release runs everything that waits, in order, and stops holding.
func (d *Driver) Release() {
	d.t.Helper()
	d.hold = false
	held := d.held
	d.held = nil
	for _, c := range held {
		d.run(c)
	}
}

// Quit reports whether the model asked Bubble Tea to quit.
func (d *Driver) Quit() bool { return d.quit }

// Model is the model as it is now.
func (d *Driver) Model() tea.Model { return d.model }

// Messages are all messages that Cmds returned, oldest first.
func (d *Driver) Messages() []tea.Msg { return d.log }

// Frame is the view as it would be drawn, with its styles.
func (d *Driver) Frame() string { return d.model.View() }

// Plain is the view without styles.
func (d *Driver) Plain() string { return ansi.Strip(d.model.View()) }

// Sees fails the test unless the view holds each of the texts.
func (d *Driver) Sees(texts ...string) {
	d.t.Helper()
	for _, s := range texts {
		if !strings.Contains(d.Plain(), s) {
			d.t.Errorf("the screen doesn't show %q:\n%s", s, d.Plain())
		}
	}
}

// SeesNot fails the test if the view holds any of the texts.
func (d *Driver) SeesNot(texts ...string) {
	d.t.Helper()
	for _, s := range texts {
		if strings.Contains(d.Plain(), s) {
			d.t.Errorf("the screen shows %q:\n%s", s, d.Plain())
		}
	}
}

func (d *Driver) update(msg tea.Msg) {
	d.t.Helper()
	if d.quit {
		return
	}
	if d.limit--; d.limit < 0 {
		d.t.Fatal("drive: more than 10000 messages; a Cmd answers itself")
	}
	m, cmd := d.model.Update(msg)
	d.model = m
	d.run(cmd)
}

func (d *Driver) run(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil || d.quit {
		return
	}
	if d.hold {
		d.held = append(d.held, cmd)
		return
	}
	if msg := cmd(); msg != nil {
		d.deliver(msg)
	}
}

func (d *Driver) deliver(msg tea.Msg) {
	d.t.Helper()
	switch msg := msg.(type) {
	case timerMsg:
		d.seq++
		d.timers = append(d.timers, timer{due: d.clock.now.Add(msg.after), seq: d.seq, msg: msg.msg})
		return
	case tea.QuitMsg:
		d.quit = true
		return
	}
	if cmds, ok := Cmds(msg); ok {
		for _, c := range cmds {
			d.run(c)
		}
		return
	}
	d.log = append(d.log, msg)
	d.update(msg)
}

// Cmds are those that a tea.BatchMsg or Bubble Tea's own sequence message carries.
func Cmds(msg tea.Msg) ([]tea.Cmd, bool) {
	if b, ok := msg.(tea.BatchMsg); ok {
		return b, true
	}
	v := reflect.ValueOf(msg)
	if v.IsValid() && v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
		cmds := make([]tea.Cmd, v.Len())
		for i := range cmds {
			cmds[i] = v.Index(i).Interface().(tea.Cmd)
		}
		return cmds, true
	}
	return nil, false
}

// Key is the message for a key by Bubble Tea's name. An unknown name of several runes panics: it is a mistake in
// the test.
func Key(name string) tea.KeyMsg {
	if name == " " || name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok && rest != "" {
		k := Key(rest)
		k.Alt = true
		return k
	}
	if r := []rune(name); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r}
	}
	for t := tea.KeyType(-200); t <= 127; t++ {
		if t != tea.KeyRunes && t.String() == name {
			return tea.KeyMsg{Type: t}
		}
	}
	panic(fmt.Sprintf("drive: no key is called %q", name))
}
