package queries

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/screen"
)

// chooser asks for the format to export in.
type chooser struct {
	formats []string
	at      int
	busy    bool
}

var chooserKeys = []screen.Binding{
	{Action: "export-now", Keys: []string{"enter"}, Help: "export in this format", Group: "Export", Short: "export"},
	{Action: "next-format", Keys: []string{"j", "down", "tab"}, Help: "next format", Group: "Export"},
	{Action: "previous-format", Keys: []string{"k", "up", "shift+tab"}, Help: "previous format", Group: "Export"},
	{Action: "close", Keys: []string{"esc", "q"}, Help: "don't export", Group: "Export", Short: "close"},
}

type exportedMsg struct {
	format        string
	paths, losses []string
	err           error
}

func (s *Screen) choose() tea.Cmd {
	if s.o.Exporter == nil {
		return say("nothing here can export: use assay export", true)
	}
	formats := s.o.Exporter.Formats()
	if len(formats) == 0 {
		return say("there is no format to export in", true)
	}
	s.chooser = &chooser{formats: formats}
	return nil
}

func (s *Screen) chooserKey(name string) tea.Cmd {
	c := s.chooser
	switch name {
	case "esc", "q":
		s.chooser = nil
	case "j", "down", "tab":
		c.at = min(c.at+1, len(c.formats)-1)
	case "k", "up", "shift+tab":
		c.at = max(0, c.at-1)
	case "enter":
		if c.busy {
			return nil
		}
		c.busy = true
		exporter, format := s.o.Exporter, c.formats[c.at]
		return func() tea.Msg {
			paths, losses, err := exporter.Export(context.Background(), format)
			return exportedMsg{format, paths, losses, err}
		}
	}
	return nil
}

// exported shows where the gold set went and what the format could not hold.
func (s *Screen) exported(m exportedMsg) tea.Cmd {
	if s.chooser != nil && s.chooser.busy {
		s.chooser = nil
	}
	if m.err != nil {
		return say("export failed, what was there before is untouched: "+m.err.Error(), true)
	}
	var b strings.Builder
	b.WriteString("written\n")
	for _, p := range m.paths {
		b.WriteString("  " + p + "\n")
	}
	if len(m.losses) > 0 {
		b.WriteString("\nwhat " + m.format + " can't hold\n")
		for _, l := range m.losses {
			b.WriteString("  " + l + "\n")
		}
	} else {
		b.WriteString("\nnothing was lost\n")
	}
	return screen.Ask(screen.ShowText{Title: "export " + m.format, Text: b.String()})
}
