package words

import (
	"strings"
	"unicode/utf8"
)

// Bounds of what is taken apart: longer or more broken things are blobs, not names.
const (
	maxSplit   = 64 // bytes of a word that is looked at for camelCase and stemmed
	maxPieces  = 8  // pieces of one word
	maxDigits  = 3  // pieces of one word that falls apart where letters meet digits
	maxJoined  = 48 // bytes of an identifier that is also indexed without its joiners
	maxAtoms   = 40 // words of an identifier that is indexed whole
	maxSegment = 8  // bytes between two words of one identifier
)

// atom is a word of a run before it is looked into.
type atom struct {
	start, end int
	script     bool
}

// holds reports whether two neighbouring words belong to one identifier.
func (s *scanner) holds(a, b atom) bool {
	sep := s.text[a.end:b.start]
	if a.script || b.script || sep == "" || len(sep) > maxSegment {
		return false
	}
	return !strings.Contains(sep, "--") && !strings.Contains(sep, "..") || strings.Contains(sep, "/")
}

// tight reports whether two neighbouring words are held by a single joiner of names, not by one of paths.
func tight(sep string) bool {
	switch sep {
	case "_", "-", ".", "'", "’", ",", "‐", "‑":
		return true
	}
	return false
}

// identifier emits words that belong together: each of them, each tight group of them, and the whole with its sigil.
func (s *scanner) identifier(from int, atoms []atom) {
	s.group++
	first := s.pos
	name := len(atoms) <= maxAtoms // else a blob
	for i := 0; i < len(atoms); {
		j := i + 1
		for j < len(atoms) && tight(s.text[atoms[j-1].end:atoms[j].start]) {
			j++
		}
		s.names(atoms[i:j], name)
		i = j
	}
	if !name {
		return
	}
	loose := false
	for i := 1; i < len(atoms); i++ {
		loose = loose || !tight(s.text[atoms[i-1].end:atoms[i].start])
	}
	start, end := atoms[0].start, atoms[len(atoms)-1].end
	if loose {
		s.emit(Whole, s.a.lang.plain(s.a.lang.lower(s.text[start:end])), first, start, end)
	}
	if sigil := sigilOf(s.text[from:start]); sigil != "" && !atoms[0].script {
		start -= len(sigil)
		s.emit(Whole, s.a.lang.plain(s.a.lang.lower(s.text[start:end])), first, start, end)
	}
}

// sigilOf is the mark in front of a name that is part of it: --flag, $HOME, @user, #42, /etc, ~/x, .env.
func sigilOf(before string) string {
	for _, sigil := range []string{"--", "~/", "../", "./"} {
		if strings.HasSuffix(before, sigil) {
			return sigil
		}
	}
	if n := len(before); n > 0 && strings.ContainsRune(`-$@#./\`, rune(before[n-1])) {
		return before[n-1:]
	}
	return ""
}

// names emits a tight group: its words, and itself with and without its joiners.
func (s *scanner) names(atoms []atom, name bool) {
	if len(atoms) > 1 && s.contracted(atoms) {
		return
	}
	first := s.pos
	for _, a := range atoms {
		if a.script {
			s.script(a)
			continue
		}
		s.word(a)
		if rest := s.text[a.end:]; name && a.end-a.start <= MaxTerm/2 {
			switch {
			case strings.HasPrefix(rest, "++"):
				s.emit(Whole, s.piece(s.text[a.start:a.end]).term+"++", s.pos-1, a.start, a.end+2)
			case strings.HasPrefix(rest, "#"):
				if r, _ := utf8.DecodeRuneInString(rest[1:]); classOf(r) != letter {
					s.emit(Whole, s.piece(s.text[a.start:a.end]).term+"#", s.pos-1, a.start, a.end+1)
				}
			}
		}
	}
	if len(atoms) == 1 || !name {
		return
	}
	start, end := atoms[0].start, atoms[len(atoms)-1].end
	if end-start > 4*MaxTerm {
		return
	}
	full := s.a.lang.plain(s.a.lang.lower(s.text[start:end]))
	s.emit(Whole, full, first, start, end)
	if len(full) > 2 && full[0] == 'v' && full[1] >= '0' && full[1] <= '9' {
		s.emit(Joined, full[1:], first, start, end)
	}
	letters := true // u.s.a is usa, app.config is not appconfig
	for _, a := range atoms {
		letters = letters && a.end-a.start == 1 && !isDigit(s.text[a.start])
	}
	if bare := without(full, "_-',"); len(bare) <= maxJoined {
		if letters {
			bare = without(bare, ".")
		}
		if bare != full && !strings.Contains(bare, ".") {
			p := s.piece(bare)
			s.tokens = append(s.tokens, Token{p.term, p.stem, p.alt, p.key, Joined, first, start, end, s.group})
		}
	}
}

// contracted deals with two words around an apostrophe where the language knows better: user's, don't, l'avion.
func (s *scanner) contracted(atoms []atom) bool {
	n := len(atoms)
	sep := s.text[atoms[n-2].end:atoms[n-1].start]
	if sep != "'" && sep != "’" {
		if sep = s.text[atoms[0].end:atoms[1].start]; sep != "'" && sep != "’" {
			return false
		}
	}
	lang := s.a.lang
	if head := lang.lower(s.text[atoms[0].start:atoms[0].end]); n == 2 {
		for _, article := range lang.elision {
			if head == article {
				s.word(atoms[0])
				s.word(atoms[1])
				return true
			}
		}
	}
	if !lang.english {
		return false
	}
	switch strings.ToLower(s.text[atoms[n-1].start:atoms[n-1].end]) {
	case "s":
		s.names(atoms[:n-1], true)
		return true
	case "t", "re", "ve", "ll", "d", "m":
		if n == 2 {
			p := s.piece(s.text[atoms[0].start:atoms[0].end] + "'" + s.text[atoms[1].start:atoms[1].end])
			s.tokens = append(s.tokens, Token{p.term, "", "", p.term, Word, s.pos, atoms[0].start, atoms[1].end, s.group})
			s.pos++
			return true
		}
	}
	return false
}

// word emits a word: itself, or its pieces and itself where it is written in pieces.
func (s *scanner) word(a atom) {
	text := s.text[a.start:a.end]
	if len(text) > MaxTerm {
		text = Cut(text, MaxTerm)
	}
	cuts := pieces(text)
	if cuts == nil {
		p := s.piece(text)
		if p.term == "" {
			return
		}
		s.tokens = append(s.tokens, Token{p.term, p.stem, p.alt, p.key, Word, s.pos, a.start, a.end, s.group})
		s.pos++
		return
	}
	first, from := s.pos, 0
	for _, to := range append(cuts, len(text)) {
		p := s.piece(text[from:to])
		if p.term != "" {
			s.tokens = append(s.tokens, Token{p.term, p.stem, p.alt, p.key, Word, s.pos, a.start + from, a.start + to, s.group})
			s.pos++
		}
		from = to
	}
	p := s.piece(text)
	s.tokens = append(s.tokens, Token{p.term, p.stem, p.alt, p.key, Whole, first, a.start, a.end, s.group})
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func without(s, chars string) string {
	if !strings.ContainsAny(s, chars) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(chars, r) {
			return -1
		}
		return r
	}, s)
}
