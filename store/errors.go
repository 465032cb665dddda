package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/store/internal/boltfile"
)

// Errors that a caller decides on.
var (
	ErrNone         = errors.New("there is no labels file")
	ErrBusy         = errors.New("labels are being written too fast to be read")
	ErrClosed       = errors.New("the labels file is closed")
	ErrReadOnly     = errors.New("labels are open for reading only")
	ErrChangedSince = errors.New("it was changed since")
	ErrNoEvent      = errors.New("there is no such event")
	ErrNoBatch      = errors.New("there is no such batch")
)

// LockedError says which process holds the file: PID, Host, Since. PID is 0 where that is not known.
type LockedError = boltfile.LockedError

// DamagedError says in plain words why a file can't be used.
type DamagedError struct {
	Path   string
	Reason string
	Backup string // the newest one found; "" where there is none
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %s", filepath.Base(e.Path), e.Reason)
}

// Hint says what to do, and names the newest backup.
func (e *DamagedError) Hint() string {
	if e.Backup == "" {
		return "nothing was changed; put a backup in its place, none was found near it"
	}
	return "nothing was changed; put a backup in its place, the newest is " + e.Backup
}

// NewerError says that a newer program wrote the file.
type NewerError struct {
	Path      string
	Has, Know int // schema versions
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer assay (schema %d, this one knows %d)", filepath.Base(e.Path), e.Has, e.Know)
}

// Hint says what to do.
func (e *NewerError) Hint() string { return "update assay" }

// explain says what an error of the file means.
func explain(path string, err error) error {
	var damage *boltfile.Damage
	var broke *boltfile.PanicError
	var commit *boltfile.CommitError
	switch {
	case errors.As(err, &damage):
		return &DamagedError{path, damage.Reason, newestBackup(path)}
	case errors.As(err, &broke):
		return &DamagedError{path, broke.Error(), newestBackup(path)}
	case errors.Is(err, boltfile.ErrBusy):
		return fmt.Errorf("open labels: %w", ErrBusy)
	case errors.As(err, &commit):
		return fmt.Errorf("save to %s: %w", filepath.Base(path), commit.Err)
	}
	return err
}

// newestBackup looks beside the file and in the folder of backups for the newest one that is not empty.
func newestBackup(path string) string {
	dir, base := filepath.Split(path)
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	newest, best := "", os.FileInfo(nil)
	for _, pattern := range []string{base + ".*.backup", base + ".backup", filepath.Join("backups", stem+"*")} {
		found, _ := filepath.Glob(filepath.Join(globQuote(dir), pattern))
		for _, name := range found {
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
				continue
			}
			if best == nil || info.ModTime().After(best.ModTime()) {
				newest, best = name, info
			}
		}
	}
	return newest
}

// globQuote makes a folder's name mean itself.
func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
