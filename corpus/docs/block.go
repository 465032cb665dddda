package docs

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// shape says how a block may be taken apart.
type shape uint8

const (
	heading   shape = iota
	prose           // at sentences
	container       // at the blocks within: lists, quotes
	solid           // at line ends, and only where it alone is too long: code, tables, HTML
	sentence        // at lines, words and characters
	line            // likewise
	fragment        // not at all
)

// block is a stretch of a document that reads as one thing. It neither begins nor ends with a blank line, and what lies
// between one block and the next is blank.
type block struct {
	start, end int
	shape      shape
	parts      []block // of a container
}

func (b block) len() int { return b.end - b.start }

// splittable reports whether a block may be cut though it would fit into a chunk of its own.
func (b block) splittable() bool { return b.shape == prose || b.shape == container }

// split takes a block apart into the next smaller things. size is that of a chunk.
func (b block) split(text string, size int) []block {
	switch b.shape {
	case container:
		return b.parts
	case prose:
		return sentences(text, b.start, b.end)
	case solid:
		return lines(text, b.start, b.end)
	case heading, sentence, line:
		return fragments(text, b.start, b.end, size)
	default:
		return nil
	}
}

// stretch is the block of text[start:end] without the blank lines before and the space behind. It is false if there is
// nothing else.
func stretch(text string, start, end int, s shape) (block, bool) {
	start += blankLines(text[start:end])
	end = start + len(strings.TrimRightFunc(text[start:end], unicode.IsSpace))
	return block{start: start, end: end, shape: s}, start < end
}

// blankLines is the length of the lines at the start of s that hold only space.
func blankLines(s string) int {
	n := 0
	for {
		i := strings.IndexByte(s[n:], '\n')
		if i < 0 || strings.TrimSpace(s[n:n+i]) != "" {
			return n
		}
		n += i + 1
	}
}

// sentences finds them by Unicode's rules (UAX #29), but for line ends, which are no more than space here: paragraphs
// are often wrapped by hand.
func sentences(text string, start, end int) []block {
	rest := strings.ReplaceAll(text[start:end], "\n", " ")
	var found []block
	for at, state := start, -1; rest != ""; {
		var s string
		s, rest, state = uniseg.FirstSentenceInString(rest, state)
		if b, ok := stretch(text, at, at+len(s), sentence); ok {
			found = append(found, b)
		}
		at += len(s)
	}
	return found
}

// lines are the lines of a stretch that hold anything.
func lines(text string, start, end int) []block {
	var found []block
	for at := start; at < end; {
		stop := end
		if i := strings.IndexByte(text[at:end], '\n'); i >= 0 {
			stop = at + i + 1
		}
		if b, ok := stretch(text, at, stop, line); ok {
			found = append(found, b)
		}
		at = stop
	}
	return found
}

// fragments cuts a stretch that nothing better divides into pieces of at most size bytes: where a line may break, else
// between words, else between characters as a reader sees them, and within one only if it is longer than size itself.
func fragments(text string, start, end, size int) []block {
	var found []block
	cut := func(from, to int) {
		if b, ok := stretch(text, from, to, fragment); ok {
			found = append(found, b)
		}
	}
	from := start // of the piece at hand
	var byBreak, byWord, byCharacter int
	rest, at, state := text[start:end], start, -1
	for rest != "" {
		var c string
		var boundaries int
		c, rest, boundaries, state = uniseg.StepString(rest, state)
		for at+len(c)-from > size {
			to := byCharacter
			switch {
			case byBreak > from:
				to = byBreak
			case byWord > from:
				to = byWord
			case byCharacter <= from:
				to = runeEnd(text, from, size)
			}
			cut(from, to)
			if to > at { // within the character
				c, at = c[to-at:], to
			}
			from = to
		}
		at += len(c)
		byCharacter = at
		if boundaries&uniseg.MaskWord != 0 {
			byWord = at
		}
		if boundaries&uniseg.MaskLine != uniseg.LineDontBreak {
			byBreak = at
		}
	}
	cut(from, end)
	return found
}

// runeEnd is the last end of a rune at most size bytes after from.
func runeEnd(text string, from, size int) int {
	to := from + size
	for to > from+1 && to < len(text) && text[to]&0xc0 == 0x80 {
		to--
	}
	return to
}
