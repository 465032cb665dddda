package redact

import (
	"bytes"
	"strings"
)

// phone reports whether a run is a phone number, and what it is without the ways to write it. With a country's code it
// needs a length that the country has; without one, the grouping that phone numbers have, or a word that tells.
func (s *scan) phone(r run, digits string, topic topic, distance, widest int) (string, bool) {
	n := len(digits)
	if n > 17 || len(r.groups) > 9 && n > len(r.groups) || topic == aCard && n > 12 {
		return "", false
	}
	if r.plus || strings.HasPrefix(digits, "00") || strings.HasPrefix(digits, "011") && n > 11 {
		abroad := digits
		if !r.plus {
			abroad = strings.TrimPrefix(strings.TrimPrefix(digits, "011"), "00")
		}
		if code, ok := callingCode(abroad); ok && len(abroad) >= 7 && (r.plus || strings.Trim(abroad, "0") != "" && widest <= spaced) {
			return abroad0(abroad, code), true
		}
		if r.plus && n >= 8 && n <= 15 && widest <= spaced && digits[0] != '0' {
			return digits, true // of no country that there is, and yet written as one
		}
	}
	told := topic == aPhone && distance < 6
	width := make([]byte, 0, 9)
	for _, g := range r.groups {
		w := g.to - g.from
		if w > 12 {
			return "", false
		}
		width = append(width, byte('0'+w))
	}
	shape := string(width)
	if widest >= apart {
		if widest == apart && (digits[0] == '0' && n >= 9 && n <= 12 || told && n >= 9 && n <= 13) {
			return digits, !s.listed(r)
		}
		if widest == broken && (told || digits[0] == '0') && n >= 9 && n <= 13 {
			return digits, !s.listed(r)
		}
		return "", false
	}
	american := n == 10 && digits[0] >= '2' && digits[3] >= '2' || n == 11 && digits[0] == '1' && digits[1] >= '2' && digits[4] >= '2'
	switch {
	case told && n >= 7 && n <= 15:
		return digits, !s.measured(r) && !(topic == aPhone && distance > 2 && n < 9 && len(r.groups) == 1)
	case told && n == 6 && distance == 0:
		return digits, !s.measured(r)
	case (topic == aTime || topic == aThing && distance < 3 || s.measured(r)) && !(len(r.groups) > 2 && widest <= spaced && !bytes.Contains(s.low[r.start:r.end], []byte(".")) && (r.paren || american || digits[0] == '0')):
		return "", false
	case r.paren && n >= 9 && n <= 13:
		return digits, true
	case american && topic != anAccount && (shape == "334" || shape == "1334" || shape == "37" || shape == "64"):
		return digits, true
	case american && len(r.groups) == 1 && topic != anAccount && s.at(r.start-1) != '/' && !s.common(r, digits, topic, distance):
		return digits, true
	case digits[0] == '0' && n >= 9 && n <= 12 && topic != anAccount && strings.Trim(digits, "0") != "":
		if len(r.groups) == 1 {
			return digits, digits[1] != '0' && !s.common(r, digits, topic, distance)
		}
		if rising, _ := s.ordered(r); width[0] == '1' && n > 9 && (!rising || len(r.groups) == 3) && len(r.groups) <= 6 && width[1] >= '3' {
			return digits, true
		}
		return digits, width[0] > '1' && len(r.groups) <= 6 && digits[1] != '0'
	case n == 11 && (shape == "344" || shape == "11") && digits[0] == '1' && digits[1] >= '3' && topic != anAccount:
		return digits, len(r.groups) > 1 || !s.common(r, digits, topic, distance)
	case n == 11 && (digits[0] == '8' || digits[0] == '7') && (shape == "13322" || shape == "1334" || shape == "137" || shape == "11") && topic != anAccount:
		return digits, true
	}
	return "", false
}

// listed reports whether the groups of a run are whole numbers of a list, each long enough for one.
func (s *scan) listed(r run) bool {
	long := 0
	for _, g := range r.groups {
		if g.to-g.from >= 7 {
			long++
		}
	}
	return long > 1
}

// abroad0 drops the trunk zero that is written after some countries' codes and not dialled.
func abroad0(digits string, code int) string {
	n := 1
	for c := code; c >= 10; c /= 10 {
		n++
	}
	if digits[n] == '0' && code != 39 {
		return digits[:n] + digits[n+1:]
	}
	return digits
}

// extends reports whether an extension follows at i.
func (s *scan) extends(i int) bool { return s.extension(i) > i }

// extension is where the extension that follows a phone number at i ends, i if there is none.
func (s *scan) extension(i int) int {
	k := i
	for s.at(k) == ' ' || s.at(k) == ',' || s.at(k) == ';' {
		k++
	}
	for _, w := range [...]string{"extension", "ext.", "ext=", "ext", "x", "durchwahl", "poste"} {
		if !s.has(k, w) {
			continue
		}
		k += len(w)
		for s.at(k) == ' ' || s.at(k) == ':' || s.at(k) == '.' || s.at(k) == '#' {
			k++
		}
		from := k
		for isDigit(s.at(k)) {
			k++
		}
		if k > from && k-from <= 7 && !isLower(s.at(k)) {
			return k
		}
		return i
	}
	return i
}
