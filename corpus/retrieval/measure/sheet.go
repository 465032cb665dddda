package measure

import (
	"math"
	"slices"

	"assay/corpus"
)

// The two ways in which a hit has no grade: nobody looked at it, or a negative grade says that it was in the pool of
// what was to be judged and was not. Only infAP tells them apart.
const (
	unjudged corpus.Grade = -1
	pooled   corpus.Grade = -2
)

// Sheet is one query seen through its labels: the grade of each hit, repeats removed, best first.
type Sheet struct {
	grades []corpus.Grade // of the hits: unjudged, pooled or ≥ 0
	ideal  []corpus.Grade // all grades above 0 of the query, highest first
	judged int            // chunks of the query with a grade from 0
	setsAt []int          // for each evidence set the depth that holds all of it, 0 where none does
	from   corpus.Grade   // the lowest relevant grade, unless a measure has its own
	compat Compat
	log2   []float64 // log2[i] is log2(i+2), the discount of rank i+1; at least as long as grades and ideal

	condensed []corpus.Grade // space for the hits that are judged
}

// read takes a query's grades.
func (s *Sheet) read(grades map[string]corpus.Grade) {
	s.ideal, s.judged = s.ideal[:0], 0
	for _, g := range grades {
		if g > 0 {
			s.ideal = append(s.ideal, g)
		}
		if g >= 0 {
			s.judged++
		}
	}
	slices.SortFunc(s.ideal, func(a, b corpus.Grade) int { return int(b) - int(a) })
}

// Returned is how many chunks were returned, each counted once.
func (s *Sheet) Returned() int { return len(s.grades) }

// Relevant is how many chunks of the query count.
func (s *Sheet) Relevant() int { return s.relevant(s.from) }

// Positive is how many have a grade above 0: what trec_eval sums up as num_rel.
func (s *Sheet) Positive() int { return len(s.ideal) }

// Found counts the relevant hits within each depth, ascending, and last of all those in the whole ranking.
func (s *Sheet) Found(depths []int) []int32 {
	found := make([]int32, len(depths)+1)
	n, at := int32(0), 0
	for i, g := range s.grades {
		if g >= s.from {
			n++
		}
		if at < len(depths) && i+1 == depths[at] {
			found[at] = n
			at++
		}
	}
	for ; at <= len(depths); at++ {
		found[at] = n
	}
	return found
}

// relevant is how many chunks of the query count.
func (s *Sheet) relevant(from corpus.Grade) int {
	n := 0
	for n < len(s.ideal) && s.ideal[n] >= from {
		n++
	}
	return n
}

// atMost is the first k grades, all of them where k is 0.
func atMost(grades []corpus.Grade, k int) []corpus.Grade {
	if k > 0 && k < len(grades) {
		return grades[:k]
	}
	return grades
}

func hits(grades []corpus.Grade, from corpus.Grade) int {
	n := 0
	for _, g := range grades {
		if g >= from {
			n++
		}
	}
	return n
}

