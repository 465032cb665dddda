package redact

import "strings"

// emails finds addresses: with their sign, with the sign spelled, and with spaces or a line break around it.
func (s *scan) emails() {
	for i, c := range s.low {
		switch {
		case c == '@' && s.free[i] == '@':
			if s.at(i-1) == ' ' && s.at(i+1) == ' ' && s.lettered(i) {
				continue
			}
			end := i + 1
			if s.at(end) == '@' {
				end++
			}
			s.email(i, end, written)
		case c == 'a' && i > 1 && !isWord(s.at(i-1)):
			for _, w := range [...]string{"at", "arroba"} {
				if !s.has(i, w) {
					continue
				}
				left, right := i, i+len(w)
				for left > 0 && i-left < 4 && around(s.at(left-1)) {
					left--
				}
				for right-i-len(w) < 4 && around(s.at(right)) {
					right++
				}
				if left < i && right > i+len(w) {
					how := spelledOut
					if s.text[i] == 'A' && s.text[i+1] == 'T' {
						how = shouted
					}
					s.email(left, right, how)
				}
				break
			}
		}
	}
}

// around reports whether c can set a spelled sign off.
func around(c byte) bool { return isSpace(c) || c < 0x80 && strings.IndexByte("*|\"'-_~`", c) >= 0 }

// dotWord is the length of a spelled dot at k with what sets it off, 0 if there is none.
func (s *scan) dotWord(k int) int {
	for n := k; n < k+4; n++ {
		if around(s.at(n)) {
			continue
		}
		for _, w := range dotWords {
			if n == k || !s.has(n, w) || !around(s.at(n+len(w))) {
				continue
			}
			end := n + len(w)
			for m := end; end-m < 3 && around(s.at(end)); end++ {
			}
			return end - k
		}
		break
	}
	return 0
}

var dotWords = [...]string{"dot", "punto", "punkt", "point", "ponto"}

// How the sign of an address is written.
const (
	written = iota
	shouted
	spelledOut
)

// email looks for an address around its sign, which is i to j of the view.
func (s *scan) email(i, j, how int) {
	loose := how != written
	left := i
	for left > 0 && isSpace(s.at(left-1)) && i-left < 8 {
		left--
	}
	right := j
	for right < len(s.low) && isSpace(s.at(right)) && right-j < 8 {
		right++
	}
	spaced := left != i || right != j
	end, dots, spelledDots := s.domain(right, loose || spaced)
	if end == 0 {
		return
	}
	from := s.local(left, how)
	if from == left {
		return
	}
	local, domain := string(s.low[from:left]), string(s.low[right:end])
	host, _, _ := strings.Cut(domain, ".")
	switch {
	case local == "git" || local == "hg":
		return // where repositories are fetched from
	case dots == 0 && !freeMail[host] && !(how == written && !spaced && s.mailBefore(from)):
		return
	case dots == 0:
		if how != written && !s.mailBefore(from) && (everyday[local] || !strings.HasSuffix(host, "mail") && !strings.ContainsAny(local, "0123456789._")) {
			return // I work at Yahoo
		}
	case how == written && !spaced:
	case everyday[local] && (from == 0 || isSpace(s.at(from-1))):
		return
	case how == written && strings.ContainsRune(string(s.low[i:right]), '\n'), how == written && strings.ContainsRune(string(s.low[left:i]), '\n'):
		// broken over lines
	case how == written, how == shouted:
		if !knownTop(domain) {
			return
		}
	case spelledDots && (knownTop(domain) || !strings.Contains(domain, " point ")) && s.at(left-1) != '.':
	case freeMail[host], strings.ContainsAny(local, "0123456789._"), s.mailBefore(from):
		if !knownTop(domain) {
			return
		}
	default:
		return
	}
	if !s.isFree(from, end) {
		return
	}
	s.claim(Email, from, end, squeezed(s.plainValue(from, left))+"@"+squeezed(s.plainValue(right, end)))
}

