// Package index keeps a corpus searchable: bleve for the postings, files of its own for the chunk texts and the
// decoded documents, BM25 of its own for the order.
//
// It may import corpus, the leaves corpus/text, corpus/rows and corpus/stats, bleve and x/text.
package index
