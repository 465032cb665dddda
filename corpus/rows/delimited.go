package rows

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// delimited reads CSV and TSV.
//
// A quote is special only where it opens a cell of CSV, so that `24" monitor` is text. A quoted cell may span lines. If
// it never closes, if text follows where it does, or if the record then has the wrong number of cells or seems to have
// swallowed rows, the quote was a mistake: the record is refused up to the line that opens the quote, and the lines
// after it are read again as rows.
type delimited struct {
	*Reader
	lines   *lineReader
	comma   byte
	quotes  bool
	width   int    // cells that a row has; 0 while unknown
	rec     record // the one that is being read
	suspect int    // up to this line, lines are read again after a quote that didn't close
	wasted  int64  // bytes that were read again
}

// record is a row that is being read: its physical lines, copied, and its cells.
type record struct {
	first   line
	lines   []line
	size    int
	cells   []string
	quoteAt int // index in lines where the last quoted cell of several lines begins
}

func (d *delimited) next() (Row, error) {
	for {
		rec, fault, err := d.record()
		if err != nil {
			return Row{}, d.ending(err, d.lines.number+1)
		}
		if fault == nil && rec.blank() {
			d.stats.Lines += len(rec.lines)
			d.stats.Blank++
			continue
		}
		if d.width == 0 && fault == nil {
			d.number(len(rec.cells))
		}
		if fault == nil {
			fault = d.misshapen(rec)
		}
		row := d.row(rec, fault)
		if fault != nil {
			return Row{}, row.Reject(fault.reason, fault.hint)
		}
		if reason, hint := d.badText(row.Raw, row.Line, row.Offset); reason != "" {
			return Row{}, row.Reject(reason, hint)
		}
		cells := rec.cells[:min(len(rec.cells), len(d.columns))] // what is beyond is empty
		row.Fields = make([]Field, 0, len(cells))
		for i, c := range cells {
			row.Fields = append(row.Fields, Field{d.columns[i], StringValue(c)})
		}
		return row, nil
	}
}

const closedElsewhere = "what closes it seems to be the quote of another row"

// fault says why a record is refused, and how many of its lines with it.
type fault struct {
	reason, hint string
	lines        int
}

// row places the record, or what is refused of it, and gives the other lines back.
func (d *delimited) row(rec *record, f *fault) Row {
	n := len(rec.lines)
	if f != nil && f.lines < n {
		d.giveBack(rec.lines[f.lines:])
		n = f.lines
	}
	d.stats.Lines += n
	row := Row{File: d.file, Line: rec.first.number, EndLine: rec.first.number + n - 1, Offset: rec.first.offset, keep: d.keep}
	if n == 1 {
		row.Raw = rec.lines[0].text
		return row
	}
	for i, l := range rec.lines[:n] {
		row.Raw = append(row.Raw, l.text...)
		if i < n-1 {
			row.Raw = append(row.Raw, l.end...)
		}
	}
	return row
}

// giveBack lets lines be read again, as rows of their own.
func (d *delimited) giveBack(lines []line) {
	d.lines.giveBack(lines)
	d.suspect = max(d.suspect, lines[len(lines)-1].number)
	for _, l := range lines {
		d.wasted += int64(len(l.text))
	}
}

// blank reports whether there is nothing but space in any cell.
func (r *record) blank() bool {
	for _, c := range r.cells {
		if strings.TrimSpace(c) != "" {
			return false
		}
	}
	return true
}

// misshapen says what is wrong with a record that was read to its end.
func (d *delimited) misshapen(rec *record) *fault {
	spans := len(rec.lines) > 1
	n := len(rec.cells)
	for n > d.width && rec.cells[n-1] == "" {
		n--
	}
	counts := fmt.Sprintf("%d cells where %d belong", n, d.width)
	switch {
	case spans && (n != d.width || d.swallowed(rec)):
		return rec.swallows()
	case n > d.width && d.quotes:
		return &fault{counts, "quote a cell that holds the delimiter", 1}
	case n > d.width:
		return &fault{counts, "a tab within a cell can't be told from one between cells", 1}
	case n < d.width && rec.first.number <= d.suspect:
		return &fault{counts, "it may belong to a quoted cell above that is not closed", 1}
	}
	return nil
}

// unclosed refuses a record up to the line that opens the quote.
func (r *record) unclosed(why string) *fault {
	at := r.lines[r.quoteAt].number
	return &fault{
		reason: fmt.Sprintf("the quote that opens on line %d does not close: %s", at, why),
		hint:   `close the quote, or double it where it is text: ""`,
		lines:  r.quoteAt + 1,
	}
}

// swallows refuses the first line of a record whose quotes close, but hardly where they were meant to: which of them is
// the mistake can't be told, and most is kept where it is the first.
func (r *record) swallows() *fault {
	r.quoteAt = 0
	return r.unclosed(closedElsewhere)
}

