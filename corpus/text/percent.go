package text

import (
	"fmt"
	"math"
)

// Percent is a share from 0 to 1 in percent. It says 0% and 100% only where nothing or all is meant.
func Percent(share float64) string {
	p := math.Round(100 * share)
	switch {
	case p <= 0 && share > 0:
		return "<1%"
	case p >= 100 && share < 1:
		return ">99%"
	}
	return fmt.Sprintf("%.0f%%", p)
}
