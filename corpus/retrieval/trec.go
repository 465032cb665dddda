package retrieval

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"assay/corpus/text"
)

// WriteTREC prints the report as trec_eval does, under its names where it has one and in its order: a line a measure
// for each query where perQuery, then the averages under "all". RR@k and Judged@k, for which trec_eval has no name, are
// printed under ours. What is undefined is left out. Ids are made safe to show; those that trec_eval can read are
// printed as they are.
func WriteTREC(w io.Writer, r Report, perQuery bool) error {
	type column struct {
		name, trec string
		place, k   int
		mean       *float64
	}
	var columns []column
	for _, mean := range r.Measures {
		c := column{name: mean.Name, trec: mean.Name, mean: mean.Mean}
		if m, err := parseMeasure(mean.Name); err == nil {
			if name, ok := m.TrecName(); ok {
				c.trec = name
			}
			c.place, c.k = names[m.kind].place, m.k
			if m.k > 0 {
				c.place = names[m.kind].placeAtK
			}
		}
		columns = append(columns, c)
	}
	slices.SortStableFunc(columns, func(a, b column) int {
		if a.place != b.place {
			return a.place - b.place
		}
		return a.k - b.k
	})
	out := bufio.NewWriter(w)
	line := func(measure, query string, value *float64) {
		if value != nil {
			fmt.Fprintf(out, "%-22s\t%s\t%6.4f\n", measure, query, *value)
		}
	}
	if perQuery {
		for _, q := range r.Queries {
			for _, c := range columns {
				line(c.trec, text.Sanitize(q.QueryID), q.Values[c.name])
			}
		}
	}
	fmt.Fprintf(out, "%-22s\tall\t%s\n", "runid", text.Sanitize(r.Run))
	fmt.Fprintf(out, "%-22s\tall\t%d\n", "num_q", len(r.Queries))
	for _, c := range columns {
		line(c.trec, "all", c.mean)
	}
	return out.Flush()
}
