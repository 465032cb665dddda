package index

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what is with what was, line by line, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(b), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			was := "nothing"
			if i < len(want) {
				was = want[i]
			}
			t.Fatalf("%s:%d:\n got %s\nwant %s\n(go test -run %s -update writes what is)", path, i+1, line, was, t.Name())
		}
	}
}

// Rankings of real queries, so that a change of analyzer or scorer shows in a diff: for every ninth query the first
// ten chunks, relevant ones marked.
func TestGoldenRankings(t *testing.T) {
	for name, language := range map[string]string{"cranfield": "en", "chunking-eval": "en", "xquad-zh": "zh", "xquad-ar": "ar"} {
		c := loadCollection(t, name)
		ix := built(t, language, c.chunks...)
		every := max(9, len(c.queries)/40)
		var b strings.Builder
		f := measure(t, ix, c)
		fmt.Fprintf(&b, "RR@10 %.4f R@5 %.4f R@10 %.4f queries %d\n", f.rr10, f.r5, f.r10, f.n)
		for i, q := range c.queries {
			if i%every != 0 {
				continue
			}
			ranking, err := ix.Ranking(context.Background(), corpus.SearchRequest{Text: q[1], Mode: corpus.Plain, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s:", q[0])
			for _, h := range ranking {
				mark := ""
				if c.qrels[q[0]][h.ChunkID] > 0 {
					mark = "*"
				}
				fmt.Fprintf(&b, " %s%s", h.ChunkID, mark)
			}
			b.WriteByte('\n')
		}
		golden(t, name+".txt", b.String())
	}
}
