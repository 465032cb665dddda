package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/corpus"
)

// damageable is a copy of an index with every kind of file, and the paths of all of them.
func damageable(t *testing.T) (dir string, chunks []corpus.Chunk, files []string) {
	t.Helper()
	whole, chunks, err := undamaged()
	dir = t.TempDir()
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(whole))
	}
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && d.Name() != lockFile {
				files = append(files, path)
			}
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, chunks, files
}

// undamaged builds what is copied.
var undamaged = func() func() (string, []corpus.Chunk, error) {
	type made struct {
		dir    string
		chunks []corpus.Chunk
	}
	once := sync.OnceValues(func() (made, error) {
		dir, chunks, err := buildUndamaged()
		return made{dir, chunks}, err
	})
	return func() (string, []corpus.Chunk, error) {
		m, err := once()
		return m.dir, m.chunks, err
	}
}()

func buildUndamaged() (dir string, chunks []corpus.Chunk, err error) {
	if dir, err = keptFolder(); err != nil {
		return "", nil, err
	}
	for i := range 60 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprint(i), DocID: "d", Text: fmt.Sprintf("text number %d with some words", i)})
	}
	chunks[7].Text = strings.Repeat("long text ", 2000)
	_, err = Build(context.Background(), dir, BuildOptions{Language: "en"}, func(ctx context.Context, s Sink) error {
		if err := s.Document(corpus.Document{ID: "d", Text: "the document"}); err != nil {
			return err
		}
		return feedOf(chunks...)(ctx, s)
	})
	return dir, chunks, err
}

// repaired checks that the next build makes the index whole.
func repaired(t *testing.T, dir string, chunks []corpus.Chunk, what string) {
	t.Helper()
	r, err := Build(context.Background(), dir, BuildOptions{Language: "en"}, feedOf(chunks...))
	if err != nil || r.Chunks != len(chunks) || !r.Rebuilt {
		t.Errorf("%s: %+v (%v)", what, r, err)
		return
	}
	ix, err := Open(dir)
	if err != nil {
		t.Errorf("%s: after a build: %v", what, err)
		return
	}
	defer ix.Close()
	if got := plain(t, ix, "number"); len(got) != len(chunks)-1 {
		t.Errorf("%s: after a build %d hits", what, len(got))
	}
	onlyCurrent(t, dir)
}

// B046. Public reports: sageox/ox#826, blevesearch/bleve#2310: a missing segment opens as an index without documents,
// a root.bolt of half its length without complaint.
func TestDamageIsNoticed(t *testing.T) {
	_, _, files := damageable(t)
	kinds := map[string]bool{}
	for i := range files {
		for name, damage := range map[string]func(path string, size int64) error{
			"missing": func(path string, _ int64) error { return os.Remove(path) },
			"emptied": func(path string, _ int64) error { return os.Truncate(path, 0) },
			"halved":  func(path string, size int64) error { return os.Truncate(path, size/2) },
			"longer":  func(path string, size int64) error { return os.Truncate(path, size+1) },
		} {
			dir, chunks, files := damageable(t)
			rel, _ := filepath.Rel(dir, files[i])
			info, err := os.Stat(files[i])
			if err != nil {
				t.Fatal(err)
			}
			base := filepath.Base(rel)
			if info.Size() == 0 && (name == "emptied" || name == "halved") || base == currentFile && name == "longer" {
				continue
			}
			kinds[filepath.Ext(base)+base[:1]] = true
			if err := damage(files[i], info.Size()); err != nil {
				t.Fatal(err)
			}
			what := rel + " " + name
			ix, err := Open(dir)
			if err == nil {
				ix.Close()
			}
			var d *DamagedError
			if base == currentFile && name == "missing" {
				if !errors.Is(err, ErrNone) {
					t.Errorf("%s: %v", what, err)
				}
			} else if !errors.As(err, &d) || !strings.Contains(d.Hint(), "assay index") || d.Error() == "" {
				t.Errorf("%s: %v", what, err)
			}
			repaired(t, dir, chunks, what)
		}
	}
	if len(kinds) < 9 {
		t.Errorf("only files of the kinds %v", kinds)
	}
}

