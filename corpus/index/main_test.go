package index

import (
	"os"
	"testing"
)

var keptFolders []string

// keptFolder is a folder that lasts until all tests have run.
func keptFolder() (string, error) {
	dir, err := os.MkdirTemp("", "assay-index-test")
	keptFolders = append(keptFolders, dir)
	return dir, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range keptFolders {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}
