// Package bench is what runs are measured against, and how rankings come by: the gold set of a workspace or of a file of
// labels, the rankings of the built-in search, of a retriever that is asked, and of the files that keep them.
//
// Its central decision is that everybody who measures goes through Bench.Measure: a command, a screen or a report, so that
// a figure is the same wherever it was asked for. What is agreed has one fingerprint, whether it comes from the store or
// from a file. A live retriever's answer is in its file before it counts, since answers may be paid for. It imports store,
// index, export and the rooms of corpus, and knows no screen.
package bench
