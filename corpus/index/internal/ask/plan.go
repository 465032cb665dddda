package ask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/index/internal/words"
)

// Bounds on what one search may ask for: pasted pages and hostile searches cost no more than long ones.
const (
	maxTyped = 512 // different words that are looked up
	maxText  = 64 << 10
)

// Weights of what a search gives beside its words.
const (
	weightName   = 1.0 // an identifier as a whole: PROJ-1234, user_id, getUserByID
	weightHyphen = 0.5 // two words with a hyphen: boundary-layer
	weightPrefix = 0.5 // what the last word may become
)

// Plan is a search taken apart: what scores, what must be there and what must not.
type Plan struct {
	Units   []Unit
	Groups  []Group
	Phrases []Phrase
	Without []Unit // what no hit may have
	Docs    []DocFilter
	Grades  []GradeFilter
	Common  bool // only very common words were typed, so they count
	Cut     int  // what was typed beyond what is looked at, in words or as one piece
	Filter  bool // there is nothing to score, only to choose
	Soft    bool // phrases are given up where no chunk has them: other words were typed beside them
}

// Unit is a set of terms that count as one: a word in all its forms, an identifier and its other spellings, what a
// prefix stands for.
type Unit struct {
	Terms  []string // keys
	Stems  []string // all forms of their words
	Weight float64
	Prefix string // the terms are those that begin so
	Also   string // or so, where not ""
	Fuzzy  string // the terms are those at most Edits away from it
	Edits  int
}

func (u Unit) Open() bool { return u.Prefix != "" || u.Fuzzy != "" }

func (u Unit) same(v Unit) bool {
	return u.Prefix == v.Prefix && u.Also == v.Also && u.Fuzzy == v.Fuzzy && u.Edits == v.Edits && slices.Equal(u.Terms, v.Terms) && slices.Equal(u.Stems, v.Stems)
}

// Group is one word or identifier of the search: a hit has it if it has all its parts, or it as a whole. Units are
// given by number, -1 where there is none.
type Group struct {
	Parts  []int
	Whole  int
	Prefix int // stands for the group where its last word is not complete
}

// Phrase is words that must follow one another.
type Phrase struct {
	Words []string
	Keys  []string
	Not   bool
}

// DocFilter asks for chunks of documents whose id, or whose own id, holds the path.
type DocFilter struct {
	Path string
	Not  bool
}

// GradeFilter asks for chunks by the asker's own grades.
type GradeFilter struct {
	Relevant bool // is:relevant, else is:unjudged
	Not      bool
}

// planner makes plans. Common words are kept apart until it is known whether there is anything else.
type planner struct {
	analyzer *words.Analyzer
	exact    bool // words count in the form that was typed only
	plan     Plan
	spare    []words.Token
}

// For takes a search apart. The only errors are *SyntaxError, in query mode.
func For(a *words.Analyzer, r corpus.SearchRequest) (Plan, error) {
	p := planner{analyzer: a, exact: r.Mode == corpus.Exact}
	text := words.Cut(r.Text, maxText)
	if len(text) < len(r.Text) {
		p.plan.Cut++
	}
	switch r.Mode {
	case corpus.Syntax:
		if err := p.syntax(text); err != nil {
			return Plan{}, err
		}
	case corpus.Phrase:
		p.phrase(p.analyzer.Tokens(nil, text), false)
	default:
		p.plain(text, r.Prefix && p.plan.Cut == 0)
	}
	if (len(p.plan.Units) == 0 || p.plan.Common) && len(p.spare) > 0 {
		p.plan.Common = true
		for _, t := range p.spare {
			p.group([]words.Token{t}, true)
		}
	}
	return p.plan, nil
}

