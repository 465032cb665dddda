package ask

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus/index/internal/words"

	"github.com/rivo/uniseg"
)

const (
	snippetSize = 200      // bytes
	snippetLead = 40       // bytes before the first word that is lit
	snippetScan = 64 << 10 // bytes of a text that are looked at before it is looked further
)

// Snippet is the part of a text that the search is about: its first words where it is about none. buf is memory to
// use, and is given back.
func (m *Matcher) Snippet(text string, buf []words.Token) (string, []words.Token) {
	at, buf := m.place(text, buf)
	return snippet(text, at), buf
}

// place is where the snippet of a text is about: in its first part that has anything of the search. tokens is memory
// to use.
func (m *Matcher) place(text string, tokens []words.Token) (int, []words.Token) {
	for from := 0; from < len(text); {
		part := words.Cut(text[from:], snippetScan)
		if len(part) < len(text)-from {
			if n := strings.LastIndexFunc(part, unicode.IsSpace); n > 0 {
				part = part[:n]
			}
		}
		if part == "" {
			break
		}
		tokens = m.analyzer.Tokens(tokens[:0], part)
		if hits := m.find(tokens); len(hits) > 0 {
			return from + densest(hits), tokens
		}
		from += len(part)
	}
	return 0, tokens
}

// densest is where the part of a text begins that has most of the search's words; 0 where it has none.
func densest(hits []hit) int {
	best, at := 0, 0
	for i, from := 0, 0; i < len(hits); i++ {
		for hits[i].end-hits[from].start > snippetSize-snippetLead && from < i {
			from++
		}
		n := 0
		for j := from; j <= i; j++ {
			known := false
			for k := from; k < j; k++ {
				known = known || hits[k].unit == hits[j].unit
			}
			if !known {
				n++
			}
			if j-from > 32 {
				break
			}
		}
		if n > best {
			best, at = n, hits[from].start
		}
	}
	return at
}

// snippet is about snippetSize bytes of text around at, blanks run together, cut between what a reader sees as
// characters. Broken bytes come out as U+FFFD.
func snippet(text string, at int) string {
	start := 0
	if at > snippetLead {
		start = boundary(text, at-snippetLead, at)
	}
	part := words.Cut(text[start:], 4*snippetSize)
	part = strings.ToValidUTF8(part, "\uFFFD")
	var b strings.Builder
	blank := true // none at the start
	for state := -1; part != "" && b.Len() < snippetSize; {
		var cluster string
		cluster, part, _, state = uniseg.FirstGraphemeClusterInString(part, state)
		if r, _ := utf8.DecodeRuneInString(cluster); unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		if b.Len()+len(cluster) > snippetSize {
			if b.Len() == 0 {
				return words.Cut(cluster, snippetSize) // one character with very many marks
			}
			break
		}
		b.WriteString(cluster)
	}
	return strings.TrimRight(b.String(), " ")
}

// boundary is a place between characters, from lo on and not behind hi; at a blank where there is one.
func boundary(text string, lo, hi int) int {
	for !utf8.RuneStart(text[lo]) && lo < hi {
		lo++
	}
	if n := strings.IndexFunc(text[lo:hi], unicode.IsSpace); n >= 0 {
		return lo + n
	}
	// From somewhere before: segments that begin within a character come right after it.
	from := max(0, lo-snippetSize)
	for from < lo && !utf8.RuneStart(text[from]) {
		from++
	}
	for state, rest := -1, text[from:hi]; rest != ""; {
		if from >= lo {
			return from
		}
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		from += len(cluster)
	}
	return hi
}
