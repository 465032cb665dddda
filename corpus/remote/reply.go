package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"

	"assay/corpus"
	"assay/corpus/rows"
)

// Where hits, ids and scores usually are: what is there first is taken.
var (
	usualHits = []string{
		"$.hits.hits", "$.hits", "$.results", "$.chunks", "$.chunk_ids", "$.documents", "$.docs", "$.response.docs",
		"$.matches", "$.result.points", "$.points", "$.result", "$.data", "$.items", "$",
	}
	usualIDs    = []string{"$.id", "$._id", "$.chunk_id", "$.doc_id", "$.docid", "$.document_id", "$.document.id", "$.chunk.id", "$.metadata.id"}
	usualScores = []string{"$.score", "$._score"}
)

// paths say where a reply holds what.
type paths struct {
	hits, ids, scores []*jsonpath.Path
	named             struct{ hits, score bool }
	unscored          bool // the order counts
}

func newPaths(hits, id, score string) (paths, error) {
	var p paths
	p.named.hits, p.named.score = hits != "", score != ""
	if p.unscored = score == NoScore; p.unscored {
		score = ""
	}
	var err error
	for _, c := range []struct {
		to    *[]*jsonpath.Path
		name  string
		path  string
		usual []string
	}{{&p.hits, "hits", hits, usualHits}, {&p.ids, "id", id, usualIDs}, {&p.scores, "score", score, usualScores}} {
		if *c.to, err = parsePaths(c.path, c.usual); err != nil {
			return paths{}, fmt.Errorf("path of the %s: %w", c.name, err)
		}
		if one := *c.to; c.name != "hits" && len(one) == 1 && one[0].Query().Singular() == nil {
			return paths{}, fmt.Errorf("path of the %s: it may lead to several values: name one", c.name)
		}
	}
	return p, nil
}

// parsePaths parses a path, or the usual ones where there is none. "a.b" is short for "$.a.b".
func parsePaths(path string, usual []string) ([]*jsonpath.Path, error) {
	if path != "" {
		if path[0] != '$' {
			path = "$." + path
		}
		usual = []string{path}
	}
	all := make([]*jsonpath.Path, len(usual))
	for i, s := range usual {
		p, err := jsonpath.Parse(s)
		if err != nil {
			return nil, errors.New(oneLine(strings.TrimPrefix(err.Error(), "jsonpath: "), maxFault))
		}
		for _, seg := range p.Query().Segments() {
			if seg.IsDescendant() {
				return nil, errors.New(".. finds things in no order: name each step")
			}
		}
		all[i] = p
	}
	return all, nil
}

// notJSON says that a reply is not even JSON: a page of a proxy, for one.
type notJSON struct{ err error }

func (e *notJSON) Error() string { return "the reply is " + e.err.Error() }

// ranking reads a service's reply. Errors may quote it, but nothing that is cut off.
func (p paths) ranking(body []byte) (corpus.Ranking, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) == 0 {
		return nil, errors.New("the reply is empty")
	}
	if _, err := rows.ParseExact(body); err != nil {
		return nil, &notJSON{err}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // ids keep their digits
	var root any
	if err := dec.Decode(&root); err != nil {
		return nil, fmt.Errorf("the reply is not JSON: %w", err)
	}
	hits, err := p.hitsIn(root)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(hits))
	var scores []string
	for i, h := range hits {
		if ids[i], err = p.id(h); err != nil {
			return nil, fmt.Errorf("hit %d: %w", i+1, err)
		}
		score, ok, err := p.score(h)
		if err != nil {
			return nil, fmt.Errorf("hit %d: %w", i+1, err)
		}
		if ok {
			scores = append(scores, score)
		}
	}
	switch {
	case scores == nil && p.named.score && !p.unscored && len(hits) > 0:
		return nil, fmt.Errorf("no hit has a score at %s", p.scores[0])
	case scores != nil && len(scores) < len(hits):
		return nil, fmt.Errorf("%d hits have a score and %d have none", len(scores), len(hits)-len(scores))
	}
	ranking, err := corpus.RankingOf(ids, scores)
	if err != nil {
		return nil, err
	}
	return checked(ranking)
}

// hitsIn finds the hits in the order in which they stand.
func (p paths) hitsIn(root any) ([]any, error) {
	if p.named.hits {
		return walk(p.hits[0].Query().Segments(), root)
	}
	for _, path := range p.hits {
		for _, found := range path.Select(root) {
			if list, ok := found.([]any); ok {
				return list, nil
			}
			if found == nil && path.String() != "$" { // how some services write an empty list
				return nil, nil
			}
		}
	}
	if o, ok := root.(map[string]any); ok {
		for _, name := range []string{"error", "message", "detail"} {
			if s, ok := o[name].(string); ok {
				return nil, fmt.Errorf("there are no hits in the reply: %s", s)
			}
		}
	}
	return nil, errors.New("there are no hits in the reply where they usually are: say the path")
}

// walk selects what segments lead to. A step to many goes through lists only: objects have no order.
func walk(segments []*spec.Segment, root any) ([]any, error) {
	nodes, many := []any{root}, false
	at := func(n int) string { return oneLine(spec.Query(true, segments[:n]...).String(), 60) }
	for i, seg := range segments {
		one := spec.Query(true, seg).Singular() != nil
		var next []any
		for _, node := range nodes {
			if _, isList := node.([]any); !one && !isList {
				return nil, fmt.Errorf("want a list at %s, not %s", at(i), kindOf(node))
			}
			next = append(next, seg.Select(node, root)...)
		}
		if len(next) == 0 && one && !many {
			return nil, fmt.Errorf("there is nothing at %s in the reply", at(i+1))
		}
		nodes, many = next, many || !one
	}
	if many {
		return nodes, nil
	}
	switch found := nodes[0].(type) {
	case []any:
		return found, nil
	case nil: // how some services write an empty list
		return nil, nil
	default:
		return nil, fmt.Errorf("want a list at %s, not %s", at(len(segments)), kindOf(found))
	}
}

// id is a hit's, which may be the hit itself.
func (p paths) id(hit any) (string, error) {
	found, ok := first(p.ids, hit)
	if !ok {
		found = hit
		if _, isObject := hit.(map[string]any); isObject {
			if len(p.ids) == 1 {
				return "", fmt.Errorf("there is no id at %s", p.ids[0])
			}
			return "", errors.New("there is no id where it usually is: say the path")
		}
	}
	switch v := found.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", fmt.Errorf("want an id, not %s", kindOf(found))
}

func (p paths) score(hit any) (score string, ok bool, err error) {
	if p.unscored {
		return "", false, nil
	}
	switch found, _ := first(p.scores, hit); v := found.(type) {
	case nil:
		return "", false, nil
	case json.Number:
		return v.String(), true, nil
	case string:
		v = strings.TrimSpace(v)
		if _, err := corpus.ParseScore(v); err != nil {
			return "", false, errors.New("the score is a text that is no number")
		}
		return v, true, nil
	default:
		return "", false, fmt.Errorf("want a score, not %s", kindOf(v))
	}
}

// first is what the first path that leads anywhere leads to.
func first(paths []*jsonpath.Path, hit any) (found any, ok bool) {
	for _, p := range paths {
		if nodes := p.Select(hit); len(nodes) > 0 {
			return nodes[0], true
		}
	}
	return nil, false
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return rows.Null.String()
	case bool:
		return rows.Bool.String()
	case json.Number:
		return rows.Number.String()
	case string:
		return rows.String.String()
	case []any:
		return rows.List.String()
	}
	return rows.Object.String()
}
