package text

import (
	"strings"
	"unicode"
)

const blackFlag = '\U0001f3f4'

// regionFlags are the flags that a black flag and invisible tags spell. Only those that exist are let through: any
// other run of tags is a way to smuggle text past the reader.
var regionFlags = [...]string{
	"\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", // England
	"\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", // Scotland
	"\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", // Wales
}

// regionFlag is the length of the flag that s starts with, 0 if there is none.
func regionFlag(s string) int {
	for _, f := range regionFlags {
		if strings.HasPrefix(s, f) {
			return len(f)
		}
	}
	return 0
}

// plain reports whether r is one of the many that always stand by themselves, mostly without looking it up.
func plain(r rune) bool {
	switch {
	case r < 0x300:
		return r >= 0xa0 && r != 0xad
	case r >= 0x391 && r <= 0x3c9, r >= 0x400 && r <= 0x47f: // Greek, Cyrillic
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3: // Japanese, Chinese, Korean
		return true
	case isJamo(r):
		return false
	}
	return unicode.IsLetter(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// isJamo reports whether r is a vowel or final of Hangul that joins the syllable before it.
func isJamo(r rune) bool { return r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff }

// isMark reports whether r sits on the character before it: combining marks, conjoining vowels and finals of Hangul,
// and skin tones. Invisible marks are not among them; see hidden.
func isMark(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case isJamo(r):
		return r != 0x1160
	case r >= 0x1f3fb && r <= 0x1f3ff:
		return true
	}
	return unicode.Is(unicode.M, r) && !hidden(r)
}

// hidden reports whether r shows nothing by itself, breaks lines or changes the order of others: format characters,
// Default_Ignorable_Code_Point, the line and paragraph separators and noncharacters.
func hidden(r rune) bool {
	switch {
	case r == 0xad:
		return true
	case r < 0x300:
		return false
	case r&0xfffe == 0xfffe:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, ignorableToo)
}

// ignorableToo are unassigned or reserved code points that programs show as nothing, and U+FDD0 to U+FDEF, which are
// not characters.
var ignorableToo = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2065, Hi: 0x2065, Stride: 1},
		{Lo: 0xfdd0, Hi: 0xfdef, Stride: 1},
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}},
}

// numberSigns are format characters that do show: signs under which Arabic, Syriac and Kaithi write numbers.
var numberSigns = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x600, Hi: 0x605, Stride: 1},
		{Lo: 0x6dd, Hi: 0x6dd, Stride: 1},
		{Lo: 0x70f, Hi: 0x70f, Stride: 1},
		{Lo: 0x890, Hi: 0x891, Stride: 1},
		{Lo: 0x8e2, Hi: 0x8e2, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x110bd, Hi: 0x110bd, Stride: 1},
		{Lo: 0x110cd, Hi: 0x110cd, Stride: 1},
	},
}

// joining are the scripts in which U+200C and U+200D choose between forms of the letters beside them.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Adlam,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
	unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese,
	unicode.Javanese, unicode.Brahmi, unicode.Grantha, unicode.Newa, unicode.Tirhuta,
}

// pictographic is Extended_Pictographic of Unicode's emoji data, with the gaps between its ranges filled. The standard
// library has no table for it.
var pictographic = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0xa9, Hi: 0xa9, Stride: 1},
		{Lo: 0xae, Hi: 0xae, Stride: 1},
		{Lo: 0x203c, Hi: 0x203c, Stride: 1},
		{Lo: 0x2049, Hi: 0x2049, Stride: 1},
		{Lo: 0x2122, Hi: 0x2122, Stride: 1},
		{Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2194, Hi: 0x21aa, Stride: 1},
		{Lo: 0x231a, Hi: 0x23ff, Stride: 1},
		{Lo: 0x24c2, Hi: 0x24c2, Stride: 1},
		{Lo: 0x25aa, Hi: 0x25fe, Stride: 1},
		{Lo: 0x2600, Hi: 0x27bf, Stride: 1},
		{Lo: 0x2934, Hi: 0x2935, Stride: 1},
		{Lo: 0x2b05, Hi: 0x2b55, Stride: 1},
		{Lo: 0x3030, Hi: 0x3030, Stride: 1},
		{Lo: 0x303d, Hi: 0x303d, Stride: 1},
		{Lo: 0x3297, Hi: 0x3299, Stride: 2},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f000, Hi: 0x1f1e5, Stride: 1},
		{Lo: 0x1f200, Hi: 0x1f3fa, Stride: 1},
		{Lo: 0x1f400, Hi: 0x1faff, Stride: 1},
	},
	LatinOffset: 2,
}
