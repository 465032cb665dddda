package redact

import "strings"

// header claims the credentials of an Authorization header, or behind the name of its scheme alone.
func (s *scan) header(k int, word string) {
	scheme := word != "authorization"
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
		name := string(s.low[a:eq])
		if v := string(s.text[eq+1 : k]); k-eq > 4 && !stub(v) && !attributes[name] && (strings.ContainsAny(v, "0123456789") || len(v) > 15) && s.isFree(a, k) {
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
	if word == "cvv" || word == "cvc" {
		shortest, longest = 3, 4
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
			if len(w) >= shortest && len(w) <= longest && s.at(k) != '.' || s.at(k) == '.' && !isDigit(s.at(k+1)) && len(w) >= shortest && len(w) <= longest {
				if s.isFree(from, k) && s.at(k) != '-' && s.at(k) != ':' {
					s.claim(Secret, from, k, string(w))
				}
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
