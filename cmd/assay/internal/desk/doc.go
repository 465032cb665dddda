// Package desk is one annotator's place in a workspace: it satisfies the ports of the screens over the store, the index and
// the kept runs, and keeps what a session needs besides: what can be undone, the files of runs that were read and the
// rankings that were searched for, so that measuring again after a label costs no more than the measuring.
//
// What a command without a screen does as well, it does through the same functions (Export, Adopt, DriftOf), so that a
// file or a figure is the same wherever it was asked for. What runs are measured against, and how rankings come by, is
// bench's. It imports bench, store, index, export and the rooms of corpus, and of tui only its ports.
package desk
