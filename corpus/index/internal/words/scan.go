package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Kind says what a token stands for.
type Kind uint8

// The kinds of token.
const (
	Word   Kind = iota // the smallest piece; counts for the length of a text
	Gram               // two neighbouring characters of a script that is written without spaces
	Whole              // an identifier as it is written
	Joined             // an identifier without its joiners, or its other name
)

// Token is a term with its place. Words have consecutive positions; anything else has that of its first word.
type Token struct {
	Term       string
	Stem       string // "" where it is the term itself
	Alt        string // the stem of the word without its accents, where that is another
	Key        string // what the token is indexed under
	Kind       Kind
	Pos        int
	Start, End int // bytes of the text
	Group      int // number, from 1, of the word or identifier that it is a piece of
}

// class is what a character does to the run of characters that it is in.
type class uint8

const (
	gap    class = iota // ends it
	letter              // is part of a word
	joiner              // ends a word, but may hold an identifier together
	script              // is part of a script that is written without spaces
)

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case r == '’' || r == '‐' || r == '‑':
		return joiner
	case ignorable(r):
		return letter
	case unspaced(r):
		return script
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.Is(unicode.Nd, r), unicode.Is(unicode.Nl, r):
		return letter
	case r == '²' || r == '³' || r == '¹' || r >= 0x2070 && r <= 0x2079 || r >= 0x2080 && r <= 0x2089:
		return letter // m², H₂O
	}
	return gap
}

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			t[r] = letter
		case strings.ContainsRune(`_-./:@\+=#&%?~',$`, r):
			t[r] = joiner
		}
	}
	return t
}()

// unspaced reports letters of scripts whose words no space divides.
func unspaced(r rune) bool {
	switch {
	case r < 0xe00:
		return false
	case r >= 0xe00 && r <= 0xeff, r >= 0x1000 && r <= 0x109f, r >= 0x1780 && r <= 0x17ff:
		return unicode.In(r, unicode.L, unicode.M)
	case r < 0x1100:
		return false
	case r == 'ー' || r == 'ｰ' || r == '々' || r == '〆' || r == '〇' || r == 'ﾞ' || r == 'ﾟ' || r == 0x3099 || r == 0x309a:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// scanner turns one text into tokens.
type scanner struct {
	a      *Analyzer
	memory memory
	text   string
	tokens []Token
	pos    int
	group  int
	atoms  []atom
}

func (s *scanner) scan() {
	for i := 0; i < len(s.text); {
		if end := s.simple(i); end > i {
			s.group++
			p := s.piece(Cut(s.text[i:end], MaxTerm))
			s.tokens = append(s.tokens, Token{p.term, p.stem, p.alt, p.key, Word, s.pos, i, end, s.group})
			s.pos++
			i = end
			continue
		}
		r, n := utf8.DecodeRuneInString(s.text[i:])
		if classOf(r) == gap || ignorable(r) {
			i += n
			continue
		}
		end := s.runEnd(i)
		s.run(i, end)
		i = end
	}
}

// simple is where the word that starts at i ends, if it is a plain one: ASCII letters, none but the first a capital,
// nothing but a blank or the like behind it. Most words are.
func (s *scanner) simple(i int) int {
	j := i
	for j < len(s.text) {
		c := s.text[j]
		if c >= 'a' && c <= 'z' || j == i && c >= 'A' && c <= 'Z' {
			j++
			continue
		}
		if c >= utf8.RuneSelf || asciiClass[c] != gap {
			return i
		}
		break
	}
	return j
}

// runEnd is where the run that starts at i ends. A comma holds digits together, an apostrophe letters.
func (s *scanner) runEnd(i int) int {
	prev := rune(0)
	for i < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		c := classOf(r)
		if c == gap {
			return i
		}
		if r == ',' || r == '\'' || r == '’' {
			next, _ := utf8.DecodeRuneInString(s.text[i+n:])
			holds := unicode.IsLetter
			if r == ',' {
				holds = unicode.IsDigit
			}
			if !holds(prev) || !holds(next) {
				if prev == 0 {
					return i + n
				}
				return i
			}
		}
		prev = r
		i += n
	}
	return i
}

// run takes a run of words and joiners apart and finds the identifiers in it.
func (s *scanner) run(start, end int) {
	s.atoms = s.atoms[:0]
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(s.text[i:])
		c := classOf(r)
		if c == joiner || ignorable(r) {
			i += n
			continue
		}
		j := i + n
		for j < end {
			r, n := utf8.DecodeRuneInString(s.text[j:])
			next := classOf(r)
			if next != c && !(c == script && unicode.IsMark(r)) && !ignorable(r) {
				break
			}
			j += n
		}
		s.atoms = append(s.atoms, atom{i, s.visibleEnd(i, j), c == script})
		i = j
	}
	from := start
	for i := 0; i < len(s.atoms); {
		j := i + 1
		for j < len(s.atoms) && s.holds(s.atoms[j-1], s.atoms[j]) {
			j++
		}
		if i > 0 {
			from = s.atoms[i].start // a sigil stands where a run starts
		}
		s.identifier(from, s.atoms[i:j])
		i = j
	}
}

// script emits the characters of a run without spaces, and each two neighbours. What normalises as one, a half-width
// letter and its mark, has one place.
func (s *scanner) script(a atom) {
	prev := Token{}
	for start := a.start; start < a.end; {
		end := a.end
		if n := norm.NFKC.NextBoundaryInString(s.text[start:a.end], true); n > 0 {
			end = start + n
		}
		for unit := range units(norm.NFKC.String(s.text[start:end])) {
			term := s.a.lang.lower(unit)
			if term == "" {
				continue
			}
			t := Token{Cut(term, MaxTerm), "", "", Cut(term, MaxTerm), Word, s.pos, start, end, s.group}
			s.tokens = append(s.tokens, t)
			s.pos++
			if prev.Term != "" && len(prev.Term)+len(t.Term) <= MaxTerm {
				pair := prev.Term + t.Term
				s.tokens = append(s.tokens, Token{pair, "", "", pair, Gram, prev.Pos, prev.Start, t.End, s.group})
			}
			prev = t
		}
		start = end
	}
}

// visibleEnd is the end of a word without what does not show.
func (s *scanner) visibleEnd(start, end int) int {
	for end > start {
		r, n := utf8.DecodeLastRuneInString(s.text[start:end])
		if !ignorable(r) {
			break
		}
		end -= n
	}
	return end
}

// units yields the characters of s, each with the marks that follow it.
func units(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		from := 0
		for i, r := range s {
			if i > from && !unicode.IsMark(r) {
				if !yield(s[from:i]) {
					return
				}
				from = i
			}
		}
		if from < len(s) {
			yield(s[from:])
		}
	}
}

func (s *scanner) emit(k Kind, term string, pos, start, end int) {
	if len(term) > MaxTerm {
		term = Cut(term, MaxTerm)
	}
	if term != "" {
		s.tokens = append(s.tokens, Token{term, "", "", term, k, pos, start, end, s.group})
	}
}
