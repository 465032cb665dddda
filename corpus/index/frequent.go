package index

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unicode/utf8"

	"assay/corpus/index/internal/words"

	segment "github.com/blevesearch/scorch_segment_api/v2"

	"assay/corpus/index/internal/disk"
)

// frequentFile keeps, for each prefix that very many keys begin with, the most frequent of them: to walk all terms
// that begin with one letter takes seconds on a large corpus, and can't be stopped by whoever types the next letter.
const frequentFile = "prefixes.tbl"

const (
	manyTerms    = 512 // a prefix of more terms has an entry
	keptTerms    = 2 * maxTerms
	prefixLength = 12 // runes of the longest prefix looked at
)

// frequentTerms is the table, read with the first search that needs it.
type frequentTerms struct {
	file *os.File
	once sync.Once
	err  error
	by   map[string][]counted
}

func (f *frequentTerms) of(prefix string) ([]counted, bool, error) {
	f.once.Do(func() { f.by, f.err = readFrequent(f.file) })
	c, ok := f.by[prefix]
	return c, ok, f.err
}

func readFrequent(file *os.File) (map[string][]counted, error) {
	b, err := readAll(file)
	if err != nil {
		return nil, err
	}
	bad := false
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			bad = true
			return 0
		}
		b = b[size:]
		return n
	}
	text := func() string {
		n := number()
		if n > uint64(len(b)) {
			bad = true
			return ""
		}
		s := string(b[:n])
		b = b[n:]
		return s
	}
	by := map[string][]counted{}
	for len(b) > 0 && !bad {
		prefix := text()
		list := make([]counted, 0, keptTerms)
		for n := number(); n > 0 && !bad; n-- {
			list = append(list, counted{text(), number()})
		}
		by[prefix] = list
	}
	if bad {
		return nil, errors.New(frequentFile + " is damaged")
	}
	return by, nil
}

// writeFrequent walks all terms of all shards once, in order, and writes the table. A prefix is open while its
// terms pass; those that turn out to be of few terms leave no trace.
func writeFrequent(ctx context.Context, create func(string) (disk.File, error), folder string, readers []*reader) (err error) {
	f, err := create(filepath.Join(folder, frequentFile))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	defer func() {
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			err = f.Sync()
		}
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	var open []*openPrefix
	closeTo := func(depth int) error {
		for ; len(open) > depth; open = open[:len(open)-1] {
			if p := open[len(open)-1]; p.terms > manyTerms {
				if err := p.write(w); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = eachTerm(ctx, readers, func(term string, count uint64) error {
		depth := 0
		for depth < len(open) && hasPrefix(term, open[depth].prefix) {
			depth++
		}
		if err := closeTo(depth); err != nil {
			return err
		}
		for i := 0; i < len(term) && term[i] != words.StemEnd[0] && len(open) < prefixLength; {
			_, n := utf8.DecodeRuneInString(term[i:])
			i += n
			if n := len(open); n == 0 || len(open[n-1].prefix) < i {
				if open = slices.Grow(open, 1)[:n+1]; open[n] == nil {
					open[n] = &openPrefix{}
				}
				open[n].prefix, open[n].terms, open[n].best = term[:i], 0, open[n].best[:0]
			}
		}
		for _, p := range open {
			p.add(counted{term, count})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return closeTo(0)
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

// openPrefix is a prefix whose terms are passing.
type openPrefix struct {
	prefix string
	terms  int
	best   worstFirst
}

func (p *openPrefix) add(c counted) {
	p.terms++
	if len(p.best) < keptTerms {
		heap.Push(&p.best, c)
	} else if compareCounted(c, p.best[0]) < 0 {
		p.best[0] = c
		heap.Fix(&p.best, 0)
	}
}

func (p *openPrefix) write(w *bufio.Writer) error {
	slices.SortFunc(p.best, compareCounted)
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(p.prefix)))
	b = append(b, p.prefix...)
	b = binary.AppendUvarint(b, uint64(len(p.best)))
	for _, c := range p.best {
		b = binary.AppendUvarint(b, uint64(len(c.term)))
		b = append(b, c.term...)
		b = binary.AppendUvarint(b, c.count)
	}
	_, err := w.Write(b)
	return err
}

// worstFirst is a heap with the least frequent term on top.
type worstFirst []counted

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return compareCounted(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(x any)        { *h = append(*h, x.(counted)) }
func (h *worstFirst) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// cursor walks the terms of one segment.
type cursor struct {
	term    string
	it      segment.DictionaryIterator
	segment segmentReader
	spare   segment.PostingsList
}

type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return cmp.Less(c[i].term, c[j].term) }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	old := *c
	x := old[len(old)-1]
	*c = old[:len(old)-1]
	return x
}

// eachTerm yields all terms but stems, in order, with the number of chunks that have each.
func eachTerm(ctx context.Context, readers []*reader, yield func(term string, count uint64) error) error {
	var walk cursors
	advance := func(c *cursor) (bool, error) {
		entry, err := c.it.Next()
		if err != nil || entry == nil {
			return false, err
		}
		c.term = entry.Term
		return true, nil
	}
	for _, r := range readers {
		for _, s := range r.segments {
			c := &cursor{it: terms(s.text, after(words.StemMark), nil), segment: s}
			ok, err := advance(c)
			if err != nil {
				return err
			}
			if ok {
				walk = append(walk, c)
			}
		}
	}
	heap.Init(&walk)
	for steps := 0; len(walk) > 0; steps++ {
		if steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		term, count := walk[0].term, uint64(0)
		for len(walk) > 0 && walk[0].term == term {
			c := walk[0]
			p, err := c.segment.text.PostingsList([]byte(term), c.segment.deleted, c.spare)
			if err != nil {
				return err
			}
			c.spare = p
			count += p.Count()
			ok, err := advance(c)
			if err != nil {
				return err
			}
			if ok {
				heap.Fix(&walk, 0)
			} else {
				heap.Pop(&walk)
			}
		}
		if count == 0 {
			continue
		}
		if err := yield(term, count); err != nil {
			return err
		}
	}
	return nil
}
