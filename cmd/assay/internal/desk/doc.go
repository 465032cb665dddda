// Package desk is one annotator's place in a workspace: it satisfies the ports of the screens over the store and the
// index, and keeps what a session needs besides (what can be undone, rankings that were measured already).
//
// The screens and the commands without a screen go through the same functions here (Gold, Measure, Export), so that a
// figure or a file is the same wherever it was asked for. It imports store, index, export and the rooms of corpus.
package desk
