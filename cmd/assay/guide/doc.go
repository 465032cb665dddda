// Package guide is the user guide: Markdown, a page a topic, embedded in the program.
//
// It is read with "assay guide", and it is the corpus of the demo, so that people try the program on texts that they
// are glad to read. It imports the standard library only.
//
// The central decision: a page is the single source of everything about it. Title and summary are its first lines,
// not a second list in Go that could disagree; only the order of the pages stands in code, since a folder has none.
// For the demo's sake a section is about one chunk long, and no page has two sections of one name: a page and a
// heading then name a passage.
package guide
