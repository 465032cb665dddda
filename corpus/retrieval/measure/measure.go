package measure

import (
	"cmp"
	"strconv"
	"strings"

	"assay/corpus"
)

// Kind is a measure without its cut-off and parameters.
type Kind int

// The kinds, in the order in which Known lists them.
const (
	Recall Kind = iota
	Precision
	ReciprocalRank
	NDCG
	AveragePrecision
	Success
	JudgedShare
	SetPrecision
	SetRecall
	SetF
	SetAP
	RPrecision
	Bpref
	ExpectedRR
	RBP
	Interpolated
	InfAP
	GMAP
	EvidenceSets
	NumQ
	NumRet
	NumRel
	NumRelRet
)

// Measure is one measure with its cut-off and parameters, comparable with ==. The zero value is not a measure; see
// Parse.
type Measure struct {
	kind Kind
	k    int // 0: full depth

	rel        corpus.Grade // the lowest relevant grade; 0: the gold set's own
	judgedOnly bool         // unjudged hits are taken out first
	exp        bool         // gain 2^grade − 1
	p          float64      // the persistence of RBP, the recall level of IPrec
}

// Of is the measure of a kind at depth k, 0 for full depth, without parameters. It must be one that Parse can make.
func Of(kind Kind, k int) Measure { return Measure{kind: kind, k: k} }

// Compat says whose defaults to follow.
type Compat int

// Assay is the default. TrecEval10 is trec_eval 10 with -c: every query with a grade counts, whatever its state, one
// without a relevant chunk scores 0, and a chunk returned twice is an error. TrecEval9 also compares scores as float32
// and rounds the recall levels of IPrec as version 9 did.
const (
	Assay Compat = iota
	TrecEval10
	TrecEval9
)

// String is the name in reports, "" for Assay.
func (c Compat) String() string { return [...]string{"", "trec_eval-10", "trec_eval-9"}[c] }

// cutoff says what a kind takes behind @.
type cutoff int

const (
	without  cutoff = iota
	optional        // a depth, or none
	required        // a depth
	level           // a share, as IPrec@0.1
)

// parameter is what a kind takes in parentheses.
type parameter int

const (
	takesRel parameter = 1 << iota
	takesJudgedOnly
	takesDCG
	takesP
)

const usual = takesRel | takesJudgedOnly

// places are where trec_eval prints a measure for the full depth and for a cut-off; the order of its all_trec.
type places struct{ full, cut int }

// names are ir_measures' names, with trec_eval's for the full depth and for a cut-off, "" where it has none.
var names = [...]struct {
	name          string
	cut           cutoff
	takes         parameter
	trec, trecAtK string
	place         places
	description   string
	alsoCalled    []string
}{
	Recall:           {"R", required, usual, "", "recall_", places{0, 11}, "share of the relevant chunks that are in the top k", nil},
	Precision:        {"P", required, usual, "", "P_", places{0, 10}, "share of the top k that is relevant, always of k", nil},
	ReciprocalRank:   {"RR", optional, usual, "recip_rank", "", places{8, 30}, "1 over the rank of the first relevant chunk", []string{"MRR"}},
	NDCG:             {"nDCG", optional, takesJudgedOnly | takesDCG, "ndcg", "ndcg_cut_", places{14, 15}, "discounted gain over the best possible, linear gain; dcg='exp-log2' takes 2^grade-1", nil},
	AveragePrecision: {"AP", optional, usual, "map", "map_cut_", places{4, 16}, "precision at each relevant chunk, over all relevant chunks", []string{"MAP"}},
	Success:          {"Success", required, usual, "", "success_", places{0, 18}, "1 where any relevant chunk is in the top k", []string{"Hit"}},
	JudgedShare:      {"Judged", optional, 0, "", "", places{31, 31}, "share of the top k that somebody judged, of those returned", nil},
	SetPrecision:     {"SetP", without, usual, "set_P", "", places{19, 0}, "share of everything returned that is relevant", nil},
	SetRecall:        {"SetR", without, usual, "set_recall", "", places{20, 0}, "share of the relevant chunks that were returned at all", nil},
	SetAP:            {"SetAP", without, usual, "set_map", "", places{21, 0}, "SetP times SetR", nil},
	SetF:             {"SetF", without, usual, "set_F", "", places{22, 0}, "harmonic mean of SetP and SetR", nil},
	RPrecision:       {"Rprec", without, usual, "Rprec", "", places{6, 0}, "precision at the number of relevant chunks", nil},
	Bpref:            {"Bpref", without, takesRel, "bpref", "", places{7, 0}, "how seldom judged irrelevant chunks stand above relevant ones; unjudged ones don't count", nil},
	ExpectedRR:       {"ERR", optional, takesJudgedOnly, "", "", places{32, 32}, "expected reciprocal rank at which a reader stops; grades up to 4", nil},
	RBP:              {"RBP", optional, usual | takesP, "rbp", "", places{23, 33}, "what a reader gains who goes on to the next chunk with probability p (0.8 unless given)", nil},
	Interpolated:     {"IPrec", level, usual, "", "iprec_at_recall_", places{0, 9}, "the best precision at this share of recall or beyond", nil},
	InfAP:            {"infAP", without, takesRel, "infAP", "", places{12, 0}, "AP inferred from a judged sample; a negative grade is pooled and not judged", nil},
	GMAP:             {"GMAP", without, usual, "gm_map", "", places{5, 0}, "geometric mean of AP, each taken as 0.00001 at least", nil},
	EvidenceSets:     {"Sets", required, 0, "", "", places{0, 34}, "share of queries of whose evidence sets one lies wholly in the top k", nil},
	NumQ:             {"NumQ", without, 0, "num_q", "", places{0, 0}, "queries that count", nil},
	NumRet:           {"NumRet", without, takesJudgedOnly, "num_ret", "", places{1, 0}, "chunks returned, in all", nil},
	NumRel:           {"NumRel", without, takesRel, "num_rel", "", places{2, 0}, "relevant chunks, in all", nil},
	NumRelRet:        {"NumRelRet", without, usual, "num_rel_ret", "", places{3, 0}, "relevant chunks returned, in all", nil},
}

