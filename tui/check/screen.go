package check

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// Options are what the screen needs. Checker may be nil: the screen then says so. Finder may be nil: rankings then
// show ids only.
type Options struct {
	Desk    port.Desk
	Finder  port.Finder
	Checker port.Checker
	Theme   cell.Theme
}

// section is a part of the screen that is reached by a key.
type section int

const (
	queriesSection  section = iota
	measuresSection         // of its own in narrow windows only: else they are always in view
	recallSection
	slicesSection
	notesSection
	sectionCount
)

var sectionNames = [sectionCount]string{"queries", "measures", "recall", "slices", "notes"}

// place is where a section is scrolled to. Lists have a cursor, of texts cursor is the first line.
type place struct{ cursor, top int }

// Screen is a screen.Screen. Make it with New.
type Screen struct {
	o  Options
	ws port.Workspace

	width, height int

	figures         // what was measured
	order   order   // the queries, worst first, and differences between runs
	sorting int     // the order asked for last
	pairing pairing // the runs held against the first
	measure int     // what the queries are ordered by, and slices show
	section section // at hand
	places  [sectionCount]place
	notes   []string // lines of the notes as a section, drawn
	side    []string // and beside it, below the measures
	slices  []figureRow
	curve   []int // depths of the curve; nil until they are asked for

	choosing *chooser // of runs; nil where it is not open
	ranking  *ranking // of one query; nil for the sections
	gen      int      // of the ranking asked for last
	words    words    // what chunks in rankings say
	message  screen.Say
}

// New makes the screen; Init runs the first check.
func New(o Options) *Screen {
	return &Screen{o: o, ws: o.Desk.Workspace(), width: 80, height: 23, figures: newFigures()}
}

// Init implements screen.Screen.
func (s *Screen) Init() tea.Cmd { return s.check() }

// Shown implements screen.Screen.
func (s *Screen) Shown() tea.Cmd { return s.again() }

// Resize implements screen.Screen.
func (s *Screen) Resize(width, height int) {
	s.width, s.height = width, height
	s.remake()
	s.settle()
}

// InText implements screen.Screen.
func (s *Screen) InText() bool { return false }

// Pending implements screen.Screen: nothing is written here.
func (s *Screen) Pending() int { return 0 }

// Close implements screen.Screen.
func (s *Screen) Close() tea.Cmd { return nil }

// remake makes what sections show anew, after figures, measure or width changed.
func (s *Screen) remake() {
	l := s.layout()
	s.curve = nil
	s.slices = s.sliceRows()
	s.notes, s.side = s.noteLines(l.body.W-1), nil
	if l.wide {
		s.side = s.noteLines(l.measures.W - 2)
	}
}

// settle keeps the cursors in view.
func (s *Screen) settle() {
	h := s.layout().body.H
	for i := range s.places {
		p, n := &s.places[i], s.length(section(i))
		switch section(i) {
		case measuresSection, notesSection:
			p.cursor = max(0, min(p.cursor, n-h))
			p.top = p.cursor
		default:
			p.cursor = max(0, min(p.cursor, n-1))
			p.top = cell.Window(p.top, p.cursor, n, h)
		}
	}
	if r := s.ranking; r != nil {
		r.cursor = max(0, min(r.cursor, len(r.rows)-1))
		r.top = cell.Window(r.top, r.cursor, len(r.rows), s.rankingRows())
	}
	if c := s.choosing; c != nil {
		c.cursor = max(0, min(c.cursor, len(s.runs)-1))
		c.top = cell.Window(c.top, c.cursor, len(s.runs), s.choosingRows())
	}
}

// length is how many rows a section has.
func (s *Screen) length(of section) int {
	switch of {
	case queriesSection:
		return len(s.order.rows)
	case measuresSection:
		return len(s.base().report.Measures) * len(s.chosen)
	case recallSection:
		return len(s.depths())
	case slicesSection:
		return len(s.slices)
	}
	return len(s.notes)
}

// again measures again, and reads the ranking on show again.
func (s *Screen) again() tea.Cmd {
	cmds := []tea.Cmd{s.check()}
	if s.ranking != nil {
		cmds = append(cmds, s.rank(s.ranking.id, s.ranking.run))
	}
	return tea.Batch(cmds...)
}

// measureName is the measure at hand.
func (s *Screen) measureName() string {
	if m := s.base().report.Measures; s.measure < len(m) {
		return m[s.measure].Name
	}
	return ""
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd := s.update(msg)
	s.settle()
	return tea.Batch(cmd, s.loadWords())
}

func (s *Screen) update(msg tea.Msg) tea.Cmd {
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
		if slices.ContainsFunc(s.Keys(), func(b screen.Binding) bool { return b.Action == msg.Action }) {
			return s.run(msg.Action)
		}
	case screen.Changed:
		return s.again()
	case checkedMsg:
		return s.checked(msg)
	case pairedMsg:
		return s.paired(msg)
	case orderMsg:
		s.ordered(msg)
	case rankedMsg:
		s.ranked(msg)
	case wordsMsg:
		s.words.got(msg)
	}
	return nil
}
