package overlay

import (
	"assay/tui/cell"
	"assay/tui/screen"

	tea "github.com/charmbracelet/bubbletea"
)

// Overlay is drawn above the screen and takes all keys while it is on top.
type Overlay interface {
	// Key handles a key.
	Key(k tea.KeyMsg) Outcome
	// InText reports whether a text field has focus.
	InText() bool
	// Box draws the overlay in at most w × h cells: drawn lines, each exactly as wide as the first.
	Box(w, h int, th cell.Theme) []string
	// Keys are the overlay's own bindings, for the status line.
	Keys() []screen.Binding
}

// Outcome is what a key did: Done closes the overlay, Chosen is the name of an action to run, "" for none.
type Outcome struct {
	Done   bool
	Chosen string
}

// frame draws lines, each w-1 cells wide, between a heading and a foot, with an edge at the left: h lines in all. There
// is no edge at the right, where text of uncertain width would bend it.
func frame(w, h int, th cell.Theme, heading, foot string, lines []string) []string {
	box := make([]string, 0, h)
	corner := func(c string) string { return cell.Line(1, th.Rule.Of(c)) }
	box = append(box, corner("┌")+cell.Rule(w-1, th.Rule, th.Strong.Of(heading)))
	for i := range h - 2 {
		line := cell.Fill(w-1, cell.Plain(""))
		if i < len(lines) {
			line = lines[i]
		}
		box = append(box, corner("│")+line)
	}
	if h > 1 {
		box = append(box, corner("└")+cell.Rule(w-1, th.Rule, th.Dim.Of(foot)))
	}
	return box
}

// scroller moves a window of h rows over n.
type scroller struct{ top, n, h int }

func (s *scroller) fit(n, h int) {
	s.n, s.h = n, h
	s.top = max(0, min(s.top, n-h))
}

// key moves and reports whether it did anything.
func (s *scroller) key(name string) bool {
	page := max(1, s.h-1)
	switch name {
	case "j", "down", "enter":
		s.top++
	case "k", "up":
		s.top--
	case "pgdown", " ", "ctrl+f":
		s.top += page
	case "pgup", "b", "ctrl+b":
		s.top -= page
	case "g", "home":
		s.top = 0
	case "G", "end":
		s.top = s.n
	default:
		return false
	}
	s.top = max(0, min(s.top, s.n-s.h))
	return true
}

// more says where in a longer text the window stands.
func (s *scroller) more() string {
	switch {
	case s.n <= s.h:
		return "esc close"
	case s.top+s.h >= s.n:
		return "end · esc close"
	}
	return "j down · space page · esc close"
}

var scrollKeys = []screen.Binding{
	{Action: "scroll-down", Keys: []string{"j", "down", "enter"}, Help: "scroll down", Group: "Move"},
	{Action: "scroll-up", Keys: []string{"k", "up"}, Help: "scroll up", Group: "Move"},
	{Action: "page-down", Keys: []string{" ", "pgdown", "ctrl+f"}, Help: "a page down", Group: "Move", Short: "page"},
	{Action: "page-up", Keys: []string{"b", "pgup", "ctrl+b"}, Help: "a page up", Group: "Move"},
	{Action: "top", Keys: []string{"g", "home"}, Help: "to the start", Group: "Move"},
	{Action: "bottom", Keys: []string{"G", "end"}, Help: "to the end", Group: "Move"},
	{Action: "close", Keys: []string{"esc", "q", "?", "f1"}, Help: "close", Group: "Move", Short: "close"},
}

func closes(name string) bool { return name == "esc" || name == "q" || name == "?" || name == "f1" }
