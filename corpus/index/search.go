package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"

	"assay/corpus"
	"assay/corpus/index/internal/ask"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// BM25 as Robertson and Zaragoza define it, idf as Lucene has it (never negative).
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

func inverseFrequency(chunks, with float64) float64 {
	return math.Log(1 + (chunks-with+0.5)/(with+0.5))
}

// maxScored is how many units of a search count, the rarest of them: bits of a mask.
const maxScored = 60

// candidate is a chunk that matches, by rank of its id.
type candidate struct {
	score float64
	rank  uint32
}

// compareCandidates orders by score descending, then id descending by bytes.
func compareCandidates(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(b.rank, a.rank)
}

// found is what a search found, before anything is read of the chunks.
type found struct {
	best    []candidate
	total   int
	partial bool
	note    string
}

// run carries out a plan. Where words were typed beside a phrase and no chunk has it, its words alone count: the
// question with a quotation in it is the commoner case.
func (ix *Index) run(ctx context.Context, p ask.Plan, r corpus.SearchRequest) (found, error) {
	f, err := ix.runOnce(ctx, p, r)
	if err != nil || f.total > 0 || !p.Soft || f.partial {
		return f, err
	}
	p.Phrases = nil
	if f, err = ix.runOnce(ctx, p, r); f.total > 0 && f.note == "" {
		f.note = "no chunk has the phrase: its words were looked for"
	}
	return f, err
}

func (ix *Index) runOnce(ctx context.Context, p ask.Plan, r corpus.SearchRequest) (f found, err error) {
	defer recovered(&err)
	defer guard()()
	if p.Empty() || len(ix.shards) == 0 {
		return found{note: p.Note()}, nil
	}
	readers := make([]*reader, len(ix.shards))
	for i, s := range ix.shards {
		if readers[i], err = s.reader(); err != nil {
			return f, err
		}
	}
	for i, u := range p.Units {
		if u.Open() {
			terms, partial, err := ix.expand(ctx, readers, u)
			if err != nil {
				return f, err
			}
			p.Units[i].Terms = terms
			f.partial = f.partial || partial
		}
	}
	job := &searchJob{ctx: ctx, plan: p, limit: max(1, r.Limit), chunks: float64(ix.manifest.Chunks), average: ix.manifest.averageWords()}
	if err := ix.prepareFilters(ctx, readers, job, r); err != nil {
		return f, err
	}
	f.partial = f.partial || job.partial
	tasks := make([]*shardTask, len(readers))
	for i, rd := range readers {
		tasks[i] = &shardTask{job: job, reader: rd, number: i}
	}
	if err := each(tasks, (*shardTask).open); err != nil {
		return f, err
	}
	job.weigh(tasks)
	if err := each(tasks, (*shardTask).score); err != nil {
		return f, err
	}
	for _, t := range tasks {
		f.best = append(f.best, t.best...)
		f.total += t.total
	}
	slices.SortFunc(f.best, compareCandidates)
	if len(p.Phrases) > 0 {
		if err := ix.verify(ctx, p, &f); err != nil {
			return f, err
		}
	}
	f.best = f.best[:min(len(f.best), job.limit)]
	if f.note == "" {
		f.note = job.note()
	}
	return f, ctx.Err()
}

