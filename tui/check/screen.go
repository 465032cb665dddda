package check

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus/retrieval"
	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// Options are what the screen needs. Checker may be nil: the screen then says so.
type Options struct {
	Desk    port.Desk
	Finder  port.Finder // what chunks say; may be nil
	Checker port.Checker
	Theme   cell.Theme
}

// Screen is a screen.Screen. Make it with New.
type Screen struct {
	o  Options
	ws port.Workspace

	width, height int

	report  retrieval.Report
	texts   map[string]string // of queries, by id
	rows    []row             // worst first
	have    bool              // there is a report
	err     error
	running bool
	stale   bool // something changed since the check that is running began

	measure     int // what the rows are sorted by
	idWidth     int // cells that the longest id of a row takes
	cursor, top int

	ranking *ranking // of one query; nil for the list
	gen     int      // of the ranking asked for last
	message screen.Say
}

// row is a query with the value of the measure at hand, nil where it is undefined.
type row struct {
	id    string
	value *float64
}

// New makes the screen; Init runs the first check.
func New(o Options) *Screen {
	return &Screen{o: o, ws: o.Desk.Workspace(), width: 80, height: 23}
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.check() }

// Shown implements screen.Screen.
func (s *Screen) Shown() tea.Cmd { return s.again() }

// Resize implements screen.Screen.
func (s *Screen) Resize(width, height int) {
	s.width, s.height = width, height
	s.settle()
}

// InText implements screen.Screen.
func (s *Screen) InText() bool { return false }

// Pending implements screen.Screen: nothing is written here.
func (s *Screen) Pending() int { return 0 }

// Close implements screen.Screen.
func (s *Screen) Close() tea.Cmd { return nil }

// settle keeps the cursors in view.
func (s *Screen) settle() {
	s.cursor = max(0, min(s.cursor, len(s.rows)-1))
	s.top = cell.Window(s.top, s.cursor, len(s.rows), s.layout().list.H)
	if r := s.ranking; r != nil {
		r.cursor = max(0, min(r.cursor, len(r.rows)-1))
		r.top = cell.Window(r.top, r.cursor, len(r.rows), s.rankingRows())
	}
}

type checkedMsg struct {
	report retrieval.Report
	texts  map[string]string
	err    error
}

// check measures, unless that is under way: it then follows.
func (s *Screen) check() tea.Cmd {
	if s.o.Checker == nil {
		return nil
	}
	if s.running {
		s.stale = true
		return nil
	}
	s.running, s.stale = true, false
	checker, desk := s.o.Checker, s.o.Desk
	return func() tea.Msg {
		ctx := context.Background()
		m := checkedMsg{texts: map[string]string{}}
		if m.report, m.err = checker.Check(ctx, ""); m.err != nil {
			return m
		}
		rows, err := desk.Queue(ctx)
		for _, r := range rows {
			m.texts[r.Query.ID] = r.Query.Text
		}
		m.err = err
		return m
	}
}

// again measures again, and reads the ranking on show again.
func (s *Screen) again() tea.Cmd {
	cmds := []tea.Cmd{s.check()}
	if s.ranking != nil {
		cmds = append(cmds, s.rank(s.ranking.id))
	}
	return tea.Batch(cmds...)
}

func (s *Screen) checked(m checkedMsg) tea.Cmd {
	s.running = false
	s.err = m.err
	if m.err == nil {
		s.have = true
		s.report, s.texts = m.report, m.texts
		s.measure = max(0, min(s.measure, len(s.report.Measures)-1))
		s.sort()
	}
	if s.stale {
		return s.check()
	}
	return nil
}

// sort puts the worst queries first, those without a value last, and keeps the cursor on its query.
func (s *Screen) sort() {
	at := ""
	if s.cursor < len(s.rows) {
		at = s.rows[s.cursor].id
	}
	name := s.measureName()
	s.idWidth = 0
	rows := make([]row, 0, len(s.report.Queries))
	for _, q := range s.report.Queries {
		rows = append(rows, row{q.QueryID, q.Values[name]})
		s.idWidth = max(s.idWidth, cell.Width(cell.Cut(q.QueryID, 28)))
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.value == nil && b.value == nil:
			return 0
		case a.value == nil:
			return 1
		case b.value == nil:
			return -1
		case *a.value < *b.value:
			return -1
		case *a.value > *b.value:
			return 1
		}
		return 0
	})
	s.rows = rows
	if i := slices.IndexFunc(rows, func(r row) bool { return r.id == at }); i >= 0 {
		s.cursor = i
	}
}

