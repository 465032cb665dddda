package agreement

import (
	"encoding/json"
	"fmt"
	"slices"

	"assay/corpus"
)

// verdict is what the rule makes of one chunk's labels.
type verdict int

const (
	nothing    verdict = iota // nobody could judge it
	agreed                    // on a grade
	unresolved                // a tie
)

// vote finds the most frequent grade. CannotJudge is no vote (B018: it is not grade 0). A negative grade says that
// the chunk was pooled and not judged: it counts only where nobody gave a grade.
func vote(grades []corpus.Grade) (corpus.Grade, verdict) {
	var votes, pooled []corpus.Grade
	for _, g := range grades {
		switch {
		case g == corpus.CannotJudge:
		case g < 0:
			pooled = append(pooled, g)
		default:
			votes = append(votes, g)
		}
	}
	if len(votes) == 0 {
		if len(pooled) == 0 {
			return 0, nothing
		}
		return slices.Max(pooled), agreed // they all say the same
	}
	slices.Sort(votes)
	best, most, tie := votes[0], 0, false
	for i := 0; i < len(votes); {
		j := i
		for j < len(votes) && votes[j] == votes[i] {
			j++
		}
		switch {
		case j-i > most:
			best, most, tie = votes[i], j-i, false
		case j-i == most:
			tie = true
		}
		i = j
	}
	if tie {
		return 0, unresolved
	}
	return best, agreed
}

// agree fills the row's grades and unresolved chunks. Labels come sorted by chunk; those of another corpus are
// passed over, those that name none are taken for this one's.
func agree(row *corpus.GoldRow, labels []*corpus.Label, rule corpus.Rule, corpusID string) error {
	own := make([]*corpus.Label, 0, len(labels))
	for _, l := range labels {
		if corpusID == "" || l.CorpusID == corpusID || l.CorpusID == "" {
			own = append(own, l)
		}
	}
	var grades []corpus.Grade
	for i := 0; i < len(own); {
		j := i
		grades = grades[:0]
		for ; j < len(own) && own[j].ChunkID == own[i].ChunkID; j++ {
			grades = append(grades, own[j].Grade)
		}
		if rule == corpus.Single && own[j-1].Annotator != own[i].Annotator {
			return fmt.Errorf("the rule is single, yet both %q and %q labeled chunk %q of query %q",
				own[i].Annotator, own[j-1].Annotator, own[i].ChunkID, row.QueryID)
		}
		switch g, v := vote(grades); v {
		case agreed:
			row.Grades[own[i].ChunkID] = g
		case unresolved:
			row.Unresolved = append(row.Unresolved, own[i].ChunkID)
		}
		i = j
	}
	return nil
}

// decide lets adjudicators override the votes. Statements come oldest first, so that the newest stands. A decision that
// nobody can judge the chunk leaves it without a grade.
func decide(row *corpus.GoldRow, said []corpus.Said) error {
	for _, s := range said {
		if s.What != corpus.SaidDecision {
			continue
		}
		var proof struct {
			Grade *corpus.Grade `json:"grade"`
		}
		if err := json.Unmarshal(s.Proof, &proof); err != nil || proof.Grade == nil {
			return fmt.Errorf("the decision of %q on chunk %q of query %q names no grade", s.Annotator, s.Value, row.QueryID)
		}
		row.Unresolved = slices.DeleteFunc(row.Unresolved, func(id string) bool { return id == s.Value })
		if *proof.Grade == corpus.CannotJudge {
			delete(row.Grades, s.Value)
		} else {
			row.Grades[s.Value] = *proof.Grade
		}
	}
	return nil
}