// record reads the cells of the next row. The fault is set where they make none; the record then has all lines that
// were looked at.
func (d *delimited) record() (*record, *fault, error) {
	l, err := d.lines.next()
	if err != nil {
		return nil, nil, err
	}
	rec := &d.rec
	*rec = record{first: l, lines: rec.lines[:0], cells: rec.cells[:0]}
	rec.add(l)
	if l.long {
		return rec, &fault{reason: d.tooLong(l).Reason, lines: 1}, nil
	}
	text := string(l.text)
	if !d.quotes || strings.IndexByte(text, '"') < 0 {
		for more := true; more; {
			var cell string
			cell, text, more = d.cut(text)
			rec.cells = append(rec.cells, cell)
		}
		return rec, nil, nil
	}
	return rec, d.quoted(rec, text), nil
}

// cut splits off a cell at the next delimiter.
func (d *delimited) cut(text string) (cell, rest string, more bool) {
	if i := strings.IndexByte(text, d.comma); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

func (r *record) add(l line) {
	l.text = bytes.Clone(l.text)
	r.lines = append(r.lines, l)
	r.size += len(l.text) + len(l.end)
}

// quoted splits a record that has quotes in it, reading on while one is open.
func (d *delimited) quoted(rec *record, rest string) *fault {
	for {
		if !strings.HasPrefix(rest, `"`) {
			cell, after, more := d.cut(rest)
			rec.cells = append(rec.cells, cell)
			if !more {
				return nil
			}
			rest = after
			continue
		}
		cell, after, f := d.quotedCell(rec, rest[1:])
		if f != nil {
			return f
		}
		rec.cells = append(rec.cells, cell)
		if after == "" {
			return nil
		}
		rest = after[1:]
		if d.width > 0 && len(rec.cells) > d.width && len(rec.lines) > 1 {
			// Reading on could only take in more rows, for each of the lines anew.
			return rec.swallows()
		}
	}
}

// quotedCell reads a cell up to the delimiter or line end after its closing quote. Line ends within are LF in the cell,
// whatever they are in the source.
func (d *delimited) quotedCell(rec *record, rest string) (cell, after string, f *fault) {
	var text strings.Builder
	opened := len(rec.lines) - 1
	for {
		i := strings.IndexByte(rest, '"')
		switch {
		case i < 0:
			text.WriteString(rest)
			text.WriteByte('\n')
			if rest, f = d.continued(rec, opened); f != nil {
				return "", "", f
			}
			continue
		case strings.HasPrefix(rest[i+1:], `"`):
			text.WriteString(rest[:i+1])
			rest = rest[i+2:]
			continue
		}
		text.WriteString(rest[:i])
		after = strings.TrimLeft(rest[i+1:], " ")
		if after == "" || after[0] == d.comma {
			return text.String(), after, nil
		}
		if len(rec.lines) > 1 {
			return "", "", rec.unclosed("text follows another quote, on line " +
				strconv.Itoa(rec.lines[len(rec.lines)-1].number))
		}
		return "", "", &fault{
			reason: fmt.Sprintf("text follows the quote that closes cell %d", len(rec.cells)+1),
			hint:   `double a quote that is text and quote the whole cell: "a ""word"" and more"`,
			lines:  1,
		}
	}
}

// continued reads the next physical line of an open quote.
func (d *delimited) continued(rec *record, opened int) (string, *fault) {
	rec.quoteAt = opened
	if d.wasted > int64(d.maxLine)+8*d.lines.offset {
		return "", rec.unclosed("it is not on the same line, and too many before it did not close to look further")
	}
	l, err := d.lines.next()
	if err != nil { // where it is not the end, the next call meets it again
		return "", rec.unclosed("the file ends first")
	}
	rec.add(l)
	if l.long || rec.size > d.maxLine {
		return "", rec.unclosed(fmt.Sprintf("the next %d bytes have no end of it", d.maxLine))
	}
	return string(l.text), nil
}

// swallowed reports whether the lines within a record that spans several look like rows of their own: each with as
// many cells as a row has, and with a first cell of the same make as the record's own (q17 and q18, 2041 and 2042).
// A quote that was never closed then met the next quote by chance, at the end of a cell: 24" ends in one.
func (d *delimited) swallowed(rec *record) bool {
	own := shape(rec.cells[0])
	if d.width < 2 || !strings.ContainsRune(own, '9') {
		return false
	}
	comma := string(d.comma)
	for _, l := range rec.lines[1:] {
		cells := strings.Split(string(l.text), comma)
		if len(cells) != d.width || shape(cells[0]) != own || strings.Contains(string(l.text), comma+" ") {
			return false
		}
	}
	return true
}

// shape is what an id looks like: runs of letters as "a", runs of digits as "9", other bytes as they are.
func shape(s string) string {
	var b []byte
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c = '9'
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			c = 'a'
		}
		if len(b) == 0 || b[len(b)-1] != c || c != '9' && c != 'a' {
			b = append(b, c)
		}
	}
	return string(b)
}
