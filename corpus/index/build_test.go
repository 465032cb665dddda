package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/corpus"
	"assay/corpus/index/internal/disk"
)

// folders are the builds in dir.
func folders(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "build-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// onlyCurrent checks that a build left nothing but what counts.
func onlyCurrent(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 3 || names[1] != currentFile || names[2] != lockFile {
		t.Errorf("%s holds %q", dir, names)
	}
}

func TestBuildKeepsChunksAsTheyCame(t *testing.T) {
	text := "# One\n\nfirst\n\nsecond\n"
	doc := corpus.Document{ID: "a/b.md", Title: "One", Text: text, Hash: corpus.HashText(text)}
	chunks := []corpus.Chunk{
		{ID: "a/b.md#2", DocID: doc.ID, DocHash: doc.Hash, Span: &corpus.Span{Start: 14, End: 20}, Ordinal: 2, Title: "One", Text: "second"},
		{ID: "a/b.md#1", DocID: doc.ID, DocHash: doc.Hash, Span: &corpus.Span{Start: 7, End: 12}, Ordinal: 1, Title: "One", Text: "first", Meta: json.RawMessage(`{"n": 1e6}`)},
		{ID: "alone", Text: "a chunk without a document"},
		{ID: "a/b.md#3", DocID: doc.ID, Ordinal: 3, Text: ""},
		{ID: " ../odd\x00\n", DocID: "\x01", Text: "odd ids"},
		{ID: strings.Repeat("i", corpus.MaxIDLen), DocID: strings.Repeat("d", corpus.MaxIDLen), Text: "long ids"},
	}
	dir := filepath.Join(t.TempDir(), "deep", "corpus")
	var stages []string
	opt := BuildOptions{Language: "en", Chunking: "markdown 1200/0", Sources: []corpus.Source{{Path: "docs", Fields: map[string]string{"id": "key"}}}, Progress: func(p Progress) { stages = append(stages, p.Stage) }}
	r, err := Build(context.Background(), dir, opt, func(ctx context.Context, s Sink) error {
		for _, c := range chunks {
			if err := s.Chunk(c); err != nil {
				return err
			}
		}
		return errors.Join(s.Document(doc), s.Document(doc), s.Document(corpus.Document{ID: "empty"}), s.Chunk(chunks[0]))
	})
	if err != nil {
		t.Fatal(err)
	}
	onlyCurrent(t, dir)
	if r.Chunks != 6 || r.Added != 6 || r.Repeated != 1 || !r.Rebuilt || r.AddedIDs != nil || !slices.Equal(r.EmptyIDs, []string{"a/b.md#3"}) || r.Repaired != "" {
		t.Errorf("%+v", r)
	}
	if !slices.Contains(stages, "index") || !slices.Contains(stages, "write") {
		t.Errorf("stages %q", stages)
	}
	ix := mustOpen(t, dir)
	info := ix.Info()
	if !reflect.DeepEqual(info, r.Info) || info.Chunks != 6 || info.Chunking != opt.Chunking || !reflect.DeepEqual(info.Sources, opt.Sources) || info.ID != "c-"+string(info.Fingerprint[:12]) || ix.Language() != "en" {
		t.Errorf("%+v", info)
	}
	ctx := context.Background()
	for _, c := range chunks {
		if got, err := ix.Chunk(ctx, c.ID); err != nil || !reflect.DeepEqual(got, c) || !ix.Has(c.ID) {
			t.Errorf("%.20q came back as %+v (%v)", c.ID, got, err)
		}
	}
	if _, err := ix.Chunk(ctx, "none"); !errors.Is(err, ErrNoChunk) || ix.Has("none") || ix.Has("") {
		t.Errorf("a chunk that is not there: %v", err)
	}
	parts, err := ix.Document(ctx, "a/b.md#3")
	if err != nil || len(parts) != 3 || parts[0].ID != "a/b.md#1" || parts[2].ID != "a/b.md#3" {
		t.Errorf("document: %+v (%v)", parts, err)
	}
	if parts, err := ix.Document(ctx, "alone"); err != nil || len(parts) != 1 || parts[0].ID != "alone" {
		t.Errorf("alone: %+v (%v)", parts, err)
	}
	if _, err := ix.Document(ctx, "none"); !errors.Is(err, ErrNoChunk) {
		t.Errorf("document of a chunk that is not there: %v", err)
	}
	for hash, want := range map[corpus.Hash]string{doc.Hash: text, corpus.HashText(""): ""} {
		if got, err := ix.DocumentText(ctx, hash); err != nil || got != want {
			t.Errorf("document %s: %q (%v)", hash, got, err)
		}
	}
	for _, hash := range []corpus.Hash{"", "xyz", corpus.HashText("none"), doc.Hash[:63], doc.Hash + "0"} {
		if _, err := ix.DocumentText(ctx, hash); !errors.Is(err, ErrNoDocument) {
			t.Errorf("document %q: %v", hash, err)
		}
	}
	var ids []string
	if err := ix.EachID(func(id string, hash [32]byte) bool { ids = append(ids, id); return len(ids) < 3 }); err != nil || !slices.Equal(ids, []string{" ../odd\x00\n", "a/b.md#1", "a/b.md#2"}) {
		t.Errorf("ids %q (%v)", ids, err)
	}
	want := corpus.Fingerprint(func(yield func(string, [32]byte) bool) {
		if err := ix.EachID(yield); err != nil {
			t.Error(err)
		}
	})
	if want != info.Fingerprint {
		t.Errorf("fingerprint %s, not %s", info.Fingerprint, want)
	}
	if err := ix.Verify(ctx); err != nil {
		t.Error(err)
	}
}

func TestBuildRefusesWhatItCanNotKeep(t *testing.T) {
	dir := t.TempDir()
	for name, feed := range map[string]func(context.Context, Sink) error{
		"the id is empty":       feedOf(corpus.Chunk{Text: "x"}),
		"not valid UTF-8":       feedOf(corpus.Chunk{ID: "\xff"}),
		"its document: the id":  feedOf(corpus.Chunk{ID: "a", DocID: "\xff"}),
		"comes twice with diff": feedOf(corpus.Chunk{ID: "a", Text: "1"}, corpus.Chunk{ID: "a", Text: "2"}),
		"the feed says no":      func(context.Context, Sink) error { return errors.New("the feed says no") },
		"not that of its text": func(_ context.Context, s Sink) error {
			return s.Document(corpus.Document{Text: "x", Hash: corpus.HashText("y")})
		},
		"language \"xx\" is not": feedOf(),
	} {
		opt := BuildOptions{}
		if strings.HasPrefix(name, "language") {
			opt.Language = "xx"
		}
		_, err := Build(context.Background(), dir, opt, feed)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.HasPrefix(err.Error(), "build index: ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrNone) {
			t.Errorf("%s: something is there: %v", name, err)
		}
		if len(folders(t, dir)) > 0 {
			t.Errorf("%s: left %q", name, folders(t, dir))
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, ErrNone) {
		t.Errorf("no folder: %v", err)
	}
}

func TestLanguageIsKept(t *testing.T) {
	dir := t.TempDir()
	chunks := chunksOf("die Häuser", "das Haus")
	mustBuild(t, dir, BuildOptions{Language: "de"}, chunks...)
	if r := mustBuild(t, dir, BuildOptions{}, chunks...); r.Rebuilt || mustOpen(t, dir).Language() != "de" {
		t.Errorf("%+v", r)
	}
	r := mustBuild(t, dir, BuildOptions{Language: "none"}, chunks...)
	ix := mustOpen(t, dir)
	if !r.Rebuilt || r.Unchanged != 2 || ix.Language() != "none" || len(plain(t, ix, "haus")) != 1 {
		t.Errorf("another language: %+v", r)
	}
	onlyCurrent(t, dir)
}

func TestCorpusIDIsKept(t *testing.T) {
	dir := t.TempDir()
	first := mustBuild(t, dir, BuildOptions{}, chunksOf("one", "two")...).Info
	second := mustBuild(t, dir, BuildOptions{}, chunksOf("one", "two", "three")...).Info
	if first.ID != second.ID || first.Fingerprint == second.Fingerprint {
		t.Errorf("%+v, then %+v", first, second)
	}
	if third := mustBuild(t, dir, BuildOptions{CorpusID: "mine"}, chunksOf("one", "two", "three")...).Info; third.ID != "mine" || third.Fingerprint != second.Fingerprint {
		t.Errorf("%+v", third)
	}
	if got := mustOpen(t, dir).Info().ID; got != "mine" {
		t.Errorf("the index says %q", got)
	}
}

// Public report B009: castorini/pyserini#1902: a batch keeps the last of two chunks with one id, silently.
func TestRepeatedIDsInARefresh(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{}, chunksOf("one", "two")...)
	twice := append(chunksOf("one", "two"), chunksOf("one")...)
	if r := mustBuild(t, dir, BuildOptions{}, twice...); r.Repeated != 1 || r.Chunks != 2 || r.Unchanged != 2 {
		t.Errorf("%+v", r)
	}
	for _, other := range []corpus.Chunk{{ID: "c1", Text: "another"}, {ID: "c1", Text: "one", Title: "another"}, {ID: "c1", Text: "one", Meta: json.RawMessage("1")}} {
		if _, err := Build(context.Background(), dir, BuildOptions{}, feedOf(append(chunksOf("one", "two"), other)...)); err == nil || !strings.Contains(err.Error(), "comes twice") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

// B045. Public reports: blevesearch/bleve#1491, grafana/grafana#115953.
func TestTwoBuildsAtOnce(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{}, chunksOf("old")...)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	_, err := Build(context.Background(), dir, BuildOptions{Now: func() time.Time { return now }}, func(ctx context.Context, s Sink) error {
		_, err := Build(ctx, dir, BuildOptions{}, feedOf())
		var b *BuildingError
		if !errors.As(err, &b) || b.PID != os.Getpid() || !b.Since.Equal(now) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
			t.Errorf("a second build: %v", err)
		}
		ix, err := Open(dir) // readers are not kept out
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		if got := plain(t, ix, "old"); len(got) != 1 {
			t.Errorf("beside a build: %q", got)
		}
		return s.Chunk(corpus.Chunk{ID: "c1", Text: "new"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := plain(t, mustOpen(t, dir), "new"); len(got) != 1 {
		t.Errorf("after the build: %q", got)
	}
}

// An index that is open shows what it was opened on.
func TestOpenIndexOutlivesARebuild(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{}, chunksOf("old text", "more")...)
	ix := mustOpen(t, dir)
	mustBuild(t, dir, BuildOptions{}, chunksOf("new text")...)
	if got := plain(t, ix, "old"); !slices.Equal(got, []string{"c1"}) {
		t.Errorf("got %q", got)
	}
	if c, err := ix.Chunk(context.Background(), "c2"); err != nil || c.Text != "more" {
		t.Errorf("%+v (%v)", c, err)
	}
	if ix := mustOpen(t, dir); len(plain(t, ix, "old")) != 0 || len(plain(t, ix, "new")) != 1 {
		t.Error("the new index has the old text")
	}
}

// B046. Public reports: sageox/ox#826, blevesearch/bleve#2310. What a killed build leaves is swept by the next one.
func TestLeftoversAreSwept(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{}, chunksOf("one")...)
	for _, name := range []string{"build-000001-123/shard-0/store", "build-000009-1/scorch-offline-build12", "mine", "build-x", "build-000001"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, currentFile+".tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mustBuild(t, dir, BuildOptions{}, chunksOf("one", "two")...)
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 6 || !slices.Contains(names, "mine") || !slices.Contains(names, "build-x") || !slices.Contains(names, "build-000001") {
		t.Errorf("left %q", names)
	}
}

func TestCancelledBuilds(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{Language: "en"}, chunksOf("old text")...)
	for _, after := range []int{0, 1, 100, 2500} {
		for _, fresh := range []bool{false, true} {
			where := dir
			if fresh {
				where = t.TempDir()
			}
			ctx, cancel := context.WithCancel(context.Background())
			_, err := Build(ctx, where, BuildOptions{Language: "en"}, func(ctx context.Context, s Sink) error {
				for i := range 3000 {
					if i == after {
						cancel()
					}
					if err := s.Chunk(corpus.Chunk{ID: fmt.Sprint(i), Text: strings.Repeat("new text ", i%50)}); err != nil {
						return err
					}
				}
				return nil
			})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after %d chunks: %v", after, err)
			}
			if fresh {
				if _, err := Open(where); !errors.Is(err, ErrNone) {
					t.Errorf("after %d chunks: %v", after, err)
				}
				continue
			}
			ix := mustOpen(t, where)
			if got := plain(t, ix, "text"); !slices.Equal(got, []string{"c1"}) || ix.Verify(context.Background()) != nil {
				t.Errorf("after %d chunks the old index finds %q", after, got)
			}
		}
	}
	// Cancelled where the feed does not look, and where it ends well nevertheless.
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Build(ctx, dir, BuildOptions{}, func(_ context.Context, s Sink) error {
		defer cancel()
		return s.Chunk(corpus.Chunk{ID: "new", Text: "new"})
	})
	if !errors.Is(err, context.Canceled) || mustOpen(t, dir).Has("new") {
		t.Errorf("%v", err)
	}
	mustBuild(t, dir, BuildOptions{}, chunksOf("old text", "new text")...)
	onlyCurrent(t, dir)
}

var errFull = errors.New("no space left on device")

// smallDisk is a disk that has room for a number of bytes.
type smallDisk struct{ room int }

type diskFile struct {
	disk.File
	disk *smallDisk
}

func (d *smallDisk) create(path string) (disk.File, error) {
	if d.room <= 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errFull}
	}
	f, err := disk.Create(path)
	return diskFile{f, d}, err
}

