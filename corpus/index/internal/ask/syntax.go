package ask

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/corpus/index/internal/words"
)

// maxOpen is how many different word* and word~ one search may have.
const maxOpen = 24

// SyntaxError is a mistake in a search in query mode. Pos is a byte offset into the text.
type SyntaxError struct {
	Pos int
	Msg string
}

func (e *SyntaxError) Error() string { return e.Msg }

// syntax reads a search in query mode:
//
//	search = { item }                items are separated by blanks
//	item   = [ "-" ] ( phrase | field | word )
//	phrase = '"' text '"'
//	field  = ( "doc:" | "is:" ) ( value | phrase )
//	word   = text [ "*" | "~" [ "1" | "2" ] ]
func (p *planner) syntax(text string) error {
	open := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		item, err := readItem(text, i)
		if err != nil {
			return err
		}
		i = item.end
		if item.Open() {
			if open++; open > maxOpen {
				return &SyntaxError{item.start, fmt.Sprintf("more than %d word* and word~ in one search", maxOpen)}
			}
		}
		if err := p.item(item); err != nil {
			return err
		}
	}
	if len(p.plan.Units) > 0 || len(p.spare) > 0 {
		return nil
	}
	p.plan.Filter = len(p.plan.Docs) > 0 || len(p.plan.Grades) > 0
	if !p.plan.Filter && (len(p.plan.Without) > 0 || len(p.plan.Phrases) > 0) {
		return &SyntaxError{0, "there is nothing to look for beside what must not be there: add a word"}
	}
	return nil
}

// item is one part of a search in query mode, text not yet analysed.
type item struct {
	start, end int
	not        bool
	field      string // "doc", "is" or ""
	quoted     bool
	text       string
	star       bool
	edits      int // -1: ~ without a number
}

func (it item) Open() bool { return it.star || it.edits != 0 }

func readItem(text string, start int) (item, error) {
	it := item{start: start}
	i := start
	if text[i] == '-' {
		it.not = true
		i++
		if r, n := utf8.DecodeRuneInString(text[i:]); n == 0 || unicode.IsSpace(r) {
			return it, &SyntaxError{start, `"-" stands alone: write -word for what must not be there`}
		}
	}
	for _, f := range []string{"doc", "is"} {
		if strings.HasPrefix(strings.ToLower(text[i:]), f+":") {
			it.field = f
			i += len(f) + 1
			break
		}
	}
	if i < len(text) && text[i] == '"' {
		n := strings.IndexByte(text[i+1:], '"')
		if n < 0 {
			return it, &SyntaxError{i, `the quote is not closed: add a second "`}
		}
		it.quoted, it.text = true, text[i+1:i+1+n]
		it.end = i + n + 2
		if strings.TrimSpace(it.text) == "" {
			return it, &SyntaxError{i, "there is nothing between the quotes"}
		}
		if r, n := utf8.DecodeRuneInString(text[it.end:]); n > 0 && !unicode.IsSpace(r) {
			return it, &SyntaxError{it.end, "a blank is missing after the quote"}
		}
		return it, nil
	}
	it.end = len(text)
	if n := strings.IndexFunc(text[i:], unicode.IsSpace); n >= 0 {
		it.end = i + n
	}
	it.text = text[i:it.end]
	if it.field != "" {
		if it.text == "" {
			return it, &SyntaxError{i, fmt.Sprintf("%s: needs a value right after it", it.field)}
		}
		return it, nil
	}
	return it, it.operators(i)
}

