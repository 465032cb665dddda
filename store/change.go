package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"assay/corpus"
)

// Change is one thing to write, made by PutQuery, PutLabel and so on. A change that would change nothing writes no
// event; what is said is compared, not when or on which way it was found.
type Change struct {
	kind    corpus.EventKind
	subject corpus.Subject
	at      time.Time // when it was said; zero: now
	corpus  string    // the corpus that it is about; "": the one in force
	scale   string
	found   *corpus.Found
	text    string // of the labeled chunk
	err     error  // why it can't be written
	// settle makes what is to be kept of what is there already, both JSON, nil for nothing. errSame says that they
	// say the same.
	settle func(w *writer, before []byte) ([]byte, error)
}

var errSame = errors.New("nothing changes")

// check notes the first error, with what the change is about.
func (c Change) check(errs ...error) Change {
	for _, err := range errs {
		if err != nil && c.err == nil {
			c.err = err
		}
	}
	return c
}

func checkName(what, id string) error {
	if err := corpus.CheckID(id); err != nil {
		return fmt.Errorf("%s %q: %w", what, id, err)
	}
	return nil
}

func checkText(what, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the %s is not valid UTF-8", what)
	}
	return nil
}

// settled is a settle for values whose JSON says it all.
func settled(v any) func(*writer, []byte) ([]byte, error) {
	return func(_ *writer, before []byte) ([]byte, error) {
		after, err := encodeJSON(v)
		if err == nil && bytes.Equal(before, after) {
			return nil, errSame
		}
		return after, err
	}
}

func removed(_ *writer, before []byte) ([]byte, error) {
	if before == nil {
		return nil, errSame
	}
	return nil, nil
}

// PutQuery adds or replaces a query. A new one without an Order goes last, a known one keeps its place. What a newer
// program noted about a known query is kept.
func PutQuery(q corpus.Query) Change {
	c := Change{kind: corpus.EventQuery, subject: corpus.Subject{Query: q.ID}}
	c.settle = func(w *writer, before []byte) ([]byte, error) { return settleQuery(w, q, before) }
	if strings.TrimSpace(q.Text) == "" {
		c = c.check(fmt.Errorf("query %q: it is empty", q.ID))
	}
	return c.check(checkName("query", q.ID), checkText("query's text", q.Text))
}

func settleQuery(w *writer, q corpus.Query, before []byte) ([]byte, error) {
	q.Count = max(q.Count, 1)
	queries := w.tx.Bucket([]byte(bucketQueries))
	var was []byte // before, as this program would write it
	var known *corpus.Query
	var unknown map[string]json.RawMessage
	names := jsonNames(reflect.TypeFor[corpus.Query]())
	if before != nil {
		var old corpus.Query
		if err := json.Unmarshal(before, &old); err != nil {
			return nil, err
		}
		if q.Order == 0 {
			q.Order = old.Order
		}
		if err := json.Unmarshal(before, &unknown); err != nil {
			return nil, err
		}
		maps.DeleteFunc(unknown, func(name string, _ json.RawMessage) bool {
			return slices.ContainsFunc(names, func(k string) bool { return strings.EqualFold(k, name) })
		})
		var err error
		if was, err = encodeJSON(old); err != nil {
			return nil, err
		}
		known = &old
	}
	q, err := w.withoutForgotten(q, known)
	if err != nil {
		return nil, err
	}
	if q.Order == 0 {
		n, err := queries.NextSequence()
		if err != nil {
			return nil, err
		}
		q.Order = int(n)
	} else if last := queries.Sequence(); q.Order > 0 && uint64(q.Order) > last {
		if err := queries.SetSequence(uint64(q.Order)); err != nil {
			return nil, err
		}
	}
	after, err := encodeJSON(q)
	if err != nil {
		return nil, err
	}
	if before != nil && bytes.Equal(was, after) {
		return nil, errSame
	}
	if len(unknown) == 0 {
		return after, nil
	}
	if err := json.Unmarshal(after, &unknown); err != nil { // adds to what is there
		return nil, err
	}
	return assemble(unknown, names)
}

