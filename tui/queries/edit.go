package queries

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// editor is a query's text being written. It stays open until the text is on disk, so that a failure loses nothing.
type editor struct {
	id     string // "" for a new query
	field  cell.Field
	first  string // what the field held when it was opened
	saving bool
	err    error
}

func (e *editor) draft() string {
	if e.id == "" {
		return "queries/new"
	}
	return "queries/edit/" + e.id
}

func (e *editor) heading() string {
	if e.id == "" {
		return "new query"
	}
	return "edit " + e.id
}

func (e *editor) keys() []screen.Binding {
	save := screen.Binding{Action: "save", Keys: []string{"ctrl+s"}, Help: "save the query", Group: "Editor", Short: "save"}
	if !e.field.Lines {
		save.Keys = []string{"enter", "ctrl+s"}
	}
	return []screen.Binding{save, {Action: "keep-draft", Keys: []string{"esc"}, Help: "close, keep the draft", Group: "Editor", Short: "draft"}}
}

type draftMsg struct {
	name, text string
	err        error
}

// edit opens the editor, and looks for a draft that was left there.
func (s *Screen) edit(q corpus.Query) tea.Cmd {
	if len(q.Text) > cell.FieldLimit {
		return say("too long to edit here: change it in the log and import that again", true)
	}
	e := &editor{id: q.ID}
	e.field.Lines = strings.Contains(q.Text, "\n")
	e.field.Set(q.Text)
	e.first = e.field.Text()
	s.editor = e
	desk, name := s.o.Desk, e.draft()
	return func() tea.Msg {
		drafts, err := desk.Drafts(context.Background())
		return draftMsg{name: name, text: drafts[name], err: err}
	}
}

func (s *Screen) draftRead(m draftMsg) {
	e := s.editor
	if e == nil || e.draft() != m.name || m.err != nil || m.text == "" || e.field.Text() != e.first {
		return // closed, or written in since
	}
	e.field.Lines = e.field.Lines || strings.Contains(m.text, "\n")
	e.field.Set(m.text)
}

func (s *Screen) editorKey(k tea.KeyMsg) tea.Cmd {
	e := s.editor
	name := k.String()
	switch {
	case e.saving:
		return nil
	case name == "esc":
		s.editor = nil
		return s.keepDraft(e)
	case name == "ctrl+s" || name == "enter" && !e.field.Lines:
		return s.save(e)
	}
	e.err = nil
	if e.field.Key(k).Clipped {
		return say("not all of the paste had room", true)
	}
	return nil
}

// keepDraft keeps what was written, or removes the draft where nothing was.
func (s *Screen) keepDraft(e *editor) tea.Cmd {
	desk, name, text := s.o.Desk, e.draft(), e.field.Text()
	if text == e.first {
		text = ""
	}
	return func() tea.Msg {
		if err := desk.Draft(context.Background(), name, text); err != nil {
			return screen.Say{Text: "the draft is not saved: " + err.Error(), Bad: true}
		}
		if text != "" {
			return screen.Say{Text: "kept as a draft"}
		}
		return nil
	}
}

func (s *Screen) save(e *editor) tea.Cmd {
	text := e.field.Text()
	switch {
	case e.field.Empty():
		return say("a query can't be empty", true)
	case e.id != "" && text == e.first:
		s.editor = nil
		return s.keepDraft(e)
	}
	e.saving, e.err = true, nil
	desk, id, draft := s.o.Desk, e.id, e.draft()
	return s.write(write{editor: e, do: func(ctx context.Context) (port.Saved, error) {
		var saved port.Saved
		var err error
		if id == "" {
			saved, err = desk.AddQuery(ctx, text)
		} else {
			saved, err = desk.EditQuery(ctx, id, text)
		}
		if err == nil {
			_ = desk.Draft(ctx, draft, "") // the query is saved: a draft that stays is only offered again
		}
		return saved, err
	}})
}

// write is a change on its way to the disk.
type write struct {
	do       func(ctx context.Context) (port.Saved, error)
	editor   *editor // that waits for it
	excludes string  // the query that it excludes or includes
	excluded bool
	undo     bool // an undo or redo
}

type writtenMsg struct {
	saved port.Saved
	err   error
}

// write queues a change; one at a time is under way, so that they land in the order in which they were made.
func (s *Screen) write(w write) tea.Cmd {
	s.writes = append(s.writes, w)
	if len(s.writes) > 1 {
		return nil
	}
	return s.begin()
}

func (s *Screen) begin() tea.Cmd {
	do := s.writes[0].do
	return func() tea.Msg {
		saved, err := do(context.Background())
		return writtenMsg{saved, err}
	}
}

func (s *Screen) written(m writtenMsg) tea.Cmd {
	w := s.writes[0]
	s.writes = s.writes[1:]
	var cmds []tea.Cmd
	if len(s.writes) > 0 {
		cmds = append(cmds, s.begin())
	}
	switch {
	case w.undo && errors.Is(m.err, port.ErrNothing):
		cmds = append(cmds, say("nothing to take back", false))
	case m.err != nil && w.editor != nil:
		w.editor.saving, w.editor.err = false, m.err
	case m.err != nil:
		cmds = append(cmds, say("NOT SAVED: "+m.err.Error(), true))
	default:
		if w.editor != nil && s.editor == w.editor {
			s.editor = nil
			s.goTo = m.saved.QueryID
		}
		words := m.saved.Words
		if !m.saved.Changed {
			words = "nothing to change"
		}
		if w.undo {
			words, s.goTo = m.saved.Words, m.saved.QueryID
		}
		cmds = append(cmds, say(words, false), screen.Ask(screen.Changed{}))
	}
	return tea.Batch(cmds...)
}
