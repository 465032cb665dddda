package measure

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"assay/corpus"
)

// Judge reads rankings with their labels, one query after the other, reusing its space. One goroutine at a time.
type Judge struct {
	from   corpus.Grade
	compat Compat

	sheet    Sheet
	supposed Sheet
	sorted   corpus.Ranking
	scores   []float64 // of the hits in the sheet
	table    table
}

// NewJudge counts chunks as relevant from a grade on, which is at least 1, unless a measure has its own.
func NewJudge(from corpus.Grade, compat Compat) *Judge {
	return &Judge{from: from, compat: compat, table: newTable()}
}

// Outcome is what came up besides the grades.
type Outcome struct {
	Repeats     int    // hits whose chunk was in the ranking before
	FirstRepeat string // the first such chunk
	Touched     bool   // some hit has a grade
}

// Read takes a query's grades by chunk id, its evidence sets and what was returned for it, in any order; nothing of it is
// changed. The sheet holds until the next call.
func (j *Judge) Read(grades map[string]corpus.Grade, sets [][]string, ranking corpus.Ranking) (*Sheet, Outcome) {
	var out Outcome
	order := corpus.CompareHits
	if j.compat == TrecEval9 {
		order = compareFloat32
	}
	if !slices.IsSortedFunc(ranking, order) {
		j.sorted = append(j.sorted[:0], ranking...)
		slices.SortFunc(j.sorted, order)
		ranking = j.sorted
	}
	s := &j.sheet
	s.from, s.compat = j.from, j.compat
	s.read(grades)
	s.grades, j.scores = s.grades[:0], j.scores[:0]
	j.table.reset(len(grades) + len(ranking))
	for id, g := range grades {
		if g < 0 {
			g = pooled
		}
		j.table.put(id, g)
	}
	for _, hit := range ranking {
		grade, repeated := j.table.see(hit.ChunkID)
		if repeated {
			if out.Repeats == 0 {
				out.FirstRepeat = hit.ChunkID
			}
			out.Repeats++
			continue
		}
		out.Touched = out.Touched || grade >= 0
		s.grades = append(s.grades, grade)
		j.scores = append(j.scores, hit.Score)
	}
	s.setsAt = setDepths(sets, ranking, s.setsAt)
	s.log2 = growDiscounts(s.log2, max(len(s.grades), len(s.ideal)))
	return s, out
}

// setDepths is, for each evidence set, the rank of its last chunk, repeats not counted; 0 where one was not returned.
func setDepths(sets [][]string, ranking corpus.Ranking, into []int) []int {
	into = into[:0]
	if len(sets) == 0 {
		return into
	}
	rank := make(map[string]int, len(ranking))
	for _, hit := range ranking {
		if rank[hit.ChunkID] == 0 {
			rank[hit.ChunkID] = len(rank) + 1
		}
	}
	for _, set := range sets {
		deepest := 0
		for _, id := range set {
			if rank[id] == 0 {
				deepest = 0
				break
			}
			deepest = max(deepest, rank[id])
		}
		into = append(into, deepest)
	}
	return into
}

// compareFloat32 is corpus.CompareHits for scores that were rounded to float32.
func compareFloat32(a, b corpus.Hit) int {
	if c := cmp.Compare(float32(b.Score), float32(a.Score)); c != 0 {
		return c
	}
	return strings.Compare(b.ChunkID, a.ChunkID)
}

// TopScore is the best score; 0 where nothing was returned.
func (j *Judge) TopScore() float64 {
	if len(j.scores) == 0 {
		return 0
	}
	return j.scores[0]
}

// TieAcross reports whether hits of equal score stand on both sides of rank k and do not all have the same grade:
// then only the order of ids decides the measure at k.
func (j *Judge) TieAcross(k int) bool {
	if k <= 0 || k >= len(j.scores) || j.scores[k-1] != j.scores[k] {
		return false
	}
	lo, hi := k-1, k
	for lo > 0 && j.scores[lo-1] == j.scores[k] {
		lo--
	}
	for hi+1 < len(j.scores) && j.scores[hi+1] == j.scores[k] {
		hi++
	}
	for _, g := range j.sheet.grades[lo:hi] {
		if max(g, 0) != max(j.sheet.grades[hi], 0) {
			return true
		}
	}
	return false
}

// Optimist is the sheet with what was returned in the top k (0 is all) and never judged given the grade best. It holds until
// the next call of Read, Optimist or Pessimist.
func (j *Judge) Optimist(k int, best corpus.Grade) *Sheet {
	j.sheet.suppose(k, best, &j.supposed)
	return &j.supposed
}

// Pessimist is the sheet with all of it given grade 0, which only measures notice that tell unjudged from irrelevant. It
// holds as long as an Optimist's.
func (j *Judge) Pessimist() *Sheet {
	j.sheet.suppose(0, 0, &j.supposed)
	j.supposed.ideal = append(j.supposed.ideal[:0], j.sheet.ideal...)
	return &j.supposed
}

// table finds the grade of an id and remembers which ids were seen. A query's labels and hits go through one table,
// so that each hit costs one look-up; it is emptied by counting up, not by clearing.
type table struct {
	seed    maphash.Seed
	slots   []slot
	mask    uint64
	current uint32
}

type slot struct {
	id    string
	hash  uint64
	round uint32 // the slot is free unless this is the table's current round
	grade int32
	seen  bool
}

func newTable() table { return table{seed: maphash.MakeSeed()} }

// reset empties the table and makes room for n ids.
func (t *table) reset(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	t.current++
	if size > len(t.slots) || t.current == 0 {
		t.slots = make([]slot, max(size, len(t.slots)))
		t.current = 1
	}
	t.mask = uint64(size - 1)
}

func (t *table) find(id string) *slot {
	h := maphash.String(t.seed, id)
	for i := h & t.mask; ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.round != t.current {
			*s = slot{id: id, hash: h, round: t.current, grade: int32(unjudged)}
			return s
		}
		if s.hash == h && s.id == id {
			return s
		}
	}
}

func (t *table) put(id string, g corpus.Grade) { t.find(id).grade = int32(g) }

// see returns the grade of the id and whether it was seen before in this round.
func (t *table) see(id string) (g corpus.Grade, before bool) {
	s := t.find(id)
	before, s.seen = s.seen, true
	return corpus.Grade(s.grade), before
}
