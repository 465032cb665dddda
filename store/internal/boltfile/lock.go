package boltfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Holder is who holds a file, as the note beside it says. PID is 0 where there is no note.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Program string    `json:"program,omitempty"`
}

// LockedError says that another writer holds the file.
type LockedError struct {
	Path string
	Holder
}

func (e *LockedError) Error() string {
	name := filepath.Base(e.Path)
	if e.PID == 0 {
		return name + " is in use by another process"
	}
	s := fmt.Sprintf("%s is in use by process %d", name, e.PID)
	if e.Host != "" {
		s += " on " + e.Host
	}
	return s + " since " + e.Since.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Hint says what to do.
func (e *LockedError) Hint() string {
	return "finish there first, or use a command that only reads (status, check, search, export)"
}

// errHeld says that the lock was not to be had in time.
var errHeld = errors.New("the lock is held")

const maxNote = 4 << 10

func notePath(path string) string { return path + ".lock" }

// writeNote leaves the note in one step, so that nobody reads half of it. It is a courtesy: a full disk or a foreign
// folder must not keep anybody from working.
func writeNote(path string, h Holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("write lock note: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".lock-*")
	if err != nil {
		return fmt.Errorf("write lock note: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), notePath(path))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write lock note: %w", err)
	}
	return nil
}

// readNote reads the note for an error message: whatever can't be read or shown is left out.
func readNote(path string) Holder {
	f, err := os.Open(notePath(path))
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxNote))
	if err != nil {
		return Holder{}
	}
	var h Holder
	if json.Unmarshal(b, &h) != nil || h.PID <= 0 {
		return Holder{}
	}
	if strings.ContainsFunc(h.Host, func(r rune) bool { return !unicode.IsGraphic(r) }) || len(h.Host) > 255 {
		h.Host = ""
	}
	return h
}

// dropNote removes the note if it is still ours. It must be called while the lock is held.
func dropNote(path string, h Holder) {
	if got := readNote(path); got.PID == h.PID && got.Since.Equal(h.Since) {
		os.Remove(notePath(path))
	}
}
