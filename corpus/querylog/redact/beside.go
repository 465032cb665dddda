package redact

import "strings"

// A stemmed is part of a word beside which secrets stand.
type stemmed struct {
	word string
	as   secretWord
}

type secretWord int

const (
	aPassword secretWord = iota
	aToken               // what programs make
	aPIN                 // a few figures
	aCookie
	aHeader // the value follows a scheme
	aPhrase // words
	aCodes  // several, to be used once each
	aPair   // who and their password
)

var secretStems = func() (t [256][]stemmed) {
	for _, s := range [...]stemmed{
		{"passphrase", aPassword}, {"passcode", aPIN}, {"password", aPassword}, {"passwort", aPassword}, {"passwd", aPassword}, {"pass", aPassword}, {"pwd", aPassword}, {"psw", aPassword}, {"pw", aPassword},
		{"kennwort", aPassword}, {"contrasena", aPassword}, {"mot de passe", aPassword}, {"senha", aPassword}, {"parola", aPassword}, {"wachtwoord", aPassword}, {"haslo", aPassword}, {"losenord", aPassword},
		{"secret", aToken}, {"token", aToken}, {"apikey", aToken}, {"key", aToken}, {"signature", aToken}, {"sig", aToken}, {"session", aToken}, {"sessid", aToken}, {"sid", aToken}, {"auth", aToken}, {"clave", aPassword}, {"csrf", aToken}, {"jwt", aToken}, {"hmac", aToken}, {"code", aToken}, {"webhook", aToken},
		{"authorization", aHeader}, {"bearer", aHeader}, {"basic ", aHeader}, {"cookie", aCookie},
		{"pin", aPIN}, {"cvv", aPIN}, {"cvc", aPIN}, {"otp", aPIN}, {"verification code", aPIN}, {"security code", aPIN}, {"one-time code", aPIN}, {"2fa code", aPIN}, {"sms code", aPIN}, {"login code", aPIN}, {"confirmation code", aPIN}, {"access code", aPIN}, {"tan", aPIN}, {"the code is", aPIN}, {"code:", aPIN}, {"code is", aPIN},
		{"my code", aPIN}, {"your code", aPIN}, {"2fa", aPIN}, {"mfa", aPIN}, {"auth code", aPIN}, {"authentication code", aPIN}, {"backup code", aCodes}, {"recovery code", aCodes}, {"credential", aPair}, {"creds", aPair}, {"login", aPair}, {"logon", aPair}, {"zugangsdaten", aPair},
		{"seed phrase", aPhrase}, {"recovery phrase", aPhrase}, {"mnemonic", aPhrase},
	} {
		t[s.word[0]] = append(t[s.word[0]], s)
	}
	// The longest of those that begin alike is tried first.
	for c := range t {
		for i := range t[c] {
			for j := i; j > 0 && len(t[c][j].word) > len(t[c][j-1].word); j-- {
				t[c][j], t[c][j-1] = t[c][j-1], t[c][j]
			}
		}
	}
	return t
}()

