package label

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/outbox"
	"assay/tui/port"
)

const (
	firstHits = 100 // how many hits a search asks for
	moreHits  = 400 // how many more when the list's end comes near
	nearEnd   = 10
)

// dwell is how long results must be looked at for their search to count as tried.
const dwell = time.Second

// find is the search box and what was found.
type find struct {
	box   cell.Field
	mode  corpus.Mode
	typed bool // the text was typed: its last word may be unfinished

	gen    int
	cancel context.CancelFunc
	asked  corpus.SearchRequest // newest request
	busy   bool
	wrong  string // why the newest request failed

	shown      corpus.SearchResult // what the list shows
	shownQuery string              // the query that it was asked for
	extending  bool

	counted  bool // as a search that was tried
	deepest  int
	recorded int // deepest as it was last written
}

type foundMsg struct {
	gen    int
	extend bool
	result corpus.SearchResult
	err    error
}

type dwellMsg struct{ gen int }

// forgetSearch cancels what is under way and empties the list, for the next query.
func (s *Screen) forgetSearch() {
	if s.find.cancel != nil {
		s.find.cancel()
	}
	s.find = find{gen: s.find.gen + 1}
}

// search asks for what the box says, or for more of it. A newer search cancels this one.
func (s *Screen) search(extend bool) tea.Cmd {
	f := &s.find
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	f.gen++
	text := f.box.Text()
	limit := firstHits
	if extend {
		limit = len(f.shown.Hits) + moreHits
		text = f.asked.Text
	} else {
		s.recordSearch()
		f.counted, f.recorded = false, 0
	}
	f.extending = extend
	req := corpus.SearchRequest{Text: text, Mode: f.mode, Limit: limit, Prefix: f.typed, RelevantFrom: s.ws.Scale.RelevantFrom}
	if f.mode == corpus.Syntax {
		req.Grades = make(map[string]corpus.Grade, len(s.q.sheet.Labels))
		for id, l := range s.q.sheet.Labels {
			req.Grades[id] = l.Grade
		}
	}
	if !extend {
		f.asked, f.busy = req, true
	}
	gen, finder := f.gen, s.finder
	if strings.TrimSpace(text) == "" || s.ws.Chunks == 0 {
		return s.gotResults(foundMsg{gen: gen, result: corpus.SearchResult{Request: req}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	return func() tea.Msg {
		defer cancel()
		result, err := finder.Search(ctx, req)
		return foundMsg{gen, extend, result, err}
	}
}

func (s *Screen) gotResults(m foundMsg) tea.Cmd {
	f := &s.find
	if m.gen != f.gen {
		return nil
	}
	f.cancel = nil
	if m.extend {
		f.extending = false
		s.extendList(m)
		return nil
	}
	f.busy = false
	if m.err != nil {
		if !errors.Is(m.err, context.Canceled) {
			f.wrong = m.err.Error()
			if s.focus == inBox {
				s.warn("%s", f.wrong)
			}
		}
		return nil
	}
	f.wrong = ""
	f.shown, f.shownQuery, f.deepest = m.result, s.q.id, 0
	s.q.left = ""
	f.shown.Request = f.asked
	s.tabs[searchTab] = list{rows: hitRows(m.result.Hits)}
	gen := f.gen
	return tea.Batch(s.goWanted(), s.tick(dwell, func(time.Time) tea.Msg { return dwellMsg{gen} }))
}

// extendList appends hits to an open list. Those that are there stay as they are: where the order differs, because
// the index changed meanwhile, nothing is appended.
func (s *Screen) extendList(m foundMsg) {
	f := &s.find
	have := len(f.shown.Hits)
	if m.err != nil || len(m.result.Hits) < have ||
		!slices.EqualFunc(f.shown.Hits, m.result.Hits[:have], func(a, b corpus.SearchHit) bool { return a.ChunkID == b.ChunkID }) {
		f.shown.Total = have
		return
	}
	f.shown.Hits = m.result.Hits
	if len(m.result.Hits) == have {
		f.shown.Total = have
	}
	s.tabs[searchTab].rows = hitRows(m.result.Hits)
}

// loadMore asks for more hits when the list's end comes near.
func (s *Screen) loadMore() tea.Cmd {
	f := &s.find
	if s.tab != searchTab || s.lagging() || f.extending || f.shown.Total <= len(f.shown.Hits) || s.tabs[searchTab].cursor < len(f.shown.Hits)-nearEnd {
		return nil
	}
	return s.search(true)
}

// lagging reports whether the list shows something else than the box asks for.
func (s *Screen) lagging() bool {
	f := &s.find
	return f.busy || f.wrong != "" || f.asked.Text != f.box.Text() || f.asked.Mode != f.mode
}

// boxKey edits the search; every change searches at once.
func (s *Screen) boxKey(m tea.KeyMsg) tea.Cmd {
	edit := s.find.box.Key(m)
	s.clipped(edit)
	if !edit.Changed {
		return nil
	}
	s.find.typed = true
	s.tab = searchTab
	return s.search(false)
}

// leaveBox goes back to the list. A search that failed gives way to the one whose results are shown.
func (s *Screen) leaveBox() {
	f := &s.find
	s.focus = inList
	if f.wrong != "" {
		f.wrong = ""
		f.asked, f.mode = f.shown.Request, f.shown.Request.Mode
		f.box.Set(f.asked.Text)
		f.typed = f.asked.Prefix
	}
}

// enterResults goes from the box to what was found.
func (s *Screen) enterResults() {
	if s.find.wrong != "" {
		s.warn("%s (esc goes back to the results shown)", s.find.wrong)
		return
	}
	s.focus, s.tab = inList, searchTab
	s.countSearch()
}

func (s *Screen) toggleMode() tea.Cmd {
	if s.find.mode == corpus.Syntax {
		s.find.mode = corpus.Plain
		s.say("plain search: every character stands for itself, but for a \"phrase\"")
	} else {
		s.find.mode = corpus.Syntax
		s.say(`query search: "phrase" -not word* fuzzy~ doc:PATH is:unjudged is:relevant`)
	}
	s.focus, s.tab = inBox, searchTab
	return s.search(false)
}

// countSearch notes that the results on screen were read.
func (s *Screen) countSearch() {
	f := &s.find
	if f.counted || s.lagging() || f.shownQuery != s.q.id || s.q.id == "" || strings.TrimSpace(f.asked.Text) == "" {
		return
	}
	f.counted, f.recorded = true, -1
	s.settle()
	s.recordSearch()
}

// recordSearch writes a search that counts, again when more of it was read since.
func (s *Screen) recordSearch() {
	tried := s.takeTried()
	if tried == nil {
		return
	}
	desk, t := s.desk, *tried
	s.box.Add(outbox.Write{
		Kind: outbox.Search, QueryID: t.QueryID, Words: "the search " + t.Text, Tried: t,
		Do: func(ctx context.Context) (port.Saved, error) {
			return port.Saved{QueryID: t.QueryID}, desk.Tried(ctx, t)
		},
	})
}

// takeTried is the search at hand if it counts and has not been written as it is now.
func (s *Screen) takeTried() *corpus.SearchTried {
	f := &s.find
	if !f.counted || f.deepest <= f.recorded {
		return nil
	}
	f.recorded = f.deepest
	return &corpus.SearchTried{
		QueryID: f.shownQuery, Text: f.shown.Request.Text, Mode: f.shown.Request.Mode, Results: f.shown.Total, Deepest: f.deepest,
		Annotator: s.ws.Annotator, CorpusID: s.ws.CorpusID,
	}
}

// noteTried keeps the sheet up to what is stored.
func (s *Screen) noteTried(t corpus.SearchTried) {
	if t.QueryID == s.q.id && s.q.loaded {
		t.At = s.now().UTC()
		s.q.sheet.Searches = append(slices.Clip(s.q.sheet.Searches), t)
	}
}

// tried are the searches that count, each once: the newest of a text, mode and corpus stands for those before it, with
// the deepest row that any of them was read to.
func tried(all []corpus.SearchTried) []corpus.SearchTried {
	type key struct {
		text, corpusID string
		mode           corpus.Mode
	}
	at := map[key]int{}
	var once []corpus.SearchTried
	for _, t := range all {
		k := key{t.Text, t.CorpusID, t.Mode}
		i, again := at[k]
		if !again {
			at[k] = len(once)
			once = append(once, t)
			continue
		}
		t.Deepest = max(t.Deepest, once[i].Deepest)
		once[i] = t
	}
	return once
}

// rerun does again what the list shows: a new order comes only so, or with the next query.
func (s *Screen) rerun() tea.Cmd {
	switch s.tab {
	case judgedTab:
		s.fillJudged()
		s.say("judged chunks, best first")
		return nil
	case sentTab:
		s.say("this list stays as it was sent")
		return nil
	}
	s.say("searched again")
	return s.search(false)
}
