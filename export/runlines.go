package export

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/corpus"
	"assay/corpus/rows"
)

// readRunLines reads {"query", "chunks": [ids]} or {"query", "chunks": [{"id", "score"}]} a line. Ids alone are best
// first. A query has one line.
func readRunLines(in *stream) (RunFile, error) {
	r, err := rows.New(in.rest(), in.name, rows.Options{Format: rows.JSONLines})
	if err != nil {
		return RunFile{}, err
	}
	defer r.Close()
	out := RunFile{Format: RunLines, Run: corpus.Run{Name: runName(in.name), Rankings: map[string]corpus.Ranking{}}}
	lines := map[string]int{}
	disordered := 0
	for {
		row, err := r.Next()
		var reject *Reject
		if errors.As(err, &reject) {
			out.Stats.reject(reject)
			continue
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return RunFile{}, err
		}
		query, ranking, err := runLine(row)
		if before, ok := lines[query]; ok && err == nil {
			err = fmt.Errorf("query %q has a ranking in line %d already", clipped(query), before)
		}
		if err != nil {
			out.Stats.reject(row.Reject(err.Error(), ""))
			continue
		}
		lines[query] = row.Line
		if !slices.IsSortedFunc(ranking, func(a, b corpus.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
			disordered++
		}
		ranking.Sort()
		out.Run.Rankings[query] = ranking
		out.Hits += len(ranking)
		out.Stats.Accepted++
	}
	out.Stats.Blank = r.Stats().Blank
	if out.Stats.Accepted+out.Stats.Rejected == 0 {
		return RunFile{}, &rows.Error{File: in.name, Reason: "the file is empty"}
	}
	if disordered > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the order and the scores disagree in %s: the score decides, the highest first", count(disordered, "query", "queries")))
	}
	return out, nil
}

// runName is a file's name without folders and ending.
func runName(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name
}

var hitNames = []string{"chunks", "chunk_ids", "hits", "results"}

func runLine(row rows.Row) (string, corpus.Ranking, error) {
	v, _, ok := row.Get(queryNames...)
	if !ok {
		return "", nil, errors.New("there is no query")
	}
	query, ok := v.Text()
	if !ok {
		return "", nil, fmt.Errorf("query: want an id, not %s", v.Kind())
	}
	if err := corpus.CheckID(query); err != nil {
		return "", nil, fmt.Errorf("query: %w", err)
	}
	list, name, ok := row.Get(hitNames...)
	if !ok {
		return "", nil, errors.New("there are no chunks")
	}
	hits, ok := list.Elements()
	if !ok {
		return "", nil, fmt.Errorf("%s: want a list, not %s", name, list.Kind())
	}
	ranking := make(corpus.Ranking, 0, len(hits))
	scored := 0
	for i, h := range hits {
		id, score, hasScore, err := hitOf(h)
		if err != nil {
			return "", nil, fmt.Errorf("%s: hit %d: %w", name, i+1, err)
		}
		if hasScore {
			scored++
		} else {
			score = float64(len(hits) - i)
		}
		ranking = append(ranking, corpus.Hit{ChunkID: id, Score: score})
	}
	if scored > 0 && scored < len(hits) {
		return "", nil, fmt.Errorf("%s: %d hits have a score and %d have none", name, scored, len(hits)-scored)
	}
	return query, ranking, nil
}

// hitOf reads an id, or an object of an id and a score.
func hitOf(v rows.Value) (id string, score float64, scored bool, err error) {
	if members, ok := v.Members(); ok {
		row := rows.Row{Fields: members}
		s, _, has := row.Get("score")
		if has && s.Kind() != rows.Null {
			text, ok := s.Text()
			if !ok {
				return "", 0, false, fmt.Errorf("score: want a number, not %s", s.Kind())
			}
			var reason string
			if score, reason = parseScore(bytes.TrimSpace([]byte(text))); reason != "" {
				return "", 0, false, errors.New(reason)
			}
			scored = true
		}
		if v, _, ok = row.Get(append([]string{"id"}, chunkNames...)...); !ok {
			return "", 0, false, errors.New("there is no id")
		}
	}
	id, ok := v.Text()
	if !ok {
		return "", 0, false, fmt.Errorf("want an id, not %s", v.Kind())
	}
	return id, score, scored, corpus.CheckID(id)
}
