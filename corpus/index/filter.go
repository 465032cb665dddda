package index

import (
	"context"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/index/internal/ask"
	"assay/corpus/index/internal/words"
)

// prepareFilters looks up what all shards need for the filters of a search.
func (ix *Index) prepareFilters(ctx context.Context, readers []*reader, j *searchJob, r corpus.SearchRequest) error {
	for i, u := range j.plan.Without {
		if !u.Open() {
			continue
		}
		var err error
		more := false
		if u.Fuzzy != "" {
			u.Terms, more, err = near(ctx, readers, u.Fuzzy, u.Edits)
		} else {
			shapes := words.Beginnings(u.Prefix)
			if u.Also != "" {
				shapes = append(shapes, words.Beginnings(u.Also)...)
			}
			u.Terms, more, err = beginning(ctx, readers, shapes, maxExcluded)
		}
		if err != nil {
			return err
		}
		u.Terms = slices.DeleteFunc(u.Terms, func(key string) bool { return !ix.standsFor(u, key) })
		j.plan.Without[i] = u
		j.partial = j.partial || more
	}
	for _, d := range j.plan.Docs {
		ranks := newBitset(ix.tables.IDs())
		fits := pathMatcher(d.Path)
		err := ix.tables.EachName(func(rank uint32, id []byte) bool {
			if fits(id) {
				ranks.add(rank)
			}
			return rank%checkEvery != 0 || ctx.Err() == nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		j.docPaths = append(j.docPaths, ranks)
	}
	if len(j.plan.Grades) > 0 {
		j.grades = make(map[uint32]corpus.Grade, len(r.Grades))
		j.relevant = r.RelevantFrom
		for id, g := range r.Grades {
			rank, ok, err := ix.tables.Find(id)
			if err != nil {
				return err
			}
			if ok {
				j.grades[rank] = g
			}
		}
	}
	return nil
}

// pathMatcher reports ids that hold path. Without a capital letter in path, capitals don't matter.
func pathMatcher(path string) func(id []byte) bool {
	if path != strings.ToLower(path) {
		return func(id []byte) bool { return strings.Contains(string(id), path) }
	}
	return func(id []byte) bool {
		return strings.Contains(string(id), path) || strings.Contains(strings.ToLower(string(id)), path)
	}
}

// filters makes the sets of what hits must be in and must not be in.
func (t *shardTask) filters() error {
	plan := t.job.plan
	size := t.reader.shard.docs.size
	must := func(b bitset) {
		if t.must == nil {
			t.must = b
		} else {
			t.must.and(b)
		}
	}
	mustNot := func(b bitset) {
		if t.mustNot == nil {
			t.mustNot = b
		} else {
			t.mustNot.or(b)
		}
	}
	for _, p := range plan.Phrases {
		if p.Not {
			continue // which chunks have it is known only when their text was read
		}
		for _, w := range p.Keys {
			b, err := t.having(ask.Unit{Terms: []string{w}}, size)
			if err != nil {
				return err
			}
			must(b)
		}
	}
	for _, u := range plan.Without {
		b, err := t.having(u, size)
		if err != nil {
			return err
		}
		mustNot(b)
	}
	for i, d := range plan.Docs {
		b, err := t.within(d.Path, t.job.docPaths[i], size)
		if err != nil {
			return err
		}
		if d.Not {
			mustNot(b)
		} else {
			must(b)
		}
	}
	return nil
}

// having is the chunks that have any of the unit's terms.
func (t *shardTask) having(u ask.Unit, size int) (bitset, error) {
	b := newBitset(size)
	lists, err := t.reader.unit(u)
	for i, l := range lists {
		if i%64 == 0 && t.job.ctx.Err() != nil {
			return nil, t.job.ctx.Err()
		}
		offset := t.reader.segments[l.segment].offset
		eachPosting(l.postings, func(n uint32) { b.add(offset + n) })
	}
	return b, err
}

// within is the chunks of the documents whose id holds path, and those whose own id does.
func (t *shardTask) within(path string, ranks bitset, size int) (bitset, error) {
	b := newBitset(size)
	for n, rank := range t.reader.shard.docs.ranks {
		if rank != gone && ranks.has(rank) {
			b.add(uint32(n))
		}
	}
	fits := pathMatcher(path)
	steps := 0
	for _, s := range t.reader.segments {
		it := terms(s.docs, nil, nil)
		for {
			if steps++; steps%checkEvery == 0 && t.job.ctx.Err() != nil {
				return nil, t.job.ctx.Err()
			}
			entry, err := it.Next()
			if err != nil {
				return nil, err
			}
			if entry == nil {
				break
			}
			if !fits([]byte(entry.Term)) {
				continue
			}
			p, err := s.docs.PostingsList([]byte(entry.Term), s.deleted, nil)
			if err != nil {
				return nil, err
			}
			eachPosting(p, func(n uint32) { b.add(s.offset + n) })
		}
	}
	return b, nil
}

// graded reports whether the asker's grade of a chunk is what is: asks for. Can't-judge counts as unjudged.
func (t *shardTask) graded(rank uint32) bool {
	for _, f := range t.job.plan.Grades {
		g, ok := t.job.grades[rank]
		judged := ok && g >= 0
		holds := !judged
		if f.Relevant {
			holds = judged && g >= t.job.relevant
		}
		if holds == f.Not {
			return false
		}
	}
	return true
}
