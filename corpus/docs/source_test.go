package docs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
	"assay/corpus/rows"
)

func gzipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const oneRow = `{"id":"r","text":"row"}` + "\n"

// A source that is a file is read by its ending, by what it is said to be, or by its content.
func TestFileSources(t *testing.T) {
	for _, tt := range []struct{ name, content, format, want, skipped string }{
		{"a.md", "# T\n\ntext", "", "a.md#1 | T | # T⏎⏎text", ""},
		{"a.MDX", "# T\n\ntext", "", "a.MDX#1 | T | # T⏎⏎text", ""},
		{"a.txt", "# T\n\ntext", "", "a.txt#1 | a | # T⏎⏎text", ""},
		{"a.adoc", "= T\n\ntext", "", "a.adoc#1 | a | = T⏎⏎text", ""},
		{"a.jsonl", oneRow, "", "r |  | row", ""},
		{"a.json", "[" + oneRow + "]", "", "r |  | row", ""},
		{"a.csv", "id,text\nr,row\n", "", "r |  | row", ""},
		{"a.tsv", "id\ttext\nr\trow\n", "", "r |  | row", ""},
		{"a.jsonl.gz", gzipped(t, oneRow), "", "r |  | row", ""},
		{"a.jsonl", oneRow, "text", `a.jsonl#1 | a | {"id":"r","text":"row"}`, ""},
		{"a.txt", oneRow, "jsonl", "r |  | row", ""},
		{"a.txt", "# T\n\ntext", "markdown", "a.txt#1 | T | # T⏎⏎text", ""},
		{"a.data", oneRow, "beir", "r |  | row", ""},
		{"LICENSE", "some text", "", "LICENSE#1 | LICENSE | some text", ""},
		{"dump", "\n" + oneRow, "", "r |  | row", ""},
		{"a.html", "<p>x", "", "", "HTML is not read"},
		{"a.html", "<p>x", "text", "a.html#1 | a | <p>x", ""},
		{"a.pdf", "%PDF-1", "", "", "its ending .pdf says that it is no plain text"},
		{"a.parquet", "PAR1", "", "", "Parquet is not read"},
		{"a.txt.gz", gzipped(t, "text"), "", "", "compressed; only rows are read compressed"},
		{"blob", "\x00\x01", "", "", "binary: a NUL byte in line 1, at offset 0"},
	} {
		dir := t.TempDir()
		path := write(t, dir, tt.name, tt.content)
		k, sum := readSources(t, Options{}, corpus.Source{Path: path, Format: tt.format})
		if got := strings.Join(describe(k), "; "); got != tt.want {
			t.Errorf("%s as %q: %s, want %s (rejects %q)", tt.name, tt.format, got, tt.want, rejects(sum))
		}
		var want []string
		if tt.skipped != "" {
			want = []string{tt.name + ": " + tt.skipped}
		}
		if got := skips(sum, dir); !slices.Equal(got, want) {
			t.Errorf("%s as %q: skipped %q, want %q", tt.name, tt.format, got, want)
		}
	}
}

func TestFolderSources(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b.md": "text b", "a/z.md": "text z", "a.md": "text a", "a-b.txt": "text ab", "page.HTM": "<p>", "rows.csv": "id,text\n1,x\n",
		"LICENSE": "text", "x.go": "package x", ".git/config": "x", ".hidden.md": "x", "a/.x/y.md": "x", "only space.txt": " \n\n",
	} {
		write(t, dir, name, content)
	}
	k, sum := read(t, Options{}, dir)
	if want := []string{"a-b.txt#1", "a.md#1", "a/z.md#1", "b.md#1"}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	compare(t, "skipped", skips(sum, dir), []string{
		".git: hidden", ".hidden.md: hidden", "LICENSE: its name has no ending that says Markdown or text", "a/.x: hidden", "only space.txt: empty",
		"page.HTM: HTML is not read", "rows.csv: a file of rows within a folder of documents", "x.go: .go is not an ending of Markdown or text",
	})
	if s := sum.Sources[0]; s.Kind != KindFolder || s.Documents != 4 || s.Skipped != 8 || s.Chunks != 4 {
		t.Errorf("counts %+v", s)
	}
	k, _ = readSources(t, Options{}, corpus.Source{Path: dir, Format: "text"})
	if len(k.docs) != 8 {
		t.Errorf("as text: %q", k.ids())
	}
	// A folder that is hidden itself is read when it is named.
	if k, _ = read(t, Options{}, filepath.Join(dir, ".git")); len(k.docs) != 0 {
		t.Errorf("%q", k.ids())
	}
	if k, _ = read(t, Options{}, filepath.Join(dir, "a", ".x")); !slices.Equal(k.ids(), []string{"y.md#1"}) {
		t.Errorf("a hidden folder: %q", k.ids())
	}
}

func TestBEIRFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "corpus.jsonl", `{"_id":"d1","title":"T","text":"x","metadata":{"a":1}}`+"\n")
	write(t, dir, "queries.jsonl", `{"_id":"q1","text":"x"}`+"\n")
	write(t, dir, "qrels/test.tsv", "query-id\tcorpus-id\tscore\n")
	k, sum := read(t, Options{}, dir)
	compare(t, "chunks", describe(k), []string{"d1 | T | x"})
	if string(k.chunks[0].Meta) != `{"a":1}` || sum.Sources[0].Kind != KindRows || len(sum.Skipped) != 2 {
		t.Errorf("%+v, %+v", k.chunks[0], sum)
	}
	if err := os.Remove(filepath.Join(dir, "corpus.jsonl")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "corpus.jsonl.gz", gzipped(t, oneRow))
	k, _ = readSources(t, Options{}, corpus.Source{Path: dir, Format: "beir"})
	compare(t, "compressed", describe(k), []string{"r |  | row"})
}

func TestLinks(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "docs")
	write(t, dir, "a/real.md", "text real")
	write(t, dir, ".store/one.md", "text one")
	write(t, base, "outside/out.md", "text out")
	link(t, "a/real.md", filepath.Join(dir, "alias.md"))
	link(t, "a", filepath.Join(dir, "b"))
	link(t, "..", filepath.Join(dir, "a", "up"))
	link(t, "../outside", filepath.Join(dir, "out"))
	link(t, "../outside/out.md", filepath.Join(dir, "out.md"))
	link(t, "chain2", filepath.Join(dir, "chain1"))
	link(t, "chain1", filepath.Join(dir, "chain2"))
	link(t, ".store/one.md", filepath.Join(dir, "one.md"))
	link(t, ".store/one.md", filepath.Join(dir, "two.md"))
	link(t, ".store/one.md", filepath.Join(dir, "two.bin"))
	k, sum := read(t, Options{}, dir)
	if want := []string{"a/real.md#1", "one.md#1"}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	compare(t, "skipped", skips(sum, dir), []string{
		".store: hidden", "a/up: a link to a folder that it is in, a loop", "alias.md: a link to a/real.md, which is read", "b: a link to a, a folder of this folder",
		"chain1: a link to chain2 that leads nowhere", "chain2: a link to chain1 that leads nowhere", "out: a link out of the folder", "out.md: a link out of the folder",
		"two.bin: a link to .store/one.md, which is read", "two.md: a link to .store/one.md, which is read",
	})
	// A source may be a link itself.
	link(t, "docs", filepath.Join(base, "entry"))
	if k, _ = read(t, Options{}, filepath.Join(base, "entry")); len(k.docs) != 2 {
		t.Errorf("through a link: %q", k.ids())
	}
}

