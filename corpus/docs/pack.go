package docs

import "assay/corpus"

// section is what stands under one heading, the heading included.
type section struct {
	title  string
	blocks []block
}

// piece is a chunk to be: where it is and what it is called.
type piece struct {
	corpus.Span
	title string
}

// pack puts the blocks of each section together into pieces of at most size bytes.
func pack(text string, sections []section, c Chunking) []piece {
	p := packer{text: text, size: c.Size, overlap: c.Overlap}
	for _, s := range p.joined(sections) {
		p.title = s.title
		for _, b := range s.blocks {
			p.add(b)
		}
		p.flush(false)
	}
	return p.pieces
}

type packer struct {
	text    string
	size    int
	overlap int
	title   string
	held    []block // what the next piece consists of so far
	old     int     // how many of those the last piece holds already
	pieces  []piece
}

// joined gives the headings of sections that are nothing else to the section after them, as far as they fit into one
// piece: "# Guide", "## Start" and the text below are read together.
func (p *packer) joined(sections []section) []section {
	var out []section
	for _, s := range sections {
		if n := len(out); n > 0 && onlyHeadings(out[n-1].blocks) && s.blocks[0].shape == heading &&
			s.blocks[0].end-out[n-1].blocks[0].start <= p.size {
			out[n-1].title = s.title
			out[n-1].blocks = append(out[n-1].blocks[:len(out[n-1].blocks):len(out[n-1].blocks)], s.blocks...)
			continue
		}
		out = append(out, s)
	}
	return out
}

func onlyHeadings(blocks []block) bool {
	for _, b := range blocks {
		if b.shape != heading {
			return false
		}
	}
	return len(blocks) > 0
}

// add puts b into the piece at hand or, where it doesn't fit, into the next, whole or in parts.
func (p *packer) add(b block) {
	for p.old > 0 && p.old == len(p.held) && !p.fits(b) {
		p.held, p.old = p.held[1:], p.old-1
	}
	if p.fits(b) {
		p.held = append(p.held, b)
		return
	}
	lead := onlyHeadings(p.held) // a heading is not left alone if what follows can be cut
	if b.len() <= p.size && (!lead || !b.splittable()) {
		p.flush(true)
		if len(p.held) > 0 {
			p.add(b) // behind what is repeated
			return
		}
		p.held = append(p.held, b)
		return
	}
	if b.shape == solid && !lead {
		p.flush(false)
	}
	for _, part := range b.split(p.text, p.size) {
		p.add(part)
	}
	if b.shape == solid {
		p.flush(false)
	}
}

func (p *packer) fits(b block) bool {
	start := b.start
	if len(p.held) > 0 {
		start = p.held[0].start
	}
	return b.end-start <= p.size
}

// flush ends the piece at hand. With repeat, the next one starts with its last sentences or blocks, as overlap says.
func (p *packer) flush(repeat bool) {
	if len(p.held) > p.old {
		span := corpus.Span{Start: p.held[0].start, End: p.held[len(p.held)-1].end}
		p.pieces = append(p.pieces, piece{span, p.title})
	}
	var tail []block
	if repeat && p.overlap > 0 {
		tail = p.tail()
	}
	p.held, p.old = tail, len(tail)
}

// tail is the end of the piece at hand that the next one repeats: whole blocks, and of the paragraph or list before
// those whole sentences or items. It is never all of the piece.
func (p *packer) tail() []block {
	if len(p.held) == 0 {
		return nil
	}
	first, end := p.held[0].start, p.held[len(p.held)-1].end
	var tail []block
	var take func(blocks []block) bool
	take = func(blocks []block) bool {
		for i := len(blocks) - 1; i >= 0; i-- {
			b := blocks[i]
			if b.shape == heading {
				return false
			}
			if end-b.start <= p.overlap && b.start > first {
				tail = append([]block{b}, tail...)
				continue
			}
			return b.splittable() && take(b.split(p.text, p.size))
		}
		return true
	}
	take(p.held)
	return tail
}
