package fake

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
)

// Finder is a port.Finder over a slice of chunks: it scores by how many of the words a chunk holds.
type Finder struct {
	mu     sync.Mutex
	chunks []corpus.Chunk
	hook   Hook
	calls  map[string]int
}

// NewFinder searches the chunks given. Document lists chunks of the same DocID in that order.
func NewFinder(chunks ...corpus.Chunk) *Finder {
	return &Finder{chunks: chunks, calls: map[string]int{}}
}

// SetHook replaces the hook; nil removes it.
func (f *Finder) SetHook(h Hook) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = h
}

// Calls is how often the method was called.
func (f *Finder) Calls(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

func (f *Finder) enter(ctx context.Context, method string) error {
	f.mu.Lock()
	f.calls[method]++
	h := f.hook
	f.mu.Unlock()
	if h != nil {
		if err := h(ctx, method); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// words are the lower-cased runs of letters and digits; a rune of a script without spaces is a word of its own.
func words(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			out = append(out, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return out
}

// Search implements port.Finder.
func (f *Finder) Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error) {
	if err := f.enter(ctx, "Search"); err != nil {
		return corpus.SearchResult{}, err
	}
	res := corpus.SearchResult{Request: r, Scorer: "fake", Took: 3 * time.Millisecond}
	want := words(r.Text)
	for _, c := range f.chunks {
		have := map[string]bool{}
		for _, w := range words(c.Title + " " + c.Text) {
			have[w] = true
		}
		score := 0.0
		for i, w := range want {
			if have[w] {
				score++
				continue
			}
			if r.Prefix && i == len(want)-1 {
				for h := range have {
					if strings.HasPrefix(h, w) {
						score += 0.5
						break
					}
				}
			}
		}
		if score > 0 {
			res.Hits = append(res.Hits, corpus.SearchHit{ChunkID: c.ID, DocID: c.DocID, Title: c.Title, Snippet: head(c.Text, 200), Score: score})
		}
	}
	sort.SliceStable(res.Hits, func(i, j int) bool {
		a, b := res.Hits[i], res.Hits[j]
		return corpus.CompareHits(corpus.Hit{ChunkID: a.ChunkID, Score: a.Score}, corpus.Hit{ChunkID: b.ChunkID, Score: b.Score}) < 0
	})
	res.Total = len(res.Hits)
	if len(res.Hits) > r.Limit {
		res.Hits = res.Hits[:max(r.Limit, 0)]
	}
	return res, nil
}

// head is at most n bytes from the start of s, cut between runes.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Chunk implements port.Finder.
func (f *Finder) Chunk(ctx context.Context, chunkID string) (corpus.Chunk, error) {
	if err := f.enter(ctx, "Chunk"); err != nil {
		return corpus.Chunk{}, err
	}
	for _, c := range f.chunks {
		if c.ID == chunkID {
			return c, nil
		}
	}
	return corpus.Chunk{}, fmt.Errorf("read chunk %q: there is none", chunkID)
}

// Document implements port.Finder.
func (f *Finder) Document(ctx context.Context, chunkID string) ([]corpus.Chunk, error) {
	if err := f.enter(ctx, "Document"); err != nil {
		return nil, err
	}
	var one corpus.Chunk
	for _, c := range f.chunks {
		if c.ID == chunkID {
			one = c
		}
	}
	switch {
	case one.ID == "":
		return nil, fmt.Errorf("read document of chunk %q: there is none", chunkID)
	case one.DocID == "":
		return []corpus.Chunk{one}, nil
	}
	var out []corpus.Chunk
	for _, c := range f.chunks {
		if c.DocID == one.DocID {
			out = append(out, c)
		}
	}
	return out, nil
}

// Matches implements port.Finder: every occurrence of a word of the search, ASCII case folded.
func (f *Finder) Matches(search string, _ corpus.Mode, text string) []corpus.Span {
	var spans []corpus.Span
	lower := asciiLower(text)
	for _, w := range words(search) {
		for at := 0; ; {
			i := strings.Index(lower[at:], w)
			if i < 0 {
				break
			}
			spans = append(spans, corpus.Span{Start: at + i, End: at + i + len(w)})
			at += i + len(w)
		}
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].Start < spans[j].Start })
	out := spans[:0]
	end := 0
	for _, s := range spans {
		if s.Start >= end {
			out, end = append(out, s), s.End
		}
	}
	return out
}

// asciiLower keeps byte offsets, which strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