// squeezed is an address's half without spaces and with its dots as dots.
func squeezed(s string) string {
	s = " " + strings.Join(strings.FieldsFunc(strings.NewReplacer("-dot-", " dot ", "_dot_", " dot ").Replace(s), func(r rune) bool { return r <= ' ' || strings.ContainsRune("*|\"'`~", r) }), " ") + " "
	for _, dot := range [...]string{" dot ", " punto ", " punkt ", " point ", " ponto "} {
		s = strings.ReplaceAll(s, dot, ".")
	}
	return strings.ReplaceAll(s, " ", "")
}

// local is where the part before the sign begins that ends before i.
func (s *scan) local(i, how int) int {
	if s.at(i-1) == '"' {
		for k := i - 2; k >= 0 && i-k < 66; k-- {
			if s.at(k) == '"' && k < i-2 {
				return k
			}
			if s.at(k) == held || s.at(k) == '\n' {
				break
			}
		}
	}
	k := i
	for {
		for k > 0 && inLocal(s.at(k-1)) {
			k--
		}
		if n := s.dotBefore(k, how != written || i != k && s.at(k-1) == ' '); n > 0 && k < i && isWord(s.at(k-n-1)) {
			k -= n
			continue
		}
		break
	}
	for k < i && !isWord(s.at(k)) {
		k++
	}
	return k
}

// inLocal reports whether c can be in the part before the sign; what separates values in queries and code ends it.
func inLocal(c byte) bool {
	return isWord(c) || strings.IndexByte(".!#$%'*+-^_`{|}~", c) >= 0 && c < 0x80
}

// dotBefore is the length of a spelled or spaced dot that ends before k.
func (s *scan) dotBefore(k int, spelled bool) int {
	if spelled {
		for _, w := range [...]string{" dot ", " punto ", " punkt ", " . ", "-dot-", "_dot_"} {
			if s.has(k-len(w), w) {
				return len(w)
			}
		}
	}
	return 0
}

// domain is where the domain that begins at i ends, 0 if there is none, how many dots it has, and whether any of them
// is spelled.
func (s *scan) domain(i int, loose bool) (end, dots int, spelled bool) {
	if s.at(i) == '[' {
		for k := i + 1; k < len(s.low) && k < i+48; k++ {
			if s.at(k) == ']' && k > i+7 && isHex(s.at(i+1)) {
				return k + 1, 1, false
			}
			if c := s.at(k); c != '.' && c != ':' && !isHex(c) && !isLower(c) {
				break
			}
		}
		return 0, 0, false
	}
	for k, label := i, 0; ; label++ {
		from := k
		for isWord(s.at(k)) || k > from && (s.at(k) == '-' && !s.has(k, "-dot-") || s.at(k) == '_' && !s.has(k, "_dot_")) && (isWord(s.at(k+1)) || s.has(from, "xn--")) {
			k++
		}
		if k == from || k-from > 63 {
			return end, dots, spelled
		}
		if s.at(k) == '\n' && !loose && label == 0 { // broken within a word
			next := k + 1
			for isWord(s.at(next)) {
				next++
			}
			if top := next + 1; next > k+1 && s.at(next) == '.' && isWord(s.at(top)) && s.topAt(top) {
				k = next
			}
		}
		word := string(s.low[from:k])
		if label == 0 {
			end = k
		} else if topLevel(word) {
			if notTop[word] {
				return 0, 0, false
			}
			end, dots = k, label
		}
		n, isWord := s.dotAt(k, loose)
		if n == 0 {
			return end, dots, spelled
		}
		spelled = spelled || isWord
		k += n
	}
}

// dotAt is the length of a dot at k between two labels, and whether it is spelled.
func (s *scan) dotAt(k int, loose bool) (n int, word bool) {
	if (s.at(k) == ',' || s.at(k) == ' ' && !loose) && s.slipped(k+1) {
		return 1, false
	}
	if s.at(k) == '.' {
		if isWord(s.at(k + 1)) {
			return 1, false
		}
		if s.at(k+1) == '.' && isWord(s.at(k+2)) {
			return 2, false
		}
		n = 1
		for isSpace(s.at(k+n)) && n < 6 {
			n++
		}
		if n > 1 && (s.at(k+1) == '\n' || loose && s.at(k-1) == ' ') && s.topAt(k+n) {
			return n, false
		}
		return 0, false
	}
	if isSpace(s.at(k)) {
		n = 1
		for isSpace(s.at(k+n)) && n < 6 {
			n++
		}
		if s.at(k+n) == '.' {
			broken := s.at(k) == '\n'
			n++
			for s.at(k+n) == ' ' && n < 6 {
				n++
			}
			if (broken || loose) && s.topAt(k+n) {
				return n, false
			}
			return 0, false
		}
	}
	if n := s.dotWord(k); n > 0 && isWord(s.at(k+n)) {
		return n, true
	}
	return 0, false
}

