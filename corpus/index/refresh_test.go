package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/corpus"
)

// rankings are what the index finds for searches of all kinds.
func rankings(t testing.TB, ix *Index, searches []corpus.SearchRequest) []corpus.SearchResult {
	t.Helper()
	results := make([]corpus.SearchResult, len(searches))
	for i, s := range searches {
		r, err := ix.Search(context.Background(), s)
		if err != nil {
			t.Fatalf("%q: %v", s.Text, err)
		}
		r.Took = 0
		results[i] = r
	}
	return results
}

// sameAsFresh checks that the index in dir is in every way what a first build of the chunks makes.
func sameAsFresh(t *testing.T, dir string, chunks []corpus.Chunk, searches []corpus.SearchRequest) {
	t.Helper()
	refreshed, fresh := mustOpen(t, dir), built(t, mustOpen(t, dir).Language(), chunks...)
	if a, b := refreshed.Info(), fresh.Info(); a.Fingerprint != b.Fingerprint || a.Chunks != b.Chunks {
		t.Errorf("%+v, fresh %+v", a, b)
	}
	if refreshed.manifest.Words != fresh.manifest.Words {
		t.Errorf("%d words, fresh %d", refreshed.manifest.Words, fresh.manifest.Words)
	}
	a, b := rankings(t, refreshed, searches), rankings(t, fresh, searches)
	for i := range searches {
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("%+v\nfinds      %d %+v\nfresh gets %d %+v", searches[i], a[i].Total, a[i].Hits, b[i].Total, b[i].Hits)
			break
		}
	}
	for _, c := range chunks {
		if got, err := refreshed.Chunk(context.Background(), c.ID); err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%q is %+v (%v)", c.ID, got, err)
		}
	}
	if err := refreshed.Verify(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestUnchangedInputDoesNothing(t *testing.T) {
	dir := t.TempDir()
	chunks := chunksOf("one", "", "three")
	first := mustBuild(t, dir, BuildOptions{Chunking: "a", Sources: []corpus.Source{{Path: "x"}}}, chunks...)
	was := folders(t, dir)
	slices.Reverse(chunks)
	r := mustBuild(t, dir, BuildOptions{Chunking: "a", Sources: []corpus.Source{{Path: "x"}}}, chunks...)
	if r.Unchanged != 3 || r.Added+r.Changed+r.Moved+r.Gone != 0 || r.Rebuilt || r.Chunks != 3 || !slices.Equal(r.EmptyIDs, []string{"c2"}) || !reflect.DeepEqual(r.Info, first.Info) {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(folders(t, dir), was) {
		t.Errorf("%q became %q", was, folders(t, dir))
	}
	// Other sources of the same content are noted.
	r = mustBuild(t, dir, BuildOptions{Chunking: "b", Sources: []corpus.Source{{Path: "y"}}}, chunks...)
	ix := mustOpen(t, dir)
	if !slices.Equal(folders(t, dir), was) || r.Info.Chunking != "b" || !reflect.DeepEqual(ix.Info(), r.Info) || ix.Verify(context.Background()) != nil {
		t.Errorf("%+v", r)
	}
	onlyCurrent(t, dir)
}

func TestRefreshIndexesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	var chunks []corpus.Chunk
	for i := range 100 {
		doc := fmt.Sprintf("doc%d", i/10)
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprintf("%s#%d", doc, i%10), DocID: doc, Ordinal: i % 10, Span: &corpus.Span{Start: i, End: i + 5}, Text: fmt.Sprintf("common text, number%d", i)})
	}
	mustBuild(t, dir, BuildOptions{Language: "en"}, chunks...)
	before := folders(t, dir)[0]
	size := func(folder string) (n int64) {
		for _, f := range must(filepath.Glob(filepath.Join(folder, "shard-*", "store", "*.zap"))) {
			n += must(os.Stat(f)).Size()
		}
		return n
	}
	was := size(before)
	chunks[3].Text = "another text"
	chunks[14].Title = "A title"
	chunks[25].DocID = "elsewhere"
	chunks[36].Span = &corpus.Span{Start: 1000, End: 1005}
	chunks[47].Meta = []byte(`{"new": true}`)
	gone := chunks[99].ID
	chunks = append(chunks[:99], corpus.Chunk{ID: "new", Text: "new text"})
	r := mustBuild(t, dir, BuildOptions{}, chunks...)
	if r.Added != 1 || r.Changed != 3 || r.Moved != 2 || r.Gone != 1 || r.Unchanged != 94 || r.Rebuilt || r.Chunks != 100 {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.AddedIDs, []string{"new"}) || !slices.Equal(r.GoneIDs, []string{gone}) || !slices.Equal(r.ChangedIDs, []string{chunks[3].ID, chunks[14].ID, chunks[25].ID}) {
		t.Errorf("added %q, changed %q, gone %q", r.AddedIDs, r.ChangedIDs, r.GoneIDs)
	}
	onlyCurrent(t, dir)
	if now := size(folders(t, dir)[0]); now < was {
		t.Errorf("segments of %d bytes became %d", was, now)
	}
	ix := mustOpen(t, dir)
	for query, want := range map[string][]string{"another": {chunks[3].ID}, "number3": nil, "title": {chunks[14].ID}, "new": {"new"}, "number99": nil} {
		got := plain(t, ix, query)
		if query == "number3" || query == "number99" {
			got = slices.DeleteFunc(got, func(id string) bool { return id != chunks[3].ID && id != gone })
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%q finds %q", query, got)
		}
	}
	if ix.Has(gone) {
		t.Error("a chunk that is gone is there")
	}
	if parts, err := ix.Document(context.Background(), chunks[25].ID); err != nil || len(parts) != 1 {
		t.Errorf("%d parts of the new document (%v)", len(parts), err)
	}
	sameAsFresh(t, dir, chunks, []corpus.SearchRequest{{Text: "common text", Mode: corpus.Plain, Limit: 200}, {Text: "num", Mode: corpus.Plain, Limit: 200, Prefix: true}, {Text: "doc:doc1", Mode: corpus.Syntax, Limit: 200}})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A corpus that goes through random changes is, after each refresh, what a first build would make of it.
