// Package queries is the screen that lists the queries: what is asked, how far they are, and what to do with them
// (filter, order, add, edit, exclude, export, open).
//
// It imports Bubble Tea, corpus, corpus/text, tui/cell, tui/port, tui/screen and
// tui/status. Its central decision: the list is a
// view, a slice of row numbers, over rows that never change once loaded. Filtering and ordering make a new view in a
// tea.Cmd, stamped with a generation, and narrow the one before where they can; drawing touches the visible rows only.
// So 100,000 queries are filtered while somebody types, and a late view never replaces a newer one.
package queries
