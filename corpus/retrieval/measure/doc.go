// Package measure knows what retrieval is measured by: the measures, what they are called here, in ir_measures and by
// trec_eval, and their values for one query.
//
// It is an inner room of retrieval, which alone imports it, and hands on what others need under its own name. It imports
// corpus and the leaf corpus/text. It is pure, and knows nothing of gold sets, runs, means and reports.
//
// The central decision: a measure is a pure function of a ranking and the labels. Both are read once into a sheet, the
// grades of the hits from the best ranked down, and each measure is a pass over that, in float64, in order of rank, divided
// last: that gives trec_eval's digits. A ranking is ordered here (score descending, then id descending by bytes), and of a
// chunk that comes twice the best ranked counts. So what was never judged can be supposed to be good or bad by writing other
// grades on a copy of the sheet.
package measure
