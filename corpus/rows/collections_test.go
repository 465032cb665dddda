package rows

import (
	"os"
	"path/filepath"
	"testing"
)

// collection is the path of a file in the folder of real collections; the test is skipped where there is none.
func collection(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	for up := ".."; dir == "" && len(up) < 40; up += "/.." {
		if found := filepath.Join(up, "shared", "data"); isDir(found) {
			dir = found
		}
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Skipf("collections not found: %s", name)
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func TestCollections(t *testing.T) {
	for _, c := range []struct {
		file   string
		format Format
		header bool
		rows   int
		width  int // of a table, or of every object
	}{
		{"cranfield/corpus.jsonl", JSONLines, false, 1400, 4},
		{"cranfield/queries.jsonl", JSONLines, false, 225, 3},
		{"cranfield/qrels.tsv", TSV, true, 1837, 3},
		{"chunking-eval/corpus.jsonl", JSONLines, false, 1389, 4},
		{"chunking-eval/queries.jsonl", JSONLines, false, 472, 3},
		{"chunking-eval/spans.jsonl", JSONLines, false, 790, 5},
		{"chorus-ratings/corpus.jsonl", JSONLines, false, 2349, 3},
		{"chorus-ratings/queries.jsonl", JSONLines, false, 135, 2},
		{"chorus-ratings/judgments.tsv", TSV, true, 9564, 4},
		{"xquad-zh/corpus.jsonl", JSONLines, false, 240, 4},
		{"xquad-zh/queries.jsonl", JSONLines, false, 1190, 3},
		{"xquad-ar/corpus.jsonl", JSONLines, false, 240, 4},
		{"xquad-ar/queries.jsonl", JSONLines, false, 1190, 3},
		{"log-excite/excite-small.log", TSV, false, 4501, 3},
		{"log-banking77/train.csv", CSV, true, 10003, 2},
		{"log-banking77/test.csv", CSV, true, 3080, 2},
	} {
		t.Run(c.file, func(t *testing.T) {
			got := readFile(t, collection(t, c.file), Options{})
			if len(got.rows) != c.rows || len(got.rejects) > 0 || got.err != nil {
				t.Errorf("%d rows, rejects %q, %v", len(got.rows), refused(got.rejects), got.err)
			}
			if got.stats.Format != c.format || got.stats.Header != c.header {
				t.Errorf("%+v", got.stats)
			}
			for _, r := range got.rows {
				if len(r.Fields) != c.width {
					t.Fatalf("line %d has %d fields", r.Line, len(r.Fields))
				}
			}
		})
	}
}

func BenchmarkJSONLines(b *testing.B) { benchmarkFile(b, "cranfield/corpus.jsonl", Options{}) }
func BenchmarkCSV(b *testing.B)       { benchmarkFile(b, "log-banking77/train.csv", Options{}) }
func BenchmarkTSV(b *testing.B)       { benchmarkFile(b, "log-excite/excite-small.log", Options{}) }

func benchmarkFile(b *testing.B, name string, opt Options) {
	path := collection(b, name)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open(path, opt)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		r.Close()
	}
}
