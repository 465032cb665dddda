// Package words turns texts and searches into terms: what two texts must share to be about the same word.
//
// A word is folded (NFKC, lower case, without accents) and carries its stem where the language has a stemmer. An
// identifier (kube-apiserver, getUserByID, v1.2.3, ann@example.org, --force) gives its parts, itself as it is
// written, and itself without its joiners, so that it is found whole, in part and in any case. A run of a script
// that is written without spaces gives its characters and each two neighbours.
//
// One scanner serves the index, the searches and the highlights: what finds a text also lights it. bleve's own
// analyzers split kube-apiserver, PROJ-1234 and e-mail addresses, lose digits or stem everything, and have no way
// to keep a whole beside its parts; from bleve come the lists of common words, from snowball the stemmers.
//
// It may import bleve's language packages, snowball and x/text.
package words
