package label

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/label/outbox"
	"assay/tui/screen"
)

// openSent shows a query with the chunks that another screen sent as the list at hand.
func (s *Screen) openSent(m screen.LabelChunks) tea.Cmd {
	s.handed = &m // Open may have to read the queries first
	return s.Open(m.QueryID, "")
}

// takeSent makes a list of what was handed over for the query that was just opened.
func (s *Screen) takeSent() {
	m := s.handed
	s.handed = nil
	if m == nil || m.QueryID != s.q.id || len(m.Chunks) == 0 {
		return
	}
	s.q.sent = *m
	rows := make([]row, len(m.Chunks))
	for i, c := range m.Chunks {
		rows[i] = row{chunkID: c.ChunkID, rank: c.Rank}
	}
	s.tabs[sentTab], s.tab = list{rows: rows}, sentTab
}

func (s *Screen) hasSent() bool { return len(s.q.sent.Chunks) > 0 }

// sentName is what the list is called.
func (s *Screen) sentName() string {
	return fmt.Sprintf("sent %d from %s", len(s.q.sent.Chunks), cell.Cut(s.q.sent.Run, 24))
}

// sentLeft counts the sent chunks that have no grade yet.
func (s *Screen) sentLeft() int {
	n := 0
	for _, c := range s.q.sent.Chunks {
		if _, judged := s.gradeOf(c.ChunkID); !judged {
			n++
		}
	}
	return n
}

// sayWhenSentIsDone tells where to go after the last grade of a sent list.
func (s *Screen) sayWhenSentIsDone(w outbox.Write) {
	if w.Kind == outbox.Grade && s.tab == sentTab && s.focus == inList && w.QueryID == s.q.id && s.sentLeft() == 0 {
		s.message.Text += " · all that was sent is judged: q goes back"
	}
}