// slipped reports whether one of the commonest endings stands at k alone: what is before it was meant as a dot.
func (s *scan) slipped(k int) bool {
	for _, w := range [...]string{"com", "org", "net", "de", "co.uk"} {
		if s.has(k, w) && !isWord(s.at(k+len(w))) {
			return w != "de" || s.at(k-1) == ','
		}
	}
	return false
}

// lettered claims an address whose letters all have spaces between: a n n @ e x a m p l e . c o m.
func (s *scan) lettered(i int) bool {
	from, end := i, i+1
	for s.at(from-1) == ' ' && s.at(from-2) != held && !isSpace(s.at(from-2)) && (isSpace(s.at(from-3)) || from-3 < 0) {
		from -= 2
	}
	dot := false
	for s.at(end) == ' ' && s.at(end+1) != held && !isSpace(s.at(end+1)) && (isSpace(s.at(end+2)) || end+2 >= len(s.low) || !isWord(s.at(end+2))) {
		dot = dot || s.at(end+1) == '.'
		end += 2
	}
	if i-from < 4 || end-i < 8 || !dot || !s.isFree(from, end) {
		return false
	}
	s.claim(Email, from, end, squeezed(s.plainValue(from, end)))
	return true
}

// topAt reports whether a well-known top-level domain stands at k, or a label before one.
func (s *scan) topAt(k int) bool {
	from := k
	for isWord(s.at(k)) || s.at(k) == '-' {
		k++
	}
	return wellKnownTop[string(s.low[from:k])] || s.at(k) == '.' && isWord(s.at(k+1))
}

func knownTop(domain string) bool {
	words := strings.FieldsFunc(domain, func(r rune) bool { return r == '.' || r == ' ' || r == '-' || r == '_' || r == '\n' })
	return len(words) > 0 && (wellKnownTop[words[len(words)-1]] || freeMail[words[0]])
}

func topLevel(label string) bool {
	if strings.HasPrefix(label, "xn--") {
		return true
	}
	if strings.ContainsAny(label, "0123456789-_") {
		return false
	}
	return len(label) >= 2 && len(label) <= 24
}

// mailBefore reports whether a word shortly before i tells that an address follows.
func (s *scan) mailBefore(i int) bool {
	for _, w := range s.wordsBefore(i, 5, 40) {
		if mailWords[w] || strings.HasPrefix(w, "mail") || strings.HasSuffix(w, "mail") {
			return true
		}
	}
	return false
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	mailWords = set("email emails mail mailto contact write reach address cc bcc correo adresse courriel addr send forward")
	freeMail  = set("gmail googlemail yahoo hotmail outlook icloud gmx protonmail proton aol live fastmail msn yandex qq web mailinator tutanota ymail")
	// notTop are endings of what has an at sign and is no address.
	notTop = set("png jpg jpeg gif svg webp service socket timer target mount json yaml yml conf js css html tsx jsx exe dll zip gz jar war")
	// wellKnownTop are the endings by which an address is known that isn't written as one.
	wellKnownTop = set("com org net edu gov mil info biz io dev app ai co me uk de fr es it nl be ch at se no dk fi pl cz pt ru cn jp kr in br mx ar cl au nz ca us eu ie gr tr il za sg hk tw xyz test example invalid online tech cloud club site ro hu ua th vn id my ph ae sa eg ng ke")
	// everyday are words before "at" or a lone sign that no address is of.
	everyday = set("a about am an and any are arrive arrived available based be been being but call can check do find found go going he her here him his host hosted how i if in is issue it look looked looking me meet method my not now of on one only or our out page point pointed pointing running runs see seen she site so starting stay stop that the them there they this to us was we website were what when where which who with working you your look")
)
