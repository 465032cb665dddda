// Package workspace finds a workspace, reads and edits its assay.toml, and names its files.
//
// assay.toml belongs to the people who edit it: what the program changes there (sources, a widened scale) is a change
// of lines, never a rewrite of the file, so that comments and order survive. Everything else the program knows lives
// in labels.db or below corpus/. A key that nobody knows is an error, since a misspelt setting that is silently
// ignored is worse than one that is refused.
//
// It imports corpus, corpus/text, corpus/retrieval for the defaults of a check, and go-toml (strict decoding with
// positions, comments tolerated, kept by a large community).
package workspace
