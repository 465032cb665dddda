// Package check is the screen that shows how well retrievers do against what is labeled so far: the measures of up to
// four runs side by side, with 95% intervals and how much is judged; recall by depth; slices; what to know before
// believing it; the queries from worst to best, and for each its ranking with the grades beside it, from where its
// unjudged chunks are sent to labeling.
//
// It imports Bubble Tea, corpus, corpus/retrieval, tui/cell, tui/port, tui/screen, tui/status, and ntcharts' linechart
// and canvas, which scale and draw the curve: axes, and lines between points that lie anywhere. Of ntcharts only cells
// are taken, as runes, and drawn by tui/cell: its View, whose styles ask the terminal, its mouse zones and its Update
// are not used.
//
// Its central decision: figures are never older than they look. A check runs in a tea.Cmd whenever labels may have
// changed; one runs at a time, run by run, what changes meanwhile makes another one follow, and until then the screen
// says that it is measuring. Sorting, pairing and reading of texts are done in Cmds too, stamped with a generation, so
// that a key's work does not grow with the number of queries. What is undefined is shown as such, never as 0; what has
// no room scrolls, and the heading says how much there is.
package check
