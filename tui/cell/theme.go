package cell

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style is how a piece of text looks: the sequences before and after it, made once. The zero Style is plain.
type Style struct{ before, after string }

// Of is text in the style.
func (s Style) Of(text string) Seg { return Seg{Text: text, Style: s} }

func (s Style) write(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(s.before)
	b.WriteString(text)
	b.WriteString(s.after)
}

// Theme is what the screens draw with, named by meaning. A value: copy it freely.
type Theme struct {
	Colour bool // false: marks only; matches are then lit with Open and Close

	Text, Dim, Strong   Style // body; what may be overlooked; names and headings
	Rule, Bar           Style // lines; progress
	Cursor, Selected    Style // the row at the cursor where it has focus; where it has not
	Match               Style // matches within text
	Good, Warn, Bad     Style // saved; waiting; failed
	Relevant, Not, Open Style // grades that count, grades that don't, no grade yet
	Key, Tag            Style // a key in a hint; a tag
}

// MatchMarks are what stands around a match: nothing where colour shows it.
func (t Theme) MatchMarks() (open, close string) {
	if t.Colour {
		return "", ""
	}
	return "[", "]"
}

// Themes are the names that NewTheme knows.
var Themes = [...]string{"dark", "light", "none"}

// Renderer makes a session's own renderer; nothing global is read or set, and the terminal is not asked.
func Renderer(out io.Writer, dark, colour bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(dark)
	profile := termenv.ANSI
	if !colour {
		profile = termenv.Ascii
	}
	r.SetColorProfile(profile)
	return r
}

// NewTheme builds a theme of the 16 colours. r is the session's renderer; nil makes one. "none", or a renderer
// without colours, gives marks only.
func NewTheme(name string, r *lipgloss.Renderer) (Theme, error) {
	light := name == "light"
	switch name {
	case "dark", "light":
	case "none":
		return Theme{}, nil
	default:
		return Theme{}, fmt.Errorf("no theme %q: choose %s", name, strings.Join(Themes[:], ", "))
	}
	if r == nil {
		r = Renderer(io.Discard, !light, true)
	}
	if r.ColorProfile() == termenv.Ascii {
		return Theme{}, nil
	}
	base := r.NewStyle()
	fg := func(dark, onLight string) lipgloss.Style {
		if light {
			return base.Foreground(lipgloss.Color(onLight))
		}
		return base.Foreground(lipgloss.Color(dark))
	}
	return Theme{
		Colour:   true,
		Dim:      style(fg("8", "8")),
		Strong:   style(base.Bold(true)),
		Rule:     style(fg("8", "8")),
		Bar:      style(fg("6", "6")),
		Cursor:   style(base.Reverse(true)),
		Selected: style(base.Bold(true)),
		Match:    style(fg("11", "1").Bold(true)),
		Good:     style(fg("10", "2")),
		Warn:     style(fg("11", "3")),
		Bad:      style(fg("9", "1").Bold(true)),
		Relevant: style(fg("10", "2").Bold(true)),
		Not:      style(fg("9", "1")),
		Open:     style(fg("8", "8")),
		Key:      style(fg("14", "4")),
		Tag:      style(fg("13", "5")),
	}, nil
}

// style renders a mark once and keeps what the renderer put around it: Render itself measures, splits and aligns, far
// too much for every piece of every frame.
func style(s lipgloss.Style) Style {
	before, after, found := strings.Cut(s.Render("x"), "x")
	if !found {
		return Style{}
	}
	return Style{before, after}
}
