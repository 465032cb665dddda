// Package export is what leaves assay and what comes back: gold sets and runs in open formats, one file a format with
// its encoder and decoder side by side.
//
// It imports corpus, its leaves, and rooms that do no I/O of their own; it opens no workspace. The central decision:
// nothing is lost silently, in either direction. An encoder returns a Loss for each thing that its format can't hold; a
// decoder accounts for each line, accepted or rejected with the reason, and keeps the good ones around a bad one. Ids
// pass through byte for byte. The same input gives the same bytes. A file is replaced whole or not at all; only a
// kept run grows line by line, and loses no more than the line at which its writer was killed.
package export
