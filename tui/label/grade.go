package label

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/label/outbox"
	"assay/tui/port"
	"assay/tui/screen"
)

// idle is the longest pause between two keys that still counts as work.
const idle = time.Minute

// pace measures how fast the annotator grades, pauses excluded.
type pace struct {
	lastKey time.Time
	active  time.Duration   // since the last grade
	spent   []time.Duration // on each of the last grades
}

func (p *pace) key(now time.Time) {
	if !p.lastKey.IsZero() {
		p.active += min(max(0, now.Sub(p.lastKey)), idle)
	}
	p.lastKey = now
}

// grade closes the account of one grade.
func (p *pace) grade() time.Duration {
	spent := p.active
	p.active = 0
	p.spent = append(p.spent, spent)
	if len(p.spent) > 30 {
		p.spent = p.spent[1:]
	}
	return spent
}

// perMinute is 0 until there are enough grades to tell.
func (p *pace) perMinute() float64 {
	var sum time.Duration
	for _, d := range p.spent {
		sum += d
	}
	if len(p.spent) < 3 || sum <= 0 {
		return 0
	}
	return float64(len(p.spent)) / sum.Minutes()
}

// target is the chunk that a key means: the one at the cursor on screen now, with how it was found. why says what
// keeps it from being graded.
func (s *Screen) target() (r row, found corpus.Found, why string) {
	switch {
	case s.q.id == "":
		return r, found, "there is no query to grade for"
	case !s.q.loaded:
		return r, found, "not yet: the query is still loading"
	}
	if s.focus == inDocument {
		c, ok := s.doc.current()
		if !ok || s.doc.queryID != s.q.id {
			return r, found, "not yet: the document is still loading"
		}
		if c.ID == s.doc.from.chunkID {
			return s.doc.from, s.doc.found, ""
		}
		return row{chunkID: c.ID, docID: c.DocID}, corpus.Found{Route: corpus.RouteDocument, Revealed: s.revealed}, ""
	}
	if s.tab == searchTab && (s.lagging() || s.find.shownQuery != s.q.id) {
		return r, found, "not yet: the list is older than the search"
	}
	r, ok := s.tabs[s.tab].current()
	if !ok {
		return r, found, "there is no chunk here: / searches"
	}
	return r, s.found(r), ""
}

// found is how the annotator came to a row of the list.
func (s *Screen) found(r row) corpus.Found {
	if s.tab == searchTab {
		return corpus.Found{Route: corpus.RouteSearch, Search: s.find.shown.Request.Text, Rank: r.rank, Revealed: s.revealed}
	}
	if s.tab == sentTab {
		// Rank and source were seen where it was sent from.
		return corpus.Found{Route: corpus.RoutePool, Run: s.q.sent.Run, Rank: r.rank, Revealed: true}
	}
	route := corpus.RouteSearch
	if l, ok := s.label(r.chunkID); ok && l.Found != "" {
		route = l.Found
	}
	return corpus.Found{Route: route, Revealed: s.revealed}
}

// gradeOf is the grade that a chunk has or is about to have.
func (s *Screen) gradeOf(chunkID string) (corpus.Grade, bool) {
	if w, ok := s.box.GradeOf(s.q.id, chunkID); ok {
		return w.Grade, w.Kind == outbox.Grade
	}
	l, ok := s.label(chunkID)
	return l.Grade, ok
}

func (s *Screen) grade(g corpus.Grade) tea.Cmd {
	r, found, why := s.target()
	if why != "" {
		s.warn("%s", why)
		return nil
	}
	s.addGrade(r.chunkID, g, found)
	s.countFor(found)
	if s.ws.Scale.Relevant(g) && s.hardNegative(r.chunkID) {
		s.unsay(corpus.SaidHardNegative, r.chunkID, "no longer a hard negative")
	}
	if s.focus == inList && s.ws.AutoAdvance {
		return s.advance()
	}
	return nil
}

// countFor notes that a search was read, by what it led to.
func (s *Screen) countFor(found corpus.Found) {
	if found.Route == corpus.RouteSearch || s.focus == inDocument {
		s.countSearch()
		s.recordSearch()
	}
}

