// Package mine turns query logs into the frame: it reads them, takes personal data out, drops what is no question,
// tells follow-ups, counts what was asked, finds near-duplicates, guesses tags, and reports what was done.
//
// It imports corpus, the leaves, corpus/querylog and all the stages below that, and cespare/xxhash, whose hashes spread
// rows over files. Its central decision: a log may be larger than memory, and so may what is left of it. Rows are
// therefore spread over files on disk by what has to come together (first a user's rows, then the rows that ask the
// same), and each file is dealt with in pieces that fit in memory, whatever the log's size. The time grows with the log,
// the memory hardly does. What comes out doesn't depend on how things were spread: it is what counting all rows in one
// list would give. What is spread has gone through redaction already, users and sessions are there as hashes only, and
// rows that may yet be refused are sealed with a key that is nowhere but in memory: what was taken out can't be read on
// the disk.
package mine
