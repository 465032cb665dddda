package rows

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// guessUTF16 recognises UTF-16 without a BOM by its NULs: text with Latin letters, digits, quotes or spaces has a NUL in
// every such character, always on the same side. Stray NULs in UTF-8 fall on both sides, or are few. It returns "" for
// anything else.
func guessUTF16(head []byte) string {
	pairs := len(head) / 2
	var even, odd int
	ascii := true
	for i := range pairs {
		first, second := head[2*i], head[2*i+1]
		if first == 0 {
			even++
		}
		if second == 0 {
			odd++
		}
		ascii = ascii && first < 0x80 && second < 0x80
	}
	// Chinese or Japanese text in JSON or CSV still has one in five characters from ASCII. What has bytes of ASCII only
	// has few other characters.
	enough := max(2, pairs/5)
	if ascii {
		enough = max(2, pairs*3/4)
	}
	switch {
	case odd >= enough && even*20 <= odd:
		return utf16leName
	case even >= enough && odd*20 <= even:
		return utf16beName
	}
	return utf8Name
}

// loneSurrogate is what utf16Decoder writes for a unit that is no character: a byte that can't occur in UTF-8, so that
// the reader of rows finds it and names the line. U+FFFD would pass for text.
const loneSurrogate = 0xff

// utf16Decoder turns UTF-16 into UTF-8.
type utf16Decoder struct {
	transform.NopResetter
	bigEndian bool
}

// Transform implements transform.Transformer.
func (u *utf16Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := u.decode(src[nSrc:], atEOF)
		if size == 0 {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		if r < 0 {
			dst[nDst] = loneSurrogate
			nDst++
		} else {
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

// decode reads one character: -1 for one that is none, size 0 where more bytes are needed.
func (u *utf16Decoder) decode(src []byte, atEOF bool) (r rune, size int) {
	if len(src) < 2 {
		if atEOF {
			return -1, len(src)
		}
		return 0, 0
	}
	first := u.unit(src)
	if !utf16.IsSurrogate(first) {
		return first, 2
	}
	if len(src) < 4 {
		if atEOF {
			return -1, 2
		}
		return 0, 0
	}
	if r := utf16.DecodeRune(first, u.unit(src[2:])); r != utf8.RuneError {
		return r, 4
	}
	return -1, 2
}

func (u *utf16Decoder) unit(src []byte) rune {
	if u.bigEndian {
		return rune(src[0])<<8 | rune(src[1])
	}
	return rune(src[1])<<8 | rune(src[0])
}
