// Package corpus holds the domain's types: what every room of assay speaks about and none of them owns.
//
// A Document is cut into Chunks; a Query is asked; an annotator's Label grades one chunk for one query and points
// at it through an Anchor, so that the label outlives the chunking; an Event records each thing that was said; a
// Ranking is what a retriever returned, a GoldSet is what the labels agree on.
//
// It imports the standard library only. Rooms beside each other never import each other: what two of them share is
// a type here, and what one needs done for it is a small interface that it declares itself. That keeps a change of
// engine (search, store, terminal) inside one room.
//
// Identifiers (of queries, chunks, documents, annotators) are opaque bytes: non-empty valid UTF-8 of at most
// MaxIDLen bytes, compared and kept byte for byte. Offsets are bytes, half-open, into decoded text (UTF-8, no BOM,
// LF). Times are UTC.
package corpus