// PutLabel adds or replaces a label. found says how the annotator came to the chunk. chunkText is the chunk's text,
// which is kept once for all labels on it; "" where it is not at hand. A label without a time was made now, one
// without a scale is on the scale in force; its grade must be on its scale.
func PutLabel(l corpus.Label, found corpus.Found, chunkText string) Change {
	if l.Found == "" {
		l.Found = found.Route
	}
	found.Route = l.Found
	if l.Anchor.Evidence == nil {
		l.Anchor.Evidence = []corpus.Evidence{}
	}
	c := labelChange(l.Key())
	c.at, c.scale, c.text, c.found = l.At, l.ScaleID, chunkText, &found
	c.settle = func(w *writer, before []byte) ([]byte, error) { return settleLabel(w, l, before) }
	if chunkText != "" && l.Anchor.ChunkSHA256 != corpus.HashText(chunkText) {
		c = c.check(fmt.Errorf("chunk %q: the text given is not the one that the label points to", l.ChunkID))
	}
	if a := l.Anchor; a.Start != nil && (*a.Start < 0 || a.End == nil || *a.End < *a.Start) {
		c = c.check(fmt.Errorf("chunk %q: the label's span makes no sense", l.ChunkID))
	}
	return c.check(checkText("note", l.Note))
}

func labelChange(k corpus.LabelKey) Change {
	c := Change{kind: corpus.EventLabel, corpus: k.CorpusID,
		subject: corpus.Subject{Query: k.QueryID, Corpus: k.CorpusID, Chunk: k.ChunkID, Annotator: k.Annotator}}
	c = c.check(checkName("query", k.QueryID), checkName("chunk", k.ChunkID), checkName("annotator", k.Annotator))
	if k.CorpusID != "" {
		c = c.check(checkName("corpus", k.CorpusID))
	}
	return c
}

func settleLabel(w *writer, l corpus.Label, before []byte) ([]byte, error) {
	if l.At.IsZero() {
		l.At = w.now
	}
	l.At = l.At.UTC()
	if l.GuidelinesSHA256 == "" {
		l.GuidelinesSHA256 = w.by.Guidelines
	}
	scale, err := w.scaleOf(l.ScaleID)
	if err != nil {
		return nil, err
	}
	if l.ScaleID = scale.ID; !scale.Holds(l.Grade) {
		return nil, fmt.Errorf("grade %s is not on the scale %d to %d", l.Grade, scale.Min, scale.Max)
	}
	if before != nil {
		var old corpus.Label
		if err := json.Unmarshal(before, &old); err != nil {
			return nil, err
		}
		if saysTheSame(old, l) {
			return nil, errSame
		}
	}
	w.projector.fresh = &l
	return encodeJSON(l)
}

// saysTheSame compares what two labels say of a chunk. One that does not know which text of the query it was made on
// says nothing about that.
func saysTheSame(old, l corpus.Label) bool {
	if l.QuerySHA256 == "" {
		l.QuerySHA256 = old.QuerySHA256
	}
	return old.Grade == l.Grade && old.Note == l.Note && old.ScaleID == l.ScaleID &&
		old.QuerySHA256 == l.QuerySHA256 && reflect.DeepEqual(old.Anchor, l.Anchor)
}

// ClearLabel takes a label away.
func ClearLabel(k corpus.LabelKey) Change {
	c := labelChange(k)
	c.settle = removed
	return c
}

// PutWork says how far an annotator is with a query.
func PutWork(v corpus.Work) Change {
	c := Change{kind: corpus.EventWork, at: v.At, subject: corpus.Subject{Query: v.QueryID, Annotator: v.Annotator}}
	switch v.State {
	case corpus.Open, corpus.Later, corpus.Skipped, corpus.Done:
	default:
		c = c.check(fmt.Errorf("query %q: there is no state %q", v.QueryID, v.State))
	}
	c.settle = func(w *writer, before []byte) ([]byte, error) {
		old := corpus.Work{State: corpus.Open}
		if before != nil {
			if err := json.Unmarshal(before, &old); err != nil {
				return nil, err
			}
		}
		if old.State == v.State && old.Reason == v.Reason {
			return nil, errSame
		}
		v.At = w.when(v.At)
		return encodeJSON(v)
	}
	return c.check(checkName("query", v.QueryID), checkName("annotator", v.Annotator), checkText("reason", v.Reason))
}

