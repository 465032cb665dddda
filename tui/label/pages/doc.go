// Package pages keeps the texts of chunks as they are drawn: fetched, matched against a search and wrapped.
//
// Its central decision: all three are done in a tea.Cmd and kept by (chunk, search), so that a frame only picks
// visible lines and moving back waits for nothing; a resize wraps the newest again at once, as far as that is quick,
// so that the screen is not blank while a window is dragged. It imports corpus, tui/cell and tui/port.
package pages
