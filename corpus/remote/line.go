package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/corpus"
	"assay/corpus/rows"
)

// question is a query as a command reads it.
type question struct {
	QueryID  string        `json:"query_id"`
	Query    string        `json:"query"`
	K        int           `json:"k"`
	Turns    []corpus.Turn `json:"turns,omitempty"`
	Language string        `json:"language,omitempty"`
}

// questionLine is the query as one line of JSON.
func questionLine(q corpus.Query, depth int) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(question{q.ID, q.Text, depth, q.Turns, q.Language}); err != nil {
		return nil, fmt.Errorf("write query %s: %w", oneLine(q.ID, 60), err)
	}
	return b.Bytes(), nil
}

// reply is what one line of a command's output says.
type reply struct {
	query   string // its id or its text
	ranking corpus.Ranking
	fault   string // why there is no ranking; "" where there is one
}

// parseLine reads a line of a command's output, {"query_id", "chunks"} or {"query_id", "error"}. The error says why it
// is about no query at all.
func parseLine(line []byte) (reply, error) {
	row, err := rows.ParseRow(bytes.TrimPrefix(line, []byte("\ufeff"))) // some consoles begin all they print with one
	if err != nil {
		return reply{}, err
	}
	query, err := rows.RankedQuery(row)
	if err != nil {
		return reply{}, err
	}
	r := reply{query: query}
	if said, failed := rows.RankedFault(row); failed {
		if r.fault = oneLine(said, maxFault); r.fault == "" {
			r.fault = "the command says that it failed, and not why"
		}
		return r, nil
	}
	if r.ranking, err = lineRanking(row); err != nil {
		r.fault = oneLine(err.Error(), maxFault)
	}
	return r, nil
}

func lineRanking(row rows.Row) (corpus.Ranking, error) {
	ids, scores, name, err := rows.RankedHits(row)
	if err != nil {
		return nil, err
	}
	ranking, err := corpus.RankingOf(ids, scores)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return checked(ranking)
}

// cut is a sorted ranking down to the depth that was asked for. What is below takes no memory any more.
func cut(ranking corpus.Ranking, depth int) corpus.Ranking {
	if len(ranking) <= depth {
		return ranking
	}
	return slices.Clone(ranking[:depth])
}

// tooDeep says that n queries got more chunks than were asked for.
func tooDeep(n, depth int) string {
	of := fmt.Sprintf("%d queries", n)
	if n == 1 {
		of = "1 query"
	}
	return fmt.Sprintf("more chunks came back for %s than the %d that were asked for: the best %d count", of, depth, depth)
}

var errInfinite = errors.New("a score is infinite")

// checked sorts a ranking and refuses scores that no index gives.
func checked(ranking corpus.Ranking) (corpus.Ranking, error) {
	for _, h := range ranking {
		if h.Score-h.Score != 0 {
			return nil, errInfinite
		}
	}
	ranking.Sort()
	return ranking, nil
}