// oneOfAKind reports whether an annotator says such a thing once of a query, so that a new one replaces the old.
func oneOfAKind(w corpus.What) bool { return w == corpus.SaidAnswer || w == corpus.SaidNote }

func saidChange(s corpus.Said) Change {
	c := Change{kind: corpus.EventSaid, at: s.At,
		subject: corpus.Subject{Query: s.QueryID, Annotator: s.Annotator, What: s.What, Value: s.Value}}
	if oneOfAKind(s.What) {
		c.subject.Value = ""
	}
	if s.What == corpus.SaidState {
		c = c.check(fmt.Errorf("query %q: its state is written as work", s.QueryID))
	}
	return c.check(checkName("query", s.QueryID), checkName("annotator", s.Annotator),
		checkName("statement", string(s.What)), checkText("value", s.Value))
}

// PutSaid adds or replaces a statement. An empty answer or note is none: it takes the old one away.
func PutSaid(s corpus.Said) Change {
	c := saidChange(s)
	if s.Value == "" && oneOfAKind(s.What) {
		c.settle = removed
		return c
	}
	var proof bytes.Buffer
	if len(s.Proof) > 0 {
		if err := json.Compact(&proof, s.Proof); err != nil {
			c = c.check(fmt.Errorf("%s of query %q: its proof is not JSON: %w", s.What, s.QueryID, err))
		}
		s.Proof = orNil(proof.Bytes())
	}
	switch {
	case s.Value == "":
		c = c.check(fmt.Errorf("%s of query %q: it is empty", s.What, s.QueryID))
	case s.What == corpus.SaidSet || s.What == corpus.SaidConflict:
		var ids []string
		if err := json.Unmarshal([]byte(s.Value), &ids); err != nil {
			c = c.check(fmt.Errorf("%s of query %q: it is not a list of chunk ids: %w", s.What, s.QueryID, err))
		}
	}
	c.settle = func(w *writer, before []byte) ([]byte, error) {
		var err error
		if s.Proof, err = w.proofWithoutForgotten(s.Proof); err != nil {
			return nil, err
		}
		if before != nil {
			var old corpus.Said
			if err := json.Unmarshal(before, &old); err != nil {
				return nil, err
			}
			if old.Value == s.Value && bytes.Equal(orNil(old.Proof), s.Proof) {
				return nil, errSame
			}
		}
		s.At = w.when(s.At)
		return encodeJSON(s)
	}
	return c
}

// DropSaid takes a statement away. Its proof and time don't matter, nor does the value of an answer or a note.
func DropSaid(s corpus.Said) Change {
	c := saidChange(s)
	c.at, c.settle = time.Time{}, removed
	return c
}

// AddSearch notes a search that was tried. The same search at the same time is the same.
func AddSearch(s corpus.SearchTried) Change {
	c := Change{kind: corpus.EventSearch, at: s.At, corpus: s.CorpusID,
		subject: corpus.Subject{Query: s.QueryID, Annotator: s.Annotator}}
	c.settle = func(w *writer, _ []byte) ([]byte, error) {
		s.At = w.when(s.At)
		after, err := encodeJSON(s)
		if err != nil {
			return nil, err
		}
		known, err := w.hasSearch(s, after)
		if err == nil && known {
			return nil, errSame
		}
		return after, err
	}
	return c.check(checkName("query", s.QueryID), checkName("annotator", s.Annotator), checkText("search", s.Text))
}

// SetScale puts a scale in force.
func SetScale(s corpus.Scale) Change {
	c := Change{kind: corpus.EventScale, scale: s.ID, subject: corpus.Subject{Scale: s.ID}, settle: settled(s)}
	return c.check(checkName("scale", s.ID), s.Check())
}

// PutCorpus puts a corpus in force, or says anew what the one in force holds.
func PutCorpus(info corpus.Info) Change {
	c := Change{kind: corpus.EventCorpus, corpus: info.ID, subject: corpus.Subject{Corpus: info.ID}, settle: settled(info)}
	return c.check(checkName("corpus", info.ID))
}
