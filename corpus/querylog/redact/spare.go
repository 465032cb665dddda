package redact

import (
	"bytes"
	"strings"
)

// spare holds the digits of what is no number of a person: identifiers and digests of machines, dates, versions,
// fractions and amounts.
func (s *scan) spare() {
	for i := 0; i < len(s.free); i++ {
		if !isDigit(s.free[i]) && !isHex(s.free[i]) || isPlain(s.at(i-1)) {
			continue
		}
		inner := s.at(i-1) == '.' && isDigit(s.at(i-2))
		for n, shape := range [...]func(int) int{s.uuid, s.hexes, s.date, s.named, s.decimal, s.amount, s.version} {
			if n > 1 && inner {
				break
			}
			if end := shape(i); end > i {
				s.hold(i, end)
				i = end - 1
				break
			}
		}
	}
}

// pattern is where a text that looks like p begins at i and ends: x is a hexadecimal digit, 9 a decimal one.
func (s *scan) pattern(i int, p string) int {
	for k := range len(p) {
		c := s.at(i + k)
		switch p[k] {
		case 'x':
			if !isHex(c) {
				return 0
			}
		case '9':
			if !isDigit(c) {
				return 0
			}
		default:
			if c != p[k] {
				return 0
			}
		}
	}
	return i + len(p)
}

func (s *scan) uuid(i int) int {
	if end := s.pattern(i, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"); end > 0 && !isWord(s.at(end)) {
		return end
	}
	return 0
}

// hexes is an unbroken run of letters and digits with both in it: a digest, a commit, an identifier of a machine, or a
// number with its unit. Where it has no letter, a word before it may call it a digest.
func (s *scan) hexes(i int) int {
	k, letters, digits := i, 0, 0
	for ; isDigit(s.at(k)) || isLower(s.at(k)); k++ {
		if isDigit(s.at(k)) {
			digits++
		} else {
			letters++
		}
	}
	if digits == 0 {
		return 0
	}
	if letters > 0 {
		if x := bytes.IndexByte(s.free[i:k], 'x'); x > 5 && k-i-x < 8 || bytes.Contains(s.free[i:k], []byte("ext")) {
			return 0 // an extension
		}
		return k
	}
	if digits >= 32 && (digits == 32 || digits == 40 || digits == 64) {
		return k
	}
	return 0
}

// date is a day in figures, with or without the time behind it.
func (s *scan) date(i int) int {
	var n [3]int
	var width [3]int
	k := i
	sep := byte(0)
	for p := range n {
		from := k
		for ; isDigit(s.at(k)) && k-from < 5; k++ {
			n[p] = n[p]*10 + int(s.at(k)-'0')
		}
		if width[p] = k - from; width[p] == 0 || isDigit(s.at(k)) {
			return 0
		}
		if p == 2 {
			break
		}
		if c := s.at(k); p == 0 && (c == '-' || c == '/' || c == '.') {
			sep = c
		} else if p == 0 || c != sep {
			return 0
		}
		k++
	}
	year := func(p int) bool { return width[p] == 4 && n[p] >= 1900 && n[p] <= 2100 }
	day := func(a, b int) bool {
		return width[a] <= 2 && width[b] <= 2 && n[a] >= 1 && n[b] >= 1 && n[a] <= 31 && n[b] <= 31 && (n[a] <= 12 || n[b] <= 12)
	}
	if !(year(0) && day(1, 2) || year(2) && day(0, 1)) || s.at(k) == sep && isDigit(s.at(k+1)) && sep != '.' && s.at(k+3) != ':' {
		return 0
	}
	// A time after the day: T12:00, -12:00, _120000.
	for _, p := range [...]string{" 99:99:99", " 99:99", "t99:99:99", "t99:99", "-99:99:99", "_99:99:99", "-999999", "_999999", " 99.99.99", "t999999", ".999999999", ".99", ".9"} {
		if end := s.pattern(k, p); end > 0 && !isDigit(s.at(end)) {
			k = end
			break
		}
	}
	for (s.at(k) == '.' || s.at(k) == ',') && isDigit(s.at(k+1)) && k-i > 12 {
		for k++; isDigit(s.at(k)); k++ {
		}
	}
	return k
}

// named is a run of digits and hyphens behind what names it: sha256:…, CVE-…, PROJ-1234567, ISBN ….
func (s *scan) named(i int) int {
	if !isDigit(s.at(i)) {
		return 0
	}
	word, gap := "", i
	if c := s.at(i - 1); c == '-' || c == '_' || c == ':' || c == '#' || c == '=' {
		word, gap = s.wordBefore(i-1), i-1
		if c == '-' || c == '_' || c == '#' && word != "" {
			if t, ok := topics[word]; len(word) >= 2 && (!ok || t == aThing || t == aTime) && !ownWords[word] && !(gap-len(word) > 0 && isDigit(s.at(gap-len(word)-1))) {
				end := s.codeEnd(i)
				if len(s.digitsOf(i, end)) < 13 {
					return end
				}
			}
		}
	}
	if word == "" {
		if before := s.wordsBefore(i, 1, 20); len(before) == 1 {
			word = before[0]
		}
	}
	if word == "isbn" || word == "cve" || word == "issn" || word == "doi" || word == "ean" || word == "gtin" || word == "upc" {
		return s.codeEnd(i)
	}
	return 0
}

