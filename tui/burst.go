package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/tui/input"
)

// What a person types comes a key or a few at a time; what comes faster outside a text field is a paste by a terminal
// that does not bracket it, and must not act. A key held down repeats every 8 ms at most.
const (
	mostKeys  = 8                     // that one read may bring
	inSpan    = 30 * time.Millisecond // or that so short a time may
	quiet     = 50 * time.Millisecond // ends a burst
	bigRead   = 256                   // bytes: a read that is a paste even into a text field
	burstWord = "%d keys came at once, as a paste does: nothing was done with them"
)

// burst remembers how fast keys came.
type burst struct {
	times   [mostKeys + 1]time.Time // of the newest keys outside text fields, as a ring
	next    int
	hot     bool
	last    time.Time // of the newest read in a burst
	dropped int
}

// on reports whether at still belongs to the burst before it.
func (b *burst) on(at time.Time) bool {
	if b.hot && at.Sub(b.last) >= quiet {
		b.hot = false
	}
	return b.hot
}

func (b *burst) begin(at time.Time) {
	if !b.hot {
		b.dropped = 0
	}
	b.hot, b.last = true, at
}

// fast notes n keys at a time and reports whether they are more than a person types.
func (b *burst) fast(n int, at time.Time) bool {
	for range n {
		b.times[b.next] = at
		b.next = (b.next + 1) % len(b.times)
	}
	oldest := b.times[b.next]
	return n > 0 && !oldest.IsZero() && at.Sub(oldest) < inSpan
}

// typed is how many keys a message is that text could be: letters, spaces, line ends, tabs.
func typed(msg tea.Msg) int {
	k, ok := msg.(tea.KeyMsg)
	if !ok || k.Paste || k.Alt {
		return 0
	}
	switch k.Type {
	case tea.KeyRunes, tea.KeySpace:
		return len(k.Runes)
	case tea.KeyEnter, tea.KeyTab, tea.KeyCtrlJ:
		return 1
	}
	return 0
}

// read acts on what one read brought. raw is nil for messages that did not come through the decoder: their time says
// nothing then.
func (m *model) read(msgs []tea.Msg, raw *input.Raw) tea.Cmd {
	m.reads++
	r := reading{m: m, fresh: true}
	keys := 0
	for _, msg := range msgs {
		keys += typed(msg)
	}
	r.paste = keys > mostKeys
	if raw != nil {
		if m.burst.on(raw.At) {
			r.paste, r.fresh = true, false
			m.burst.last = raw.At
		}
		outside := !m.inText()
		if outside && !r.paste {
			r.paste = m.burst.fast(keys, raw.At)
		}
		if r.paste && (outside || len(raw.Bytes) >= bigRead) {
			m.burst.begin(raw.At)
		}
	}
	var cmds []tea.Cmd
	for _, msg := range msgs {
		cmds = append(cmds, r.message(msg)...)
	}
	if r.dropped > 0 {
		if m.burst.hot {
			m.burst.dropped += r.dropped
			r.dropped = m.burst.dropped
		}
		m.word = fmt.Sprintf(burstWord, r.dropped)
	}
	return tea.Batch(cmds...)
}

// reading is one read on its way through the keys.
type reading struct {
	m       *model
	paste   bool // more came at once than a person types
	fresh   bool // no burst was going on before
	begun   bool // the first key was seen
	opened  bool // a key of this read led into a text field
	dropped int
}

func (r *reading) message(msg tea.Msg) []tea.Cmd {
	if mouse, ok := msg.(tea.MouseMsg); ok {
		return []tea.Cmd{r.m.mouse(mouse)}
	}
	k, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case typed(msg) == 0:
		if r.paste && !k.Paste && !r.m.inText() && k.Type != tea.KeyCtrlC {
			r.dropped++
			return nil
		}
		r.begun = true
		return []tea.Cmd{r.m.key(k)}
	case k.Type != tea.KeyRunes && k.Type != tea.KeySpace:
		return r.one(k)
	case !r.paste && !r.m.inText() && len(k.Runes) > 1 && !r.allBound(k.Runes):
		r.dropped += len(k.Runes)
		return nil
	}
	var cmds []tea.Cmd
	for i := 0; i < len(k.Runes); i++ {
		if r.m.inText() {
			rest := k
			rest.Runes = k.Runes[i:]
			if len(rest.Runes) > 1 || rest.Runes[0] != ' ' {
				rest.Type = tea.KeyRunes
			} else {
				rest.Type = tea.KeySpace
			}
			r.begun = true
			return append(cmds, r.m.key(rest))
		}
		cmds = append(cmds, r.one(runeKey(k.Runes[i]))...)
	}
	return cmds
}

// one acts on a single key that text could be.
func (r *reading) one(k tea.KeyMsg) []tea.Cmd {
	first := !r.begun
	r.begun = true
	inText := r.m.inText()
	switch {
	case r.paste && !inText && !(first && r.fresh && r.opener(k)):
		r.dropped++
		return nil
	case r.paste && r.opened && len(r.m.overlays) > 0 && k.Type == tea.KeyEnter:
		return nil // an action found and run within one read was pasted
	}
	cmd := r.m.key(k)
	r.opened = r.opened || !inText && r.m.inText()
	return []tea.Cmd{cmd}
}

// opener reports whether k may lead into a text field even as part of a paste: nothing is written by what follows.
func (r *reading) opener(k tea.KeyMsg) bool {
	name := k.String()
	return (name == "/" || name == ":") && len(r.m.overlays) == 0 && bound(r.m.bindings(), name)
}

// allBound reports whether every key means something, up to one that leads into a text field.
func (r *reading) allBound(runes []rune) bool {
	if n := len(r.m.overlays); n > 0 {
		return true // overlays that take no text write nothing
	}
	bindings := r.m.bindings()
	for _, c := range runes {
		name := runeKey(c).String()
		if !bound(bindings, name) {
			return false
		}
		if opensText(bindings, name) {
			return true
		}
	}
	return true
}

func runeKey(r rune) tea.KeyMsg {
	if r == ' ' {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
}

// mouse goes to the screen on top, where it is seen.
func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	if !m.o.Mouse || m.begun || m.tooSmall() || len(m.overlays) > 0 {
		return nil
	}
	return m.top().Update(msg)
}
