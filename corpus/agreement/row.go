package agreement

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"assay/corpus"
)

// row derives one row. Every list is sorted by what it holds, so that the order of the input does not show.
func (m *matter) row(id string, rule corpus.Rule, scale corpus.Scale, corpusID string) (corpus.GoldRow, error) {
	row := corpus.GoldRow{
		QueryID: id, Turns: []corpus.Turn{}, Grades: map[string]corpus.Grade{}, Unresolved: []string{}, RelevantChunkIDs: []string{},
		EvidenceSets: [][]string{}, Conflicts: []corpus.ConflictProof{}, Labels: []corpus.GoldLabel{}, Said: []corpus.GoldSaid{},
		Searches: []corpus.SearchTried{},
	}
	if m.query != nil {
		copyQuery(&row, m.query)
	}
	said := oldestFirst(m.said)
	m.labels = sortedLabels(m.labels, corpusID)
	labels := m.labels
	if err := agree(&row, labels, rule, corpusID); err != nil {
		return row, err
	}
	if rule == corpus.Adjudicated {
		if err := decide(&row, said); err != nil {
			return row, err
		}
	}
	for chunk, g := range row.Grades {
		if scale.Relevant(g) {
			row.RelevantChunkIDs = append(row.RelevantChunkIDs, chunk)
		}
	}
	slices.Sort(row.RelevantChunkIDs)
	row.Labels = slices.Grow(row.Labels, len(labels))
	for _, l := range labels {
		row.Labels = append(row.Labels, goldLabel(l, corpusID))
	}
	collect(&row, said)
	row.Answerable = answerable(row)
	row.State = furthest(m.works)
	row.Said = everythingSaid(said, m.works)
	for _, s := range m.searches {
		s.QueryID, s.At = id, s.At.UTC()
		row.Searches = append(row.Searches, s)
	}
	slices.SortFunc(row.Searches, compareSearches)
	return row, nil
}

func copyQuery(row *corpus.GoldRow, q *corpus.Query) {
	row.Query = &q.Text
	row.Kind, row.Count, row.Weight = q.Kind, max(1, q.Count), q.Weight
	row.Stratum, row.Group, row.Source, row.Language = q.Stratum, q.Group, q.Source, q.Language
	row.FirstSeen, row.LastSeen = inUTC(q.FirstSeen), inUTC(q.LastSeen)
	row.Turns = append(row.Turns, q.Turns...)
	row.ParentID, row.Standalone, row.ReferenceAnswer = q.ParentID, q.Standalone, q.ReferenceAnswer
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// sortedLabels sorts by chunk, annotator and corpus, in place. Where an annotator labeled a chunk both before anything was
// indexed (the label names no corpus) and in the corpus at hand, the latter stands.
func sortedLabels(labels []*corpus.Label, corpusID string) []*corpus.Label {
	slices.SortFunc(labels, func(a, b *corpus.Label) int {
		return compareStrings(a.ChunkID, b.ChunkID, a.Annotator, b.Annotator, foreign(a, corpusID), foreign(b, corpusID), b.CorpusID, a.CorpusID)
	})
	return slices.CompactFunc(labels, func(a, b *corpus.Label) bool {
		return a.ChunkID == b.ChunkID && a.Annotator == b.Annotator && foreign(a, corpusID) == "" && foreign(b, corpusID) == ""
	})
}

// foreign is the label's corpus, "" where that is the one at hand.
func foreign(l *corpus.Label, corpusID string) string {
	if l.CorpusID == corpusID {
		return ""
	}
	return l.CorpusID
}

// goldLabel names the label's corpus only where that is not the gold set's own.
func goldLabel(l *corpus.Label, corpusID string) corpus.GoldLabel {
	g := corpus.GoldLabel{ChunkID: l.ChunkID, Grade: l.Grade, Annotator: l.Annotator, At: l.At.UTC(), ScaleID: l.ScaleID, Note: l.Note, Found: l.Found, Anchor: l.Anchor}
	g.CorpusID = foreign(l, corpusID)
	if g.Anchor.Evidence == nil {
		g.Anchor.Evidence = []corpus.Evidence{}
	}
	return g
}

// oldestFirst sorts statements by time; of those at the same moment by all that they hold.
func oldestFirst(said []corpus.Said) []corpus.Said {
	return slices.SortedFunc(slices.Values(said), func(a, b corpus.Said) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		if c := compareStrings(string(a.What), string(b.What), a.Value, b.Value, a.Annotator, b.Annotator); c != 0 {
			return c
		}
		return bytes.Compare(a.Proof, b.Proof)
	})
}

