package queries

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/cell"
	"assay/tui/port"
	"assay/tui/screen"
)

// intake is an import on its way: first the log is named, then its report is read, then it is brought in.
type intake struct {
	field  cell.Field // the log's path and, after a space, how many to draw
	ask    port.ImportRequest
	stage  stage
	report port.ImportReport
	top    int // first line of the report shown
	err    error
	cancel context.CancelFunc
	done   <-chan struct{}
	pace   *pace
}

type stage int

const (
	naming stage = iota
	previewing
	reading // the report is read by the annotator
	importing
)

// pace is how far an import is: the one who imports writes it, drawing reads it, and whoever waits is woken.
type pace struct {
	mu    sync.Mutex
	line  string
	moved chan struct{} // holds one where the line changed since
}

func newPace() *pace { return &pace{moved: make(chan struct{}, 1)} }

func (p *pace) note(stage string, done, total int64) {
	line := stage + "…"
	if total > 0 {
		line = fmt.Sprintf("%s %d%%", stage, min(100, done*100/total))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line == line {
		return
	}
	p.line = line
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

func (p *pace) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line
}

// paceMsg says that there is a new line to draw.
type paceMsg struct{ of *intake }

type importedMsg struct {
	of     *intake
	report port.ImportReport
	err    error
}

func (s *Screen) startImport() tea.Cmd {
	if s.o.Importer == nil {
		return say("nothing here can import: use assay import queries", true)
	}
	s.intake = &intake{}
	return nil
}

func (in *intake) keys() []screen.Binding {
	stop := screen.Binding{Action: "stop-import", Keys: []string{"esc"}, Help: "close, import nothing", Group: "Import", Short: "close"}
	switch in.stage {
	case naming:
		return []screen.Binding{{Action: "preview", Keys: []string{"enter"}, Help: "read the log and say what an import would do", Group: "Import", Short: "preview"}, stop}
	case reading:
		return []screen.Binding{
			{Action: "import-now", Keys: []string{"enter"}, Help: "import", Group: "Import", Short: "import"}, stop,
			{Action: "report-down", Keys: []string{"j", "down", "pgdown", " "}, Help: "further down", Group: "Import"},
			{Action: "report-up", Keys: []string{"k", "up", "pgup", "b"}, Help: "further up", Group: "Import"},
		}
	}
	stop.Help = "stop, import nothing"
	return []screen.Binding{stop}
}

func (s *Screen) intakeKey(k tea.KeyMsg) tea.Cmd {
	in := s.intake
	switch name := k.String(); {
	case name == "esc":
		if in.cancel != nil {
			in.cancel()
		}
		s.intake = nil
		if in.stage == importing {
			return say("stopping the import: what is brought in already stays, one batch", false)
		}
	case in.stage == naming && name == "enter":
		return s.preview()
	case in.stage == naming:
		in.err = nil
		if in.field.Key(k).Clipped {
			return say("not all of the paste had room", true)
		}
	case in.stage == reading && name == "enter":
		return s.importNow()
	case in.stage == reading:
		in.scroll(name, max(1, s.panelLines()-3))
	}
	return nil
}

func (in *intake) scroll(name string, page int) {
	switch name {
	case "j", "down":
		in.top++
	case "k", "up":
		in.top--
	case "pgdown", " ":
		in.top += page
	case "pgup", "b":
		in.top -= page
	}
	in.top = max(0, min(in.top, len(in.report.Lines)-page))
}

// request reads "PATH" or "PATH 200": a number at the end says how many queries to draw.
func request(typed string) (port.ImportRequest, error) {
	r := port.ImportRequest{Path: strings.TrimSpace(typed)}
	if i := strings.LastIndexByte(r.Path, ' '); i > 0 {
		if n, err := strconv.Atoi(r.Path[i+1:]); err == nil {
			r.Path, r.Sample = strings.TrimSpace(r.Path[:i]), n
			if n < 1 {
				return r, errors.New("draw at least one query, or leave the number away")
			}
		}
	}
	if r.Path == "" {
		return r, errors.New("name a file")
	}
	return r, nil
}

func (s *Screen) preview() tea.Cmd {
	in := s.intake
	r, err := request(in.field.Text())
	if err != nil {
		in.err = err
		return nil
	}
	in.ask, in.stage, in.err = r, previewing, nil
	return s.carryOut(in, s.o.Importer.Preview)
}

func (s *Screen) importNow() tea.Cmd {
	s.intake.stage = importing
	return s.carryOut(s.intake, s.o.Importer.Import)
}

func (s *Screen) carryOut(in *intake, do func(context.Context, port.ImportRequest, func(string, int64, int64)) (port.ImportReport, error)) tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	in.cancel, in.pace, in.done = cancel, newPace(), ctx.Done()
	ask, pace := in.ask, in.pace
	run := func() tea.Msg {
		defer cancel()
		report, err := do(ctx, ask, pace.note)
		return importedMsg{in, report, err}
	}
	return tea.Batch(run, in.watch())
}

// watch waits for the next line to draw, or the end.
func (in *intake) watch() tea.Cmd {
	moved, done := in.pace.moved, in.done
	return func() tea.Msg {
		select {
		case <-moved:
			return paceMsg{in}
		case <-done:
			return nil
		}
	}
}

func (s *Screen) imported(m importedMsg) tea.Cmd {
	in := m.of
	shown := s.intake == in
	switch {
	case m.err != nil && !shown:
		return nil // stopped
	case m.err != nil:
		in.stage, in.err = naming, m.err
		return nil
	case in.stage == importing:
		if shown {
			s.intake = nil
		}
		report := strings.Join(m.report.Lines, "\n") + "\n"
		return tea.Batch(screen.Ask(screen.Changed{}), screen.Ask(screen.ShowText{Title: "import " + in.ask.Path, Text: report}))
	}
	in.stage, in.report, in.top = reading, m.report, 0
	return nil
}

// lines draws the panel in n lines.
func (in *intake) lines(width, n int, th cell.Theme) []string {
	heading := map[stage]string{
		naming:     "import a query log: its path and, if you like, how many to draw",
		previewing: "reading " + in.ask.Path + "…",
		reading:    "what an import of " + in.ask.Path + " would do",
		importing:  "importing " + in.ask.Path + "…",
	}[in.stage]
	lines := []string{cell.Rule(width, th.Rule, th.Strong.Of(heading))}
	switch in.stage {
	case naming:
		note := th.Dim.Of(" e.g. logs/search.jsonl 200 · nothing is written before you have seen the report")
		if in.err != nil {
			note = th.Bad.Of(" " + in.err.Error())
		}
		return append(lines, " "+in.field.View(width-2, true, th.Text, th.Cursor), cell.Line(width, note))
	case previewing, importing:
		return append(lines, cell.Line(width, th.Warn.Of(" "+in.pace.String())), "")
	}
	for i := in.top; i < min(len(in.report.Lines), in.top+n-2); i++ {
		lines = append(lines, cell.Line(width, cell.Plain(" "+in.report.Lines[i])))
	}
	for len(lines) < n-1 {
		lines = append(lines, "")
	}
	note := fmt.Sprintf(" enter imports %d new · esc imports nothing", in.report.New)
	return append(lines, cell.Line(width, th.Key.Of(note)))
}
