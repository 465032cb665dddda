// Package group finds queries that are nearly the same, so that one is labeled for all of them.
//
// It imports the leaf corpus/text and golang.org/x/text/unicode/norm. Its central decision: similarity only finds
// candidates, words decide. "Cancel my order 4711" and "cancel my order 4712" share nearly all of their letters and are
// two questions; "how do I lock my card?" and "Lock card" share half of them and are one. So two texts are near-duplicates
// where each word that says something has its like in the other (inflected, mistyped, written together), identifiers and
// numbers are equal, and nothing turns the question into another: a negation, an opposite, the way there for the way
// back, why for when.
//
// Candidates come from signatures over character shingles (MinHash, Broder 1997), in bands (Indyk and Motwani 1998), and
// from equal sets of words. A group is a star: each member is a near-duplicate of the one that stands for it, so that
// groups don't drift from one question to another by way of a third.
package group
