package desk

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"assay/cmd/assay/internal/bench"
	"assay/export"
)

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
	runs, err := bench.ListRuns(dir)
	if err != nil {
		return export.RunFile{}, err
	}
	i := slices.IndexFunc(runs, func(f bench.RunFile) bool { return f.Name == name })
	if i < 0 {
		return export.RunFile{}, fmt.Errorf("run %q: %w", name, fs.ErrNotExist)
	}
	f := runs[i]
	k.mu.Lock() // while reading too: two that ask at once read it once
	defer k.mu.Unlock()
	one := readRun{name: name, path: f.Path, size: f.Info.Size(), changed: f.Info.ModTime()}
	if at := slices.IndexFunc(k.files, func(r readRun) bool { return r.name == name }); at >= 0 {
		old := k.files[at]
		k.files = slices.Delete(k.files, at, at+1)
		if old.path == one.path && old.size == one.size && old.changed.Equal(one.changed) {
			k.files = append(k.files, old)
			return old.file, nil
		}
	}
	if one.file, err = export.ReadRun(f.Path, export.ReadOptions{}); err != nil {
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

// sizeOf says how large a run's file is.
func sizeOf(info fs.FileInfo) string {
	const kb = 1 << 10
	if info.Size() >= 10*kb*kb {
		return fmt.Sprintf("%d MB", info.Size()/(kb*kb))
	}
	return fmt.Sprintf("%d kB", (info.Size()+kb-1)/kb)
}
