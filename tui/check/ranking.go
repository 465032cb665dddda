package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/port"
)

// ranking is one query's ranking with this annotator's grades beside it.
type ranking struct {
	id          string
	text        string
	rows        []ranked
	loaded      bool
	err         error
	cursor, top int
}

// ranked is a chunk with its rank, 0 where the search did not return it.
type ranked struct {
	rank    int
	chunkID string
	score   float64
	grade   corpus.Grade
	judged  bool // it has a grade, can't judge included
}

type rankedMsg struct {
	gen  int
	id   string
	text string
	rows []ranked
	err  error
}

// rank reads a query's ranking and grades. The one on show stays until it is here.
func (s *Screen) rank(id string) tea.Cmd {
	s.gen++
	gen, checker, desk, scale := s.gen, s.o.Checker, s.o.Desk, s.ws.Scale
	if s.ranking == nil || s.ranking.id != id {
		s.ranking = &ranking{id: id, text: s.texts[id]}
	}
	return func() tea.Msg {
		ctx := context.Background()
		m := rankedMsg{gen: gen, id: id}
		found, err := checker.Ranking(ctx, "", id)
		if err != nil {
			m.err = err
			return m
		}
		sheet, err := desk.Sheet(ctx, id)
		if err != nil {
			m.err = err
			return m
		}
		m.text, m.rows = sheet.Query.Text, beside(found.Hits, sheet, scale)
		return m
	}
}

// beside puts grades beside a ranking, and after it the relevant chunks that are not in it, the best grade first.
func beside(hits corpus.Ranking, sheet port.Sheet, scale corpus.Scale) []ranked {
	rows := make([]ranked, 0, len(hits))
	found := map[string]bool{}
	for i, h := range hits {
		l, judged := sheet.Labels[h.ChunkID]
		found[h.ChunkID] = true
		rows = append(rows, ranked{i + 1, h.ChunkID, h.Score, l.Grade, judged})
	}
	missed := []ranked{}
	for id, l := range sheet.Labels {
		if !found[id] && scale.Relevant(l.Grade) {
			missed = append(missed, ranked{chunkID: id, grade: l.Grade, judged: true})
		}
	}
	slices.SortFunc(missed, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.grade, a.grade), cmp.Compare(a.chunkID, b.chunkID))
	})
	return append(rows, missed...)
}

func (s *Screen) ranked(m rankedMsg) {
	r := s.ranking
	if r == nil || m.gen != s.gen || m.id != r.id {
		return
	}
	r.err = m.err
	if m.err != nil {
		return
	}
	at := ""
	if r.cursor < len(r.rows) {
		at = r.rows[r.cursor].chunkID
	}
	r.text, r.rows, r.loaded = m.text, m.rows, true
	if i := slices.IndexFunc(r.rows, func(x ranked) bool { return x.chunkID == at }); i >= 0 {
		r.cursor = i
	}
}

// nextUnjudged moves to the next unjudged chunk below the cursor.
func (r *ranking) nextUnjudged() bool {
	for i := r.cursor + 1; i < len(r.rows); i++ {
		if !r.rows[i].judged {
			r.cursor = i
			return true
		}
	}
	return false
}

// rankingHead are the lines above the ranking: query (two), its values, headings.
const rankingHead = 4

func (s *Screen) rankingRows() int { return max(1, s.height-rankingHead-1) }

func (s *Screen) rankingView() string {
	r, th, w := s.ranking, s.o.Theme, s.width
	lines := make([]string, 0, s.height)
	query := cell.Wrap(r.text, max(1, w-2), cell.Lit{})
	for i := range 2 {
		segs := []cell.Seg{cell.Plain(" ")}
		if i < query.Len() {
			segs = append(segs, query.Segs(i, th.Strong, th.Strong)...)
		}
		if i == 1 && query.Len() > 2 {
			segs = append(segs, cell.Plain("…"))
		}
		lines = append(lines, cell.Line(w, segs...))
	}
	lines = append(lines, cell.Line(w, th.Dim.Of(" "+r.id+s.valuesOf(r.id))))
	unjudged, missed := 0, 0
	for _, x := range r.rows {
		switch {
		case x.rank == 0:
			missed++
		case !x.judged:
			unjudged++
		}
	}
	heading := fmt.Sprintf("ranking · %d found · %d unjudged", len(r.rows)-missed, unjudged)
	if missed > 0 {
		heading += fmt.Sprintf(" · %d relevant not found", missed)
	}
	if !r.loaded && r.err == nil {
		heading = "ranking · searching…"
	}
	lines = append(lines, cell.Rule(w, th.Rule, th.Text.Of(heading)))
	switch {
	case r.err != nil:
		lines = append(lines, "", cell.Line(w, th.Bad.Of("  can't rank: "+r.err.Error())), cell.Line(w, th.Dim.Of("  r to try again · esc back")))
	case r.loaded && len(r.rows) == 0:
		lines = append(lines, "", cell.Line(w, th.Dim.Of("  the search finds nothing for this query")))
	}
	for i := r.top; i < min(len(r.rows), r.top+s.rankingRows()); i++ {
		lines = append(lines, s.rankedLine(r.rows[i], i == r.cursor))
	}
	return s.framed(lines)
}

func (s *Screen) rankedLine(x ranked, at bool) string {
	th := s.o.Theme
	mark, style, id, cursor := "[·]", th.Open, th.Text, "  "
	switch {
	case x.judged && x.grade == corpus.CannotJudge:
		mark = "[~]"
	case x.judged && s.ws.Scale.Relevant(x.grade):
		mark, style = fmt.Sprintf("[%d]", x.grade), th.Relevant
	case x.judged:
		mark, style = fmt.Sprintf("[%d]", x.grade), th.Not
	}
	rank, score := fmt.Sprintf("%4d", x.rank), fmt.Sprintf("%.4f", x.score)
	if x.rank == 0 {
		rank, score = "   –", "not found"
	}
	if at {
		cursor, style, id = "› ", th.Cursor, th.Cursor
	}
	return cell.Columns([]int{12, max(8, s.width-12-12)},
		cell.Line(12, id.Of(cursor+rank+" "), style.Of(mark)),
		cell.Line(max(7, s.width-12-13), id.Of(x.chunkID)),
		cell.Line(12, th.Dim.Of(score)))
}

// valuesOf spells a query's values of the measures.
func (s *Screen) valuesOf(id string) string {
	out := ""
	i, ok := slices.BinarySearchFunc(s.report.Queries, id, func(q queryValues, id string) int { return cmp.Compare(q.QueryID, id) })
	if !ok {
		return out
	}
	for _, m := range s.report.Measures {
		out += "  " + m.Name + " " + number(s.report.Queries[i].Values[m.Name])
	}
	return out
}
