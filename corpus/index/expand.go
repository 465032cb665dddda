package index

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/words"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"
)

// Bounds on what a prefix or a fuzzy word may stand for.
const (
	maxTerms    = 30      // terms, those of most chunks first
	maxPostings = 150_000 // chunks that these terms are in, together
	maxWalk     = 4096    // terms that are looked at; beyond, the tables of a build know the most frequent ones
	maxExcluded = 2000    // terms that -word* stands for
	checkEvery  = 1024    // steps between two looks at the context
)

// reader reads one shard's terms and postings for one search. It is used by one goroutine.
type reader struct {
	shard    *shard
	segments []segmentReader
}

// segmentReader is one segment of a shard. Its chunks have numbers from offset.
type segmentReader struct {
	text    segment.TermDictionary
	docs    segment.TermDictionary
	deleted *roaring.Bitmap
	offset  uint32
	size    uint32
}

// reader opens the shard's dictionaries: cheap, and not to be shared between goroutines.
func (s *shard) reader() (*reader, error) {
	r := &reader{shard: s}
	offset := uint64(0)
	for _, snapshot := range s.snapshot.Segments() {
		seg := snapshot.Segment()
		text, err := seg.Dictionary(fieldText)
		if err != nil {
			return nil, err
		}
		docs, err := seg.Dictionary(fieldDoc)
		if err != nil {
			return nil, err
		}
		r.segments = append(r.segments, segmentReader{text, docs, snapshot.Deleted(), uint32(offset), uint32(seg.Count())})
		offset += seg.Count()
	}
	return r, nil
}

// list is a term's postings in one segment.
type list struct {
	segment  int
	postings segment.PostingsList
	count    uint64
}

// lists are the postings of a term, where there are any.
func (r *reader) lists(dst []list, term string) ([]list, error) {
	for i, s := range r.segments {
		p, err := s.text.PostingsList([]byte(term), s.deleted, nil)
		if err != nil {
			return nil, err
		}
		if n := p.Count(); n > 0 {
			dst = append(dst, list{i, p, n})
		}
	}
	return dst, nil
}

// stem appends the postings of all forms of the words of a stem, but for the stem itself.
func (r *reader) stem(dst []list, stem string) ([]list, error) {
	for i, s := range r.segments {
		forms := []string{words.StemMark + stem}
		shape := stem + words.StemEnd
		for it := terms(s.text, []byte(shape), after(shape)); ; {
			entry, err := it.Next()
			if err != nil {
				return nil, err
			}
			if entry == nil {
				break
			}
			forms = append(forms, entry.Term)
		}
		for _, form := range forms {
			p, err := s.text.PostingsList([]byte(form), s.deleted, nil)
			if err != nil {
				return nil, err
			}
			if n := p.Count(); n > 0 {
				dst = append(dst, list{i, p, n})
			}
		}
	}
	return dst, nil
}

// frequency is the number of chunks that have the term.
func (r *reader) frequency(term string) (n uint64, err error) {
	lists, err := r.lists(nil, term)
	for _, l := range lists {
		n += l.count
	}
	return n, err
}

// counted is a term with the number of chunks that have it.
type counted struct {
	term  string
	count uint64
}

// compareCounted puts the terms of most chunks first.
func compareCounted(a, b counted) int {
	if c := cmp.Compare(b.count, a.count); c != 0 {
		return c
	}
	return cmp.Compare(a.term, b.term)
}

// omitsCount is satisfied by bleve's dictionaries. Their counts are left out: they cost a read each, and are wrong
// behind a term of a single chunk.
type omitsCount interface {
	AutomatonIteratorOmitCount(a segment.Automaton, start, end []byte) segment.DictionaryIterator
}

// terms iterates over a segment's terms from start to before end.
func terms(d segment.TermDictionary, start, end []byte) segment.DictionaryIterator {
	return matching(d, nil, start, end)
}

// matching iterates over those of them that an automaton accepts.
func matching(d segment.TermDictionary, a segment.Automaton, start, end []byte) segment.DictionaryIterator {
	if o, ok := d.(omitsCount); ok {
		return o.AutomatonIteratorOmitCount(a, start, end)
	}
	return d.AutomatonIterator(a, start, end)
}

