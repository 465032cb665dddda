package queries

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// Options are what the screen needs. Exporter and Importer may be nil.
type Options struct {
	Desk     port.Desk
	Exporter port.Exporter
	Importer port.Importer
	Theme    cell.Theme
}

// Screen is a screen.Screen. Make it with New.
type Screen struct {
	o  Options
	ws port.Workspace

	width, height int

	list      list
	filter    cell.Field
	filtering bool // the filter has focus
	editor    *editor
	menu      *menu
	intake    *intake
	marked    map[string]bool // for joining, by id
	writes    []write         // the first one is under way
	goTo      string          // a query that the cursor goes to once it is in the list
	message   screen.Say
}

// New makes the screen; Init loads it.
func New(o Options) *Screen {
	return &Screen{o: o, ws: o.Desk.Workspace(), width: 80, height: 23}
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.load() }

// Shown implements screen.Screen.
func (s *Screen) Shown() tea.Cmd { return s.load() }

// Resize implements screen.Screen.
func (s *Screen) Resize(width, height int) {
	s.width, s.height = width, height
	s.settle()
}

// settle keeps the cursor in view.
func (s *Screen) settle() {
	s.list.top = cell.Window(s.list.top, s.list.cursor, len(s.list.view), s.rows())
}

// InText implements screen.Screen.
func (s *Screen) InText() bool {
	return s.filtering || s.editor != nil || s.intake != nil && s.intake.stage == naming
}

// Pending implements screen.Screen. An import under way is one.
func (s *Screen) Pending() int {
	if s.intake != nil && s.intake.stage == importing {
		return len(s.writes) + 1
	}
	return len(s.writes)
}

// Close implements screen.Screen: what is being written is kept as a draft.
func (s *Screen) Close() tea.Cmd {
	if s.intake != nil && s.intake.cancel != nil {
		s.intake.cancel()
	}
	if s.editor == nil {
		return nil
	}
	return s.keepDraft(s.editor)
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	defer s.settle()
	switch msg := msg.(type) {
	case tea.KeyMsg:
		s.message = screen.Say{}
		return s.key(msg)
	case screen.Say:
		s.message = msg
	case tea.MouseMsg:
		s.mouse(msg)
	case screen.Run:
		return s.run(msg.Action)
	case screen.Changed:
		return s.load()
	case loadedMsg:
		return s.loaded(msg)
	case viewMsg:
		s.viewed(msg)
	case writtenMsg:
		return s.written(msg)
	case draftMsg:
		s.draftRead(msg)
	case paceMsg:
		if s.intake == msg.of {
			return msg.of.watch()
		}
	case importedMsg:
		return s.imported(msg)
	case exportedMsg:
		return s.exported(msg)
	}
	return nil
}

func (s *Screen) key(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	switch {
	case s.editor != nil:
		return s.editorKey(k)
	case s.menu != nil:
		return s.menuKey(name)
	case s.intake != nil:
		return s.intakeKey(k)
	case s.filtering:
		return s.filterKey(k)
	}
	for _, b := range s.Keys() {
		for _, key := range b.Keys {
			if key == name {
				return s.run(b.Action)
			}
		}
	}
	return nil
}

