package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/corpus"
)

// mountSmall mounts a file system of the given size, where the test may.
func mountSmall(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small disk: mount: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// B048. Public reports: blevesearch/bleve#1305, ipni/storetheindex#484. What the engine writes itself fails as well,
// and the build resumes after space was freed.
func TestDiskIsReallyFull(t *testing.T) {
	dir := mountSmall(t, "3m")
	var chunks []corpus.Chunk
	g := newGenerated(3000)
	for i := range 6000 {
		chunks = append(chunks, g.chunk(i))
	}
	_, err := Build(context.Background(), dir, BuildOptions{Language: "en"}, feedOf(chunks...))
	if !errors.Is(err, syscall.ENOSPC) && (err == nil || !strings.Contains(err.Error(), "no space left")) {
		t.Fatalf("a first build: %v", err)
	}
	if left := folders(t, dir); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	few := chunks[:400]
	mustBuild(t, dir, BuildOptions{Language: "en"}, few...)
	filler := filepath.Join(dir, "filler")
	for room := 4; room <= 256; room *= 2 {
		// All but a few pages are taken.
		os.Remove(filler)
		var s syscall.Statfs_t
		if err := syscall.Statfs(dir, &s); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filler, make([]byte, max(0, int(s.Bavail)-room)*int(s.Bsize)), 0o600); err != nil {
			t.Fatal(err)
		}
		changed := append([]corpus.Chunk(nil), few...)
		for i := range 60 {
			changed[i*5].Text += fmt.Sprintf(" changed%d", room)
		}
		r, err := Build(context.Background(), dir, BuildOptions{}, feedOf(changed...))
		ix := mustOpen(t, dir)
		found := len(plain(t, ix, fmt.Sprintf("changed%d", room)))
		if err != nil && (found != 0 || !strings.Contains(err.Error(), "no space left")) {
			t.Errorf("room for %d pages: %v, %d found", room, err, found)
		}
		if err == nil && (found != 60 || r.Changed != 60) {
			t.Errorf("room for %d pages: %+v, %d found", room, r, found)
		}
		if err == nil && room == 4 || err != nil && room == 256 {
			t.Errorf("room for %d pages: %v", room, err)
		}
		few = few[:400:400]
		if err == nil {
			few = changed
		}
	}
}
