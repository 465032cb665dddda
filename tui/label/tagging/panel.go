package tagging

import (
	"encoding/json"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"assay/corpus"
	"assay/tui/cell"
	"assay/tui/screen"
)

// freeForm is the form of a new tag of the annotator's own; "" is the list of tags.
const freeForm = "free"

var knownTags = []string{corpus.TagUnanswerable, corpus.TagConflicting, corpus.TagIdentifier, corpus.TagFollowUp}

var tagHelp = map[string]string{
	corpus.TagUnanswerable: "the corpus holds no answer; keeps the searches you tried",
	corpus.TagConflicting:  "chunks contradict each other; says which one holds",
	corpus.TagIdentifier:   "it looks up an exact string",
	corpus.TagFollowUp:     "it needs the turn before; holds a rewrite that stands alone",
	freeForm:               "a tag of your own",
}

// Facts are what the panel knows about the query.
type Facts struct {
	Query    corpus.Query
	Said     []corpus.Said
	Searches []corpus.SearchTried        // those that count
	Relevant int                         // chunks graded relevant
	Chunks   []string                    // that may contradict each other: graded ones, best first, then those seen
	Mark     func(chunk string) cell.Seg // a chunk's grade
	Known    func(query string) bool     // whether there is such a query
	Draft    func(form string) string    // what was typed into a form before
}

func (f Facts) tag(name string) (corpus.Said, bool) {
	i := slices.IndexFunc(f.Said, func(s corpus.Said) bool { return s.What == corpus.SaidTag && s.Value == name })
	if i < 0 {
		return corpus.Said{}, false
	}
	return f.Said[i], true
}

// proposed reports whether a tag is only a guess so far.
func (f Facts) proposed(name string) bool {
	_, has := f.tag(name)
	return !has && slices.Contains(f.Query.Proposed, name)
}

// Panel is the panel. Its zero value is closed.
type Panel struct {
	query  string // id; "" where the panel is closed
	form   string
	cursor int // in the list of tags, or of chunks

	fields []cell.Field
	at     int // the field with focus; -1: the chunks

	chunks []string
	picked map[string]bool
	holds  string
}

// Answer is what came of a key.
type Answer struct {
	Said    *corpus.Said // to be said
	Unsaid  *corpus.Said // to be taken back
	Reject  string       // a proposed tag that the annotator doesn't share
	Form    string       // the form that was saved or left
	Draft   string       // what was typed there, to be kept; "" where there is nothing, or where it was saved
	Words   string       // for the status line
	Refused bool         // Words tell why nothing was done
}

// New opens the panel for a query.
func New(queryID string) Panel { return Panel{query: queryID, at: -1} }

// Open reports whether the panel is.
func (p *Panel) Open() bool { return p.query != "" }

// Field is the text field that has focus, nil where none has.
func (p *Panel) Field() *cell.Field {
	if p.form == "" || p.at < 0 || p.at >= len(p.fields) {
		return nil
	}
	return &p.fields[p.at]
}

// Typed is what the open form's fields hold, as Facts.Draft gives it back; "" where they are empty.
func (p *Panel) Typed() (form, draft string) {
	if p.form == "" || len(p.fields) == 0 {
		return "", ""
	}
	texts, empty := make([]string, len(p.fields)), true
	for i := range p.fields {
		texts[i] = p.fields[i].Text()
		empty = empty && texts[i] == ""
	}
	if empty {
		return p.form, ""
	}
	b, err := json.Marshal(texts)
	if err != nil {
		return p.form, ""
	}
	return p.form, string(b)
}