var listKeys = []screen.Binding{
	{Action: "open", Keys: []string{"enter"}, Help: "label this query", Group: "Queries", Short: "label"},
	{Action: "filter", Keys: []string{"/"}, Help: "filter: words, #tag, is:open, source:", Group: "Queries", Short: "filter", Text: true},
	{Action: "order", Keys: []string{"o"}, Help: "order by import, count, state", Group: "Queries", Short: "order"},
	{Action: "new-query", Keys: []string{"+"}, Help: "write a new query", Group: "Queries", Short: "add", Text: true},
	{Action: "edit-query", Keys: []string{"e"}, Help: "change the query's text", Group: "Queries", Short: "edit", Text: true},
	{Action: "exclude", Keys: []string{"X"}, Help: "exclude from or include in the gold set", Group: "Queries", Short: "exclude"},
	{Action: "accept", Keys: []string{"a"}, Help: "accept the tags proposed here", Group: "Proposals", Short: "accept"},
	{Action: "reject", Keys: []string{"d"}, Help: "reject the tags proposed here", Group: "Proposals", Short: "reject"},
	{Action: "accept-shown", Keys: []string{"A"}, Help: "accept proposals of all queries shown", Group: "Proposals"},
	{Action: "reject-shown", Keys: []string{"D"}, Help: "reject proposals of all queries shown", Group: "Proposals"},
	{Action: "mark", Keys: []string{"m"}, Help: "mark for joining", Group: "Near-duplicates"},
	{Action: "join", Keys: []string{"J"}, Help: "join the marked ones to this query", Group: "Near-duplicates"},
	{Action: "split", Keys: []string{"S"}, Help: "split a variant off", Group: "Near-duplicates"},
	{Action: "undo", Keys: []string{"u"}, Help: "take back your last change", Group: "Queries"},
	{Action: "redo", Keys: []string{"ctrl+r"}, Help: "do it again", Group: "Queries"},
	{Action: "import", Keys: []string{"I"}, Help: "import a query log, after a preview", Group: "Queries", Text: true},
	{Action: "export", Keys: []string{"E"}, Help: "export the gold set", Group: "Queries", Short: "export"},
	{Action: "show-query", Keys: []string{"v"}, Help: "show the whole query", Group: "Queries"},
	{Action: "reload", Keys: []string{"r"}, Help: "read the queries again", Group: "Queries"},
	{Action: "clear-filter", Keys: []string{"esc"}, Help: "clear the filter", Group: "Queries"},
	{Action: "down", Keys: []string{"j", "down"}, Help: "next query", Group: "Move"},
	{Action: "up", Keys: []string{"k", "up"}, Help: "previous query", Group: "Move"},
	{Action: "page-down", Keys: []string{"pgdown", " "}, Help: "a page down", Group: "Move"},
	{Action: "page-up", Keys: []string{"pgup", "b"}, Help: "a page up", Group: "Move"},
	{Action: "top", Keys: []string{"g", "home"}, Help: "first query", Group: "Move"},
	{Action: "bottom", Keys: []string{"G", "end"}, Help: "last query", Group: "Move"},
}

// Keys implements screen.Screen.
func (s *Screen) Keys() []screen.Binding {
	switch {
	case s.editor != nil:
		return s.editor.keys()
	case s.menu != nil:
		return s.menu.bindings()
	case s.intake != nil:
		return s.intake.keys()
	case s.filtering:
		return filterKeys
	}
	if s.list.proposed {
		return listKeys
	}
	keys := slices.Clone(listKeys) // nothing to accept: no room for it on the status line
	for i := range keys {
		if keys[i].Action == "accept" || keys[i].Action == "reject" {
			keys[i].Short = ""
		}
	}
	return keys
}

// run does an action of the list by name. In a text field or the chooser there is nothing to run.
func (s *Screen) run(action string) tea.Cmd {
	if s.editor != nil || s.menu != nil || s.intake != nil {
		return nil
	}
	s.filtering = false
	switch action {
	case "open":
		return s.open()
	case "filter":
		s.filtering = true
		s.filter.SelectAll()
	case "order":
		return s.reorder()
	case "new-query":
		return s.edit(corpus.Query{})
	case "edit-query":
		if it, ok := s.current(); ok {
			return s.edit(it.row.Query)
		}
	case "exclude":
		return s.exclude()
	case "accept":
		return s.settleHere(true)
	case "reject":
		return s.settleHere(false)
	case "accept-shown":
		return s.bulk(true)
	case "reject-shown":
		return s.bulk(false)
	case "mark":
		return s.mark()
	case "join":
		return s.join()
	case "split":
		return s.split()
	case "undo":
		return s.takeBack(false)
	case "redo":
		return s.takeBack(true)
	case "import":
		return s.startImport()
	case "export":
		return s.choose()
	case "show-query":
		if it, ok := s.current(); ok {
			return screen.Ask(screen.ShowText{Title: it.row.Query.ID, Text: whole(it.row)})
		}
	case "reload":
		return s.load()
	case "clear-filter":
		return s.setFilter("")
	case "down":
		s.list.move(1)
	case "up":
		s.list.move(-1)
	case "page-down":
		s.list.move(max(1, s.rows()-1))
	case "page-up":
		s.list.move(-max(1, s.rows()-1))
	case "top":
		s.list.move(-len(s.list.view))
	case "bottom":
		s.list.move(len(s.list.view))
	}
	return nil
}

