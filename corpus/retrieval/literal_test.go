package retrieval

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"assay/corpus"
)

// reading is one query as the definitions see it.
type reading struct {
	grades  map[string]corpus.Grade
	sets    [][]string
	ranking []string // ids, best first
	from    corpus.Grade
	compat  Compat
}

// literal reads the definitions word by word, one measure at a time, without any shared work: slow, and hard to get
// wrong. NaN is undefined.
func (l reading) literal(m Measure) float64 {
	if m.rel > 0 {
		l.from = m.rel
	}
	judged := func(id string) bool { g, ok := l.grades[id]; return ok && g >= 0 }
	if m.judgedOnly {
		l.ranking = slices.DeleteFunc(slices.Clone(l.ranking), func(id string) bool { return !judged(id) })
	}
	rel := func(id string) bool { g, ok := l.grades[id]; return ok && g >= l.from }
	gain := func(id string) float64 {
		g := math.Max(float64(l.grades[id]), 0)
		if m.exp {
			return math.Pow(2, g) - 1
		}
		return g
	}
	R, N := 0, 0
	for id := range l.grades {
		if rel(id) {
			R++
		} else if judged(id) {
			N++
		}
	}
	n, ranking := len(l.ranking), l.ranking
	hits := func(k int) (h int) {
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				h++
			}
		}
		return h
	}
	over := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	k := m.k
	if k == 0 {
		k = n
	}
	p, r := over(float64(hits(n)), float64(n)), over(float64(hits(n)), float64(R))
	switch names[m.kind].name {
	case "P":
		return float64(hits(k)) / float64(k)
	case "R", "SetR":
		return over(float64(hits(k)), float64(R))
	case "Success":
		if hits(k) > 0 {
			return 1
		}
		return 0
	case "SetP":
		return p
	case "SetF":
		return over(2*p*r, p+r)
	case "SetAP":
		return p * r
	case "Rprec":
		return over(float64(hits(R)), float64(R))
	case "RR":
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				return 1 / float64(i+1)
			}
		}
		return 0
	case "AP", "GMAP":
		sum := 0.0
		for i := 0; i < k && i < n; i++ {
			if rel(ranking[i]) {
				sum += float64(hits(i+1)) / float64(i+1)
			}
		}
		return over(sum, float64(R))
	case "Judged":
		count := 0
		for i := 0; i < k && i < n; i++ {
			if judged(ranking[i]) {
				count++
			}
		}
		return over(float64(count), float64(min(k, n)))
	case "nDCG":
		var best []float64
		for id := range l.grades {
			best = append(best, gain(id))
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(best)))
		if m.k > 0 && len(best) > k {
			best = best[:k]
		}
		dcg, ideal := 0.0, 0.0
		for i := 0; i < k && i < n; i++ {
			dcg += gain(ranking[i]) / math.Log2(float64(i+2))
		}
		for i, g := range best {
			ideal += g / math.Log2(float64(i+2))
		}
		return over(dcg, ideal)
	case "Bpref":
		sum := 0.0
		for i, id := range ranking {
			if rel(id) {
				above := 0
				for _, other := range ranking[:i] {
					if judged(other) && !rel(other) {
						above++
					}
				}
				sum += 1 - over(math.Min(float64(above), float64(R)), math.Min(float64(N), float64(R)))
			}
		}
		return over(sum, float64(R))
	case "ERR":
		sum := 0.0
		for i := 0; i < k && i < n; i++ {
			stop := func(j int) float64 {
				return (math.Pow(2, math.Min(4, math.Max(0, float64(l.grades[ranking[j]])))) - 1) / 16
			}
			here := stop(i) / float64(i+1)
			for j := range i {
				here *= 1 - stop(j)
			}
			sum += here
		}
		return sum
	case "RBP":
		highest := 1.0
		for _, g := range l.grades {
			highest = math.Max(highest, float64(g))
		}
		sum := 0.0
		for i := 0; i < k && i < n; i++ {
			g := 0.0
			switch {
			case l.compat != Assay && m.rel == 0:
				g = math.Max(0, float64(l.grades[ranking[i]])) / highest
			case rel(ranking[i]):
				g = 1
			}
			sum += g * math.Pow(m.p, float64(i))
		}
		return (1 - m.p) * sum
	case "IPrec":
		need := int(math.Floor(m.p*float64(R) + 0.5))
		if l.compat == TrecEval9 {
			need = int(m.p*float64(R) + 0.9)
		}
		if l.compat != Assay && m.judgedOnly && n == 0 && need == 0 {
			return math.NaN() // trec_eval prints -nan
		}
		best := 0.0
		for i := 1; i <= n; i++ {
			if hits(i) >= need {
				best = math.Max(best, float64(hits(i))/float64(i))
			}
		}
		return best
	case "infAP":
		sum := 0.0
		for i, id := range ranking {
			if !rel(id) {
				continue
			}
			pool, relevant, irrelevant := 0.0, 0.0, 0.0
			for _, other := range ranking[:i] {
				if _, ok := l.grades[other]; ok {
					pool++
				}
				if rel(other) {
					relevant++
				} else if judged(other) {
					irrelevant++
				}
			}
			above := float64(i)
			sum += 1/(above+1) + above/(above+1)*over(pool, above)*((relevant+1e-5)/(relevant+irrelevant+2e-5))
		}
		return over(sum, float64(R))
	case "Sets":
		if len(l.sets) == 0 {
			return math.NaN()
		}
		for _, set := range l.sets {
			inside := 0
			for _, id := range set {
				if at := slices.Index(ranking, id); at >= 0 && at < k {
					inside++
				}
			}
			if inside == len(set) {
				return 1
			}
		}
		return 0
	case "NumRet":
		return float64(n)
	case "NumRel":
		return float64(R)
	case "NumRelRet":
		return float64(hits(n))
	case "NumQ":
		return 1
	}
	panic(m.String())
}