// codeEnd is where digits that hyphens join end.
func (s *scan) codeEnd(i int) int {
	for isDigit(s.at(i)) || (s.at(i) == '-' || s.at(i) == '.') && isDigit(s.at(i+1)) {
		i++
	}
	return i
}

// decimal is a fraction: digits, one point, digits. What begins with zeros, as phone numbers do, is none.
func (s *scan) decimal(i int) int {
	k := i
	for isDigit(s.at(k)) {
		k++
	}
	whole := k - i
	if whole == 0 || s.at(k) != '.' || !isDigit(s.at(k+1)) || s.at(i) == '0' && whole > 1 {
		return 0
	}
	from := k + 1
	if s.at(i-1) == '/' || s.at(i-1) == '-' { // the end of a number that begins as phone numbers do
		first := i - 1
		for first > 0 && i-first < 16 && (isDigit(s.at(first-1)) || strings.IndexByte("+-/().", s.at(first-1)) >= 0 && s.at(first-1) < 0x80) {
			first--
		}
		if s.at(first) == '+' || s.at(first) == '0' && isDigit(s.at(first+1)) || s.at(first) == '(' && s.at(first+1) == '0' {
			return 0
		}
	}
	for k++; isDigit(s.at(k)); k++ {
	}
	if c := s.at(k); c == '.' && isDigit(s.at(k+1)) || (c == '-' || c == '/' || c == ' ') && isDigit(s.at(k+1)) && k-from <= 4 && whole <= 4 && s.at(i-1) == '+' {
		return 0
	}
	if s.at(i-1) == '+' {
		return 0
	}
	if t, n := s.topicBefore(i); (t == aPhone || t == anAccount) && n < 3 && whole < 9 && k-i > 7 {
		return 0
	}
	return k
}

// amount is a number with marks between its thousands, in money or not. Spaces alone don't make one.
func (s *scan) amount(i int) int {
	k := i
	for isDigit(s.at(k)) && k-i < 4 {
		k++
	}
	sep := s.at(k)
	if k == i || k-i > 3 || sep != ',' && sep != '.' && sep != '\'' && sep != '_' || s.at(i) == '0' {
		return 0
	}
	groups := 0
	for s.at(k) == sep && s.pattern(k+1, "999") > 0 && !isDigit(s.at(k+4)) {
		k += 4
		groups++
	}
	if groups == 0 || sep == '.' && s.at(k) == '-' || s.at(k) == sep && isDigit(s.at(k+1)) {
		return 0
	}
	if sep == '.' {
		if t, n := s.topicBefore(i); (t == aPhone || t == anAccount) && n < 3 || s.at(i-1) == '+' || s.at(k) == '/' {
			return 0
		}
	}
	if (s.at(k) == '.' || s.at(k) == ',') && isDigit(s.at(k+1)) {
		for k++; isDigit(s.at(k)); k++ {
		}
	}
	return k
}

// version is three numbers or more with dots, unless they are grouped as people group phone and tax numbers.
func (s *scan) version(i int) int {
	var width []int
	k := i
	for {
		from := k
		for isDigit(s.at(k)) {
			k++
		}
		width = append(width, k-from)
		if s.at(k) != '.' || !isDigit(s.at(k+1)) {
			break
		}
		k++
	}
	if len(width) < 3 || s.at(i-1) == '+' || s.at(i-1) == '(' || s.at(i-1) == ')' || s.at(k) == '/' || s.at(i) == '0' && width[0] > 1 {
		return 0
	}
	same := func(w ...int) bool {
		if len(w) != len(width) {
			return false
		}
		for n := range w {
			if w[n] != width[n] {
				return false
			}
		}
		return true
	}
	if same(3, 3, 4) || same(1, 3, 3, 4) || same(4, 4, 4, 4) || same(3, 3, 3) && s.at(k) == '-' || same(4, 6, 5) || same(3, 2, 4) || same(4, 4, 4) || same(2, 2, 2, 2, 2) || same(3, 4, 4) {
		return 0
	}
	if t, n := s.topicBefore(i); (t == aPhone || t == anAccount || t == aCard) && n < 3 {
		return 0
	}
	// -20240101 or -1234567 after it is its build.
	for (s.at(k) == '-' || s.at(k) == '+' || s.at(k) == '_' || s.at(k) == '~') && isWord(s.at(k+1)) {
		for k++; isWord(s.at(k)) || s.at(k) == '.' && isWord(s.at(k+1)); k++ {
		}
	}
	return k
}

// ownWords name numbers that are a person's own.
var ownWords = set("id uid user userid tel ph phone acc acct account cust customer member no nr num number card ssn mob mobile fax ref order case invoice policy passport")
