package mine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/corpus/querylog/frame"
)

// B048, B053: where the disk is full (a file can't grow beyond some size) a run says so, wherever it happens, and leaves
// the frame and the folder as they were. The next one, with room, is as if nothing had been.
func TestFullDisk(t *testing.T) {
	if os.Getenv("ASSAY_TEST_CHILD") == "" { // files of the test's own must be free to grow
		if out, err := child(t).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	var whole syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // the write then fails, as on a full disk
	defer signal.Reset(syscall.SIGXFSZ)
	p := newPlace(t)
	p.mine(log(t, "a.txt", "lock card\nrefund\n"))
	before, err := os.ReadFile(p.opt.New)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("user,time,query\n")
	for i := range 4000 {
		fmt.Fprintf(&b, "user%d,2026-03-01 %02d:%02d:%02d,how do i get a refund for order %d\n", i%900, i/3600, i/60%60, i%60, i*7919)
	}
	next := log(t, "b.csv", b.String())
	failed := map[string]bool{}
	for _, most := range []uint64{0, 1 << 10, 8 << 10, 16 << 10, 40 << 10, 64 << 10, 100 << 10} {
		stage := "opening"
		p.opt.Progress = func(s string, _, _ int64) { stage = s }
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: whole.Max}); err != nil {
			t.Skip(err)
		}
		_, err := Run(context.Background(), []Source{next}, p.opt)
		if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole); e != nil {
			t.Fatal(e)
		}
		if err == nil {
			t.Errorf("files of %d bytes at most, and no error", most)
			continue
		}
		failed[stage] = true
		if !strings.Contains(err.Error(), "file too large") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
		if after, _ := os.ReadFile(p.opt.New); !bytes.Equal(before, after) {
			t.Errorf("%d: the frame changed", most)
		}
		if left, _ := filepath.Glob(filepath.Join(p.dir, ".*")); len(left) > 0 {
			t.Errorf("%d: left behind %q", most, left)
		}
	}
	if len(failed) < 3 {
		t.Errorf("it only failed while %v", failed)
	}
	p.opt.Progress = nil
	if r := p.mine(next); r.New != 4000 || r.Frame != 4002 {
		t.Errorf("%+v", r)
	}
}

// child is the test at hand in a process of its own.
func child(t *testing.T, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	c.Env = append(append(os.Environ(), "ASSAY_TEST_CHILD=1"), env...)
	return c
}

// A process that is killed, at any stage, leaves the frame that was there. What it leaves beside is known by its name.
func TestKilledAnywhere(t *testing.T) {
	if dir := os.Getenv("ASSAY_TEST_DIR"); dir != "" {
		path := filepath.Join(dir, frame.Name)
		opt := Options{Old: path, New: path, Scratch: dir, Now: now}
		opt.Progress = func(stage string, _, _ int64) {
			if stage == os.Getenv("ASSAY_TEST_STAGE") {
				fmt.Println("there")
				select {} // until it is killed
			}
		}
		_, err := Run(context.Background(), []Source{file(filepath.Join(dir, "b.csv"))}, opt)
		t.Fatal("it was to be killed: ", err)
	}
	for _, stage := range []string{"reading", "conversations", "reading what is there", "counting", "grouping", "writing"} {
		p := newPlace(t)
		p.mine(log(t, "a.txt", "lock card\nrefund\n"))
		before, err := os.ReadFile(p.opt.New)
		if err != nil {
			t.Fatal(err)
		}
		rows := "user,time,query\nann,2026-03-01 09:00:00,warranty\nann,2026-03-01 09:01:00,and for cards?\n"
		if err := os.WriteFile(filepath.Join(p.dir, "b.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		c := child(t, "ASSAY_TEST_DIR="+p.dir, "ASSAY_TEST_STAGE="+stage)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		said, _ := bufio.NewReader(out).ReadString('\n')
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		if said != "there\n" {
			t.Fatalf("%s: %q", stage, said)
		}
		if after, _ := os.ReadFile(p.opt.New); !bytes.Equal(before, after) {
			t.Errorf("killed while %s: the frame changed", stage)
		}
		left, _ := filepath.Glob(filepath.Join(p.dir, ScratchPattern))
		if len(left) != 1 {
			t.Errorf("killed while %s: left %q", stage, left)
		}
		for _, dir := range left {
			os.RemoveAll(dir)
		}
		p.mine(file(filepath.Join(p.dir, "b.csv"))) // which also looks that nothing is left any more
		if got := p.said(); got != "lock card×1 | refund×1 | warranty×1 | and for cards?×1" {
			t.Errorf("after it was killed while %s: %q", stage, got)
		}
	}
}
