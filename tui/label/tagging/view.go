package tagging

import (
	"fmt"
	"strings"

	"assay/corpus"
	"assay/tui/cell"
)

// Box draws the panel: exactly r.H lines of at most r.W cells.
func (p *Panel) Box(r cell.Rect, f Facts, t cell.Theme) []string {
	title := "tags of " + p.query
	if p.form != "" {
		title = p.form + " · " + tagHelp[p.form]
	}
	w, h := r.W-4, max(0, r.H-2)
	lines := []string{cell.Rule(r.W, t.Bar, t.Strong.Of(title))}
	for _, line := range p.body(w, h, f, t) {
		if len(lines) <= h {
			lines = append(lines, "  "+line)
		}
	}
	for len(lines) <= h {
		lines = append(lines, "")
	}
	return append(lines, cell.Rule(r.W, t.Bar))[:max(0, r.H)]
}

func (p *Panel) body(w, h int, f Facts, t cell.Theme) []string {
	switch p.form {
	case "":
		return p.tagLines(w, h, f, t)
	case corpus.TagUnanswerable:
		return searchLines(w, h, f, t)
	case corpus.TagConflicting:
		return p.conflictLines(w, h, f, t)
	case corpus.TagIdentifier:
		return append([]string{p.fieldLine(0, "exact string", w, t)}, p.occurs(w, f, t)...)
	case corpus.TagFollowUp:
		return p.followUpLines(w, f, t)
	}
	return []string{p.fieldLine(0, "name", w, t)}
}

func (p *Panel) tagLines(w, h int, f Facts, t cell.Theme) []string {
	tags := rows(f)
	cursor := min(max(0, p.cursor), len(tags)-1)
	var lines []string
	for i := cell.Window(0, cursor, len(tags), h); i < len(tags); i++ {
		name, help, box := tags[i], tagHelp[tags[i]], "[ ] "
		if _, has := f.tag(name); has {
			box = "[x] "
		} else if f.proposed(name) {
			box, help = "[?] ", strings.TrimPrefix(help+"; proposed: enter sets it, x rejects it", "; ")
		}
		if name == "" {
			name, help, box = "new tag…", tagHelp[freeForm], "    "
		}
		mark, style := "  ", t.Text
		if i == cursor {
			mark, style = "› ", t.Cursor
		}
		lines = append(lines, cell.Line(w, style.Of(mark+box+cell.Pad(name, 20)), t.Dim.Of("  "+help)))
	}
	return lines
}

// searchLines show what is kept as proof, the newest where not all have room.
func searchLines(w, h int, f Facts, t cell.Theme) []string {
	if len(f.Searches) == 0 {
		return []string{
			cell.Line(w, t.Warn.Of("no search counts yet")),
			cell.Line(w, cell.Plain("A search counts once you go into its results, open or grade one,")),
			cell.Line(w, cell.Plain("or look at them for a second.")),
		}
	}
	words := "1 search tried, kept as proof:"
	if n := len(f.Searches); n > 1 {
		words = fmt.Sprintf("%d searches tried, kept as proof:", n)
	}
	lines := []string{cell.Line(w, cell.Plain(words))}
	if f.Relevant > 0 {
		lines = append(lines, cell.Line(w, t.Warn.Of(fmt.Sprintf("but %d graded relevant: check lists the contradiction", f.Relevant))))
	}
	for _, s := range f.Searches[max(0, len(f.Searches)-max(1, h-len(lines))):] {
		how := fmt.Sprintf("%d results, read to %d", s.Results, s.Deepest)
		if s.Mode == corpus.Syntax {
			how += ", query mode"
		}
		lines = append(lines, cell.Between(w, []cell.Seg{cell.Plain("· " + s.Text)}, []cell.Seg{t.Dim.Of(how)}))
	}
	return lines
}

func (p *Panel) conflictLines(w, h int, f Facts, t cell.Theme) []string {
	if len(p.chunks) == 0 {
		return []string{cell.Line(w, t.Warn.Of("grade or open the chunks that disagree first"))}
	}
	room := max(1, h-1)
	var lines []string
	for i := cell.Window(0, p.cursor, len(p.chunks), room); i < len(p.chunks) && len(lines) < room; i++ {
		id := p.chunks[i]
		mark, style := "  ", t.Text
		if i == p.cursor && p.at < 0 {
			mark, style = "› ", t.Cursor
		}
		box, holds := "[ ] ", ""
		if p.picked[id] {
			box = "[x] "
		}
		if p.holds == id {
			holds = "holds "
		}
		lines = append(lines, cell.Line(w, style.Of(mark+box), f.Mark(id), cell.Plain(" "), t.Good.Of(holds), style.Of(id)))
	}
	return append(lines, p.fieldLine(0, "note", w, t))
}

func (p *Panel) followUpLines(w int, f Facts, t cell.Theme) []string {
	lines := []string{p.fieldLine(0, "follows query", w, t), p.fieldLine(1, "stands alone as", w, t)}
	turns := f.Query.Turns
	for _, turn := range turns[max(0, len(turns)-3):] {
		lines = append(lines, cell.Line(w, t.Dim.Of(turn.Role+": "), cell.Plain(turn.Content)))
	}
	return lines
}

// occurs tells where the identifier is not in the query as it stands.
func (p *Panel) occurs(w int, f Facts, t cell.Theme) []string {
	id := strings.TrimSpace(p.fields[0].Text())
	if id == "" || strings.Contains(f.Query.Text, id) {
		return nil
	}
	return []string{cell.Line(w, t.Dim.Of("this is not in the query letter by letter"))}
}

func (p *Panel) fieldLine(i int, name string, w int, t cell.Theme) string {
	label := cell.Line(w, t.Dim.Of(name+": "))
	return label + p.fields[i].View(w-cell.Width(label), p.at == i, t.Text, t.Selected)
}
