package input

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// maxParameters is how long a sequence's parameters may be; what is longer is none.
const maxParameters = 64

func (d *Decoder) inCSI(c byte, at time.Time) {
	switch {
	case c == '[' && len(d.part) == 0:
		d.state = console
	case c >= 0x20 && c <= 0x3f:
		if len(d.part) < maxParameters {
			d.part = append(d.part, c)
		}
	case c >= 0x40 && c <= 0x7e:
		parameters := string(d.part)
		d.state, d.part = ground, d.part[:0]
		d.sequence(parameters, c)
	case c == 0x1b:
		d.state, d.part, d.since = escape, d.part[:0], at
	case c < 0x20:
		// The sequence is broken off. A control key is still meant: ctrl+c above all.
		d.state, d.part = ground, d.part[:0]
		d.ground(c, at)
	default:
		d.state, d.part = ground, d.part[:0]
	}
}

// sequence acts on ESC [ parameters final. What is not a key or a mouse event is a reply to something that assay did
// not ask, or unknown: dropped.
func (d *Decoder) sequence(parameters string, final byte) {
	switch {
	case final == 'M' && parameters == "":
		d.state, d.left = mouseX10, 3
	case strings.HasPrefix(parameters, "<"):
		if m, ok := mouse(parameters[1:], final); ok && (final == 'M' || final == 'm') {
			d.out = append(d.out, m)
		}
	default:
		n, modifiers, ok := numbers(parameters)
		switch {
		case !ok:
		case final == '~' && n == 200:
			d.state = paste
		case final == '~':
			if k, known := numberKeys[n]; known {
				d.modified(k, modifiers)
			}
		case final == 'Z':
			d.key(tea.Key{Type: tea.KeyShiftTab})
		default:
			if k, known := letterKeys[final]; known && n <= 1 {
				d.modified(k, modifiers)
			}
		}
	}
}

// numbers reads "n" or "n;modifiers"; missing ones are 0 and 1.
func numbers(parameters string) (n, modifiers int, ok bool) {
	first, second, two := strings.Cut(parameters, ";")
	modifiers = 1
	var err error
	if first != "" {
		if n, err = strconv.Atoi(first); err != nil {
			return 0, 0, false
		}
	}
	if two {
		if modifiers, err = strconv.Atoi(second); err != nil || modifiers < 1 || modifiers > 8 {
			return 0, 0, false
		}
	}
	return n, modifiers, n >= 0
}

// modified is a key with shift, alt and ctrl, which are counted as bits above 1.
func (d *Decoder) modified(plain tea.KeyType, modifiers int) {
	bits := modifiers - 1
	shift, alt, ctrl := bits&1 != 0, bits&2 != 0, bits&4 != 0
	k := tea.Key{Type: plain, Alt: alt}
	if shift || ctrl {
		with, ok := withModifiers[plain]
		if !ok {
			if ctrl {
				return // ctrl+delete is not delete
			}
			with = [3]tea.KeyType{plain, plain, plain}
		}
		switch {
		case shift && ctrl:
			k.Type = with[2]
		case ctrl:
			k.Type = with[1]
		default:
			k.Type = with[0]
		}
	}
	d.key(k)
}

// withModifiers are a key with shift, with ctrl, and with both.
var withModifiers = map[tea.KeyType][3]tea.KeyType{
	tea.KeyUp:     {tea.KeyShiftUp, tea.KeyCtrlUp, tea.KeyCtrlShiftUp},
	tea.KeyDown:   {tea.KeyShiftDown, tea.KeyCtrlDown, tea.KeyCtrlShiftDown},
	tea.KeyRight:  {tea.KeyShiftRight, tea.KeyCtrlRight, tea.KeyCtrlShiftRight},
	tea.KeyLeft:   {tea.KeyShiftLeft, tea.KeyCtrlLeft, tea.KeyCtrlShiftLeft},
	tea.KeyHome:   {tea.KeyShiftHome, tea.KeyCtrlHome, tea.KeyCtrlShiftHome},
	tea.KeyEnd:    {tea.KeyShiftEnd, tea.KeyCtrlEnd, tea.KeyCtrlShiftEnd},
	tea.KeyPgUp:   {tea.KeyPgUp, tea.KeyCtrlPgUp, tea.KeyCtrlPgUp},
	tea.KeyPgDown: {tea.KeyPgDown, tea.KeyCtrlPgDown, tea.KeyCtrlPgDown},
}

var letterKeys = map[byte]tea.KeyType{
	'A': tea.KeyUp, 'B': tea.KeyDown, 'C': tea.KeyRight, 'D': tea.KeyLeft, 'H': tea.KeyHome, 'F': tea.KeyEnd,
	'P': tea.KeyF1, 'Q': tea.KeyF2, 'S': tea.KeyF4, // not R: that is how a terminal tells where its cursor is
}

var numberKeys = map[int]tea.KeyType{
	1: tea.KeyHome, 2: tea.KeyInsert, 3: tea.KeyDelete, 4: tea.KeyEnd, 5: tea.KeyPgUp, 6: tea.KeyPgDown, 7: tea.KeyHome, 8: tea.KeyEnd,
	11: tea.KeyF1, 12: tea.KeyF2, 13: tea.KeyF3, 14: tea.KeyF4, 15: tea.KeyF5, 17: tea.KeyF6, 18: tea.KeyF7, 19: tea.KeyF8,
	20: tea.KeyF9, 21: tea.KeyF10, 23: tea.KeyF11, 24: tea.KeyF12,
}

var ss3Keys = map[byte]tea.Key{
	'A': {Type: tea.KeyUp}, 'B': {Type: tea.KeyDown}, 'C': {Type: tea.KeyRight}, 'D': {Type: tea.KeyLeft},
	'H': {Type: tea.KeyHome}, 'F': {Type: tea.KeyEnd}, 'M': {Type: tea.KeyEnter},
	'P': {Type: tea.KeyF1}, 'Q': {Type: tea.KeyF2}, 'R': {Type: tea.KeyF3}, 'S': {Type: tea.KeyF4},
}

// mouse reads an SGR report: "button;column;row", released where it ends in m.
func mouse(report string, final byte) (tea.MouseMsg, bool) {
	fields := strings.Split(report, ";")
	if len(fields) != 3 {
		return tea.MouseMsg{}, false
	}
	var n [3]int
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 {
			return tea.MouseMsg{}, false
		}
		n[i] = v
	}
	code := n[0]
	m := tea.MouseMsg{X: n[1] - 1, Y: n[2] - 1, Shift: code&4 != 0, Alt: code&8 != 0, Ctrl: code&16 != 0}
	if m.X < 0 || m.Y < 0 {
		return tea.MouseMsg{}, false
	}
	switch {
	case code&128 != 0:
		m.Button = tea.MouseButtonBackward + tea.MouseButton(code&3)
	case code&64 != 0:
		m.Button = tea.MouseButtonWheelUp + tea.MouseButton(code&3)
	case code&3 == 3:
		m.Button = tea.MouseButtonNone
	default:
		m.Button = tea.MouseButtonLeft + tea.MouseButton(code&3)
	}
	switch {
	case code&32 != 0:
		m.Action = tea.MouseActionMotion
	case final == 'm':
		m.Action = tea.MouseActionRelease
	default:
		m.Action = tea.MouseActionPress
	}
	return m, true
}
