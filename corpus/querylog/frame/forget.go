package frame

import (
	"cmp"
	"slices"

	"assay/corpus"
)

// Removed counts what Forget took out.
type Removed struct {
	Queries  int
	Mentions int // turns, parents and variants of others
}

// forgottenTurn stands where a turn's text was.
const forgottenTurn = "[forgotten]"

// Forget takes queries out of the frame, by id and by their very text, and out of what others say of them: a turn with
// such a text keeps its place only, a variant is dropped. Where one stood for a group, the most asked of the rest does.
// The frame is replaced as a whole, or left as it is where it holds none of them; ErrNone says that there is no frame.
func Forget(path string, forgotten func(id string) bool, texts []string) (Removed, error) {
	sweep(path)
	f, err := Open(path)
	if err != nil {
		return Removed{}, err
	}
	r := remover{forgotten: forgotten, texts: map[string]bool{}, heirs: map[string]*heir{}}
	for _, t := range texts {
		r.texts[t] = true
	}
	h := f.Header()
	h.Queries, h.Groups, h.Asked = 0, 0, 0
	for i := range h.Sources {
		h.Sources[i].Queries, h.Sources[i].Asked = 0, 0
	}
	// First who goes, then what the rest looks like without them, which a second walk writes.
	if err := r.findHeirs(f); err != nil {
		return Removed{}, err
	}
	for e, err := range f.Entries() {
		if err != nil {
			return Removed{}, err
		}
		if !r.change(&e) {
			continue
		}
		h.Queries++
		h.Asked = plus(h.Asked, e.Count)
		if e.Total > 0 {
			h.Groups++
		}
		for _, a := range e.Asked {
			if a.Source < len(h.Sources) {
				h.Sources[a.Source].Queries++
				h.Sources[a.Source].Asked = plus(h.Sources[a.Source].Asked, a.Count)
			}
		}
	}
	out := r.out
	if out == (Removed{}) {
		return out, nil
	}
	w, err := Create(path, h)
	if err != nil {
		return Removed{}, err
	}
	for e, err := range f.Entries() {
		if err == nil && r.change(&e) {
			err = w.Add(e)
		}
		if err != nil {
			w.Abort()
			return Removed{}, err
		}
	}
	return out, w.Commit()
}

type remover struct {
	forgotten func(id string) bool
	texts     map[string]bool
	heirs     map[string]*heir // by the id of a group's representative, of groups that lose one
	out       Removed
}

// heir is what a group looks like without those that go.
type heir struct {
	id       string // who stands for it
	count    int    // how often that one was asked
	total    int
	members  int
	variants []corpus.Variant
}

func (r *remover) goes(e Entry) bool { return r.forgotten(e.ID) || r.texts[e.Text] }

// findHeirs looks for groups that lose a member, and who stands for them then.
func (r *remover) findHeirs(f *Frame) error {
	for e, err := range f.Entries() {
		if err != nil {
			return err
		}
		if e.Group != "" && r.goes(e) {
			r.heirs[e.Group] = &heir{}
		}
	}
	if len(r.heirs) == 0 {
		return nil
	}
	for e, err := range f.Entries() {
		if err != nil {
			return err
		}
		h := r.heirs[e.Group]
		if h == nil || e.Group == "" || r.goes(e) {
			continue
		}
		h.members++
		h.total = plus(h.total, e.Count)
		h.variants = append(h.variants, corpus.Variant{ID: e.ID, Text: e.Text, Count: e.Count})
		stands := e.ID == e.Group
		if h.id == "" || stands || h.id != e.Group && e.Count > h.count {
			h.id, h.count = e.ID, e.Count
		}
	}
	for _, h := range r.heirs {
		h.variants = slices.DeleteFunc(h.variants, func(v corpus.Variant) bool { return v.ID == h.id })
		slices.SortStableFunc(h.variants, func(a, b corpus.Variant) int { return cmp.Compare(b.Count, a.Count) })
		h.variants = h.variants[:min(len(h.variants), corpus.MaxVariants)]
	}
	return nil
}

// change takes out of an entry what is forgotten, and reports whether the entry stays.
func (r *remover) change(e *Entry) bool {
	if r.goes(*e) {
		r.out.Queries++
		return false
	}
	for i, t := range e.Turns {
		if r.texts[t.Content] {
			e.Turns[i].Content = forgottenTurn
			r.out.Mentions++
		}
	}
	if e.ParentID != "" && r.forgotten(e.ParentID) {
		e.ParentID = ""
		r.out.Mentions++
	}
	if r.texts[e.Standalone] && e.Standalone != "" {
		e.Standalone = ""
		r.out.Mentions++
	}
	h := r.heirs[e.Group]
	if h == nil || e.Group == "" {
		return true
	}
	e.Total, e.Variants, e.Group = 0, nil, h.id
	switch {
	case h.members == 1:
		e.Group = ""
	case e.ID == h.id:
		e.Total, e.Variants = h.total, slices.Clone(h.variants)
	}
	return true
}
