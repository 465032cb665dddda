package intake

import (
	"maps"
	"slices"

	"assay/corpus"
	"assay/corpus/querylog"
	"assay/corpus/querylog/sample"
	"assay/store"
)

// asked is a query of the frame as it would stand in labels.db: with the count and the variants of its group.
type asked struct {
	query corpus.Query
	tags  []string // that the log gives
	here  bool     // one of the logs of this import asks it
}

// changed is a query that a log gives otherwise than labels.db keeps it.
type changed struct {
	querylog.Change
}

// planner compares the frame with labels.db.
type planner struct {
	there   map[string]corpus.Query
	joined  map[string][]corpus.Query // by the query that stands for them
	order   int                       // the last one that is taken
	sampled bool                      // some queries were drawn

	inFrame  map[string]bool // known queries that the frame has
	incoming []corpus.Query  // the new ones, in the order in which they are to be labeled
	tags     map[string][]string
	changes  []store.Change
	same     int
	updated  int // known queries of which only counts, times or variants are brought up to date
	changed  []changed
}

func newPlanner(db *store.DB) (*planner, error) {
	known, err := db.Queries()
	if err != nil {
		return nil, err
	}
	p := &planner{there: make(map[string]corpus.Query, len(known)), joined: map[string][]corpus.Query{}, tags: map[string][]string{}, inFrame: map[string]bool{}}
	for _, q := range known {
		p.there[q.ID] = q
		p.order = max(p.order, q.Order)
		p.sampled = p.sampled || q.Inclusion != nil
		if q.Excluded && q.Group != "" && q.Group != q.ID {
			p.joined[q.Group] = append(p.joined[q.Group], q)
		}
	}
	return p, nil
}

// known brings a query that is in labels.db up to what the frame says. Only those that this import asks can differ in
// more than their counts.
//
// With all, the log comes in whole: what was drawn from it by chance before is certain now.
func (p *planner) known(a asked, all bool) {
	old := p.there[a.query.ID]
	p.inFrame[old.ID] = true
	now, what := old, []string(nil)
	if a.here {
		plan := querylog.PlanImport(func(string) (corpus.Query, bool) { return old, true }, []corpus.Query{a.query})
		for _, c := range plan.Changed {
			now, what = c.New, c.What
		}
	}
	if all && a.here && p.sampled && mined(now) {
		one := 1.0
		now.Inclusion = &one
	}
	recount(&now, a.query, p.joined[now.ID])
	switch {
	case len(what) > 0:
		p.changed = append(p.changed, changed{Change: querylog.Change{Old: old, New: now, What: what}})
	case differs(old, now):
		p.updated++
	default:
		p.same++
		return
	}
	p.there[now.ID] = now
	p.changes = append(p.changes, store.PutQuery(now))
}

// recountJoined notes how often a query that was joined to another is asked now.
func (p *planner) recountJoined(q corpus.Query) {
	for _, joined := range p.joined {
		for i := range joined {
			if joined[i].ID == q.ID {
				joined[i].Count = q.Count
			}
		}
	}
}

// recount takes over how often the query and what it stands for were asked. Queries that somebody joined to it count
// as they stand; a variant that somebody split off counts for itself and is no variant of this one in the frame either.
func recount(q *corpus.Query, frame corpus.Query, joined []corpus.Query) {
	count := frame.Count
	variants := slices.Clone(frame.Variants)
	for _, other := range joined {
		i := slices.IndexFunc(variants, func(v corpus.Variant) bool { return v.ID == other.ID })
		if i < 0 {
			count += max(1, other.Count)
			variants = append(variants, corpus.Variant{ID: other.ID, Text: other.Text, Count: max(1, other.Count)})
		}
	}
	if len(variants) > 0 || len(joined) > 0 {
		q.Group = q.ID
	}
	slices.SortStableFunc(variants, func(a, b corpus.Variant) int { return b.Count - a.Count })
	q.Count, q.Variants = max(1, count), variants[:min(len(variants), corpus.MaxVariants)]
	if len(q.Variants) == 0 {
		q.Variants = nil
	}
	if frame.FirstSeen != nil {
		q.FirstSeen = frame.FirstSeen
	}
	if frame.LastSeen != nil {
		q.LastSeen = frame.LastSeen
	}
	if q.Inclusion != nil && *q.Inclusion > 0 {
		w := float64(q.Count) / *q.Inclusion
		q.Weight = &w
	}
}

// differs compares what an import brings up to date by itself.
func differs(a, b corpus.Query) bool {
	if a.Count != b.Count || a.Group != b.Group || !slices.Equal(a.Variants, b.Variants) || !sameWeight(a.Weight, b.Weight) || !sameWeight(a.Inclusion, b.Inclusion) || a.Stratum != b.Stratum {
		return true
	}
	return a.FirstSeen != nil != (b.FirstSeen != nil) || a.LastSeen != nil != (b.LastSeen != nil) ||
		a.FirstSeen != nil && !a.FirstSeen.Equal(*b.FirstSeen) || a.LastSeen != nil && !a.LastSeen.Equal(*b.LastSeen)
}

func sameWeight(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// take adds a new query to label.
func (p *planner) take(a asked) {
	p.order++
	a.query.Order = p.order
	p.there[a.query.ID] = a.query
	p.incoming = append(p.incoming, a.query)
	if len(a.tags) > 0 {
		p.tags[a.query.ID] = a.tags
	}
}

// redrawn gives a query that was drawn before the greater chance that it has had since.
func (p *planner) redrawn(pick sample.Pick) {
	q, ok := p.there[pick.ID]
	if !ok {
		return
	}
	now := q
	drawn(&now, pick)
	if differs(q, now) {
		p.there[now.ID] = now
		p.changes = append(p.changes, store.PutQuery(now))
		p.brought()
	}
}

// certain gives queries that came in whole before anything was drawn the weight of those that were not left to chance.
func (p *planner) certain() {
	for _, id := range slices.Sorted(maps.Keys(p.there)) {
		q := p.there[id]
		if q.Inclusion != nil || q.Excluded || !mined(q) || q.Count < 1 || !p.inFrame[id] {
			continue
		}
		one, weight := 1.0, float64(q.Count)
		q.Inclusion, q.Weight = &one, &weight
		p.there[id] = q
		p.changes = append(p.changes, store.PutQuery(q))
		p.brought()
	}
}

// brought counts a query as brought up to date that was counted as the same.
func (p *planner) brought() {
	p.updated++
	p.same = max(0, p.same-1)
}

func drawn(q *corpus.Query, pick sample.Pick) {
	inclusion, weight := pick.Inclusion, pick.Weight
	q.Inclusion, q.Weight, q.Stratum = &inclusion, &weight, pick.Stratum
}

// said are the tags that the logs give to new queries, as statements of an annotator.
func (p *planner) said(annotator string) []store.Change {
	var changes []store.Change
	for _, id := range slices.Sorted(maps.Keys(p.tags)) {
		for _, tag := range p.tags[id] {
			changes = append(changes, store.PutSaid(corpus.Said{QueryID: id, What: corpus.SaidTag, Value: tag, Annotator: annotator}))
		}
	}
	return changes
}
