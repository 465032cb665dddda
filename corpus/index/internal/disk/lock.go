package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

var errLocked = errors.New("locked")

// Holder is the process that holds a lock. PID is 0 where that is not known.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Lock takes the lock that the file stands for. held says who has it, where it can't be had.
func Lock(path string, now time.Time) (unlock func(), held *Holder, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, err
	}
	if err := tryLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errLocked) {
			return nil, nil, fmt.Errorf("lock %s: %w", path, err)
		}
		held = &Holder{}
		for range 50 { // whoever took it just now has yet to say so
			b, _ := io.ReadAll(io.NewSectionReader(f, 0, 4096))
			if json.Unmarshal(b, held) == nil && held.PID != 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil, held, nil
	}
	host, _ := os.Hostname()
	b, err := json.Marshal(Holder{os.Getpid(), host, now.UTC()})
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(b, 0)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() {
		f.Truncate(0) // else the next one to be refused might read of us
		f.Close()
	}, nil, nil
}
