package docs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

// Where two sources hold a document of the same name, the later is told apart by the folders above it.
func TestDocumentIDs(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{"a/docs/README.md", "b/docs/README.md", "c/docs/README.md", "c/docs/sub/x.md"} {
		write(t, base, name, "text of "+name)
	}
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	k, _ := read(t, Options{}, at("a/docs"), at("b/docs"), at("c/docs"))
	if want := []string{"README.md#1", "docs/README.md#1", "c/docs/README.md#1", "sub/x.md#1"}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	k, sum := read(t, Options{}, at("a/docs/README.md"), at("b/docs/README.md"), at("a/docs"))
	if want := []string{"README.md#1", "docs/README.md#1"}; !slices.Equal(k.ids(), want) {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	if len(sum.Skipped) != 1 || sum.Skipped[0].Reason != "already read, as "+at("a/docs/README.md") {
		t.Errorf("skipped %v", sum.Skipped)
	}
	// A document named by rows is one as well.
	rows := write(t, base, "rows.jsonl", `{"id":"x","text":"x","document":"README.md"}`+"\n")
	if k, _ = read(t, Options{}, rows, at("a/docs")); k.docs[0].ID != "docs/README.md" {
		t.Errorf("document %q", k.docs[0].ID)
	}
}

// A document's id that would be too long with its chunk's number is no id.
func TestDocumentIDTooLong(t *testing.T) {
	r := reader{documents: map[[16]byte]int{documentKey("x"): 1, documentKey("a/x"): 1}}
	if got := r.documentID(plan{folder: "/a"}, "x"); got != "x~2" {
		t.Errorf("documentID = %q", got)
	}
}

// Chunks of rows that name a document are numbered within it, in the order of the file.
func TestRowsOfADocument(t *testing.T) {
	path := write(t, t.TempDir(), "rows.jsonl", `{"id":"a1","text":"x","doc_id":"a"}
{"id":"b1","text":"x","doc_id":"b"}
{"id":"a2","text":"y","doc_id":"a"}
{"id":"none","text":"y"}
`)
	k, _ := read(t, Options{}, path)
	for id, want := range map[string]int{"a1": 1, "b1": 1, "a2": 2, "none": 0} {
		if c := k.chunk(id); c.Ordinal != want || c.Span != nil || c.DocHash != "" {
			t.Errorf("%+v, want ordinal %d", c, want)
		}
	}
}

func TestConflictsBetweenSources(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "docs/a.md", "text")
	one := write(t, dir, "one.jsonl", `{"id":"a.md#1","text":"other"}`+"\n"+`{"id":"x","text":"t","title":"T"}`+"\n")
	two := write(t, dir, "two.jsonl", `{"id":"x","text":"t"}`+"\n"+`{"id":"X","text":"t"}`+"\n"+`{"id":"X","text":"t"}`+"\n"+`{"id":"X","text":"u"}`+"\n")
	k, sum := read(t, Options{}, one, two, filepath.Join(dir, "docs"))
	if want := []string{"a.md#1", "x", "X"}; !slices.Equal(k.ids(), want) || k.chunk("a.md#1").Text != "other" {
		t.Errorf("ids %q, want %q", k.ids(), want)
	}
	compare(t, "rejects", rejects(sum), []string{
		fmt.Sprintf(`1: the id "x" is taken by another title, document or metadata, at %s:2`, one),
		fmt.Sprintf(`4: the id "X" is taken by another text, at %s:2`, two),
		fmt.Sprintf(`0: the id "a.md#1" is taken by another text, at %s:1`, one),
	})
	if sum.Repeated != 1 || sum.AlikeCount != 1 || sum.Alike[0] != (Alike{"x", "X", Place{one, 2}, Place{two, 2}}) {
		t.Errorf("repeats %v, alike %v", sum.Repeats, sum.Alike)
	}
}

func TestAlikeDocuments(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "README.md", "# A\n\none\n\n# B\n\ntwo\n")
	write(t, dir, "readme.md", "# C\n\none\n\n# D\n\ntwo\n")
	k, sum := read(t, Options{}, dir)
	if len(k.docs) == 1 {
		t.Skip("the file system does not tell case apart")
	}
	if len(k.chunks) != 4 || sum.AlikeCount != 1 || sum.Alike[0].First != "README.md#1" || sum.Alike[0].Second != "readme.md#1" {
		t.Errorf("%q, alike %v", k.ids(), sum.Alike)
	}
}

func TestListsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range MaxListed + 5 {
		fmt.Fprintf(&b, "{\"id\":\"e%d\",\"text\":\"\"}\n{\"id\":\"e0\",\"text\":\"\"}\n{\"id\":\"e0\",\"text\":\"x\"}\n{\"id\":\"E%d\",\"text\":\"x\"}\n", i, i)
	}
	_, sum := read(t, Options{}, write(t, t.TempDir(), "a.jsonl", b.String()))
	const n = MaxListed + 5
	if sum.EmptyRows != n || sum.Rejected != n || sum.AlikeCount != n || sum.Repeated != n || sum.Chunks != 2*n {
		t.Errorf("counts %d, %d, %d, %d, %d", sum.EmptyRows, sum.Rejected, sum.AlikeCount, sum.Repeated, sum.Chunks)
	}
	for _, l := range []int{len(sum.Empty), len(sum.Rejects), len(sum.Alike), len(sum.Repeats), len(sum.Conflicts)} {
		if l != MaxListed {
			t.Errorf("%d listed", l)
		}
	}
}

func TestProgress(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"id":"%d","text":"some words in a row that is not very short"}`+"\n", i)
	}
	size := int64(b.Len() + len("text") + len("\x00"))
	big := write(t, dir, "big.jsonl", b.String())
	write(t, dir, "docs/a.md", "text")
	write(t, dir, "docs/b.md", "\x00")
	var calls []int64
	read(t, Options{Progress: func(done, total int64) {
		if total != size || len(calls) > 0 && done < calls[len(calls)-1] {
			t.Errorf("%d of %d after %v", done, total, calls)
		}
		calls = append(calls, done)
	}}, big, filepath.Join(dir, "docs"))
	if len(calls) < 5 || calls[len(calls)-1] != size {
		t.Errorf("progress %v, of %d", calls, size)
	}
}

func TestCancel(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprintf("%d.md", i), "text")
	}
	big := write(t, t.TempDir(), "a.jsonl", strings.Repeat(`{"id":"x","text":"y"}`+"\n", 1000))
	for _, path := range []string{dir, big} {
		ctx, cancel := context.WithCancel(context.Background())
		k := &kept{t: t}
		sum, err := Read(ctx, []corpus.Source{{Path: path}}, Options{}, stopping{k, cancel})
		if !errors.Is(err, context.Canceled) || len(k.chunks) > 1 || sum.Repeated > 100 {
			t.Errorf("%s: %d chunks, %d repeats, then %v", path, len(k.chunks), sum.Repeated, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, []corpus.Source{{Path: dir}}, Options{}, &kept{t: t}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

// stopping cancels at the first chunk.
type stopping struct {
	*kept
	cancel func()
}

func (s stopping) Chunk(c corpus.Chunk) error {
	s.cancel()
	return s.kept.Chunk(c)
}

// B048 (blevesearch/bleve#1305): what the sink can't take ends the reading with its error.
func TestSinkError(t *testing.T) {
	dir := t.TempDir()
	rows := write(t, dir, "a.jsonl", oneRow+`{"id":"s","text":"x"}`+"\n")
	write(t, dir, "docs/a.md", "# A\n\none\n\n# B\n\ntwo\n")
	for _, path := range []string{rows, filepath.Join(dir, "docs")} {
		k := &kept{t: t, after: 1}
		if _, err := Read(context.Background(), []corpus.Source{{Path: path}}, Options{}, k); !errors.Is(err, errFull) || len(k.chunks) != 1 {
			t.Errorf("%s: %d chunks, %v", path, len(k.chunks), err)
		}
	}
}

func TestDamagedRows(t *testing.T) {
	whole := gzipped(t, strings.Repeat(oneRow, 10_000))
	path := write(t, t.TempDir(), "a.jsonl.gz", whole[:len(whole)-8])
	_, err := Read(context.Background(), []corpus.Source{{Path: path}}, Options{}, &kept{t: t})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is cut off gives %v", err)
	}
}

func TestNoSources(t *testing.T) {
	if k, sum := read(t, Options{}); len(k.chunks) != 0 || sum.Chunks != 0 {
		t.Errorf("%+v", sum)
	}
}

func TestStem(t *testing.T) {
	for id, want := range map[string]string{"a.md": "a", "x/y.z.md": "y.z", "LICENSE": "LICENSE", "x/.md": ".md", "c d.txt": "c d"} {
		if got := stem(id); got != want {
			t.Errorf("stem(%q) = %q, want %q", id, got, want)
		}
	}
}
