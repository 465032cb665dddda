package desk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/export"
)

// runEndings are those of a kept run's file; where a name has several, the first one counts.
var runEndings = []string{".run", ".jsonl"}

// runFile is a run in the workspace's folder of runs.
type runFile struct {
	name string // without its ending
	path string
	info fs.FileInfo
}

func (f runFile) words() string {
	const kb = 1 << 10
	size := fmt.Sprintf("%d kB", (f.info.Size()+kb-1)/kb)
	if f.info.Size() >= 10*kb*kb {
		size = fmt.Sprintf("%d MB", f.info.Size()/(kb*kb))
	}
	return size
}

// listRuns lists a folder's runs by name; none where it is not there.
func listRuns(dir string) ([]runFile, error) {
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
	var files []runFile
	for _, e := range entries {
		ending := filepath.Ext(e.Name())
		name := strings.TrimSuffix(e.Name(), ending)
		if !slices.Contains(runEndings, ending) || name == "" || strings.HasPrefix(name, ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // follows links
		if err != nil || !info.Mode().IsRegular() {
			continue // gone meanwhile, or none
		}
		files = append(files, runFile{name, path, info})
	}
	slices.SortFunc(files, func(a, b runFile) int {
		rank := func(f runFile) int { return slices.Index(runEndings, filepath.Ext(f.path)) }
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(rank(a), rank(b)))
	})
	return slices.CompactFunc(files, func(a, b runFile) bool { return a.name == b.name }), nil
}

// mostRead is how many run files are kept in memory: as many as can be looked at side by side.
const mostRead = 4

// kept are the run files read so far, the one asked for last at the end.
type kept struct {
	mu    sync.Mutex
	files []readRun
}

type readRun struct {
	name    string
	path    string
	size    int64
	changed time.Time
	file    export.RunFile
}

// read is the run of that name, from its file where that changed since.
func (k *kept) read(dir, name string) (export.RunFile, error) {
	runs, err := listRuns(dir)
	if err != nil {
		return export.RunFile{}, err
	}
	i := slices.IndexFunc(runs, func(f runFile) bool { return f.name == name })
	if i < 0 {
		return export.RunFile{}, fmt.Errorf("run %q: %w", name, fs.ErrNotExist)
	}
	f := runs[i]
	k.mu.Lock() // while reading too: two that ask at once read it once
	defer k.mu.Unlock()
	one := readRun{name: name, path: f.path, size: f.info.Size(), changed: f.info.ModTime()}
	if at := slices.IndexFunc(k.files, func(r readRun) bool { return r.name == name }); at >= 0 {
		old := k.files[at]
		k.files = slices.Delete(k.files, at, at+1)
		if old.path == one.path && old.size == one.size && old.changed.Equal(one.changed) {
			k.files = append(k.files, old)
			return old.file, nil
		}
	}
	if one.file, err = export.ReadRun(f.path, export.ReadOptions{}); err != nil {
		return export.RunFile{}, err
	}
	if one.file.Stats.Accepted == 0 {
		return export.RunFile{}, fmt.Errorf("run %q holds no ranking", name)
	}
	k.files = append(k.files, one)
	if len(k.files) > mostRead {
		k.files = slices.Delete(k.files, 0, 1)
	}
	return one.file, nil
}

// warningsOf are what is wrong with a run's file.
func warningsOf(f export.RunFile) []string {
	warnings := slices.Clone(f.Warnings)
	if n := f.Stats.Rejected; n > 0 {
		line := fmt.Sprintf("%d lines of the run's file were rejected", n)
		if n == 1 {
			line = "1 line of the run's file was rejected"
		}
		if len(f.Stats.Rejects) > 0 {
			line += fmt.Sprintf(", first %v", f.Stats.Rejects[0])
		}
		warnings = append(warnings, line)
	}
	return warnings
}
