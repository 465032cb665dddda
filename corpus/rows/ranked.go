package rows

import (
	"errors"
	"fmt"
	"strings"
)

// ParseExact is ParseValue for what is taken as it is: it also refuses an escape that stands for no character (\u0000,
// half a surrogate pair), which would come out as another text than went in.
func ParseExact(raw []byte) (Value, error) {
	v, err := ParseValue(raw)
	if err != nil {
		return Value{}, fmt.Errorf("not JSON: %w", err)
	}
	if escape := badEscape(raw); escape != "" {
		return Value{}, errors.New(escape + " stands for no character")
	}
	return v, nil
}

// ParseRow reads a line of JSON Lines that came another way than through a Reader, a pipe that must not be read ahead
// for one. The row refers to line and has no place.
func ParseRow(line []byte) (Row, error) {
	if i := invalidUTF8(line); i >= 0 {
		return Row{}, fmt.Errorf("byte 0x%02x at offset %d is not UTF-8", line[i], i)
	}
	fields, reason, _ := parseObject(line, new([]string))
	if reason != "" {
		return Row{}, errors.New(reason)
	}
	return Row{Fields: fields, Raw: line}, nil
}

// The names of what a row of a run holds.
var (
	runQueryNames = []string{"query_id", "query-id", "qid", "query"} // query last: beside an id it is the text
	hitListNames  = []string{"chunks", "chunk_ids", "hits", "results"}
	hitIDNames    = []string{"id", "chunk", "chunk_id", "corpus-id", "corpus_id", "doc_id", "docid"}
)

// RankedQuery is the id of the query that a row of a run is about: its "query_id", else its "query".
func RankedQuery(row Row) (string, error) {
	v, _, ok := row.Get(runQueryNames...)
	if !ok {
		return "", errors.New("there is no query")
	}
	id, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("query: want an id, not %s", v.Kind())
	}
	return id, nil
}

// RankedFault is why a row of a run has no ranking, {"error": "the index is down"}: the text, or another value as it is
// written. It is false where the row says no such thing, and "" where it says that it failed but not why. Hits beside it
// count for nothing.
func RankedFault(row Row) (why string, failed bool) {
	v, _, ok := row.Get("error")
	if !ok || v.Kind() == Null {
		return "", false
	}
	if s, isText := v.Text(); isText {
		return strings.TrimSpace(s), true
	}
	return string(v.Raw()), true
}

// RankedHits are the hits of a row of a run, {"chunks": [ids]} or {"chunks": [{"id", "score"}]}, best first: their ids
// and, where they have any, their scores, as they are written. All hits have a score or none has. The error begins with the
// list's name. Ids and scores are not looked into: see corpus.RankingOf.
func RankedHits(row Row) (ids, scores []string, name string, err error) {
	list, name, ok := row.Get(hitListNames...)
	if !ok {
		return nil, nil, "", errors.New("there are no chunks")
	}
	hits, ok := list.Elements()
	if !ok {
		return nil, nil, name, fmt.Errorf("%s: want a list, not %s", name, list.Kind())
	}
	ids = make([]string, len(hits))
	for i, h := range hits {
		id, score, scored, err := rankedHit(h)
		if err != nil {
			return nil, nil, name, fmt.Errorf("%s: hit %d: %w", name, i+1, err)
		}
		ids[i] = id
		if scored {
			scores = append(scores, score)
		}
	}
	if scores != nil && len(scores) < len(hits) {
		return nil, nil, name, fmt.Errorf("%s: of %d hits %d have a score: give all one, or none", name, len(hits), len(scores))
	}
	return ids, scores, name, nil
}

// rankedHit reads an id, or an object of an id and a score.
func rankedHit(v Value) (id, score string, scored bool, err error) {
	if members, ok := v.Members(); ok {
		row := Row{Fields: members}
		if s, _, has := row.Get("score"); has && s.Kind() != Null {
			if score, scored = s.Text(); !scored {
				return "", "", false, fmt.Errorf("score: want a number, not %s", s.Kind())
			}
			score = strings.TrimSpace(score)
		}
		if v, _, ok = row.Get(hitIDNames...); !ok {
			return "", "", false, errors.New("there is no id")
		}
	}
	if id, ok := v.Text(); ok {
		return id, score, scored, nil
	}
	return "", "", false, fmt.Errorf("want an id, not %s", v.Kind())
}
