// Package sample draws queries to label from all that were asked, so that measures on the sample say something about all.
//
// It imports the standard library, and github.com/cespare/xxhash/v2 for a hash that is the same on every machine (in the
// module already, and as fast as reading the id). Units are walked through three times and never held: memory grows with
// what is drawn, the strata and the distinct counts (of which there are fewer than √(2·asked)), not with the queries.
//
// Its central decision is that chance is a property of the query: u, uniform in (0, 1), is hashed from seed and id, once
// for all draws (permanent random numbers: Brewer, Early and Joyce 1972; Ohlsson 1995). Every way to draw gives each query
// a size and takes the N smallest u/size of those not drawn before (sequential Poisson sampling, Ohlsson 1998; priority
// sampling, Duffield, Lund and Thorup 2007), so that a query is in the sample if u < size·τ, τ being the next one's
// u/size. Draws of one workspace nest therefore instead of overlapping at random: a query is in the union of two if u lies
// below the higher of two limits, and its inclusion is the greater of two probabilities, also for those drawn before. That
// makes "80 more" of the same kind exactly what a draw of all would have been, and lets ways to draw be mixed.
//
// Which limit counts for a query drawn earlier: the one that it would have met had it not been drawn. In its place the
// first draw would have had another query a, and this draw would have lost a from those to choose from. So the limit is
// the next one's u/size if this draw took a, else that of the last one drawn; a is told by its u, which is where the
// earlier limit was. With three draws of different kinds this is close, not exact.
//
// What this rests on: one seed for a workspace, and ids that stay. Queries that the frame gains later had no part in
// earlier draws; they are not at a disadvantage, since theirs are the smallest u left.
package sample
