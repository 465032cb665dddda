package label

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/label/outbox"
	"assay/tui/label/tagging"
	"assay/tui/port"
)

// autosaveAfter is how long typing rests before the draft is written.
const autosaveAfter = 2 * time.Second

// editor takes a text of several lines: a note on a chunk or on the query, or a reference answer.
type editor struct {
	open    bool
	gen     int
	title   string
	queryID string
	chunkID string
	what    corpus.What // SaidNote or SaidAnswer
	draft   string
	field   cell.Field
	saved   string // what is stored now
}

type draftMsg struct {
	gen  int
	name string
}

// draftName is a name that no other text has, whatever bytes the ids hold.
func draftName(kind string, ids ...string) string {
	for _, id := range ids {
		kind += "/" + url.PathEscape(id)
	}
	return kind
}

func (s *Screen) editNote() {
	r, _, why := s.target()
	if why != "" {
		s.warn("%s", why)
		return
	}
	if _, judged := s.gradeOf(r.chunkID); !judged && s.focus == inList {
		r.chunkID = s.q.left // grading moved on, the thought did not
	}
	if _, judged := s.gradeOf(r.chunkID); !judged {
		s.warn("grade the chunk first: a note belongs to a grade (M notes something on the query)")
		return
	}
	l, _ := s.label(r.chunkID)
	s.edit(editor{
		title: "note on " + r.chunkID, queryID: s.q.id, chunkID: r.chunkID, what: corpus.SaidNote, saved: l.Note,
		draft: draftName("note", s.q.id, r.chunkID),
	})
}

func (s *Screen) editQueryNote() {
	if !s.ready() {
		return
	}
	s.edit(editor{title: "note on query " + s.q.id, queryID: s.q.id, what: corpus.SaidNote, saved: s.note(), draft: draftName("note", s.q.id)})
}

func (s *Screen) editAnswer() {
	if !s.ready() {
		return
	}
	s.edit(editor{title: "reference answer to " + s.q.id, queryID: s.q.id, what: corpus.SaidAnswer, saved: s.answer(), draft: draftName("answer", s.q.id)})
}

// ready reports whether there is a query whose sheet is here, and says so if not.
func (s *Screen) ready() bool {
	switch {
	case s.q.id == "":
		s.warn("there is no query")
	case !s.q.loaded:
		s.warn("not yet: the query is still loading")
	}
	return s.q.id != "" && s.q.loaded
}

func (s *Screen) edit(e editor) {
	e.open, e.gen = true, s.editor.gen+1
	e.field.Lines = true
	e.field.Set(e.saved)
	if draft, ok := s.drafts[e.draft]; ok && draft != e.saved {
		e.field.Set(draft)
		s.say("your draft is back")
	}
	s.editor = e
}

func (s *Screen) editorKey(m tea.KeyMsg) tea.Cmd {
	e := &s.editor
	edit := e.field.Key(m)
	s.clipped(edit)
	if !edit.Changed {
		return nil
	}
	e.gen++
	gen, name := e.gen, e.draft
	return s.tick(autosaveAfter, func(time.Time) tea.Msg { return draftMsg{gen, name} })
}

// autosave writes the draft when typing rests.
func (s *Screen) autosave(m draftMsg) tea.Cmd {
	if s.editor.open && m.gen == s.editor.gen && m.name == s.editor.draft {
		s.keepDraft(m.name, s.editor.field.Text(), s.editor.saved)
	}
	return nil
}

// closeEditor keeps what was typed as a draft.
func (s *Screen) closeEditor() {
	e := &s.editor
	e.open = false
	if s.keepDraft(e.draft, e.field.Text(), e.saved) {
		s.say("kept as a draft")
	}
}

func (s *Screen) saveEditor() {
	e := &s.editor
	e.open = false
	text := e.field.Text()
	if e.field.Empty() {
		text = ""
	}
	desk, queryID, chunkID := s.desk, e.queryID, e.chunkID
	w := outbox.Write{Kind: outbox.Note, QueryID: queryID, ChunkID: chunkID, Draft: e.draft, Text: text, Words: e.title}
	switch {
	case e.what == corpus.SaidAnswer && text == "":
		said := corpus.Said{QueryID: queryID, What: corpus.SaidAnswer, Annotator: s.ws.Annotator}
		w.Do = func(ctx context.Context) (port.Saved, error) { return desk.Unsay(ctx, said) }
	case e.what == corpus.SaidAnswer:
		said := corpus.Said{QueryID: queryID, What: corpus.SaidAnswer, Value: text, Annotator: s.ws.Annotator}
		w.Do = func(ctx context.Context) (port.Saved, error) { return desk.Say(ctx, said) }
	default:
		w.Do = func(ctx context.Context) (port.Saved, error) { return desk.Note(ctx, queryID, chunkID, text) }
	}
	s.box.Add(w)
}