func (s *Screen) measureName() string {
	if s.measure < len(s.report.Measures) {
		return s.report.Measures[s.measure].Name
	}
	return ""
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	defer s.settle()
	switch msg := msg.(type) {
	case screen.Say:
		s.message = msg
	case tea.KeyMsg:
		s.message = screen.Say{}
		for _, b := range s.Keys() {
			if slices.Contains(b.Keys, msg.String()) {
				return s.run(b.Action)
			}
		}
	case tea.MouseMsg:
		if msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonWheelDown {
			s.move(3)
		}
		if msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonWheelUp {
			s.move(-3)
		}
	case screen.Run:
		return s.run(msg.Action)
	case screen.Changed:
		return s.again()
	case checkedMsg:
		return s.checked(msg)
	case rankedMsg:
		s.ranked(msg)
	}
	return nil
}

var moveKeys = []screen.Binding{
	{Action: "down", Keys: []string{"j", "down"}, Help: "next row", Group: "Move"},
	{Action: "up", Keys: []string{"k", "up"}, Help: "previous row", Group: "Move"},
	{Action: "page-down", Keys: []string{"pgdown", " "}, Help: "a page down", Group: "Move"},
	{Action: "page-up", Keys: []string{"pgup", "b"}, Help: "a page up", Group: "Move"},
	{Action: "top", Keys: []string{"g", "home"}, Help: "first row", Group: "Move"},
	{Action: "bottom", Keys: []string{"G", "end"}, Help: "last row", Group: "Move"},
}

var listKeys = append([]screen.Binding{
	{Action: "ranking", Keys: []string{"enter"}, Help: "show the query's ranking", Group: "Check", Short: "ranking"},
	{Action: "measure", Keys: []string{"o"}, Help: "sort by the next measure", Group: "Check", Short: "measure"},
	{Action: "warnings", Keys: []string{"w"}, Help: "show all warnings", Group: "Check", Short: "warnings"},
	{Action: "excluded", Keys: []string{"x"}, Help: "list what is left out", Group: "Check", Short: "left-out"},
	{Action: "reload", Keys: []string{"r"}, Help: "measure again", Group: "Check"},
}, moveKeys...)

var rankingKeys = append([]screen.Binding{
	{Action: "label", Keys: []string{"enter"}, Help: "label this chunk", Group: "Ranking", Short: "label"},
	{Action: "next-unjudged", Keys: []string{"n"}, Help: "next unjudged chunk", Group: "Ranking", Short: "unjudged"},
	{Action: "close", Keys: []string{"esc", "q"}, Help: "back to the measures", Group: "Ranking", Short: "back"},
	{Action: "reload", Keys: []string{"r"}, Help: "rank and measure again", Group: "Ranking"},
}, moveKeys...)

// Keys implements screen.Screen.
func (s *Screen) Keys() []screen.Binding {
	if s.ranking != nil {
		return rankingKeys
	}
	return listKeys
}

func (s *Screen) run(action string) tea.Cmd {
	page := max(1, s.layout().list.H-1)
	if s.ranking != nil {
		page = max(1, s.rankingRows()-1)
	}
	switch action {
	case "down":
		s.move(1)
	case "up":
		s.move(-1)
	case "page-down":
		s.move(page)
	case "page-up":
		s.move(-page)
	case "top":
		s.move(-1 << 30)
	case "bottom":
		s.move(1 << 30)
	case "reload":
		return s.again()
	case "measure":
		if n := len(s.report.Measures); n > 0 && s.ranking == nil {
			s.measure = (s.measure + 1) % n
			s.cursor = 0
			s.rows = nil
			s.sort()
		}
	case "warnings":
		return s.show("warnings", s.report.Warnings, "no warnings")
	case "excluded":
		var lines []string
		for _, e := range s.report.Excluded {
			lines = append(lines, e.QueryID+"  "+reason(e.Why)+"  "+s.texts[e.QueryID])
		}
		return s.show("left out of the means", lines, "every query counts")
	case "ranking":
		if s.cursor < len(s.rows) && s.ranking == nil {
			return s.rank(s.rows[s.cursor].id)
		}
	case "label":
		if r := s.ranking; r != nil && r.cursor < len(r.rows) {
			return screen.Ask(screen.OpenQuery{QueryID: r.id, ChunkID: r.rows[r.cursor].chunkID})
		}
	case "next-unjudged":
		if s.ranking != nil && !s.ranking.nextUnjudged() {
			return screen.Ask(screen.Say{Text: "no unjudged chunk below"})
		}
	case "close":
		s.ranking = nil
		s.gen++ // one still on its way is not wanted any more
	}
	return nil
}

func (s *Screen) move(by int) {
	if s.ranking != nil {
		s.ranking.cursor += by
		return
	}
	s.cursor += by
}

func (s *Screen) show(title string, lines []string, none string) tea.Cmd {
	text := strings.Join(lines, "\n")
	if len(lines) == 0 {
		text = none
	}
	return screen.Ask(screen.ShowText{Title: title, Text: text})
}

// reason is why a query is left out, in words.
func reason(w retrieval.Why) string {
	switch w {
	case retrieval.WhyUnanswerable:
		return "unanswerable"
	case retrieval.WhyUnfinished:
		return "unfinished"
	case retrieval.WhyNoRelevant:
		return "no relevant chunk"
	}
	return string(w)
}
