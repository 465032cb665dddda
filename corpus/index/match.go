package index

import (
	"cmp"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// Matches are the spans of text, in bytes, that the search lights up: in order, not overlapping. The last word of a
// plain search also lights what it is the beginning of, where the text does not have the word itself. A search that
// can't be read lights nothing.
func (ix *Index) Matches(search string, mode corpus.Mode, text string) []corpus.Span {
	p, err := planFor(ix.analyzer, corpus.SearchRequest{Text: search, Mode: mode, Prefix: true})
	if err != nil {
		return nil
	}
	m := newMatcher(ix.analyzer, p)
	lit := m.find(ix.analyzer.Tokens(nil, text))
	spans := make([]corpus.Span, 0, len(lit))
	for _, l := range lit {
		if n := len(spans); n > 0 && l.start <= spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, l.end)
		} else {
			spans = append(spans, corpus.Span{Start: l.start, End: l.end})
		}
	}
	return spans
}

// matcher knows what of a text a search is about.
type matcher struct {
	terms    map[string]int // to the unit's number
	stems    map[string]int
	open     []openTerm
	phrases  [][]string
	analyzer *words.Analyzer
}

type openTerm struct {
	unit
	number int
	typed  bool  // the last word of a plain search, which may be complete
	exact  []int // what it is then
}

// hit is a place of a text that a search is about.
type hit struct {
	start, end int
	unit       int
}

func newMatcher(a *words.Analyzer, p plan) *matcher {
	m := &matcher{terms: map[string]int{}, stems: map[string]int{}, analyzer: a}
	typed := map[int][]int{}
	for _, g := range p.groups {
		if g.prefix >= 0 {
			typed[g.prefix] = append(slices.Clone(g.parts), g.whole)
		}
	}
	for i, u := range p.units {
		if u.open() {
			exact, ok := typed[i]
			m.open = append(m.open, openTerm{u, i, ok, exact})
			continue
		}
		for _, t := range u.terms {
			m.terms[words.Surface(t)] = i
		}
		for _, t := range u.stems {
			m.stems[t] = i
		}
	}
	for _, ph := range p.phrases {
		if !ph.not {
			m.phrases = append(m.phrases, ph.words)
		}
	}
	return m
}

// find gives the places in order.
func (m *matcher) find(tokens []words.Token) []hit {
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
			case len(o.prefix) > 1 && !m.analyzer.Common(t.Term):
				begun = append(begun, h)
			}
		}
	}
	for i, ph := range m.phrases {
		for _, span := range occurrences(ph, tokens) {
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
func (m *matcher) complete(hits []hit) bool {
	for _, o := range m.open {
		if o.typed && slices.ContainsFunc(hits, func(h hit) bool { return slices.Contains(o.exact, h.unit) }) {
			return true
		}
	}
	return false
}

// holds reports whether an open unit stands for a term.
func (u unit) holds(term string) bool {
	if u.fuzzy != "" {
		return within(u.fuzzy, term, u.edits)
	}
	return strings.HasPrefix(term, u.prefix) || u.also != "" && strings.HasPrefix(term, u.also)
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
