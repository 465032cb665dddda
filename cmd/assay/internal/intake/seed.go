package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// seedFile is where a workspace keeps the seed of its samples, beside the frame.
const seedFile = "sampling.json"

// DefaultSeed is the seed of a workspace that was given none.
const DefaultSeed = 1

type sampling struct {
	Seed uint64 `json:"seed"`
}

// SeedError says that a sample was to be drawn with another seed than the workspace's.
type SeedError struct{ Kept, Given uint64 }

func (e *SeedError) Error() string {
	return fmt.Sprintf("this workspace draws with seed %d, not %d", e.Kept, e.Given)
}

// Hint says why that matters.
func (e *SeedError) Hint() string {
	return "all samples of a workspace share one seed, so that they can be weighed together: leave --seed away"
}

// seedOf is the seed to draw with: the one that the workspace draws with already, else the one given, else the default.
// first is true where the workspace keeps none yet.
func seedOf(logs string, given *uint64) (seed uint64, first bool, err error) {
	b, err := os.ReadFile(filepath.Join(logs, seedFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if given != nil {
			return *given, true, nil
		}
		return DefaultSeed, true, nil
	case err != nil:
		return 0, false, err
	}
	var s sampling
	if err := json.Unmarshal(b, &s); err != nil {
		return 0, false, fmt.Errorf("read %s: %w", filepath.Join(logs, seedFile), err)
	}
	if given != nil && *given != s.Seed {
		return 0, false, &SeedError{Kept: s.Seed, Given: *given}
	}
	return s.Seed, false, nil
}

func keepSeed(logs string, seed uint64) error {
	b, err := json.Marshal(sampling{seed})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(logs, seedFile), append(b, '\n'))
}

// replaceFile writes a file so that the old one is intact until the new one is whole.
func replaceFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