// beside claims the secret that follows the stem at i.
func (s *scan) beside(i int, st stemmed) {
	from := i
	for isLower(s.at(from-1)) || s.at(from-1) == '_' || s.at(from-1) == '-' || isDigit(s.at(from-1)) {
		from--
	}
	k := i + len(st.word)
	if s.at(k-1) == ' ' {
		k--
	}
	for isLower(s.at(k)) || isDigit(s.at(k)) || (s.at(k) == '_' || s.at(k) == '-' || s.at(k) == '.') && isWord(s.at(k+1)) {
		k++
	}
	word := string(s.low[from:k])
	whole := from == i && k == i+len(st.word)
	switch st.as {
	case aHeader:
		s.header(k, st.word)
		return
	case aCookie:
		s.cookie(k)
		return
	case aPIN:
		if (st.word == "code:" || st.word == "code is") && !s.talksOfCodes(i) {
			return
		}
		if from == i && (whole || strings.HasPrefix(st.word, "cv") || s.has(i+len(st.word), "s")) {
			s.pin(k, st.word)
		}
		if st.word != "passcode" {
			return
		}
		st.as = aPassword
	case aPhrase:
		s.phrase(k)
		return
	case aCodes:
		s.codes(k)
		return
	case aPair:
		s.pair(k)
		return
	case aToken:
		if st.word == "code" && word != "code" || st.word == "sig" && word != "sig" && !strings.HasSuffix(word, "signature") || st.word == "auth" && (strings.HasPrefix(word, "author") || word == "authentication") || st.word == "sid" && from != i && !strings.HasSuffix(word, "sid") {
			return
		}
	case aPassword:
		if st.word == "pass" && !whole && !strings.ContainsAny(word, "_-") && !strings.HasSuffix(word, "pass") || st.word == "pw" && !whole && !strings.HasSuffix(word, "_pw") && !strings.HasSuffix(word, "-pw") || st.word == "parola" && !whole {
			return
		}
	}
	if strings.HasSuffix(word, "_file") || strings.HasSuffix(word, "-file") || strings.HasSuffix(word, "path") || strings.HasSuffix(word, "_url") {
		return
	}
	if word == "key" || word == "keys" || word == "code" { // two words say what one doesn't
		if before := s.wordsBefore(i, 1, 16); len(before) == 1 && kindsOfKey[before[0]] {
			word = before[0] + word
			if before[0] == "wpa" || before[0] == "wifi" || before[0] == "wlan" {
				st.as = aPassword
			}
		}
	}
	v, how := s.separated(k)
	if s.at(from-1) == '<' && s.at(k) == '>' {
		v, how = k+1, assigned1
	}
	for _, w := range [...]string{"\" value=", "' value=", "\", \"value\":", "\",\"value\":", "\" content="} {
		if s.has(k, w) {
			v, how = s.skip(k+len(w)), assigned1
		}
	}
	if how == nothing {
		return
	}
	a, b := s.valueAt(v)
	if b == a || !s.isFree(a, b) {
		return
	}
	value := string(s.text[a:b])
	if stub(value) || s.at(b) == '(' || !s.quoted(b) && strings.Contains(value, "(") || strings.HasSuffix(value, "()") {
		return
	}
	asked := s.at(k) == '=' && (s.at(from-1) == '?' || s.at(from-1) == '&') // in an address
	if asked && st.as == aToken && word != "code" && word != "key" && word != "keys" && len(value) >= 6 {
		s.claim(Secret, a, b, value)
		return
	}
	if st.as != aToken && !s.password(value, b, how, st.word == "pass") || st.as == aToken && !randomEnough(value, word, how) {
		return
	}
	s.claim(Secret, a, b, value)
}

// kindsOfKey are words that a key or code is a secret behind.
var kindsOfKey = set("api secret access private encryption signing license licence recovery product activation serial session auth master shared storage subscription backup service admin deploy wpa wifi wlan decryption unlock account")

// How a value is set apart from the word that tells of it.
const (
	nothing  = iota
	adjacent // by a space
	told     // by is, was, to
	assigned1
)

// separated is where the value begins that belongs to a word that ends at k.
func (s *scan) separated(k int) (int, int) {
	for strings.IndexByte("\"'`])*_ ", s.at(k)) >= 0 && s.at(k) < 0x80 && !(s.at(k) == ' ' && s.at(k+1) != ' ' && s.at(k+1) != '=' && s.at(k+1) != ':' && s.at(k+1) != '-') {
		k++
	}
	for n, limit := k, min(len(s.low), k+44); n < limit; n++ {
		c := s.at(n)
		switch {
		case n == k && (c == ',' && isSpace(s.at(k+1)) || c == '(' && s.at(k-1) == ' '), n == k && s.has(n, "'s "):
			return s.skip(s.over(k+1, "s ")), adjacent
		case n == k && isSpace(c) && s.at(n+1) == '(':
			return n + 2, adjacent
		case c == ':' && s.at(n+1) == '/' && s.at(n+2) == '/', c == held, c == '?' || c == '!' || c == ';' || c == ',' || c == '{' || c == '}':
			if n == k || !isSpace(s.at(k)) {
				return k, nothing
			}
			return s.skip(k), adjacent
		case c == '=' || c == ':' || c == '-' && s.at(n+1) == '>' || c == '"' && n > k && isSpace(s.at(n-1)) && n-k < 12:
			if c == '"' {
				return n, assigned1
			}
			if c == '=' && n > k+3 {
				return k, nothing // of another word
			}
			return s.skip(n), assigned1
		case c == '\n' && n > k:
			return s.skip(k), adjacent
		case c == ' ':
			for _, w := range [...]string{" is ", " was ", " to ", " ist ", " es ", " est ", " e ", " are ", " as ", " lautet ", " = ", " with ", " of "} {
				if s.has(n, w) {
					at := s.skip(n + len(w) - 1)
					if a, b := s.valueAt(at); b > a && (figures(s.low[a:b]) || s.at(at) == '"' || s.at(at) == '\'' || s.at(at) == '`' || (w == " is " || w == " was ") && n == k) {
						return at, told
					}
				}
			}
		}
	}
	if isSpace(s.at(k)) {
		return s.skip(k), adjacent
	}
	return k, nothing
}

