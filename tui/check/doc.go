// Package check is the screen that shows how well the built-in search does against what is labeled so far: the
// measures with how many queries they stand on, what is left out and why, the queries from worst to best, and for each
// its ranking with the grades beside it.
//
// It imports Bubble Tea, corpus, corpus/retrieval, tui/cell, tui/port, tui/screen and
// tui/status. Its central decision: figures
// are never older than they look. A check runs in a tea.Cmd whenever labels may have changed; one runs at a time, what
// changes meanwhile makes another one follow, and until then the screen says that it is updating. What is undefined is
// shown as such, never as 0.
package check
