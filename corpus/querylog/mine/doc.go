// Package mine turns query logs into the frame: it reads them, takes personal data out, drops what is no question,
// tells follow-ups, counts what was asked, finds near-duplicates, guesses tags, and reports what was done.
//
// It imports corpus, the leaves, corpus/querylog and all the stages below that. Its central decision: a log may be
// larger than memory, and so may what is left of it. Rows are therefore spread over files on disk by what has to come
// together (first a user's rows, then the rows that ask the same), and each file is small enough to be dealt with in
// memory. The time grows with the log, the memory hardly does. What is spread has gone through redaction already, users
// and sessions are there as hashes only: what was taken out never touches the disk.
package mine
