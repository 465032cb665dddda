package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"assay/corpus"
)

// collection is a gold set made up from a seed. Each query has some relevant chunks among thirty, and its own
// difficulty: how far their true scores lie above the others'.
type collection struct {
	queries int
	seed    uint64
	from    int // the number of the first query, so that collections of one seed can be parts of one another
}

func (c collection) query(i int) (q Query, truth map[string]float64) {
	rnd := rand.New(rand.NewPCG(c.seed, uint64(c.from+i)))
	q = Query{ID: fmt.Sprintf("q%05d", c.from+i), Done: true, Grades: map[string]corpus.Grade{}}
	truth = map[string]float64{}
	ease := 1.5 * rnd.Float64()
	for d := range 30 {
		id := fmt.Sprintf("d%02d", d)
		truth[id] = rnd.NormFloat64()
		switch {
		case d == 0 || d < 4 && rnd.IntN(2) == 0:
			q.Grades[id] = corpus.Grade(1 + rnd.IntN(3))
			truth[id] += ease * float64(q.Grades[id])
		case rnd.IntN(3) > 0:
			q.Grades[id] = 0
		}
	}
	return q, truth
}

// run is what a retriever returns that sees the true scores through so much noise; number tells apart runs of one
// retriever, which differ by their noise alone.
func (c collection) run(number uint64, noise float64) Input {
	in := Input{
		Run:    corpus.Run{Name: fmt.Sprintf("run %d", number), Rankings: map[string]corpus.Ranking{}},
		Labels: "labels", Corpus: "corpus", Scale: "scale", Program: "assay test", Best: 3,
	}
	for i := range c.queries {
		q, truth := c.query(i)
		rnd := rand.New(rand.NewPCG(c.seed^number<<32, uint64(c.from+i)))
		ranking := corpus.Ranking{}
		for d := range 30 {
			id := fmt.Sprintf("d%02d", d)
			ranking = append(ranking, corpus.Hit{ChunkID: id, Score: truth[id] + noise*rnd.NormFloat64()})
		}
		ranking.Sort()
		in.Queries = append(in.Queries, q)
		in.Run.Rankings[q.ID] = ranking[:20]
	}
	return in
}

// varied is arbitrary with more queries, which have what slices go by and a past with a live retriever: some failed, and
// all took their time.
func varied(rnd *rand.Rand) Input {
	in := Input{Best: 4, Failed: map[string]string{}, Latency: map[string]time.Duration{}, Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	for part := range 6 {
		some := arbitrary(rnd)
		for _, q := range some.Queries {
			ranking, ok := some.Run.Rankings[q.ID]
			q.ID = fmt.Sprint(part, "-", q.ID)
			q.Kind, q.Source, q.Language = corpus.Kind(pick("", "mined", "written")), pick("", "logs", "mails"), pick("en", "de")
			q.Count = []int{0, 1, 2, 9, 10, 99, 100, 5000}[rnd.IntN(8)]
			for _, tag := range []string{"follow-up", "identifier", "free", "free"} {
				if rnd.IntN(3) == 0 {
					q.Tags = append(q.Tags, tag)
				}
			}
			if rnd.IntN(6) == 0 {
				q.Unanswerable, q.Grades = true, map[string]corpus.Grade{"d1": 0}
			}
			in.Queries = append(in.Queries, q)
			if ok {
				in.Run.Rankings[q.ID] = ranking
			}
			if rnd.IntN(8) == 0 {
				in.Failed[q.ID] = "connection refused"
			} else {
				in.Latency[q.ID] = time.Duration(rnd.ExpFloat64() * float64(50*time.Millisecond))
			}
		}
	}
	return in
}

// arbitrary makes a gold set and a run with what breaks evaluators: ties, repeats, negative and zero grades, missing
// and empty rankings, unknown queries, ids that are prefixes of each other.
func arbitrary(rnd *rand.Rand) Input {
	in := Input{RelevantFrom: corpus.Grade(rnd.IntN(4)), Run: corpus.Run{Rankings: map[string]corpus.Ranking{}}}
	id := func() string { return strings.Repeat("d", 1+rnd.IntN(2)) + fmt.Sprint(rnd.IntN(14)) }
	for q := range 1 + rnd.IntN(5) {
		query := Query{ID: fmt.Sprint(q * 7), Done: rnd.IntN(6) > 0, Unanswerable: rnd.IntN(8) == 0, Grades: map[string]corpus.Grade{}}
		for range rnd.IntN(12) {
			query.Grades[id()] = corpus.Grade(rnd.IntN(6) - 2)
		}
		for range rnd.IntN(3) {
			query.Sets = append(query.Sets, []string{id(), id()}[:1+rnd.IntN(2)])
		}
		in.Queries = append(in.Queries, query)
		if rnd.IntN(5) == 0 {
			continue
		}
		ranking := corpus.Ranking{}
		for range rnd.IntN(16) {
			ranking = append(ranking, corpus.Hit{ChunkID: id(), Score: float64(rnd.IntN(5)) / 2})
		}
		in.Run.Rankings[query.ID] = ranking
	}
	rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
	if rnd.IntN(3) == 0 {
		in.Run.Rankings["nobody asked"] = corpus.Ranking{{ChunkID: "d1", Score: 1}}
	}
	return in
}

// everyMeasure is one of each kind at a cut-off, plain and with parameters.
func everyMeasure(t *testing.T, k, rel int, x float64) []Measure {
	return parse(t, fmt.Sprintf(`P@%[1]d R@%[1]d Success@%[1]d Judged@%[1]d Judged RR RR@%[1]d AP AP@%[1]d nDCG nDCG@%[1]d SetP SetR SetF SetAP Rprec
		Bpref ERR ERR@%[1]d RBP RBP(p=0.9) RBP(p=0.5)@%[1]d IPrec@%[3]g infAP GMAP Sets@%[1]d NumQ NumRet NumRel NumRelRet nDCG(dcg='exp-log2')@%[1]d
		R(rel=%[2]d)@%[1]d AP(rel=%[2]d) Bpref(rel=%[2]d) RBP(rel=%[2]d) infAP(rel=%[2]d) NumRel(rel=%[2]d) IPrec(rel=%[2]d)@%[3]g
		P(judged_only=True)@%[1]d nDCG(judged_only=True)@%[1]d AP(rel=%[2]d,judged_only=True) IPrec(judged_only=True)@%[3]g`, k, rel, x))
}

// order reads the order of a ranking word by word: score descending, then id descending by bytes; of repeats the first counts.
func order(ranking corpus.Ranking) []string {
	hits := slices.Clone(ranking)
	sort.SliceStable(hits, func(i, j int) bool {
		if hits[i].Score != hits[j].Score {
			return hits[i].Score > hits[j].Score
		}
		return hits[i].ChunkID > hits[j].ChunkID
	})
	var ids []string
	seen := map[string]bool{}
	for _, h := range hits {
		if !seen[h.ChunkID] {
			ids = append(ids, h.ChunkID)
		}
		seen[h.ChunkID] = true
	}
	return ids
}
