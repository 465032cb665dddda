package export

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
)

// CSVOptions say how to write CSV.
type CSVOptions struct {
	Guard bool // put ' before cells that a spreadsheet would run as formulas (B026)
}

var csvHeader = []string{"query_id", "query", "state", "answerable", "tags", "chunk_id", "grade", "relevant"}

// WriteCSV writes a line for each agreed grade, and one without chunk and grade for each query that has none.
func WriteCSV(w io.Writer, gold corpus.GoldSet, opt CSVOptions) ([]Loss, error) {
	out := csv.NewWriter(w)
	guarded := 0
	put := func(cells ...string) {
		touched := false
		if opt.Guard {
			for i := range cells {
				if i != 6 && runsAsFormula(cells[i]) { // a grade is a number
					cells[i], touched = "'"+cells[i], true
				}
			}
		}
		if touched {
			guarded++
		}
		out.Write(cells) // errors are kept until Flush
	}
	out.Write(csvHeader)
	for i := range gold.Rows {
		r := &gold.Rows[i]
		query, answerable := "", ""
		if r.Query != nil {
			query = *r.Query
		}
		if r.Answerable != nil {
			answerable = strconv.FormatBool(*r.Answerable)
		}
		tags := strings.Join(r.Tags, " ")
		for _, id := range slices.Sorted(maps.Keys(r.Grades)) {
			put(r.QueryID, query, string(r.State), answerable, tags, id, r.Grades[id].String(), strconv.FormatBool(slices.Contains(r.RelevantChunkIDs, id)))
		}
		if len(r.Grades) == 0 {
			put(r.QueryID, query, string(r.State), answerable, tags, "", "", "")
		}
	}
	out.Flush()
	lost := appendLoss(nil, "cells", guarded, "a ' was put before cells that would run as formulas")
	return append(lost, losses(gold, lostMeta, lostTurns, lostAnswer, lostUnresolved, lostSets, lostNegatives, lostConflicts, lostCannot,
		lostLabels, lostSearches)...), out.Error()
}

// runsAsFormula reports whether spreadsheets may take a cell for a formula.
func runsAsFormula(cell string) bool {
	return cell != "" && strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0
}
