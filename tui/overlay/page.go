package overlay

import (
	"assay/tui/cell"
	"assay/tui/screen"

	tea "github.com/charmbracelet/bubbletea"
)

// PageLimit is how many bytes of a text a page shows.
const PageLimit = 256 << 10

// Page shows plain text, e.g. the guidelines.
type Page struct {
	title, text string
	wrapped     cell.Page
	width       int
	at          scroller
}

// NewPage shows text, of which what is beyond PageLimit is left out, saying so.
func NewPage(title, text string) *Page {
	if len(text) > PageLimit {
		text = text[:PageLimit] + "\n\n[the rest is left out]"
	}
	return &Page{title: title, text: text, width: -1}
}

// Key implements Overlay.
func (p *Page) Key(k tea.KeyMsg) Outcome {
	name := k.String()
	p.at.key(name)
	return Outcome{Done: closes(name)}
}

// InText implements Overlay.
func (p *Page) InText() bool { return false }

// Keys implements Overlay.
func (p *Page) Keys() []screen.Binding { return scrollKeys }

// Box implements Overlay.
func (p *Page) Box(w, h int, th cell.Theme) []string {
	w = min(w, 84)
	if inner := max(1, w-4); inner != p.width {
		p.wrapped, p.width = cell.Wrap(p.text, inner, cell.Lit{}), inner
	}
	h = min(h, p.wrapped.Len()+2)
	p.at.fit(p.wrapped.Len(), max(0, h-2))
	lines := make([]string, 0, h)
	for i := p.at.top; i < min(p.at.n, p.at.top+p.at.h); i++ {
		lines = append(lines, cell.Fill(w-1, append([]cell.Seg{cell.Plain(" ")}, p.wrapped.Segs(i, cell.Style{}, cell.Style{})...)...))
	}
	return frame(w, h, th, p.title, p.at.more(), lines)
}
