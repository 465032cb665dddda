package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/index/internal/disk"
	"assay/corpus/index/internal/words"
)

const (
	formatVersion = 1
	bleveVersion  = "v2.6.3"
	currentFile   = "current"
	lockFile      = "lock"
	manifestFile  = "manifest.json"
	smallFile     = 256 << 10 // hashed whenever the index is opened
)

// folderName is what the folder of a build is called.
var folderName = regexp.MustCompile(`^build-[0-9]{6,}-[0-9]+$`)

// manifest says what was built. It is written last, so that a folder with a manifest is whole.
type manifest struct {
	Format    int         `json:"format"`
	Bleve     string      `json:"bleve"`
	Mapping   string      `json:"mapping"` // SHA-256 of leanMapping
	Analyzer  string      `json:"analyzer"`
	Language  string      `json:"language"`
	Info      corpus.Info `json:"info"`
	Chunks    int         `json:"chunks"` // N of BM25; empty chunks count
	Words     uint64      `json:"words"`  // of all chunks, titles weighted
	Documents int         `json:"documents"`
	Rows      int         `json:"rows"` // ordinals given out, those of chunks that are gone included
	Texts     []uint32    `json:"texts"`
	Docs      []uint32    `json:"docs"`
	Shards    []shardInfo `json:"shards"`
	Files     []fileInfo  `json:"files"`
}

type shardInfo struct {
	Name   string `json:"name"`
	Chunks uint64 `json:"chunks"`
}

type fileInfo struct {
	Path   string `json:"path"` // below the folder, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// averageWords is the average length of a chunk; never 0.
func (m *manifest) averageWords() float64 {
	if m.Words == 0 || m.Chunks == 0 {
		return 1
	}
	return float64(m.Words) / float64(m.Chunks)
}

// analyzerName is what an index records of its analyzer, e.g. "en+identifiers/1".
func analyzerName(language string) string {
	return fmt.Sprintf("%s+identifiers/%d", language, words.Version)
}

func mappingHash() (string, error) {
	b, err := leanMapping()
	return string(corpus.HashText(string(b))), err
}

// sealed is a manifest with the hash of its own bytes.
type sealed struct {
	SHA256   string          `json:"sha256"`
	Manifest json.RawMessage `json:"manifest"`
}

func encodeManifest(m *manifest) ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"sha256\":%q,\"manifest\":%s}\n", corpus.HashText(string(b)), b), nil
}

func readManifest(folder string) (*manifest, error) {
	b, err := os.ReadFile(filepath.Join(folder, manifestFile))
	if err != nil {
		return nil, err
	}
	var s sealed
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	if string(corpus.HashText(string(s.Manifest))) != s.SHA256 {
		return nil, errors.New("it was changed")
	}
	var m manifest
	if err := json.Unmarshal(s.Manifest, &m); err != nil {
		return nil, err
	}
	return &m, nil
}

// usable reports why this program can't use the index, though nothing is wrong with it.
func (m *manifest) usable() error {
	mapping, err := mappingHash()
	switch {
	case err != nil:
		return err
	case m.Format != formatVersion:
		return fmt.Errorf("it has format %d, this program has %d", m.Format, formatVersion)
	case m.Bleve != bleveVersion:
		return fmt.Errorf("it was built with bleve %s, this program has %s", m.Bleve, bleveVersion)
	case m.Mapping != mapping:
		return errors.New("its mapping is another")
	case m.Analyzer != analyzerName(m.Language):
		return fmt.Errorf("its words were cut by %s, this program has %s", m.Analyzer, analyzerName(m.Language))
	}
	return nil
}

// current is the folder of the build that counts; ErrNone where there is none.
func current(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(b))
	if !folderName.MatchString(name) {
		return "", &DamagedError{What: currentFile, Err: errors.New("it names no build")}
	}
	return name, nil
}

// checkFiles compares sizes, and the hashes of small files or, if all, of every file.
func (m *manifest) checkFiles(ctx context.Context, folder string, all bool) error {
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		info, err := os.Stat(path)
		if err != nil {
			return &DamagedError{What: f.Path, Err: errors.Unwrap(err)}
		}
		if info.Size() != f.Size {
			return &DamagedError{What: f.Path, Err: fmt.Errorf("it has %d bytes, not %d", info.Size(), f.Size)}
		}
		if !all && f.Size > smallFile {
			continue
		}
		sum, err := disk.Hash(ctx, path)
		if err != nil {
			return err
		}
		if sum != f.SHA256 {
			return &DamagedError{What: f.Path, Err: errors.New("its content was changed")}
		}
	}
	return nil
}

// listFiles describes all files of a folder and syncs them to disk. What shared says is the same file as one of an
// earlier build keeps the hash that it had.
func listFiles(ctx context.Context, folder string, shared map[string]fileInfo) ([]fileInfo, error) {
	var files []fileInfo
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if known, ok := shared[rel]; ok && known.Size == info.Size() {
			files = append(files, known)
			return nil
		}
		if err := disk.SyncFile(path); err != nil {
			return err
		}
		sum, err := disk.Hash(ctx, path)
		if err != nil {
			return err
		}
		files = append(files, fileInfo{rel, info.Size(), sum})
		return nil
	})
	slices.SortFunc(files, func(a, b fileInfo) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

// sweep removes what killed builds left behind. Only names that a build gives are touched.
func sweep(dir, keep string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != keep && folderName.MatchString(e.Name()) || e.Name() == currentFile+".tmp" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