func (f diskFile) Write(b []byte) (int, error) {
	if f.disk.room -= len(b); f.disk.room < 0 {
		return 0, errFull
	}
	return f.File.Write(b)
}

// B048. Public reports: blevesearch/bleve#1305, ipni/storetheindex#484.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	var chunks, changed []corpus.Chunk
	for i := range 300 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprint(i), Text: fmt.Sprintf("text %d of %d", i, i*i*7919)})
		changed = append(changed, chunks[i])
		if i%10 == 0 {
			changed[i].Text += " changed"
		}
	}
	failed := 0
	for room := 0; ; room += 1500 {
		d := &smallDisk{room: room}
		_, err := Build(context.Background(), dir, BuildOptions{create: d.create}, feedOf(chunks...))
		if err == nil {
			break
		}
		failed++
		if !errors.Is(err, errFull) || len(folders(t, dir)) > 0 {
			t.Fatalf("room for %d: %v, left %q", room, err, folders(t, dir))
		}
	}
	again := 0
	for room := 0; ; room += 1500 {
		d := &smallDisk{room: room}
		_, err := Build(context.Background(), dir, BuildOptions{create: d.create}, feedOf(changed...))
		if err == nil {
			break
		}
		again++
		if !errors.Is(err, errFull) || len(folders(t, dir)) != 1 {
			t.Fatalf("room for %d: %v, left %q", room, err, folders(t, dir))
		}
		if ix := mustOpen(t, dir); len(plain(t, ix, "changed")) != 0 || len(plain(t, ix, "text")) != len(chunks) {
			t.Fatalf("room for %d: the old index is not what it was", room)
		}
	}
	if failed < 5 || again < 5 {
		t.Errorf("%d and %d builds failed", failed, again)
	}
	if got := plain(t, mustOpen(t, dir), "changed"); len(got) != 30 {
		t.Errorf("with room again: %d", len(got))
	}
}

func TestEmptyCorpus(t *testing.T) {
	dir := t.TempDir()
	if r := mustBuild(t, dir, BuildOptions{}); r.Chunks != 0 || r.Info.Chunks != 0 {
		t.Errorf("%+v", r)
	}
	if got := plain(t, mustOpen(t, dir), "x"); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	if r := mustBuild(t, dir, BuildOptions{}); r.Rebuilt {
		t.Errorf("nothing, again: %+v", r)
	}
	if r := mustBuild(t, dir, BuildOptions{}, chunksOf("x")...); r.Added != 1 {
		t.Errorf("a first chunk: %+v", r)
	}
	if r := mustBuild(t, dir, BuildOptions{}); r.Gone != 1 || r.Chunks != 0 || !slices.Equal(r.GoneIDs, []string{"c1"}) {
		t.Errorf("none again: %+v", r)
	}
	onlyCurrent(t, dir)
}
