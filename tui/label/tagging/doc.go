// Package tagging is the panel that tags a query and takes what each tag needs as proof: tags must be shown, not only
// claimed.
//
// Its central decision: the panel reads and writes nothing. It is told the facts about the query with every key and
// every frame, and answers with what was said, for the label screen to write; what was typed and not saved comes back
// as a draft. It imports Bubble Tea's keys, corpus, tui/cell and tui/screen.
package tagging
