package group

import (
	"cmp"
	"context"
	"slices"
)

// Texts are the queries to group, each by its position.
type Texts interface {
	Len() int
	// At is the text at a position. Calls come in any order, mostly ascending.
	At(i int) (string, error)
	// Fixed reports whether the text at a position is a query that stands by itself already (labels may hang on it):
	// two such are never put into one group, and one always stands for its group.
	Fixed(i int) bool
	// Count is how often it was asked.
	Count(i int) int
	// Settled is the position of the text that stands for the one at a position since an earlier grouping, itself where it
	// stands alone or for others; -1 where it is new. What is settled stays as it is, so that grouping the same texts again
	// changes nothing; only a Fixed one is taken out of the group that it was in.
	Settled(i int) int
}

// Options tune the grouping. The zero value has the defaults.
type Options struct {
	Scratch  string                // folder for temporary files; "" for the system's
	Progress func(done, total int) // may be nil
}

const (
	bands   = 14 // enough that of pairs with a similarity of a half one in eighty is missed
	rows    = 2  // places of the signature in a band
	shingle = 3  // characters

	heads    = 24   // of one bucket that a text is compared with at most
	moves    = 64   // members that move to another one's group at most
	checkAll = 4096 // texts between looks at the context
)

// Near groups near-duplicates. The result is by position the position of the text that stands for its group: the fixed
// one, else a settled one, else the most asked, else the first; a text alone stands for itself. It is deterministic. Its time grows with the
// number of texts, its memory by some 20 bytes a text; bands are kept in files.
func Near(ctx context.Context, texts Texts, opt Options) ([]int32, error) {
	if opt.Progress == nil {
		opt.Progress = func(int, int) {}
	}
	n := texts.Len()
	fresh := 0
	for i := range n {
		if texts.Settled(i) < 0 {
			fresh++
		}
	}
	g := &grouping{ctx: ctx, texts: texts, opt: opt, reps: make([]int32, n), guard: make([]uint32, n), members: map[int32][]int32{}, total: n * 2}
	for i := range g.reps {
		g.reps[i] = int32(i)
		if rep := texts.Settled(i); rep >= 0 && rep != i && !texts.Fixed(i) && texts.Settled(rep) == rep {
			g.reps[i] = int32(rep)
			g.members[int32(rep)] = append(g.members[int32(rep)], int32(i))
		}
	}
	if n < 2 || fresh == 0 {
		return g.reps, nil
	}
	files, err := g.sign()
	if err != nil {
		return nil, err
	}
	defer files.close()
	for band := range bands + 1 {
		if err := g.band(files, band); err != nil {
			return nil, err
		}
		opt.Progress(n+n*(band+1)/(bands+1), 2*n)
	}
	return g.reps, nil
}

// grouping is one run.
type grouping struct {
	ctx     context.Context
	texts   Texts
	opt     Options
	reps    []int32
	guard   []uint32          // what must be equal of near-duplicates, hashed; 0 for texts that say nothing
	members map[int32][]int32 // of those that stand for others, these
	total   int
	read    map[int32]question // texts of the bucket at hand
}

// better orders texts by who stands for whom.
func (g *grouping) better(a, b int32) int {
	fixed := func(i int32) int {
		if g.texts.Fixed(int(i)) {
			return 0
		}
		return 1
	}
	fresh := func(i int32) int {
		if g.texts.Settled(int(i)) < 0 {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(fixed(a), fixed(b)), cmp.Compare(fresh(a), fresh(b)), cmp.Compare(g.texts.Count(int(b)), g.texts.Count(int(a))), cmp.Compare(a, b))
}

// bucket deals with candidates for one group.
func (g *grouping) bucket(all []int32) error {
	slices.SortFunc(all, g.better)
	clear(g.read)
	var stand []int32 // of this bucket, in order
	for _, i := range all {
		rep := g.reps[i]
		if rep != i {
			if len(stand) < heads && !slices.Contains(stand, rep) {
				stand = append(stand, rep)
			}
			continue
		}
		into := int32(-1)
		for _, s := range stand {
			ok, err := g.joins(i, s)
			if err != nil {
				return err
			}
			if ok {
				into = s
				break
			}
		}
		if into >= 0 {
			g.move(i, into)
		} else if len(stand) < heads {
			stand = append(stand, i)
		}
	}
	return nil
}

// joins reports whether i, with all that it stands for, may go to the group of s.
func (g *grouping) joins(i, s int32) (bool, error) {
	if i == s || g.reps[s] != s || g.guard[i] != g.guard[s] || g.texts.Fixed(int(i)) || g.texts.Settled(int(i)) >= 0 || g.better(s, i) > 0 || len(g.members[i]) > moves {
		return false, nil
	}
	for _, k := range append([]int32{i}, g.members[i]...) {
		a, err := g.question(k)
		if err != nil {
			return false, err
		}
		b, err := g.question(s)
		if err != nil {
			return false, err
		}
		if !a.same(&b) {
			return false, nil
		}
	}
	return true, nil
}

func (g *grouping) move(i, into int32) {
	for _, k := range append(g.members[i], i) {
		g.reps[k] = into
		g.members[into] = append(g.members[into], k)
	}
	delete(g.members, i)
}

func (g *grouping) question(i int32) (question, error) {
	if q, ok := g.read[i]; ok {
		return q, nil
	}
	s, err := g.texts.At(int(i))
	if err != nil {
		return question{}, err
	}
	q := read(s)
	g.read[i] = q
	return q, nil
}
