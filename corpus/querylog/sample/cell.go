package sample

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// uniform is the permanent random number of an id, in (0, 1).
func uniform(seed uint64, id string) float64 {
	h := mixed(xxhash.Sum64String(id) ^ mixed(seed+0x9e3779b97f4a7c15))
	return (float64(h>>11) + .5) / (1 << 53)
}

// mixed spreads each bit over all (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// candidate is a unit that may be drawn. The lowest rank comes first, of equal ones the lowest id.
type candidate struct {
	id      string
	count   int
	stratum int
	u, rank float64
}

func (a candidate) compare(b candidate) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.id, b.id))
}

// earlier is a unit that was drawn before with less than certainty.
type earlier struct {
	candidate
	cell      int
	inclusion float64
}

// highest is a heap with the last candidate on top.
type highest []candidate

func (h highest) Len() int           { return len(h) }
func (h highest) Less(i, j int) bool { return h[i].compare(h[j]) > 0 }
func (h highest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *highest) Push(x any)        { *h = append(*h, x.(candidate)) }
func (h *highest) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	*h = (*h)[:last]
	return c
}

// cell is what one part of the sample is drawn from: all units, or a stratum.
type cell struct {
	n       int     // to draw
	certain bool    // one more to choose from would have been taken too
	by      By      // random where strata are the cells
	kept    highest // the first n, and the next one; ascending once settled
	us      []float64
	ranks   []float64 // of those drawn, by what they were asked: where an earlier limit may have been
}

// cells are what the design draws from: strata with their part of N, or one for all.
func (d Design) cells(strata []*stratum) []*cell {
	if d.By != Stratified {
		left := 0
		for _, s := range strata {
			left += s.left
		}
		return []*cell{{n: min(d.N, left), certain: d.N >= left, by: d.By}}
	}
	left, more, sizes := make([]int, len(strata)), make([]int, len(strata)), make([]float64, len(strata))
	for i, s := range strata {
		left[i], more[i], sizes[i] = s.left, s.left+1, math.Sqrt(float64(s.Asked))
	}
	parts, with := allocate(d.N, sizes, left), allocate(d.N, sizes, more)
	cells := make([]*cell, len(strata))
	for i := range strata {
		cells[i] = &cell{n: parts[i], certain: with[i] > left[i], by: Random}
	}
	return cells
}

// offer keeps the candidate where it is among the first n+1.
func (c *cell) offer(u candidate) {
	switch {
	case c.n == 0:
	case len(c.kept) <= c.n:
		heap.Push(&c.kept, u)
	case u.compare(c.kept[0]) < 0:
		c.kept[0] = u
		heap.Fix(&c.kept, 0)
	}
}

// fill offers each unit that was not drawn before to its cell, and gives those that were and may count for more now.
func fill(units iter.Seq2[Unit, error], s *surveyed, strata []*stratum, cells []*cell, d Design) ([]earlier, error) {
	var old []earlier
	err := each(units, func(unit Unit) error {
		at, ok := s.at[s.name(unit)]
		if !ok {
			return fmt.Errorf("draw: query %q was not there when units were walked through before", unit.ID)
		}
		in := 0
		if d.By == Stratified {
			in = at
		}
		u := candidate{id: unit.ID, count: unit.Count, stratum: at, u: uniform(d.Seed, unit.ID)}
		if u.rank = u.u / d.size(unit.Count); d.By == Top {
			u.rank = -float64(unit.Count)
		}
		switch {
		case unit.Inclusion == 0:
			cells[in].offer(u)
		case unit.Inclusion == 1:
			strata[at].cover(unit.Count, 1)
		default:
			old = append(old, earlier{u, in, unit.Inclusion})
		}
		return nil
	})
	for _, c := range cells {
		slices.SortFunc(c.kept, candidate.compare)
	}
	return old, err
}

// taken are the drawn ones, first to last.
func (c *cell) taken() []candidate { return c.kept[:min(c.n, len(c.kept))] }

// next is the limit that those drawn stayed below.
func (c *cell) next() float64 {
	if len(c.kept) <= c.n {
		return math.Inf(1)
	}
	return c.kept[c.n].rank
}

// below is the probability that u/size stays below a limit.
func (c *cell) below(limit float64, count int) float64 {
	return min(1, limit*Design{By: c.by}.size(count))
}

// inclusion is the probability with which this draw takes one of those that it took.
func (c *cell) inclusion(u candidate) float64 {
	if c.by == Top {
		return 1
	}
	return c.below(c.next(), u.count)
}

// index makes inclusionBefore find candidates by where they stood in an earlier draw.
func (c *cell) index() {
	for _, u := range c.taken() {
		c.us, c.ranks = append(c.us, u.u), append(c.ranks, u.u/float64(u.count))
	}
	slices.Sort(c.us)
	slices.Sort(c.ranks)
}

// inclusionBefore is the probability with which this draw would take one that was drawn before, had it not been. The
// package comment says why its limit depends on what the earlier draw would have had in its place.
func (c *cell) inclusionBefore(o earlier) float64 {
	taken := c.taken()
	switch {
	case len(c.kept) <= c.n && c.certain:
		return 1
	case len(taken) == 0:
		return 0
	}
	limit := taken[len(taken)-1]
	if near(c.us, o.inclusion) || near(c.ranks, o.inclusion/float64(o.count)) {
		if len(c.kept) <= c.n {
			return 1
		}
		limit = c.kept[c.n]
	}
	if c.by != Top {
		return c.below(limit.rank, o.count)
	}
	if o.compare(limit) < 0 {
		return 1
	}
	return 0
}

// near reports whether the sorted values hold x, but for what floating point makes of it.
func near(sorted []float64, x float64) bool {
	const noise = 1e-13
	i, _ := slices.BinarySearch(sorted, x*(1-noise))
	return i < len(sorted) && sorted[i] <= x*(1+noise)
}

func (c *cell) pick(u candidate, stratum string, p float64) Pick {
	return Pick{ID: u.id, New: true, Stratum: stratum, Inclusion: p, Weight: float64(u.count) / p}
}

// ordered is a pick with where it stands within its chances: u/inclusion is uniform among those drawn, whatever their
// sizes, so that a beginning in its order keeps the proportions of inclusion.
type ordered struct {
	Pick
	stratum int
	within  float64
}

// interleave orders picks such that every beginning has the strata in about the mix of the whole.
func interleave(picks []ordered) {
	first := func(a, b ordered) int { return cmp.Or(cmp.Compare(a.within, b.within), strings.Compare(a.ID, b.ID)) }
	slices.SortFunc(picks, first)
	of, seen := map[int]int{}, map[int]int{}
	for _, p := range picks {
		of[p.stratum]++
	}
	for i, p := range picks {
		picks[i].within = (float64(seen[p.stratum]) + .5) / float64(of[p.stratum])
		seen[p.stratum]++
	}
	slices.SortStableFunc(picks, func(a, b ordered) int { return cmp.Compare(a.within, b.within) })
}
