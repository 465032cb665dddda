package redact

import (
	"bytes"
	"strings"
)

// secrets finds what opens doors: by its own shape first, then by the words beside it.
func (s *scan) secrets() {
	for i, c := range s.low {
		switch {
		case c == '-' && s.has(i, "-----begin ") && s.isFree(i, i+11):
			s.privateKey(i)
		case c == ':' && s.has(i, "://"):
			s.userinfo(i + 3)
			s.hook(i + 3)
		case c == '$' && !isWord(s.at(i-1)):
			s.crypt(i)
		case !isWord(c) || c == letter || isWord(s.at(i-1)) && s.at(i-1) != letter:
			continue
		case isDigit(c):
			s.bot(i)
			s.toldAfter(i)
			fallthrough
		default:
			if end := s.vendor(i); end > i && s.isFree(i, end) {
				s.claim(Secret, i, end, string(s.text[i:end]))
			} else {
				s.dotted(i)
			}
		}
	}
	for i := 0; i < len(s.free); i++ {
		if s.free[i] == '-' && isSpace(s.at(i-1)) || s.free[i] == '-' && s.at(i-1) == held {
			s.option(i)
		}
		for _, st := range secretStems[s.free[i]] {
			if s.has(i, st.word) && s.isFree(i, i+len(st.word)) {
				s.beside(i, st)
				i += len(st.word) - 1
				break
			}
		}
	}
	s.random()
}

// privateKey claims a block of a private key, to its last line or to the end where that is missing.
func (s *scan) privateKey(i int) {
	line := s.low[i:min(len(s.low), i+64)]
	if k := bytes.Index(line[11:], []byte("-----")); k < 0 || !bytes.Contains(line[11:11+k], []byte("private")) {
		return
	}
	end := len(s.low)
	if k := bytes.Index(s.low[i:], []byte("-----end ")); k >= 0 {
		end = i + k + 9
		if m := bytes.Index(s.low[end:], []byte("-----")); m >= 0 && m < 48 {
			end += m + 5
		}
	} else if k := bytes.Index(s.low[i:], []byte("\n\n")); k > 80 {
		end = i + k
	}
	for end > i && isSpace(s.low[end-1]) {
		end--
	}
	if end-i > 60 {
		s.claim(Secret, i, end, string(s.text[i:end]))
	}
}

// userinfo claims the password, or the token alone, before the host of a URL.
func (s *scan) userinfo(i int) {
	colon, at := -1, -1
	for k := i; k < len(s.free) && k < i+300; k++ {
		c := s.free[k]
		if c == held || isSpace(c) || c == '"' || c == '<' || c == '>' || c == '`' || (c == '/' || c == '?' || c == '#') && (at >= 0 || colon < 0) || c == '\'' {
			break
		}
		if c == '@' {
			at = k
		}
		if c == ':' && colon < 0 {
			colon = k
		}
		if c == ':' && s.has(k, "://") && k > i {
			break
		}
	}
	if at <= i {
		return
	}
	from := i
	if colon >= 0 && colon < at {
		from = colon + 1
	} else if at-i < 16 || !mixed(string(s.text[i:at])) {
		return
	}
	if v := string(s.text[from:at]); from < at && s.isFree(from, at) && !(stub(v) && (strings.ContainsAny(v, "<{[$*") || strings.HasPrefix(v, "your"))) {
		s.claim(Secret, from, at, v)
	}
}

// hook claims the secret path of an address that messages are sent to.
func (s *scan) hook(i int) {
	for _, p := range [...]string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "outlook.office.com/webhook/", "hooks.zapier.com/hooks/catch/", "maker.ifttt.com/trigger/", "hooks.slack.com/triggers/"} {
		if !s.has(i, p) {
			continue
		}
		from := i + len(p)
		k := from
		for c := s.at(k); isWord(c) || c < 0x80 && c != held && strings.IndexByte("/-_@.", c) >= 0; c = s.at(k) {
			k++
		}
		for k > from && !isWord(s.at(k-1)) {
			k--
		}
		if k-from >= 12 && strings.ContainsAny(string(s.low[from:k]), "0123456789") {
			s.claim(Secret, from, k, string(s.text[from:k]))
		}
	}
}

