package index

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// Bounds on what one search may ask for: pasted pages and hostile searches cost no more than long ones.
const (
	maxTyped  = 512 // different words that are looked up
	maxScored = 60  // of these, the rarest, that count; bits of a mask
	maxText   = 64 << 10
)

// Weights of what a search gives beside its words.
const (
	weightName   = 1.0 // an identifier as a whole: PROJ-1234, user_id, getUserByID
	weightHyphen = 0.5 // two words with a hyphen: boundary-layer
	weightPrefix = 0.5 // what the last word may become
)

// plan is a search taken apart: what scores, what must be there and what must not.
type plan struct {
	units   []unit
	groups  []group
	phrases []phrase
	without []unit // what no hit may have
	docs    []docFilter
	is      []gradeFilter
	typed   string
	common  bool // only very common words were typed, so they count
	cut     int  // how many different words were typed, where not all are looked at
	filter  bool // there is nothing to score, only to choose
	soft    bool // phrases are given up where no chunk has them: other words were typed beside them
}

// unit is a set of terms that count as one: a word in all its forms, an identifier and its other spellings, what a
// prefix stands for.
type unit struct {
	terms  []string // keys
	stems  []string // all forms of their words
	weight float64
	prefix string // the terms are those that begin so
	also   string // or so, where not ""
	fuzzy  string // the terms are those at most edits away from it
	edits  int
}

func (u unit) open() bool { return u.prefix != "" || u.fuzzy != "" }

func (u unit) same(v unit) bool {
	return u.prefix == v.prefix && u.also == v.also && u.fuzzy == v.fuzzy && u.edits == v.edits && slices.Equal(u.terms, v.terms) && slices.Equal(u.stems, v.stems)
}

// group is one word or identifier of the search: a hit has it if it has all its parts, or it as a whole. Units are
// given by number, -1 where there is none.
type group struct {
	parts  []int
	whole  int
	prefix int // stands for the group where its last word is not complete
}

// phrase is words that must follow one another.
type phrase struct {
	words []string
	keys  []string
	not   bool
}

type docFilter struct {
	path string
	not  bool
}

type gradeFilter struct {
	relevant bool // is:relevant, else is:unjudged
	not      bool
}

// planner makes plans. Common words are kept apart until it is known whether there is anything else.
type planner struct {
	analyzer *words.Analyzer
	plan     plan
	spare    []words.Token
}

// planFor takes a search apart. The only errors are *SyntaxError, in query mode.
func planFor(a *words.Analyzer, r corpus.SearchRequest) (plan, error) {
	p := planner{analyzer: a}
	text := words.Cut(r.Text, maxText)
	p.plan.typed = text
	if r.Mode == corpus.Syntax {
		if err := p.syntax(text); err != nil {
			return plan{}, err
		}
	} else {
		p.plain(text, r.Prefix)
	}
	if (len(p.plan.units) == 0 || p.plan.common) && len(p.spare) > 0 {
		p.plan.common = true
		spare := p.spare
		for len(spare) > 0 {
			n := 1
			for n < len(spare) && spare[n].Group == spare[0].Group {
				n++
			}
			p.group(spare[:n], true)
			spare = spare[n:]
		}
	}
	return p.plan, nil
}

// plain reads a literal search: any text, of which only a balanced "phrase" is special.
func (p *planner) plain(text string, prefix bool) {
	rest, beside := text, 0
	outside := func(text string, prefix bool) {
		before := len(p.plan.groups)
		p.words(text, prefix)
		beside += len(p.plan.groups) - before
	}
	for rest != "" {
		from, to := quoted(rest)
		if from < 0 {
			outside(rest, prefix)
			break
		}
		tokens := p.analyzer.Tokens(nil, rest[from+1:to])
		if len(tokens) == 0 { // nothing in quotes is nothing special
			outside(rest[:to+1], false)
		} else {
			outside(rest[:from], false)
			p.phrase(tokens, false)
		}
		rest = rest[to+1:]
	}
	p.plan.soft = beside > 0 && len(p.plan.phrases) > 0
}

// quoted finds the first pair of quotes that stand around words: the inch marks of 12" x 10" do not.
func quoted(text string) (from, to int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && !unicode.IsSpace(before) && !strings.ContainsRune("([{<,;:=", before) {
			continue
		}
		for j := i + 1; j < len(text); j++ {
			if text[j] != '"' {
				continue
			}
			after, n := utf8.DecodeRuneInString(text[j+1:])
			if n == 0 || unicode.IsSpace(after) || strings.ContainsRune(`)]}>,;:.!?"`, after) {
				return i, j
			}
		}
		return -1, -1
	}
	return -1, -1
}

// words adds the words and identifiers of text.
func (p *planner) words(text string, prefix bool) {
	tokens := p.analyzer.Tokens(nil, text)
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].Group == tokens[0].Group {
			n++
		}
		group := tokens[:n]
		tokens = tokens[n:]
		if !prefix || len(tokens) > 0 || ends(group) < len(text) || !p.prefix(group) {
			p.group(group, false)
		}
	}
}

func ends(group []words.Token) int {
	end := 0
	for _, t := range group {
		end = max(end, t.End)
	}
	return end
}

