// Package drive runs a screen or the whole program in a test, without a terminal and without waiting.
//
// It imports Bubble Tea, x/ansi and tui/screen. Its central decision: everything happens in one goroutine, in order.
// A key goes to Update, the Cmd that comes back runs to its end, its message goes to Update, and so on until nothing
// is left; then the next key. Time is a Clock that moves only when the test says so, and ticks made with it fire in
// order of their due time. Where a test needs a reply to come late, it holds Cmds back and releases them itself.
package drive
