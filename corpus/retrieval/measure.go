package retrieval

import (
	"strconv"

	"assay/corpus/retrieval/measure"
)

// Measure is one measure with its cut-off and parameters, comparable with ==. The zero value is not a measure; see
// ParseMeasures.
type Measure = measure.Measure

// Compat says whose defaults to follow.
type Compat = measure.Compat

// Assay is the default. TrecEval10 is trec_eval 10 with -c: every query with a grade counts, whatever its state, one
// without a relevant chunk scores 0, and a chunk returned twice is an error. TrecEval9 also compares scores as float32
// and rounds the recall levels of IPrec as version 9 did.
const (
	Assay      = measure.Assay
	TrecEval10 = measure.TrecEval10
	TrecEval9  = measure.TrecEval9
)

// DefaultMeasures is what check reports unless told otherwise.
const DefaultMeasures = "R@5 R@50 P@5 Success@5 RR nDCG@10 Judged@10"

// ParseMeasures reads names separated by commas or white space, e.g. "R@5,R@10 P(rel=2)@5", in any case. MRR is
// accepted for RR, MAP for AP and Hit@k for Success@k. A measure named twice is kept once.
func ParseMeasures(lists ...string) ([]Measure, error) { return measure.Parse(lists...) }

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