// defaultP is the persistence of RBP where none is given, as ir_measures has it.
const defaultP = 0.8

// Known lists what Parse accepts, with one line on each, e.g. "R@k", "share of the relevant …".
func Known() [][2]string {
	var list [][2]string
	for _, n := range names {
		list = append(list, [2]string{n.name + [...]string{"", "[@k]", "@k", "@x"}[n.cut], n.description})
	}
	return list
}

// String is the kind's name, e.g. "nDCG".
func (k Kind) String() string { return names[k].name }

// String is the measure's name as ir_measures writes it, e.g. "R@5", "R(rel=2)@5", "nDCG(dcg='exp-log2')@10".
func (m Measure) String() string {
	name := names[m.kind].name
	var params []string
	if m.exp {
		params = append(params, "dcg='exp-log2'")
	}
	if m.kind == RBP {
		params = append(params, "p="+number(m.p))
	}
	if m.rel > 0 {
		params = append(params, "rel="+strconv.Itoa(int(m.rel)))
	}
	if m.judgedOnly {
		params = append(params, "judged_only=True")
	}
	if len(params) > 0 {
		name += "(" + strings.Join(params, ",") + ")"
	}
	switch {
	case m.kind == Interpolated:
		return name + "@" + number(m.p)
	case m.k > 0:
		return name + "@" + strconv.Itoa(m.k)
	}
	return name
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Kind is the measure without its cut-off and parameters.
func (m Measure) Kind() Kind { return m.kind }

// Cutoff is the measure's k, 0 where it looks at the full depth.
func (m Measure) Cutoff() int { return m.k }

// TrecName is what trec_eval calls the measure, under -l where it has its own threshold and -J where it looks at judged
// hits only; ok is false where it has no name of its own.
func (m Measure) TrecName() (name string, ok bool) {
	n := names[m.kind]
	switch {
	case m.exp, m.kind == RBP && (m.p != 0.9 || m.k > 0):
		return "", false
	case m.kind == Interpolated:
		return n.trecAtK + strconv.FormatFloat(m.p, 'f', 2, 64), true
	case m.k == 0:
		return n.trec, n.trec != ""
	}
	return n.trecAtK + strconv.Itoa(m.k), n.trecAtK != ""
}

// CompareTREC is the order in which trec_eval prints measures.
func CompareTREC(a, b Measure) int {
	return cmp.Or(a.place()-b.place(), a.k-b.k, cmp.Compare(a.p, b.p))
}

// Narrowed says that the measure has its own threshold or looks at judged hits only, which TrecName does not show.
func (m Measure) Narrowed() bool { return m.rel > 0 || m.judgedOnly }

// place is where trec_eval prints the measure.
func (m Measure) place() int {
	if m.k > 0 || names[m.kind].cut == level {
		return names[m.kind].place.cut
	}
	return names[m.kind].place.full
}

// Summed says that the figure over all queries is a sum.
func (m Measure) Summed() bool { return m.kind >= NumQ }

// Compared says that a difference of the measure tells one retriever from another: counts and what was judged are no
// quality, and GMAP is no mean of its queries' values (AP, of which it is made, can be asked for).
func (m Measure) Compared() bool { return !m.Summed() && m.kind != JudgedShare && m.kind != GMAP }

// Indifferent says that what is unjudged can't change the measure, or that asking so makes no sense of it.
func (m Measure) Indifferent() bool {
	return m.judgedOnly || m.kind == JudgedShare || m.kind == EvidenceSets || m.Summed()
}
