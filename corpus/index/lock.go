package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// lockFile is held by the process that builds. The system lets go of it when the process dies, however it does.
const lockFile = "lock"

var errLocked = errors.New("locked")

// holder is what the lock file says of the process that holds it.
type holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// lock takes the lock or says in a *BuildingError who has it.
func lock(dir string, now time.Time) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		var h holder
		for range 50 { // whoever took it just now has yet to say so
			b, _ := io.ReadAll(io.NewSectionReader(f, 0, 4096))
			if json.Unmarshal(b, &h) == nil && h.PID != 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil, &BuildingError{h.PID, h.Host, h.Since}
	}
	host, _ := os.Hostname()
	b, err := json.Marshal(holder{os.Getpid(), host, now.UTC()})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(b, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() {
		f.Truncate(0) // else the next one to be refused might read of us
		f.Close()
	}, nil
}