// plain reads a literal search: any text, of which only a balanced "phrase" is special.
func (p *planner) plain(text string, prefix bool) {
	rest, beside := text, 0
	outside := func(text string, prefix bool) {
		before := len(p.plan.Groups)
		p.words(text, prefix)
		beside += len(p.plan.Groups) - before
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
	p.plan.Soft = beside > 0 && len(p.plan.Phrases) > 0
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
	g := Group{Whole: -1, Prefix: -1}
	grams := slices.ContainsFunc(tokens, func(t words.Token) bool { return t.Kind == words.Gram })
	var whole Unit
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
			u := Unit{Weight: 1}
			if p.exact {
				u.Terms = []string{t.Key}
			} else {
				u.add(p.analyzer, t)
			}
			g.Parts = append(g.Parts, p.unit(u))
		case words.Gram:
			g.Parts = append(g.Parts, p.unit(Unit{Terms: []string{t.Term}, Weight: 1}))
		default:
			whole.add(p.analyzer, t)
			if w := weightOf(t); w > whole.Weight {
				whole.Weight = w
			}
		}
	}
	if !whole.none() {
		g.Whole = p.unit(whole)
	}
	if len(g.Parts) == 0 && g.Whole < 0 {
		return -1
	}
	p.plan.Groups = append(p.plan.Groups, g)
	return len(p.plan.Groups) - 1
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
	if len(tokens) == 1 && (words.Unspaced(word.Term) || len(p.plan.Groups) > 0 && p.analyzer.Common(word.Term)) {
		return false
	}
	open := Unit{Weight: weightPrefix, Prefix: word.Term}
	if whole.Term != "" {
		open = Unit{Weight: weightName, Prefix: whole.Term}
	}
	n := p.group(tokens, false)
	if n < 0 { // a common word, alone: it counts, and may become another
		p.plan.Common = true
		p.spare = p.spare[:len(p.spare)-1]
		n = p.group(tokens, true)
	}
	p.plan.Groups[n].Prefix = p.unit(open)
	return true
}

// phrase adds words that must follow one another. They also count as words.
func (p *planner) phrase(tokens []words.Token, not bool) {
	ph := Phrase{Not: not}
	for _, t := range tokens {
		if t.Kind == words.Word {
			ph.Words = append(ph.Words, t.Term)
			ph.Keys = append(ph.Keys, t.Key)
		}
	}
	if len(ph.Words) == 0 {
		return
	}
	if not && len(ph.Words) == 1 {
		p.plan.Without = append(p.plan.Without, Unit{Terms: ph.Keys})
		return
	}
	p.plan.Phrases = append(p.plan.Phrases, ph)
	if not {
		return
	}
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].Group == tokens[0].Group {
			n++
		}
		p.group(tokens[:n], false)
		tokens = tokens[n:]
	}
}

// unit adds a unit, once, and returns its number.
func (p *planner) unit(u Unit) int {
	for i, have := range p.plan.Units {
		if u.same(have) {
			p.plan.Units[i].Weight = max(have.Weight, u.Weight)
			return i
		}
	}
	if len(p.plan.Units) >= maxTyped {
		p.plan.Cut++
		return maxTyped - 1
	}
	p.plan.Units = append(p.plan.Units, u)
	return len(p.plan.Units) - 1
}

// add makes a unit stand for a token too, in all its forms.
func (u *Unit) add(a *words.Analyzer, t words.Token) {
	stem := t.Stem
	if stem == "" {
		stem = t.Term
	}
	if !a.Stems(t.Term) {
		u.Terms = append(u.Terms, t.Key)
		return
	}
	u.Stems = append(u.Stems, stem)
	if t.Stem == "" || a.Stem(stem) == stem {
		u.Terms = append(u.Terms, stem)
	}
	if t.Alt != "" {
		u.Terms = append(u.Terms, words.Key(t.Term, t.Alt)) // the word as it is written without accents
	}
}

// none reports whether a unit stands for nothing.
func (u Unit) none() bool { return len(u.Terms)+len(u.Stems) == 0 && !u.Open() }

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

// Note says what the user should know about how the search was read.
func (p Plan) Note() string {
	switch {
	case p.Common:
		return "only very common words were typed"
	case p.Cut > 0:
		return "the search is very long: only its beginning is looked at"
	}
	return ""
}

// Empty reports whether nothing was asked.
func (p Plan) Empty() bool {
	return len(p.Units) == 0 && len(p.Phrases) == 0 && len(p.Docs) == 0 && len(p.Grades) == 0
}
