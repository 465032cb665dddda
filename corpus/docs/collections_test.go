package docs

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

func TestCranfield(t *testing.T) {
	for _, path := range []string{"cranfield/corpus.jsonl", "cranfield"} {
		k, sum := read(t, Options{}, collection(t, path))
		if sum.Chunks != 1400 || sum.Rejected != 0 || sum.Repeated != 0 || len(sum.Alike) != 0 {
			t.Errorf("%s: %d chunks, %d rejected, %d repeated, alike %v", path, sum.Chunks, sum.Rejected, sum.Repeated, sum.Alike)
		}
		if want := []string{"471", "995"}; !slices.Equal(sum.Empty, want) {
			t.Errorf("%s: empty %q, want %q", path, sum.Empty, want)
		}
		if c := k.chunk("1"); !strings.HasPrefix(c.Title, "experimental investigation") || c.Span != nil || c.DocID != "" {
			t.Errorf("%s: chunk 1 is %+v", path, c)
		}
		if s := sum.Sources[0]; s.Kind != KindRows || s.Format != "jsonl" || s.Accepted != 1400 {
			t.Errorf("%s: %+v", path, s)
		}
	}
	_, sum := read(t, Options{}, collection(t, "cranfield"))
	if got := skips(sum, collection(t, "cranfield")); !slices.Contains(got, "queries.jsonl: the folder is a BEIR collection, whose corpus is corpus.jsonl") {
		t.Errorf("skipped %q", got)
	}
}

// checkDocuments holds the chunks of each document against its text.
func checkDocuments(t *testing.T, k *kept, c Chunking) {
	t.Helper()
	by := map[string][]piece{}
	for _, ch := range k.chunks {
		by[ch.DocID] = append(by[ch.DocID], piece{*ch.Span, ch.Title})
		if ch.Title == "" {
			t.Errorf("%s has no title", ch.ID)
		}
		if ch.Ordinal != len(by[ch.DocID]) {
			t.Errorf("%s has ordinal %d", ch.ID, ch.Ordinal)
		}
	}
	for _, d := range k.docs {
		body := 0
		if isMarkdown := readFrontMatter(d.Text); !strings.HasSuffix(d.ID, ".txt") {
			body = isMarkdown.end
		}
		checkPieces(t, d.Text, body, by[d.ID], c)
		if !strings.HasSuffix(d.ID, ".txt") && !strings.HasSuffix(d.ID, ".asciidoc") {
			checkWhole(t, d, by[d.ID], c)
		}
	}
}

var fence = regexp.MustCompile("(?m)^(```+|~~~+)[^`\n]*\n(?s:.*?)\n(```+|~~~+)[ \t]*$")

// checkWhole: no chunk ends within a fenced block or a table that would fit into one. It finds them its own way.
func checkWhole(t *testing.T, d corpus.Document, pieces []piece, c Chunking) {
	t.Helper()
	var solids [][]int
	solids = append(solids, fence.FindAllStringIndex(d.Text, -1)...)
	at, from := 0, -1
	for l := range strings.Lines(d.Text) {
		row := strings.HasPrefix(l, "|")
		if row && from < 0 {
			from = at
		} else if !row && from >= 0 {
			if rows := d.Text[from:at]; strings.Contains(rows, "\n|-") || strings.Contains(rows, "\n| -") || strings.Contains(rows, "\n|:") {
				solids = append(solids, []int{from, at - 1})
			}
			from = -1
		}
		at += len(l)
	}
	for _, s := range solids {
		if s[1]-s[0] > c.Size {
			continue
		}
		for _, p := range pieces {
			if p.End > s[0] && p.End < s[1] || p.Start > s[0] && p.Start < s[1] {
				t.Errorf("%s: %v cuts %q", d.ID, p.Span, d.Text[s[0]:s[1]])
			}
		}
	}
}

