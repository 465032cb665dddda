package queries

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/screen"
)

type exportedMsg struct {
	format        string
	paths, losses []string
	err           error
}

// choose asks for the format to export in.
func (s *Screen) choose() tea.Cmd {
	if s.o.Exporter == nil {
		return say("nothing here can export: use assay export", true)
	}
	exporter, formats := s.o.Exporter, s.o.Exporter.Formats()
	if len(formats) == 0 {
		return say("there is no format to export in", true)
	}
	m := &menu{heading: "export the gold set as", rows: formats, help: "export in this format"}
	m.pick = func(at int) tea.Cmd {
		m.busy = "exporting…"
		return func() tea.Msg {
			paths, losses, err := exporter.Export(context.Background(), formats[at])
			return exportedMsg{formats[at], paths, losses, err}
		}
	}
	s.menu = m
	return nil
}

// exported shows where the gold set went and what the format could not hold.
func (s *Screen) exported(m exportedMsg) tea.Cmd {
	if s.menu != nil && s.menu.busy != "" {
		s.menu = nil
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
