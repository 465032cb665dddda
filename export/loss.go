package export

import (
	"slices"

	"assay/corpus"
)

// what names something that a gold set's rows hold and that other formats may lack.
type what struct {
	field string
	why   string
	in    func(*corpus.GoldRow) bool
}

// The things that formats without room for them lose, in the order of the native format's keys.
var (
	lostText = what{"query", "the format holds no query texts", func(r *corpus.GoldRow) bool { return r.Query != nil }}
	lostMeta = what{"count, kind, source …", "the format holds ids and text only", func(r *corpus.GoldRow) bool {
		return r.Kind != "" || r.Count > 1 || r.Weight != nil || r.Stratum != "" || r.Group != "" || r.Source != "" || r.Language != "" || r.FirstSeen != nil || r.LastSeen != nil
	}}
	lostTurns = what{"turns, parent_id, standalone_query", "the format knows no conversations", func(r *corpus.GoldRow) bool {
		return len(r.Turns) > 0 || r.ParentID != "" || r.Standalone != ""
	}}
	lostState = what{"state", "an unfinished query looks like a finished one", func(r *corpus.GoldRow) bool {
		return r.State != corpus.Done && len(r.Grades) > 0
	}}
	lostAnswerable = what{"answerable", "an unanswerable query looks like one that nobody labeled", func(r *corpus.GoldRow) bool {
		return r.Answerable != nil && !*r.Answerable
	}}
	lostTags       = what{"tags", "the format knows no tags", func(r *corpus.GoldRow) bool { return len(r.Tags) > 0 }}
	lostAnswer     = what{"reference_answer", "the format holds no answers", func(r *corpus.GoldRow) bool { return r.ReferenceAnswer != "" }}
	lostUnresolved = what{"unresolved", "chunks on which annotators are divided look unjudged", func(r *corpus.GoldRow) bool { return len(r.Unresolved) > 0 }}
	lostSets       = what{"evidence_sets", "chunks that answer only together count one by one", func(r *corpus.GoldRow) bool { return len(r.EvidenceSets) > 0 }}
	lostNegatives  = what{"hard_negatives", "the format knows grades only", func(r *corpus.GoldRow) bool { return len(r.HardNegatives) > 0 }}
	lostConflicts  = what{"conflicts", "the format can't say that chunks disagree", func(r *corpus.GoldRow) bool { return len(r.Conflicts) > 0 }}
	lostCannot     = what{"cannot_judge", "chunks that annotators could not judge look unjudged", func(r *corpus.GoldRow) bool {
		return slices.ContainsFunc(r.Labels, func(l corpus.GoldLabel) bool { return l.Grade == corpus.CannotJudge })
	}}
	lostLabels = what{"labels", "agreed grades only: who gave which grade, when, on what passage and with which note is not in the file", func(r *corpus.GoldRow) bool {
		return len(r.Labels) > 0
	}}
	lostSearches = what{"searches", "the format does not say what was searched", func(r *corpus.GoldRow) bool { return len(r.Searches) > 0 }}
)

// losses counts the rows that hold each thing, and leaves out what none does.
func losses(gold corpus.GoldSet, lost ...what) []Loss {
	var list []Loss
	for _, w := range lost {
		n := 0
		for i := range gold.Rows {
			if w.in(&gold.Rows[i]) {
				n++
			}
		}
		list = appendLoss(list, w.field, n, w.why)
	}
	return list
}

// appendLoss adds a loss unless it touched nothing.
func appendLoss(list []Loss, field string, n int, why string) []Loss {
	if n == 0 {
		return list
	}
	return append(list, Loss{Field: field, Rows: n, Why: why})
}