func TestRefreshEqualsFresh(t *testing.T) {
	c := loadCollection(t, "cranfield")
	r := rand.New(rand.NewPCG(1, 2))
	var searches []corpus.SearchRequest
	for i, q := range c.queries {
		if i%4 == 0 {
			searches = append(searches, corpus.SearchRequest{Text: q[1], Mode: corpus.Plain, Limit: 50})
		}
	}
	for _, text := range []string{"w", "wi", "boundary l", "heat tr", "a", "pressur", "x"} {
		searches = append(searches, corpus.SearchRequest{Text: text, Mode: corpus.Plain, Limit: 50, Prefix: true})
	}
	for _, text := range []string{`"boundary layer"`, "flow -boundary", "flo*", "presure~", "doc:1 wing", "heat -he*"} {
		searches = append(searches, corpus.SearchRequest{Text: text, Mode: corpus.Syntax, Limit: 50})
	}
	for i := range c.chunks {
		c.chunks[i].DocID = "doc" + c.chunks[i].ID[:1]
	}
	dir := t.TempDir()
	all := slices.Clone(c.chunks)
	now := slices.Clone(all[:1000])
	mustBuild(t, dir, BuildOptions{Language: "en"}, now...)
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		for range 60 { // gone, and come back later
			i := r.IntN(len(now))
			now = append(now[:i], now[i+1:]...)
		}
		have := map[string]bool{}
		for i := range now {
			have[now[i].ID] = true
			if r.IntN(20) == 0 {
				now[i].Text = all[r.IntN(len(all))].Text
			}
			if r.IntN(200) == 0 { // long enough for another shard, or short again
				now[i].Text = strings.Repeat(now[i].Text+" ", 1+20*r.IntN(2))
			}
		}
		for _, i := range r.Perm(len(all))[:60] {
			if !have[all[i].ID] {
				now = append(now, all[i])
			}
		}
		result := mustBuild(t, dir, BuildOptions{}, now...)
		if result.Rebuilt || result.Changed == 0 || result.Gone == 0 || result.Added == 0 {
			t.Errorf("round %d: %+v", round, result)
		}
		sameAsFresh(t, dir, now, searches)
		onlyCurrent(t, dir)
	}
	// Much has changed: everything is built.
	half := slices.Clone(now[:len(now)/2])
	if result := mustBuild(t, dir, BuildOptions{}, half...); !result.Rebuilt || result.Gone != len(now)-len(half) {
		t.Errorf("half of it: %+v", result)
	}
	sameAsFresh(t, dir, half, searches)
	if ix := mustOpen(t, dir); ix.tables.Rows() != len(half) || len(ix.manifest.Texts) != 1 {
		t.Errorf("after a rebuild %d rows in %d segments of texts", ix.tables.Rows(), len(ix.manifest.Texts))
	}
}