// skip goes over separators to the value.
func (s *scan) skip(k int) int {
	for n := 0; n < 12 && strings.IndexByte(" =:>-\n~", s.at(k)) >= 0 && s.at(k) < 0x80; n++ {
		if s.at(k) == '-' && s.at(k+1) != '>' && !isSpace(s.at(k+1)) {
			break
		}
		k++
	}
	return k
}

// longestSecret bounds what is read for one word, so that a long text is not read again for each.
const longestSecret = 1024

// valueAt is from where to where the value at k reads: what is quoted, or what reaches to a space or closing sign.
func (s *scan) valueAt(k int) (from, to int) {
	for s.at(k) == '*' && s.at(k+1) == '*' || s.at(k) == '`' && s.at(k+1) == '`' {
		k++
	}
	if q := s.at(k); q == '"' || q == '\'' || q == '`' || q == '*' {
		for n := k + 1; n < len(s.free) && n < k+400; n++ {
			if s.free[n] == held || s.free[n] == '\n' {
				break
			}
			if s.free[n] == q {
				return k + 1, n
			}
		}
		k++
	}
	to = k
	for c := s.at(to); to-k < longestSecret && c != held && !isSpace(c) && strings.IndexByte(",;&\"'`<>)]}|", c) < 0; c = s.at(to) {
		if c == '\\' && (s.at(to+1) == 'n' || s.at(to+1) == '"') {
			break
		}
		to++
	}
	for to > k && strings.IndexByte(".?:*", s.low[to-1]) >= 0 {
		to--
	}
	return k, to
}

// figures reports whether b has a digit or a sign that words don't have.
func figures(b []byte) bool {
	for i, c := range b {
		if isDigit(c) || strings.IndexByte("!@#$%^&*+=_", c) >= 0 && i > 0 {
			return true
		}
	}
	return false
}

// stub reports whether a value stands for one that isn't there, or is code that gets it.
func stub(v string) bool {
	low := strings.ToLower(strings.Trim(v, "\"'`"))
	if name, _, ok := strings.Cut(low, "("); ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_.") == "" {
		return true // a call
	}
	if len(low) < 3 || strings.Trim(low, "*x.•-_#?") == "" {
		return true
	}
	switch low[0] {
	case '<', '{', '[', '%', '(':
		return true
	case '$':
		if len(low) > 1 && (isLower(low[1]) || low[1] == '{' || low[1] == '(') {
			return true
		}
	case '/':
		return strings.Count(low, "/") > 1
	}
	if stubs[low] {
		return true
	}
	for _, p := range [...]string{"your", "my_", "my-", "os.", "env.", "process.env", "./", "~/", "${", "vault:", "http://", "https://", "${{", "example", "change", "insert", "replace", "secretkeyref", "file:"} {
		if strings.HasPrefix(low, p) && !(strings.HasPrefix(p, "ch") && strings.ContainsAny(low, "0123456789")) {
			return true
		}
	}
	return false
}

var stubs = set("null none nil true false string secret password passwd token key required optional redacted undefined empty hidden yes not the a an and or is was on off changeme user username admin:password user:pass user:password username:password int integer bool boolean value text varchar here there basic bearer default file type name")

