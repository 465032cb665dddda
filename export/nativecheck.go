package export

import (
	"fmt"
	"slices"

	"assay/corpus"
)

// checkRow finds what would make a row of a native gold set unusable, and gives it the lists that it lacks.
func checkRow(r *corpus.GoldRow) error {
	if err := corpus.CheckID(r.QueryID); err != nil {
		return fmt.Errorf("query_id: %w", err)
	}
	switch r.Kind {
	case "", corpus.Mined, corpus.Written, corpus.Synthetic:
	default:
		return fmt.Errorf("kind %q is not mined, written or synthetic", r.Kind)
	}
	if r.State == "" {
		r.State = corpus.Open
	}
	if err := checkState(r.State); err != nil {
		return err
	}
	for id, g := range r.Grades {
		if err := corpus.CheckID(id); err != nil {
			return fmt.Errorf("grades: %w", err)
		}
		if g == corpus.CannotJudge {
			return fmt.Errorf("grades: %q for %q is no grade", g, id)
		}
	}
	for _, list := range append([][]string{r.RelevantChunkIDs, r.Unresolved, r.HardNegatives}, r.EvidenceSets...) {
		for _, id := range list {
			if err := corpus.CheckID(id); err != nil {
				return fmt.Errorf("chunk id: %w", err)
			}
		}
	}
	for _, t := range r.Tags {
		if t == "" {
			return fmt.Errorf("a tag is empty")
		}
	}
	if err := checkLabels(r.Labels); err != nil {
		return err
	}
	if err := checkSaid(r.Said); err != nil {
		return err
	}
	fillLists(r)
	return nil
}

func checkState(s corpus.State) error {
	switch s {
	case corpus.Open, corpus.Later, corpus.Skipped, corpus.Done:
		return nil
	}
	return fmt.Errorf("state %q is not open, later, skipped or done", s)
}

// checkLabels refuses two labels of one annotator on one chunk, for which there is only one place.
func checkLabels(labels []corpus.GoldLabel) error {
	type key struct{ corpus, chunk, annotator string }
	seen := make(map[key]bool, len(labels))
	for i := range labels {
		l := &labels[i]
		if err := corpus.CheckID(l.ChunkID); err != nil {
			return fmt.Errorf("labels: chunk_id: %w", err)
		}
		if err := corpus.CheckID(l.Annotator); err != nil {
			return fmt.Errorf("labels: the annotator on %q: %w", l.ChunkID, err)
		}
		k := key{l.CorpusID, l.ChunkID, l.Annotator}
		if seen[k] {
			return fmt.Errorf("labels: %q labels chunk %q twice", l.Annotator, l.ChunkID)
		}
		seen[k] = true
		if a := l.Anchor; (a.Start == nil) != (a.End == nil) || a.Start != nil && (*a.Start < 0 || *a.End < *a.Start) {
			return fmt.Errorf("labels: the anchor of chunk %q has no proper start and end", l.ChunkID)
		}
		for _, e := range l.Anchor.Evidence {
			if e.Start < 0 || e.End < e.Start {
				return fmt.Errorf("labels: the evidence in chunk %q runs from %d to %d", l.ChunkID, e.Start, e.End)
			}
		}
		if l.Anchor.Evidence == nil {
			l.Anchor.Evidence = []corpus.Evidence{}
		}
	}
	return nil
}

func checkSaid(said []corpus.GoldSaid) error {
	for i := range said {
		s := &said[i]
		if err := corpus.CheckID(s.Annotator); err != nil {
			return fmt.Errorf("said: the annotator of %s: %w", s.What, err)
		}
		if string(s.Proof) == "null" {
			s.Proof = nil
		}
		var err error
		switch s.What {
		case "":
			err = fmt.Errorf("what is empty")
		case corpus.SaidState:
			err = checkState(corpus.State(s.Value))
		case corpus.SaidTag, corpus.SaidHardNegative:
			err = corpus.CheckID(s.Value)
		case corpus.SaidDecision:
			err = corpus.CheckID(s.Value)
		}
		if err != nil {
			return fmt.Errorf("said: %s: %w", s.What, err)
		}
	}
	return nil
}

// fillLists makes empty lists of absent ones, as corpus.GoldRow promises.
func fillLists(r *corpus.GoldRow) {
	if r.Grades == nil {
		r.Grades = map[string]corpus.Grade{}
	}
	for _, list := range []*[]string{&r.Tags, &r.RelevantChunkIDs, &r.Unresolved, &r.HardNegatives} {
		if *list == nil {
			*list = []string{}
		}
	}
	r.Turns, r.EvidenceSets, r.Conflicts = notNil(r.Turns), notNil(r.EvidenceSets), notNil(r.Conflicts)
	r.Labels, r.Said, r.Searches = notNil(r.Labels), notNil(r.Said), notNil(r.Searches)
	for i := range r.EvidenceSets {
		r.EvidenceSets[i] = notNil(r.EvidenceSets[i])
	}
	for i := range r.Conflicts {
		r.Conflicts[i].ChunkIDs = notNil(r.Conflicts[i].ChunkIDs)
	}
	for i := range r.Searches {
		r.Searches[i].QueryID = r.QueryID
	}
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return slices.Clip(list)
}
