// Package frame keeps all that was asked: one file with each distinct query of all imported logs once, redacted, with
// how often each log asked it and which queries are near-duplicates. Samples are drawn from it.
package frame
