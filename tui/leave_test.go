package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/drive"
	"assay/tui/fake"
	"assay/tui/screen"
	"assay/tui/terminal"
)

func TestTheLastScreenAsksBeforeItLeaves(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	d.Press("q")
	d.Sees("q again to leave")
	d.Press("j")
	d.SeesNot("q again to leave")
	d.Press("q")
	if d.Quit() {
		t.Fatal("left without being asked again")
	}
	d.Press("q")
	if !d.Quit() || !strings.Contains(stubs[Label].took(), "close") {
		t.Error("not left, or not closed")
	}
}

func TestLeavingClosesEveryScreenThatWasShown(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	d.Send(screen.OpenQueries{})
	d.Send(screen.Back{})
	for _, s := range stubs {
		s.took()
	}
	d.Press("ctrl+c")
	if !d.Quit() || stubs[Label].took() != "close" || stubs[Queries].took() != "close" || stubs[Check].took() != "" {
		t.Error("not all that was shown was closed")
	}
}

// Public report: bubbletea#413.
func TestLeavingWaitsForWrites(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].pending = 2
	d.Press("ctrl+c")
	d.Sees("saving 2", "ctrl+c leaves without")
	if d.Quit() {
		t.Fatal("left with two writes pending")
	}
	stubs[Label].took()
	d.Press("j", "2", "q")
	if got := stubs[Label].took(); got != "" {
		t.Error("keys act on the way out:", got)
	}
	stubs[Label].pending = 0
	d.Send("acknowledged")
	if !d.Quit() || m.outcome(nil) != nil {
		t.Error("not left when all was saved:", m.outcome(nil))
	}
}

func TestASecondCtrlCLeavesAtOnceAndSaysSo(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].pending = 1
	d.Press("ctrl+c", "ctrl+c")
	var unsaved *UnsavedError
	if !d.Quit() || !errors.As(m.outcome(nil), &unsaved) || unsaved.Writes != 1 {
		t.Error(m.outcome(nil))
	}
	if s := unsaved.Error(); !strings.Contains(s, "last change") {
		t.Error(s)
	}
	if s := (&UnsavedError{3}).Error(); !strings.Contains(s, "3 changes") {
		t.Error(s)
	}
}

func TestCloseRunsToItsEndBeforeQuit(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	var order []string
	add := func(s string) tea.Cmd { return func() tea.Msg { order = append(order, s); return s } }
	stubs[Label].close = tea.Batch(add("draft"), tea.Sequence(add("search"), add("more")))
	d.Hold()
	d.Press("ctrl+c")
	if d.Quit() || m.closed {
		t.Fatal("left before the drafts were saved")
	}
	d.Release()
	if got := strings.Join(order, " "); got != "draft search more" || !d.Quit() {
		t.Error(got, d.Quit())
	}
	if got := stubs[Label].took(); !strings.HasSuffix(got, "msg:draft msg:search msg:more") {
		t.Error("what Close said got lost:", got)
	}
}

// B059 (public report: anomalyco/opencode#12718), the part without a terminal.
func TestB059Signals(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		d, m, stubs, _ := stubbed(t)
		d.Send(textMsg(true))
		d.Send(leaveMsg{err: &SignalError{sig}})
		var got *SignalError
		if !d.Quit() || !errors.As(m.outcome(nil), &got) || got.Signal != sig || !strings.Contains(stubs[Label].took(), "close") {
			t.Errorf("%v: %v", sig, m.outcome(nil))
		}
	}
	// Writes that never come back don't hold it up for long.
	d, m, stubs, _ := stubbed(t)
	stubs[Label].pending = 1
	d.Send(leaveMsg{err: &SignalError{syscall.SIGTERM}})
	d.Advance(signalPatience - time.Second)
	if d.Quit() {
		t.Fatal("no patience")
	}
	d.Advance(2 * time.Second)
	var sig *SignalError
	var unsaved *UnsavedError
	if err := m.outcome(nil); !d.Quit() || !errors.As(err, &sig) || !errors.As(err, &unsaved) {
		t.Error(err)
	}
}

