package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"assay/corpus"
)

// Readers that open, search and close while builds replace the index see one build or another, never half of one.
func TestReadersBesideBuilds(t *testing.T) {
	dir := t.TempDir()
	generation := func(n int) []corpus.Chunk {
		var chunks []corpus.Chunk
		for i := range 40 {
			text := "unchanged text"
			if i < 4+n%3 {
				text = fmt.Sprintf("generation g%d", n)
			}
			chunks = append(chunks, corpus.Chunk{ID: fmt.Sprint(i), Text: text})
		}
		return chunks
	}
	mustBuild(t, dir, BuildOptions{Language: "none"}, generation(0)...)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for opened := 0; ; opened++ {
				select {
				case <-done:
					if opened == 0 {
						t.Error("nothing was opened")
					}
					return
				default:
				}
				ix, err := Open(dir)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				r, err := ix.Search(context.Background(), corpus.SearchRequest{Text: "generation", Mode: corpus.Plain, Limit: 50})
				if err != nil || len(r.Hits) < 4 || len(r.Hits) > 6 {
					t.Errorf("%d hits (%v)", len(r.Hits), err)
				} else {
					for _, h := range r.Hits {
						if h.Snippet != r.Hits[0].Snippet {
							t.Errorf("%q beside %q", h.Snippet, r.Hits[0].Snippet)
						}
					}
				}
				if err := ix.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	for n := 1; n < 12; n++ {
		mustBuild(t, dir, BuildOptions{}, generation(n)...)
	}
	close(done)
	wg.Wait()
	onlyCurrent(t, dir)
}

// Many refreshes in a row leave an index that is neither slower nor larger without bound.
func TestManyRefreshes(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	chunks := randomChunks(r, 200)
	mustBuild(t, dir, BuildOptions{Language: "en"}, chunks...)
	rounds := maxTexts + 6
	if testing.Short() {
		rounds = 6
	}
	rebuilt := 0
	for round := range rounds {
		for range 5 {
			chunks[r.IntN(len(chunks))].Text = fmt.Sprintf("%s round%d", randomText(r, 6), round)
		}
		if mustBuild(t, dir, BuildOptions{}, chunks...).Rebuilt {
			rebuilt++
		}
		ix := mustOpen(t, dir)
		if len(ix.manifest.Texts) > maxTexts {
			t.Errorf("round %d: %d files of texts", round, len(ix.manifest.Texts))
		}
		if got := plain(t, ix, fmt.Sprintf("round%d", round)); len(got) == 0 {
			t.Errorf("round %d is not found", round)
		}
	}
	if !testing.Short() && rebuilt == 0 {
		t.Error("the texts were never packed anew")
	}
	sameAsFresh(t, dir, chunks, []corpus.SearchRequest{{Text: "refund policy", Mode: corpus.Plain, Limit: 300}, {Text: "roun", Mode: corpus.Plain, Limit: 300, Prefix: true}})
}

func TestDocumentsAreInOrder(t *testing.T) {
	span := func(n int) *corpus.Span { return &corpus.Span{Start: n, End: n + 1} }
	chunks := []corpus.Chunk{
		{ID: "z", DocID: "d", Ordinal: 1, Text: "1"}, {ID: "a", DocID: "d", Ordinal: 2, Text: "2"}, {ID: "m", DocID: "d", Ordinal: 10, Text: "10"},
		{ID: "s2", DocID: "spans", Span: span(20), Text: "2"}, {ID: "s1", DocID: "spans", Span: span(3), Text: "1"}, {ID: "s0", DocID: "spans", Text: "0"},
		{ID: "i2", DocID: "ids", Text: "2"}, {ID: "i1", DocID: "ids", Text: "1"},
		{ID: "long", DocID: "d", Ordinal: 11, Text: string(make([]byte, 2*longChunk))},
		{ID: "empty", DocID: "d", Ordinal: 3},
		{ID: "other", DocID: "d2", Text: "not of d"}, {ID: "none", Text: "not of any"},
	}
	ix := built(t, "en", chunks...)
	for id, want := range map[string][]string{
		"m": {"z", "a", "empty", "m", "long"}, "empty": {"z", "a", "empty", "m", "long"}, "s2": {"s0", "s1", "s2"}, "i1": {"i1", "i2"}, "other": {"other"}, "none": {"none"},
	} {
		parts, err := ix.Document(context.Background(), id)
		var got []string
		for _, c := range parts {
			got = append(got, c.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the document of %s is %q, not %q (%v)", id, got, want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ix.Document(ctx, "m"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Ids may hold anything: nothing of them is a path, a separator or a format.
func TestHostileIDs(t *testing.T) {
	ids := []string{
		"../../etc/passwd", "/", ".", "..", "C:\\x", "a\x00b", "\x00", "\n", " ", "  ", "\t", "%s%d", "a\u202eb", "é", "e\u0301", "É", "\u200b", "\"", "'", "`", "$(x)", "-rf", "--", "*", "?", "~", "doc:x", "is:unjudged",
		"\x01\x02", "id,with\r\nlines", "𝔘", "日本", "\ufffd", "a b", "0", "00", "1e6", "9007199254740993", "null", "_id", "build-000001-1",
	}
	var chunks []corpus.Chunk
	for i, id := range ids {
		chunks = append(chunks, corpus.Chunk{ID: id, DocID: "doc" + id, Text: fmt.Sprintf("text word%d", i)})
	}
	dir := t.TempDir()
	mustBuild(t, dir, BuildOptions{}, chunks...)
	onlyCurrent(t, dir)
	ix := mustOpen(t, dir)
	got := plain(t, ix, "text")
	want := slices.Clone(ids)
	slices.Sort(want)
	slices.Reverse(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i, id := range ids {
		c, err := ix.Chunk(context.Background(), id)
		if err != nil || c.ID != id || c.Text != chunks[i].Text {
			t.Errorf("%q is %+v (%v)", id, c, err)
		}
		parts, err := ix.Document(context.Background(), id)
		if err != nil || len(parts) != 1 || parts[0].ID != id {
			t.Errorf("the document of %q has %d parts (%v)", id, len(parts), err)
		}
	}
	if r := mustBuild(t, dir, BuildOptions{}, chunks...); r.Unchanged != len(ids) {
		t.Errorf("%+v", r)
	}
}

// A feed may give documents and chunks in any order, and may be slow.
func TestFeedsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chunks := randomChunks(r, 300)
	var fingerprints []corpus.Hash
	for range 3 {
		r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
		dir := t.TempDir()
		result, err := Build(context.Background(), dir, BuildOptions{Language: "en"}, func(ctx context.Context, s Sink) error {
			for i, c := range chunks {
				if i%50 == 0 {
					text := fmt.Sprint("document ", i)
					if err := s.Document(corpus.Document{ID: text, Text: text}); err != nil {
						return err
					}
				}
				if err := s.Chunk(c); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		fingerprints = append(fingerprints, result.Info.Fingerprint)
		if n := mustOpen(t, dir).tables.Docs(); n != 6 {
			t.Errorf("%d documents", n)
		}
	}
	if fingerprints[0] != fingerprints[1] || fingerprints[1] != fingerprints[2] {
		t.Errorf("fingerprints %q", fingerprints)
	}
}
