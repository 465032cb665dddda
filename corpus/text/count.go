package text

import "strconv"

// Count is "1 line has" or "2 lines have": n, and one or many of what is counted.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
