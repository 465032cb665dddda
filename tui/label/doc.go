// Package label is the label screen: what was asked, what could answer it, and what does this chunk say.
//
// A header tells where the annotator is and whether all is saved; a card holds the query; a list holds candidates
// (found by a search, or judged already), each with its grade; the chunk at the cursor is shown beside or below, or
// among its neighbours in its document. Panels take what tags need, an editor takes notes and answers.
//
// Central decisions. The screen never claims what the port has not acknowledged: a grade is a write in a queue of one at
// a time, in order, its mark reads (2) until the write is on disk, !2! when it failed, [2] only then; a failed write
// stays at the head of the queue until it is retried or dropped. Whatever comes back from a tea.Cmd carries the
// generation that asked for it, so that late replies are dropped; searches, and they only, are cancelled too. A grade
// names the query and the chunk of the row on screen, and is refused while the list lags behind the search box.
//
// It imports Bubble Tea, corpus, tui/cell, tui/port, tui/screen, tui/status and the packages below it. It knows neither
// store nor index.
package label