// crypt claims a password as systems keep it: $2y$10$…, $6$salt$….
func (s *scan) crypt(i int) {
	k := i
	dollars := 0
	for c := s.at(k); isWord(c) && c != letter || c < 0x80 && c != held && strings.IndexByte("$./=,+-", c) >= 0; c = s.at(k) {
		if c == '$' {
			dollars++
		}
		k++
	}
	for k > i && (s.at(k-1) == '.' || s.at(k-1) == ',') && k-i != 60 {
		k--
	}
	if dollars >= 3 && k-i >= 30 && s.isFree(i, k) && strings.HasPrefix(string(s.low[i:k]), "$") && (isDigit(s.at(i+1)) || s.has(i, "$argon") || s.has(i, "$y$") || s.has(i, "$pbkdf") || s.has(i, "$scrypt")) {
		s.claim(Secret, i, k, string(s.text[i:k]))
	}
}

// bot claims tokens of bots: an id, a colon and 35 characters.
func (s *scan) bot(i int) {
	k := i
	for isDigit(s.at(k)) {
		k++
	}
	if k-i < 8 || k-i > 10 || s.at(k) != ':' || s.at(k+1) != 'a' || s.at(k+2) != 'a' {
		return
	}
	end := k + 1
	for c := s.at(end); isWord(c) || c == '_' || c == '-'; c = s.at(end) {
		end++
	}
	if end-k >= 30 {
		s.claim(Secret, i, end, string(s.text[i:end]))
	}
}

// dotted claims three parts with dots, such as JSON web tokens and those of chat programs have.
func (s *scan) dotted(i int) {
	jwt := s.has(i, "eyj") && s.text[i+2] == 'J' && s.text[i] == 'e'
	if !jwt && !(s.text[i]|0x20 >= 'm' && s.text[i]|0x20 <= 'o') {
		return
	}
	var width []int
	k := i
	for {
		from := k
		for c := s.at(k); isWord(c) && c != letter || c == '_' || c == '-'; c = s.at(k) {
			k++
		}
		width = append(width, k-from)
		if s.at(k) != '.' || len(width) == 5 {
			break
		}
		k++
	}
	for k > i && s.at(k-1) == '.' {
		k--
	}
	if k == i || !s.isFree(i, k) {
		return
	}
	v := string(s.text[i:k])
	if jwt && k-i >= 20 && (len(width) > 1 || mixed(v)) || len(width) == 3 && width[0] >= 23 && width[0] <= 28 && width[1] >= 6 && width[1] <= 7 && width[2] >= 27 && mixed(v) {
		s.claim(Secret, i, k, v)
	}
}

// option claims the secret behind -u of curl, behind -p of database clients and sshpass, and behind -a of redis-cli.
func (s *scan) option(i int) {
	line := s.low[max(0, i-400):i]
	if k := bytes.LastIndexAny(line, "\n|;"); k >= 0 {
		line = line[k:]
	}
	ran := func(names ...string) bool {
		for _, n := range names {
			if bytes.Contains(line, []byte(n)) {
				return true
			}
		}
		return false
	}
	switch {
	case (s.has(i, "-u ") || s.has(i, "--user ") || s.has(i, "--user=") || s.has(i, "-u\"") || s.has(i, "--proxy-user ")) && ran("curl", "http", "wget"):
		k := i
		for isWord(s.at(k)) || s.at(k) == '-' {
			k++
		}
		a, b := s.valueAt(s.skip(k))
		if c := bytes.IndexByte(s.low[a:b], ':'); c >= 0 && a+c+1 < b && !stub(string(s.text[a+c+1:b])) && s.isFree(a, b) {
			s.claim(Secret, a+c+1, b, string(s.text[a+c+1:b]))
		}
	case s.has(i, "-p") && ran("mysql", "mariadb", "sshpass", "docker login", "mongo", "sqlcmd", "ftp"), s.has(i, "-a ") && ran("redis-cli"), s.has(i, "-w ") && ran("ldap"):
		if isWord(s.at(i+2)) && isDigit(s.at(i+2)) && s.at(i+3) == ' ' || s.has(i, "-p ") && ran("mysql") {
			return
		}
		a, b := s.valueAt(s.skip(i + 2))
		if v := string(s.text[a:b]); b-a >= 4 && !stub(v) && s.isFree(a, b) && !(allDigits(s.low[a:b]) && b-a < 6) && !s.has(a, "ort") && v[0] != '-' {
			s.claim(Secret, a, b, v)
		}
	}
}

