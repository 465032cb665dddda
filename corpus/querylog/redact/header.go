package redact

import (
	"bytes"
	"strings"
)

// header claims the credentials of an Authorization header, or behind the name of its scheme alone.
func (s *scan) header(k int, word string) {
	scheme, named := word != "authorization", word == "authorization"
	if scheme {
		if s.at(k) != ' ' && word != "basic " && s.at(k) != '=' && s.at(k) != ':' {
			return
		}
	} else if c := s.at(s.over(k, "\"'` ")); c != ':' && c != '=' {
		return
	}
	k = s.over(k, "\"'` :=")
	for _, w := range [...]string{"bearer", "basic", "token", "digest", "apikey", "negotiate"} {
		if s.has(k, w) && (isSpace(s.at(k+len(w))) || s.at(k+len(w)) == ':') {
			k = s.over(k+len(w), " :\n")
			scheme = true
			break
		}
	}
	a, b := s.valueAt(k)
	if b <= a || !s.isFree(a, b) {
		return
	}
	v := string(s.text[a:b])
	if word == "authorization" && s.at(b) == '"' && strings.HasSuffix(v, "=") { // Digest username="ann", …
		for _, p := range [...]string{"response=\"", "nonce=\"", "cnonce=\""} {
			if n := bytes.Index(s.free[b:min(len(s.free), b+600)], []byte(p)); n >= 0 {
				if from, to := s.valueAt(b + n + len(p) - 1); to-from >= 8 && s.isFree(from, to) {
					s.claim(Secret, from, to, string(s.text[from:to]))
				}
			}
		}
		return
	}
	if named && !stub(v) && len(v) >= 12 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		s.claim(Secret, a, b, v)
		return
	}
	if stub(v) || strings.ContainsAny(v, "(){}") || len(v) < 8 || scheme && !strings.ContainsAny(v, "0123456789=") && !(len(v) > 15 && mixedCase(v)) {
		return
	}
	s.claim(Secret, a, b, v)
}

func mixedCase(v string) bool {
	return strings.ToLower(v) != v && strings.ToUpper(v) != v && strings.ToLower(v[1:]) != v[1:]
}

// over is where characters other than those begin.
func (s *scan) over(k int, chars string) int {
	for s.at(k) < 0x80 && s.at(k) != held && strings.IndexByte(chars, s.at(k)) >= 0 {
		k++
	}
	return k
}

// cookie claims what a Cookie header holds: its pairs, without the attributes of Set-Cookie.
func (s *scan) cookie(k int) {
	k = s.over(k, "s\"'`")
	if c := s.at(s.over(k, " ")); c != ':' && c != '=' {
		return
	}
	k = s.over(k, " :=\"'")
	for {
		a := k
		for isWord(s.at(k)) || strings.IndexByte("_-.%", s.at(k)) >= 0 && s.at(k) < 0x80 {
			k++
		}
		if s.at(k) != '=' || k == a {
			return
		}
		eq := k
		for c := s.at(k); c != held && !isSpace(c) && c != ';' && c != '"' && c != '\'' && c != ','; c = s.at(k) {
			k++
		}
		if v := string(s.text[eq+1 : k]); k-eq > 4 && !stub(v) && !attributes[string(s.low[a:eq])] && (strings.ContainsAny(v, "0123456789") || len(v) > 15) && s.isFree(a, k) {
			s.claim(Secret, a, k, string(s.text[a:k]))
		}
		if s.at(k) != ';' {
			return
		}
		k = s.over(k, "; ")
	}
}

var attributes = set("path domain expires max-age samesite secure httponly version theme lang locale language")

// pin claims a few figures that open a door.
func (s *scan) pin(k int, word string) {
	shortest, longest := 4, 8
	if word == "cvv" || word == "cvc" || word == "security code" {
		shortest, longest = 3, 4
	}
	if isDigit(s.at(k)) && (word == "cvv" || word == "cvc") {
		k++ // CVC2
	}
	if isLower(s.at(k)) {
		return
	}
	for n := 0; n < 5; n++ {
		k = s.over(k, " :=#\"'`(-*\n")
		from := k
		for isWord(s.at(k)) {
			k++
		}
		w := s.low[from:k]
		if len(w) == 0 {
			return
		}
		if allDigits(w) {
			end, figures := k, len(w)
			for (s.at(end) == ' ' || s.at(end) == '-') && isDigit(s.at(end+1)) && end-from < 16 {
				next := end + 1
				for isDigit(s.at(next)) {
					next++
				}
				if isWord(s.at(next)) {
					break
				}
				figures += next - end - 1
				end = next
			}
			if figures < shortest || figures > longest {
				end, figures = k, len(w)
			}
			if c := s.at(end); figures >= shortest && figures <= longest && c != '-' && c != ':' && c != '%' && !(c == '.' && isDigit(s.at(end+1))) && s.isFree(from, end) && !(s.at(end) == ' ' && units[s.nextWord(end)]) {
				s.claim(Secret, from, end, s.digitsOf(from, end))
			}
			return
		}
		if !fillers[string(w)] {
			return
		}
	}
}