// group adds one word or identifier and returns its number, or -1 where nothing of it counts.
func (p *planner) group(tokens []words.Token, common bool) int {
	g := group{whole: -1, prefix: -1}
	grams := slices.ContainsFunc(tokens, func(t words.Token) bool { return t.Kind == words.Gram })
	var whole unit
	for _, t := range tokens {
		switch t.Kind {
		case words.Word:
			if grams {
				continue // characters alone say little: their pairs are looked up
			}
			if !common && p.analyzer.Common(t.Term) {
				if len(tokens) == 1 {
					p.spare = append(p.spare, t)
				}
				continue
			}
			u := unit{weight: 1}
			u.add(p.analyzer, t)
			g.parts = append(g.parts, p.unit(u))
		case words.Gram:
			g.parts = append(g.parts, p.unit(unit{terms: []string{t.Term}, weight: 1}))
		default:
			whole.add(p.analyzer, t)
			if w := weightOf(t); w > whole.weight {
				whole.weight = w
			}
		}
	}
	if !whole.none() {
		g.whole = p.unit(whole)
	}
	if len(g.parts) == 0 && g.whole < 0 {
		return -1
	}
	p.plan.groups = append(p.plan.groups, g)
	return len(p.plan.groups) - 1
}

// prefix adds the last word, which may still be being typed, and reports whether it did.
func (p *planner) prefix(tokens []words.Token) bool {
	word, whole := words.Token{}, words.Token{}
	for _, t := range tokens {
		switch {
		case t.Kind == words.Gram:
			return false // each character is a word already
		case t.Kind == words.Word:
			word = t
		case t.Kind == words.Whole && t.End == ends(tokens) && len(t.Term) > len(whole.Term):
			whole = t
		}
	}
	if len(tokens) == 1 && (words.Unspaced(word.Term) || len(p.plan.groups) > 0 && p.analyzer.Common(word.Term)) {
		return false
	}
	open := unit{weight: weightPrefix, prefix: word.Term}
	if whole.Term != "" {
		open = unit{weight: weightName, prefix: whole.Term}
	}
	n := p.group(tokens, false)
	if n < 0 { // a common word, alone: it counts, and may become another
		p.plan.common = true
		n = p.group(tokens, true)
	}
	p.plan.groups[n].prefix = p.unit(open)
	return true
}

// phrase adds words that must follow one another. They also count as words.
func (p *planner) phrase(tokens []words.Token, not bool) {
	ph := phrase{not: not}
	for _, t := range tokens {
		if t.Kind == words.Word {
			ph.words = append(ph.words, t.Term)
			ph.keys = append(ph.keys, t.Key)
		}
	}
	if len(ph.words) == 0 {
		return
	}
	if not && len(ph.words) == 1 {
		p.plan.without = append(p.plan.without, unit{terms: ph.keys})
		return
	}
	p.plan.phrases = append(p.plan.phrases, ph)
	if not {
		return
	}
	before := len(p.plan.groups)
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].Group == tokens[0].Group {
			n++
		}
		p.group(tokens[:n], false)
		tokens = tokens[n:]
	}
	if len(p.plan.groups) == before && len(p.plan.units) == 0 {
		for i, w := range ph.words { // "to be or not to be"
			p.spare = append(p.spare, words.Token{Term: w, Key: ph.keys[i], Group: -len(p.spare) - 1})
		}
	}
}

// unit adds a unit, once, and returns its number.
func (p *planner) unit(u unit) int {
	for i, have := range p.plan.units {
		if u.same(have) {
			p.plan.units[i].weight = max(have.weight, u.weight)
			return i
		}
	}
	if len(p.plan.units) >= maxTyped {
		p.plan.cut++
		return maxTyped - 1
	}
	p.plan.units = append(p.plan.units, u)
	return len(p.plan.units) - 1
}

// add makes a unit stand for a token too, in all its forms.
func (u *unit) add(a *words.Analyzer, t words.Token) {
	stem := t.Stem
	if stem == "" {
		stem = t.Term
	}
	if !a.Stems(t.Term) {
		u.terms = append(u.terms, t.Key)
		return
	}
	u.stems = append(u.stems, stem)
	if t.Stem == "" || a.Stem(stem) == stem {
		u.terms = append(u.terms, stem)
	}
	if t.Alt != "" {
		u.terms = append(u.terms, words.Key(t.Term, t.Alt)) // the word as it is written without accents
	}
}

// none reports whether a unit stands for nothing.
func (u unit) none() bool { return len(u.terms)+len(u.stems) == 0 && !u.open() }

// weightOf is how much an identifier as a whole adds to its parts: much where it can only be a name.
func weightOf(t words.Token) float64 {
	if t.Kind == words.Joined {
		return 0
	}
	hyphen := false
	for _, r := range t.Term {
		switch {
		case r == '-' || r == '\'':
			hyphen = true
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			return weightName
		}
	}
	if hyphen && t.Term[0] != '-' {
		return weightHyphen
	}
	return weightName
}

// note says what the user should know about how the search was read.
func (p plan) note() string {
	switch {
	case p.common:
		return "only very common words were typed"
	case p.cut > 0:
		return fmt.Sprintf("the search is long: only %d of its words are looked at", maxTyped)
	}
	return ""
}

// empty reports whether nothing was asked.
func (p plan) empty() bool {
	return len(p.units) == 0 && len(p.phrases) == 0 && len(p.docs) == 0 && len(p.is) == 0
}