func (s *Screen) addGrade(chunkID string, g corpus.Grade, found corpus.Found) {
	desk := s.desk
	grading := port.Grading{QueryID: s.q.id, ChunkID: chunkID, Grade: g, Found: found, Active: s.pace.grade()}
	s.box.Add(outbox.Write{
		Kind: outbox.Grade, QueryID: s.q.id, ChunkID: chunkID, Grade: g,
		Words: fmt.Sprintf("%s on %s", gradeWords(s.ws.Scale, g), chunkID),
		Do:    func(ctx context.Context) (port.Saved, error) { return desk.Grade(ctx, grading) },
	})
}

func gradeWords(scale corpus.Scale, g corpus.Grade) string {
	if name := scale.Name(g); g != corpus.CannotJudge && name != g.String() {
		return "grade " + g.String() + " " + name
	} else if g == corpus.CannotJudge {
		return name
	}
	return "grade " + g.String()
}

func (s *Screen) clear() {
	r, _, why := s.target()
	if why != "" {
		s.warn("%s", why)
		return
	}
	if _, ok := s.gradeOf(r.chunkID); !ok {
		s.say("this chunk has no grade")
		return
	}
	desk, queryID, chunkID := s.desk, s.q.id, r.chunkID
	s.box.Add(outbox.Write{
		Kind: outbox.Clear, QueryID: queryID, ChunkID: chunkID, Words: "clearing the grade of " + chunkID,
		Do: func(ctx context.Context) (port.Saved, error) { return desk.Clear(ctx, queryID, chunkID) },
	})
}

// toggleHardNegative says that a chunk looks relevant and is not. One that nobody graded gets the lowest grade with it.
func (s *Screen) toggleHardNegative() tea.Cmd {
	r, found, why := s.target()
	if why != "" {
		s.warn("%s", why)
		return nil
	}
	if s.hardNegative(r.chunkID) {
		s.unsay(corpus.SaidHardNegative, r.chunkID, "no longer a hard negative")
		return nil
	}
	g, judged := s.gradeOf(r.chunkID)
	switch {
	case judged && s.ws.Scale.Relevant(g):
		s.warn("graded %s %s: a relevant chunk is no hard negative", g, s.ws.Scale.Name(g))
		return nil
	case judged && g < 0:
		s.warn("marked as %s: grade it first", s.ws.Scale.Name(g))
		return nil
	}
	if !judged {
		s.addGrade(r.chunkID, s.ws.Scale.Min, found)
	}
	s.countFor(found)
	s.sayAbout(corpus.Said{QueryID: s.q.id, What: corpus.SaidHardNegative, Value: r.chunkID}, "a hard negative: "+r.chunkID, "")
	if !judged && s.focus == inList && s.ws.AutoAdvance {
		return s.advance()
	}
	return nil
}

// unsay queues the taking back of a statement about the query at hand.
func (s *Screen) unsay(what corpus.What, value, words string) {
	s.addSaid(corpus.Said{QueryID: s.q.id, What: what, Value: value}, words, "", s.desk.Unsay)
}

// sayAbout queues a statement; draft is what it makes superfluous.
func (s *Screen) sayAbout(said corpus.Said, words, draft string) {
	s.addSaid(said, words, draft, s.desk.Say)
}

func (s *Screen) addSaid(said corpus.Said, words, draft string, do func(context.Context, corpus.Said) (port.Saved, error)) {
	said.Annotator = s.ws.Annotator
	s.box.Add(outbox.Write{
		Kind: outbox.Said, QueryID: said.QueryID, Words: words, Draft: draft,
		Do: func(ctx context.Context) (port.Saved, error) { return do(ctx, said) },
	})
}

// undo drops a write that is not on disk yet, else asks for the newest change to be taken back.
func (s *Screen) undo() {
	if w, ok := s.box.Drop(); ok {
		if w.Text != "" && w.Draft != "" {
			s.drafts[w.Draft] = w.Text // a note that could not be saved is not lost
		}
		s.say("not saved, dropped: %s", w.Words)
		return
	}
	s.recordSearch()
	s.box.Add(outbox.Write{Kind: outbox.Undo, Words: "taking back the last change", Do: s.desk.Undo})
}

func (s *Screen) redo() {
	s.box.Add(outbox.Write{Kind: outbox.Redo, Words: "doing it again", Do: s.desk.Redo})
}

