package stats

import "math"

// foldsFrom is the number of fair throws from which their probabilities, 2^−n at the least, leave a float64's range.
const foldsFrom = 1000

// signP is the two-sided p of the exact sign test, McNemar's: how likely so few successes on either side are among n
// throws of a fair coin.
func signP(successes, n int) float64 {
	return min(1, 2*fairTail(min(successes, n-successes), n))
}

// fairTail is P(X ≤ k) for n throws of a fair coin.
func fairTail(k, n int) float64 {
	if n < foldsFrom {
		term := math.Ldexp(1, -n) // and exact upwards while the binomial coefficients are
		sum := term
		for i := range k {
			term = term * float64(n-i) / float64(i+1)
			sum += term
		}
		return sum
	}
	// Downwards from the largest term, until what is left is too small to change the sum.
	all, _ := math.Lgamma(float64(n) + 1)
	some, _ := math.Lgamma(float64(k) + 1)
	rest, _ := math.Lgamma(float64(n-k) + 1)
	term := math.Exp(all - some - rest - float64(n)*math.Ln2)
	sum := term
	for i := k; i > 0 && term > sum*1e-17; i-- {
		term *= float64(i) / float64(n-i+1)
		sum += term
	}
	return sum
}