// after is the first key behind all that begin with prefix.
func after(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// beginning collects the keys of the words that begin with prefix, at most limit of each shape; more says that there
// are others.
func beginning(ctx context.Context, readers []*reader, shapes []string, limit int) (found []string, more bool, err error) {
	steps := 0
	for _, shape := range shapes {
		for _, r := range readers {
			for _, s := range r.segments {
				it := terms(s.text, []byte(shape), after(shape))
				for n := 0; ; n++ {
					if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
						return nil, false, ctx.Err()
					}
					entry, err := it.Next()
					if err != nil {
						return nil, false, err
					}
					if entry == nil {
						break
					}
					if n >= limit {
						more = true
						break
					}
					found = append(found, entry.Term)
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), more, nil
}

// near collects the keys of the words that are at most edits letters away from word.
func near(ctx context.Context, readers []*reader, word string, edits int) (found []string, more bool, err error) {
	automaton, err := fuzzy(word, edits)
	if err != nil {
		return nil, false, err
	}
	steps := 0
	for _, r := range readers {
		for _, s := range r.segments {
			it := matching(s.text, automaton, after(words.StemMark), nil)
			for {
				if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
					return nil, false, ctx.Err()
				}
				entry, err := it.Next()
				if err != nil {
					return nil, false, err
				}
				if entry == nil {
					break
				}
				if len(found) >= maxWalk {
					more = true
					break
				}
				found = append(found, entry.Term)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), more, nil
}

// builders make automata for one and two edits. To make a builder takes a moment, so the first search does.
var builders = [2]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}

// fuzzy accepts the keys of words near word.
func fuzzy(word string, edits int) (segment.Automaton, error) {
	b, err := builders[edits-1]()
	if err != nil {
		return nil, err
	}
	dfa, err := b.BuildDfa(word, uint8(edits))
	if err != nil {
		return nil, err
	}
	return acrossStem{dfa}, nil
}

// acrossStem reads keys as the words that they stand for: what ends the stem is no letter.
type acrossStem struct{ segment.Automaton }

func (a acrossStem) Accept(state int, b byte) int {
	if b == words.StemEnd[0] {
		return state
	}
	return a.Automaton.Accept(state, b)
}

// mostFrequent counts the terms and keeps the first limit of them.
func mostFrequent(ctx context.Context, readers []*reader, terms []string, limit int) ([]counted, error) {
	var all []counted
	for i, t := range terms {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := counted{term: t}
		for _, r := range readers {
			n, err := r.frequency(t)
			if err != nil {
				return nil, err
			}
			c.count += n
		}
		if c.count > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, compareCounted)
	return all[:min(limit, len(all))], nil
}

// expand says which terms an open unit stands for; partial says that there are more. A word that was typed comes
// first, whatever its frequency.
func (ix *Index) expand(ctx context.Context, readers []*reader, u ask.Unit) (found []string, partial bool, err error) {
	var candidates []counted
	if u.Fuzzy != "" {
		terms, more, err := near(ctx, readers, u.Fuzzy, u.Edits)
		if err != nil {
			return nil, false, err
		}
		if candidates, err = mostFrequent(ctx, readers, terms, len(terms)); err != nil {
			return nil, false, err
		}
		partial = more
	} else {
		for _, prefix := range []string{u.Prefix, u.Also} {
			if prefix == "" {
				continue
			}
			c, more, err := ix.startingWith(ctx, readers, prefix)
			if err != nil {
				return nil, false, err
			}
			candidates = append(candidates, c...)
			partial = partial || more
		}
		slices.SortFunc(candidates, compareCounted)
	}
	total := uint64(0)
	for i, c := range candidates {
		if slices.Contains(found, c.term) || !ix.standsFor(u, c.term) {
			continue
		}
		if total += c.count; len(found) >= maxTerms || i > 2 && total > maxPostings {
			return found, true, nil
		}
		found = append(found, c.term)
	}
	return found, partial, nil
}

// standsFor reports whether an open unit means a word: common words it does not mean, unless one was typed.
func (ix *Index) standsFor(u ask.Unit, key string) bool {
	surface := words.Surface(key)
	return !ix.analyzer.Common(surface) || surface == u.Prefix || surface == u.Fuzzy
}

// startingWith counts the words that begin with prefix: from the table of the build where they are many.
func (ix *Index) startingWith(ctx context.Context, readers []*reader, prefix string) (found []counted, more bool, err error) {
	shapes := words.Beginnings(prefix)
	found, many, err := ix.frequent.of(prefix)
	if err != nil {
		return nil, false, err
	}
	if many {
		shapes = shapes[1:] // the table knows the others
	}
	keys, more, err := beginning(ctx, readers, shapes, maxWalk)
	if err != nil {
		return nil, false, err
	}
	rest, err := mostFrequent(ctx, readers, keys, len(keys))
	return slices.Concat(found, rest), more || many, err
}
