// Package propose guesses tags for queries, for people to accept or reject.
//
// It imports corpus and github.com/abadojack/whatlanggo (trigram language guessing for some eighty languages, small and
// without data files). Its central decision: a guess is cheap to reject and expensive to miss only where it is rare, so
// each rule wants a positive sign: an identifier has a shape that words don't have, a language has letters or small words
// that English has not, and a query counts as unanswerable only where the corpus lacks most of its telling words.
package propose