func TestALostTerminalIsLeft(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	d.Send(terminal.Hangup{})
	d.Send(terminal.Hangup{})
	if !d.Quit() || !errors.Is(m.outcome(nil), ErrHangup) || !strings.Contains(stubs[Label].took(), "close") {
		t.Error(m.outcome(nil))
	}
}

func TestQuittingByHandIsNotHurried(t *testing.T) {
	d, _, stubs, _ := stubbed(t)
	stubs[Label].pending = 1
	d.Press("ctrl+c")
	d.Advance(time.Hour)
	if d.Quit() {
		t.Error("left without the write")
	}
}

func TestWatchTurnsSignalsIntoMessages(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, done, got := make(chan os.Signal), make(chan struct{}), make(chan tea.Msg)
	ended := make(chan struct{})
	go func() {
		watch(ctx, signals, done, func(m tea.Msg) { got <- m })
		close(ended)
	}()
	signals <- syscall.SIGHUP
	if m := (<-got).(leaveMsg); m.err.(*SignalError).Signal != syscall.SIGHUP {
		t.Error(m)
	}
	close(signals)
	cancel()
	if m := (<-got).(leaveMsg); !errors.Is(m.err, context.Canceled) {
		t.Error(m)
	}
	close(done)
	<-ended
}

// B058 (public reports: charmbracelet/bubbletea#1459, namespacelabs/foundation#1101), the part without a terminal.
func TestB058Panics(t *testing.T) {
	for _, where := range []string{"update", "view", "cmd", "batch", "sequence", "close"} {
		d, m, stubs, _ := stubbed(t)
		s := stubs[Label]
		boom := func() tea.Msg { panic("boom") }
		fine := func() tea.Msg { return "fine" }
		s.bind["a"], s.bind["b"], s.bind["c"] = boom, tea.Batch(fine, boom), tea.Sequence(fine, boom)
		switch where {
		case "update":
			s.panics = "j"
			s.bind["j"] = nil
			d.Press("j")
		case "view":
			s.panics = "view"
			d.Send("anything")
		case "cmd":
			d.Press("a")
		case "batch":
			d.Press("b")
		case "sequence":
			d.Press("c")
		case "close":
			s.close = boom
			d.Press("ctrl+c")
		}
		var crash *CrashError
		if err := m.outcome(nil); !d.Quit() || !errors.As(err, &crash) || len(crash.Stack) == 0 {
			t.Errorf("%s: quit %v, %v", where, d.Quit(), err)
		}
		if where != "close" && !strings.Contains(s.took(), "close") {
			t.Errorf("%s: drafts are not saved", where)
		}
	}
}

func TestACrashWithAWriteUnderWay(t *testing.T) {
	d, m, stubs, _ := stubbed(t)
	stubs[Label].pending = 1
	d.Send(crashed("boom\x1b[2J"))
	if d.Quit() {
		t.Fatal("the write got no chance")
	}
	d.Advance(crashPatience)
	var crash *CrashError
	err := m.outcome(nil)
	if !d.Quit() || !errors.As(err, &crash) || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q", err)
	}
	if e := (&CrashError{Value: os.ErrClosed}); !errors.Is(e, os.ErrClosed) {
		t.Error("the cause is lost")
	}
}

func TestBubbleTeasOwnPanicIsAnError(t *testing.T) {
	m := root(t, fake.Sample(fake.Plain, nil), Options{}, drive.NewClock())
	var crash *CrashError
	if err := m.outcome(tea.ErrProgramPanic); !errors.As(err, &crash) {
		t.Error(err)
	}
	if err := m.outcome(tea.ErrProgramKilled); !errors.Is(err, tea.ErrProgramKilled) {
		t.Error(err)
	}
}
