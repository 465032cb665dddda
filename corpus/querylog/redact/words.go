package redact

import "strings"

// spelledDigits claims phone numbers and the like that are written in words: seven or more digits beside each other,
// with double and triple counted as they are said.
func (s *scan) spelledDigits() {
	words := s.view.words()
	for n := 0; n < len(words); n++ {
		k, count, times := n, 0, 1
		digits := ""
		for ; k < len(words) && s.isFree(words[k].from, words[k].to) && s.closeBy(words, n, k); k++ {
			w := string(s.low[words[k].from:words[k].to])
			if w == "double" || w == "triple" {
				if times = 2; w == "triple" {
					times = 3
				}
				continue
			}
			d, ok := digitWords[w]
			if !ok && !(len(w) <= 4 && allDigits([]byte(w)) && k > n) {
				break
			}
			if !ok {
				d = w
			} else if len(w) > 1 {
				count++
			}
			digits += strings.Repeat(d, times)
			times = 1
		}
		if len(digits) >= 7 && count >= 4 && !strings.Contains("0123456789", digits) && !strings.Contains("9876543210", digits) {
			s.claim(Phone, words[n].from, words[k-1].to, digits)
			n = k - 1
		}
	}
}

// closeBy reports whether word k follows the one before it with little between.
func (s *scan) closeBy(words []span, n, k int) bool {
	return k == n || words[k].from-words[k-1].to <= 2
}

var digitWords = map[string]string{"zero": "0", "oh": "0", "o": "0", "nought": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
	"null": "0", "eins": "1", "zwei": "2", "zwo": "2", "drei": "3", "vier": "4", "fuenf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9",
	"cero": "0", "uno": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7", "ocho": "8", "nueve": "9"}
