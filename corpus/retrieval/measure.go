package retrieval

// Measure is one measure with its cut-off.
type Measure struct {
	kind kind
	k    int // 0: full depth
}

type kind int

// DefaultMeasures is what check reports unless told otherwise.
const DefaultMeasures = "R@5 R@50 P@5 Success@5 RR nDCG@10 Judged@10"

// ParseMeasures reads names separated by commas or spaces, e.g. "R@5,R@10 P@5".
func ParseMeasures(lists ...string) ([]Measure, error) { return nil, nil }

// String is the measure's name, e.g. "R@5".
func (m Measure) String() string { return "" }
