// Package screen is what the screens and the root of the terminal program agree on: what a screen is, how its keys
// are told, and the messages by which it asks the root for something.
//
// Screens live in packages of their own (tui/label, tui/queries, tui/check) and ignore each other; the root (tui)
// owns the stack of them, the overlays (help, palette, guidelines) and everything about the terminal. Import: Bubble
// Tea and the standard library.
package screen
