// Package fake is an in-memory workspace behind the terminal program's ports, for tests of the screens and the root.
//
// It imports corpus, corpus/retrieval and tui/port. Its central decision: it behaves as the real desk promises to
// (a write that changes nothing says so, undo goes back newest first and is itself a change, grades of CannotJudge
// are grades), keeps everything in maps under one lock, and draws no randomness, so that a test sees the same frame
// on every run. Failures, delays and panics are injected through one Hook that runs before each call.
package fake
