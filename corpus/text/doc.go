// Package text holds what every room needs to know about strings: when two of them are the same, and how to show one
// without letting it drive the terminal.
//
// It is a leaf: it imports the standard library, golang.org/x/text and uniseg, and knows no type of the domain.
//
// Its central decision is that text is never changed where it is kept, only where it is compared or shown. Corpora and
// logs hold escape sequences, bidirectional overrides and invisible characters, by accident and on purpose; they are
// stored and exported byte for byte, and whatever writes to a terminal passes them through Sanitize or SanitizeLines,
// which make each such character visible instead of dropping it: an annotator has to see that two ids differ, and a
// retrieval engineer that a chunk is dirty. One pair of functions, used by every sink, is the only way to be sure.
package text