// each runs do for all tasks, each in a goroutine of its own, and gives the first error in the order of the tasks.
func each(tasks []*shardTask, do func(*shardTask) error) error {
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() {
			defer recovered(&errs[i])
			defer guard()()
			errs[i] = do(t)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// searchJob is what the shards share of one search. They only read it.
type searchJob struct {
	ctx     context.Context
	plan    ask.Plan
	limit   int
	chunks  float64
	average float64

	scored []scoredUnit
	groups []groupMask
	raise  float64 // what a level is worth: more than all words together
	cut    int     // words that were typed and not looked at
	named  bool    // the search is one identifier: chunks with the whole of it come first

	partial  bool
	docPaths []bitset                // ranks of chunks whose own id fits, for each of plan.Docs
	grades   map[uint32]corpus.Grade // by rank
	relevant corpus.Grade
}

// scoredUnit is a unit that counts: it is in some chunk, and among the rarest.
type scoredUnit struct {
	unit   int
	weight float64 // idf and the unit's own weight
}

// groupMask is a group in bits of the units that a chunk has.
type groupMask struct {
	parts, whole, prefix uint64
}

// weigh chooses the units that count and gives them their weights, from what all shards counted.
func (j *searchJob) weigh(tasks []*shardTask) {
	chunksWith := make([]uint64, len(j.plan.Units))
	var present []int
	for u := range j.plan.Units {
		for _, t := range tasks {
			chunksWith[u] += t.counts[u]
		}
		if chunksWith[u] > 0 {
			present = append(present, u)
		}
	}
	if len(present) > maxScored {
		j.cut = len(present) - maxScored
		slices.SortStableFunc(present, func(a, b int) int { return cmp.Compare(chunksWith[a], chunksWith[b]) })
		present = present[:maxScored]
		slices.Sort(present)
	}
	bit := make([]uint64, len(j.plan.Units))
	for i, u := range present {
		bit[u] = 1 << i
		w := inverseFrequency(j.chunks, float64(chunksWith[u])) * j.plan.Units[u].Weight
		j.scored = append(j.scored, scoredUnit{u, w})
		j.raise += w * (bm25K1 + 1)
	}
	for _, g := range j.plan.Groups {
		var m groupMask
		for _, u := range g.Parts {
			m.parts |= bit[u]
		}
		if g.Whole >= 0 {
			m.whole = bit[g.Whole]
		}
		if g.Prefix >= 0 {
			m.prefix = bit[g.Prefix]
		}
		if m != (groupMask{}) {
			j.groups = append(j.groups, m)
		}
	}
	j.named = len(j.plan.Groups) == 1 && len(j.groups) == 1 && j.groups[0].whole != 0
}

// level says how complete a chunk with the units of mask is: 0 not all of the words, 1 all if the last may be the
// beginning of one, 2 all, 3 the identifier that was asked for, as a whole.
func (j *searchJob) level(mask uint64) float64 {
	exact := true
	for _, g := range j.groups {
		if g.whole != 0 && mask&g.whole != 0 || g.parts != 0 && mask&g.parts == g.parts {
			continue
		}
		exact = false
		if g.prefix == 0 || mask&g.prefix == 0 {
			return 0
		}
	}
	switch {
	case !exact:
		return 1
	case j.named && mask&j.groups[0].whole != 0:
		return 3
	}
	return 2
}

// leveled reports whether levels differ at all: with one plain word they don't, and scores are BM25's own.
func (j *searchJob) leveled() bool {
	return len(j.groups) > 1 || j.named || len(j.groups) == 1 && (j.groups[0].prefix != 0 || bits.OnesCount64(j.groups[0].parts) > 1)
}

func (j *searchJob) note() string {
	if j.cut > 0 && j.plan.Note() == "" {
		return fmt.Sprintf("the search is long: the %d rarest of its words count", maxScored)
	}
	return j.plan.Note()
}

// unit is the postings of all terms of a unit.
func (r *reader) unit(u ask.Unit) (lists []list, err error) {
	for _, term := range u.Terms {
		if lists, err = r.lists(lists, term); err != nil {
			return nil, err
		}
	}
	for _, stem := range u.Stems {
		if lists, err = r.stem(lists, stem); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return cmp.Compare(a.segment, b.segment) })
	return lists, nil
}

// union counts the chunks that are in any of the lists.
func union(lists []list) (n uint64) {
	for i := 0; i < len(lists); {
		k := i + 1
		for k < len(lists) && lists[k].segment == lists[i].segment {
			k++
		}
		if k == i+1 {
			n += lists[i].count
		} else {
			n += merged(lists[i:k]).GetCardinality()
		}
		i = k
	}
	return n
}

// merged is the chunks of lists of one segment.
func merged(lists []list) *roaring.Bitmap {
	bitmaps := make([]*roaring.Bitmap, 0, len(lists))
	single := roaring.New()
	for _, l := range lists {
		if b := bitmap(l.postings); b != nil {
			bitmaps = append(bitmaps, b)
		} else {
			eachPosting(l.postings, func(n uint32) { single.Add(n) })
		}
	}
	return roaring.FastOr(append(bitmaps, single)...)
}

// bitmap is the chunks of a list without a copy, nil where the list has no bitmap.
func bitmap(p segment.PostingsList) *roaring.Bitmap {
	if o, ok := p.Iterator(false, false, false, nil).(segment.OptimizablePostingsIterator); ok {
		return o.ActualBitmap()
	}
	return nil
}

func eachPosting(p segment.PostingsList, yield func(n uint32)) {
	for it := p.Iterator(false, false, false, nil); ; {
		posting, err := it.Next()
		if err != nil || posting == nil {
			return
		}
		yield(uint32(posting.Number()))
	}
}

// Search answers r. A blank text has no hits and is no error; in query mode a mistake is a *SyntaxError.
func (ix *Index) Search(ctx context.Context, r corpus.SearchRequest) (corpus.SearchResult, error) {
	start := time.Now()
	result := corpus.SearchResult{Request: r, Scorer: ix.ScorerOf(r.Mode)}
	p, err := ask.For(ix.analyzer, r)
	if err != nil {
		return result, err
	}
	f, err := ix.run(ctx, p, r)
	if err != nil {
		return result, searchError(err)
	}
	result.Total, result.Partial, result.Note = f.total, f.partial, f.note
	if result.Hits, err = ix.show(ctx, p, r, f.best); err != nil {
		return result, searchError(err)
	}
	result.Took = time.Since(start)
	return result, nil
}

// Ranking is Search without what a list shows: ids and scores only, for measuring.
func (ix *Index) Ranking(ctx context.Context, r corpus.SearchRequest) (corpus.Ranking, error) {
	p, err := ask.For(ix.analyzer, r)
	if err != nil {
		return nil, err
	}
	f, err := ix.run(ctx, p, r)
	if err != nil {
		return nil, searchError(err)
	}
	ranking := make(corpus.Ranking, len(f.best))
	for i, c := range f.best {
		id, err := ix.tables.ID(c.rank)
		if err != nil {
			return nil, searchError(err)
		}
		ranking[i] = corpus.Hit{ChunkID: id.ID, Score: c.score}
	}
	return ranking, nil
}

// ScorerOf is Scorer with the mode, where that is not the plain one.
func (ix *Index) ScorerOf(mode corpus.Mode) string {
	if mode == corpus.Plain || mode == "" {
		return ix.Scorer()
	}
	return ix.Scorer() + " " + string(mode)
}

// Scorer says what ranks: function, parameters, analyzer.
func (ix *Index) Scorer() string {
	return fmt.Sprintf("bm25(k1=%g,b=%g,title=%d) all-words-first %s", bm25K1, bm25B, titleWeight, ix.manifest.Analyzer)
}

// searchError gives what went wrong in a search the form of the index's other errors.
func searchError(err error) error {
	if err == context.Canceled || err == context.DeadlineExceeded {
		return err
	}
	return &DamagedError{What: "a search failed", Err: err}
}
