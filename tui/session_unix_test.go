//go:build unix

package tui

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

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

// all is what the program wrote so far. What it wrote last may still be on its way when it has ended.
func (s *session) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
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

// isRestored waits for the process to be gone and for what it did to the terminal to be undone.
func (s *session) isRestored() {
	s.t.Helper()
	s.until("the main screen", func(string) bool { return s.ended && strings.Contains(s.out.String(), "\x1b[?1006l") })
	all := s.all()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l"} {
		if strings.LastIndex(all, off) < strings.LastIndex(all, on) {
			s.t.Errorf("%q was not undone", on)
		}
	}
	after, err := term.GetState(s.tty.Fd())
	if err != nil || !reflect.DeepEqual(after, s.before) {
		s.t.Errorf("the terminal's modes are not back: %v", err)
	}
}

// ends waits for the process to be gone and the terminal to be as it was: main screen, cursor, no paste brackets, and
// the modes that it had. It returns the line that the program said at its end.
func (s *session) ends() (last string, exit int) {
	s.t.Helper()
	s.until("the end", func(string) bool { return s.ended && strings.Contains(s.out.String(), "END") })
	all := s.all()
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
