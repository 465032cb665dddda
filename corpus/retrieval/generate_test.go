package retrieval

import (
	"fmt"
	"math/rand/v2"

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
