package text

import "fmt"

// Percent is a share from 0 to 1 in percent. It says 0% and 100% only where nothing or all is meant.
func Percent(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "<1%"
	case share < 1 && share > 0.99:
		return ">99%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}
