package export

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// only fails the test where the folder holds anything but the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if got, want := strings.Join(found, " "), strings.Join(names, " "); got != want {
		t.Errorf("the folder holds %s, want %s", got, want)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gold.jsonl")
	for _, s := range []string{"first", "second, longer", "", "last"} {
		if err := WriteFile(path, content(s)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != s {
			t.Errorf("%q, want %q", got, s)
		}
	}
	only(t, dir, "gold.jsonl")
}

// B020. Public reports: vmware-archive/loginsight-export#10, flagbit/Magento-FACTFinder#178: an interrupted export leaves
// half a file over the old one.
func TestB020InterruptedExportLeavesTheOldFile(t *testing.T) {
	boom := errors.New("no space left on device")
	half := strings.Repeat("half a line ", 100_000) // more than any buffer
	for name, write := range map[string]func(io.Writer) error{
		"at once":       func(io.Writer) error { return boom },
		"half way":      func(w io.Writer) error { return errors.Join(content(half)(w), boom) },
		"when flushing": func(w io.Writer) error { return content(half)(failing{w}) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "gold.jsonl")
			if err := os.WriteFile(path, []byte("the old file"), 0o644); err != nil {
				t.Fatal(err)
			}
			err := WriteFile(path, write)
			if err == nil || !strings.Contains(err.Error(), "write "+path) {
				t.Errorf("error %v", err)
			}
			if got := read(t, path); got != "the old file" {
				t.Errorf("the old file is now %q", got)
			}
			only(t, dir, "gold.jsonl")
		})
	}
	t.Run("panic", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "gold.jsonl")
		func() {
			defer func() { recover() }()
			WriteFile(path, func(w io.Writer) error { panic("boom") })
		}()
		only(t, dir)
	})
}

type failing struct{ io.Writer }

func (f failing) Write(p []byte) (int, error) {
	n, _ := f.Writer.Write(p[:len(p)/2])
	return n, io.ErrShortWrite
}

// B020, as its steps say: the process is killed in the middle.
func TestB020KilledExportLeavesTheOldFile(t *testing.T) {
	if path := os.Getenv("ASSAY_TEST_KILL_WHILE_WRITING"); path != "" {
		WriteFile(path, func(w io.Writer) error {
			content(strings.Repeat("x", 1<<20))(w)
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		})
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "gold.jsonl")
	if err := os.WriteFile(path, []byte("the old file"), 0o644); err != nil {
		t.Fatal(err)
	}
	killed := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	killed.Env = append(os.Environ(), "ASSAY_TEST_KILL_WHILE_WRITING="+path)
	if err := killed.Run(); err == nil {
		t.Fatal("the process was not killed")
	}
	if got := read(t, path); got != "the old file" {
		t.Errorf("the old file is now %.20q…", got)
	}
	// What the killed process left does not stand in the way of the next.
	if err := WriteFile(path, content("new")); err != nil || read(t, path) != "new" {
		t.Errorf("%v: %q", err, read(t, path))
	}
}

func TestWriteFileKeepsWhatThePathIs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes of Unix")
	}
	dir := t.TempDir()
	real, link, dangling := filepath.Join(dir, "real"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := os.WriteFile(real, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("real", link), os.Symlink("later", dangling)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dangling} {
		if err := WriteFile(path, content("new")); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(real); err != nil || read(t, real) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %q, %v", err, read(t, real), info.Mode())
	}
	if got := read(t, filepath.Join(dir, "later")); got != "new" {
		t.Errorf("the link to nowhere led to %q", got)
	}
	for path, words := range map[string]string{dir: "it is a folder", filepath.Join(dir, "no", "such", "folder"): "no such file"} {
		if err := WriteFile(path, content("x")); err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%v, want %q", err, words)
		}
	}
	only(t, dir, "dangling", "later", "link", "real")
}
