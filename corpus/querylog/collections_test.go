package querylog

import (
	"os"
	"path/filepath"
	"testing"

	"assay/corpus/rows"
)

// collection is the path of a file in the folder of real collections; the test is skipped where there is none.
func collection(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	for up := ".."; dir == "" && len(up) < 40; up += "/.." {
		found := filepath.Join(up, "shared", "data")
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			dir = found
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Skipf("collections not found: %s", name)
	}
	return path
}

func TestRealLogs(t *testing.T) {
	for _, c := range []struct {
		file     string
		opt      Options
		queries  int
		rows     Counts
		derived  int
		idField  string
		textName string
	}{
		{"cranfield/queries.jsonl", Options{}, 225, Counts{Accepted: 225}, 0, "_id", "text"},
		{"chunking-eval/queries.jsonl", Options{}, 472, Counts{Accepted: 472}, 0, "_id", "text"},
		{"chorus-ratings/queries.jsonl", Options{}, 135, Counts{Accepted: 135}, 0, "_id", "text"},
		// Nine and four questions repeat another's text under an id of their own: they stay queries of their own.
		{"xquad-zh/queries.jsonl", Options{}, 1190, Counts{Accepted: 1190}, 0, "_id", "text"},
		{"xquad-ar/queries.jsonl", Options{}, 1190, Counts{Accepted: 1190}, 0, "_id", "text"},
		{"log-banking77/train.csv", Options{}, 9999, Counts{Accepted: 10003}, 9999, "", "text"},
		{"log-banking77/test.csv", Options{}, 3079, Counts{Accepted: 3080}, 3079, "", "text"},
		// The collection's own count of 2096 takes the empty text as one of them.
		{"log-excite/excite-small.log", Options{TextField: "3"}, 2095, Counts{Accepted: 3968, Rejected: 533}, 2095, "", "3"},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := collectFile(t, collection(t, c.file), c.opt, rows.Options{})
			if len(got.Queries) != c.queries || got.Rows != c.rows || got.Derived != c.derived || len(got.Unread) != 0 {
				t.Errorf("%d queries, rows %+v, %d derived, unread %v", len(got.Queries), got.Rows, got.Derived, got.Unread)
			}
			if got.IDField != c.idField || got.TextField != c.textName {
				t.Errorf("found under %q and %q", got.IDField, got.TextField)
			}
			for _, r := range got.Rejects {
				if r.Reason != "the query is empty" {
					t.Errorf("line %d: %s", r.Line, r.Reason)
				}
			}
			kept := shelf{}
			kept.put(PlanImport(kept.find, got.Queries))
			if p := PlanImport(kept.find, got.Queries); len(p.Same) != c.queries {
				t.Errorf("the second import has %d new and %d changed", len(p.New), len(p.Changed))
			}
		})
	}
}

// Both halves of the banking log have 13083 rows and 13071 texts that differ by more than case and space.
func TestBankingHalvesTogether(t *testing.T) {
	kept := shelf{}
	for _, half := range []string{"train", "test"} {
		got := collectFile(t, collection(t, "log-banking77/"+half+".csv"), Options{}, rows.Options{})
		kept.put(PlanImport(kept.find, got.Queries))
	}
	if len(kept) != 13071 {
		t.Errorf("%d distinct queries", len(kept))
	}
}
