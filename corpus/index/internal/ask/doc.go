// Package ask knows what a search asks, and where a text answers it.
//
// A search is taken apart into a plan: units of terms that count, groups of units that make up one word or
// identifier, phrases, and what hits must or must not be. Plain text is literal but for a balanced phrase and can't be
// wrong; query mode has a grammar of its own, written here rather than left to bleve, whose parser fails and even
// panics on ordinary text. The same plan finds the chunks, lights their texts and cuts their snippets, so that what is
// found is also what is shown.
//
// It does no input or output. It may import corpus and the words of the index.
package ask
