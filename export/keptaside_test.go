package export

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// folder is what a folder holds, by name: the first byte of each file.
func folder(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		all = append(all, e.Name()+"="+string(b[:min(1, len(b))]))
	}
	return strings.Join(all, " ")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestMoveRunAsideThrowsNothingAway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "live.v2.jsonl")
	if err := MoveRunAside(path, noon); err != nil || folder(t, dir) != "" {
		t.Errorf("nothing to move: %v, now %s", err, folder(t, dir))
	}
	for _, content := range []string{"1", "2", "3"} { // within the same second
		write(t, path, content)
		if err := MoveRunAside(path, noon); err != nil {
			t.Fatal(err)
		}
	}
	if got := folder(t, dir); got != "live.v2-20260504-120000-1.jsonl=2 live.v2-20260504-120000-2.jsonl=3 live.v2-20260504-120000.jsonl=1" {
		t.Error(got)
	}
	keep(t, path, got("q1", "one"))
	if err := MoveRunAside(path, noon); err != nil {
		t.Fatal(err)
	}
	if known := keep(t, path); len(known) != 0 {
		t.Errorf("a fresh run knows %v", known)
	}
	if known := keep(t, filepath.Join(dir, "live.v2-20260504-120000-3.jsonl")); len(known) != 1 {
		t.Errorf("the old run knows %v", known)
	}
}

// A run that another process writes stays where it is, and goes on.
func TestMoveRunAsideLeavesWhatIsBeingWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "live.jsonl")
	k, _, err := OpenKeptRun(path, someHeader(), stopped)
	if err != nil {
		t.Fatal(err)
	}
	if err := MoveRunAside(path, noon); !errors.Is(err, ErrRunLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if got := folder(t, dir); got != "live.jsonl={" {
		t.Error(got)
	}
	if err := k.Append(got("q1", "one")); err != nil {
		t.Error(err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := MoveRunAside(path, noon); err != nil {
		t.Errorf("the lock outlives its holder: %v", err)
	}
	if got := folder(t, dir); got != "live-20260504-120000.jsonl={" {
		t.Error(got)
	}
}

// Who opened a run before it was moved aside, and got the lock after, does not write into what was moved.
func TestMovedRunIsNotWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files can't be renamed there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "live.jsonl")
	for _, next := range []bool{false, true} {
		keep(t, path, got("q1", "one"))
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := MoveRunAside(path, noon); err != nil {
			t.Fatal(err)
		}
		if next {
			keep(t, path, got("q2", "two"))
			if err := moveAside(path, before, noon); !errors.Is(err, ErrRunLocked) {
				t.Errorf("another's run was moved: %v", err)
			}
		}
		k := &KeptRun{Header: someHeader(), path: path, file: f, now: stopped}
		if _, err := k.begin(); !errors.Is(err, ErrRunLocked) {
			t.Errorf("next %v: %v", next, err)
		}
		f.Close()
	}
}

func TestMoveRunAsideOfWhatIsNoRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "live.jsonl")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := MoveRunAside(path, noon); err != nil || folder(t, dir) != "live-20260504-120000.jsonl=" {
		t.Errorf("a folder: %v, now %s", err, folder(t, dir))
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Symlink(filepath.Join(dir, "missing"), path); err != nil {
		t.Fatal(err)
	}
	if err := MoveRunAside(path, noon); err != nil || folder(t, dir) != "live-20260504-120000-1.jsonl= live-20260504-120000.jsonl=" {
		t.Errorf("a link to nothing: %v, now %s", err, folder(t, dir))
	}
	elsewhere := filepath.Join(t.TempDir(), "run")
	keep(t, elsewhere, got("q1", "one"))
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Fatal(err)
	}
	if err := MoveRunAside(path, noon); err != nil || len(keep(t, elsewhere)) != 1 {
		t.Errorf("a link moves, and not what it leads to: %v", err)
	}
	long := filepath.Join(dir, strings.Repeat("x", 250)+".jsonl")
	if err := MoveRunAside(long, noon); err == nil {
		t.Error("a name that no folder can hold was moved")
	}
	nearly := filepath.Join(dir, strings.Repeat("x", 245)+".jsonl")
	write(t, nearly, "1")
	if err := MoveRunAside(nearly, noon); err == nil {
		t.Error("a run was moved to a name that no folder can hold")
	}
	if _, err := os.Stat(nearly); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}
