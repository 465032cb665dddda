package remote

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secrets are the values that must not be seen. What a service repeats word for word is taken out of what is shown; where
// it comes in another guise nothing of the text is, since it can't be said where it begins and ends.
type secrets struct {
	redact  *strings.Replacer
	longest int                 // of the forms that redact knows
	whole   []string            // each value in each guise, as bare leaves it
	pieces  map[string]struct{} // of telling bytes, of all that is whole and longer
}

const (
	redacted = "[secret]"
	// telling is how many letters and digits of a secret are not in a text by chance, in bytes.
	telling = 8
	// shortest is how many of a value's encoding must be there to be taken for it: less is in every text.
	shortest = 4
)

func newSecrets(values []string) secrets {
	var forms []string
	s := secrets{pieces: map[string]struct{}{}}
	for _, v := range values {
		quoted, _ := json.Marshal(v) // a string always can be
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
		for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), plain[1 : len(plain)-1], html.EscapeString(v)} {
			if form != "" && !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		s.add(v)
	}
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
		s.longest = max(s.longest, len(form))
	}
	s.redact = strings.NewReplacer(pairs...)
	return s
}

// add takes a value in, and how a dump of its bytes looks.
func (s *secrets) add(v string) {
	if v == "" {
		return
	}
	var decimal strings.Builder
	for _, c := range []byte(v) {
		decimal.WriteString(strconv.Itoa(int(c)))
	}
	for i, guise := range append([]string{v, hex.EncodeToString([]byte(v)), decimal.String()}, inBase64(v)...) {
		guise = bare(guise)
		if guise == "" || i > 0 && len(guise) < shortest || slices.Contains(s.whole, guise) {
			continue
		}
		s.whole = append(s.whole, guise)
		for at := 0; at+telling <= len(guise); at++ {
			s.pieces[guise[at:at+telling]] = struct{}{}
		}
	}
}

// inBase64 is how a value looks within a text in base64: by the text before it, in one of three ways. The characters
// that hold bits of its neighbours are left out.
func inBase64(v string) []string {
	var all []string
	for before, mixed := range []int{0, 2, 3} {
		padded := append(make([]byte, before), v...)
		b := base64.RawStdEncoding.EncodeToString(padded)[mixed:]
		if len(padded)%3 != 0 {
			b = b[:max(0, len(b)-1)]
		}
		all = append(all, b)
	}
	return all
}

// bare is a text's letters and digits, in lower case: what stays the same whatever is put between them.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			switch {
			case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
				return r
			case 'A' <= r && r <= 'Z':
				return r + ('a' - 'A')
			}
			return -1
		}
		if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

var escape = regexp.MustCompile(`(?i)%[0-9a-f]{2}|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{0*[0-9a-f]{1,6}\}|\\[0-7]{3}|\\.`)

// unescaped is a text without one layer of escapes, of whatever kind they are: those of URLs, of JSON and other strings,
// of HTML. What is invisible is gone before, as it would tear them.
func unescaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
	text = escape.ReplaceAllStringFunc(text, func(e string) string {
		base, digits := 16, strings.Trim(e[1:], "xXuU{}")
		switch {
		case e[0] == '\\' && e[1] >= '0' && e[1] <= '7' && len(e) == 4:
			base = 8
		case e[0] == '\\' && len(e) < 4:
			return strings.TrimLeft(e[1:], "bfnrtv") // stands for itself, or for space
		}
		code, err := strconv.ParseUint(digits, base, 32)
		if err != nil {
			return ""
		}
		if e[0] == '%' || base == 8 || e[1] == 'x' || e[1] == 'X' {
			return string([]byte{byte(code)}) // of UTF-8, maybe
		}
		return string(rune(code))
	})
	return html.UnescapeString(text)
}

// readings are what a text says to who unescapes it never, once, …, each as bare leaves it.
func readings(text string) []string {
	const layers = 3
	all := []string{bare(text)}
	for range layers {
		next := unescaped(text)
		if next == text {
			break
		}
		text = next
		all = append(all, bare(text))
	}
	return all
}

// hide takes the secrets out of a text. It is false where one is in it in another guise, or a telling piece of one:
// nothing of it may be shown then. Where the text is the beginning of a longer one, its end goes too: it may be the
// beginning of a secret, escaped.
func (s secrets) hide(text string, cut bool) (string, bool) {
	const escaped = 1 << 10
	text = s.redact.Replace(text)
	for _, r := range readings(strings.ReplaceAll(text, redacted, "")) {
		if slices.ContainsFunc(s.whole, func(guise string) bool { return strings.Contains(r, guise) }) {
			return "", false
		}
		for at := 0; at+telling <= len(r); at++ {
			if _, ok := s.pieces[r[at:at+telling]]; ok {
				return "", false
			}
		}
	}
	if cut {
		text = text[:max(0, len(text)-max(s.longest, escaped))]
	}
	return text, true
}

// within reports whether a text holds a secret that is too long to be there by chance, in whatever guise.
func (s secrets) within(text string) bool {
	if len(s.whole) == 0 || len(text) < telling {
		return false
	}
	for _, r := range readings(text) {
		if slices.ContainsFunc(s.whole, func(guise string) bool { return len(guise) >= telling && strings.Contains(r, guise) }) {
			return true
		}
	}
	return false
}
