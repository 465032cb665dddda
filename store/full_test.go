//go:build linux

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/corpus"
)

// B012, B053 (HumanSignal/label-studio#6674, iotexproject/iotex-core#3686): where a label can't be saved, the error says
// so, what was saved is there, and a later try works.
//
// Each way of running out of room is tried in a process of its own, which is this test again: inChild runs fn there.
func inChild(t *testing.T, attr *syscall.SysProcAttr, fn func(t *testing.T)) {
	const mark = "STORE_TEST_CHILD"
	if os.Getenv(mark) == t.Name() {
		fn(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("can't start a process that may do this: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	case !bytes.Contains(out, []byte("--- PASS")):
		t.Errorf("the test did not run:\n%s", out)
	}
}

// runOutOfRoom labels until there is no room left, makes room, and goes on.
func runOutOfRoom(t *testing.T, db *DB, want error, makeRoom func()) {
	ctx := context.Background()
	saved := 0
	for ; saved < 5000; saved++ {
		if _, err := db.Write(ctx, Author{}, benchLabels(saved, 1, 8)...); err != nil {
			if !errors.Is(err, want) && !strings.Contains(err.Error(), want.Error()) || !strings.HasPrefix(err.Error(), "save to labels.db: ") {
				t.Fatalf("the error is %v, want %v", err, want)
			}
			break
		}
	}
	if saved == 0 || saved == 5000 {
		t.Fatalf("there was room for %d labels", saved)
	}
	next := benchLabels(saved, 1, 8)
	there := func(n int) {
		t.Helper()
		counts, err := db.Counts()
		if err != nil || counts.Labels != n {
			t.Fatalf("%d labels are there of %d, %v", counts.Labels, n, err)
		}
	}
	for range 5 { // trying again does not help, nor does it harm
		there(saved)
		if _, err := db.Write(ctx, Author{}, next...); err == nil {
			t.Fatal("there is room all of a sudden")
		}
		if err := db.PutDraft(ctx, "ann", "note", strings.Repeat("x", 1<<20)); err == nil {
			t.Fatal("there is room for a draft")
		}
	}
	reader, err := OpenCopy(db.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	verified(t, reader)
	reader.Close()
	makeRoom()
	for range 300 {
		if _, err := db.Write(ctx, Author{}, benchLabels(saved, 1, 8)...); err != nil {
			t.Fatalf("with room again: %v", err)
		}
		saved++
	}
	there(saved)
	verified(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = Open(db.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	there(saved)
	verified(t, db)
}

// freshDB is a DB in dir, closed by whoever gets it.
func freshDB(t *testing.T, dir string) *DB {
	db, err := Open(filepath.Join(dir, "labels.db"), Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, Author{}, SetScale(corpus.DefaultScale()), PutCorpus(corpus.Info{ID: "c1"}))
	return db
}

func TestFileMayNotGrow(t *testing.T) {
	inChild(t, nil, func(t *testing.T) {
		signal.Ignore(syscall.SIGXFSZ)
		db := freshDB(t, t.TempDir())
		limit := func(n uint64) {
			var r syscall.Rlimit
			if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
				t.Skipf("no limit on file size here: %v", err)
			}
			r.Cur = min(n, r.Max)
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
				t.Skipf("no limit on file size here: %v", err)
			}
		}
		limit(1 << 20)
		runOutOfRoom(t, db, syscall.EFBIG, func() { limit(1 << 40) })
	})
}

// ownDisk is for processes that may mount a small disk of their own, which goes with them.
func ownDisk() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

func TestDiskFull(t *testing.T) {
	inChild(t, ownDisk(), func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
			t.Skipf("no disk can be mounted here: %v", err)
		}
		defer func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		}()
		db := freshDB(t, dir)
		ballast := filepath.Join(dir, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		runOutOfRoom(t, db, syscall.ENOSPC, func() {
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// Where there is room to forget and none to rewrite the file, the error says so, nothing is left beside the file, and
// with room again another try finishes it.
func TestForgetOnFullDisk(t *testing.T) {
	inChild(t, ownDisk(), func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
			t.Skipf("no disk can be mounted here: %v", err)
		}
		defer func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		}()
		db := freshDB(t, dir)
		defer db.Close()
		tellAll(t, db, "query-0001")
		write(t, db, Author{Batch: "many"}, benchLabels(0, 4000, 8)...)
		ballast, err := os.Create(filepath.Join(dir, "ballast"))
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for block := make([]byte, 64<<10); err == nil; n += int64(len(block)) {
			_, err = ballast.Write(block)
		}
		if err := ballast.Truncate(max(0, n-(2<<20))); err != nil { // room for the commit
			t.Fatal(err)
		}
		if out, err := db.Forget(context.Background(), Author{}, "query-0001"); !errors.Is(err, ErrTraces) || !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("got %+v, %v", out, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.rewrite-*")); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		write(t, db, Author{}, PutQuery(corpus.Query{ID: "more", Text: "more"}))
		verified(t, db)
		if err := ballast.Truncate(0); err != nil {
			t.Fatal(err)
		}
		forget(t, db, "query-0001")
		if b := raw(t, db); bytes.Contains(b, []byte(secret)) {
			t.Error("the file holds what was forgotten")
		}
		verified(t, db)
		if err := ballast.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The file's folder may be full from the start: there is no file then, not half of one.
func TestCreateOnFullDisk(t *testing.T) {
	inChild(t, nil, func(t *testing.T) {
		signal.Ignore(syscall.SIGXFSZ)
		dir := t.TempDir()
		r := syscall.Rlimit{Cur: 9000, Max: 1 << 40}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
			t.Skipf("no limit on file size here: %v", err)
		}
		_, err := Open(filepath.Join(dir, "labels.db"), Options{Create: true})
		r.Cur = r.Max
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			t.Fatal("a file was made")
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("after %v the folder holds %v", err, entries)
		}
		freshDB(t, dir).Close()
	})
}

// An unwritable folder keeps nobody from reading, and says what is wrong to who would write.
func TestUnwritable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	db := testDB(t)
	if err := errors.Join(db.Close(), os.Chmod(db.path, 0o400), os.Chmod(filepath.Dir(db.path), 0o500)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(db.path), 0o700)
	if _, err := Open(db.path, testOptions()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Open: %v", err)
	}
	reader, err := OpenCopy(db.path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if queries, err := reader.Queries(); err != nil || len(queries) != 2 {
		t.Errorf("%d queries, %v", len(queries), err)
	}
}

// A handle that a panic broke is exchanged under those who use it.
func TestBrokenHandleIsExchanged(t *testing.T) {
	db := testDB(t)
	write(t, db, Author{}, grade("q1", "k1", "ann", 1))
	_, err := db.write(context.Background(), Author{}, func(w *writer) error {
		if err := w.change(grade("q1", "k1", "ann", 2)); err != nil {
			return err
		}
		panic("on purpose")
	})
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		t.Fatalf("got %v", err)
	}
	if got := gradeOf(t, db, "q1", "k1", "ann"); got != "1" {
		t.Errorf("grade is %s", got)
	}
	write(t, db, Author{}, grade("q1", "k1", "ann", 3))
	verified(t, db)
	if _, err := Open(db.path, testOptions()); err == nil {
		t.Error("the lock was lost on the way")
	}
}

// B051 (etcd-io/bbolt#288): with label and undo over and over the file stays in proportion to what it holds.
func TestFileIsBounded(t *testing.T) {
	db := testDB(t)
	held := func() (n int64) {
		events, err := db.Events(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			b, err := encodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			n += int64(len(b))
		}
		return n
	}
	for i := range 500 {
		e := write(t, db, Author{}, grade("q1", fmt.Sprint("k", i%7), "ann", corpus.Grade(i%4)))[0]
		undo(t, db, e.ID)
	}
	info, err := os.Stat(db.path)
	if err != nil {
		t.Fatal(err)
	}
	if n := held(); info.Size() > 4*n {
		t.Errorf("the file has %d bytes for a journal of %d", info.Size(), n)
	}
}
