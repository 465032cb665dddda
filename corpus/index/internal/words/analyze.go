package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
)

// Version changes whenever the same text gives other terms: an index of another version is built anew.
const Version = 1

// MaxTerm is the longest term in bytes; what is longer is cut there, in texts and in searches alike.
const MaxTerm = 256

// Analyzer turns texts and searches into tokens. It may be used from several goroutines.
type Analyzer struct {
	name   string
	lang   *language
	common map[string]bool
	words  int // that a memory holds

	mu   sync.Mutex
	free []memory
}

// piece is a word as tokens carry it.
type piece struct {
	term, stem, key, alt string
}

// memory keeps the pieces of words that were seen: most words of a text were.
type memory map[string]piece

// How many words a memory holds: some megabytes while searching, and while building some tens.
const (
	Searching = 1 << 16
	Building  = 1 << 18
)

// New makes the analyzer of a language, one of Languages. Each goroutine that uses it at the same time remembers up
// to the given number of words.
func New(name string, remembered int) (*Analyzer, error) {
	name, err := Canonical(name)
	if err != nil {
		return nil, err
	}
	lang := languages[name]
	a := &Analyzer{name: name, lang: &lang, common: map[string]bool{}, words: remembered}
	list := analysis.NewTokenMap()
	if err := list.LoadBytes(lang.stopwords); err != nil {
		return nil, err
	}
	for w := range list {
		for _, t := range a.Tokens(nil, w) {
			if t.Kind == Word {
				a.common[t.Term] = true
			}
		}
	}
	return a, nil
}

// Language is the canonical name of the analyzer's language.
func (a *Analyzer) Language() string { return a.name }

// Common reports whether term is a word that nearly every text holds.
func (a *Analyzer) Common(term string) bool { return a.common[term] }

// Tokens appends the tokens of text to dst, in the order in which they begin, pieces before what they are pieces of.
func (a *Analyzer) Tokens(dst []Token, text string) []Token {
	s := scanner{a: a, text: text, tokens: dst, memory: a.borrow()}
	s.scan()
	a.giveBack(s.memory)
	return s.tokens
}

// Stem is the stem of a word in lower case, without accents.
func (a *Analyzer) Stem(lower string) string {
	if !a.Stems(lower) {
		return Cut(a.lang.plain(lower), MaxTerm)
	}
	return a.lang.plain(a.lang.stem(lower))
}

func (a *Analyzer) borrow() memory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.free); n > 0 {
		m := a.free[n-1]
		a.free = a.free[:n-1]
		return m
	}
	return make(memory)
}

func (a *Analyzer) giveBack(m memory) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free = append(a.free, m)
}

// piece is what a word is indexed as.
func (s *scanner) piece(text string) piece {
	if p, ok := s.memory[text]; ok {
		return p
	}
	text = strings.Clone(text) // else the memory would hold whole texts
	lower := s.a.lang.lower(text)
	p := piece{term: Cut(s.a.lang.plain(lower), MaxTerm)}
	if s.a.lang.english {
		lower = p.term // accents mark foreign words
	}
	p.key = p.term
	if stem := s.a.Stem(lower); stem != p.term && stem != "" {
		p.stem, p.key = stem, Key(p.term, stem)
	}
	if lower != p.term {
		if alt := s.a.Stem(p.term); alt != "" && alt != p.stem && (alt != p.term || p.stem != "") {
			p.alt = alt
		}
	}
	if len(s.memory) >= s.a.words {
		clear(s.memory)
	}
	s.memory[text] = p
	return p
}

// pieces are the places where a word in camelCase, or of letters and digits, falls into pieces; nil where it is one.
func pieces(text string) []int {
	if len(text) > maxSplit || len(text) < 2 {
		return nil
	}
	var cuts []int
	digits, last := 0, 0
	prev, n := utf8.DecodeRuneInString(text)
	before := rune(0)
	for i, r := range text[n:] {
		if unicode.IsMark(r) || ignorable(r) {
			continue
		}
		at := 0
		switch {
		case unicode.IsDigit(prev) != unicode.IsDigit(r):
			at = n + i
			digits++
		case unicode.IsLower(prev) && unicode.IsUpper(r):
			at = n + i
		case unicode.IsUpper(before) && unicode.IsUpper(prev) && unicode.IsLower(r) && !(r == 's' && endsName(text[n+i+1:])):
			at = n + i - utf8.RuneLen(prev) // HTMLResponse falls before the R; IDs stays whole
		}
		if at > last {
			cuts = append(cuts, at)
			last = at
		}
		before, prev = prev, r
	}
	if len(cuts) >= maxPieces || digits >= maxDigits {
		return nil
	}
	return cuts
}

// endsName reports whether nothing, or the next capitalised word, follows.
func endsName(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	return n == 0 || unicode.IsUpper(r)
}

func allLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return s != ""
}

// Cut is the longest start of s that has at most n bytes and whole runes.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Stems reports whether the language has a stemmer for the term.
func (a *Analyzer) Stems(term string) bool {
	return a.lang.stem != nil && len(term) <= maxSplit && allLetters(term)
}

// Unspaced reports whether the term is of a script that is written without spaces: each character is a word.
func Unspaced(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return unspaced(r)
}
