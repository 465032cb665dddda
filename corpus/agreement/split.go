package agreement

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"assay/corpus"
)

// Split is the inverse of Gold for a set that was read from a file: what to store so that Gold makes the same set again.
// Files of other programs may hold agreed values without saying who said them (grades without labels, tags and states
// without statements): those become annotator's, at the header's as_of; where annotator is "" they are an error.
func Split(gold corpus.GoldSet, annotator string) (Input, error) {
	h := gold.Header
	in := Input{
		Searches: map[string][]corpus.SearchTried{},
		Scale:    h.Scale, Program: h.Program, GuidelinesSHA256: h.GuidelinesSHA256, Rule: h.Rule,
		Corpus: corpus.Info{ID: h.Corpus.ID, Fingerprint: h.Corpus.Fingerprint, Chunks: h.Corpus.Chunks},
	}
	if h.AsOf != nil {
		in.AsOf = *h.AsOf
	}
	if h.Snapshot != nil {
		in.Snapshot = *h.Snapshot
	}
	for _, row := range gold.Rows {
		if row.Query != nil {
			in.Queries = append(in.Queries, queryOf(row))
		}
		for _, l := range row.Labels {
			in.Labels = append(in.Labels, in.labelOf(row.QueryID, l))
		}
		for _, s := range row.Said {
			if s.What == corpus.SaidState {
				in.Works = append(in.Works, workOf(row.QueryID, s))
			} else {
				in.Said = append(in.Said, corpus.Said{QueryID: row.QueryID, What: s.What, Value: s.Value, Proof: emptyIsNone(s.Proof), Annotator: s.Annotator, At: s.At})
			}
		}
		for _, s := range row.Searches {
			s.QueryID = row.QueryID
			in.Searches[row.QueryID] = append(in.Searches[row.QueryID], s)
		}
		if err := in.adopt(row, annotator); err != nil {
			return Input{}, fmt.Errorf("split gold set: %w", err)
		}
	}
	return in, nil
}

func queryOf(row corpus.GoldRow) corpus.Query {
	var inclusion *float64 // a gold set gives weights only, which are count / inclusion
	if w := row.Weight; w != nil && row.Count > 0 && *w >= float64(row.Count) {
		p := float64(row.Count) / *w
		inclusion = &p
	}
	return corpus.Query{
		Inclusion: inclusion,
		ID:        row.QueryID, Text: *row.Query, Kind: row.Kind, Count: row.Count, Weight: row.Weight, Stratum: row.Stratum, Group: row.Group,
		Source: row.Source, Language: row.Language, FirstSeen: row.FirstSeen, LastSeen: row.LastSeen, Turns: row.Turns,
		ParentID: row.ParentID, Standalone: row.Standalone, ReferenceAnswer: row.ReferenceAnswer,
	}
}

func (in *Input) labelOf(queryID string, l corpus.GoldLabel) corpus.Label {
	label := corpus.Label{
		QueryID: queryID, CorpusID: l.CorpusID, ChunkID: l.ChunkID, Annotator: l.Annotator, Grade: l.Grade, At: l.At, ScaleID: l.ScaleID,
		Note: l.Note, Found: l.Found, Anchor: l.Anchor, GuidelinesSHA256: in.GuidelinesSHA256,
	}
	if label.CorpusID == "" {
		label.CorpusID = in.Corpus.ID
	}
	return label
}

func workOf(queryID string, s corpus.GoldSaid) corpus.Work {
	var proof stateProof
	if json.Unmarshal(s.Proof, &proof) != nil {
		proof = stateProof{}
	}
	return corpus.Work{QueryID: queryID, Annotator: s.Annotator, State: corpus.State(s.Value), Reason: proof.Reason, At: s.At}
}

// adopt finds the row's agreed values that nobody is named for and makes them annotator's.
func (in *Input) adopt(row corpus.GoldRow, annotator string) error {
	var orphan string // the first one, for the error
	said := func(what corpus.What, value string) bool {
		return slices.ContainsFunc(row.Said, func(s corpus.GoldSaid) bool { return s.What == what && (value == "" || s.Value == value) })
	}
	say := func(what corpus.What, value string, proof json.RawMessage) {
		orphan = cmp.Or(orphan, string(what)+" "+value)
		in.Said = append(in.Said, corpus.Said{QueryID: row.QueryID, What: what, Value: value, Proof: proof, Annotator: annotator, At: in.AsOf})
	}
	for _, chunk := range slices.Sorted(maps.Keys(row.Grades)) {
		labeled := slices.ContainsFunc(row.Labels, func(l corpus.GoldLabel) bool { return l.ChunkID == chunk })
		if labeled || said(corpus.SaidDecision, chunk) {
			continue
		}
		orphan = cmp.Or(orphan, "grade of chunk "+chunk)
		in.Labels = append(in.Labels, in.labelOf(row.QueryID, corpus.GoldLabel{
			ChunkID: chunk, Grade: row.Grades[chunk], Annotator: annotator, At: in.AsOf, ScaleID: in.Scale.ID, Found: corpus.RouteImport,
			Anchor: corpus.Anchor{CorpusID: in.Corpus.ID, Evidence: []corpus.Evidence{}},
		}))
	}
	for _, tag := range row.Tags {
		if !said(corpus.SaidTag, tag) {
			say(corpus.SaidTag, tag, nil)
		}
	}
	for _, chunk := range row.HardNegatives {
		if !said(corpus.SaidHardNegative, chunk) {
			say(corpus.SaidHardNegative, chunk, nil)
		}
	}
	if !said(corpus.SaidSet, "") {
		for _, set := range row.EvidenceSets {
			say(corpus.SaidSet, string(compactJSON(set)), nil)
		}
	}
	if !said(corpus.SaidConflict, "") && !said(corpus.SaidTag, corpus.TagConflicting) {
		for _, c := range row.Conflicts {
			say(corpus.SaidConflict, string(compactJSON(c.ChunkIDs)), compactJSON(c))
		}
	}
	if row.State != corpus.Open && row.State != "" && !said(corpus.SaidState, "") {
		orphan = cmp.Or(orphan, "state "+string(row.State))
		in.Works = append(in.Works, corpus.Work{QueryID: row.QueryID, Annotator: annotator, State: row.State, At: in.AsOf})
	}
	if orphan != "" && annotator == "" {
		return fmt.Errorf("query %q: the file does not say whose the %s is; name an annotator", row.QueryID, orphan)
	}
	return nil
}
