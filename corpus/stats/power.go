package stats

// Detectable is the smallest mean difference that a paired t test finds with the given power.
func Detectable(sd float64, n int, alpha, power float64) float64 { return 0 }

// Needed is how many pairs would do to find the difference; 0 where difference or sd is 0.
func Needed(sd, difference, alpha, power float64) int { return 0 }

// WinsNeeded is the fewest wins among so many changed queries for which the two-sided sign test can reach p ≤ alpha.
func WinsNeeded(changed int, alpha float64) (wins int, ok bool) { return 0, false }
