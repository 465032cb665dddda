package rows

import (
	"bytes"
	"fmt"
	"io"
)

// jsonValues reads a list of objects, or objects one after the other, without holding more than one of them.
//
// A broken element is refused, and reading goes on at the next line that opens an object as far left as the broken
// one did. Where there is none (all is on one line) the rest of the text is refused with it.
type jsonValues struct {
	*Reader
	src    *source
	line   int   // of src.buf[src.start]
	column int   // bytes before it on its line
	indent bool  // whether those are only space, commas and brackets
	open   bool  // within a list
	wasted int64 // bytes that were read again after a broken element
}

func (j *jsonValues) next() (Row, error) {
	for {
		c, err := j.peek()
		j.stats.Lines = j.line
		if j.column == 0 {
			j.stats.Lines--
		}
		if err == io.EOF && j.open {
			j.open = false
			return Row{}, j.refuse(j.line, j.src.offset, nil, "the list is not closed: the file may be cut off", "")
		}
		if err != nil {
			return Row{}, j.ending(err, j.line)
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',':
			j.skip()
		case '[':
			if j.open {
				return j.element()
			}
			j.open = true
			j.skip()
		case ']':
			if !j.open {
				return j.element()
			}
			j.open = false
			j.skip()
		default:
			return j.element()
		}
	}
}

// peek is the next byte.
func (j *jsonValues) peek() (byte, error) {
	for j.src.start == j.src.end {
		if j.src.err != nil {
			return 0, j.src.err
		}
		j.src.fill()
	}
	return j.src.buf[j.src.start], nil
}

// skip moves on by one byte that peek has shown, and keeps count of lines.
func (j *jsonValues) skip() {
	c := j.src.buf[j.src.start]
	j.src.consume(1)
	if c == '\n' || c == '\r' && j.src.ends == mac {
		j.line++
		j.column, j.indent = 0, true
		return
	}
	j.column++
	j.indent = j.indent && bytes.IndexByte([]byte(" \t\r,["), c) >= 0
}

// place is a position in the text.
type place struct {
	line, column int
	indent       bool
	offset       int64
}

func (j *jsonValues) place() place { return place{j.line, j.column, j.indent, j.src.offset} }

// element reads one value of the list, which may be anything.
func (j *jsonValues) element() (Row, error) {
	from := j.place()
	var scan elementScan
	var raw []byte
	size := int64(0)
	for {
		c, err := j.peek()
		if err == io.EOF && scan.endsAtEOF() {
			break
		}
		if err == io.EOF {
			return Row{}, j.broken(from, raw, size, "the value has no end")
		}
		if err != nil {
			return Row{}, j.ending(err, j.line)
		}
		step := scan.step(c)
		if step == stepBefore {
			break
		}
		if step == stepBroken {
			return Row{}, j.broken(from, raw, size, fmt.Sprintf("not JSON at line %d, column %d", j.line, j.column+1))
		}
		if size++; size <= j.most() {
			raw = append(raw, c)
		} else if len(raw) > 256 && !j.keep {
			raw = clip(raw)
		}
		j.skip()
		if step == stepEnd {
			break
		}
	}
	row := Row{File: j.file, Line: from.line, EndLine: j.line, Offset: from.offset, Raw: raw, keep: j.keep}
	if size > int64(j.maxLine) {
		reason := fmt.Sprintf("the value is %d bytes long, more than %d", size, j.maxLine)
		if j.keep && int64(len(raw)) < size {
			reason += fmt.Sprintf("; its first %d are kept", len(raw))
		}
		return Row{}, row.Reject(reason, "")
	}
	if reason, hint := j.badText(raw, from.line, from.offset); reason != "" {
		return Row{}, row.Reject(reason, hint)
	}
	fields, reason, hint := parseObject(raw, &j.names)
	if reason != "" {
		return Row{}, row.Reject(reason, hint)
	}
	row.Fields = fields
	return row, nil
}

// refuse rejects the text from a place up to here.
func (j *jsonValues) refuse(line int, offset int64, raw []byte, reason, hint string) *Reject {
	row := Row{File: j.file, Line: line, EndLine: j.line, Offset: offset, Raw: raw, keep: j.keep}
	return row.Reject(reason, hint)
}

