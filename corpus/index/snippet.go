package index

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/index/internal/words"

	"github.com/rivo/uniseg"
)

const (
	snippetSize = 200      // bytes
	snippetLead = 40       // bytes before the first word that is lit
	snippetScan = 64 << 10 // bytes of a text that are looked at before it is looked further
)

// show reads what a list shows of the hits.
func (ix *Index) show(ctx context.Context, p plan, r corpus.SearchRequest, best []candidate) ([]corpus.SearchHit, error) {
	if len(best) == 0 {
		return nil, nil
	}
	hits := make([]corpus.SearchHit, len(best))
	m := newMatcher(ix.analyzer, p)
	var next atomic.Int64
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(best)/16+1))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			var tokens []words.Token
			for {
				i := int(next.Add(1)) - 1
				if i >= len(best) {
					return
				}
				if errs[w] = ctx.Err(); errs[w] != nil {
					return
				}
				c, err := ix.chunkAt(best[i].rank)
				if err != nil {
					errs[w] = err
					return
				}
				at := 0
				at, tokens = m.place(c.Text, tokens)
				hits[i] = corpus.SearchHit{ChunkID: c.ID, DocID: c.DocID, Title: c.Title, Snippet: snippet(c.Text, at), Score: best[i].score}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// place is where the snippet of a text is about: in its first part that has anything of the search. tokens is memory
// to use.
func (m *matcher) place(text string, tokens []words.Token) (int, []words.Token) {
	for from := 0; from < len(text); {
		part := words.Cut(text[from:], snippetScan)
		if len(part) < len(text)-from {
			if n := strings.LastIndexFunc(part, unicode.IsSpace); n > 0 {
				part = part[:n]
			}
		}
		if part == "" {
			break
		}
		tokens = m.analyzer.Tokens(tokens[:0], part)
		if hits := m.find(tokens); len(hits) > 0 {
			return from + densest(hits), tokens
		}
		from += len(part)
	}
	return 0, tokens
}

// densest is where the part of a text begins that has most of the search's words; 0 where it has none.
func densest(hits []hit) int {
	best, at := 0, 0
	for i, from := 0, 0; i < len(hits); i++ {
		for hits[i].end-hits[from].start > snippetSize-snippetLead && from < i {
			from++
		}
		n := 0
		for j := from; j <= i; j++ {
			known := false
			for k := from; k < j; k++ {
				known = known || hits[k].unit == hits[j].unit
			}
			if !known {
				n++
			}
			if j-from > 32 {
				break
			}
		}
		if n > best {
			best, at = n, hits[from].start
		}
	}
	return at
}

// snippet is about snippetSize bytes of text around at, blanks run together, cut between what a reader sees as
// characters. Broken bytes come out as U+FFFD.
func snippet(text string, at int) string {
	start := 0
	if at > snippetLead {
		start = boundary(text, at-snippetLead, at)
	}
	part := words.Cut(text[start:], 4*snippetSize)
	part = strings.ToValidUTF8(part, "\uFFFD")
	var b strings.Builder
	blank := true // none at the start
	for state := -1; part != "" && b.Len() < snippetSize; {
		var cluster string
		cluster, part, _, state = uniseg.FirstGraphemeClusterInString(part, state)
		if r, _ := utf8.DecodeRuneInString(cluster); unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		if b.Len()+len(cluster) > snippetSize {
			if b.Len() == 0 {
				return words.Cut(cluster, snippetSize) // one character with very many marks
			}
			break
		}
		b.WriteString(cluster)
	}
	return strings.TrimRight(b.String(), " ")
}

// boundary is a place between characters, from lo on and not behind hi; at a blank where there is one.
func boundary(text string, lo, hi int) int {
	for !utf8.RuneStart(text[lo]) && lo < hi {
		lo++
	}
	if n := strings.IndexFunc(text[lo:hi], unicode.IsSpace); n >= 0 {
		return lo + n
	}
	// From somewhere before: segments that begin within a character come right after it.
	from := max(0, lo-snippetSize)
	for from < lo && !utf8.RuneStart(text[from]) {
		from++
	}
	for state, rest := -1, text[from:hi]; rest != ""; {
		if from >= lo {
			return from
		}
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		from += len(cluster)
	}
	return hi
}
