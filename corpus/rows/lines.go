package rows

import (
	"bytes"
	"io"
	"slices"
)

// lineEnds says which bytes end a line.
type lineEnds int

const (
	undecided lineEnds = iota // none seen yet
	unix                      // LF and CRLF; a lone CR is text
	mac                       // CR, and LF and CRLF too
)

// sampleSize is how much of a source is looked at to find out what it is.
const sampleSize = 64 << 10

// source is a buffered stream of text that counts bytes.
type source struct {
	src    io.Reader
	buf    []byte
	start  int // of what is not consumed yet
	end    int
	offset int64 // of buf[start]
	most   int   // bytes that the buffer may grow to
	err    error // what src ended with
	ends   lineEnds
}

// fill reads more into the buffer, at least one byte or an error.
func (s *source) fill() {
	if s.err != nil {
		return
	}
	if s.start > 0 && s.end == len(s.buf) {
		copy(s.buf, s.buf[s.start:s.end])
		s.start, s.end = 0, s.end-s.start
	}
	if s.end == len(s.buf) {
		grown := make([]byte, min(max(sampleSize, 2*len(s.buf)), s.most))
		copy(grown, s.buf[:s.end])
		s.buf = grown
	}
	for range 100 {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if s.err = err; n > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

// sample is the beginning of the text, and whether it is all of it. It also decides what ends a line.
func (s *source) sample() (head []byte, whole bool) {
	for s.err == nil && s.end-s.start < sampleSize {
		s.fill()
	}
	head = s.buf[s.start:s.end]
	if cr := bytes.IndexByte(head, '\r'); bytes.IndexByte(head, '\n') >= 0 {
		s.ends = unix
	} else if cr >= 0 && (cr < len(head)-1 || s.err != nil) {
		s.ends = mac
	}
	return head, s.err == io.EOF
}

// consume moves on by n bytes.
func (s *source) consume(n int) {
	s.start += n
	s.offset += int64(n)
}

// failure is the error that the stream ended with, nil for its proper end.
func (s *source) failure() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// line is one physical line. Its text is valid until the next one is read.
type line struct {
	text   []byte // without its end; only the beginning of one that is too long
	end    string // "\n", "\r\n", "\r" or, at the end of the file, ""
	number int    // from 1
	offset int64
	size   int64 // of the text in the source
	long   bool  // whether that is more than the cap
}

// lineReader cuts a source into lines and never holds more than a line of the longest allowed length.
type lineReader struct {
	*source
	max    int
	keep   int    // bytes of a line above max that are kept; 0 for what is worth showing
	number int    // of the line that was read last from the source
	again  []line // lines to give once more before any other, the last one first
}

// giveBack lets lines, which must own their text, be read again.
func (r *lineReader) giveBack(lines []line) {
	for _, l := range slices.Backward(lines) {
		r.again = append(r.again, l)
	}
}

// next returns the next line; the error is io.EOF after the last, or what the stream failed with.
func (r *lineReader) next() (line, error) {
	if n := len(r.again); n > 0 {
		l := r.again[n-1]
		r.again[n-1], r.again = line{}, r.again[:n-1]
		return l, nil
	}
	searched := 0
	for {
		at, width := r.lineEnd(searched)
		if at >= 0 {
			return r.take(at, width), nil
		}
		searched = r.end - r.start
		if searched > r.max+1 {
			return r.takeLong()
		}
		if r.err != nil {
			break
		}
		r.fill()
	}
	if err := r.failure(); err != nil {
		return line{}, err
	}
	if r.start == r.end {
		return line{}, io.EOF
	}
	return r.take(r.end-r.start, 0), nil
}

// lineEnd finds the next line end in the buffer, past what was searched before: where it is and how wide. It is -1
// where more bytes are needed to tell.
func (r *lineReader) lineEnd(searched int) (at, width int) {
	b := r.buf[r.start:r.end]
	if r.ends == unix {
		if i := bytes.IndexByte(b[searched:], '\n'); i >= 0 {
			return searched + i, 1
		}
		return -1, 0
	}
	// A CR at the end of what was searched had to wait for the byte after it.
	searched = max(0, searched-1)
	i := bytes.IndexAny(b[searched:], "\r\n")
	if i < 0 {
		return -1, 0
	}
	at, width = searched+i, 1
	if b[at] == '\r' {
		if at+1 == len(b) && r.err == nil {
			return -1, 0
		}
		if at+1 < len(b) && b[at+1] == '\n' {
			width = 2
		}
	}
	if r.ends == undecided {
		r.ends = unix
		if b[at] == '\r' && width == 1 {
			r.ends = mac
		}
	}
	if width == 2 && r.ends == unix {
		return at + 1, 1
	}
	return at, width
}

// take consumes a line whose end is at at.
func (r *lineReader) take(at, width int) line {
	b := r.buf[r.start : r.start+at+width]
	text := b[:at]
	if r.ends != mac && bytes.HasSuffix(text, []byte("\r")) {
		text = text[:len(text)-1]
	}
	r.number++
	l := line{text: text, end: string(b[len(text):]), number: r.number, offset: r.offset, size: int64(len(text))}
	if len(text) > r.max {
		l.text, l.long = r.kept(nil, text), true
	}
	r.consume(at + width)
	return l
}

// kept is as much of a line that is too long as is kept, from its pieces.
func (r *lineReader) kept(line, piece []byte) []byte {
	if r.keep == 0 {
		if line == nil {
			return clip(piece)
		}
		return line
	}
	return append(line, piece[:min(len(piece), max(0, r.keep-len(line)))]...)
}

// takeLong skips a line that is longer than the cap without keeping it.
func (r *lineReader) takeLong() (line, error) {
	r.number++
	l := line{number: r.number, offset: r.offset, long: true}
	for {
		at, width := r.lineEnd(0)
		if at >= 0 {
			text := r.buf[r.start : r.start+at]
			if r.ends != mac && at > 0 && text[at-1] == '\r' {
				text = text[:at-1]
			}
			l.text = r.kept(l.text, text)
			l.size += int64(len(text))
			r.consume(at + width)
			return l, nil
		}
		// The last byte stays: it may be the CR of a CRLF.
		n := r.end - r.start
		if r.err == nil {
			n = max(0, n-1)
		}
		l.text = r.kept(l.text, r.buf[r.start:r.start+n])
		l.size += int64(n)
		r.consume(n)
		if r.err != nil {
			return l, r.failure()
		}
		r.fill()
	}
}