// goWanted goes to the chunk that Open was asked for, once list and sheet are here: in the list, else among the judged,
// else in its document.
func (s *Screen) goWanted() tea.Cmd {
	want := s.q.want
	if want == "" || !s.q.loaded || s.find.busy {
		return nil
	}
	s.q.want = ""
	return s.goTo(want)
}

func (s *Screen) goTo(chunkID string) tea.Cmd {
	if s.focus == inDocument {
		if i := s.doc.find(chunkID); i >= 0 {
			s.doc.cursor = i
			s.doc.show = true
			return nil
		}
		s.closeDocument()
	}
	for _, tab := range []int{s.tab, sentTab, searchTab, judgedTab} {
		if tab == judgedTab && s.tab != judgedTab {
			s.fillJudged()
		}
		if i := s.tabs[tab].find(chunkID); i >= 0 {
			s.tab, s.tabs[tab].cursor = tab, i
			return nil
		}
	}
	return s.openDocument(row{chunkID: chunkID}, corpus.Found{Route: corpus.RouteDocument, Revealed: s.revealed})
}

// acknowledged is called when a write is on disk, or is not.
func (s *Screen) acknowledged(m outbox.SavedMsg) tea.Cmd {
	w, done := s.box.Got(m, func(err error) bool { return errors.Is(err, port.ErrNothing) })
	switch {
	case !done:
		return nil
	case m.Err != nil && w.Kind == outbox.Redo:
		s.say("nothing to do again")
		return nil
	case m.Err != nil:
		s.say("nothing to take back")
		return nil
	}
	switch w.Kind {
	case outbox.Search:
		s.noteTried(w.Tried)
		return nil
	case outbox.Draft:
		return nil
	case outbox.Undo, outbox.Redo:
		return tea.Batch(s.follow(m.Saved), screen.Ask(screen.Changed{}))
	}
	if w.Draft != "" {
		s.dropDraft(w.Draft)
	}
	switch {
	case m.Saved.Changed && w.Kind == outbox.State && w.State != corpus.Open:
		// The next query is on screen by now.
	case m.Saved.Changed && m.Saved.Words != "":
		s.say("%s", m.Saved.Words)
	case !m.Saved.Changed && w.Kind == outbox.State:
		s.say("%s is %s already", w.QueryID, w.State)
	case !m.Saved.Changed:
		s.say("already so: %s", w.Words)
	}
	cmd := s.landed(w)
	s.sayWhenSentIsDone(w)
	return tea.Batch(cmd, screen.Ask(screen.Changed{}))
}

// landed brings what the screen knows up to what is on disk.
func (s *Screen) landed(w outbox.Write) tea.Cmd {
	if w.Kind == outbox.Grade {
		s.labeled = true
	}
	if w.Kind == outbox.State {
		s.queue.setState(w.QueryID, w.State)
	}
	if w.QueryID != s.q.id || !s.q.loaded {
		return nil
	}
	stale := s.q.sheet.Stale[w.ChunkID]
	switch w.Kind {
	case outbox.Grade:
		l := s.q.sheet.Labels[w.ChunkID]
		l.QueryID, l.ChunkID, l.Annotator, l.Grade = w.QueryID, w.ChunkID, s.ws.Annotator, w.Grade
		s.q.sheet.Labels[w.ChunkID] = l
	case outbox.Clear:
		delete(s.q.sheet.Labels, w.ChunkID)
		delete(s.q.sheet.Stale, w.ChunkID)
	case outbox.State:
		s.q.sheet.State = w.State
	}
	if w.Kind == outbox.Said || w.Kind == outbox.Note || stale {
		return s.reloadSheet()
	}
	return nil
}

// follow goes where an undo or redo changed something, and says what.
func (s *Screen) follow(saved port.Saved) tea.Cmd {
	var open tea.Cmd
	if saved.QueryID != s.q.id && saved.QueryID != "" {
		open = s.Open(saved.QueryID, saved.ChunkID)
	} else {
		s.q.want = saved.ChunkID
		open = s.reloadSheet()
	}
	where := saved.QueryID
	if saved.ChunkID != "" {
		where += " " + saved.ChunkID
	}
	s.say("%s · %s", saved.Words, where)
	return tea.Batch(open, s.reloadQueue())
}
