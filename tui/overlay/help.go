package overlay

import (
	"strings"

	"assay/tui/cell"
	"assay/tui/screen"
	"assay/tui/status"

	tea "github.com/charmbracelet/bubbletea"
)

// Help lists bindings under their groups' headings.
type Help struct {
	title string
	rows  []helpRow
	keys  int // the widest keys column
	at    scroller
}

// helpRow is a heading, or a binding's keys with what they do.
type helpRow struct{ heading, keys, help string }

// NewHelp lists bindings that have keys, grouped; groups come in the order of their first binding.
func NewHelp(title string, bindings []screen.Binding) *Help {
	h := &Help{title: title}
	var groups []string
	by := map[string][]screen.Binding{}
	for _, b := range bindings {
		if len(b.Keys) == 0 {
			continue
		}
		if by[b.Group] == nil {
			groups = append(groups, b.Group)
		}
		by[b.Group] = append(by[b.Group], b)
	}
	for i, g := range groups {
		if i > 0 {
			h.rows = append(h.rows, helpRow{})
		}
		h.rows = append(h.rows, helpRow{heading: g})
		for _, b := range by[g] {
			keys := KeyNames(b.Keys)
			h.keys = max(h.keys, cell.Width(keys))
			h.rows = append(h.rows, helpRow{keys: keys, help: b.Help})
		}
	}
	return h
}

// KeyNames spells keys as a person reads them.
func KeyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = status.KeyName(k)
	}
	return strings.Join(names, " ")
}

// Key implements Overlay.
func (h *Help) Key(k tea.KeyMsg) Outcome {
	name := k.String()
	h.at.key(name)
	return Outcome{Done: closes(name)}
}

// InText implements Overlay.
func (h *Help) InText() bool { return false }

// Keys implements Overlay.
func (h *Help) Keys() []screen.Binding { return scrollKeys }

// Box implements Overlay.
func (h *Help) Box(w, height int, th cell.Theme) []string {
	w = min(w, max(44, h.keys+40))
	column := min(h.keys, w/2-3)
	height = min(height, len(h.rows)+2)
	h.at.fit(len(h.rows), max(0, height-2))
	lines := make([]string, 0, height)
	for i := h.at.top; i < min(h.at.n, h.at.top+h.at.h); i++ {
		switch r := h.rows[i]; {
		case r.keys != "":
			lines = append(lines, cell.Fill(w-1, cell.Plain("  "), th.Key.Of(cell.Pad(r.keys, column)), cell.Plain("  "+r.help)))
		default:
			lines = append(lines, cell.Fill(w-1, cell.Plain(" "), th.Strong.Of(r.heading), cell.Plain("")))
		}
	}
	return frame(w, height, th, h.title, h.at.more(), lines)
}