func TestPrometheus(t *testing.T) {
	root := collection(t, "docs-prometheus")
	for _, c := range []Chunking{{Size: 1200}, {Size: 400}, {Size: 1200, Overlap: 300}} {
		k, sum := read(t, Options{Chunking: c}, root)
		files := countFiles(t, root)
		if sum.Documents+len(sum.Skipped) != files {
			t.Errorf("%d documents and %d skipped, of %d files", sum.Documents, len(sum.Skipped), files)
		}
		if sum.Documents != 119 || len(sum.Notes) > 0 || sum.Rejected > 0 {
			t.Errorf("%d documents, notes %v, rejects %v", sum.Documents, sum.Notes, rejects(sum))
		}
		for _, s := range sum.Skipped {
			if !strings.HasPrefix(s.Reason, "its name has no ending") && s.Reason != "it holds front matter only" && s.Reason != "hidden" {
				t.Errorf("skipped %s: %s", s.Path, s.Reason)
			}
		}
		checkDocuments(t, k, c)
	}
	first, _ := read(t, Options{}, root)
	second, _ := read(t, Options{}, root)
	if !slices.Equal(first.ids(), second.ids()) {
		t.Error("the same files give other chunks")
	}
}

func countFiles(t *testing.T, root string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestGutenberg(t *testing.T) {
	root := collection(t, "docs-gutenberg-messy")
	k, sum := read(t, Options{}, root)
	if sum.Documents != 8 || len(sum.Sources) != 1 {
		t.Errorf("%d documents", sum.Documents)
	}
	compare(t, "skipped", skips(sum, root), []string{"alice-11-h.htm: HTML is not read", "frankenstein-84-h.htm: HTML is not read"})
	checkDocuments(t, k, Chunking{Size: DefaultSize})
}

// The corpora of chunking-eval are single files of up to a megabyte.
func TestChunkingEval(t *testing.T) {
	root := collection(t, "chunking-eval/original/corpora")
	for _, c := range []Chunking{{Size: 1200}, {Size: 200, Overlap: 100}} {
		k, sum := read(t, Options{Chunking: c}, root)
		if sum.Documents == 0 || len(sum.Skipped) > 0 {
			t.Errorf("%d documents, skipped %v", sum.Documents, sum.Skipped)
		}
		checkDocuments(t, k, c)
	}
}

// B007 on real files: line ends and BOM change nothing.
func TestLineEndsOfCollections(t *testing.T) {
	root := collection(t, "docs-prometheus/docs-src/docs/practices")
	plain, _ := read(t, Options{}, root)
	for name, end := range map[string]string{"crlf": "\r\n", "cr": "\r"} {
		dir := t.TempDir()
		for _, d := range plain.docs {
			write(t, dir, d.ID, "\ufeff"+strings.ReplaceAll(d.Text, "\n", end))
		}
		k, _ := read(t, Options{}, dir)
		if len(k.chunks) != len(plain.chunks) {
			t.Fatalf("%s: %d chunks, want %d", name, len(k.chunks), len(plain.chunks))
		}
		for i, c := range k.chunks {
			if w := plain.chunks[i]; c.ID != w.ID || c.Text != w.Text || c.Title != w.Title || c.DocHash != w.DocHash || *c.Span != *w.Span {
				t.Errorf("%s: %+v, want %+v", name, c, w)
			}
		}
	}
}

// The text of rows is kept byte for byte.
func TestRowsOfCollections(t *testing.T) {
	for _, name := range []string{"xquad-zh/corpus.jsonl", "xquad-ar/corpus.jsonl", "chorus-ratings/corpus.jsonl", "chunking-eval/corpus.jsonl"} {
		path := collection(t, name)
		k, sum := read(t, Options{}, path)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(raw, []byte("\n")); sum.Chunks != lines || sum.Rejected > 0 {
			t.Errorf("%s: %d chunks of %d lines, rejects %v", name, sum.Chunks, lines, rejects(sum))
		}
		for _, c := range k.chunks {
			if c.Text == "" && !slices.Contains(sum.Empty, c.ID) {
				t.Errorf("%s: %q is empty and not named", name, c.ID)
			}
		}
	}
}