// random claims long strings that look like chance where a word of keys stands in the same line and none of digests.
func (s *scan) random() {
	for i := 0; i < len(s.free); i++ {
		if !isWord(s.free[i]) || s.free[i] == letter {
			continue
		}
		k := i
		for c := s.at(k); isWord(c) && c != letter || c == '_' || c == '-' || c == '+' || c == '=' || c == '/'; c = s.at(k) {
			k++
		}
		if v := string(s.text[i:k]); k-i >= 20 && k-i < 600 && mixed(v) && !wordy(v) && strings.Count(v, "/") < 4 && s.keyBeside(i, k) {
			s.claim(Secret, i, k, v)
		}
		i = k
	}
}

// keyBeside reports whether the nearest word that says what stands at i to j is one of keys.
func (s *scan) keyBeside(i, j int) bool {
	for _, w := range append(s.wordsBefore(i, 8, 80), s.wordsAfter(j, 7, 60)...) {
		if digestWords[w] {
			return false
		}
		if keyWords[w] {
			return true
		}
	}
	return false
}

var (
	keyWords    = set("secret secrets token tokens key keys apikey credential credentials password passwd pwd auth bearer jwt session cookie signature signing sas hmac webhook license licence")
	digestWords = set("commit sha sha1 sha256 sha512 md5 hash digest checksum etag revision rev image trace traceid span spanid request requestid uuid guid fingerprint version build path file id tag branch layer container pod object metric series label certificate cert public")
)

// kindOfByte is d for a digit, l and u for letters in lower and upper case, and s for signs.
func kindOfByte(c byte) byte {
	switch {
	case isDigit(c):
		return 'd'
	case isLower(c):
		return 'l'
	case isLower(c | 0x20):
		return 'u'
	}
	return 's'
}

// mixed reports whether letters and digits, or letters of both cases, follow on each other as in no name.
func mixed(v string) bool {
	digits, upper, lower, turns := 0, 0, 0, 0
	for i := range len(v) {
		k := kindOfByte(v[i])
		switch k {
		case 'd':
			digits++
		case 'u':
			upper++
		case 'l':
			lower++
		}
		if i > 0 {
			if p := kindOfByte(v[i-1]); p != k && !(p == 'u' && k == 'l') && p != 's' && k != 's' {
				turns++
			}
		}
	}
	if digits == 0 {
		return len(v) >= 16 && upper > 2 && lower > 2 && turns*5 >= len(v) && !humped(v, 0)
	}
	return upper+lower > 0 && turns >= 2 && turns*8 >= len(v) && !(upper > 0 && lower > 0 && humped(v, digits))
}

// humped reports whether v reads as words in camel case, with a few figures: ParsePKCS1PrivateKey.
func humped(v string, digits int) bool {
	humps := 0
	for i := range len(v) {
		if k := kindOfByte(v[i]); (k == 'u' || k == 'l') && (i == 0 || kindOfByte(v[i-1]) != k && !(kindOfByte(v[i-1]) == 'u' && k == 'l')) {
			humps++
		}
	}
	return digits*4 < len(v) && !strings.ContainsAny(v, "/+=") && (len(v)-digits)*2 >= humps*7
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}
