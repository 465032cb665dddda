package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/agreement"
	"assay/corpus/retrieval"
	"assay/export"
)

// NothingRelevantError says that no grade could count as relevant.
type NothingRelevantError struct{ From, Best corpus.Grade }

func (e NothingRelevantError) Error() string {
	return fmt.Sprintf("relevant from %d is above the best grade, %d: nothing would be relevant", e.From, e.Best)
}

// FromLabels measures against a file of labels, without any workspace. Each query that the file names counts as finished,
// as trec_eval has it; a native gold set says itself which are. Where several annotators graded a pair the rule
// decides. relevantFrom of 0 is the file's own, else 1.
func FromLabels(labels export.Labels, rule corpus.Rule, relevantFrom corpus.Grade, program string) (Bench, error) {
	if labels.Gold != nil {
		gold := *labels.Gold
		b := New(gold, nil)
		b.Program = program
		if relevantFrom > 0 {
			return b, b.RelevantFrom(relevantFrom)
		}
		return b, nil
	}
	highest := corpus.Grade(1)
	for _, j := range labels.Judgments {
		highest = max(highest, j.Grade)
	}
	scale := corpus.NewScale(0, highest, nil, max(1, relevantFrom))
	if plain(labels) {
		queries := qrels(labels)
		b := Bench{Queries: queries, Scale: scale, Labels: fingerprint(queries), Program: program}
		if relevantFrom > highest { // which trec_eval -l takes too
			b.Warnings = append(b.Warnings, NothingRelevantError{relevantFrom, highest}.Error())
		}
		return b, nil
	}
	if relevantFrom > highest {
		return Bench{}, NothingRelevantError{relevantFrom, highest}
	}
	in := agreement.Input{Scale: scale, Rule: rule, Program: program}
	for _, id := range labels.Queries {
		in.Queries = append(in.Queries, corpus.Query{ID: id, Text: id})
		in.Works = append(in.Works, corpus.Work{QueryID: id, State: corpus.Done})
	}
	for _, j := range labels.Judgments {
		in.Labels = append(in.Labels, corpus.Label{QueryID: j.QueryID, ChunkID: j.ChunkID, Annotator: j.Annotator, Grade: j.Grade})
	}
	for _, t := range labels.Tags {
		in.Said = append(in.Said, corpus.Said{QueryID: t.QueryID, Annotator: t.Annotator, What: corpus.SaidTag, Value: t.Tag})
	}
	gold, err := agreement.Gold(in)
	if err != nil {
		return Bench{}, err
	}
	return New(gold, nil), nil
}

// plain reports whether a file holds one grade a pair and no tags: qrels.
func plain(labels export.Labels) bool {
	if len(labels.Tags) > 0 {
		return false
	}
	for _, j := range labels.Judgments {
		if j.Annotator != "" || j.Grade == corpus.CannotJudge {
			return false
		}
	}
	return true
}

// qrels takes each query of the file as finished, in the order of their ids.
func qrels(labels export.Labels) []retrieval.Query {
	grades := make(corpus.Qrels, len(labels.Queries))
	for _, id := range labels.Queries {
		grades[id] = map[string]corpus.Grade{}
	}
	for _, j := range labels.Judgments {
		grades[j.QueryID][j.ChunkID] = j.Grade
	}
	return retrieval.QrelsQueries(grades)
}

// fingerprint is of what is agreed, and so the same whether it comes from a workspace or from a file: SHA-256 over the
// queries by id, each with its state, its grades by chunk id and its evidence sets.
func fingerprint(queries []retrieval.Query) corpus.Hash {
	h := sha256.New()
	text := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	queries = slices.Clone(queries)
	slices.SortFunc(queries, func(a, b retrieval.Query) int { return strings.Compare(a.ID, b.ID) })
	for _, q := range queries {
		text(q.ID)
		text(fmt.Sprintf("%v %v %d", q.Done, q.Unanswerable, len(q.Grades)))
		ids := make([]string, 0, len(q.Grades))
		for id := range q.Grades {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		for _, id := range ids {
			text(id)
			text(fmt.Sprint(int(q.Grades[id])))
		}
		for _, set := range q.Sets {
			text(fmt.Sprintf("set %d", len(set)))
			for _, id := range set {
				text(id)
			}
		}
	}
	return corpus.Hash(hex.EncodeToString(h.Sum(nil)))
}