// open labels the query at the cursor, unless the list lags behind the filter: the row may not be what was meant.
func (s *Screen) open() tea.Cmd {
	it, ok := s.current()
	if !ok {
		return nil
	}
	if s.lags() {
		return say("still filtering: press enter again", true)
	}
	return screen.Ask(screen.OpenQuery{QueryID: it.row.Query.ID})
}

func (s *Screen) exclude() tea.Cmd {
	it, ok := s.current()
	switch {
	case !ok:
		return nil
	case s.lags():
		return say("still filtering: press it again", true)
	}
	q := it.row.Query
	want := !q.Excluded
	for _, w := range s.writes { // one that is under way counts: XX ends where it began
		if w.excludes == q.ID {
			want = !w.excluded
		}
	}
	desk := s.o.Desk
	return s.write(write{excludes: q.ID, excluded: want, do: func(ctx context.Context) (port.Saved, error) {
		return desk.Exclude(ctx, q.ID, want)
	}})
}

func (s *Screen) mouse(m tea.MouseMsg) {
	if m.Action != tea.MouseActionPress || s.InText() || s.menu != nil || s.intake != nil {
		return
	}
	switch m.Button {
	case tea.MouseButtonWheelDown:
		s.list.move(3)
	case tea.MouseButtonWheelUp:
		s.list.move(-3)
	case tea.MouseButtonLeft:
		if row := m.Y - headLines; row >= 0 && row < s.rows() && s.list.top+row < len(s.list.view) {
			s.list.cursor = s.list.top + row
		}
	}
}

func say(text string, bad bool) tea.Cmd { return screen.Ask(screen.Say{Text: text, Bad: bad}) }

// whole is everything that is known of the query, for reading.
func whole(r port.QueueRow) string {
	q := r.Query
	out := q.Text + "\n"
	for i, t := range q.Turns {
		if i == 0 {
			out += "\nturns before it\n"
		}
		out += fmt.Sprintf("  %s: %s\n", t.Role, t.Content)
	}
	for i, v := range q.Variants {
		if i == 0 {
			out += "\nit stands for these too\n"
		}
		out += fmt.Sprintf("  ×%d  %s\n", v.Count, v.Text)
	}
	if len(r.Tags) > 0 || len(q.Proposed) > 0 {
		out += "\ntags\n  " + tagsOf(r) + "\n"
	}
	if q.ReferenceAnswer != "" {
		out += "\nreference answer\n  " + q.ReferenceAnswer + "\n"
	}
	out += fmt.Sprintf("\nasked %d×, %s, %s", max(1, q.Count), orElse(string(q.Kind), "of unknown origin"), r.State)
	if q.Source != "" {
		out += ", from " + q.Source
	}
	if q.Stratum != "" {
		out += ", stratum " + q.Stratum
	}
	if q.Weight != nil {
		out += fmt.Sprintf(", stands for %.4g asked", *q.Weight)
	}
	if joined(q) {
		out += ", joined to " + q.Group
	} else if q.Excluded {
		out += ", excluded"
	}
	return out + "\n"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
