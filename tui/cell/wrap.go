package cell

import (
	"sort"
	"strings"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/text"
)

// Page is a text of several lines, cleaned and wrapped once, of which any line can then be drawn without touching the
// rest. It is immutable: make it in a tea.Cmd and hand it over.
type Page struct {
	text  string // cleaned
	lines []int  // where each line begins; a line ends where the next begins, spaces and line ends at its end unseen
	lit   []corpus.Span
	src   []int // by line, the byte of the source that it begins with; one more for the end
	w     int
}

// Lit says what to light in a text, as bytes of the source, in order, not overlapping. Open and Close are put around
// each piece; they may be empty.
type Lit struct {
	Spans       []corpus.Span
	Open, Close string
}

// Wrap cleans src and breaks it into lines of at most w cells: between words, after hyphens, between ideographs, and
// within what is longer than a line, but never within a grapheme. Indentation is kept. An empty text has one line.
func Wrap(src string, w int, lit Lit) Page {
	out, offsets := text.SanitizeMapped(src, true)
	p := Page{text: out, w: max(1, w)}
	if len(lit.Spans) > 0 {
		p.light(offsets, lit)
	}
	p.breakLines()
	p.mapLines(offsets)
	return p
}

// Len is the number of lines.
func (p Page) Len() int { return len(p.lines) }

// Source is the span of the source that line i shows.
func (p Page) Source(i int) corpus.Span {
	if i < 0 || i >= len(p.lines) {
		return corpus.Span{}
	}
	return corpus.Span{Start: p.src[i], End: p.src[i+1]}
}

// LineOf is the line that shows the byte of the source.
func (p Page) LineOf(at int) int {
	i := sort.Search(len(p.lines), func(i int) bool { return p.src[i] > at })
	return max(0, i-1)
}

// FirstLit is the first line with a lit piece, or -1.
func (p Page) FirstLit() int {
	if len(p.lit) == 0 {
		return -1
	}
	return max(0, sort.SearchInts(p.lines, p.lit[0].Start+1)-1)
}

func (p Page) span(i int) corpus.Span {
	if i < 0 || i >= len(p.lines) {
		return corpus.Span{}
	}
	start, end := p.lines[i], len(p.text)
	if i+1 < len(p.lines) {
		end = p.lines[i+1]
	}
	return corpus.Span{Start: start, End: start + len(strings.TrimRight(p.text[start:end], " \n"))}
}

// Segs is line i in pieces: what is lit in the one style, the rest in the other. A grapheme that is lit in part is lit
// as a whole.
func (p Page) Segs(i int, rest, lit Style) []Seg {
	s := p.span(i)
	k := sort.Search(len(p.lit), func(k int) bool { return p.lit[k].End > s.Start })
	if k == len(p.lit) || p.lit[k].Start >= s.End {
		return []Seg{{p.text[s.Start:s.End], rest, true}}
	}
	var segs []Seg
	at, style := s.Start, rest
	for pos := s.Start; pos < s.End; {
		n, _ := next(p.text[pos:s.End])
		for k < len(p.lit) && p.lit[k].End <= pos {
			k++
		}
		now := rest
		if k < len(p.lit) && p.lit[k].Start < pos+n {
			now = lit
		}
		if now != style {
			if pos > at {
				segs = append(segs, Seg{p.text[at:pos], style, true})
			}
			at, style = pos, now
		}
		pos += n
	}
	return append(segs, Seg{p.text[at:s.End], style, true})
}

