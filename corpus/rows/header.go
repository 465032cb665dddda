package rows

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
)

// start finds the columns: from the first row where that is a header, else numbered.
func (d *delimited) start(opt Options, head []byte, whole bool) error {
	for {
		rec, fault, err := d.record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return d.ending(err, d.lines.number+1)
		}
		if fault == nil && rec.blank() {
			d.stats.Lines += len(rec.lines)
			d.stats.Blank++
			continue
		}
		cells := rec.cells
		if fault != nil { // good enough to see whether names were meant
			cells = roughCells(rec.first.text, d.comma)
		}
		if opt.Header == HeaderAbsent || opt.Header == HeaderAuto && !isHeader(cells, opt.Columns) {
			d.lines.giveBack(rec.lines)
			d.number(commonWidth(d, head, whole))
			return nil
		}
		return d.header(rec, fault)
	}
}

// header takes the first row as names. Where it can't be read, no row can be understood.
func (d *delimited) header(rec *record, f *fault) error {
	const what = "the first row, which names the columns, can't be read: "
	if f != nil {
		return &Error{File: d.file, Line: rec.first.number, Reason: what + f.reason, Advice: f.hint}
	}
	row := d.row(rec, nil)
	if reason, hint := d.badText(row.Raw, row.Line, row.Offset); reason != "" {
		return &Error{File: d.file, Line: row.Line, Reason: what + reason, Advice: hint}
	}
	d.stats.Header = true
	d.width = len(rec.cells)
	for i, c := range rec.cells {
		name := strings.TrimSpace(c)
		if name == "" || slices.Contains(d.columns, name) {
			name = strconv.Itoa(i + 1) // a name has one column; this one still has its number
		}
		d.columns = append(d.columns, name)
	}
	return nil
}

// number names width columns "1", "2", …
func (d *delimited) number(width int) {
	d.width = width
	for i := range width {
		d.columns = append(d.columns, strconv.Itoa(i+1))
	}
}

// commonWidth is how many cells most rows at the beginning have, 0 where there are none.
func commonWidth(d *delimited, head []byte, whole bool) int {
	if end := bytes.LastIndexAny(head, "\r\n"); !whole && end >= 0 {
		head = head[:end]
	}
	sub := &delimited{
		Reader: &Reader{maxLine: d.maxLine},
		lines:  &lineReader{source: &source{src: bytes.NewReader(head), ends: d.lines.ends, most: len(head) + 1}, max: d.maxLine},
		comma:  d.comma, quotes: d.quotes,
	}
	counts := map[int]int{}
	best := 0
	for range 100 {
		rec, fault, err := sub.record()
		if err != nil {
			break
		}
		if fault != nil {
			sub.row(rec, fault)
			continue
		}
		if rec.blank() {
			continue
		}
		n := len(rec.cells)
		if counts[n]++; counts[n] > counts[best] {
			best = n
		}
	}
	return best
}

// roughCells cuts a line at each delimiter, whatever the quotes say.
func roughCells(text []byte, comma byte) []string {
	cells := strings.Split(string(text), string(comma))
	for i, c := range cells {
		cells[i] = strings.Trim(c, " \"")
	}
	return cells
}

// isHeader reports whether cells are names of columns rather than values: one of them is a name that hardly any value
// is, or one of wanted, or two of them are names that a value might be too; and none is a number or a date.
func isHeader(cells, wanted []string) bool {
	certain, likely := 0, 0
	for _, c := range cells {
		c = strings.TrimSpace(c)
		name := plainName(c)
		switch {
		case c == "":
		case !strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' }), isNumber(c):
			return false
		case certainNames[name], slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, c) }):
			certain++
		case likelyNames[name]:
			likely++
		}
	}
	return certain > 0 || likely > 1
}

// isNumber reports whether there is a digit and no letter: numbers, dates, times.
func isNumber(s string) bool {
	return strings.ContainsAny(s, "0123456789") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 })
}

// plainName is a column's name without case, spaces, dashes and underscores.
func plainName(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(s))
}

var certainNames = nameSet(`id queryid qid docid documentid chunkid corpusid passageid sessionid userid conversationid
	text query querytext searchterm searchquery userquery userinput question utterance referenceanswer expectedoutput`)

var likelyNames = nameSet(`title content contents body answer reference document doc passage source url uri metadata
	score rating grade label relevance rel rank iter count frequency freq language lang timestamp time date kind type
	category intent topic tag tags turns history user session annotator judge note notes keyword keywords input prompt
	name description channel firstseen lastseen`)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set[n] = true
	}
	return set
}
