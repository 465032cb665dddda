package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/corpus"

	"github.com/creack/pty" // pseudo-terminals for tests, the usual library for them
)

// TestMain lets the test binary be the program: the tests below need a real process on a real terminal.
func TestMain(m *testing.M) {
	if os.Getenv("ASSAY_TEST_MAIN") != "" {
		os.Unsetenv("ASSAY_TEST_MAIN")
		main()
	}
	os.Exit(m.Run())
}

// terminal is the program on a pseudo-terminal that never answers a question.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	more chan struct{}
	seen bytes.Buffer
	done chan struct{}
}

func (m *machine) command(args ...string) *exec.Cmd {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	m.t.Cleanup(cancel)
	c := exec.CommandContext(ctx, self, args...)
	c.Env = append(os.Environ(), "ASSAY_TEST_MAIN=1", "TERM=xterm-256color", "ASSAY_ANNOTATOR=ann", "ASSAY_WORKSPACE="+m.dir)
	for k, v := range m.env {
		c.Env = append(c.Env, k+"="+v)
	}
	return c
}

func (m *machine) terminal(cols, rows uint16, args ...string) *terminal {
	m.t.Helper()
	c := m.command(args...)
	f, err := pty.StartWithSize(c, &pty.Winsize{Cols: cols, Rows: rows})
	if err != nil {
		m.t.Skipf("no pseudo-terminal here: %v", err)
	}
	t := &terminal{t: m.t, cmd: c, tty: f, more: make(chan struct{}, 1), done: make(chan struct{})}
	m.t.Cleanup(func() { c.Process.Kill(); f.Close() })
	go func() {
		defer close(t.done)
		buf := make([]byte, 64<<10)
		for {
			n, err := f.Read(buf)
			t.mu.Lock()
			t.seen.Write(buf[:n])
			t.mu.Unlock()
			select {
			case t.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return t
}

// wait reads until the words were printed after what the last wait read, and forgets what came before them.
func (t *terminal) wait(words string) {
	t.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		t.mu.Lock()
		at := bytes.Index(t.seen.Bytes(), []byte(words))
		if at >= 0 {
			t.seen.Next(at + len(words))
		}
		shown := t.seen.String()
		t.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-t.more:
		case <-t.done:
			t.t.Fatalf("ended before %q was shown; seen %q", words, tail(shown))
		case <-limit:
			t.t.Fatalf("%q was not shown; seen %q", words, tail(shown))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

func (t *terminal) keys(s string) {
	t.t.Helper()
	if _, err := io.WriteString(t.tty, s); err != nil {
		t.t.Fatal(err)
	}
}

// end waits for the process and returns its exit code and what it printed since the last wait.
func (t *terminal) end() (int, string) {
	t.t.Helper()
	err := t.cmd.Wait()
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && t.cmd.ProcessState == nil {
		t.t.Fatal(err)
	}
	return t.cmd.ProcessState.ExitCode(), t.seen.String()
}

// B054: Public report: bubbletea#1771. A terminal that stays mute is not asked anything, and nobody waits for it: the
// probe that this guards against waits for five seconds.
func TestB054MuteTerminal(t *testing.T) {
	for _, noColor := range []string{"", "1"} {
		for _, args := range [][]string{{"version"}, {"--help"}, {"guide"}, {"completion", "bash"}, {"status"}, {"nonsense"}} {
			m := newMachine(t).workspace()
			m.env["NO_COLOR"] = noColor
			start := time.Now()
			term := m.terminal(80, 24, args...)
			_, out := term.end()
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("assay %s took %v", args[0], took)
			}
			if strings.ContainsRune(out, 0x1b) {
				t.Errorf("assay %s: an escape byte in %q", args[0], out)
			}
			if len(out) == 0 {
				t.Errorf("assay %s printed nothing", args[0])
			}
		}
	}
}

// B061: Public report: runme#547. Without a terminal the screens say so in one line, and batch commands work.
func TestB061NoTerminal(t *testing.T) {
	m := newMachine(t).workspace()
	for _, args := range [][]string{{"label"}, {}} {
		c := m.command(args...)
		c.Stdin = strings.NewReader("2\n")
		out, err := c.CombinedOutput()
		if c.ProcessState == nil || c.ProcessState.ExitCode() != 2 {
			t.Errorf("assay %v: %v, %s", args, err, out)
		}
		has(t, string(out), "error: the labeling screen needs a terminal\n", "hint: ")
	}
	c := m.command("import", "queries", "-")
	c.Stdin = strings.NewReader("one\ntwo\n")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	has(t, string(out), "2 queries to label: 2 new")
}

// labeled is a workspace with a small corpus and log.
func labeled(t *testing.T) *machine {
	m := newMachine(t).workspace()
	m.must("index", bug("B070", "corpus.jsonl"))
	m.must("import", "queries", bug("B070", "queries.jsonl"))
	return m
}

func (m *machine) grades() map[string]map[string]corpus.Grade {
	m.t.Helper()
	grades := map[string]map[string]corpus.Grade{}
	lines := strings.Split(strings.TrimSpace(m.must("export", "-o", "-").out), "\n")
	for _, line := range lines[1:] {
		row := decode[corpus.GoldRow](m.t, line)
		grades[row.QueryID] = row.Grades
	}
	return grades
}

// TestGradeOnATerminal labels as a person does, and looks at the outcome from beside and from after.
// B049: Public report: bbolt#782. Readers work while the screen is open; a second writer is told who holds the file.
func TestGradeOnATerminal(t *testing.T) {
	for _, size := range [][2]uint16{{100, 30}, {60, 20}} {
		m := labeled(t)
		term := m.terminal(size[0], size[1])
		term.wait("how long do refunds take")
		term.wait("c1")
		term.keys("2")
		term.wait("graded 2")
		if got := m.grades()["q1"]["c1"]; got != 2 {
			t.Errorf("beside the open screen the grade is %d", got)
		}
		has(t, m.must("status").out, "labels      1 on 1 query")
		m.must("search", "refunds")
		m.must("check", "-m", "R@5")
		r := m.run("import", "queries", m.file("more.txt", "another\n"))
		if r.code != exitLocked {
			t.Errorf("a second writer: exit %d\n%s", r.code, r.err)
		}
		has(t, r.err, "process")
		term.keys("u")
		term.wait("took back")
		term.keys("3")
		term.wait("graded 3")
		term.keys("q")
		term.wait("again")
		term.keys("q")
		if code, out := term.end(); code != 0 {
			t.Errorf("exit %d: %q", code, tail(out))
		}
		if got := m.grades()["q1"]["c1"]; got != 3 {
			t.Errorf("afterwards the grade is %d", got)
		}
	}
}

// TestKilledAfterSaved takes the process away the moment a grade is shown as saved.
func TestKilledAfterSaved(t *testing.T) {
	m := labeled(t)
	term := m.terminal(100, 30)
	term.wait("c1")
	term.keys("2")
	term.wait("graded 2")
	if err := term.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	term.end()
	if got := m.grades()["q1"]["c1"]; got != 2 {
		t.Errorf("the grade is %d", got)
	}
	has(t, m.must("import", "queries", m.file("more.txt", "another\n")).out, "1 new")
}

// B059: Public report: opencode#12718. A terminal that goes away frees the lock and ends the process.
func TestB059Hangup(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		m := labeled(t)
		term := m.terminal(100, 30)
		term.wait("c1")
		if err := term.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if code, out := term.end(); code != 128+int(s) || !strings.Contains(out, "\x1b[?1049l") {
			t.Errorf("%v: exit %d, %q", s, code, tail(out))
		}
		m.must("import", "queries", m.file("more.txt", "another\n"))
	}
}

func TestDemo(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	m := newMachine(t)
	r := m.must("demo")
	has(t, r.out, "$ assay init", "$ assay index", "$ assay import queries", "$ assay label", "$ assay check", "$ assay export native", "nDCG@10")
	nothingLeft := func() {
		t.Helper()
		if left, _ := filepath.Glob(filepath.Join(tmp, "assay-demo-*")); len(left) > 0 {
			t.Errorf("the demo left %v behind", left)
		}
	}
	nothingLeft()

	term := m.terminal(120, 36, "demo")
	term.wait("Nothing here is yours")
	term.keys("?")
	term.wait("take back the last change")
	term.keys("q") // closes the help
	term.wait("finish")
	term.keys("q")
	term.wait("q again to leave")
	term.keys("q")
	if code, out := term.end(); code != 0 {
		t.Errorf("exit %d: %q", code, tail(out))
	}
	nothingLeft()
}
