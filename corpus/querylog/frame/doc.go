// Package frame keeps all that was asked: one file with each distinct query of all imported logs once, redacted, with
// how often each log asked it and which queries are near-duplicates. Samples are drawn from it.
//
// It imports corpus, the leaf corpus/rows and klauspost/compress (zstd, which packs logs to a tenth at the speed of a
// disk). Its central decision: the frame is one stream, in order of first appearance, and is only ever written whole,
// beside the old one, which it then replaces. So it may be larger than memory, a process that is killed leaves the old
// one, and nobody waits for anybody: who has it open reads on in the file that was there. What is known of a group (its
// total, its most asked members) stands with the query that stands for it, so that one pass sees all groups.
//
// It holds no label and nothing that people said: it can be deleted, and importing the logs again makes it anew.
package frame
