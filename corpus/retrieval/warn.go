package retrieval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/retrieval/measure"
	"assay/corpus/text"
)

// fewJudged is the share of judged hits below which figures say more about the labels than about the retriever.
const fewJudged = 0.8

// topHits is the depth down to which that matters most: what people and models read.
const topHits = 10

// warnings put into words what could make the figures mislead. Ids are quoted as Go does, control characters and all.
func (in Input) warnings(r Report, counted []Query, scores []score, measures []Measure) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if len(counted) == 0 {
		add("no query counts: %s", emptyBecause(r))
	}
	if n := len(r.Unknown); n > 0 {
		add("the run has %s that the gold set does not know: %s", count(n, "query", "queries"), some(r.Unknown))
	}
	if n := len(r.NoResult); n > 0 {
		add("the run has nothing for %s: %s", count(n, "query, which counts as 0", "queries, which count as 0"), some(r.NoResult))
	}
	if n := len(r.NoText); n > 0 {
		add("the labels name %s that were never imported: %s", count(n, "query", "queries"), some(r.NoText))
	}
	if n := len(r.Contradictory); n > 0 {
		add("%s tagged unanswerable, yet with a relevant chunk: %s", count(n, "query is", "queries are"), some(r.Contradictory))
	}
	if i := slices.IndexFunc(scores, func(s score) bool { return s.Repeats > 0 }); i >= 0 {
		add("%s returned before for the same query and left out, first %q of query %q",
			count(r.Repeats, "hit was", "hits were"), scores[i].FirstRepeat, counted[i].ID)
	}
	if deeper := shallow(r.Depth, scores, measures); len(deeper) > 0 {
		add("rankings end at %d: %s can't see deeper", r.Depth, strings.Join(deeper, ", "))
	}
	if n := len(r.Missing); n > 0 {
		add("%s not in the corpus: %s", count(n, "gold id is", "gold ids are"), someMissing(r.Missing))
	}
	for i, s := range scores {
		if s.lookalike != "" {
			add("query %q: no hit is judged, but %s: the ids differ only by normalisation or case", counted[i].ID, s.lookalike)
			break // one is enough to see that the ids were rewritten on the way
		}
	}
	for _, k := range depths(measures) {
		var tied []string
		for i, s := range scores {
			if slices.Contains(s.tied, k) {
				tied = append(tied, counted[i].ID)
			}
		}
		if len(tied) > 0 {
			add("equal scores across rank %d decide by id alone in %s: %s", k, count(len(tied), "query", "queries"), some(tied))
		}
	}
	asked, least := false, Mean{}
	for i, m := range r.Measures {
		switch k := measures[i].Cutoff(); {
		case measures[i].Kind() == measure.JudgedShare && k > 0:
			asked = true
			if m.Mean != nil && *m.Mean < fewJudged {
				add("%s is %.2f: many hits were never judged, and count as not relevant: the other figures may change once they are", m.Name, *m.Mean)
			}
		case k > 0 && k <= topHits && m.Judged != nil && *m.Judged < fewJudged && (least.Judged == nil || *m.Judged < *least.Judged):
			least = m
		}
	}
	if !asked && least.Judged != nil {
		add("only %s of what %s looks at was ever judged, and the rest counts as not relevant: figures may change once it is", text.Percent(*least.Judged), least.Name)
	}
	return list
}

func emptyBecause(r Report) string {
	if len(r.Excluded) == 0 {
		return "the gold set is empty"
	}
	var parts []string
	for _, why := range []Why{WhyUnanswerable, WhyUnfinished, WhyNoRelevant} {
		n := 0
		for _, e := range r.Excluded {
			if e.Why == why {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+strings.ReplaceAll(string(why), "_", " "))
		}
	}
	return strings.Join(parts, ", ")
}

// count is "1 query" or "2 queries".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// clipped is the beginning of an id: one may be as long as 8 KiB.
func clipped(id string) string {
	const most = 80
	if r := []rune(id); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return id
}

// shallow are the measures that look deeper than the rankings go, where these look as if they had been cut off there.
func shallow(depth int, scores []score, measures []Measure) []string {
	full := 0
	for _, s := range scores {
		if s.returned == depth {
			full++
		}
	}
	if len(scores) < 10 || 2*full < len(scores) {
		return nil
	}
	var names []string
	for _, m := range measures {
		if m.Cutoff() > depth {
			names = append(names, m.String())
		}
	}
	return names
}

// some lists the first ids and how many there are besides.
func some(ids []string) string {
	const most = 5
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(ids)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(clipped(id)))
	}
	return b.String()
}

func someMissing(missing []MissingGold) string {
	ids := make([]string, 0, len(missing))
	for _, m := range missing {
		ids = append(ids, m.ChunkID)
	}
	slices.Sort(ids)
	return some(slices.Compact(ids))
}

// lookalike finds a hit that would be a judged chunk if ids were normalised: a run or a gold set that went through a
// tool that did so scores 0 without any other sign. It is asked only where no hit is judged.
func lookalike(grades map[string]corpus.Grade, ranking corpus.Ranking) string {
	folded := make(map[string]string, len(grades))
	for id, g := range grades {
		f := text.Folded(id)
		if other, ok := folded[f]; g >= 0 && (!ok || id < other) {
			folded[f] = id
		}
	}
	if len(folded) == 0 {
		return ""
	}
	returned, gold := "", ""
	for _, hit := range ranking {
		id, ok := folded[text.Folded(hit.ChunkID)]
		if ok && (returned == "" || hit.ChunkID < returned) {
			returned, gold = hit.ChunkID, id
		}
	}
	if returned == "" {
		return ""
	}
	return fmt.Sprintf("%q was returned and %q is in the gold set", returned, gold)
}
