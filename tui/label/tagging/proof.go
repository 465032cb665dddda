package tagging

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"assay/corpus"
)

// longestTag is how many bytes a free tag may have.
const longestTag = 100

// save checks what the form holds and answers with the tag and what shows it.
func (p *Panel) save(f Facts) Answer {
	tag, proof, why := p.proof(f)
	if why != "" {
		return Answer{Words: why, Refused: true}
	}
	said := &corpus.Said{QueryID: p.query, What: corpus.SaidTag, Value: tag}
	if proof != nil {
		raw, err := json.Marshal(proof)
		if err != nil {
			return Answer{Words: "can't write down the proof: " + err.Error(), Refused: true}
		}
		said.Proof = raw
	}
	form := p.form
	p.list(f)
	return Answer{Said: said, Form: form}
}

// proof is the tag of the form with what shows it, nil for a free tag; why says what is missing.
func (p *Panel) proof(f Facts) (tag string, proof any, why string) {
	text := func(i int) string { return strings.TrimSpace(p.fields[i].Text()) }
	switch p.form {
	case corpus.TagUnanswerable:
		if len(f.Searches) == 0 {
			return "", nil, "search first: no search counts yet (go into its results, or look at them for a second)"
		}
		return p.form, corpus.UnanswerableProof{Searches: f.Searches}, ""
	case corpus.TagConflicting:
		ids := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(p.chunks), func(id string) bool { return !p.picked[id] })))
		if len(ids) < 2 {
			return "", nil, "pick two or more chunks that disagree (space)"
		}
		return p.form, corpus.ConflictProof{ChunkIDs: ids, Holds: p.holds, Note: text(0)}, ""
	case corpus.TagIdentifier:
		if text(0) == "" {
			return "", nil, "type the exact string that is looked up"
		}
		return p.form, corpus.IdentifierProof{Identifier: text(0)}, ""
	case corpus.TagFollowUp:
		return followUp(f, text(0), text(1))
	}
	tag = text(0)
	switch {
	case tag == "":
		return "", nil, "type a name for the tag"
	case len(tag) > longestTag:
		return "", nil, fmt.Sprintf("a tag has at most %d bytes", longestTag)
	case slices.Contains(knownTags, tag):
		return "", nil, tag + " needs its proof: choose it in the list"
	}
	return tag, nil, ""
}

func followUp(f Facts, parent, standalone string) (tag string, proof any, why string) {
	switch {
	case parent == "" && len(f.Query.Turns) == 0:
		return "", nil, "name the query that it follows: no turns were imported with it"
	case parent == f.Query.ID:
		return "", nil, "a query can't follow itself"
	case parent != "" && parent != f.Query.ParentID && !f.Known(parent):
		return "", nil, "there is no query " + parent
	case standalone == "":
		return "", nil, "write it so that it stands alone"
	}
	return corpus.TagFollowUp, corpus.FollowUpProof{ParentID: parent, Standalone: standalone}, ""
}

// identifierIn is the word of a query that looks most like an identifier; the whole query where that is one word.
func identifierIn(text string) string {
	best, most := "", 0
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ".,;:!?\"'`()[]{}<>“”‘’")
		score := 0
		for i, r := range word {
			switch {
			case unicode.IsDigit(r), strings.ContainsRune("_-./:#@\\$", r):
				score += 2
			case unicode.IsUpper(r) && i > 0:
				score++
			}
		}
		if score > most {
			best, most = word, score
		}
	}
	if best == "" && len(strings.Fields(text)) == 1 {
		return strings.TrimSpace(text)
	}
	return best
}