// password reports whether a value can be one.
func (s *scan) password(v string, end, how int, bare bool) bool {
	plain := true
	digits, signs, upper := 0, 0, 0
	for i := range len(v) {
		switch c := kindOfByte(v[i]); {
		case c == 'd':
			digits++
		case c == 'u':
			upper++
			plain = plain && i == 0
		case c == 's':
			signs++
		}
	}
	words := digits == 0 && plain && strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz-/'") == ""
	switch how {
	case assigned1:
		if bare && !s.quoted(end) && (digits == len(v) && digits < 6 || digits+signs == 0 || strings.Contains(v, "/")) {
			return false // of a test: pass: 12
		}
		if bare && digits == 0 && signs == strings.Count(v, "/") && (signs > 0 || s.at(end) == ' ') {
			return false // --- PASS: TestOne
		}
		if words { // a word, where no sentence goes on
			rest := s.wordsAfter(end, 1, 12)
			return len(v) > 3 && (len(rest) == 0 || s.at(end) != ' ')
		}
		return len(v) >= 3
	case told:
		if bare {
			return digits > 0 && len(v)-digits > 2 && !strings.ContainsAny(v, "/=.")
		}
		return digits >= 4 || digits > 0 && len(v) > digits && len(v) >= 5 && !strings.HasSuffix(v, "-character") || signs > 0 && len(v) >= 6 && !words || upper > 1 && len(v) >= 8 && upper < len(v) || s.quoted(end) && len(v) >= 4
	case adjacent:
		return !bare && len(v) >= 6 && digits > 0 && len(v)-digits >= 3 && !commonMix(v) && !strings.Contains(v, "-")
	}
	return false
}

func (s *scan) quoted(end int) bool {
	c := s.at(end)
	return c == '"' || c == '\'' || c == '`' || c == '*'
}

// commonMix reports whether letters and digits are those of a name that all know.
func commonMix(v string) bool {
	low := strings.ToLower(v)
	for _, p := range [...]string{"oauth", "sha", "md5", "base64", "utf", "http", "ipv", "win", "v1", "v2", "v3", "aes", "rsa", "ed25519", "pbkdf2", "argon2", "bcrypt", "ntlm", "log4j", "s3", "k8s", "keepass"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return strings.ContainsAny(low, "(){}[]/\\") || strings.Count(low, ".") > 1
}

// randomEnough reports whether a value is such as programs make for keys: names, numbers and digests called so aren't.
func randomEnough(v, word string, how int) bool {
	letters, digits, upper := 0, 0, 0
	for i := range len(v) {
		switch kindOfByte(v[i]) {
		case 'd':
			digits++
		case 'l':
			letters++
		case 'u':
			letters++
			upper++
		}
	}
	strong := strings.Contains(word, "secret") || strings.Contains(word, "api") && strings.Contains(word, "key") || strings.Contains(word, "token") || strings.Contains(word, "access") || strings.Contains(word, "private") || strings.Contains(word, "sess") || strings.Contains(word, "licen") || strings.Contains(word, "csrf") || strings.Contains(word, "recovery") || strings.Contains(word, "encrypt") || strings.Contains(word, "signing") || strings.Contains(word, "wpa") || strings.HasSuffix(word, "sid")
	weak := word == "code" || word == "key" || word == "keys" || strings.Contains(word, "keyboard") || word == "auth"
	if strings.ContainsAny(v, "(){}[]\\ ") || strings.Contains(v, "://") {
		return false
	}
	if grouped(v) && (strings.Contains(word, "key") || strings.Contains(word, "code")) {
		return true
	}
	named := !wordy(v) && !commonMix(v)
	switch how {
	case assigned1:
		if strong && len(v) >= 6 && digits > 0 && letters > 0 {
			return !commonMix(v) || len(v) >= 16 && mixed(v)
		}
		if strong && len(v) >= 16 && (upper > 2 && upper < letters) {
			return true
		}
		if hex := strings.Trim(strings.ToLower(v), "0123456789abcdef") == "" && len(v) >= 32; hex && !strings.Contains(word, "public") && strings.Contains(word, "key") {
			return true
		}
		return len(v) >= 16 && mixed(v) && digits > 1 && (!weak || digits > 3 && letters > 3 && !wordy(v)) || strong && len(v) >= 8 && digits == len(v)
	case told:
		if strong && len(v) >= 8 && digits > 1 && letters > 1 && !commonMix(v) {
			return true
		}
		return len(v) >= 8 && digits > 1 && letters > 1 && mixed(v) && named
	case adjacent:
		if strong && named && digits > 1 && letters > 2 && (len(v) >= 10 && mixed(v) || len(v) >= 16) {
			return true
		}
		return len(v) >= 16 && digits > 2 && letters > 3 && mixed(v) && !commonMix(v) && !wordy(v)
	}
	return false
}

// wordy reports whether v is words and numbers with signs between: a name of something.
func wordy(v string) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' || r == '/' })
	for _, p := range parts {
		if mixed(p) || len(p) > 14 {
			return false
		}
	}
	return len(parts) > 1
}
