// Package propose guesses tags for queries, for people to accept or reject.
package propose
