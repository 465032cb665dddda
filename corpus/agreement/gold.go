package agreement

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/corpus"
)

// Input is everything that was said, in any order.
type Input struct {
	Queries  []corpus.Query
	Labels   []corpus.Label
	Works    []corpus.Work
	Said     []corpus.Said
	Searches map[string][]corpus.SearchTried // by query id

	Scale            corpus.Scale
	Corpus           corpus.Info // its ID decides which labels enter the agreed values: its own and those that name no corpus; "" lets all
	Program          string      // what makes the gold set, e.g. "assay 0.1.0"
	GuidelinesSHA256 corpus.Hash // used where no label names any
	Rule             corpus.Rule // "" is Majority
	AsOf             time.Time   // at least; anything said later moves it; may be zero
	Snapshot         string      // "" for none
}

// Gold derives the gold set. Queries that were taken out are not in it, nor is what was said about them. Labels,
// states and statements on a query that was never imported make a row without a query text.
func Gold(in Input) (corpus.GoldSet, error) {
	if err := in.Scale.Check(); err != nil {
		return corpus.GoldSet{}, fmt.Errorf("derive gold set: %w", err)
	}
	rule := in.Rule
	switch rule {
	case "":
		rule = corpus.Majority
	case corpus.Majority, corpus.Single, corpus.Adjudicated:
	default:
		return corpus.GoldSet{}, fmt.Errorf("derive gold set: unknown rule %q; known are majority, single, adjudicated", rule)
	}
	gold := corpus.GoldSet{Header: corpus.GoldHeader{
		Assay: "gold", Version: 1, Program: in.Program, GuidelinesSHA256: in.GuidelinesSHA256, Scale: in.Scale, Rule: rule,
		Corpus: corpus.GoldCorpus{ID: in.Corpus.ID, Fingerprint: in.Corpus.Fingerprint, Chunks: in.Corpus.Chunks},
	}}
	if in.Snapshot != "" {
		gold.Header.Snapshot = &in.Snapshot
	}
	matters, err := in.matters()
	if err != nil {
		return corpus.GoldSet{}, fmt.Errorf("derive gold set: %w", err)
	}
	asOf, guided := in.AsOf, &corpus.Label{}
	gold.Rows = make([]corpus.GoldRow, 0, len(matters))
	for _, id := range slices.Sorted(maps.Keys(matters)) {
		m := matters[id]
		row, err := m.row(id, rule, in.Scale, in.Corpus.ID)
		if err != nil {
			return corpus.GoldSet{}, fmt.Errorf("derive gold set: %w", err)
		}
		gold.Rows = append(gold.Rows, row)
		gold.Header.Labels += len(row.Labels)
		asOf = latest(asOf, m.newest())
		for _, l := range m.labels {
			newer := l.At.Compare(guided.At)
			if l.GuidelinesSHA256 > guided.GuidelinesSHA256 && newer == 0 || l.GuidelinesSHA256 != "" && newer > 0 {
				guided = l
			}
		}
	}
	gold.Header.Queries = len(gold.Rows)
	if guided.GuidelinesSHA256 != "" {
		gold.Header.GuidelinesSHA256 = guided.GuidelinesSHA256
	}
	if !asOf.IsZero() {
		asOf = asOf.UTC()
		gold.Header.AsOf = &asOf
	}
	return gold, nil
}

// matter is all that was said about one query.
type matter struct {
	query    *corpus.Query
	labels   []*corpus.Label
	works    []corpus.Work
	said     []corpus.Said
	searches []corpus.SearchTried
}

// matters sorts what was said by query, without the queries that were taken out.
func (in Input) matters() (map[string]*matter, error) {
	found := make(map[string]*matter, len(in.Queries))
	out := map[string]bool{}
	for i, q := range in.Queries {
		if out[q.ID] || found[q.ID] != nil {
			return nil, fmt.Errorf("query %q is given twice", q.ID)
		}
		if q.Excluded {
			out[q.ID] = true
			continue
		}
		found[q.ID] = &matter{query: &in.Queries[i]}
	}
	// about is where to note something; what is said about an excluded query goes where nobody looks.
	about := func(id string) *matter {
		if out[id] {
			return &matter{}
		}
		if found[id] == nil {
			found[id] = &matter{}
		}
		return found[id]
	}
	seen := make(map[corpus.LabelKey]bool, len(in.Labels))
	for i := range in.Labels {
		l := &in.Labels[i]
		if seen[l.Key()] {
			return nil, fmt.Errorf("the label of %q for chunk %q of query %q is given twice", l.Annotator, l.ChunkID, l.QueryID)
		}
		seen[l.Key()] = true
		m := about(l.QueryID)
		m.labels = append(m.labels, l)
	}
	for _, w := range in.Works {
		m := about(w.QueryID)
		m.works = append(m.works, w)
	}
	for _, s := range in.Said {
		m := about(s.QueryID)
		m.said = append(m.said, s)
	}
	for id, searches := range in.Searches {
		if len(searches) > 0 {
			m := about(id)
			m.searches = append(m.searches, searches...)
		}
	}
	return found, nil
}

// newest is when something was last said; zero where nothing was.
func (m *matter) newest() time.Time {
	var t time.Time
	for _, l := range m.labels {
		t = latest(t, l.At)
	}
	for _, w := range m.works {
		t = latest(t, w.At)
	}
	for _, s := range m.said {
		t = latest(t, s.At)
	}
	for _, s := range m.searches {
		t = latest(t, s.At)
	}
	return t
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// compareStrings is bytewise over several fields: the first that differs decides.
func compareStrings(pairs ...string) int {
	for i := 0; i < len(pairs); i += 2 {
		if c := strings.Compare(pairs[i], pairs[i+1]); c != 0 {
			return c
		}
	}
	return 0
}
