// Package retrieval measures a retriever's rankings against a gold set: recall, precision, reciprocal rank, nDCG,
// average precision and their kin, for each query and on average.
//
// It is pure: no files, no clock, no randomness but what a given seed makes; it imports corpus, the leaves corpus/text and
// corpus/stats, and its inner room measure, which knows the measures and their values for one query. Here is what it takes
// more than one for: which queries count, means and how sure they are. A report can be held against gates (Gate, NoWorse)
// and against other runs' reports (Compare), and says what to mend first (Diagnosis).
//
// The central decision: one ranking for all measures (score descending, then id descending by bytes), one set of
// gradings, and every query of the gold set in a known class, so that a figure means the same whoever made the run.
// The figures equal trec_eval's with -c to the printed digit. Where assay knows more than a qrels file can say, the
// means leave queries out and the report lists them: unanswerable ones, unfinished ones, and finished ones for which
// nothing is relevant. Under Compat they are put back as trec_eval has it.
//
// The two common meanings of "recall at k" are two measures: R@k is the share of the relevant chunks found, Success@k
// says whether any was found. Neither is ever called by the other's name. RR@k has no name of its own in trec_eval
// (there it is recip_rank under -M k) and Judged@k has none at all; WriteTREC prints both under ours.
package retrieval
