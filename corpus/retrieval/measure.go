package retrieval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/corpus/text"
)

// kind is a measure without its cut-off.
type kind int

const (
	recall kind = iota
	precision
	reciprocalRank
	ndcg
	averagePrecision
	success
	judgedShare
	setPrecision
	setRecall
	rPrecision
)

// Measure is one measure with its cut-off. The zero value is not a measure; see ParseMeasures.
type Measure struct {
	kind kind
	k    int // 0: full depth
}

// cutoff says whether a kind takes an @k.
type cutoff int

const (
	without cutoff = iota
	optional
	required
)

// names are ir_measures' names, with trec_eval's for the full depth and for a cut-off, "" where it has none, and the
// places at which trec_eval prints these two.
var names = [...]struct {
	name            string
	cut             cutoff
	trec, trecAtK   string
	place, placeAtK int
	description     string
	alsoCalled      []string
}{
	recall:           {"R", required, "", "recall_", 0, 5, "share of the relevant chunks that are in the top k", nil},
	precision:        {"P", required, "", "P_", 0, 4, "share of the top k that is relevant, always of k", nil},
	reciprocalRank:   {"RR", optional, "recip_rank", "", 3, 12, "1 over the rank of the first relevant chunk", []string{"MRR"}},
	ndcg:             {"nDCG", optional, "ndcg", "ndcg_cut_", 6, 7, "discounted gain over the best possible, linear gain", nil},
	averagePrecision: {"AP", optional, "map", "map_cut_", 1, 8, "precision at each relevant chunk, over all relevant chunks", []string{"MAP"}},
	success:          {"Success", required, "", "success_", 0, 9, "1 where any relevant chunk is in the top k", []string{"Hit"}},
	judgedShare:      {"Judged", required, "", "", 0, 13, "share of the top k that somebody judged", nil},
	setPrecision:     {"SetP", without, "set_P", "", 10, 0, "share of everything returned that is relevant", nil},
	setRecall:        {"SetR", without, "set_recall", "", 11, 0, "share of the relevant chunks that were returned at all", nil},
	rPrecision:       {"Rprec", without, "Rprec", "", 2, 0, "precision at the number of relevant chunks", nil},
}

// DefaultMeasures is what check reports unless told otherwise.
const DefaultMeasures = "R@5 R@50 P@5 Success@5 RR nDCG@10 Judged@10"

// Known lists what ParseMeasures accepts, with one line on each, e.g. "R@k", "share of the relevant …".
func Known() [][2]string {
	var list [][2]string
	for _, n := range names {
		name := n.name
		switch n.cut {
		case optional:
			name += "[@k]"
		case required:
			name += "@k"
		}
		list = append(list, [2]string{name, n.description})
	}
	return list
}

// String is the measure's name, e.g. "R@5".
func (m Measure) String() string {
	if m.k == 0 {
		return names[m.kind].name
	}
	return names[m.kind].name + "@" + strconv.Itoa(m.k)
}

// Cutoff is the measure's k, 0 where it looks at the full depth.
func (m Measure) Cutoff() int { return m.k }

// TrecName is what trec_eval calls the measure; ok is false where it has no name of its own.
func (m Measure) TrecName() (name string, ok bool) {
	n := names[m.kind]
	if m.k == 0 {
		return n.trec, n.trec != ""
	}
	return n.trecAtK + strconv.Itoa(m.k), n.trecAtK != ""
}

// ParseMeasures reads names separated by commas or white space, e.g. "R@5,R@10 P@5", in any case. MRR is accepted
// for RR, MAP for AP and Hit@k for Success@k. A measure named twice is kept once.
func ParseMeasures(lists ...string) ([]Measure, error) {
	var measures []Measure
	seen := map[Measure]bool{}
	for _, list := range lists {
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
			m, err := parseMeasure(name)
			if err != nil {
				return nil, err
			}
			if !seen[m] {
				seen[m] = true
				measures = append(measures, m)
			}
		}
	}
	if len(measures) == 0 {
		return nil, fmt.Errorf("no measure named; known are %s", knownNames())
	}
	return measures, nil
}

// parseMeasure reads one name.
func parseMeasure(name string) (Measure, error) {
	base, depth, cut := strings.Cut(name, "@")
	k, ok := kindNamed(base)
	if !ok {
		return Measure{}, unknownMeasure(name, base, depth, cut)
	}
	n := names[k]
	if !cut {
		if n.cut == required {
			return Measure{}, fmt.Errorf("measure %q needs a cut-off, e.g. %s@5", name, n.name)
		}
		return Measure{kind: k}, nil
	}
	if n.cut == without {
		return Measure{}, fmt.Errorf("measure %q takes no cut-off; it is %s", name, n.name)
	}
	at, err := strconv.ParseUint(depth, 10, 31)
	if err != nil || at == 0 {
		return Measure{}, fmt.Errorf("measure %q: the cut-off is a whole number from 1, not %q", name, depth)
	}
	return Measure{k, int(at)}, nil
}

func kindNamed(base string) (kind, bool) {
	for k, n := range names {
		if strings.EqualFold(base, n.name) || slices.ContainsFunc(n.alsoCalled, func(s string) bool { return strings.EqualFold(base, s) }) {
			return kind(k), true
		}
	}
	return 0, false
}

// unknownMeasure says what was probably meant.
func unknownMeasure(name, base, depth string, cut bool) error {
	if strings.EqualFold(base, "recall") && cut {
		return fmt.Errorf("measure %q means two things: R@%s is the share of the relevant chunks found, Success@%s whether any was", name, depth, depth)
	}
	if m, ok := trecNamed(name); ok {
		return fmt.Errorf("measure %q is called %s here", name, m)
	}
	candidates := []string{"precision"}
	for _, n := range names {
		candidates = append(append(candidates, n.name), n.alsoCalled...)
	}
	if near, ok := text.Nearest(base, candidates); ok {
		k, known := kindNamed(near)
		if !known {
			k = precision
		}
		near = names[k].name
		if cut && names[k].cut != without {
			near += "@" + depth
		}
		return fmt.Errorf("unknown measure %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown measure %q; known are %s", name, knownNames())
}

// trecNamed is the measure that trec_eval calls name, e.g. "recall_5".
func trecNamed(name string) (Measure, bool) {
	for k, n := range names {
		if n.trec != "" && name == n.trec {
			return Measure{kind: kind(k)}, true
		}
		if depth, ok := strings.CutPrefix(name, n.trecAtK); ok && n.trecAtK != "" {
			if at, err := strconv.ParseUint(depth, 10, 31); err == nil && at > 0 {
				return Measure{kind(k), int(at)}, true
			}
		}
	}
	return Measure{}, false
}

func knownNames() string {
	var list []string
	for _, n := range Known() {
		list = append(list, n[0])
	}
	return strings.Join(list, ", ")
}
