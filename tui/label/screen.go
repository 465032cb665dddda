package label

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/outbox"
	"assay/tui/label/tagging"
	"assay/tui/port"
	"assay/tui/screen"
)

// Options are what the screen needs. Desk and Finder are required.
type Options struct {
	Desk   port.Desk
	Finder port.Finder
	Theme  cell.Theme
	Now    func() time.Time // nil: time.Now
	Tick   screen.Tick      // nil: tea.Tick
	Start  screen.OpenQuery // where to begin; its zero value is the first open query
}

// focus says what takes the keys. Overlays (tags, editor) come before it.
type focus int

const (
	inList focus = iota
	inBox
	inDocument
)

// Screen is the label screen. It is a screen.Screen; make it with New.
type Screen struct {
	desk   port.Desk
	finder port.Finder
	theme  cell.Theme
	now    func() time.Time
	tick   screen.Tick
	start  screen.OpenQuery

	width, height int
	ws            port.Workspace
	loaded        bool   // the workspace is known
	broken        string // why nothing could be loaded

	focus    focus
	revealed bool       // rank and score are shown
	message  screen.Say // at the foot of the screen, until the next key
	labeled  bool       // something was graded since the start: the hints have done their work

	queue  queue
	q      query
	card   cardText
	find   find
	tabs   [tabCount]list
	tab    int
	texts  texts
	view   chunkView
	doc    document
	box    outbox.Box
	tags   tagging.Panel
	editor editor
	drafts map[string]string
	pace   pace
	handed *screen.LabelChunks // until its query is open
}