// Flipped bytes keep the size: Verify finds them, a build heals them, and no search crashes or hangs on them.
func TestFlippedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	_, _, files := damageable(t)
	for i := range files {
		if filepath.Base(files[i]) == currentFile {
			continue
		}
		for range 3 {
			dir, chunks, files := damageable(t)
			content, err := os.ReadFile(files[i])
			if err != nil {
				t.Fatal(err)
			}
			if len(content) == 0 {
				continue
			}
			for range 1 + r.IntN(8) {
				content[r.IntN(len(content))] ^= byte(1 + r.IntN(255))
			}
			if err := os.WriteFile(files[i], content, 0o600); err != nil {
				t.Fatal(err)
			}
			what, _ := filepath.Rel(dir, files[i])
			ix, err := Open(dir)
			if err != nil {
				if d := (*DamagedError)(nil); !errors.As(err, &d) {
					t.Errorf("%s: %v", what, err)
				}
			} else {
				if err := ix.Verify(context.Background()); err == nil {
					t.Errorf("%s: not noticed", what)
				}
				for _, s := range []corpus.SearchRequest{{Text: "text number 7", Mode: corpus.Plain, Prefix: true}, {Text: "doc:d wor*", Mode: corpus.Syntax}, {Text: `"some words"`, Mode: corpus.Plain}} {
					s.Limit = 100
					ix.Search(context.Background(), s)
				}
				ix.Document(context.Background(), "7")
				ix.Close()
			}
			repaired(t, dir, chunks, what)
		}
	}
}

func TestSmallFilesAreHashedWhenOpened(t *testing.T) {
	dir, _, files := damageable(t)
	i := slices.IndexFunc(files, func(f string) bool { return strings.HasSuffix(f, "root.bolt") })
	content, err := os.ReadFile(files[i])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(files[i], content, 0o600); err != nil {
		t.Fatal(err)
	}
	var d *DamagedError
	if _, err := Open(dir); !errors.As(err, &d) || !strings.Contains(err.Error(), "root.bolt") {
		t.Errorf("%v", err)
	}
}

// An index of another version of the program is built anew, and says so.
func TestOtherVersions(t *testing.T) {
	for name, change := range map[string]func(*manifest){
		"format":  func(m *manifest) { m.Format++ },
		"bleve":   func(m *manifest) { m.Bleve = "v2.6.4" },
		"mapping": func(m *manifest) { m.Mapping = "x" },
		"words":   func(m *manifest) { m.Analyzer = "en+identifiers/0" },
	} {
		dir, chunks, _ := damageable(t)
		folder := folders(t, dir)[0]
		m, err := readManifest(folder)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		b, err := encodeManifest(m)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, manifestFile), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		var d *DamagedError
		if _, err := Open(dir); !errors.As(err, &d) || !strings.Contains(err.Error(), "another version") {
			t.Errorf("%s: %v", name, err)
		}
		r := mustBuild(t, dir, BuildOptions{}, chunks...)
		if !r.Rebuilt || !strings.Contains(r.Repaired, name) && name != "words" {
			t.Errorf("%s: %+v", name, r.Repaired)
		}
		mustOpen(t, dir)
	}
}

func TestCurrentNamesABuild(t *testing.T) {
	for _, content := range []string{"", "..", "../../etc", "build-000001-1/..", "/", "build-999999-9", "\x00"} {
		dir, chunks, _ := damageable(t)
		if err := os.WriteFile(filepath.Join(dir, currentFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var d *DamagedError
		if _, err := Open(dir); !errors.As(err, &d) {
			t.Errorf("%q: %v", content, err)
		}
		repaired(t, dir, chunks, fmt.Sprintf("%q", content))
	}
}

// The manifest records the version of bleve that go.mod asks for.
func TestBleveVersion(t *testing.T) {
	b, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "github.com/blevesearch/bleve/v2 "+bleveVersion) {
		t.Errorf("go.mod does not ask for bleve %s", bleveVersion)
	}
}

// A file that is cut while the index is open is an error of the search, not the end of the process.
func TestSegmentCutWhileOpen(t *testing.T) {
	dir, _, files := damageable(t)
	ix := mustOpen(t, dir)
	for _, f := range files {
		if strings.HasSuffix(f, ".zap") {
			if err := os.Truncate(f, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "text number", Mode: corpus.Plain, Limit: 10})
	var d *DamagedError
	if !errors.As(err, &d) {
		t.Errorf("%v", err)
	}
}
