package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lower is a word as it is compared: NFKC, lower case, without invisible characters, digits of any script as ASCII.
// Accents stay, since stemmers look at them.
func (l *language) lower(word string) string {
	if isASCII(word) && !l.dotless {
		return strings.ToLower(word)
	}
	var b strings.Builder
	b.Grow(len(word))
	for _, r := range norm.NFKC.String(word) {
		switch {
		case ignorable(r) || r == utf8.RuneError || unaccented(r) || unicode.IsSpace(r):
		case l.dotless && (r == 'I' || r == 'ı'):
			b.WriteRune('ı')
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
		case r == '’' || r == 'ʼ':
			b.WriteByte('\'')
		case r == '‐' || r == '‑':
			b.WriteByte('-')
		default:
			b.WriteRune(sameLetter(unicode.ToLower(unicode.ToUpper(r))))
		}
	}
	return strings.ReplaceAll(norm.NFC.String(b.String()), "\u034f", "") // put in where very many marks follow a letter
}

// plain takes the accents off what lower made: café and cafe are found by either. A letter that is a letter of its
// own in the language (å in Swedish) stays, and so do the vowel signs and dots of scripts that can't do without.
func (l *language) plain(lower string) string {
	if isASCII(lower) {
		return lower
	}
	var b strings.Builder
	b.Grow(len(lower))
	latin := false
	for _, r := range lower {
		switch {
		case r < utf8.RuneSelf:
			latin = r >= 'a' && r <= 'z'
			b.WriteRune(r)
			continue
		case strings.ContainsRune(l.keep, r):
			latin = true
			b.WriteRune(r)
			continue
		case unicode.Is(unicode.Mn, r):
			if !latin {
				b.WriteRune(r)
			}
			continue
		}
		base := r
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil {
			base, _ = utf8.DecodeRune(d)
		}
		if s, ok := spelledOut[base]; ok {
			latin = true
			b.WriteString(s)
			continue
		}
		if latin = unicode.In(base, unicode.Latin, unicode.Greek); latin {
			r = base
		}
		b.WriteRune(r)
	}
	return b.String()
}

// spelledOut are Latin letters that no accent makes.
var spelledOut = map[rune]string{
	'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k",
}

// sameLetter unifies letters that are typed for one another.
func sameLetter(r rune) rune {
	switch {
	case r < 0x400:
		return r
	case r == 'ё':
		return 'е'
	case r >= 0x620 && r <= 0x6d5: // Arabic and Persian
		switch r {
		case 'أ', 'إ', 'آ', 'ٱ':
			return 'ا'
		case 'ى', 'ی':
			return 'ي'
		case 'ة':
			return 'ه'
		case 'ک':
			return 'ك'
		}
	}
	if unicode.Is(unicode.Nd, r) {
		return '0' + rune(digitValue(r))
	}
	return r
}

// digitValue is the value of a decimal digit of any script: they come in runs of ten, zero first.
func digitValue(r rune) int {
	for _, t := range unicode.Nd.R16 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r >= rune(t.Lo) && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10
		}
	}
	return 0
}

// unaccented reports marks that are left out of writing as often as not: Hebrew points, Arabic vowels and the
// stroke that lengthens a word.
func unaccented(r rune) bool {
	return r >= 0x591 && r <= 0x5c7 && unicode.Is(unicode.Mn, r) || r >= 0x64b && r <= 0x65f || r == 0x670 || r == 0x640
}

// ignorable reports runes that don't show and don't end a word: soft hyphens, joiners, direction marks, byte order
// marks, variation selectors, tags.
func ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad || r == 0x34f || r == 0x61c || r == 0x180e || r == 0xfeff:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
