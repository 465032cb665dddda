package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// steps are those of a rewrite, in order.
var steps = []string{"make", "copy", "save", "rename", "sync", "release"}

// deleted is a file of which much was deleted, which its free pages still hold.
func deleted(t *testing.T) (path string) {
	t.Helper()
	path = created(t)
	f := opened(t, path)
	for i := range 40 {
		if err := set(f, fmt.Sprintf("key %02d", i), strings.Repeat("secret ", 1000)); err != nil {
			t.Fatal(err)
		}
	}
	err := f.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("flat"))
		var errs []error
		for i := range 40 {
			errs = append(errs, b.Delete(fmt.Appendf(nil, "key %02d", i)))
		}
		errs = append(errs, b.Put([]byte("kept"), []byte("value")), b.SetSequence(77))
		return errors.Join(errs...)
	})
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); !bytes.Contains(b, []byte("secret")) {
		t.Fatal("the free pages don't hold what was deleted")
	}
	return path
}

func leftovers(t *testing.T, path string) []string {
	t.Helper()
	left, err := filepath.Glob(path + rewriteMark + "*")
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func mark(tx *bolt.Tx) error {
	return tx.Bucket([]byte("flat")).Put([]byte("rewritten"), []byte("yes"))
}

func TestRewriteLeavesNoTraces(t *testing.T) {
	path := deleted(t)
	before, _ := os.Stat(path)
	f := opened(t, path)
	var seen []string
	next, err := f.rewrite(mark, func(step string) { seen = append(seen, step) })
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if fmt.Sprint(seen) != fmt.Sprint(steps) {
		t.Errorf("steps %v", seen)
	}
	if get(t, next, "kept") != "value" || get(t, next, "rewritten") != "yes" {
		t.Error("something is missing")
	}
	b, _ := os.ReadFile(path)
	if bytes.Contains(b, []byte("secret")) {
		t.Error("the file holds what was deleted")
	}
	after, _ := os.Stat(path)
	if after.Mode() != before.Mode() || after.Size() >= before.Size() {
		t.Errorf("mode %v, size %d, were %v, %d", after.Mode(), after.Size(), before.Mode(), before.Size())
	}
	if err := Check(bytes.NewReader(b), int64(len(b))); err != nil {
		t.Error(err)
	}
	err = next.View(func(tx *bolt.Tx) error {
		if n := tx.Bucket([]byte("flat")).Sequence(); n != 77 {
			return fmt.Errorf("the sequence is at %d", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if left := leftovers(t, path); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	// It is as usable, and as locked, as the one before, and once more.
	var locked *LockedError
	if _, err := Open(path, soon, self); !errors.As(err, &locked) || locked.Holder != self {
		t.Errorf("a second writer: %v", err)
	}
	if err := set(next, "later", "x"); err != nil {
		t.Error(err)
	}
	last, err := next.Rewrite(mark)
	if err != nil {
		t.Fatal(err)
	}
	if get(t, last, "later") != "x" {
		t.Error("what was written between is lost")
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(notePath(path)); err == nil {
		t.Error("the note is left")
	}
	if get(t, opened(t, path), "later") != "x" {
		t.Error("what was written after is lost")
	}
}

func TestRewriteFails(t *testing.T) {
	path := deleted(t)
	f := opened(t, path)
	same := func(next *File, err error, want string) {
		t.Helper()
		if next != f || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %p, not %p: %v, want %s", next, f, err, want)
		}
		if left := leftovers(t, path); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		if err := set(f, "still", "usable"); err != nil || get(t, f, "kept") != "value" {
			t.Error("the old file is unusable", err)
		}
	}
	next, err := f.Rewrite(func(*bolt.Tx) error { return errors.New("on purpose") })
	same(next, err, "on purpose")
	next, err = f.Rewrite(func(*bolt.Tx) error { panic("on purpose") })
	same(next, err, "on purpose")
	aside := path + ".aside"
	next, err = f.rewrite(mark, func(step string) {
		if step == "rename" { // a folder of that name can't be replaced
			if err := errors.Join(os.Rename(path, aside), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err2 := errors.Join(os.RemoveAll(path), os.Rename(aside, path)); err2 != nil {
		t.Fatal(err2)
	}
	same(next, err, "rename")
}

// A link to the file goes on being one: the file that it leads to is exchanged.
func TestRewriteBehindLink(t *testing.T) {
	path := deleted(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	f := opened(t, link)
	next, err := f.Rewrite(mark)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v %v", info, err)
	}
	if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("secret")) {
		t.Error("the file behind the link is the old one")
	}
}

// A reader that began before sees the old state or the new one; both are whole.
func TestRewriteWhileCopied(t *testing.T) {
	path := deleted(t)
	f := opened(t, path)
	src, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, step := range steps {
		next, err := f.rewrite(mark, func(s string) {
			if s != step {
				return
			}
			r, err := Copy(path, CopyWait)
			if err != nil {
				t.Errorf("a copy before %s: %v", step, err)
				return
			}
			defer r.Close()
			if get(t, r, "kept") != "value" {
				t.Errorf("the copy before %s is not whole", step)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		f = next
	}
	defer f.Close()
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	if err := copyStable(dst, src, time.Now().Add(CopyWait)); err != nil {
		t.Errorf("the copy of a file that has no name any more: %v", err)
	}
}

// A process that is killed before any step leaves the old file or the new one, and the next writer removes the rest.
func TestRewriteKilled(t *testing.T) {
	const step, file = "BOLTFILE_TEST_STEP", "BOLTFILE_TEST_FILE"
	if at := os.Getenv(step); at != "" {
		f, err := Open(os.Getenv(file), LockWait, Holder{})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.rewrite(mark, func(s string) {
			if s == at {
				p, _ := os.FindProcess(os.Getpid())
				_ = p.Kill()
				select {}
			}
		})
		t.Fatal("it was not killed")
	}
	for _, at := range steps {
		path := deleted(t)
		cmd := exec.Command(os.Args[0], "-test.run", "^TestRewriteKilled$")
		cmd.Env = append(os.Environ(), step+"="+at, file+"="+path)
		if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("FAIL")) {
			t.Fatalf("before %s: %v\n%s", at, err, out)
		}
		left := len(leftovers(t, path))
		if want := at == "copy" || at == "save" || at == "rename"; (left == 1) != want {
			t.Errorf("before %s: %d files are left", at, left)
		}
		aside := path + rewriteMark + "-folder" // whatever else has such a name stays
		if err := os.Mkdir(aside, 0o700); err != nil {
			t.Fatal(err)
		}
		f := opened(t, path)
		if rest := leftovers(t, path); len(rest) != 1 || rest[0] != aside {
			t.Errorf("before %s: the next writer leaves %v", at, rest)
		}
		b, _ := os.ReadFile(path)
		exchanged := at == "sync" || at == "release"
		if bytes.Contains(b, []byte("secret")) == exchanged || (get(t, f, "rewritten") == "yes") != exchanged || get(t, f, "kept") != "value" {
			t.Errorf("before %s: the file is neither the old nor the new one", at)
		}
		f.Close()
	}
}