func TestDocumentsInARefresh(t *testing.T) {
	dir := t.TempDir()
	doc := func(id, text string) corpus.Document {
		return corpus.Document{ID: id, Text: text, Hash: corpus.HashText(text)}
	}
	build := func(docs ...corpus.Document) Result {
		t.Helper()
		return must(Build(context.Background(), dir, BuildOptions{}, func(_ context.Context, s Sink) error {
			for _, d := range docs {
				if err := errors.Join(s.Document(d), s.Chunk(corpus.Chunk{ID: d.ID + "#1", DocID: d.ID, DocHash: d.Hash, Text: d.Text})); err != nil {
					return err
				}
			}
			for _, c := range chunksOf("filler one", "filler two", "filler three", "filler four", "filler five", "filler six", "filler seven") {
				if err := s.Chunk(c); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	has := func(text string, want bool) {
		t.Helper()
		got, err := mustOpen(t, dir).DocumentText(context.Background(), corpus.HashText(text))
		if want && (err != nil || got != text) || !want && !errors.Is(err, ErrNoDocument) {
			t.Errorf("document %q: %q (%v)", text, got, err)
		}
	}
	build(doc("a", "text a"), doc("b", "text b"))
	has("text a", true)
	if r := build(doc("a", "text a"), doc("b", "text b")); r.Unchanged != 9 {
		t.Errorf("%+v", r)
	}
	if r := build(doc("a", "text a"), doc("b", "text b, changed")); r.Changed != 1 || r.Rebuilt {
		t.Errorf("%+v", r)
	}
	has("text a", true)
	has("text b", false)
	has("text b, changed", true)
	if r := build(doc("a", "text a"), doc("c", "text a")); r.Gone != 1 || r.Added != 1 || r.Rebuilt {
		t.Errorf("%+v", r)
	}
	has("text a", true)
	has("text b, changed", false)
	must(Build(context.Background(), dir, BuildOptions{}, feedOf(chunksOf("x")...)))
	has("text a", false)
}

// Where the file system has no hard links, everything is built.
func TestRefreshWithoutLinks(t *testing.T) {
	for at := range 5 {
		dir := t.TempDir()
		chunks := chunksOf("one", "two", "three", "four", "five", "six", "seven", "eight")
		mustBuild(t, dir, BuildOptions{}, chunks...)
		chunks[3].Text = "changed"
		n := 0
		opt := BuildOptions{link: func(from, to string) error {
			if n++; n > at {
				return errors.New("operation not permitted")
			}
			return os.Link(from, to)
		}}
		if r := mustBuild(t, dir, opt, chunks...); r.Changed != 1 || r.Unchanged != 7 || r.Rebuilt != (n > at) {
			t.Errorf("%+v", r)
		}
		sameAsFresh(t, dir, chunks, []corpus.SearchRequest{{Text: "changed one two", Mode: corpus.Plain, Limit: 10}})
		onlyCurrent(t, dir)
	}
}

// A chunk that grows goes to the shard of long ones, which may not be there yet.
func TestLongChunks(t *testing.T) {
	dir := t.TempDir()
	var chunks []corpus.Chunk
	for i := range 40 {
		chunks = append(chunks, corpus.Chunk{ID: fmt.Sprint(i), Text: fmt.Sprintf("word%d and more", i)})
	}
	mustBuild(t, dir, BuildOptions{}, chunks...)
	shards := func() (names []string) {
		for _, s := range mustOpen(t, dir).manifest.Shards {
			names = append(names, fmt.Sprint(s.Name, ":", s.Chunks))
		}
		return names
	}
	if got := shards(); !slices.Equal(got, []string{"shard-0:20", "shard-1:20"}) {
		t.Errorf("%q", got)
	}
	chunks[1].Text = strings.Repeat("long word1 ", 2000)
	searches := []corpus.SearchRequest{{Text: "word1", Mode: corpus.Plain, Limit: 100}, {Text: "more", Mode: corpus.Plain, Limit: 100}, {Text: "wor", Mode: corpus.Plain, Limit: 100, Prefix: true}}
	if r := mustBuild(t, dir, BuildOptions{}, chunks...); r.Changed != 1 || r.Rebuilt {
		t.Errorf("%+v", r)
	}
	if got := shards(); !slices.Equal(got, []string{"shard-0:20", "shard-1:19", "shard-3:1"}) {
		t.Errorf("%q", got)
	}
	sameAsFresh(t, dir, chunks, searches)
	chunks[1].Text = "short again"
	chunks[2].Text = strings.Repeat("long word2 ", 2000)
	if r := mustBuild(t, dir, BuildOptions{}, chunks...); r.Changed != 2 || r.Rebuilt {
		t.Errorf("%+v", r)
	}
	if got := shards(); !slices.Equal(got, []string{"shard-0:19", "shard-1:20", "shard-2:1", "shard-3:0"}) {
		t.Errorf("%q", got)
	}
	sameAsFresh(t, dir, chunks, searches)
}

// B047. Public reports: blevesearch/bleve#1304, #1344. Texts of megabytes are indexed, in batches of few.
func TestTextsOfMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	g := newGenerated(5000)
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	result := must(Build(context.Background(), dir, BuildOptions{Language: "en"}, func(_ context.Context, s Sink) error {
		for i := range 200 {
			var b strings.Builder
			for size := 0; size < 100 || i%20 == 0 && size < 2<<20; size = b.Len() {
				b.WriteString(g.word(r))
				b.WriteByte(' ')
			}
			if err := s.Chunk(corpus.Chunk{ID: fmt.Sprintf("c%03d", i), Text: b.String() + fmt.Sprintf("needle%d", i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	ix := mustOpen(t, dir)
	if got := plain(t, ix, "needle180"); result.Chunks != 200 || len(got) == 0 || got[0] != "c180" {
		t.Errorf("%d chunks, the last long one finds %q", result.Chunks, got[:min(len(got), 3)])
	}
}
