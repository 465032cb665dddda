package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl", "b.run", "a.jsonl", ".hidden.run", ".run", "notes.txt", "c.run.bak", "d.e.run"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.run"), 0o755); err != nil {
		t.Fatal(err)
	}
	runs, err := ListRuns(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, fmt.Sprintf("%s=%s", r.Name, filepath.Base(r.Path)))
		if r.Info.Size() != 1 {
			t.Errorf("%s is of %d bytes", r.Name, r.Info.Size())
		}
		// What is listed under a name is what the name leads to.
		for _, path := range RunPaths(dir, r.Name) {
			if _, err := os.Stat(path); err == nil {
				if path != r.Path {
					t.Errorf("%s is listed as %s and found as %s", r.Name, r.Path, path)
				}
				break
			}
		}
	}
	if s := strings.Join(got, " "); s != "a=a.jsonl b=b.run d.e=d.e.run" {
		t.Error(s)
	}
	for _, none := range []string{"", filepath.Join(dir, "missing")} {
		if runs, err := ListRuns(none); err != nil || len(runs) != 0 {
			t.Errorf("%q: %v, %v", none, runs, err)
		}
	}
	if _, err := ListRuns(filepath.Join(dir, "a.jsonl")); err == nil {
		t.Error("a file passes for a folder")
	}
}
