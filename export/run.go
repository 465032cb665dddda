package export

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
)

// WriteRun writes a run in TREC form, "qid Q0 docid rank score tag", queries sorted by id, hits best first, with scores
// that fall strictly: readers order by score and would part ties their own way. Where a query's scores do not fall, also
// as float32, its ranks stand for them.
func WriteRun(w io.Writer, run corpus.Run, opt TRECOptions) ([]Loss, error) {
	ids := trecIDs{opt: opt, done: map[string]string{}}
	out := bufio.NewWriterSize(w, 64<<10)
	tag := runTag(run.Name)
	var line []byte
	var empty, tied int
	for _, id := range slices.Sorted(maps.Keys(run.Rankings)) {
		ranking := run.Rankings[id]
		if len(ranking) == 0 {
			empty++
			continue
		}
		if !slices.IsSortedFunc(ranking, corpus.CompareHits) {
			ranking = slices.Clone(ranking)
			ranking.Sort()
		}
		query, err := ids.write(id, true)
		if err != nil {
			return nil, fmt.Errorf("write run: query %w", err)
		}
		falls := fallsStrictly(ranking)
		if !falls {
			tied++
		}
		for i, hit := range ranking {
			chunk, err := ids.write(hit.ChunkID, false)
			if err != nil {
				return nil, fmt.Errorf("write run: chunk %w", err)
			}
			line = append(append(line[:0], query...), " Q0 "...)
			line = append(append(line, chunk...), ' ')
			line = append(strconv.AppendInt(line, int64(i+1), 10), ' ')
			if falls {
				line = strconv.AppendFloat(line, hit.Score, 'g', -1, 64)
			} else {
				line = strconv.AppendInt(line, int64(len(ranking)-i), 10)
			}
			line = append(append(append(line, ' '), tag...), '\n')
			if _, err := out.Write(line); err != nil {
				return nil, fmt.Errorf("write run: %w", err)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("write run: %w", err)
	}
	lost := appendLoss(nil, "queries", empty, "a query for which nothing was returned has no line")
	lost = appendLoss(lost, "scores", tied, "equal scores: ranks from the last are written instead, so that the order stays")
	lost = appendLoss(lost, "ids", ids.encoded, "percent-encoded: other tools see other ids")
	if tag != run.Name {
		lost = append(lost, Loss{"run", 1, fmt.Sprintf("the name is written %q: it can't hold white space", tag)})
	}
	return lost, nil
}

// fallsStrictly looks at scores as the coarsest reader does: trec_eval 9 keeps them as float32.
func fallsStrictly(ranking corpus.Ranking) bool {
	for i, hit := range ranking {
		if i > 0 && !(float32(hit.Score) < float32(ranking[i-1].Score)) {
			return false
		}
		if s := hit.Score; s != s || s-s != 0 { // NaN or infinite
			return false
		}
	}
	return true
}

// runTag is the run's name as one field.
func runTag(name string) string {
	tag := strings.Map(func(r rune) rune {
		if breaksField(r) {
			return '_'
		}
		return r
	}, name)
	if tag == "" {
		return "run"
	}
	return tag
}