// light turns the spans into bytes of the cleaned text and puts the marks around them, moving offsets along.
func (p *Page) light(offsets []int, lit Lit) {
	var b strings.Builder
	copied, shift, next := 0, 0, 0
	for _, s := range lit.Spans {
		start, end := max(s.Start, next), min(s.End, len(offsets)-1)
		if start >= end {
			continue
		}
		from, to := offsets[start], offsets[end]
		if to <= from {
			continue
		}
		b.WriteString(p.text[copied:from])
		b.WriteString(lit.Open)
		at := b.Len()
		b.WriteString(p.text[from:to])
		b.WriteString(lit.Close)
		p.lit = append(p.lit, corpus.Span{Start: at - len(lit.Open), End: b.Len()})
		copied = to
		for i := next; i < start; i++ {
			offsets[i] += shift
		}
		shift += len(lit.Open)
		for i := start; i < end; i++ {
			offsets[i] += shift
		}
		shift += len(lit.Close)
		next = end
	}
	for i := next; i < len(offsets); i++ {
		offsets[i] += shift
	}
	b.WriteString(p.text[copied:])
	p.text = b.String()
}

// breakLines finds where lines begin.
func (p *Page) breakLines() {
	p.lines = append(p.lines, 0)
	t := p.text
	col, word, wordCol := 0, 0, 0 // word: the last place to break the line at; wordCol: the cells before it
	for i := 0; i < len(t); {
		if t[i] == '\n' {
			i++
			p.lines = append(p.lines, i)
			col, word, wordCol = 0, i, 0
			continue
		}
		n, cells := next(t[i:])
		if r, _ := utf8.DecodeRuneInString(t[i:]); spansNext(r) {
			cells++ // for what settle puts behind it at a line's end
		}
		if t[i] == ' ' && n == 1 {
			// Spaces at a line's end hang over it unseen, but count within.
			col += cells
			i += n
			word, wordCol = i, col
			continue
		}
		wide := cells > 1 && n > 1
		start := p.lines[len(p.lines)-1]
		if wide && i > start && !strings.Contains(noStart, t[i:i+n]) {
			word, wordCol = i, col
		}
		if col+cells > p.w && i > start {
			at, before := word, wordCol
			if at <= start || blank(t[start:at]) {
				at, before = i, col // one word fills the line: break within
			}
			p.lines = append(p.lines, at)
			col -= before
			word, wordCol = at, 0
			if col+cells > p.w && i > at {
				p.lines = append(p.lines, i)
				col, word, wordCol = 0, i, 0
			}
		}
		col += cells
		i += n
		if wide && !noBreakBefore(t[i:]) || n == 1 && t[i-1] == '-' && i < len(t) && t[i] != '-' && col > 1 {
			word, wordCol = i, col
		}
	}
}

// noStart are characters that do not begin a line of Chinese or Japanese.
const noStart = "、。，．・：；？！゛゜ー”）〕］｝〉》」』】々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ％…‥"

func noBreakBefore(rest string) bool {
	if rest == "" {
		return false
	}
	n, _ := next(rest)
	return strings.Contains(noStart, rest[:n])
}

func blank(s string) bool { return strings.TrimLeft(s, " ") == "" }

// mapLines notes the byte of the source that each line begins with. offsets never fall, so one pass does.
func (p *Page) mapLines(offsets []int) {
	p.src = make([]int, 0, len(p.lines)+1)
	at := 0
	for i, start := range p.lines {
		if i > 0 {
			for at < len(offsets)-1 && offsets[at] < start {
				at++
			}
		}
		p.src = append(p.src, at)
	}
	p.src = append(p.src, len(offsets)-1)
}

// after is the end of the grapheme at byte i of a text as it was typed.
func after(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	if s[i] == '\n' {
		return i + 1
	}
	n, _ := next(s[i:])
	return i + n
}

// before is where the grapheme that ends at byte i begins.
func before(s string, i int) int {
	if i <= 0 {
		return 0
	}
	// A line is as far back as a grapheme can reach.
	start := strings.LastIndexByte(s[:i-1], '\n') + 1
	if s[i-1] == '\n' || i-1 < start {
		return i - 1
	}
	at := start
	for k := start; k < i; {
		at = k
		n, _ := next(s[k:])
		k += n
	}
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}
