package ask

import (
	"cmp"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// Matcher knows what of a text a search is about.
type Matcher struct {
	terms    map[string]int // to the unit's number
	stems    map[string]int
	open     []openTerm
	phrases  [][]string
	analyzer *words.Analyzer
}

type openTerm struct {
	Unit
	number int
	typed  bool  // the last word of a plain search, which may be complete
	exact  []int // what it is then
}

// hit is a place of a text that a search is about.
type hit struct {
	start, end int
	unit       int
}

// NewMatcher makes the matcher of a search.
func NewMatcher(a *words.Analyzer, p Plan) *Matcher {
	m := &Matcher{terms: map[string]int{}, stems: map[string]int{}, analyzer: a}
	typed := map[int][]int{}
	for _, g := range p.Groups {
		if g.Prefix >= 0 {
			typed[g.Prefix] = g.Parts
			if g.Whole >= 0 {
				typed[g.Prefix] = []int{g.Whole}
			}
		}
	}
	for i, u := range p.Units {
		if u.Open() {
			exact, ok := typed[i]
			m.open = append(m.open, openTerm{u, i, ok, exact})
			continue
		}
		for _, t := range u.Terms {
			m.terms[words.Surface(t)] = i
		}
		for _, t := range u.Stems {
			m.stems[t] = i
		}
	}
	for _, ph := range p.Phrases {
		if !ph.Not {
			m.phrases = append(m.phrases, ph.Words)
		}
	}
	return m
}

// Spans are the places of text, in bytes, that the search lights up: in order, not overlapping.
func (m *Matcher) Spans(text string) []corpus.Span {
	hits := m.find(m.analyzer.Tokens(nil, text))
	spans := make([]corpus.Span, 0, len(hits))
	for _, h := range hits {
		if n := len(spans); n > 0 && h.start <= spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, h.end)
		} else {
			spans = append(spans, corpus.Span{Start: h.start, End: h.end})
		}
	}
	return spans
}

// find gives the places in order.
func (m *Matcher) find(tokens []words.Token) []hit {
	var hits, begun []hit
	for _, t := range tokens {
		stem := t.Stem
		if stem == "" {
			stem = t.Term
		}
		if n, ok := m.terms[t.Term]; ok {
			hits = append(hits, hit{t.Start, t.End, n})
		} else if n, ok := m.stems[stem]; ok {
			hits = append(hits, hit{t.Start, t.End, n})
		} else if n, ok := m.stems[t.Alt]; ok {
			hits = append(hits, hit{t.Start, t.End, n})
		}
		for _, o := range m.open {
			if !o.holds(t.Term) {
				continue
			}
			h := hit{t.Start, t.End, o.number}
			switch {
			case !o.typed:
				hits = append(hits, h)
			case len(o.Prefix) > 1 && !m.analyzer.Common(t.Term):
				begun = append(begun, h)
			}
		}
	}
	for i, ph := range m.phrases {
		for _, span := range Occurrences(ph, tokens) {
			hits = append(hits, hit{span[0].Start, span[1].End, -1 - i})
		}
	}
	if !m.complete(hits) {
		hits = append(hits, begun...)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return hits
}

// complete reports whether the word that may still be being typed was found as it is.
func (m *Matcher) complete(hits []hit) bool {
	for _, o := range m.open {
		if o.typed && slices.ContainsFunc(hits, func(h hit) bool { return slices.Contains(o.exact, h.unit) }) {
			return true
		}
	}
	return false
}

// holds reports whether an open unit stands for a term.
func (u Unit) holds(term string) bool {
	if u.Fuzzy != "" {
		return within(u.Fuzzy, term, u.Edits)
	}
	return strings.HasPrefix(term, u.Prefix) || u.Also != "" && strings.HasPrefix(term, u.Also)
}

// within reports whether a and b are at most n edits apart, neighbouring letters changed over being one.
func within(a, b string, n int) bool {
	s, t := []rune(a), []rune(b)
	if d := len(s) - len(t); d > n || -d > n {
		return false
	}
	older, old, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(t)] <= n
}

// Occurrences are the places where the words of a phrase follow one another: pairs of first and last token.
func Occurrences(phrase []string, tokens []words.Token) (spans [][2]words.Token) {
	var row []words.Token // the words alone, which are in order
	for _, t := range tokens {
		if t.Kind == words.Word {
			row = append(row, t)
		}
	}
	for i := 0; i+len(phrase) <= len(row); {
		n := 0
		for n < len(phrase) && row[i+n].Term == phrase[n] {
			n++
		}
		if n < len(phrase) {
			i++
			continue
		}
		spans = append(spans, [2]words.Token{row[i], row[i+n-1]})
		i += n
	}
	return spans
}
