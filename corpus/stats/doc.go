// Package stats says how sure a figure is: intervals of means and shares, paired tests, corrections for many tests, and
// how many queries would settle a question.
//
// It is a leaf: it knows numbers only, does no I/O and imports the standard library and gonum.org/v1/gonum/stat/distuv,
// whose distributions of Student, Gauss and Beta (incomplete beta function and its inverse) are tested against published
// values and not worth writing again. Every random choice comes from a seed that the caller gives, through PCG, in one
// goroutine: the same input and seed give the same bits on any number of cores.
//
// Its central decision is that a comparison of two runs is paired, query by query, and that its test is the two-sided
// randomization of signs, which supposes only that without a real difference either run could have been the better one on
// each query: measures of retrieval are bounded, lumpy and mostly tied. The t test stands beside it because readers expect
// it, and gives up where it has no answer; an interval of the mean difference and d_z say how large, which with thousands
// of queries is what matters. Whether a difference is other than some figure but 0 is no question of signs, and Studentized
// answers it without supposing symmetry.
//
// What isn't a number is never dropped in silence. In Bootstrap and Bootstraps NaN means that the row has no value in
// that column, and in Holm that there was no test; elsewhere NaN among the values makes the result NaN and ok false. ±Inf
// is refused likewise, save by Mean, which adds it up, and AUC, which looks at order only. Floating-point noise is not a
// finding: differences below 1e-9 of the largest count as none, sizes that close as the same.
package stats