func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "ok.md", "text")
	write(t, dir, "line\nbreak\x1b[31m.md", "text")
	if runtime.GOOS == "linux" {
		write(t, dir, "bad\xff.md", "text")
	}
	write(t, dir, "locked/x.md", "text")
	secret := write(t, dir, "secret.md", "text")
	chmod(t, secret, 0)
	chmod(t, filepath.Join(dir, "locked"), 0)
	k, sum := read(t, Options{}, dir)
	if got := k.ids(); !slices.Contains(got, "ok.md#1") || !slices.Contains(got, "line\nbreak\x1b[31m.md#1") {
		t.Errorf("ids %q", got)
	}
	got := strings.Join(skips(sum, dir), "\n")
	if runtime.GOOS == "linux" && !strings.Contains(got, "bad\xff.md: its name is not valid UTF-8") {
		t.Errorf("skipped %q", got)
	}
	if os.Getuid() > 0 && (!strings.Contains(got, "secret.md: it can't be read: permission denied") || !strings.Contains(got, "locked: it can't be read: permission denied")) {
		t.Errorf("skipped %q", got)
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
}

// Sources that can't be read at all end the reading, each with one line and what to do.
func TestSourceErrors(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "a.md", "text")
	zip := write(t, dir, "a.jsonl", "PK\x03\x04zip")
	write(t, dir, "folder/a.md", "text")
	for _, tt := range []struct {
		source     corpus.Source
		want, hint string
	}{
		{corpus.Source{Path: "not-there"}, "read source not-there: no such file or directory", "if it moved"},
		{corpus.Source{Path: file, Format: "markdwon"}, `there is no format called "markdwon"`, `did you mean "markdown"?`},
		{corpus.Source{Path: file, Format: "avro"}, `there is no format called "avro"`, "formats are markdown, text, beir"},
		{corpus.Source{Path: file, Encoding: "klingon"}, `no encoding is called "klingon"`, "names are utf-8"},
		{corpus.Source{Path: file, Fields: map[string]string{"txt": "x"}}, `there is no field called "txt"`, "fields are id, text"},
		{corpus.Source{Path: dir, Format: "csv"}, `it is a folder, which has no format "csv"`, "name the file"},
		{corpus.Source{Path: filepath.Join(dir, "folder"), Format: "beir"}, "it holds no corpus.jsonl", "a BEIR collection is"},
		{corpus.Source{Path: zip}, "this is a zip archive", ""},
	} {
		k := &kept{t: t}
		_, err := Read(context.Background(), []corpus.Source{tt.source}, Options{}, k)
		var hint string
		var source *SourceError
		var row *rows.Error
		if errors.As(err, &source) {
			hint = source.Hint()
		} else if errors.As(err, &row) {
			hint = row.Hint()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(hint, tt.hint) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, hint %q", tt.source, err, hint)
		}
	}
	if _, err := Read(context.Background(), []corpus.Source{{Path: "not-there"}}, Options{}, &kept{t: t}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	// Nothing is handed on before all sources are known to be there.
	k := &kept{t: t}
	if _, err := Read(context.Background(), []corpus.Source{{Path: file}, {Path: "not-there"}}, Options{}, k); err == nil || len(k.docs) > 0 {
		t.Errorf("%d documents before the error %v", len(k.docs), err)
	}
	if _, err := Read(context.Background(), []corpus.Source{{Path: file}}, Options{Chunking: Chunking{Size: 3}}, k); err == nil {
		t.Error("a chunk size of 3 is accepted")
	}
}

func TestReadingOf(t *testing.T) {
	for name, want := range map[string]reading{
		"a.md": asMarkdown, "a.Markdown": asMarkdown, "a.mdx": asMarkdown, "a.text": asText, "a.RST": asText, "a.asciidoc": asText, "a.jsonl": asRows,
		"a.NDJSON": asRows, "a.csv.gz": asRows, "a.tsv.zst": asRows, "a.md.gz": asNothing, "a": asNothing, "md": asNothing, "a.md~": asNothing, "": asNothing,
	} {
		if got, _ := readingOf(name); got != want {
			t.Errorf("readingOf(%q) = %d, want %d", name, got, want)
		}
	}
}
