//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	"assay/tui/fake"
	"assay/tui/screen"
)

// childEnv makes the test binary be the program: it runs over fakes, in the terminal that it is given, and says at the
// end what became of it.
const childEnv = "ASSAY_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		os.Exit(child(what))
	}
	os.Exit(m.Run())
}

// child runs the program and prints "END", how it ended, the drafts and the grades.
func child(what string) int {
	k := fake.Sample(fake.Plain, nil)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM)
	o, err := Options{
		Desk: k.Desk, Finder: k.Finder, Checker: k.Checker, Exporter: k.Exporter, Theme: "none", Signals: signals,
	}.complete()
	if err != nil {
		fmt.Println("END", err)
		return 2
	}
	m, err := newModel(o)
	if err != nil {
		fmt.Println("END", err)
		return 2
	}
	switch what {
	case "panic-cmd":
		k.Desk.SetHook(func(_ context.Context, method string) error {
			if method == "Grade" {
				panic("injected")
			}
			return nil
		})
	case "panic-goroutine":
		k.Desk.SetHook(func(_ context.Context, method string) error {
			if method == "Grade" {
				go func() { panic("injected \x1b]0;owned\x07") }()
				<-make(chan struct{})
			}
			return nil
		})
	case "panic-update":
		m.make[Check] = func() screen.Screen { return &stub{name: "stub", panics: "j", bind: map[string]tea.Cmd{"j": nil}} }
	case "slow":
		k.Desk.SetHook(func(ctx context.Context, method string) error {
			if method == "Grade" {
				<-make(chan struct{})
			}
			return nil
		})
	}
	err = run(context.Background(), o, m)
	drafts, _ := k.Desk.Drafts(context.Background())
	grade, graded := k.Desk.GradeOf("q0001", "docs/keys.md#1")
	fmt.Printf("END err=%v drafts=%v grade=%v,%v\n", err, drafts, grade, graded)
	if err != nil {
		return 1
	}
	return 0
}

func TestPtyStartGradeQuit(t *testing.T) {
	s := start(t, "run", 100, 30)
	first := s.sees("rotate the signing key", "docs/keys.md#1", "help")
	if !strings.Contains(first, "\x1b[?1049h") || !strings.Contains(first, "\x1b[?2004h") {
		t.Errorf("no own screen, or pastes are not bracketed: %q", first)
	}
	s.send("2")
	s.sees("[2]")
	s.send("u")
	s.sees("took back")
	s.send("3")
	s.sees("[3]")
	s.send("q")
	s.sees("q again to leave")
	s.send("q")
	if last, exit := s.ends(); exit != 0 || !strings.Contains(last, "err=<nil>") || !strings.Contains(last, "grade=3,true") {
		t.Error(exit, last)
	}
}

// Public report: bubbletea#668; B057; B062, in a real terminal with its own read boundaries.
func TestPtyTypingPasteAndStrayReports(t *testing.T) {
	s := start(t, "run", 100, 30)
	s.sees("docs/keys.md#1")
	s.send("/")
	s.sees("▏")
	for _, b := range []byte("返金") {
		s.send(string([]byte{b}))
	}
	s.sees("返金")
	s.send("\x15" + bug(t, "B057", "keys_1.bin"))
	s.send(bug(t, "B057", "keys_2.bin") + "signing")
	s.sees("/ signing▏")
	s.send("\r\x1b[200~1\r2\r3\rq\x1b[201~")
	s.sees("a paste does nothing here")
	s.send("\x1b[200~" + strings.Repeat("refund policy text ", 60_000) + "\x1b[201~")
	s.send("?") // as soon as the megabyte is through
	s.sees("┌─ keys")
	s.send("\x03")
	if last, exit := s.ends(); exit != 0 || !strings.Contains(last, "grade=0,false") {
		t.Error(exit, last)
	}
}

func TestPtyUnbracketedMegabyte(t *testing.T) {
	s := start(t, "run", 100, 30)
	s.sees("docs/keys.md#1")
	go func() { _, _ = s.ptm.WriteString(strings.Repeat("1 of 2 apples in 3 q\n", 50_000)) }()
	s.sees("keys came at once")
	// Once the burst is over a key is a key again. Redraws for other sizes take their time, and are no keys.
	for i := 0; !s.has("┌─ keys"); i++ {
		for w := 90; w < 100; w++ {
			s.size(w, 30)
			s.step()
		}
		s.send("?")
		s.step()
	}
	s.send("\x03")
	if last, exit := s.ends(); exit != 0 || !strings.Contains(last, "grade=0,false") {
		t.Error(exit, last)
	}
}