// Keys are the bindings of the list or the form that is open.
func (p *Panel) Keys() []screen.Binding {
	down := screen.Binding{Action: "down", Keys: []string{"j", "down"}, Help: "down", Group: "Move"}
	up := screen.Binding{Action: "up", Keys: []string{"k", "up"}, Help: "up", Group: "Move"}
	back := screen.Binding{Action: "back", Keys: []string{"esc"}, Help: "back, keeps a draft", Group: "Move", Short: "back"}
	save := screen.Binding{Action: "save", Keys: []string{"ctrl+s", "enter"}, Help: "save the tag", Group: "Tag", Short: "save"}
	part := screen.Binding{Action: "next-part", Keys: []string{"tab"}, Help: "next part of the form", Group: "Tag", Short: "next", Text: true}
	switch {
	case p.form == "":
		return []screen.Binding{
			{Action: "open", Keys: []string{"enter", " "}, Help: "set or change this tag", Group: "Tag", Short: "set", Text: true},
			{Action: "clear", Keys: []string{"x"}, Help: "take the tag away", Group: "Tag", Short: "remove"},
			down, up, {Action: "back", Keys: []string{"esc", "t"}, Help: "close the panel", Group: "Move", Short: "close"},
		}
	case p.form == corpus.TagConflicting && p.Field() == nil:
		return []screen.Binding{
			{Action: "pick", Keys: []string{" "}, Help: "pick the chunk, or not", Group: "Tag", Short: "pick"},
			{Action: "holds", Keys: []string{"w"}, Help: "this is the one that holds", Group: "Tag", Short: "holds"},
			part, save, down, up, back,
		}
	case len(p.fields) > 1 || p.form == corpus.TagConflicting:
		return []screen.Binding{save, part, back}
	}
	return []screen.Binding{save, back}
}

// Type gives a key to the field that has focus.
func (p *Panel) Type(m tea.KeyMsg) cell.Edit {
	if f := p.Field(); f != nil {
		return f.Key(m)
	}
	return cell.Edit{}
}

// Act does one of the actions of Keys; any other does nothing.
func (p *Panel) Act(action string, f Facts) Answer {
	if !slices.ContainsFunc(p.Keys(), func(b screen.Binding) bool { return b.Action == action }) {
		return Answer{}
	}
	switch action {
	case "open":
		return p.openForm(f)
	case "clear":
		return p.remove(f)
	case "down":
		p.move(1, f)
	case "up":
		p.move(-1, f)
	case "pick":
		p.pick()
	case "holds":
		p.pickHolding()
	case "next-part":
		p.nextField()
	case "save":
		if p.form == corpus.TagFollowUp && p.at == 0 && p.fields[1].Empty() {
			p.nextField() // enter in the first of two fields
			return Answer{}
		}
		return p.save(f)
	case "back":
		return p.back(f)
	}
	return Answer{}
}

