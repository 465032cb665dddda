// Package outbox holds an annotator's changes on their way to the disk.
//
// Its central decision: one write is under way at a time and a failed one stops the rest, so that changes reach the disk
// in the order in which they were made and none is lost or overtaken; what is in the box is not saved, and can be shown
// as such, tried again, or dropped. It imports Bubble Tea, corpus, tui/port and tui/screen.
package outbox
