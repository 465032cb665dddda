// Package agreement makes one gold set of what several annotators said.
//
// It is pure and imports corpus and the leaves only. The central decision: the gold set is derived, never stored, and
// a function of the labels alone. The same labels give the same set, row for row and byte for byte, whatever order
// they come in; each row holds the agreed values first and everything that was said below them, so that another rule
// can be applied to a file that assay wrote.
package agreement