// order is metrics.md section 1: score descending, then id descending by bytes; of repeats the first counts.
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

func TestEqualsLiteralReading(t *testing.T) {
	cases := uint64(10000)
	if testing.Short() {
		cases = 2000
	}
	kinds := map[kind]bool{}
	for seed := range cases {
		rnd := rand.New(rand.NewPCG(seed, 1))
		in := arbitrary(rnd)
		in.Compat = Compat(seed % 3)
		measures := everyMeasure(t, 1+rnd.IntN(12), 1+rnd.IntN(4), float64(rnd.IntN(21))/20)
		r, err := Evaluate(in, measures)
		repeats := false
		want, excluded := map[string]reading{}, map[string]Why{}
		for _, q := range in.Queries {
			from := max(1, in.RelevantFrom)
			relevant := 0
			for _, g := range q.Grades {
				if g >= from {
					relevant++
				}
			}
			counts := in.Compat != Assay && len(q.Grades) > 0 || in.Compat == Assay && q.Done && relevant > 0
			switch {
			case counts:
				l := reading{q.Grades, q.Sets, order(in.Run.Rankings[q.ID]), from, in.Compat}
				repeats = repeats || len(l.ranking) < len(in.Run.Rankings[q.ID])
				want[q.ID] = l
			case in.Compat == Assay && !q.Done:
				excluded[q.ID] = WhyUnfinished
			case q.Unanswerable:
				excluded[q.ID] = WhyUnanswerable
			case q.Done:
				excluded[q.ID] = WhyNoRelevant
			default:
				excluded[q.ID] = WhyUnfinished
			}
		}
		if in.Compat != Assay && repeats {
			if err == nil {
				t.Fatalf("seed %d: a repeated chunk is taken under compat", seed)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Queries) != len(want) || len(r.Excluded) != len(excluded) {
			t.Fatalf("seed %d: %d queries count and %d don't, want %d and %d", seed, len(r.Queries), len(r.Excluded), len(want), len(excluded))
		}
		for _, e := range r.Excluded {
			if excluded[e.QueryID] != e.Why {
				t.Errorf("seed %d: query %s is out as %s, want %s", seed, e.QueryID, e.Why, excluded[e.QueryID])
			}
		}
		if !slices.IsSortedFunc(r.Queries, func(a, b QueryValues) int { return strings.Compare(a.QueryID, b.QueryID) }) {
			t.Errorf("seed %d: queries are not sorted", seed)
		}
		for i, m := range measures {
			kinds[m.kind] = true
			n, sum, logs := 0, 0.0, 0.0
			for _, q := range r.Queries {
				got, w := q.Values[m.String()], want[q.QueryID].literal(m)
				if (got == nil) != math.IsNaN(w) || got != nil && math.Abs(*got-w) > 1e-12 {
					t.Fatalf("seed %d: %s of query %s is %v, want %v", seed, m, q.QueryID, show(got), w)
				}
				if got == nil {
					continue
				}
				if !m.summed() && (*got < 0 || *got > 1+1e-12) {
					t.Errorf("seed %d: %s of query %s is %v", seed, m, q.QueryID, *got)
				}
				n++
				sum += *got
				logs += math.Log(math.Max(*got, 0.00001))
			}
			mean := r.Measures[i]
			switch {
			case m.kind == interpolated && n < len(want):
				if mean.Mean != nil || mean.Why == "" || mean.N != n {
					t.Errorf("seed %d: %+v, where trec_eval prints -nan", seed, mean)
				}
			case mean.N != n || (mean.Mean == nil) != (n == 0) || (mean.Why == "") != (n > 0):
				t.Errorf("seed %d: %+v over %d queries", seed, mean, n)
			case n == 0 || m.kind == numRel && in.Compat != Assay: // trec_eval sums what is above 0: see the edge collections
			case m.kind == gmap && math.Abs(*mean.Mean-math.Exp(logs/float64(n))) > 1e-12,
				m.summed() && *mean.Mean != sum, m.kind != gmap && !m.summed() && *mean.Mean != sum/float64(n):
				t.Errorf("seed %d: %s is %v over %d, sum %v", seed, m, *mean.Mean, n, sum)
			}
		}
	}
	if len(kinds) != len(names) {
		t.Errorf("%d kinds of measure were compared, there are %d", len(kinds), len(names))
	}
}

func show(v *float64) any {
	if v == nil {
		return "undefined"
	}
	return *v
}

// The order of queries, hits and maps must not show.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		in := arbitrary(rnd)
		first := evaluate(t, in, DefaultMeasures)
		for id, ranking := range in.Run.Rankings {
			ranking = slices.Clone(ranking)
			rnd.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
			in.Run.Rankings[id] = ranking
		}
		rnd.Shuffle(len(in.Queries), func(i, j int) { in.Queries[i], in.Queries[j] = in.Queries[j], in.Queries[i] })
		before := maps.Clone(in.Run.Rankings)
		again := evaluate(t, in, DefaultMeasures)
		if a, b := asJSON(t, first), asJSON(t, again); a != b {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		}
		for id, ranking := range before {
			if !slices.Equal(ranking, in.Run.Rankings[id]) {
				t.Errorf("seed %d: the run was changed", seed)
			}
		}
	}
}
