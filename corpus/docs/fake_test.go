package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/corpus"
)

// kept is a Sink that keeps all, and holds every chunk against its document.
type kept struct {
	t      testing.TB
	docs   []corpus.Document
	chunks []corpus.Chunk
	after  int // fail once so many chunks came; 0 for never
}

var errFull = errors.New("disk full")

func (k *kept) Document(d corpus.Document) error {
	if d.Hash != corpus.HashText(d.Text) || corpus.CheckID(d.ID) != nil || d.Title == "" {
		k.t.Errorf("document %q has title %q, hash %s", d.ID, d.Title, d.Hash)
	}
	if strings.ContainsAny(d.Text, "\r\ufeff") {
		k.t.Errorf("document %q is not decoded", d.ID)
	}
	k.docs = append(k.docs, d)
	return nil
}

func (k *kept) Chunk(c corpus.Chunk) error {
	if k.after > 0 && len(k.chunks) == k.after {
		return errFull
	}
	if c.Span != nil {
		d := k.docs[len(k.docs)-1]
		if c.DocID != d.ID || c.DocHash != d.Hash || d.Text[c.Span.Start:c.Span.End] != c.Text {
			k.t.Errorf("chunk %q at %v is not in its document", c.ID, *c.Span)
		}
	}
	k.chunks = append(k.chunks, c)
	return nil
}

func (k *kept) ids() []string {
	var ids []string
	for _, c := range k.chunks {
		ids = append(ids, c.ID)
	}
	return ids
}

func (k *kept) chunk(id string) corpus.Chunk {
	for _, c := range k.chunks {
		if c.ID == id {
			return c
		}
	}
	k.t.Errorf("there is no chunk %q among %q", id, k.ids())
	return corpus.Chunk{}
}

// read reads paths as a user would name them.
func read(t testing.TB, opt Options, paths ...string) (*kept, Summary) {
	t.Helper()
	var sources []corpus.Source
	for _, p := range paths {
		sources = append(sources, corpus.Source{Path: p})
	}
	return readSources(t, opt, sources...)
}

func readSources(t testing.TB, opt Options, sources ...corpus.Source) (*kept, Summary) {
	t.Helper()
	k := &kept{t: t}
	sum, err := Read(context.Background(), sources, opt, k)
	if err != nil {
		t.Fatal(err)
	}
	checkSummary(t, k, sum)
	return k, sum
}

// checkSummary holds the sums that must add up.
func checkSummary(t testing.TB, k *kept, sum Summary) {
	t.Helper()
	chunks, documents, skipped, rejected, repeated := 0, 0, 0, 0, 0
	for _, s := range sum.Sources {
		chunks, documents, skipped = chunks+s.Chunks, documents+s.Documents, skipped+s.Skipped
		rejected, repeated = rejected+s.Rejected, repeated+s.Repeated
		if s.Kind == KindRows && s.Accepted != s.Chunks {
			t.Errorf("%s: %d rows accepted, %d chunks", s.Source.Path, s.Accepted, s.Chunks)
		}
	}
	if chunks != sum.Chunks || documents != sum.Documents || skipped != len(sum.Skipped) || rejected != sum.Rejected || repeated != sum.Repeated {
		t.Errorf("sources don't add up: %+v", sum)
	}
	if len(k.chunks) != sum.Chunks || len(k.docs) != sum.Documents {
		t.Errorf("%d documents and %d chunks came, of %d and %d", len(k.docs), len(k.chunks), sum.Documents, sum.Chunks)
	}
	seen := map[string]bool{}
	for _, c := range k.chunks {
		if seen[c.ID] {
			t.Errorf("the id %q came twice", c.ID)
		}
		seen[c.ID] = true
	}
}

// write makes a file below dir, with the folders that it needs.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t testing.TB, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// skips writes what was skipped as "path: reason", below dir.
func skips(sum Summary, dir string) []string {
	var out []string
	for _, s := range sum.Skipped {
		rel, err := filepath.Rel(dir, s.Path)
		if err != nil {
			rel = s.Path
		}
		out = append(out, fmt.Sprintf("%s: %s", filepath.ToSlash(rel), s.Reason))
	}
	return out
}

func rejects(sum Summary) []string {
	var out []string
	for _, r := range sum.Rejects {
		out = append(out, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	return out
}

// collection is a path in the folder of real collections; the test is skipped where there is none.
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
