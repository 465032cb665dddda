package status

import (
	"assay/tui/cell"
	"assay/tui/screen"
)

// Message is what Say asks for, as the left part of a line; none for an empty text.
func Message(th cell.Theme, s screen.Say) []cell.Seg {
	switch {
	case s.Text == "":
		return nil
	case s.Bad:
		return []cell.Seg{th.Bad.Of(" ! " + s.Text)}
	}
	return []cell.Seg{cell.Plain(" " + s.Text)}
}

// Line draws left, and hints for the bindings that have a short word, as many as have room beside it; help is the last
// to go: "?", or f1 where letters are text. A left part that fills the line keeps it.
func Line(w int, th cell.Theme, left []cell.Seg, bindings []screen.Binding, inText bool) string {
	room := w - 2
	for _, s := range left {
		room -= cell.Width(s.Text)
	}
	var help []cell.Seg
	var hints []cell.Seg
	for _, b := range bindings {
		if b.Action == "close" || b.Action == "help" { // the way out of an overlay, or to the keys
			help = hint(th, b)
		}
	}
	switch {
	case help != nil:
	case inText:
		help = []cell.Seg{th.Key.Of("f1"), cell.Plain(" help ")}
	default:
		help = []cell.Seg{th.Key.Of("?"), cell.Plain(" help ")}
	}
	if room -= width(help); room < 0 {
		return cell.Line(w, left...)
	}
	for _, b := range bindings {
		if b.Short == "" || len(b.Keys) == 0 || b.Action == "close" || b.Action == "help" {
			continue
		}
		h := append(hint(th, b), cell.Plain(" "))
		if width(h) > room {
			break
		}
		room -= width(h)
		hints = append(hints, h...)
	}
	return cell.Between(w, left, append(hints, help...))
}

func hint(th cell.Theme, b screen.Binding) []cell.Seg {
	if b.Short == "" || len(b.Keys) == 0 {
		return nil
	}
	return []cell.Seg{th.Key.Of(KeyName(b.Keys[0])), cell.Plain(" " + b.Short + " ")}
}

func width(segs []cell.Seg) int {
	n := 0
	for _, s := range segs {
		n += cell.Width(s.Text)
	}
	return n
}

// KeyName spells a key as a person reads it.
func KeyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	}
	return key
}
