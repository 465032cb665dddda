// Package tui is the terminal program: one Bubble Tea program that holds a stack of screens, with overlays above it,
// and everything about the terminal itself.
//
// The screens (tui/label, tui/queries, tui/check) ignore each other and know the outside through tui/port only. The
// root owns their order, the keys that are everywhere (help, palette, quit), the status line, sizes, signals, panics
// and the way out. It imports Bubble Tea, corpus, corpus/text, and the packages below it.
//
// Central decisions:
//
// Input goes, in this order, to ctrl+c, the top overlay, the focused text field, the screen's own keys, the keys that
// are everywhere. A key that nothing on the way binds does nothing. What arrives too fast for a person is a paste
// whatever it claims to be, and is dropped outside text fields: text from a clipboard must not grade.
//
// The way out is one: every ending (q, ctrl+c, a signal, a lost terminal, a panic) closes the screens, so that drafts
// are saved, waits until no write is pending, and lets Bubble Tea restore the terminal. Only the wait can be cut short.
//
// Nothing is done at the side: goroutines other than Bubble Tea's read signals and the terminal, guarded, and send
// what they saw as messages. All state is the model's and is changed in Update only. What no recover can catch, a panic
// in a library's goroutine or SIGKILL, is left to a shell that waits beside the program and puts the terminal back.
package tui
