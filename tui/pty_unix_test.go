//go:build unix

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
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

// session is the program in a pseudo-terminal.
type session struct {
	t       *testing.T
	cmd     *exec.Cmd
	ptm     *os.File // what a terminal emulator holds
	tty     *os.File // what the program holds
	before  *term.State
	mu      sync.Mutex
	more    *sync.Cond
	out     bytes.Buffer
	ended   bool
	exit    int
	seenEnd int
}

func start(t *testing.T, what string, w, h int, env ...string) *session {
	t.Helper()
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	s := &session{t: t, ptm: ptm, tty: tty}
	s.more = sync.NewCond(&s.mu)
	s.size(w, h)
	if s.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(exe)
	s.cmd.Env = append(append(os.Environ(), childEnv+"="+what, "TERM=tmux-256color"), env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		ptm.Close()
		tty.Close()
	})
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := ptm.Read(buf)
			s.mu.Lock()
			s.out.Write(buf[:n])
			s.more.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		err := s.cmd.Wait()
		s.mu.Lock()
		s.ended = true
		s.exit = s.cmd.ProcessState.ExitCode()
		_ = err
		s.more.Broadcast()
		s.mu.Unlock()
	}()
	return s
}

func (s *session) size(w, h int) {
	s.t.Helper()
	if err := pty.Setsize(s.ptm, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) send(text string) {
	s.t.Helper()
	if _, err := s.ptm.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// until waits for something to be so of what the program wrote since the last wait. Only a broken program runs into
// the deadline.
func (s *session) until(what string, ok func(since string) bool) string {
	s.t.Helper()
	deadline := time.AfterFunc(20*time.Second, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seenEnd = -1
		s.more.Broadcast()
	})
	defer deadline.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.seenEnd
	for {
		if s.seenEnd < 0 {
			s.t.Fatalf("waited in vain for %s; since then came\n%q", what, s.out.String()[from:])
		}
		since := s.out.String()[from:]
		if ok(since) {
			s.seenEnd = s.out.Len()
			return since
		}
		s.more.Wait()
	}
}

// sees waits for texts to be drawn.
func (s *session) sees(texts ...string) string {
	s.t.Helper()
	return s.until(fmt.Sprintf("%q", texts), func(since string) bool {
		plain := sequences.ReplaceAllString(since, "")
		for _, x := range texts {
			if !strings.Contains(plain, x) {
				return false
			}
		}
		return true
	})
}

var sequences = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// ends waits for the process to be gone and the terminal to be as it was: main screen, cursor, no paste brackets, and
// the modes that it had. It returns the line that the program said at its end.
func (s *session) ends() (last string, exit int) {
	s.t.Helper()
	s.until("the end", func(string) bool { return s.ended && strings.Contains(s.out.String(), "END") || s.ended && s.exit < 0 })
	all := s.out.String()
	leave := strings.LastIndex(all, "\x1b[?1049l")
	if enter := strings.LastIndex(all, "\x1b[?1049h"); leave < enter || leave < 0 {
		s.t.Errorf("the main screen is not back: %q", all[max(0, len(all)-400):])
	}
	if show, hide := strings.LastIndex(all, "\x1b[?25h"), strings.LastIndex(all, "\x1b[?25l"); show < hide {
		s.t.Error("the cursor is not back")
	}
	if on, off := strings.LastIndex(all, "\x1b[?2004h"), strings.LastIndex(all, "\x1b[?2004l"); off < on {
		s.t.Error("bracketed paste is still on")
	}
	after, err := term.GetState(s.tty.Fd())
	if err != nil || !reflect.DeepEqual(after, s.before) {
		s.t.Errorf("the terminal's modes are not back: %v", err)
	}
	if strings.Contains(all, "\x1b]") {
		s.t.Error("the window title or another property of the terminal was set")
	}
	if strings.Contains(all, "\x1b[?1000h") || strings.Contains(all, "\x1b[?1002h") || strings.Contains(all, "\x1b[?1003h") {
		s.t.Error("the mouse was captured unasked")
	}
	if at := strings.LastIndex(all, "END"); at >= 0 {
		if at < leave {
			s.t.Error("Run returned before the terminal was restored")
		}
		last = strings.TrimSpace(all[at:])
	}
	return last, s.exit
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

func (s *session) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.out.String(), text)
}

// step waits until the program writes anything.
func (s *session) step() {
	s.t.Helper()
	s.until("anything", func(since string) bool { return since != "" })
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