// keepDraft writes a draft that is neither stored nor written already, and reports whether there is one.
func (s *Screen) keepDraft(name, text, saved string) bool {
	if text == saved {
		s.dropDraft(name)
		return false
	}
	if old, ok := s.drafts[name]; ok && old == text {
		return true
	}
	s.drafts[name] = text
	s.writeDraft(name, text)
	return true
}

// dropDraft removes a draft that was saved or taken back.
func (s *Screen) dropDraft(name string) {
	if _, ok := s.drafts[name]; ok {
		delete(s.drafts, name)
		s.writeDraft(name, "")
	}
}

func (s *Screen) writeDraft(name, text string) {
	desk := s.desk
	s.box.Add(outbox.Write{Kind: outbox.Draft, Words: "a draft", Do: func(ctx context.Context) (port.Saved, error) {
		return port.Saved{}, desk.Draft(ctx, name, text)
	}})
}

// editorBox draws the editor over the lower part of the screen.
func (s *Screen) editorBox(r cell.Rect) []string {
	e := &s.editor
	lines := []string{cell.Rule(r.W, s.theme.Bar, s.theme.Strong.Of(e.title))}
	for _, l := range e.field.Block(r.W-4, r.H-2, true, s.theme.Text) {
		lines = append(lines, "  "+l)
	}
	return append(lines, cell.Rule(r.W, s.theme.Bar))[:max(0, r.H)]
}

func (s *Screen) openTags() {
	if s.ready() {
		s.recordSearch()
		s.tags = tagging.New(s.q.id)
	}
}

// facts are what the tag panel may know.
func (s *Screen) facts() tagging.Facts {
	return tagging.Facts{
		Query: s.query(), Said: s.q.sheet.Said, Searches: tried(s.q.sheet.Searches), Relevant: s.relevantCount(), Chunks: s.disputable(),
		Mark: s.mark,
		Known: func(id string) bool {
			_, ok := s.queue.row(id)
			return ok
		},
		Draft: func(form string) string { return s.drafts[draftName("tag", s.q.id, form)] },
	}
}

// disputable are the chunks of this query that may contradict each other: graded ones, best first, then those seen.
func (s *Screen) disputable() []string {
	ids := make([]string, 0, len(s.q.sheet.Labels)+len(s.q.seen))
	for _, r := range judgedRows(s.q.sheet.Labels) {
		ids = append(ids, r.chunkID)
	}
	for _, id := range s.q.seen {
		if _, graded := s.q.sheet.Labels[id]; !graded {
			ids = append(ids, id)
		}
	}
	return ids
}

// tagAction lets the panel act and writes what it says.
func (s *Screen) tagAction(action string) {
	a := s.tags.Act(action, s.facts())
	if a.Words != "" {
		s.message.Text, s.message.Bad = a.Words, a.Refused
	}
	name := draftName("tag", s.q.id, a.Form)
	switch {
	case a.Said != nil:
		s.sayAbout(*a.Said, "tagging "+a.Said.Value, name)
	case a.Unsaid != nil:
		s.unsay(a.Unsaid.What, a.Unsaid.Value, "taking the tag "+a.Unsaid.Value+" away")
	case a.Reject != "":
		s.reject(a.Reject)
	case a.Draft != "":
		s.keepDraft(name, a.Draft, "")
	case a.Form != "":
		s.dropDraft(name)
	}
}

// reject takes a proposal away. The sheet that the write brings back shows it gone.
func (s *Screen) reject(tag string) {
	guess, settle := port.Guess{QueryID: s.q.id, Tag: tag}, s.desk.Settle
	s.box.Add(outbox.Write{
		Kind: outbox.Said, QueryID: s.q.id, Words: "rejecting the proposal " + tag,
		Do: func(ctx context.Context) (port.Saved, error) { return settle(ctx, false, []port.Guess{guess}) },
	})
}

// proposals are the tags that are proposed and not the annotator's already.
func (s *Screen) proposals() []string {
	mine := s.myTags()
	return slices.DeleteFunc(slices.Clone(s.query().Proposed), func(t string) bool { return slices.Contains(mine, t) })
}

func (s *Screen) tagKey(m tea.KeyMsg) {
	s.clipped(s.tags.Type(m))
}

// clipped says so where a paste was too long.
func (s *Screen) clipped(e cell.Edit) {
	if e.Clipped {
		s.warn("only the first %d bytes were taken", cell.FieldLimit)
	}
}

func (s *Screen) myTags() []string {
	var tags []string
	for _, said := range s.q.sheet.Said {
		if said.What == corpus.SaidTag {
			tags = append(tags, said.Value)
		}
	}
	slices.SortFunc(tags, strings.Compare)
	return tags
}
