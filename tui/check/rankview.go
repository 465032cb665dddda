package check

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
)

// words are titles or first words of chunks, by id.
type words struct {
	known map[string]string
	busy  bool
}

type wordsMsg struct{ found map[string]string }

// mostWords is how many chunks are remembered before it starts over.
const mostWords = 5000

// loadWords reads what the visible chunks of the ranking say, as far as it is not known.
func (s *Screen) loadWords() tea.Cmd {
	if s.ranking == nil || s.o.Finder == nil || s.words.busy || s.choosing != nil {
		return nil
	}
	var ids []string
	r := s.ranking
	for i := r.top; i < min(len(r.rows), r.top+s.rankingRows()); i++ {
		if _, ok := s.words.known[r.rows[i].chunkID]; !ok {
			ids = append(ids, r.rows[i].chunkID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	s.words.busy = true
	finder := s.o.Finder
	return func() tea.Msg {
		m := wordsMsg{make(map[string]string, len(ids))}
		for _, id := range ids {
			c, err := finder.Chunk(context.Background(), id)
			switch {
			case err != nil:
				m.found[id] = "(not in the corpus)"
			default:
				m.found[id] = cmp.Or(firstWords(c.Title), firstWords(c.Text), "(empty)")
			}
		}
		return m
	}
}

func (w *words) got(m wordsMsg) {
	w.busy = false
	if w.known == nil || len(w.known) > mostWords {
		w.known = map[string]string{}
	}
	for id, text := range m.found {
		w.known[id] = text
	}
}

// firstWords is the beginning of a text on one line.
func firstWords(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return strings.TrimSpace(lineEnds.Replace(text))
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")

// queryHeight is how many lines of the query are shown above its ranking.
func (s *Screen) queryHeight() int {
	if s.height < 14 {
		return 1
	}
	return 2
}

// rankingRows is how many rows of a ranking have room, below query, values and heading.
func (s *Screen) rankingRows() int { return max(1, s.height-s.queryHeight()-2-1) }

func (s *Screen) rankingView() string {
	r, th, w := s.ranking, s.o.Theme, s.width
	lines := make([]string, 0, s.height)
	query := cell.Wrap(clip(r.text), max(1, w-3), cell.Lit{})
	for i := range s.queryHeight() {
		segs := []cell.Seg{cell.Plain(" ")}
		if i < query.Len() {
			segs = append(segs, query.Segs(i, th.Strong, th.Strong)...)
		}
		if i == s.queryHeight()-1 && i < query.Len()-1 {
			segs = append(segs, cell.Plain(cell.More))
		}
		lines = append(lines, cell.Line(w, segs...))
	}
	lines = append(lines, cell.Line(w, th.Dim.Of(" "+cell.Cut(r.id, max(10, w/3))+s.valuesOf(r))))
	lines = append(lines, cell.Rule(w, th.Rule, s.rankingHeading(w)...))
	switch {
	case r.err != nil:
		lines = append(lines, s.noticeIn(w, "can't rank: "+r.err.Error(), "r to try again · esc back")...)
	case r.failed != "":
		lines = append(lines, cell.Line(w, th.Bad.Of("  the retriever failed on this query: "+clip(r.failed))))
	case r.loaded && len(r.rows) == 0:
		lines = append(lines, "", cell.Line(w, th.Dim.Of("  "+r.run.Title()+" returns nothing for this query")))
	}
	if r.err == nil {
		ids := s.chunkIDWidth(w)
		for i := r.top; i < min(len(r.rows), r.top+s.rankingRows()); i++ {
			lines = append(lines, s.rankedLine(r.rows[i], w, ids, i == r.cursor))
		}
	}
	return s.framed(lines)
}

// rankingHeading counts what there is, and what s would send.
func (s *Screen) rankingHeading(w int) []cell.Seg {
	r, th := s.ranking, s.o.Theme
	name := cell.Cut(r.run.Title(), max(8, w/4))
	for i, m := range s.chosen {
		if len(s.chosen) > 1 && m.run.Name == r.run.Name {
			name = letters[i:i+1] + " " + name
		}
	}
	if !r.loaded {
		if r.err != nil {
			return []cell.Seg{th.Text.Of(name)}
		}
		return []cell.Seg{th.Text.Of(name + " · searching…")}
	}
	unjudged, missed := 0, 0
	for _, x := range r.rows {
		switch {
		case x.rank == 0:
			missed++
		case x.open():
			unjudged++
		}
	}
	k := s.topK()
	parts := []string{fmt.Sprintf("unjudged %d in top %d, %d of %d", len(r.unjudged(k)), k, unjudged, len(r.rows)-missed)}
	if missed > 0 {
		parts = append(parts, fmt.Sprintf("not found %d", missed))
	}
	return []cell.Seg{th.Strong.Of(name), th.Text.Of(" · " + strings.Join(parts, " · "))}
}

// chunkIDWidth is what the ids in view take, no more than a part of the line.
func (s *Screen) chunkIDWidth(w int) int {
	r := s.ranking
	most := max(8, (w-24)*2/5)
	if s.o.Finder == nil || w < 56 {
		most = max(8, w-24)
	}
	need := 8
	for i := r.top; i < min(len(r.rows), r.top+s.rankingRows()); i++ {
		need = max(need, min(most, cell.Width(cell.Cut(r.rows[i].chunkID, most))))
	}
	return need
}

const rankWidth, scoreWidth = 11, 11 // of what stands before the id, and after the words

func (s *Screen) rankedLine(x ranked, w, ids int, at bool) string {
	th := s.o.Theme
	style, dim, cursor := th.Text, th.Dim, "  "
	mark := s.mark(x)
	rank, score := fmt.Sprintf("%4d", x.rank), strconv.FormatFloat(x.score, 'f', 4, 64)
	if len(score) > scoreWidth-2 {
		score = strconv.FormatFloat(x.score, 'g', 4, 64)
	}
	if x.rank == 0 {
		rank, score = "   –", "not found"
	}
	if at {
		cursor, style, dim = "› ", th.Cursor, th.Cursor
	}
	id := cell.CutLeft(x.chunkID, ids)
	room := w - rankWidth - ids - scoreWidth
	text, known := s.words.known[x.chunkID]
	switch {
	case s.o.Finder == nil:
		text = ""
	case !known:
		text = cell.More
	}
	widths := []int{rankWidth, ids, max(0, room)}
	return cell.Columns(widths,
		cell.Line(rankWidth, style.Of(cursor+rank+" "), mark, style.Of(" ")),
		cell.Line(ids, style.Of(id+strings.Repeat(" ", max(0, ids-cell.Width(id))))),
		cell.Fill(room, dim.Of("  "+text)),
		cell.Line(scoreWidth, th.Dim.Of(" "+right(score, scoreWidth-2))))
}

// mark is how a row shows who judged it: three cells that can be read without colour.
func (s *Screen) mark(x ranked) cell.Seg {
	th := s.o.Theme
	switch {
	case x.others:
		return th.Good.Of("[+]")
	case !x.judged:
		return th.Open.Of("[·]")
	case x.stale:
		return th.Warn.Of("[↺]")
	case x.grade == corpus.CannotJudge:
		return th.Dim.Of("[~]")
	case x.grade < 0 || x.grade > 9:
		return th.Not.Of("[-]")
	case s.ws.Scale.Relevant(x.grade):
		return th.Relevant.Of("[" + x.grade.String() + "]")
	}
	return th.Not.Of("[" + x.grade.String() + "]")
}

// valuesOf spells a query's values of the measures by the ranking's run, the one at hand first.
func (s *Screen) valuesOf(r *ranking) string {
	out := ""
	for _, m := range s.chosen {
		if m.run.Name != r.run.Name {
			continue
		}
		values := valuesIn(m.report, r.id)
		if values == nil {
			continue
		}
		for i := range m.report.Measures {
			name := m.report.Measures[(i+s.measure)%len(m.report.Measures)].Name
			if v, ok := values[name]; ok {
				out += "  " + name + " " + number(v)
			}
		}
	}
	return out
}
