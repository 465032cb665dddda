// Package lines takes lines of logs apart that are no rows of a table: web servers' access logs, search slow logs, TREC
// topics.
//
// It imports the standard library only. Its central decision: a line is taken apart by hand, from left to right, in one
// pass; what does not have the shape is told from what has it and merely asks nothing, so that a row is refused only
// where something is broken.
package lines