// broken refuses an element whose brackets or quotes don't match, and moves to where the next may begin.
func (j *jsonValues) broken(from place, raw []byte, size int64, reason string) error {
	// The next element may be among what was taken for this one.
	refused := raw
	if size == int64(len(raw)) && size <= int64(j.maxLine) && j.wasted <= int64(j.maxLine)+8*j.src.offset {
		j.wasted += size
		j.src.unread(raw)
		j.line, j.column, j.indent = from.line, from.column, from.indent
		if j.keep {
			refused = nil
		}
	}
	lost := false
	for {
		c, err := j.peek()
		next := err == nil && c == '{' && j.line > from.line && j.indent && j.column <= from.column
		if err == nil && !next {
			if j.keep && int64(len(refused)) < j.most() {
				refused = append(refused, c)
			} else {
				lost = j.keep
			}
			j.skip()
			continue
		}
		if err != nil {
			j.open = false
			reason += "; nothing after it can be told apart"
		}
		if lost {
			reason += fmt.Sprintf("; its first %d bytes are kept", len(refused))
		}
		reject := j.refuse(from.line, from.offset, bytes.TrimRight(refused, " \t\r\n"), reason, "")
		if err == nil {
			reject.EndLine = j.line - 1
		}
		return reject
	}
}

// most is how many bytes of an element are kept.
func (j *jsonValues) most() int64 {
	if j.keep {
		return int64(mostKept) * int64(j.maxLine)
	}
	return int64(j.maxLine)
}

// unread puts bytes back in front of what is to be read.
func (s *source) unread(b []byte) {
	if s.start >= len(b) && bytes.Equal(s.buf[s.start-len(b):s.start], b) {
		s.consume(-len(b)) // they are still there
		return
	}
	rest := s.buf[s.start:s.end]
	s.buf = append(append(make([]byte, 0, len(b)+max(len(rest), sampleSize)), b...), rest...)
	s.start, s.end = 0, len(s.buf)
	s.buf = s.buf[:cap(s.buf)]
	s.offset -= int64(len(b))
}

// stepResult is what a byte means for the element that is being scanned.
type stepResult int

const (
	stepInside stepResult = iota
	stepEnd               // the byte is the element's last
	stepBefore            // the element ended before the byte
	stepBroken            // the byte can't stand here
)

// token is what an elementScan saw last.
type token int

const (
	tokenNone token = iota
	tokenOpen
	tokenComma
	tokenColon
	tokenScalar // in the middle of a number or word
	tokenValue
)

// maxDepth is how deep encoding/json nests.
const maxDepth = 10000

// elementScan finds the end of one JSON value, and what can't be JSON as early as possible: the later a missing quote
// or brace is noticed, the more good elements look like parts of the broken one. What it lets pass is still parsed.
type elementScan struct {
	stack    []byte // of '{' and '['
	last     token
	inString bool
	escaped  bool
}

// endsAtEOF reports whether the value is whole where the text ends.
func (e *elementScan) endsAtEOF() bool {
	return len(e.stack) == 0 && !e.inString && e.last == tokenScalar
}

func (e *elementScan) step(c byte) stepResult {
	if e.inString {
		return e.stepString(c)
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		if e.last == tokenScalar {
			if len(e.stack) == 0 {
				return stepBefore
			}
			e.last = tokenValue
		}
		return stepInside
	case ',', ':':
		return e.separator(c)
	case '}', ']':
		return e.close(c)
	}
	if e.last == tokenScalar && c != '"' && c != '{' && c != '[' {
		return stepInside
	}
	if e.last == tokenValue || e.last == tokenScalar || c != '"' && e.wantsKey() {
		return stepBroken
	}
	switch c {
	case '"':
		e.inString = true
	case '{', '[':
		if len(e.stack) == maxDepth {
			return stepBroken
		}
		e.stack = append(e.stack, c)
		e.last = tokenOpen
	default:
		e.last = tokenScalar
	}
	return stepInside
}

// wantsKey reports whether only a key (or the end of the object) can follow.
func (e *elementScan) wantsKey() bool {
	return len(e.stack) > 0 && e.stack[len(e.stack)-1] == '{' && (e.last == tokenOpen || e.last == tokenComma)
}

func (e *elementScan) stepString(c byte) stepResult {
	switch {
	case c == '\n' || c == '\r':
		return stepBroken
	case e.escaped:
		e.escaped = false
	case c == '\\':
		e.escaped = true
	case c == '"':
		e.inString, e.last = false, tokenValue
		if len(e.stack) == 0 {
			return stepEnd
		}
	}
	return stepInside
}

func (e *elementScan) separator(c byte) stepResult {
	switch {
	case len(e.stack) == 0 && e.last == tokenScalar:
		return stepBefore
	case len(e.stack) == 0 || e.last != tokenScalar && e.last != tokenValue:
		return stepBroken
	}
	e.last = tokenComma
	if c == ':' {
		e.last = tokenColon
	}
	return stepInside
}

func (e *elementScan) close(c byte) stepResult {
	if len(e.stack) == 0 {
		if e.last == tokenScalar {
			return stepBefore
		}
		return stepBroken
	}
	if opener := e.stack[len(e.stack)-1]; (opener == '{') != (c == '}') {
		return stepBroken
	}
	e.stack = e.stack[:len(e.stack)-1]
	e.last = tokenValue
	if len(e.stack) == 0 {
		return stepEnd
	}
	return stepInside
}
