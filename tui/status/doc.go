// Package status draws the last line of a screen: what there is to say at the left, what can be pressed at the right.
//
// It imports tui/cell and tui/screen. Its central decision: hints come from the same bindings that help lists and that
// keys are looked up in, so that the line can't promise a key that does nothing.
package status
