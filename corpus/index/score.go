package index

import (
	"container/heap"
	"math/bits"
	"slices"
	"sync"

	"assay/corpus/index/internal/ask"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// bitset is a set of a shard's chunks; nil is no restriction.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(n uint32)      { b[n/64] |= 1 << (n % 64) }
func (b bitset) has(n uint32) bool { return b[n/64]&(1<<(n%64)) != 0 }

// and keeps what is in both.
func (b bitset) and(c bitset) {
	for i := range b {
		b[i] &= c[i]
	}
}

// or adds what is in c.
func (b bitset) or(c bitset) {
	for i := range b {
		b[i] |= c[i]
	}
}

// sums holds the scores of a shard's chunks while they are added up. Units come in the order in which they were
// typed, so that a chunk's sum is the same to the last bit however its shard is cut into segments.
type sums struct {
	of      []sum // by chunk
	touched []uint32
	counts  []uint32 // of one unit, where it has several terms
	counted []uint32
}

// sum is one chunk's score and the units that it has, side by side for the sake of the processor's cache.
type sum struct {
	score float64
	mask  uint64
}

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

// borrowSums takes sums for n chunks, all zero.
func borrowSums(n int) *sums {
	s := sumsPool.Get().(*sums)
	if len(s.of) < n {
		s.of, s.counts = make([]sum, n), make([]uint32, n)
	}
	return s
}

func (s *sums) giveBack() {
	for _, n := range s.touched {
		s.of[n] = sum{}
	}
	for _, n := range s.counted {
		s.counts[n] = 0
	}
	s.touched, s.counted = s.touched[:0], s.counted[:0]
	sumsPool.Put(s)
}

// shardTask is one shard's part in a search.
type shardTask struct {
	job    *searchJob
	reader *reader
	number int
	lists  [][]list // by unit
	counts []uint64 // by unit: chunks that have it

	must, mustNot bitset
	best          []candidate
	total         int
}

// open looks the units up and counts the chunks that have them.
func (t *shardTask) open() error {
	t.lists = make([][]list, len(t.job.plan.Units))
	t.counts = make([]uint64, len(t.job.plan.Units))
	for u, unit := range t.job.plan.Units {
		if err := t.job.ctx.Err(); err != nil {
			return err
		}
		lists, err := t.reader.unit(unit)
		if err != nil {
			return err
		}
		t.lists[u] = lists
		t.counts[u] = union(lists)
	}
	return nil
}

// score adds up the scores of all chunks that have any unit, and keeps the best.
func (t *shardTask) score() error {
	docs := &t.reader.shard.docs
	if err := docs.load(); err != nil {
		return err
	}
	if err := t.filters(); err != nil {
		return err
	}
	s := borrowSums(docs.size)
	defer s.giveBack()
	base, slope := float64(bm25K1*(1-bm25B)), bm25K1*bm25B/t.job.average
	for i, scored := range t.job.scored {
		bit, weight := uint64(1)<<i, scored.weight*(bm25K1+1)
		add := func(n uint32, count float64) {
			c := &s.of[n]
			if c.mask == 0 {
				s.touched = append(s.touched, n)
			}
			c.mask |= bit
			c.score += weight * count / (count + base + slope*float64(docs.words[n]))
		}
		lists := t.lists[scored.unit]
		for j := 0; j < len(lists); {
			k := j + 1
			for k < len(lists) && lists[k].segment == lists[j].segment {
				k++
			}
			if k == j+1 {
				if err := t.walk(lists[j], func(n, count uint32) { add(n, float64(count)) }); err != nil {
					return err
				}
				j = k
				continue
			}
			for _, l := range lists[j:k] {
				err := t.walk(l, func(n, count uint32) {
					if s.counts[n] == 0 {
						s.counted = append(s.counted, n)
					}
					s.counts[n] += count
				})
				if err != nil {
					return err
				}
			}
			for _, n := range s.counted {
				add(n, float64(s.counts[n]))
				s.counts[n] = 0
			}
			s.counted = s.counted[:0]
			j = k
		}
	}
	return t.collect(s)
}

// walk yields the chunks of a list, numbered within the shard, with how often each has the term.
func (t *shardTask) walk(l list, yield func(n, count uint32)) error {
	offset := t.reader.segments[l.segment].offset
	var it segment.PostingsIterator
	for steps := 0; ; steps++ {
		if steps%checkEvery == 0 {
			if err := t.job.ctx.Err(); err != nil {
				return err
			}
			if it == nil {
				it = l.postings.Iterator(true, false, false, nil)
			}
		}
		p, err := it.Next()
		if err != nil {
			return err
		}
		if p == nil {
			return nil
		}
		yield(offset+uint32(p.Number()), uint32(p.Frequency()))
	}
}

// collect chooses the best of the chunks that were touched or, where there is nothing to score or a phrase alone
// decides, of all that the filters let through.
func (t *shardTask) collect(s *sums) error {
	docs := &t.reader.shard.docs
	leveled := t.job.leveled()
	limit := t.job.limit
	if len(t.job.plan.Phrases) > 0 {
		limit = maxVerified + 1 // each is looked at before it counts
	}
	top := bestFirst{limit: limit}
	consider := func(n uint32) {
		if t.must != nil && !t.must.has(n) || t.mustNot != nil && t.mustNot.has(n) || docs.ranks[n] == gone {
			return
		}
		if !t.graded(docs.ranks[n]) {
			return
		}
		t.total++
		score := s.of[n].score
		if leveled {
			score += t.job.raise * t.job.level(s.of[n].mask)
		}
		top.add(candidate{score, docs.ranks[n]})
	}
	if t.job.everything() {
		for w := range (docs.size + 63) / 64 {
			if w%checkEvery == 0 {
				if err := t.job.ctx.Err(); err != nil {
					return err
				}
			}
			rest := ^uint64(0)
			if t.must != nil {
				rest = t.must[w]
			}
			for ; rest != 0; rest &= rest - 1 {
				if n := 64*w + bits.TrailingZeros64(rest); n < docs.size {
					consider(uint32(n))
				}
			}
		}
	} else {
		for i, n := range s.touched {
			if i%(64*checkEvery) == 0 {
				if err := t.job.ctx.Err(); err != nil {
					return err
				}
			}
			consider(n)
		}
	}
	t.best = top.heap
	return nil
}

// everything reports whether chunks can match that no unit touched: a filter or a phrase alone decides.
func (j *searchJob) everything() bool {
	return j.plan.Filter || slices.ContainsFunc(j.plan.Phrases, func(p ask.Phrase) bool { return !p.Not })
}

// bestFirst keeps the best candidates: a heap with the worst of them on top.
type bestFirst struct {
	limit int
	heap  candidates
}

func (b *bestFirst) add(c candidate) {
	if len(b.heap) < b.limit {
		heap.Push(&b.heap, c)
	} else if compareCandidates(c, b.heap[0]) < 0 {
		b.heap[0] = c
		heap.Fix(&b.heap, 0)
	}
}

type candidates []candidate

func (h candidates) Len() int           { return len(h) }
func (h candidates) Less(i, j int) bool { return compareCandidates(h[i], h[j]) > 0 }
func (h candidates) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidates) Push(x any)        { *h = append(*h, x.(candidate)) }
func (h *candidates) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
