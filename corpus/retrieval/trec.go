package retrieval

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"assay/corpus/retrieval/measure"
	"assay/corpus/text"
)

// WriteTREC prints the report as trec_eval does, under its names where it has one and in its order: a line a measure
// for each query where perQuery, then the averages under "all". RR@k, Judged@k and their like, for which trec_eval has
// no name, are printed under ours; so is a measure with parameters where the plain one is there too. What is undefined
// is left out. Ids that trec_eval can read are printed as they are, byte for byte; in others what would break a line or
// a field is made visible.
func WriteTREC(w io.Writer, r Report, perQuery bool) error {
	columns := trecColumns(r)
	out := bufio.NewWriter(w)
	if perQuery {
		for _, q := range r.Queries {
			id := field(q.QueryID)
			for _, c := range columns {
				if c.Kind() != measure.GMAP { // trec_eval has none for a single query
					c.print(out, id, q.Values[c.name])
				}
			}
		}
	}
	fmt.Fprintf(out, "%-22s\tall\t%s\n", "runid", field(r.Run))
	fmt.Fprintf(out, "%-22s\tall\t%d\n", "num_q", len(r.Queries))
	for _, c := range columns {
		c.print(out, "all", c.mean)
	}
	return out.Flush()
}

// field is a text as one field of a line.
func field(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return text.Sanitize(s)
	}
	return s
}

// trecColumn is a measure of a report as trec_eval would print it.
type trecColumn struct {
	Measure
	name, trec string
	mean       *float64
}

func trecColumns(r Report) []trecColumn {
	var columns []trecColumn
	called := map[string]int{}
	for _, mean := range r.Measures {
		c := trecColumn{name: mean.Name, trec: mean.Name, mean: mean.Mean}
		m, err := measure.ParseOne(mean.Name)
		if err == nil && m.Kind() == measure.NumQ {
			continue // it is always there
		}
		if name, ok := m.TrecName(); ok && err == nil {
			c.trec = name
			called[name]++
		}
		c.Measure = m
		columns = append(columns, c)
	}
	for i, c := range columns {
		if called[c.trec] > 1 && c.Narrowed() {
			columns[i].trec = c.name
		}
	}
	slices.SortStableFunc(columns, func(a, b trecColumn) int {
		return measure.CompareTREC(a.Measure, b.Measure)
	})
	return columns
}

func (c trecColumn) print(w io.Writer, query string, value *float64) {
	switch {
	case value == nil && c.Kind() == measure.Interpolated:
		fmt.Fprintf(w, "%-22s\t%s\t%6s\n", c.trec, query, "-nan")
	case value == nil:
	case c.Summed():
		fmt.Fprintf(w, "%-22s\t%s\t%.0f\n", c.trec, query, *value)
	default:
		fmt.Fprintf(w, "%-22s\t%s\t%6.4f\n", c.trec, query, *value)
	}
}