// Value is the measure; NaN where it is undefined for the query. Sums are plain float64 sums by
// rank, divided last: that gives trec_eval's digits.
func (s *Sheet) Value(m Measure) float64 {
	from := s.from
	if m.rel > 0 {
		from = m.rel
	}
	all := s.grades
	if m.judgedOnly {
		all = s.onlyJudged()
	}
	top := atMost(all, m.k)
	switch m.kind {
	case Precision:
		return float64(hits(top, from)) / float64(m.k)
	case Recall, SetRecall:
		return ratio(hits(top, from), s.relevant(from))
	case Success:
		return float64(min(1, hits(top, from)))
	case SetPrecision:
		return ratio(hits(top, from), len(top))
	case SetF:
		p, r := ratio(hits(top, from), len(top)), ratio(hits(top, from), s.relevant(from))
		if p+r == 0 {
			return 0
		}
		return 2 * p * r / (p + r)
	case SetAP:
		found := hits(top, from)
		return ratio(found*found, len(top)*s.relevant(from))
	case RPrecision:
		relevant := s.relevant(from)
		if relevant == 0 {
			return 0 // and atMost(…, 0) would mean full depth
		}
		return ratio(hits(atMost(all, relevant), from), relevant)
	case JudgedShare:
		return s.JudgedShare(m.k)
	case ReciprocalRank:
		for i, g := range top {
			if g >= from {
				return 1 / float64(i+1)
			}
		}
		return 0
	case AveragePrecision, GMAP:
		return s.averagePrecision(top, from)
	case NDCG:
		return s.ndcg(top, m)
	case Bpref:
		return s.bpref(from)
	case ExpectedRR:
		return expectedReciprocalRank(top)
	case RBP:
		return s.rankBiased(top, m)
	case Interpolated:
		return s.interpolated(all, from, m.p, m.judgedOnly)
	case InfAP:
		return s.inferred(from)
	case EvidenceSets:
		return s.sets(m.k)
	case NumQ:
		return 1
	case NumRet:
		return float64(len(all))
	case NumRel:
		return float64(s.relevant(from))
	default: // numRelRet
		return float64(hits(all, from))
	}
}

// onlyJudged are the grades of the hits that have one: the condensed list.
func (s *Sheet) onlyJudged() []corpus.Grade {
	s.condensed = s.condensed[:0]
	for _, g := range s.grades {
		if g >= 0 {
			s.condensed = append(s.condensed, g)
		}
	}
	return s.condensed
}

// JudgedShare is the share of the top k that has a grade, of those returned (ir_measures' denominator); 0 of none.
func (s *Sheet) JudgedShare(k int) float64 {
	top := atMost(s.grades, k)
	return ratio(hits(top, 0), len(top))
}

