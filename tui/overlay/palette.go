package overlay

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"assay/tui/cell"
	"assay/tui/screen"

	tea "github.com/charmbracelet/bubbletea"
)

// Palette finds any action by its name, help or group and runs it.
type Palette struct {
	all   []screen.Binding
	shown []screen.Binding
	field cell.Field
	at    int
	top   int
}

// NewPalette offers the bindings' actions, in their order, each once.
func NewPalette(bindings []screen.Binding) *Palette {
	p := &Palette{}
	seen := map[string]bool{}
	for _, b := range bindings {
		if b.Action != "" && !seen[b.Action] {
			seen[b.Action] = true
			p.all = append(p.all, b)
		}
	}
	p.shown = p.all
	return p
}

// Key implements Overlay.
func (p *Palette) Key(k tea.KeyMsg) Outcome {
	switch k.String() {
	case "esc":
		return Outcome{Done: true}
	case "enter":
		if len(p.shown) == 0 {
			return Outcome{}
		}
		return Outcome{Done: true, Chosen: p.shown[p.at].Action}
	case "down", "ctrl+n", "tab":
		p.at = min(p.at+1, max(0, len(p.shown)-1))
	case "up", "ctrl+p", "shift+tab":
		p.at = max(0, p.at-1)
	case "backspace":
		if p.field.Text() == "" {
			return Outcome{Done: true}
		}
		fallthrough
	default:
		if p.field.Key(k).Changed {
			p.filter()
		}
	}
	return Outcome{}
}

// filter keeps the actions that hold every word typed, best first; ties in their own order.
func (p *Palette) filter() {
	words := strings.FieldsFunc(strings.ToLower(p.field.Text()), unicode.IsSpace)
	type scored struct {
		b     screen.Binding
		score int
	}
	var found []scored
	for _, b := range p.all {
		total, ok := 0, true
		for _, w := range words {
			s := match(w, b)
			ok = ok && s > 0
			total += s
		}
		if ok {
			found = append(found, scored{b, total})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	p.shown = p.shown[:0:0]
	for _, f := range found {
		p.shown = append(p.shown, f.b)
	}
	p.at, p.top = 0, 0
}

// match scores how well a word finds an action: the start of its name best, then of a word in it, then anywhere in
// name, help or group, then its letters in order in the name.
func match(w string, b screen.Binding) int {
	name := strings.ToLower(b.Action)
	text := " " + strings.ReplaceAll(name, "-", " ") + " " + strings.ToLower(b.Help+" "+b.Group)
	switch {
	case name == w:
		return 6
	case strings.HasPrefix(name, w):
		return 5
	case strings.Contains(text, " "+w):
		return 4
	case strings.Contains(text, w):
		return 2
	}
	rest := name
	for _, r := range w {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return 0
		}
		rest = rest[i+1:]
	}
	return 1
}

// InText implements Overlay.
func (p *Palette) InText() bool { return true }

// Keys implements Overlay.
func (p *Palette) Keys() []screen.Binding {
	return []screen.Binding{
		{Action: "run", Keys: []string{"enter"}, Help: "run the action", Group: "Palette", Short: "run"},
		{Action: "next", Keys: []string{"down", "tab", "ctrl+n"}, Help: "next action", Group: "Palette"},
		{Action: "previous", Keys: []string{"up", "shift+tab", "ctrl+p"}, Help: "previous action", Group: "Palette"},
		{Action: "close", Keys: []string{"esc"}, Help: "close", Group: "Palette", Short: "close"},
	}
}

// keyCells is how wide the column of keys is.
const keyCells = 6

// Box implements Overlay.
func (p *Palette) Box(w, h int, th cell.Theme) []string {
	w = min(w, 64)
	h = min(h, len(p.all)+3)
	rows, name := max(1, h-3), min(20, w/3)
	p.top = cell.Window(p.top, p.at, len(p.shown), rows)
	lines := []string{fill(w-1, cell.Line(w-1, cell.Plain(" : "))+p.field.View(w-5, true, th.Text, th.Cursor))}
	if len(p.shown) == 0 {
		lines = append(lines, cell.Fill(w-1, cell.Plain("   "), th.Dim.Of("no action is called that"), cell.Plain("")))
	}
	for i := p.top; i < min(len(p.shown), p.top+rows); i++ {
		b, mark, style := p.shown[i], "   ", cell.Style{}
		if i == p.at {
			mark, style = " › ", th.Cursor
		}
		keys := ""
		if len(b.Keys) > 0 {
			keys = KeyNames(b.Keys[:1])
		}
		lines = append(lines, cell.Fill(w-1, style.Of(mark+cell.Pad(b.Action, name)+" "+cell.Pad(b.Help, w-name-keyCells-6)+" "+cell.Pad(keys, keyCells))))
	}
	return frame(w, h, th, "actions", "enter run · esc close", lines)
}

// fill pads a drawn line to w cells.
func fill(w int, line string) string {
	return cell.Beside(line, w, "") + cell.Fill(w-cell.Width(line), cell.Plain(""))
}
