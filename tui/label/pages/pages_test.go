package pages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/corpus"
	"assay/tui/cell"
)

// finder holds chunks by id and lights the search literally.
type finder struct {
	texts   map[string]string
	err     error
	fetched int
	matched int
}

func (f *finder) Search(context.Context, corpus.SearchRequest) (corpus.SearchResult, error) {
	return corpus.SearchResult{}, nil
}

func (f *finder) Document(context.Context, string) ([]corpus.Chunk, error) { return nil, nil }

func (f *finder) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	f.fetched++
	if err := ctx.Err(); err != nil {
		return corpus.Chunk{}, err
	}
	return corpus.Chunk{ID: id, Text: f.texts[id]}, f.err
}

func (f *finder) Matches(search string, _ corpus.Mode, text string) []corpus.Span {
	f.matched++
	if i := strings.Index(text, search); i >= 0 && search != "" {
		return []corpus.Span{{Start: i, End: i + len(search)}}
	}
	return nil
}

func line(p Page, i int) string {
	return cell.Line(99, p.Text.Segs(i, cell.Style{}, cell.Style{})...)
}

func TestLoadFetchesMatchesAndWraps(t *testing.T) {
	f := &finder{texts: map[string]string{"a": "one two three"}}
	c := New()
	k := Key{"a", "two", corpus.Plain}
	p, ok := Load(t.Context(), f, c.Job(k, nil), 8, "[", "]")
	if !ok || p.Width != 8 || line(p, 0) != "one" || line(p, 1) != "[two]" || line(p, 2) != "three" {
		t.Fatalf("%+v %v", p, ok)
	}
	c.Keep(k, p)
	if _, ok := c.Get(k, 9); ok {
		t.Error("a page for another width is handed out")
	}
	if _, ok := c.Get(k, 0); !ok {
		t.Error("not there for any width")
	}
	// Another width needs neither text nor matches again.
	p, _ = Load(t.Context(), f, c.Job(k, nil), 40, "[", "]")
	if f.fetched != 1 || f.matched != 1 || line(p, 0) != "one [two] three" {
		t.Errorf("%d fetched, %d matched, %q", f.fetched, f.matched, line(p, 0))
	}
	// A text at hand is not fetched.
	if p, _ := Load(t.Context(), f, c.Job(Key{ChunkID: "b"}, &corpus.Chunk{ID: "b", Text: "here"}), 40, "", ""); f.fetched != 1 || line(p, 0) != "here" {
		t.Errorf("%d fetched, %q", f.fetched, line(p, 0))
	}
}

func TestLoadWithoutAScreenLeavesWrappingToResize(t *testing.T) {
	f := &finder{texts: map[string]string{"a": "one two three"}}
	c := New()
	k := Key{ChunkID: "a", Search: "two"}
	p, _ := Load(t.Context(), f, c.Job(k, nil), 0, "[", "]")
	c.Keep(k, p)
	if _, ok := c.Get(k, 8); ok {
		t.Error("wrapped for no width")
	}
	c.Rewrap(8)
	if p, ok := c.Get(k, 8); !ok || line(p, 1) != "[two]" {
		t.Errorf("%v %q", ok, line(p, 1))
	}
	c.Rewrap(0)
	if _, ok := c.Get(k, 8); !ok {
		t.Error("a resize to nothing unwraps")
	}
}

func TestCancelledLoadsKeepNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &finder{texts: map[string]string{"a": "x"}}
	c := New()
	if _, ok := Load(ctx, f, c.Job(Key{ChunkID: "a"}, nil), 8, "", ""); ok {
		t.Error("a cancelled fetch is a page")
	}
	if _, ok := Load(ctx, f, c.Job(Key{ChunkID: "a"}, &corpus.Chunk{Text: "x"}), 8, "", ""); ok || f.matched != 0 {
		t.Error("a cancelled match is a page")
	}
}

func TestErrorsAreKeptUntilForgotten(t *testing.T) {
	f := &finder{err: errors.New("gone")}
	c := New()
	k := Key{ChunkID: "a"}
	p, ok := Load(t.Context(), f, c.Job(k, nil), 8, "", "")
	if !ok || p.Err != "gone" || p.Chunk.ID != "a" {
		t.Fatalf("%+v %v", p, ok)
	}
	c.Keep(k, p)
	c.Rewrap(20)
	if _, ok := c.Get(k, 20); !ok {
		t.Error("an error has no width")
	}
	c.ForgetErrors()
	if _, ok := c.Get(k, 8); ok || len(c.order) != 0 {
		t.Error("not forgotten")
	}
}

func TestOldPagesGo(t *testing.T) {
	c := New()
	for i := range mostPages + 40 {
		c.Keep(Key{ChunkID: fmt.Sprint(i)}, Page{Chunk: corpus.Chunk{Text: "x"}})
	}
	if len(c.kept) != mostPages || len(c.order) != mostPages || c.bytes != mostPages {
		t.Errorf("%d kept, %d in order, %d bytes", len(c.kept), len(c.order), c.bytes)
	}
	if _, ok := c.Get(Key{ChunkID: "0"}, 0); ok {
		t.Error("the oldest is still there")
	}
	big := strings.Repeat("x", mostBytes/2+1)
	c.Keep(Key{ChunkID: "big"}, Page{Chunk: corpus.Chunk{Text: big}})
	c.Keep(Key{ChunkID: "big"}, Page{Chunk: corpus.Chunk{Text: big}})
	c.Keep(Key{ChunkID: "bigger"}, Page{Chunk: corpus.Chunk{Text: big}})
	if len(c.kept) != 1 || c.bytes != len(big) {
		t.Errorf("%d kept, %d bytes", len(c.kept), c.bytes)
	}
}

// A resize wraps what is quick to wrap, newest first, and leaves a megabyte to a Cmd.
func TestRewrapIsBounded(t *testing.T) {
	c := New()
	c.Keep(Key{ChunkID: "huge"}, Page{Chunk: corpus.Chunk{Text: strings.Repeat("word ", 1<<20)}, Width: 5, matched: true})
	c.Keep(Key{ChunkID: "small"}, Page{Chunk: corpus.Chunk{Text: "word word"}, Width: 5, matched: true})
	c.Rewrap(40)
	if _, ok := c.Get(Key{ChunkID: "small"}, 40); !ok {
		t.Error("the small one is not wrapped")
	}
	if _, ok := c.Get(Key{ChunkID: "huge"}, 40); ok {
		t.Error("the huge one is wrapped at once")
	}
}
