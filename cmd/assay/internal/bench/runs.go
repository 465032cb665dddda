package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The endings of a run's file, by its form.
const (
	TRECEnding  = ".run"
	LinesEnding = ".jsonl"
)

// runEndings are all of them; where a name has several, the first one counts.
var runEndings = [...]string{TRECEnding, LinesEnding}

// RunPaths are the files that a run of that name may be in, in a folder of runs; the first that is there counts.
func RunPaths(dir, name string) []string {
	paths := make([]string, len(runEndings))
	for i, ending := range runEndings {
		paths[i] = filepath.Join(dir, name+ending)
	}
	return paths
}

// RunFile is a run in a folder of runs.
type RunFile struct {
	Name string // without its ending
	Path string
	Info fs.FileInfo
}

// ListRuns lists a folder's runs by name; none where it is not there.
func ListRuns(dir string) ([]RunFile, error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	rank := func(path string) int { return slices.Index(runEndings[:], filepath.Ext(path)) }
	var files []RunFile
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if rank(e.Name()) < 0 || name == "" || strings.HasPrefix(name, ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // follows links
		if err != nil || !info.Mode().IsRegular() {
			continue // gone meanwhile, or none
		}
		files = append(files, RunFile{name, path, info})
	}
	slices.SortFunc(files, func(a, b RunFile) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(rank(a.Path), rank(b.Path)))
	})
	return slices.CompactFunc(files, func(a, b RunFile) bool { return a.Name == b.Name }), nil
}
