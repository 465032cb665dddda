package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"assay/corpus"
)

// generated is a corpus from a seed: 168 words a chunk, frequencies after Zipf, as performance figures take it.
type generated struct {
	vocabulary []string
	cumulated  []float64
}

func newGenerated(size int) *generated {
	r := rand.New(rand.NewPCG(1, 2))
	g := &generated{}
	seen := map[string]bool{}
	sum := 0.0
	for len(g.vocabulary) < size {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteByte("bcdfghklmnprstvw"[r.IntN(16)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
		if r.IntN(3) == 0 {
			b.WriteString([]string{"s", "ing", "ed", "tion", "ly"}[r.IntN(5)])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			g.vocabulary = append(g.vocabulary, w)
			sum += 1 / math.Pow(float64(len(g.vocabulary))+2.7, 1.05)
			g.cumulated = append(g.cumulated, sum)
		}
	}
	return g
}

func (g *generated) word(r *rand.Rand) string {
	x := r.Float64() * g.cumulated[len(g.cumulated)-1]
	lo, hi := 0, len(g.cumulated)-1
	for lo < hi {
		if mid := (lo + hi) / 2; g.cumulated[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return g.vocabulary[lo]
}

func (g *generated) chunk(i int) corpus.Chunk {
	r := rand.New(rand.NewPCG(3, uint64(i)))
	var b strings.Builder
	for n := range 168 {
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.word(r))
	}
	return corpus.Chunk{ID: fmt.Sprintf("doc-%05d#%d", i/10, i%10+1), DocID: fmt.Sprintf("doc-%05d", i/10), Ordinal: i%10 + 1, Title: g.word(r), Text: b.String()}
}

func (g *generated) feed(n int) func(context.Context, Sink) error {
	return func(_ context.Context, s Sink) error {
		for i := range n {
			if err := s.Chunk(g.chunk(i)); err != nil {
				return err
			}
		}
		return nil
	}
}

const benchChunks = 100_000

var benchIndex = sync.OnceValues(func() (*Index, *generated) {
	g := newGenerated(200_000)
	dir, err := keptFolder()
	if err != nil {
		panic(err)
	}
	if _, err := Build(context.Background(), dir, BuildOptions{Language: "en"}, g.feed(benchChunks)); err != nil {
		panic(err)
	}
	ix, err := Open(dir)
	if err != nil {
		panic(err)
	}
	return ix, g
})

func BenchmarkBuild(b *testing.B) {
	g := newGenerated(200_000)
	const n = 20_000
	for b.Loop() {
		if _, err := Build(context.Background(), b.TempDir(), BuildOptions{Language: "en"}, g.feed(n)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkSearch(b *testing.B) {
	ix, g := benchIndex()
	for _, bench := range []struct {
		name   string
		prefix bool
		limit  int
		text   func(r *rand.Rand) string
	}{
		{"any of 4 terms, top 100", false, 100, func(r *rand.Rand) string {
			return strings.Join([]string{g.vocabulary[r.IntN(100)], g.vocabulary[r.IntN(1000)], g.vocabulary[r.IntN(10_000)], g.word(r)}, " ")
		}},
		{"keystroke, two letters", true, 100, func(r *rand.Rand) string { return g.vocabulary[r.IntN(1000)] + " " + g.word(r)[:2] }},
		{"keystroke, one letter alone", true, 100, func(r *rand.Rand) string { return g.word(r)[:1] }},
		{"keystroke, three letters", true, 100, func(r *rand.Rand) string { return (g.word(r) + "aa")[:3] }},
		{"phrase of two words", false, 100, func(r *rand.Rand) string {
			return `"` + g.vocabulary[r.IntN(300)] + " " + g.vocabulary[r.IntN(300)] + `"`
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 6))
			for b.Loop() {
				request := corpus.SearchRequest{Text: bench.text(r), Mode: corpus.Plain, Limit: bench.limit, Prefix: bench.prefix}
				if _, err := ix.Search(context.Background(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	ix, _ := benchIndex()
	dir := ix.folder[:strings.LastIndexByte(ix.folder, '/')]
	for b.Loop() {
		ix, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		ix.Close()
	}
}