// New makes the screen; Init starts it.
func New(o Options) *Screen {
	s := &Screen{
		desk: o.Desk, finder: o.Finder, theme: o.Theme, now: o.Now, tick: o.Tick, start: o.Start,
		drafts: map[string]string{}, texts: newTexts(),
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.tick == nil {
		s.tick = tea.Tick
	}
	return s
}

type loadedMsg struct {
	ws     port.Workspace
	rows   []port.QueueRow
	drafts map[string]string
	err    error
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd {
	desk := s.desk
	return func() tea.Msg {
		m := loadedMsg{ws: desk.Workspace()}
		if m.rows, m.err = desk.Queue(context.Background()); m.err == nil {
			m.drafts, m.err = desk.Drafts(context.Background())
		}
		return m
	}
}

func (s *Screen) begin(m loadedMsg) tea.Cmd {
	if m.err != nil {
		s.broken = fmt.Sprintf("can't read the workspace: %v", m.err)
		return nil
	}
	s.broken = ""
	s.ws, s.loaded = m.ws, true
	s.pace.lastKey = s.now()
	for name, text := range m.drafts {
		if _, mine := s.drafts[name]; !mine {
			s.drafts[name] = text
		}
	}
	s.queue.set(m.rows)
	start := s.start
	if _, known := s.queue.row(start.QueryID); !known {
		if start.QueryID != "" {
			s.warn("there is no query %s", start.QueryID)
		}
		start = screen.OpenQuery{QueryID: s.firstQuery()}
	}
	return s.Open(start.QueryID, start.ChunkID)
}

// Resize implements screen.Screen.
func (s *Screen) Resize(width, height int) {
	s.width, s.height = max(0, width), max(0, height)
	s.texts.cache.Rewrap(s.textWidth())
	s.settle()
}

// InText implements screen.Screen.
func (s *Screen) InText() bool {
	switch {
	case s.editor.open:
		return true
	case s.tags.Open():
		return s.tags.Field() != nil
	}
	return s.focus == inBox
}

// Pending implements screen.Screen. What only records searches and drafts is waited for, but not told as changes.
func (s *Screen) Pending() int {
	if n := s.box.Changes(); n > 0 {
		return n
	}
	return s.box.Len()
}

// Shown implements screen.Screen.
func (s *Screen) Shown() tea.Cmd {
	if !s.loaded {
		return nil
	}
	return s.after(tea.Batch(s.reloadQueue(), s.reloadSheet()))
}

// Close implements screen.Screen. What it saves is captured here: the Cmd doesn't touch the screen.
func (s *Screen) Close() tea.Cmd {
	tried := s.takeTried()
	names := map[string]string{}
	if s.editor.open {
		names[s.editor.draft] = s.editor.field.Text()
	}
	if form, text := s.tags.Typed(); text != "" {
		names[draftName("tag", s.q.id, form)] = text
	}
	for name, text := range names {
		if s.drafts[name] == text {
			delete(names, name)
		}
	}
	if s.find.cancel != nil {
		s.find.cancel()
	}
	s.texts.stop()
	if tried == nil && len(names) == 0 {
		return nil
	}
	desk := s.desk
	return func() tea.Msg {
		ctx := context.Background()
		var failed error
		for name, text := range names {
			if err := desk.Draft(ctx, name, text); err != nil {
				failed = err
			}
		}
		if tried != nil {
			if err := desk.Tried(ctx, *tried); err != nil {
				failed = err
			}
		}
		if failed != nil {
			return screen.Say{Text: "the draft is not saved: " + failed.Error(), Bad: true}
		}
		return nil
	}
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch m := msg.(type) {
	case tea.KeyMsg:
		s.message = screen.Say{}
		cmd = s.key(m)
	case screen.Run:
		s.message = screen.Say{}
		cmd = s.act(m.Action)
	case screen.Say:
		s.message = m
	case screen.OpenQuery:
		s.handed = nil
		cmd = s.Open(m.QueryID, m.ChunkID)
	case screen.LabelChunks:
		cmd = s.openSent(m)
	case loadedMsg:
		cmd = s.begin(m)
	case queueMsg:
		cmd = s.gotQueue(m)
	case sheetMsg:
		cmd = s.gotSheet(m)
	case foundMsg:
		cmd = s.gotResults(m)
	case rowsMsg:
		s.gotRows(m)
	case textsMsg:
		s.texts.got(m)
	case sizeMsg:
		s.texts.gotSize(m)
	case lingerMsg:
		cmd = s.lingered(m)
	case documentMsg:
		cmd = s.gotDocument(m)
	case dwellMsg:
		if m.gen == s.find.gen && s.tab != sentTab { // where the results were not on screen
			s.countSearch()
		}
	case outbox.SavedMsg:
		cmd = s.acknowledged(m)
	case outbox.SlowMsg:
		s.box.GotSlow(m)
	case draftMsg:
		cmd = s.autosave(m)
	default:
		return nil
	}
	return s.after(cmd)
}

// after is what each Update ends with: note what is on screen now, load what it needs, start the next write.
func (s *Screen) after(cmd tea.Cmd) tea.Cmd {
	s.settle()
	return tea.Batch(cmd, s.box.Next(s.tick), s.load())
}

// settle keeps cursors within their lists and notes how deep the results were read.
func (s *Screen) settle() {
	s.wrapCard()
	l := s.layout()
	t := &s.tabs[s.tab]
	t.cursor = min(max(0, t.cursor), max(0, len(t.rows)-1))
	t.top = cell.Window(t.top, t.cursor, len(t.rows), l.rows.H)
	s.view.clamp(s.page(), s.textHeight(l))
	s.doc.clamp()
	if s.focus == inDocument && s.doc.show && s.doc.loaded {
		s.bringIntoView(l.text.H)
	}
	s.noteSeen()
	if s.tab == searchTab && s.focus != inDocument && !s.lagging() && s.find.shownQuery == s.q.id && l.rows.H > 0 {
		s.find.deepest = max(s.find.deepest, min(len(t.rows), t.top+l.rows.H))
	}
}

func (s *Screen) say(format string, args ...any) {
	s.message = screen.Say{Text: fmt.Sprintf(format, args...)}
}

func (s *Screen) warn(format string, args ...any) {
	s.message = screen.Say{Text: fmt.Sprintf(format, args...), Bad: true}
}

// relevant reports whether a grade counts; one that nobody gave does not.
func (s *Screen) relevant(l corpus.Label) bool { return s.ws.Scale.Relevant(l.Grade) }

// noteSeen remembers which chunks were shown for the query: they can be said to contradict each other.
func (s *Screen) noteSeen() {
	id := s.page().Chunk.ID
	if s.focus == inDocument {
		c, _ := s.doc.current()
		id = c.ID
	}
	if id == "" || slices.Contains(s.q.seen, id) {
		return
	}
	s.q.seen = append(s.q.seen, id)
	if len(s.q.seen) > mostSeen {
		s.q.seen = s.q.seen[1:]
	}
}

// mostSeen is how many chunks a query remembers.
const mostSeen = 200
