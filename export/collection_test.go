package export

import (
	"os"
	"path/filepath"
	"testing"
)

// dataDir is a real collection's folder, or skips the test. It looks in ASSAY_DATA, else for shared/data beside the
// folders above.
func dataDir(t *testing.T, collection string) string {
	t.Helper()
	if data := os.Getenv("ASSAY_DATA"); data != "" {
		dir := filepath.Join(data, collection)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	} else {
		for up := ".."; len(up) < 40; up = filepath.Join("..", up) {
			dir := filepath.Join(up, "shared", "data", collection)
			if _, err := os.Stat(dir); err == nil {
				return dir
			}
		}
	}
	t.Skip("collections not found: set ASSAY_DATA to the folder that holds " + collection)
	return ""
}
