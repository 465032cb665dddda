package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
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
	switch m.kind.String() {
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

// arbitrary makes a query and a ranking with what breaks evaluators: ties, repeats, negative and zero grades, empty
// rankings, ids that are prefixes of each other, evidence sets that were not returned.
func arbitrary(rnd *rand.Rand) (grades map[string]corpus.Grade, sets [][]string, ranking corpus.Ranking) {
	id := func() string { return strings.Repeat("d", 1+rnd.IntN(2)) + strconv.Itoa(rnd.IntN(14)) }
	grades = map[string]corpus.Grade{}
	for range rnd.IntN(12) {
		grades[id()] = corpus.Grade(rnd.IntN(6) - 2)
	}
	for range rnd.IntN(3) {
		sets = append(sets, []string{id(), id()}[:1+rnd.IntN(2)])
	}
	if rnd.IntN(6) == 0 {
		return grades, sets, nil
	}
	for range rnd.IntN(16) {
		ranking = append(ranking, corpus.Hit{ChunkID: id(), Score: float64(rnd.IntN(5)) / 2})
	}
	return grades, sets, ranking
}

// everyMeasure is one of each kind at a cut-off, plain and with parameters.
func everyMeasure(t *testing.T, k, rel int, x float64) []Measure {
	t.Helper()
	measures, err := Parse(fmt.Sprintf(`P@%[1]d R@%[1]d Success@%[1]d Judged@%[1]d Judged RR RR@%[1]d AP AP@%[1]d nDCG nDCG@%[1]d SetP SetR SetF SetAP Rprec
		Bpref ERR ERR@%[1]d RBP RBP(p=0.9) RBP(p=0.5)@%[1]d IPrec@%[3]g infAP GMAP Sets@%[1]d NumQ NumRet NumRel NumRelRet nDCG(dcg='exp-log2')@%[1]d
		R(rel=%[2]d)@%[1]d AP(rel=%[2]d) Bpref(rel=%[2]d) RBP(rel=%[2]d) infAP(rel=%[2]d) NumRel(rel=%[2]d) IPrec(rel=%[2]d)@%[3]g
		P(judged_only=True)@%[1]d nDCG(judged_only=True)@%[1]d AP(rel=%[2]d,judged_only=True) IPrec(judged_only=True)@%[3]g`, k, rel, x))
	if err != nil {
		t.Fatal(err)
	}
	return measures
}

// same reports whether two values are equal but for rounding, undefined ones included.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12
}

func TestEqualsLiteralReading(t *testing.T) {
	cases := uint64(30000)
	if testing.Short() {
		cases = 6000
	}
	kinds := map[Kind]bool{}
	judges := map[string]*Judge{}
	for seed := range cases {
		rnd := rand.New(rand.NewPCG(seed, 1))
		grades, sets, ranking := arbitrary(rnd)
		from, compat := corpus.Grade(1+rnd.IntN(3)), Compat(seed%3)
		who := fmt.Sprint(from, compat)
		if judges[who] == nil {
			judges[who] = NewJudge(from, compat) // and used again: nothing of one query may show in the next
		}
		sheet, out := judges[who].Read(grades, sets, ranking)
		l := reading{grades, sets, order(ranking), from, compat}
		if out.Repeats != len(ranking)-len(l.ranking) || sheet.Returned() != len(l.ranking) || (out.FirstRepeat == "") != (out.Repeats == 0) {
			t.Fatalf("seed %d: %+v, %d returned, of %v", seed, out, sheet.Returned(), ranking)
		}
		touched, relevant, positive := false, 0, 0
		for id, g := range grades {
			touched = touched || g >= 0 && slices.Contains(l.ranking, id)
			if g >= from {
				relevant++
			}
			if g > 0 {
				positive++
			}
		}
		if out.Touched != touched || sheet.Relevant() != relevant || sheet.Positive() != positive {
			t.Fatalf("seed %d: %+v, %d relevant, %d positive; want %v, %d, %d", seed, out, sheet.Relevant(), sheet.Positive(), touched, relevant, positive)
		}
		for _, m := range everyMeasure(t, 1+rnd.IntN(12), 1+rnd.IntN(4), float64(rnd.IntN(21))/20) {
			kinds[m.Kind()] = true
			got, want := sheet.Value(m), l.literal(m)
			if !same(got, want) {
				t.Fatalf("seed %d, compat %q: %s of %v with %v is %v, want %v", seed, compat, m, ranking, grades, got, want)
			}
			if !m.Summed() && (got < 0 || got > 1+1e-12) {
				t.Errorf("seed %d: %s is %v", seed, m, got)
			}
		}
	}
	if len(kinds) != len(names) {
		t.Errorf("%d kinds of measure were compared, there are %d", len(kinds), len(names))
	}
}
