package bench

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/retrieval"
	"assay/export/report"
)

const (
	worstHits  = 10  // of a worst query that are shown
	worstBytes = 400 // of a chunk's text
)

// Worst are the n queries with the lowest value of the report's first measure, ties by the next ones, then by id, each with the top of its
// ranking and the relevant chunks below it. Texts of chunks come from the index, where there is one.
func (b Bench) Worst(ctx context.Context, r retrieval.Report, run Retrieved, ix *index.Index, texts map[string]string, n int) ([]report.WorstQuery, error) {
	if len(r.Measures) == 0 {
		return nil, nil
	}
	grades := make(map[string]map[string]corpus.Grade, len(b.Queries))
	for _, q := range b.Queries {
		grades[q.ID] = q.Grades
	}
	first := r.Measures[0].Name
	var queries []retrieval.QueryValues
	for _, q := range r.Queries {
		if q.Values[first] != nil {
			queries = append(queries, q)
		}
	}
	slices.SortStableFunc(queries, func(x, y retrieval.QueryValues) int {
		for _, m := range r.Measures {
			if a, b := x.Values[m.Name], y.Values[m.Name]; a != nil && b != nil && *a != *b {
				return cmp.Compare(*a, *b)
			}
		}
		return strings.Compare(x.QueryID, y.QueryID)
	})
	var worst []report.WorstQuery
	for _, q := range queries[:min(n, len(queries))] {
		one := report.WorstQuery{QueryID: q.QueryID, Text: texts[q.QueryID], Values: q.Values}
		seen := map[string]bool{}
		for i, hit := range Top(run.Rankings[q.QueryID], worstHits) {
			h, err := worstHit(ctx, ix, i+1, hit, grades[q.QueryID])
			if err != nil {
				return nil, err
			}
			seen[hit.ChunkID] = true
			one.Hits = append(one.Hits, h)
		}
		ranks := Ranks(run.Rankings[q.QueryID])
		for id, g := range grades[q.QueryID] {
			if g < max(1, b.Scale.RelevantFrom) || seen[id] {
				continue
			}
			h, err := worstHit(ctx, ix, ranks[id].Rank, corpus.Hit{ChunkID: id, Score: ranks[id].Score}, grades[q.QueryID])
			if err != nil {
				return nil, err
			}
			one.Missed = append(one.Missed, h)
		}
		slices.SortFunc(one.Missed, func(x, y report.WorstHit) int {
			return cmp.Or(cmp.Compare(*y.Grade, *x.Grade), strings.Compare(x.ChunkID, y.ChunkID))
		})
		worst = append(worst, one)
	}
	return worst, nil
}

// Top is the best n hits of a ranking, repeats left out.
func Top(ranking corpus.Ranking, n int) corpus.Ranking {
	if !slices.IsSortedFunc(ranking, corpus.CompareHits) {
		ranking = slices.Clone(ranking)
		ranking.Sort()
	}
	var top corpus.Ranking
	seen := map[string]bool{}
	for _, hit := range ranking {
		if len(top) == n {
			break
		}
		if !seen[hit.ChunkID] {
			seen[hit.ChunkID] = true
			top = append(top, hit)
		}
	}
	return top
}

// Ranked is where a chunk stands in a ranking.
type Ranked struct {
	Rank  int
	Score float64
}

// Ranks are the places of all chunks of a ranking, from 1.
func Ranks(ranking corpus.Ranking) map[string]Ranked {
	ranks := make(map[string]Ranked, len(ranking))
	for i, hit := range Top(ranking, len(ranking)) {
		ranks[hit.ChunkID] = Ranked{i + 1, hit.Score}
	}
	return ranks
}

func worstHit(ctx context.Context, ix *index.Index, rank int, hit corpus.Hit, grades map[string]corpus.Grade) (report.WorstHit, error) {
	h := report.WorstHit{Rank: rank, ChunkID: hit.ChunkID, Score: hit.Score}
	if g, ok := grades[hit.ChunkID]; ok && g >= 0 {
		h.Grade = &g
	}
	if ix == nil || !ix.Has(hit.ChunkID) {
		return h, nil
	}
	chunk, err := ix.Chunk(ctx, hit.ChunkID)
	if err != nil {
		return h, err
	}
	h.Title, h.Text = chunk.Title, beginning(chunk.Text, worstBytes)
	return h, nil
}

// beginning is a text's first bytes, whole characters.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
