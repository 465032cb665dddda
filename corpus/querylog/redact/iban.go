package redact

import "strings"

// ibans finds bank accounts: two letters of a country, two check digits, and the account, in groups or not. What fails
// the check is one all the same where the text says so.
func (s *scan) ibans() {
	for i := 0; i+15 <= len(s.low); i++ {
		if isLower(s.free[i]) && !isPlain(s.at(i-1)) && s.at(i+1) == ' ' && isLower(s.at(i+2)) && s.at(i+3) == ' ' && isDigit(s.at(i+4)) && s.at(i+5) == ' ' {
			country := string(s.low[i]) + string(s.low[i+2])
			if end, value := s.account(i, ibanLengths[country]); end > i && mod97(value) == 1 {
				s.claim(IBAN, i, end, value)
				i = end - 1
				continue
			}
		}
		if !isLower(s.free[i]) || !isLower(s.at(i+1)) || ibanLengths[string(s.low[i:i+2])] == 0 || isPlain(s.at(i-1)) && !s.has(i-4, "iban") {
			continue
		}
		k := i + 2
		for k < i+5 && (isSpace(s.at(k)) || s.at(k) == '-' || s.at(k) == '(' || s.at(k) == '*') {
			k++
		}
		if !isDigit(s.at(k)) {
			continue
		}
		length := ibanLengths[string(s.low[i:i+2])]
		said := false
		for _, w := range s.wordsBefore(i, 4, 40) {
			said = said || w == "iban"
		}
		end, value := s.account(i, length)
		switch {
		case end > 0 && !isPlain(s.at(end)) && mod97(value) == 1:
		case end > 0 && said && !isPlain(s.at(end)):
		case said && s.loosely(i) > i+12:
			end = s.loosely(i)
			value = squeezed(string(s.low[i:end]))
		default:
			continue
		}
		s.claim(IBAN, i, end, value)
		i = end - 1
	}
}

// account reads n letters and digits from i that single separators may group. end is 0 where there are fewer.
func (s *scan) account(i, n int) (end int, value string) {
	b := make([]byte, 0, n)
	k := i
	for len(b) < n {
		c := s.at(k)
		if isDigit(c) || isLower(c) {
			b = append(b, c)
			k++
			continue
		}
		gap := 0
		for c := s.at(k); gap < 6 && c < 0x80 && c != held && !isPlain(c) && strings.IndexByte(";={}<>", c) < 0; c = s.at(k + gap) {
			gap++
		}
		if gap == 0 || gap == 6 {
			return 0, string(b)
		}
		k += gap
	}
	return k, string(b)
}

// loosely is where groups with digits in them end that begin at i: an account of the wrong length.
func (s *scan) loosely(i int) int {
	end := i
	for k := i; k < i+48; {
		from, digits := k, 0
		for isDigit(s.at(k)) || isLower(s.at(k)) {
			if isDigit(s.at(k)) {
				digits++
			}
			k++
		}
		if k == from || digits == 0 && from > i {
			break
		}
		end = k
		if c := s.at(k); !isSpace(c) && c != '-' && c != '.' {
			break
		}
		k++
	}
	return end
}

// mod97 is the remainder of an IBAN with its first four characters at its end and its letters as numbers: 1 for a
// valid one.
func mod97(iban string) int {
	m := 0
	for k := range len(iban) {
		c := iban[(k+4)%len(iban)]
		if isDigit(c) {
			m = (m*10 + int(c-'0')) % 97
		} else {
			m = (m*100 + int(c-'a') + 10) % 97
		}
	}
	return m
}

var ibanLengths = map[string]int{
	"ad": 24, "ae": 23, "al": 28, "at": 20, "az": 28, "ba": 20, "be": 16, "bg": 22, "bh": 22, "bi": 27, "br": 29, "by": 28,
	"ch": 21, "cr": 22, "cy": 28, "cz": 24, "de": 22, "dj": 27, "dk": 18, "do": 28, "ee": 20, "eg": 29, "es": 24, "fi": 18,
	"fk": 18, "fo": 18, "fr": 27, "gb": 22, "ge": 22, "gi": 23, "gl": 18, "gr": 27, "gt": 28, "hn": 28, "hr": 21, "hu": 28, "ie": 22,
	"il": 23, "iq": 23, "is": 26, "it": 27, "jo": 30, "kw": 30, "kz": 20, "lb": 28, "lc": 32, "li": 21, "lt": 20, "lu": 20,
	"lv": 21, "ly": 25, "mc": 27, "md": 24, "me": 22, "mk": 19, "mn": 20, "mr": 27, "mt": 31, "mu": 30, "ni": 28, "nl": 18,
	"no": 15, "om": 23, "pk": 24, "pl": 28, "ps": 29, "pt": 25, "qa": 29, "ro": 24, "rs": 22, "ru": 33, "sa": 24, "sc": 31,
	"sd": 18, "se": 24, "si": 19, "sk": 24, "sm": 27, "so": 23, "st": 25, "sv": 28, "tl": 23, "tn": 24, "tr": 26, "ua": 29,
	"va": 22, "vg": 24, "xk": 20, "ye": 30,
}
