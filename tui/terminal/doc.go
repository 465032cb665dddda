// Package terminal is what the terminal program does with the terminal itself, besides drawing: read it, tell whether
// it is one, suspend, and put it back when the program no longer can.
//
// It imports Bubble Tea, x/term, x/sys and tui/input. Its central decision: Bubble Tea keeps raw mode, waiting,
// cancelling and suspending, which it does well, by being given a file that it can do all that with; only the bytes go
// past it, undecoded, to the root model.
package terminal
