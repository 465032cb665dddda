package tui

import (
	"fmt"
	"strings"

	"assay/tui/cell"
	"assay/tui/screen"
	"assay/tui/status"
)

// foot lays the root's own line over the screen's last one, where the root has something to say or an overlay has
// keys of its own.
func (m *model) foot(frame string) string {
	var left []cell.Seg
	bindings := m.top().Keys()
	overlaid := len(m.overlays) > 0
	if overlaid {
		bindings = m.overlays[len(m.overlays)-1].Keys()
	}
	switch {
	case m.begun && m.closed && m.pending() > 0:
		left = []cell.Seg{m.theme.Warn.Of(fmt.Sprintf(" saving %d… ctrl+c leaves without", m.pending()))}
	case m.begun:
		left = []cell.Seg{m.theme.Warn.Of(" saving drafts… ctrl+c leaves without")}
	case m.asked > 0:
		left = []cell.Seg{m.theme.Warn.Of(" q again to leave")}
	case m.word != "":
		left = status.Message(m.theme, screen.Say{Text: m.word, Bad: true})
	case !overlaid:
		return frame
	}
	at := strings.LastIndexByte(frame, '\n') + 1
	return frame[:at] + status.Line(m.width, m.theme, left, bindings, m.inText())
}