// rows are the known tags, the free ones that the query has or that are proposed for it, and the way to a new one, which is "".
func rows(f Facts) []string {
	tags := slices.Clone(knownTags)
	for _, s := range f.Said {
		if s.What == corpus.SaidTag && !slices.Contains(knownTags, s.Value) {
			tags = append(tags, s.Value)
		}
	}
	for _, t := range f.Query.Proposed {
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return append(tags, "")
}

func (p *Panel) tagAtCursor(f Facts) string {
	tags := rows(f)
	return tags[min(max(0, p.cursor), len(tags)-1)]
}

func (p *Panel) move(by int, f Facts) {
	n := len(rows(f))
	if p.form != "" {
		n = len(p.chunks)
	}
	p.cursor = min(max(0, p.cursor+by), max(0, n-1))
}

// openForm opens what the tag at the cursor needs. A free tag needs nothing.
func (p *Panel) openForm(f Facts) Answer {
	tag := p.tagAtCursor(f)
	said, has := f.tag(tag)
	p.form, p.at, p.fields = tag, -1, nil
	switch tag {
	case corpus.TagUnanswerable:
	case corpus.TagConflicting:
		p.openConflict(f, said)
	case corpus.TagIdentifier:
		proof := corpus.IdentifierProof{Identifier: identifierIn(f.Query.Text)}
		read(said.Proof, &proof)
		p.setFields(0, proof.Identifier)
	case corpus.TagFollowUp:
		proof := corpus.FollowUpProof{ParentID: f.Query.ParentID, Standalone: f.Query.Standalone}
		read(said.Proof, &proof)
		p.setFields(0, proof.ParentID, proof.Standalone)
		if proof.ParentID != "" || len(f.Query.Turns) > 0 {
			p.at = 1
		}
	case "":
		p.form = freeForm
		p.setFields(0, "")
	default:
		p.form = ""
		if f.proposed(tag) {
			return Answer{Said: &corpus.Said{QueryID: p.query, What: corpus.SaidTag, Value: tag}}
		}
		return Answer{Words: tag + " is a tag of your own: x takes it away"}
	}
	if !has && p.restore(f) {
		return Answer{Words: "your draft is back"}
	}
	return Answer{}
}

func (p *Panel) setFields(at int, texts ...string) {
	p.at, p.fields = at, make([]cell.Field, len(texts))
	for i, t := range texts {
		p.fields[i].Set(t)
	}
}

// read fills proof from what is stored; what can't be read leaves it as it is.
func read[T any](raw json.RawMessage, proof *T) {
	var stored T
	if len(raw) > 0 && json.Unmarshal(raw, &stored) == nil {
		*proof = stored
	}
}

func (p *Panel) openConflict(f Facts, said corpus.Said) {
	var proof corpus.ConflictProof
	read(said.Proof, &proof)
	p.setFields(-1, proof.Note)
	p.cursor, p.holds, p.picked = 0, proof.Holds, map[string]bool{}
	p.chunks = slices.Clone(f.Chunks)
	for _, id := range proof.ChunkIDs {
		p.picked[id] = true
		if !slices.Contains(p.chunks, id) {
			p.chunks = append(p.chunks, id)
		}
	}
}

// restore fills the fields with a draft and reports whether there was one.
func (p *Panel) restore(f Facts) bool {
	var texts []string
	if f.Draft == nil || json.Unmarshal([]byte(f.Draft(p.form)), &texts) != nil {
		return false
	}
	for i := range min(len(texts), len(p.fields)) {
		p.fields[i].Set(texts[i])
	}
	return true
}

// back leaves the form for the list, or the list for good.
func (p *Panel) back(f Facts) Answer {
	if p.form == "" {
		*p = Panel{}
		return Answer{}
	}
	form, draft := p.Typed()
	p.list(f)
	return Answer{Form: form, Draft: draft}
}

// list goes back to the list of tags, to the one whose form was open.
func (p *Panel) list(f Facts) {
	tags := rows(f)
	form := p.form
	if form == freeForm {
		form = "" // where a tag that is saved now will stand
	}
	*p = Panel{query: p.query, at: -1, cursor: max(0, slices.Index(tags, form))}
}

func (p *Panel) nextField() {
	if len(p.fields) == 0 {
		return
	}
	p.at++
	if p.at >= len(p.fields) {
		p.at = 0
		if p.form == corpus.TagConflicting {
			p.at = -1
		}
	}
}

func (p *Panel) pick() {
	if p.cursor >= len(p.chunks) {
		return
	}
	id := p.chunks[p.cursor]
	p.picked[id] = !p.picked[id]
	if !p.picked[id] && p.holds == id {
		p.holds = ""
	}
}

// pickHolding says which of the chunks is right; the same again says that it is not known.
func (p *Panel) pickHolding() {
	if p.cursor >= len(p.chunks) {
		return
	}
	id := p.chunks[p.cursor]
	if p.holds == id {
		p.holds = ""
		return
	}
	p.holds, p.picked[id] = id, true
}

func (p *Panel) remove(f Facts) Answer {
	tag := p.tagAtCursor(f)
	said, has := f.tag(tag)
	if f.proposed(tag) {
		return Answer{Reject: tag, Words: "rejected the proposal " + tag}
	}
	if !has || tag == "" {
		return Answer{Words: "the query does not have this tag", Refused: true}
	}
	return Answer{Unsaid: &corpus.Said{QueryID: p.query, What: corpus.SaidTag, Value: said.Value}}
}