func (s *Sheet) averagePrecision(top []corpus.Grade, from corpus.Grade) float64 {
	hits, sum := 0, 0.0
	for i, g := range top {
		if g >= from {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	relevant := s.relevant(from)
	if relevant == 0 {
		return 0
	}
	return sum / float64(relevant)
}

// ndcg takes the grade itself as gain, whatever counts as relevant, and the ideal from all judged chunks, cut at k
// where there is a k.
func (s *Sheet) ndcg(top []corpus.Grade, m Measure) float64 {
	best := s.gain(atMost(s.ideal, m.k), m.exp)
	if best == 0 {
		return 0
	}
	return s.gain(top, m.exp) / best
}

// mostExp is the highest grade that an exponential gain tells from others: beyond it sums would be infinite, and no
// scale goes there.
const mostExp = 100

func (s *Sheet) gain(grades []corpus.Grade, exp bool) float64 {
	sum := 0.0
	for i, g := range grades {
		switch {
		case g <= 0:
		case exp:
			sum += (math.Exp2(float64(min(g, mostExp))) - 1) / s.log2[i]
		default:
			sum += float64(g) / s.log2[i]
		}
	}
	return sum
}

// bpref looks at judged hits only: what share of the judged irrelevant chunks stands above each relevant one.
func (s *Sheet) bpref(from corpus.Grade) float64 {
	relevant := s.relevant(from)
	irrelevant := s.judged - relevant
	above, sum := 0, 0.0
	for _, g := range s.grades {
		switch {
		case g < 0:
		case g < from:
			above++
		case above == 0:
			sum++
		default:
			sum += 1 - float64(min(above, relevant))/float64(min(irrelevant, relevant))
		}
	}
	if relevant == 0 {
		return 0
	}
	return sum / float64(relevant)
}

// expectedReciprocalRank is gdeval's: a reader stops at a chunk with probability (2^grade − 1)/16. Grades above 4 count
// as 4, which gdeval does not take.
func expectedReciprocalRank(top []corpus.Grade) float64 {
	sum, still := 0.0, 1.0
	for i, g := range top {
		if g > 0 {
			stop := (math.Exp2(float64(min(g, 4))) - 1) / 16
			sum += still * stop / float64(i+1)
			still *= 1 - stop
		}
	}
	return sum
}

// rankBiased takes relevance as yes or no. Under Compat it does as trec_eval: the grade is the gain, over the query's
// highest where that is above 1.
func (s *Sheet) rankBiased(top []corpus.Grade, m Measure) float64 {
	from, scaled, best := s.from, s.compat != Assay && m.rel == 0, 1.0
	if m.rel > 0 {
		from = m.rel
	}
	if scaled && len(s.ideal) > 0 {
		best = max(1, float64(s.ideal[0]))
	}
	sum, weight := 0.0, 1.0
	for _, g := range top {
		switch {
		case scaled && g > 0:
			sum += float64(g) / best * weight
		case !scaled && g >= from:
			sum += weight
		}
		weight *= m.p
	}
	return (1 - m.p) * sum
}

// interpolated is the best precision from the rank on at which the share x of the relevant chunks was found.
func (s *Sheet) interpolated(all []corpus.Grade, from corpus.Grade, x float64, judgedOnly bool) float64 {
	relevant := s.relevant(from)
	need := int(math.Round(x * float64(relevant)))
	if s.compat == TrecEval9 {
		need = int(x*float64(relevant) + 0.9)
	}
	if judgedOnly && len(all) == 0 && need == 0 && s.compat != Assay {
		return math.NaN() // trec_eval -J divides by the number of judged hits
	}
	found, best := 0, 0.0
	for i, g := range all {
		if g >= from {
			found++
			if found >= need {
				best = max(best, float64(found)/float64(i+1))
			}
		}
	}
	return best
}

// inferred is infAP of Yilmaz and Aslam as trec_eval computes it.
func (s *Sheet) inferred(from corpus.Grade) float64 {
	const epsilon = 0.00001
	relevant, irrelevant, waiting, sum := 0, 0, 0, 0.0
	for i, g := range s.grades {
		switch {
		case g == unjudged:
		case g == pooled:
			waiting++
		case g < from:
			irrelevant++
		default:
			if i == 0 {
				sum++
			} else {
				above := float64(i)
				sum += 1/(above+1) + above/(above+1)*
					(float64(relevant+irrelevant+waiting)/above)*
					((float64(relevant)+epsilon)/(float64(relevant)+float64(irrelevant)+2*epsilon))
			}
			relevant++
		}
	}
	if n := s.relevant(from); n > 0 {
		sum /= float64(n)
	}
	return sum
}

// sets is 1 where one of the query's evidence sets lies wholly in the top k; undefined where it has none.
func (s *Sheet) sets(k int) float64 {
	if len(s.setsAt) == 0 {
		return math.NaN()
	}
	for _, depth := range s.setsAt {
		if depth > 0 && depth <= k {
			return 1
		}
	}
	return 0
}

// suppose makes a copy of the sheet, in the space of into, in which what was returned in the top k and never judged got the
// grade best; k of 0 is the full depth.
func (s *Sheet) suppose(k int, best corpus.Grade, into *Sheet) {
	into.from, into.compat, into.setsAt = s.from, s.compat, s.setsAt
	into.grades = append(into.grades[:0], s.grades...)
	added := 0
	for i, g := range atMost(into.grades, k) {
		if g < 0 {
			into.grades[i] = best
			added++
		}
	}
	into.judged = s.judged + added
	into.ideal = into.ideal[:0]
	at := 0
	for at < len(s.ideal) && s.ideal[at] >= best {
		at++
	}
	into.ideal = append(into.ideal, s.ideal[:at]...)
	for range added {
		into.ideal = append(into.ideal, best)
	}
	into.ideal = append(into.ideal, s.ideal[at:]...)
	into.log2 = growDiscounts(s.log2, max(len(into.grades), len(into.ideal)))
	s.log2 = into.log2
}

// ratio is a/b, 0 where b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// growDiscounts makes log2 at least n long.
func growDiscounts(log2 []float64, n int) []float64 {
	for i := len(log2); i < n; i++ {
		log2 = append(log2, math.Log2(float64(i+2)))
	}
	return log2
}
