package index

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"assay/corpus"
)

// feedOf feeds chunks, in order.
func feedOf(chunks ...corpus.Chunk) func(context.Context, Sink) error {
	return func(_ context.Context, s Sink) error {
		for _, c := range chunks {
			if err := s.Chunk(c); err != nil {
				return err
			}
		}
		return nil
	}
}

// mustBuild builds chunks in dir.
func mustBuild(t testing.TB, dir string, opt BuildOptions, chunks ...corpus.Chunk) Result {
	t.Helper()
	r, err := Build(context.Background(), dir, opt, feedOf(chunks...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustOpen(t testing.TB, dir string) *Index {
	t.Helper()
	ix, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// built opens an index of chunks.
func built(t testing.TB, language string, chunks ...corpus.Chunk) *Index {
	t.Helper()
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{Language: language}, chunks...)
	return mustOpen(t, dir)
}

// chunksOf makes chunks c1, c2, … of texts.
func chunksOf(texts ...string) []corpus.Chunk {
	chunks := make([]corpus.Chunk, len(texts))
	for i, text := range texts {
		chunks[i] = corpus.Chunk{ID: fmt.Sprintf("c%d", i+1), Text: text}
	}
	return chunks
}

// search gives the ids that a search finds, best first.
func search(t testing.TB, ix *Index, r corpus.SearchRequest) []string {
	t.Helper()
	if r.Limit == 0 {
		r.Limit = 1000
	}
	if r.Mode == "" {
		r.Mode = corpus.Plain
	}
	result, err := ix.Search(context.Background(), r)
	if err != nil {
		t.Fatalf("search %q: %v", r.Text, err)
	}
	if result.Total < len(result.Hits) || !result.Partial && r.Limit >= 1000 && result.Total != len(result.Hits) {
		t.Errorf("search %q: %d hits, total %d", r.Text, len(result.Hits), result.Total)
	}
	ids := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		ids[i] = h.ChunkID
		if i > 0 {
			a, b := result.Hits[i-1], h
			if a.Score < b.Score || a.Score == b.Score && a.ChunkID <= b.ChunkID {
				t.Errorf("search %q: %s (%g) before %s (%g)", r.Text, a.ChunkID, a.Score, b.ChunkID, b.Score)
			}
		}
	}
	return ids
}

func plain(t testing.TB, ix *Index, text string) []string {
	t.Helper()
	return search(t, ix, corpus.SearchRequest{Text: text})
}

func syntax(t testing.TB, ix *Index, text string) []string {
	t.Helper()
	return search(t, ix, corpus.SearchRequest{Text: text, Mode: corpus.Syntax})
}

// collection is a real collection in BEIR's layout.
type collection struct {
	chunks  []corpus.Chunk
	queries [][2]string // id, text
	qrels   map[string]map[string]int
}

// dataFolder is where the real collections are.
func dataFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("ASSAY_DATA"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data := filepath.Join(filepath.Dir(dir), "shared", "data")
		if info, err := os.Stat(data); err == nil && info.IsDir() {
			return data
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("collections not found: set ASSAY_DATA")
		}
		dir = parent
	}
}

func loadCollection(t testing.TB, name string) collection {
	t.Helper()
	dir := filepath.Join(dataFolder(t), name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("collections not found: %v", err)
	}
	c := collection{qrels: map[string]map[string]int{}}
	type row struct {
		ID    string `json:"_id"`
		Title string
		Text  string
	}
	eachLine(t, filepath.Join(dir, "corpus.jsonl"), func(line string) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		c.chunks = append(c.chunks, corpus.Chunk{ID: r.ID, Title: r.Title, Text: r.Text})
	})
	eachLine(t, filepath.Join(dir, "queries.jsonl"), func(line string) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		c.queries = append(c.queries, [2]string{r.ID, r.Text})
	})
	eachLine(t, filepath.Join(dir, "qrels.tsv"), func(line string) {
		f := strings.Split(line, "\t")
		grade, err := strconv.Atoi(f[2])
		if err != nil {
			return // the header
		}
		if c.qrels[f[0]] == nil {
			c.qrels[f[0]] = map[string]int{}
		}
		c.qrels[f[0]][f[1]] = grade
	})
	return c
}

func eachLine(t testing.TB, path string, do func(string)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		if lines.Text() != "" {
			do(lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// bugChunks reads the corpus of a reported fault.
func bugChunks(t testing.TB, id string) []corpus.Chunk {
	t.Helper()
	var chunks []corpus.Chunk
	eachLine(t, filepath.Join("testdata", "bugs", id, "corpus.jsonl"), func(line string) {
		var r struct {
			ID   string
			Text string
			Meta json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, corpus.Chunk{ID: r.ID, Text: r.Text, Meta: r.Meta})
	})
	return chunks
}

// bugQueries reads the searches of a reported fault.
func bugQueries(t testing.TB, id string) []string {
	t.Helper()
	var queries []string
	lines := filepath.Join("testdata", "bugs", id, "queries.txt")
	if _, err := os.Stat(lines); err == nil {
		eachLine(t, lines, func(line string) { queries = append(queries, line) })
		return queries
	}
	eachLine(t, filepath.Join("testdata", "bugs", id, "queries.jsonl"), func(line string) {
		var r struct{ Query string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		queries = append(queries, r.Query)
	})
	return queries
}

func asSyntax(err error, s **SyntaxError) bool { return errors.As(err, s) }