// B060, as a terminal tells it.
func TestPtyB060Resize(t *testing.T) {
	s := start(t, "run", 80, 24)
	s.sees("docs/keys.md#1")
	for _, size := range [][2]int{{19, 5}, {1, 1}, {0, 0}, {500, 200}, {65535, 65535}, {39, 10}} {
		s.size(size[0], size[1])
	}
	s.sees("too small")
	s.size(80, 24)
	s.sees("docs/keys.md#1")
	s.send("\x03")
	if last, exit := s.ends(); exit != 0 {
		t.Error(exit, last)
	}
}

// B059 (public report: anomalyco/opencode#12718): mid-edit.
func TestPtyB059Signals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, "run", 100, 30)
			s.sees("docs/keys.md#1")
			s.send("2")
			s.sees("[2]")
			s.send("M")
			s.sees("ctrl+s")
			s.send("half a note")
			s.sees("half a note")
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			last, exit := s.ends()
			if exit != 1 || !strings.Contains(last, "ended by signal") || !strings.Contains(last, "half a note") || !strings.Contains(last, "grade=2,true") {
				t.Error(exit, last)
			}
		})
	}
}

// The emulator goes away without a signal that could be caught in time: the process still ends.
func TestPtyTheTerminalIsClosed(t *testing.T) {
	s := start(t, "run", 80, 24)
	s.sees("docs/keys.md#1")
	s.tty.Close()
	s.ptm.Close()
	s.until("the process to be gone", func(string) bool { return s.ended })
}

// B058 (public reports: charmbracelet/bubbletea#1459, namespacelabs/foundation#1101).
func TestPtyB058Panics(t *testing.T) {
	for what, keys := range map[string]string{"panic-cmd": "2", "panic-update": "Cj"} {
		t.Run(what, func(t *testing.T) {
			s := start(t, what, 100, 30)
			s.sees("docs/keys.md#1")
			for _, k := range strings.Split(keys, "") {
				s.send(k)
				if k == "C" {
					s.sees("stub")
				}
			}
			if last, exit := s.ends(); exit != 1 || !strings.Contains(last, "a fault in the program") {
				t.Error(exit, last)
			}
		})
	}
}

// B058: where the program can't restore the terminal itself.
func TestPtyB058PanicInAGoroutineOfALibrary(t *testing.T) {
	s := start(t, "panic-goroutine", 100, 30)
	s.sees("docs/keys.md#1")
	s.send("2")
	s.isRestored()
	s.until("the last words", func(string) bool {
		all := s.out.String()
		return strings.Contains(all[strings.LastIndex(all, "\x1b[?1049l"):], "injected ]0;owned")
	})
	if s.exit <= 0 {
		t.Error(s.exit)
	}
}

func TestPtyKilled(t *testing.T) {
	s := start(t, "run", 100, 30)
	s.sees("docs/keys.md#1")
	s.send("2")
	s.sees("[2]")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.isRestored()
}

func TestPtySecondCtrlCForces(t *testing.T) {
	s := start(t, "slow", 100, 30)
	s.sees("docs/keys.md#1")
	s.send("2\x03")
	s.sees("ctrl+c leaves without")
	s.send("\x03")
	if last, exit := s.ends(); exit != 1 || !strings.Contains(last, "left before the last ") {
		t.Error(exit, last)
	}
}

// B061: input is a pipe, output a terminal.
func TestPtyB061PipedInput(t *testing.T) {
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer ptm.Close()
	exe, _ := os.Executable()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=run")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("a log\n"), tty, tty
	err = cmd.Run()
	tty.Close()
	buf := make([]byte, 1000)
	n, _ := ptm.Read(buf)
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(buf[:n]), ErrNoTerminal.Error()) || bytes.Contains(buf[:n], []byte("\x1b")) {
		t.Errorf("%v: %q", err, buf[:n])
	}
}
