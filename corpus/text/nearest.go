package text

import "strings"

// Nearest is the known name that name was most likely meant to be, for hints. Case is ignored. It is at most two
// letters away, or a third of name's length, and shares some of its letters; where several are equally near, the first
// is taken.
func Nearest(name string, known []string) (string, bool) {
	typed := []rune(strings.ToLower(name))
	limit := max(2, len(typed)/3)
	best, found := "", false
	for _, k := range known {
		candidate := []rune(strings.ToLower(k))
		if abs(len(candidate)-len(typed)) > limit {
			continue
		}
		d := distance(typed, candidate)
		if d <= limit && (d < len(typed) && d < len(candidate) || d == 0) {
			best, found, limit = k, true, d-1
			if d == 0 {
				break
			}
		}
	}
	return best, found
}

// distance is the optimal string alignment distance: letters added, dropped, replaced, or swapped with a neighbour.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func abs(n int) int { return max(n, -n) }