// collect unites what all annotators said: tags, sets, hard negatives and conflicts. Of the reference answers and of
// the stand-alone rewrites the newest stands. A value or proof that can't be read is kept in the row's said list only.
func collect(row *corpus.GoldRow, said []corpus.Said) {
	tags, negatives := []string{}, []string{}
	for _, s := range said {
		switch s.What {
		case corpus.SaidTag:
			tags = append(tags, s.Value)
			switch s.Value {
			case corpus.TagFollowUp:
				followUp(row, s.Proof)
			case corpus.TagConflicting:
				addConflict(row, s.Proof, nil)
			}
		case corpus.SaidAnswer:
			row.ReferenceAnswer = s.Value
		case corpus.SaidHardNegative:
			negatives = append(negatives, s.Value)
		case corpus.SaidSet:
			if ids := idList(s.Value); len(ids) > 0 {
				row.EvidenceSets = append(row.EvidenceSets, ids)
			}
		case corpus.SaidConflict:
			addConflict(row, s.Proof, idList(s.Value))
		}
	}
	row.Tags, row.HardNegatives = sortedSet(tags), sortedSet(negatives)
	slices.SortFunc(row.EvidenceSets, slices.Compare)
	row.EvidenceSets = slices.CompactFunc(row.EvidenceSets, slices.Equal)
	slices.SortFunc(row.Conflicts, compareConflicts)
	row.Conflicts = slices.CompactFunc(row.Conflicts, func(a, b corpus.ConflictProof) bool { return compareConflicts(a, b) == 0 })
}

func followUp(row *corpus.GoldRow, raw json.RawMessage) {
	var proof corpus.FollowUpProof
	if json.Unmarshal(raw, &proof) != nil {
		return
	}
	if proof.Standalone != "" {
		row.Standalone = proof.Standalone
	}
	if row.ParentID == "" {
		row.ParentID = proof.ParentID
	}
}

func addConflict(row *corpus.GoldRow, raw json.RawMessage, ids []string) {
	var proof corpus.ConflictProof
	if json.Unmarshal(raw, &proof) != nil {
		proof = corpus.ConflictProof{}
	}
	if len(proof.ChunkIDs) > 0 {
		ids = proof.ChunkIDs
	}
	if len(ids) > 0 {
		proof.ChunkIDs = sortedSet(ids)
		row.Conflicts = append(row.Conflicts, proof)
	}
}

// idList reads a JSON list of ids, sorted and each once; nil where it is none.
func idList(value string) []string {
	var ids []string
	if json.Unmarshal([]byte(value), &ids) != nil || len(ids) == 0 {
		return nil
	}
	return sortedSet(ids)
}

func sortedSet(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func compareConflicts(a, b corpus.ConflictProof) int {
	if c := slices.Compare(a.ChunkIDs, b.ChunkIDs); c != 0 {
		return c
	}
	return compareStrings(a.Holds, b.Holds, a.Note, b.Note)
}

// answerable is true with a relevant chunk, false where somebody found out that there is none, and open where nobody
// did, or where the two contradict each other (check lists those).
func answerable(row corpus.GoldRow) *bool {
	unanswerable, relevant := slices.Contains(row.Tags, corpus.TagUnanswerable), len(row.RelevantChunkIDs) > 0
	if unanswerable == relevant {
		return nil
	}
	return &relevant
}

// furthest is the state of whoever got furthest: one annotator who finished makes the query done.
func furthest(works []corpus.Work) corpus.State {
	steps := []corpus.State{corpus.Open, corpus.Later, corpus.Skipped, corpus.Done}
	at := 0
	for _, w := range works {
		at = max(at, slices.Index(steps, w.State))
	}
	return steps[at]
}

// stateProof holds why a query was put off or skipped.
type stateProof struct {
	Reason string `json:"reason"`
}

// everythingSaid lists statements and states by what, value, annotator and time.
func everythingSaid(said []corpus.Said, works []corpus.Work) []corpus.GoldSaid {
	list := []corpus.GoldSaid{}
	for _, s := range said {
		list = append(list, corpus.GoldSaid{What: s.What, Value: s.Value, Proof: emptyIsNone(s.Proof), Annotator: s.Annotator, At: s.At.UTC()})
	}
	for _, w := range works {
		s := corpus.GoldSaid{What: corpus.SaidState, Value: string(w.State), Annotator: w.Annotator, At: w.At.UTC()}
		if w.Reason != "" {
			s.Proof = compactJSON(stateProof{w.Reason})
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b corpus.GoldSaid) int {
		if c := compareStrings(string(a.What), string(b.What), a.Value, b.Value, a.Annotator, b.Annotator); c != 0 {
			return c
		}
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return bytes.Compare(a.Proof, b.Proof)
	})
	return list
}

// emptyIsNone makes no proof of one that says nothing.
func emptyIsNone(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// compactJSON writes what always can be written: structs and lists of strings.
func compactJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func compareSearches(a, b corpus.SearchTried) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	if c := compareStrings(a.Annotator, b.Annotator, a.Text, b.Text, string(a.Mode), string(b.Mode), a.CorpusID, b.CorpusID); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Results, b.Results); c != 0 {
		return c
	}
	return cmp.Compare(a.Deepest, b.Deepest)
}
