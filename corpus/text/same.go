package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Folded is s without differences of case and canonical form. Two ids that differ, and whose folds don't, are what a
// user is to be warned of; they are different ids all the same.
func Folded(s string) string {
	if lowerASCII(s) {
		return s
	}
	// Unicode's canonical caseless matching (D145) decomposes before it folds, and again after it.
	return norm.NFC.String(cases.Fold().String(strings.Map(upperCherokee, norm.NFD.String(s))))
}

// upperCherokee makes up for cases.Fold, which swaps the two cases of Cherokee instead of choosing one.
func upperCherokee(r rune) rune {
	switch {
	case r >= 0xab70 && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	case r >= 0x13f8 && r <= 0x13fd:
		return r - 8
	}
	return r
}

// MatchKey is what makes two queries the same: s folded, with each run of white space as one space and none at the
// ends. White space is Unicode's White_Space; zero-width characters are not and make a difference.
func MatchKey(s string) string {
	return strings.Join(strings.FieldsFunc(Folded(s), unicode.IsSpace), " ")
}

// lowerASCII reports whether s is its own fold.
func lowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
