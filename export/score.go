package export

import "assay/corpus"

// parseScore reads a score, or gives the reason why it is none.
func parseScore(b []byte) (float64, string) {
	if f, ok := parseShortDecimal(b); ok {
		return f, ""
	}
	f, err := corpus.ParseScore(string(b))
	if err != nil {
		return 0, err.Error()
	}
	return f, ""
}

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseShortDecimal reads what most scores look like: a sign, at most 15 digits and a point. Both the digits and the
// power of ten are then exact, so that their quotient is rounded once, as strconv does it.
func parseShortDecimal(b []byte) (float64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative = b[0] == '-'
		i = 1
	}
	if len(b)-i > 16 {
		return 0, false
	}
	mantissa, digits, point := uint64(0), 0, -1
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			mantissa = 10*mantissa + uint64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = digits
		default:
			return 0, false
		}
	}
	if digits == 0 || digits > 15 {
		return 0, false
	}
	f := float64(mantissa)
	if point >= 0 {
		f /= powers[digits-point]
	}
	if negative {
		f = -f
	}
	return f, true
}
