package input

import (
	"bytes"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// Raw is what one read of the terminal brought, and when.
type Raw struct {
	Bytes []byte
	At    time.Time
}

// PasteLimit is how many bytes of one paste are kept. No field holds as much; the rest is counted as cut there.
const PasteLimit = 64 << 10

// How long the rest of something may take. A lone escape byte is the key when nothing follows; a report that lost its
// end is given up on; a paste that lost its end is taken as it is.
const (
	escapeWait   = 50 * time.Millisecond
	sequenceWait = time.Second
	pasteWait    = 5 * time.Second
	tailWait     = 10 * time.Second
)

type state int

const (
	ground     state = iota
	escape           // after ESC
	csi              // after ESC [
	ss3              // after ESC O
	command          // in OSC, DCS, APC, PM or SOS: a reply of the terminal, swallowed
	commandEsc       // after ESC in one of these
	mouseX10         // three bytes after ESC [ M
	console          // one byte after ESC [ [, the Linux console's function keys
	paste            // after ESC [ 200 ~
)

const pasteEnd = "\x1b[201~"

// Decoder makes messages of bytes. The zero Decoder is ready. It is not for use by several goroutines.
type Decoder struct {
	state  state
	since  time.Time // when what is incomplete began; in a paste, when its last bytes came
	part   []byte    // ground: the first bytes of a character; csi: the parameters
	left   int       // mouseX10: bytes still to come
	pasted []byte
	ended  int       // paste: how much of pasteEnd was seen
	escAt  time.Time // when an escape key was made of a byte that stood alone
	lostAt time.Time // when a report was given up on before its end
	runes  []rune    // text of the read at hand
	out    []tea.Msg
}

// Feed decodes the bytes of one read: tea.KeyMsg (pastes have Paste set; runs of text that came at once are one
// message) and tea.MouseMsg.
func (d *Decoder) Feed(r Raw) []tea.Msg {
	b := d.late(r)
	if d.state == paste && len(b) == 1 && b[0] == 0x03 {
		d.endPaste() // ctrl+c leaves a paste whose end was lost
	}
	for _, c := range b {
		if d.state == ground && len(d.part) == 0 {
			d.since = r.At
		}
		d.step(c, r.At)
	}
	if d.state == paste {
		d.since = r.At
	}
	d.flush()
	return d.take()
}

// Deadline is when Expire should be called, false where nothing is incomplete.
func (d *Decoder) Deadline() (time.Time, bool) {
	switch d.state {
	case ground:
		if len(d.part) == 0 {
			return time.Time{}, false
		}
		return d.since.Add(sequenceWait), true
	case escape:
		return d.since.Add(escapeWait), true
	case paste:
		return d.since.Add(pasteWait), true
	default:
		return d.since.Add(sequenceWait), true
	}
}

// Expire ends what is incomplete if its time is up: an escape byte becomes the key, a paste is handed over, the rest
// is dropped.
func (d *Decoder) Expire(now time.Time) []tea.Msg {
	if due, ok := d.Deadline(); !ok || now.Before(due) {
		return nil
	}
	switch d.state {
	case escape:
		d.key(tea.Key{Type: tea.KeyEscape})
		d.escAt = now
		if len(d.part) > 0 { // the character after it is not complete yet
			d.state, d.since = ground, now
			return d.take()
		}
	case csi:
		if len(d.part) > 0 {
			d.lostAt = now
		}
	case paste:
		d.endPaste()
	}
	d.state, d.part = ground, d.part[:0]
	return d.take()
}

func (d *Decoder) take() []tea.Msg {
	out := d.out
	d.out = nil
	return out
}

// late looks for the rest of a report whose beginning was given up on: after a lone escape byte, or after a report's
// first half. What is left of the read is returned, with the escape byte put back where it belongs.
func (d *Decoder) late(r Raw) []byte {
	if d.state != ground || len(r.Bytes) == 0 {
		return r.Bytes
	}
	escAt, lostAt := d.escAt, d.lostAt
	d.escAt, d.lostAt = time.Time{}, time.Time{}
	switch b := r.Bytes; {
	case !escAt.IsZero() && r.At.Sub(escAt) < sequenceWait && isReply(b):
		d.state, d.since = escape, r.At
	case !lostAt.IsZero() && r.At.Sub(lostAt) < tailWait:
		if n := tail(b); n > 0 {
			return b[n:]
		}
	}
	return r.Bytes
}

// isReply reports whether b, after an escape byte, is a report or reply that nobody types within one read.
func isReply(b []byte) bool {
	if len(b) > 2 && b[0] == ']' && b[1] >= '0' && b[1] <= '9' {
		return bytes.IndexByte(b, ';') > 0
	}
	if len(b) < 3 || b[0] != '[' {
		return false
	}
	digits := bytes.TrimLeft(b[1:], "0123456789")
	return tail(b[1:]) > 0 || b[1] == '<' || b[1] == '?' || len(digits) < len(b)-1 && len(digits) > 0 && digits[0] == '~'
}

// tail is the length of the end of a report at the start of b ("65;12;5M"), 0 where b is something else. A separator
// must be in it: digits alone are typed by people.
func tail(b []byte) int {
	separated := false
	for i, c := range b {
		switch {
		case c == ';' || c == '<' || c == ':':
			separated = true
		case c >= '0' && c <= '9':
		case c >= 0x40 && c <= 0x7e && separated:
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

func (d *Decoder) step(c byte, at time.Time) {
	switch d.state {
	case ground:
		d.ground(c, at)
	case escape:
		d.afterEscape(c, at)
	case csi:
		d.inCSI(c, at)
	case ss3:
		d.state = ground
		if k, ok := ss3Keys[c]; ok {
			d.key(k)
		} else if c < 0x20 {
			d.ground(c, at)
		}
	case command:
		switch c {
		case 0x07, 0x18, 0x1a:
			d.state = ground
		case 0x1b:
			d.state = commandEsc
		case 0x03:
			d.state = ground
			d.ground(c, at)
		}
	case commandEsc:
		d.state = ground
		if c != '\\' {
			d.state, d.since = escape, at
			d.afterEscape(c, at)
		}
	case mouseX10:
		if d.left--; d.left == 0 {
			d.state = ground
		}
	case console:
		d.state = ground
		if c == 0x1b {
			d.ground(c, at)
		}
	case paste:
		d.inPaste(c)
	}
}

func (d *Decoder) ground(c byte, at time.Time) {
	if len(d.part) > 0 {
		d.part = append(d.part, c)
		if !utf8.FullRune(d.part) {
			return
		}
		r, n := utf8.DecodeRune(d.part)
		rest := d.part[n:]
		if r == utf8.RuneError && n == 1 {
			rest = d.part[len(d.part)-1:] // a broken character: begin again with the newest byte
			if rest[0] >= utf8.RuneSelf && !utf8.RuneStart(rest[0]) {
				rest = nil
			}
		} else {
			d.text(r)
		}
		again := append([]byte(nil), rest...)
		d.part, d.since = d.part[:0], at
		for _, c := range again {
			d.ground(c, at)
		}
		return
	}
	switch {
	case c == 0x1b:
		d.flush()
		d.state, d.since = escape, at
	case c < 0x20 || c == 0x7f:
		d.flush()
		d.key(tea.Key{Type: tea.KeyType(c)})
	case c < utf8.RuneSelf:
		d.text(rune(c))
	case utf8.RuneStart(c) && c >= 0xc2 && c < 0xf5:
		d.part, d.since = append(d.part, c), at
	}
}

// text takes a character. C1 controls, which some terminals read as escape sequences, are none.
func (d *Decoder) text(r rune) {
	if r >= 0x80 && r < 0xa0 {
		return
	}
	d.runes = append(d.runes, r)
}

// flush makes one message of the text so far.
func (d *Decoder) flush() {
	switch {
	case len(d.runes) == 0:
		return
	case len(d.runes) == 1 && d.runes[0] == ' ':
		d.out = append(d.out, tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	default:
		d.out = append(d.out, tea.KeyMsg{Type: tea.KeyRunes, Runes: d.runes})
	}
	d.runes = nil
}

func (d *Decoder) key(k tea.Key) { d.out = append(d.out, tea.KeyMsg(k)) }

func (d *Decoder) afterEscape(c byte, at time.Time) {
	if len(d.part) > 0 { // alt with a character of several bytes
		d.part = append(d.part, c)
		if !utf8.FullRune(d.part) {
			return
		}
		if r, n := utf8.DecodeRune(d.part); n > 1 && r >= 0xa0 {
			d.key(tea.Key{Type: tea.KeyRunes, Runes: []rune{r}, Alt: true})
		}
		d.state, d.part = ground, d.part[:0]
		return
	}
	switch {
	case c == '[':
		d.state, d.part = csi, d.part[:0]
	case c == 'O':
		d.state = ss3
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		d.state = command
	case c == 0x1b:
		d.key(tea.Key{Type: tea.KeyEscape})
		d.since = at
	case c == 0x03:
		d.state = ground
		d.ground(c, at)
	case c < 0x20 || c == 0x7f:
		d.state = ground
		d.key(tea.Key{Type: tea.KeyType(c), Alt: true})
	case c == ' ':
		d.state = ground
		d.key(tea.Key{Type: tea.KeySpace, Runes: []rune{' '}, Alt: true})
	case c < utf8.RuneSelf:
		d.state = ground
		d.key(tea.Key{Type: tea.KeyRunes, Runes: []rune{rune(c)}, Alt: true})
	case utf8.RuneStart(c):
		d.part = append(d.part, c)
	default:
		d.state = ground
	}
}

func (d *Decoder) inPaste(c byte) {
	switch {
	case c == pasteEnd[d.ended]:
		if d.ended++; d.ended == len(pasteEnd) {
			d.ended = 0
			d.endPaste()
			d.state = ground
		}
		return
	case d.ended > 0:
		d.keepPasted(pasteEnd[:d.ended])
		d.ended = 0
		if c == pasteEnd[0] {
			d.ended = 1
			return
		}
	}
	if len(d.pasted) < PasteLimit {
		d.pasted = append(d.pasted, c)
	}
}

func (d *Decoder) keepPasted(s string) {
	if len(d.pasted) < PasteLimit {
		d.pasted = append(d.pasted, s...)
	}
}

func (d *Decoder) endPaste() {
	d.keepPasted(pasteEnd[:d.ended])
	var runes []rune
	for b := d.pasted; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError || n > 1 {
			runes = append(runes, r)
		}
		b = b[n:]
	}
	d.out = append(d.out, tea.KeyMsg{Type: tea.KeyRunes, Runes: runes, Paste: true})
	d.pasted, d.ended, d.state = nil, 0, ground
}
