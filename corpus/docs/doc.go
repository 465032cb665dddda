// Package docs reads documents and rows from files and cuts them into chunks.
//
// It may import corpus, the leaves corpus/rows and corpus/text, goldmark, yaml, toml, uniseg and x/text. It does not know
// the index: it hands what it reads to a Sink, one document at a time, so that a corpus need not fit in memory.
//
// Its central decision is that a chunk is a span of its document and nothing else: Text[Start:End] of the decoded
// document (UTF-8, no BOM, LF) is the chunk's text, byte for byte. Headings above it go into its title, never into its
// text. Labels point at spans, so whatever a chunker added or dropped would be lost when they move to another chunking.
//
// Sizes are bytes, as spans are. Size is a limit that no chunk exceeds: blocks (paragraphs, lists, code, tables) are
// put together up to it under one heading; a paragraph or list that is too long alone is cut at its parts, then at
// sentences, lines, words and characters; code and tables stay whole unless they alone are too long, and are then cut at
// line ends. A heading without text of its own goes with the section after it.
//
// Everything that is not read is named with its reason: a corpus that lacks a file without a word gives wrong figures
// for years.
package docs
