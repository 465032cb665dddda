package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"assay/corpus"
)

// The kinds of event that a query leaves which was forgotten.
const (
	// EventForget says who forgot a query and when. Its subject's value is the SHA-256 of the query's id; nothing takes
	// it back.
	EventForget corpus.EventKind = "forget"
	// EventForgotten stands in the place of an event about a query that was forgotten. It has V, ID, Seq, HLC and At,
	// so that the journal has no gap and a copy of the event is known to be one, and says nothing.
	EventForgotten corpus.EventKind = "forgotten"
)

// isOfForgotten reports whether an event is what a forgotten query left: nobody takes that back.
func isOfForgotten(e corpus.Event) bool { return e.Kind == EventForget || e.Kind == EventForgotten }

// forgottenMark stands where the text of a query stood that was forgotten.
const forgottenMark = "[forgotten]"

// ErrForgotten says that a query was forgotten for good: nothing is written under its id any more, nor taken back.
var ErrForgotten = errors.New("the query was forgotten for good; it needs another id to come back")

// ForgottenIDs are the SHA-256 of the ids of the queries that were forgotten, which is all that is known of them.
type ForgottenIDs map[corpus.Hash]bool

// Has reports whether the query with this id was forgotten.
func (f ForgottenIDs) Has(id string) bool { return len(f) > 0 && f[corpus.HashText(id)] }

// IsForgotten reports whether the query with this id was forgotten.
func (db *DB) IsForgotten(id string) (forgotten bool, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		forgotten, err = isForgotten(tx, id)
		return err
	})
	return forgotten, err
}

// Forgotten are all queries that were forgotten: what an import or a merge has to leave out.
func (db *DB) Forgotten() (ids ForgottenIDs, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		ids, err = forgottenIDs(tx)
		return err
	})
	return ids, err
}

// forgottenPlace is where it is kept that a query was forgotten.
func forgottenPlace(hash corpus.Hash) (place, bool) {
	key, ok := textKey(hash)
	return place{bucketForgotten, key}, ok
}

func isForgotten(tx *bolt.Tx, id string) (bool, error) {
	at, _ := forgottenPlace(corpus.HashText(id))
	_, ok, err := at.read(tx)
	return ok, err
}

func forgottenIDs(tx *bolt.Tx) (ForgottenIDs, error) {
	ids := ForgottenIDs{}
	err := eachLive(tx, bucketForgotten, func(k []byte, _ record) error {
		ids[corpus.Hash(fmt.Sprintf("%x", k))] = true
		return nil
	})
	return ids, err
}

// forgotten looks the ids up once.
func (w *writer) forgotten() (ForgottenIDs, error) {
	if w.db.known.forgotten == nil {
		ids, err := forgottenIDs(w.tx)
		if err != nil {
			return nil, err
		}
		w.db.known.forgotten = ids
	}
	return w.db.known.forgotten, nil
}

// mayChange refuses what is about a query that was forgotten.
func (w *writer) mayChange(s corpus.Subject) error {
	if s.Query == "" {
		return nil
	}
	ids, err := w.forgotten()
	if err == nil && ids.Has(s.Query) {
		err = ErrForgotten // without the id, which an error would carry on
	}
	return err
}

// withoutForgotten takes out of a query that comes in what names one that was forgotten, and out of the turns before it
// what that asked: where the query is known, the turns that were cleaned already, where it is new, the last that a user
// said, for this is what a follow-up follows.
func (w *writer) withoutForgotten(q corpus.Query, old *corpus.Query) (corpus.Query, error) {
	ids, err := w.forgotten()
	if err != nil || len(ids) == 0 {
		return q, err
	}
	q.Turns = slices.Clone(q.Turns)
	switch {
	case old != nil && len(old.Turns) == len(q.Turns):
		for i, t := range old.Turns {
			if strings.Contains(t.Content, forgottenMark) {
				q.Turns[i].Content = t.Content
			}
		}
	case ids.Has(q.ParentID):
		for i, t := range slices.Backward(q.Turns) {
			if !answers(t.Role) {
				q.Turns[i].Content = forgottenMark
				break
			}
		}
	}
	if ids.Has(q.ParentID) {
		q.ParentID = ""
	}
	if ids.Has(q.Group) {
		q.Group = ""
	}
	if slices.ContainsFunc(q.Variants, func(v corpus.Variant) bool { return ids.Has(v.ID) }) {
		q.Variants = slices.DeleteFunc(slices.Clone(q.Variants), func(v corpus.Variant) bool { return ids.Has(v.ID) })
		if len(q.Variants) == 0 {
			q.Variants = nil
			if q.Group == q.ID {
				q.Group = ""
			}
		}
	}
	return q, nil
}

// answers reports whether a turn of this role is no query, but what came of one or what it was asked under.
func answers(role string) bool {
	switch strings.ToLower(role) {
	case "assistant", "ai", "bot", "model", "system", "developer", "tool", "function":
		return true
	}
	return false
}

// proofWithoutForgotten takes the link to a forgotten query out of a statement's proof.
func (w *writer) proofWithoutForgotten(proof json.RawMessage) (json.RawMessage, error) {
	ids, err := w.forgotten()
	if err != nil || len(ids) == 0 || len(proof) == 0 {
		return proof, err
	}
	var link struct {
		ParentID string `json:"parent_id"`
	}
	if json.Unmarshal(proof, &link) != nil || link.ParentID == "" || !ids.Has(link.ParentID) {
		return proof, nil
	}
	m := newMention([]string{link.ParentID})
	proof, _, err = m.proof(proof)
	return proof, err
}

// draftEdit begins the name of the draft of a query's text, which the id follows as it is.
const draftEdit = "queries/edit/"

// draftQuery is the id of the query that a draft is about, as the name tells that the screens gave it; "" where it tells
// of none. Where more may follow, the id is escaped.
func draftQuery(name string) string {
	if id, ok := strings.CutPrefix(name, draftEdit); ok {
		return id
	}
	kind, rest, _ := strings.Cut(name, "/")
	switch kind {
	case "note", "answer", "tag":
		escaped, _, _ := strings.Cut(rest, "/")
		if id, err := url.PathUnescape(escaped); err == nil {
			return id
		}
		return escaped
	}
	return ""
}

// namesInDraft reports whether any part of a draft's name is the id, whoever named it.
func namesInDraft(name, id string) bool {
	if draftQuery(name) != "" {
		return draftQuery(name) == id
	}
	for rest, more := name, true; more; {
		if rest == id {
			return true
		}
		var part string
		part, rest, more = strings.Cut(rest, "/")
		if whole, err := url.PathUnescape(part); part == id || err == nil && whole == id {
			return true
		}
	}
	return false
}
