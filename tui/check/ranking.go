package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/tui/port"
	"assay/tui/screen"
)

// ranking is one query's ranking by one of the chosen runs, with this annotator's grades beside it.
type ranking struct {
	id     string
	text   string
	run    port.Run
	failed string // why the retriever has no answer
	rows   []ranked
	loaded bool
	err    error
	place
}

// ranked is a chunk with its rank, 0 where the run did not return it.
type ranked struct {
	rank    int
	chunkID string
	score   float64
	grade   corpus.Grade
	judged  bool // it has a grade of this annotator's, can't judge included
	stale   bool // that grade is of another text
	others  bool // somebody else judged it, this annotator did not
}

// open reports whether nobody judged the chunk.
func (x ranked) open() bool { return !x.judged && !x.others }

type rankedMsg struct {
	gen    int
	text   string
	failed string
	rows   []ranked
	err    error
}

// rank reads a query's ranking by a run and the grades. The one on show stays until it is here.
func (s *Screen) rank(id string, run port.Run) tea.Cmd {
	s.gen++
	gen, checker, desk, scale := s.gen, s.o.Checker, s.o.Desk, s.ws.Scale
	if s.ranking == nil || s.ranking.id != id || s.ranking.run.Name != run.Name {
		s.ranking = &ranking{id: id, text: s.texts[id], run: run}
	}
	return func() tea.Msg {
		ctx := context.Background()
		m := rankedMsg{gen: gen}
		found, err := checker.Ranking(ctx, run.Name, id)
		if err != nil {
			m.err = err
			return m
		}
		sheet, err := desk.Sheet(ctx, id)
		if err != nil {
			m.err = err
			return m
		}
		m.text, m.failed, m.rows = sheet.Query.Text, found.Error, beside(found, sheet, scale)
		return m
	}
}

// beside puts grades beside a ranking, and after it the relevant chunks that are not in it, the best grade first.
func beside(found port.Ranking, sheet port.Sheet, scale corpus.Scale) []ranked {
	rows := make([]ranked, 0, len(found.Hits))
	there := map[string]bool{}
	for i, h := range found.Hits {
		l, judged := sheet.Labels[h.ChunkID]
		there[h.ChunkID] = true
		rows = append(rows, ranked{i + 1, h.ChunkID, h.Score, l.Grade, judged, sheet.Stale[h.ChunkID], !judged && found.Judged[h.ChunkID]})
	}
	missed := []ranked{}
	for id, l := range sheet.Labels {
		if !there[id] && scale.Relevant(l.Grade) {
			missed = append(missed, ranked{chunkID: id, grade: l.Grade, judged: true, stale: sheet.Stale[id]})
		}
	}
	slices.SortFunc(missed, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.grade, a.grade), cmp.Compare(a.chunkID, b.chunkID))
	})
	return append(rows, missed...)
}

func (s *Screen) ranked(m rankedMsg) {
	r := s.ranking
	if r == nil || m.gen != s.gen {
		return
	}
	r.err = m.err
	if m.err != nil {
		return
	}
	at, _ := r.current()
	r.text, r.failed, r.rows, r.loaded = m.text, m.failed, m.rows, true
	if i := slices.IndexFunc(r.rows, func(x ranked) bool { return x.chunkID == at.chunkID }); i >= 0 {
		r.cursor = i
	}
}

func (r *ranking) current() (ranked, bool) {
	if r.cursor < 0 || r.cursor >= len(r.rows) {
		return ranked{}, false
	}
	return r.rows[r.cursor], true
}

// nextUnjudged moves to the next unjudged chunk below the cursor.
func (r *ranking) nextUnjudged() bool {
	for i := r.cursor + 1; i < len(r.rows); i++ {
		if r.rows[i].open() {
			r.cursor = i
			return true
		}
	}
	return false
}

// unjudged are the chunks of the top k that nobody judged.
func (r *ranking) unjudged(k int) []screen.Candidate {
	var open []screen.Candidate
	for _, x := range r.rows[:min(k, len(r.rows))] {
		if x.rank > 0 && x.open() {
			open = append(open, screen.Candidate{ChunkID: x.chunkID, Rank: x.rank})
		}
	}
	return open
}

// topK is how deep a ranking is sent to labeling: as deep as the measure at hand looks, 10 where it looks at all.
func (s *Screen) topK() int {
	if m, err := retrieval.ParseMeasures(s.measureName()); err == nil && len(m) == 1 && m[0].Cutoff() > 0 {
		return m[0].Cutoff()
	}
	return 10
}

func (s *Screen) runRanking(action string) tea.Cmd {
	r := s.ranking
	switch action {
	case "label":
		if x, ok := r.current(); ok {
			return screen.Ask(screen.OpenQuery{QueryID: r.id, ChunkID: x.chunkID, Above: true})
		}
	case "send":
		k := s.topK()
		open := r.unjudged(k)
		switch {
		case !r.loaded:
			return screen.Ask(screen.Say{Text: "not yet: the ranking is still loading"})
		case len(open) == 0:
			return screen.Ask(screen.Say{Text: fmt.Sprintf("nothing is unjudged in the top %d", k)})
		}
		return screen.Ask(screen.LabelChunks{QueryID: r.id, Run: r.run.Title(), Chunks: open})
	case "next-unjudged":
		if !r.nextUnjudged() {
			return screen.Ask(screen.Say{Text: "no unjudged chunk below"})
		}
	case "next-run":
		at := slices.IndexFunc(s.chosen, func(m *measured) bool { return m.run.Name == r.run.Name })
		if next := s.chosen[(at+1)%len(s.chosen)].run; next.Name != r.run.Name {
			return s.rank(r.id, next)
		}
		return screen.Ask(screen.Say{Text: "one run only is shown: c on the figures chooses more"})
	}
	return nil
}