// operators takes * or ~ off the end of a word. at is where the word begins.
func (it *item) operators(at int) error {
	word := it.text
	switch {
	case strings.HasSuffix(word, "*"):
		it.star = true
		word = strings.TrimRight(word, "*")
	case strings.HasSuffix(word, "~"):
		it.edits = -1
		word = strings.TrimSuffix(word, "~")
	default:
		if n := strings.LastIndexByte(word, '~'); n > 0 && allDigits(word[n+1:]) {
			if it.edits = len(word[n+1:]); it.edits != 1 || word[n+1] < '1' || word[n+1] > '2' {
				return &SyntaxError{at + n, "word~ takes 1 or 2: how many letters may differ"}
			}
			it.edits = int(word[n+1] - '0')
			word = word[:n]
		}
	}
	if n := strings.IndexByte(word, '*'); n >= 0 {
		return &SyntaxError{at + n, "a * may stand only at the end of a word"}
	}
	if n := strings.IndexByte(word, '"'); n >= 0 {
		return &SyntaxError{at + n, "a quote may stand only at the start of a phrase"}
	}
	if it.Open() && strings.IndexFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return &SyntaxError{at, "there is no word before the " + it.text[len(word):len(word)+1]}
	}
	it.text = word
	return nil
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// item adds one item to the plan.
func (p *planner) item(it item) error {
	switch it.field {
	case "doc":
		p.plan.Docs = append(p.plan.Docs, DocFilter{it.text, it.not})
		return nil
	case "is":
		switch strings.ToLower(it.text) {
		case "unjudged":
			p.plan.Grades = append(p.plan.Grades, GradeFilter{false, it.not})
		case "relevant":
			p.plan.Grades = append(p.plan.Grades, GradeFilter{true, it.not})
		default:
			return &SyntaxError{it.start, fmt.Sprintf("is:%s is not known: there are is:unjudged and is:relevant", it.text)}
		}
		return nil
	}
	tokens := p.analyzer.Tokens(nil, it.text)
	if len(tokens) == 0 {
		return nil // no word in it: literal, and nowhere to be found
	}
	switch {
	case it.quoted:
		p.phrase(tokens, it.not)
	case it.Open():
		u := openUnit(tokens, it)
		if len(u.Fuzzy) > words.MaxTerm/4 {
			return &SyntaxError{it.start, "the word is too long for ~"}
		}
		if it.not {
			p.plan.Without = append(p.plan.Without, u)
			return nil
		}
		n := p.unit(u)
		p.plan.Groups = append(p.plan.Groups, Group{Parts: []int{n}, Whole: -1, Prefix: -1})
	case it.not:
		p.without(tokens)
	default:
		for len(tokens) > 0 {
			n := 1
			for n < len(tokens) && tokens[n].Group == tokens[0].Group {
				n++
			}
			p.group(tokens[:n], false)
			tokens = tokens[n:]
		}
	}
	return nil
}

// openUnit is what word* and word~ stand for. An identifier is extended as a whole, with or without its joiners.
func openUnit(tokens []words.Token, it item) Unit {
	whole, other := tokens[0], ""
	for _, t := range tokens {
		switch t.Kind {
		case words.Whole:
			if len(t.Term) > len(whole.Term) {
				whole = t
			}
		case words.Joined:
			other = t.Term
		}
	}
	if it.star {
		return Unit{Prefix: whole.Term, Also: other, Weight: 1}
	}
	edits := it.edits
	if edits < 0 {
		if edits = 2; utf8.RuneCountInString(whole.Term) <= 5 {
			edits = 1
		}
	}
	return Unit{Fuzzy: whole.Term, Edits: edits, Weight: 1}
}

// without adds what must not be there: an identifier as a whole, a word in all its forms, a run of a script without
// spaces as a phrase.
func (p *planner) without(tokens []words.Token) {
	var whole Unit
	var parts []words.Token
	grams := false
	for _, t := range tokens {
		switch t.Kind {
		case words.Word:
			parts = append(parts, t)
		case words.Gram:
			grams = true
		default:
			whole.add(p.analyzer, t)
		}
	}
	switch {
	case !whole.none():
		p.plan.Without = append(p.plan.Without, whole)
	case grams || len(parts) > 1:
		p.phrase(tokens, true)
	default:
		var u Unit
		u.add(p.analyzer, parts[0])
		p.plan.Without = append(p.plan.Without, u)
	}
}
