package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

const soon = 60 * time.Millisecond

var self = Holder{PID: os.Getpid(), Host: "here", Since: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Program: "test"}

// created is a file with the buckets of fill.
func created(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.db")
	if err := Create(path, fill); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path, soon, self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func set(f *File, key, value string) error {
	return f.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("flat")).Put([]byte(key), []byte(value)) })
}

func get(t testing.TB, f *File, key string) string {
	t.Helper()
	var value string
	err := f.View(func(tx *bolt.Tx) error {
		value = string(tx.Bucket([]byte("flat")).Get([]byte(key)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestCreateLeavesWhatIsThere(t *testing.T) {
	path := created(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Create(path, fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating again: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file changed")
	}
	failing := filepath.Join(filepath.Dir(path), "other.db")
	if err := Create(failing, func(*bolt.Tx) error { return errors.New("on purpose") }); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("creating in vain: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
	if err := Create(filepath.Join(t.TempDir(), "no", "such", "folder.db"), fill); err == nil {
		t.Error("a file was made in no folder")
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	if _, err := Open(t.TempDir(), soon, self); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Copy(t.TempDir(), soon); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder, to copy: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), soon, self); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestLockNamesItsHolder(t *testing.T) {
	path := created(t)
	f := opened(t, path)
	_, err := Open(path, soon, self)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder != self {
		t.Fatalf("got %v", err)
	}
	want := fmt.Sprintf("file.db is in use by process %d on here since 2024-01-02 03:04:05 UTC", self.PID)
	if err.Error() != want {
		t.Errorf("message is %q, want %q", err, want)
	}
	tests := []struct{ name, note, want string }{
		{"no note", "", "file.db is in use by another process"},
		{"half a note", `{"pid":12,"ho`, "file.db is in use by another process"},
		{"no process", `{"pid":-4}`, "file.db is in use by another process"},
		{"host that drives the terminal", `{"pid":12,"host":"a\u001b[2Jb","since":"2024-01-02T03:04:05Z"}`,
			"file.db is in use by process 12 since 2024-01-02 03:04:05 UTC"},
		{"host of any length", `{"pid":12,"host":"` + strings.Repeat("h", 300) + `","since":"2024-01-02T03:04:05Z"}`,
			"file.db is in use by process 12 since 2024-01-02 03:04:05 UTC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(notePath(path), []byte(tt.note), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, soon, self); err == nil || err.Error() != tt.want {
				t.Errorf("got %q, want %q", err, tt.want)
			}
		})
	}
	// Somebody else's note is left alone.
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(notePath(path)); err != nil {
		t.Error("a foreign note was removed")
	}
	// B052: the lock is had again at once.
	opened(t, path)
}

func TestNoteIsACourtesy(t *testing.T) {
	path := created(t)
	if err := os.Mkdir(notePath(path), 0o700); err != nil { // no note can be written here
		t.Fatal(err)
	}
	f := opened(t, path)
	if err := set(f, "k", "v"); err != nil {
		t.Error(err)
	}
	if _, err := Open(path, soon, self); err == nil || err.Error() != "file.db is in use by another process" {
		t.Errorf("got %v", err)
	}
}

// The file may be replaced, by a restore, while somebody waits for the old one's lock.
func TestReplacedWhileWaiting(t *testing.T) {
	path := created(t)
	held := opened(t, path)
	other := created(t)
	got := make(chan error)
	go func() {
		f, err := Open(path, 5*time.Second, self)
		if err == nil {
			f.Close()
		}
		got <- err
	}()
	// However the two meet: either the new file is opened, or the wait for the old one ends in words.
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if err := <-got; err != nil && !errors.As(err, &locked) {
		t.Errorf("got %v", err)
	}
}

func TestPanicsAndFaultsBecomeErrors(t *testing.T) {
	var broke *PanicError
	if err := Protect(func() error { panic("on purpose") }); !errors.As(err, &broke) || broke.Value != "on purpose" {
		t.Errorf("got %v", err)
	}
	if err := Protect(func() error { var none []error; return none[len(none)] }); !errors.As(err, &broke) {
		t.Errorf("got %v", err)
	}
	if err := Protect(func() error { return fs.ErrExist }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	// A file that is cut while it is open raises SIGBUS.
	path := created(t)
	f := opened(t, path)
	if err := os.Truncate(path, 2*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	err := f.View(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("flat")).ForEach(func(k, v []byte) error { return nil })
	})
	if !errors.As(err, &broke) {
		t.Errorf("reading a file that was cut: %v", err)
	}
	if err := set(f, "k", "v"); err == nil {
		t.Error("a file that was cut was written")
	}
	if next, err := f.Recover(); err == nil {
		next.Close()
		t.Error("a file that was cut was recovered")
	}
}

// A panic in the middle of a write may leave bbolt's locks taken: the file is opened anew.
func TestRecoverFromPanic(t *testing.T) {
	f := opened(t, created(t))
	if err := set(f, "k", "before"); err != nil {
		t.Fatal(err)
	}
	err := f.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket([]byte("flat")).Put([]byte("k"), []byte("lost")); err != nil {
			return err
		}
		panic("on purpose")
	})
	var broke *PanicError
	if !errors.As(err, &broke) || !f.NeedsRecovery() {
		t.Fatalf("got %v, needs recovery %v", err, f.NeedsRecovery())
	}
	next, err := f.Recover()
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if next.NeedsRecovery() || get(t, next, "k") != "before" {
		t.Errorf("after recovery k is %q", get(t, next, "k"))
	}
	if err := set(next, "k", "after"); err != nil {
		t.Error(err)
	}
}

func TestErrorOfTheCallerNeedsNoRecovery(t *testing.T) {
	f := opened(t, created(t))
	err := f.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket([]byte("flat")).Put([]byte("k"), []byte("lost")); err != nil {
			return err
		}
		return fs.ErrInvalid
	})
	if !errors.Is(err, fs.ErrInvalid) || f.NeedsRecovery() || get(t, f, "k") != "" {
		t.Errorf("got %v, needs recovery %v, k is %q", err, f.NeedsRecovery(), get(t, f, "k"))
	}
}

// An fsync may fail when the header stands in the file already: what was reported as not saved is taken back.
func TestWithdrawWhatWasReportedAsNotSaved(t *testing.T) {
	f := opened(t, created(t))
	if err := set(f, "k", "old"); err != nil {
		t.Fatal(err)
	}
	var txid uint64
	err := f.Update(func(tx *bolt.Tx) error {
		txid = uint64(tx.ID())
		return tx.Bucket([]byte("flat")).Put([]byte("k"), []byte("new"))
	})
	if err != nil {
		t.Fatal(err)
	}
	f.failed, f.txid = &CommitError{errors.New("sync: input/output error")}, txid
	next, err := f.Recover()
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if got := get(t, next, "k"); got != "old" {
		t.Errorf("k is %q", got)
	}
	for i := range 20 {
		if err := set(next, "k", fmt.Sprint("again ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, next, "k"); got != "again 19" {
		t.Errorf("k is %q", got)
	}
	data, err := os.ReadFile(next.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := check(data); err != nil {
		t.Error(err)
	}
}

// B049 (etcd-io/bbolt#782): readers copy while a writer writes, and see one whole transaction, the newest or one that
// was newest while they copied.
func TestCopyBesideAWriter(t *testing.T) {
	path := created(t)
	f := opened(t, path)
	keys := []string{"a", "key 000001", "key 001001", "key 001999", "z"}
	generation := func(n int) error {
		return f.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte("flat"))
			for _, k := range keys {
				if err := b.Put([]byte(k), fmt.Appendf(nil, "%d", n)); err != nil {
					return err
				}
			}
			// Much else changes too, so that pages are freed and used again.
			for i := range 60 {
				if err := b.Put(fmt.Appendf(nil, "key %06d", (n*37+i*29)%2000), bytes.Repeat([]byte{byte(n)}, 200)); err != nil {
					return err
				}
			}
			for _, k := range keys {
				if err := b.Put([]byte(k), fmt.Appendf(nil, "%d", n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := generation(0); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := generation(n); err != nil {
				t.Error(err)
				return
			}
		}
	})
	whole, last := 0, -1
	for range 60 {
		c, err := Copy(path, 2*time.Second)
		if errors.Is(err, ErrBusy) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]bool{}
		for _, k := range keys {
			values[get(t, c, k)] = true
		}
		if len(values) != 1 {
			t.Fatalf("a copy of several transactions: %v", values)
		}
		var n int
		if _, err := fmt.Sscan(get(t, c, "a"), &n); err != nil || n < last {
			t.Fatalf("generation %d after %d, %v", n, last, err)
		}
		whole, last = whole+1, n
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if whole == 0 {
		t.Error("no copy was had")
	}
}

// A file that changes during each copy is reported as busy, in time.
func TestCopyGivesUp(t *testing.T) {
	path := created(t)
	f := opened(t, path)
	src, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.CreateTemp(t.TempDir(), "copy")
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	before, err := currentMeta(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := copyPages(dst, src, before); err != nil {
		t.Fatal(err)
	}
	if err := set(f, "k", "v"); err != nil { // a writer commits between
		t.Fatal(err)
	}
	if after, err := currentMeta(src); err != nil || after.raw == before.raw {
		t.Errorf("the commit can't be seen: %v", err)
	}
	n := 0
	commit := func() {
		n++
		if err := set(f, "k", fmt.Sprint(n)); err != nil {
			t.Error(err)
		}
	}
	if err := copyStableBetween(dst, src, time.Now().Add(soon), commit); !errors.Is(err, ErrBusy) || n == 0 {
		t.Errorf("after %d commits: %v", n, err)
	}
	// With nobody writing one try is enough, however short the time.
	if err := copyStable(dst, src, time.Now().Add(-time.Hour)); err != nil {
		t.Error(err)
	}
}

func TestCopyLeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := created(t)
	c, err := Copy(path, soon)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)/2], Mode); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(path, soon); err == nil {
		t.Error("half a file was copied")
	}
	if entries, _ := os.ReadDir(os.TempDir()); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	if _, err := os.Stat(notePath(path)); err == nil {
		t.Error("a reader left a note")
	}
}
