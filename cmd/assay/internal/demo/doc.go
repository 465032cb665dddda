// Package demo is what "assay demo" works on besides the guide: a log of queries and a script of labels, embedded.
//
// The log is what users of the guide might have asked, typos included; it is a file as "assay import queries" reads
// it. The script is what annotators said about some of the queries; the others are left for whoever tries the demo.
// It imports corpus and the standard library, and does nothing: cmd/assay plays the script.
//
// The central decision: the script names passages by document and heading, not by chunk id. Chunk ids change with the
// chunking and with each edit of the guide; a heading changes only when somebody renames it, and then a test fails.
package demo
