// Package overlay holds what the root of the terminal program lays over a screen: help, the palette of actions, and
// pages of plain text.
//
// It imports Bubble Tea, tui/cell, tui/screen and tui/status. Its central decision: an overlay is a plain value driven by the
// root, with no Cmds of its own. It takes every key while it is on top and says when it is done and what was chosen,
// so that no key can reach a screen that is not in view.
package overlay
