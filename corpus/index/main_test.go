package index

import (
	"os"
	"testing"
)

var benchFolder string

// benchDir is a folder that lasts for all benchmarks.
func benchDir() (string, error) {
	var err error
	benchFolder, err = os.MkdirTemp("", "assay-bench")
	return benchFolder, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	if benchFolder != "" {
		os.RemoveAll(benchFolder)
	}
	os.Exit(code)
}