var fillers = set("is was code number no to my be set as ist it s the from es est lautet of")

// phrase claims the words of a wallet or the like.
func (s *scan) phrase(k int) {
	k = s.over(k, " :=\"'`-\n")
	if s.has(k, "is ") {
		k = s.over(k+3, " :\"'`")
	}
	from, end, n := k, k, 0
	for isLower(s.at(k)) {
		for isLower(s.at(k)) {
			k++
		}
		end = k
		n++
		k = s.over(k, " ,\n")
	}
	if n >= 11 && s.isFree(from, end) {
		s.claim(Secret, from, end, string(s.low[from:end]))
	}
}

// talksOfCodes reports whether the code at i is one that was sent to somebody, and none of errors, states or goods.
func (s *scan) talksOfCodes(i int) bool {
	for _, w := range s.wordsBefore(i, 8, 60) {
		if sentWords[w] {
			return true
		}
	}
	return false
}

var sentWords = set("verification security otp 2fa mfa sms texted one-time onetime confirmation login authenticator sent received got my your google whatsapp authentication passcode unlock door gate alarm")

// toldAfter claims a code that is told of behind it: 482913 is your verification code.
func (s *scan) toldAfter(i int) {
	k := i
	for isDigit(s.at(k)) {
		k++
	}
	if k-i < 4 || k-i > 8 || s.at(k) != ' ' || isWord(s.at(i-1)) {
		return
	}
	words := s.wordsAfter(k, 5, 48)
	if len(words) < 3 || words[0] != "is" || words[1] != "your" && words[1] != "my" && words[1] != "the" {
		return
	}
	for n, w := range words[2:] {
		if w == "otp" || w == "pin" || w == "passcode" || w == "tan" || w == "cvv" || w == "cvc" || (w == "code" || w == "password") && (n > 0 || words[1] != "the") && words[2] != "error" && words[2] != "status" {
			s.claim(Secret, i, k, string(s.low[i:k]))
			return
		}
	}
}

// nextWord is the word after i.
func (s *scan) nextWord(i int) string {
	if w := s.wordsAfter(i, 1, 16); len(w) == 1 {
		return w[0]
	}
	return ""
}

// codes claims the codes of a list, as long as they look like some.
func (s *scan) codes(k int) {
	k = s.over(k, "s")
	for n := 0; n < 20; n++ {
		from := s.over(k, " :=,;\"'`-*\n.")
		if s.has(from, "are ") || s.has(from, "is ") {
			from = s.over(from, "aresi ")
		}
		k = from
		figures := 0
		for isWord(s.at(k)) || s.at(k) == '-' && isWord(s.at(k+1)) {
			if isDigit(s.at(k)) {
				figures++
			}
			k++
		}
		if k-from < 6 || figures == 0 || !s.isFree(from, k) {
			return
		}
		s.claim(Secret, from, k, string(s.low[from:k]))
	}
}

// pair claims the password behind who logs in: ann:hunter2, ann/hunter2.
func (s *scan) pair(k int) {
	k = s.over(k, "entials")
	if c := s.at(k); c != ' ' && c != ':' && c != '=' && c != '\n' {
		return
	}
	k = s.over(k, " :=\"'`\n")
	if s.has(k, "are ") || s.has(k, "is ") {
		k = s.over(k, "aresi \"'`")
	}
	from := k
	for isWord(s.at(k)) || strings.IndexByte("._-+", s.at(k)) >= 0 && s.at(k) < 0x80 && s.at(k) != held || s.at(k) == '@' {
		k++
	}
	if k == from || s.at(k) != ':' && s.at(k) != '/' {
		return
	}
	k = s.over(k, ":/ ")
	a, b := s.valueAt(k)
	if v := string(s.text[a:b]); a < b && s.isFree(a, b) && !stub(v) && len(v) >= 6 && strings.ContainsAny(v, "0123456789!$#") && strings.Trim(v, "0123456789./:-") != "" && !strings.ContainsAny(v, "/") && !commonMix(v) {
		s.claim(Secret, a, b, v)
	}
}

// grouped reports whether v is groups of capitals and figures of one length, as keys to be typed in are.
func grouped(v string) bool {
	parts := strings.Split(v, "-")
	for _, p := range parts {
		if len(p) < 4 || len(p) > 8 || len(p) != len(parts[0]) || strings.Trim(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return false
		}
	}
	return len(parts) > 2
}
