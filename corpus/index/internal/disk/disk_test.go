package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600))
	unlock, held, err := Lock(path, now)
	if err != nil || held != nil {
		t.Fatalf("%+v (%v)", held, err)
	}
	for range 3 {
		_, held, err := Lock(path, now)
		if err != nil || held == nil || held.PID != os.Getpid() || held.Host == "" || !held.Since.Equal(now) || held.Since.Location() != time.UTC {
			t.Errorf("held by %+v (%v)", held, err)
		}
	}
	unlock()
	unlock, held, err = Lock(path, now)
	if err != nil || held != nil {
		t.Fatalf("after unlocking: %+v (%v)", held, err)
	}
	unlock()
	if b, err := os.ReadFile(path); err != nil || len(b) != 0 {
		t.Errorf("an open lock says %q (%v)", b, err)
	}
	if _, _, err := Lock(filepath.Join(t.TempDir(), "none", "lock"), now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// The lock of a process that was killed is free, whatever the file still says.
func TestLockOfAKilledProcess(t *testing.T) {
	path := os.Getenv("LOCK_AND_WAIT")
	if path != "" {
		if _, _, err := Lock(path, time.Now()); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("locked\n")
		select {}
	}
	path = filepath.Join(t.TempDir(), "lock")
	child := exec.Command(os.Args[0], "-test.run=^TestLockOfAKilledProcess$")
	child.Env = append(os.Environ(), "LOCK_AND_WAIT="+path)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	_, held, err := Lock(path, time.Now())
	if err != nil || held == nil || held.PID != child.Process.Pid {
		t.Errorf("held by %+v (%v), not by %d", held, err, child.Process.Pid)
	}
	child.Process.Kill()
	child.Wait()
	unlock, held, err := Lock(path, time.Now())
	if err != nil || held != nil {
		t.Fatalf("still held by %+v (%v)", held, err)
	}
	unlock()
}

type failing struct {
	File
	write, sync error
}

func (f failing) Write(b []byte) (int, error) {
	if f.write != nil {
		return 0, f.write
	}
	return f.File.Write(b)
}

func (f failing) Sync() error { return f.sync }

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	content := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	for _, want := range []string{"one", "two", ""} {
		if err := Replace(Create, path, []byte(want)); err != nil || content() != want {
			t.Errorf("%q: %q (%v)", want, content(), err)
		}
	}
	if err := os.WriteFile(path+".tmp", []byte("left behind"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Replace(Create, path, []byte("old")); err != nil || content() != "old" {
		t.Errorf("over what a killed process left: %q (%v)", content(), err)
	}
	full := errors.New("no space left on device")
	for name, create := range map[string]func(string) (File, error){
		"create": func(string) (File, error) { return nil, full },
		"write":  func(p string) (File, error) { f, err := Create(p); return failing{f, full, nil}, err },
		"sync":   func(p string) (File, error) { f, err := Create(p); return failing{f, nil, full}, err },
	} {
		if err := Replace(create, path, []byte("new")); !errors.Is(err, full) || content() != "old" {
			t.Errorf("%s: %v, now %q", name, err, content())
		}
		if _, err := os.Stat(path + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something is left: %v", name, err)
		}
	}
}

func TestHash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 3<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := Hash(context.Background(), path)
	if err != nil || len(sum) != 64 {
		t.Errorf("%q (%v)", sum, err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if sum, err := Hash(context.Background(), path); err != nil || sum != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("nothing: %q (%v)", sum, err)
	}
	if err := os.WriteFile(path, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Hash(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Hash(context.Background(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a", "b", "file")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(SyncFile(path), SyncTree(dir), SyncDir(dir)); err != nil {
		t.Error(err)
	}
	for _, err := range []error{SyncFile(path + "x"), SyncTree(dir + "x")} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("missing: %v", err)
		}
	}
}

func TestCreateOverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
}
