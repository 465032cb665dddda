package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// readRunLines reads {"query", "chunks": [ids]} or {"query", "chunks": [{"id", "score"}]} a line. Ids alone are best
// first; a query that got no ranking has {"query", "error"}. A query has one line, except in a kept run, which begins with
// a header: there its last line counts.
func readRunLines(in *stream) (RunFile, error) {
	r, err := rows.New(in.rest(), in.name, rows.Options{Format: rows.JSONLines})
	if err != nil {
		return RunFile{}, err
	}
	defer r.Close()
	l := runLines{lines: map[string]int{}}
	l.out = RunFile{Format: RunLines, Run: corpus.Run{Name: runName(in.name), Rankings: map[string]corpus.Ranking{}}}
	out := &l.out
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
		if isRunHeader(row) && out.Stats.Accepted+out.Stats.Rejected+out.Stats.Header == 0 {
			if err := l.header(row); err != nil {
				return RunFile{}, &rows.Error{File: in.name, Line: row.Line, Err: err}
			}
			continue
		}
		if err := l.add(row); err != nil {
			out.Stats.reject(row.Reject(err.Error(), ""))
			continue
		}
		out.Stats.Accepted++
	}
	out.Stats.Blank = r.Stats().Blank
	if out.Stats.Accepted+out.Stats.Rejected+out.Stats.Header == 0 {
		return RunFile{}, &rows.Error{File: in.name, Reason: "the file is empty"}
	}
	if l.disordered > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the order and the scores disagree in %s: the score decides, the highest first", text.Count(l.disordered, "query", "queries")))
	}
	return *out, nil
}

// runName is a file's name without folders and ending.
func runName(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if dot := strings.IndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name
}

// runLines is a run in JSON Lines, as far as it was read.
type runLines struct {
	out        RunFile
	lines      map[string]int // by query id: where its ranking is
	disordered int
}

func (l *runLines) header(row rows.Row) error {
	h, err := readRunHeader(row)
	if err != nil {
		return err
	}
	out := &l.out
	out.Header, out.Stats.Header = &h, 1
	out.Latency, out.Failed, out.Asked = map[string]time.Duration{}, map[string]string{}, map[string]corpus.Hash{}
	if h.Name != "" {
		out.Run.Name = h.Name
	}
	return nil
}

func (l *runLines) add(row rows.Row) error {
	if l.out.Header != nil {
		a, err := readRunAnswer(row)
		if err == nil {
			l.answer(a)
		}
		return err
	}
	query, ranking, fault, err := runLine(row)
	if err != nil {
		return err
	}
	if before, ok := l.lines[query]; ok {
		has := "has a ranking"
		if _, failed := l.out.Failed[query]; failed {
			has = "failed"
		}
		return fmt.Errorf("query %q %s in line %d already", clipped(query), has, before)
	}
	l.lines[query] = row.Line
	if fault != "" { // what a command printed, see package remote
		if l.out.Failed == nil {
			l.out.Failed = map[string]string{}
		}
		l.out.Failed[query] = fault
		return nil
	}
	if !slices.IsSortedFunc(ranking, func(a, b corpus.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
		l.disordered++
	}
	ranking.Sort()
	l.out.Run.Rankings[query] = ranking
	l.out.Hits += len(ranking)
	return nil
}

// answer takes a line of a kept run, and forgets what the file said about its query before.
func (l *runLines) answer(a RunAnswer) {
	out, id := &l.out, a.QueryID
	out.Hits += len(a.Ranking) - len(out.Run.Rankings[id])
	delete(out.Run.Rankings, id)
	delete(out.Latency, id)
	delete(out.Failed, id)
	out.Asked[id] = a.Query
	if a.Err != "" {
		out.Failed[id] = a.Err
		return
	}
	out.Run.Rankings[id] = a.Ranking
	if a.Latency > 0 {
		out.Latency[id] = a.Latency
	}
}

// runLine reads a query's ranking, in the order in which it is written, or why it has none.
func runLine(row rows.Row) (query string, ranking corpus.Ranking, fault string, err error) {
	if query, err = rows.RankedQuery(row); err != nil {
		return "", nil, "", err
	}
	if err := corpus.CheckID(query); err != nil {
		return "", nil, "", fmt.Errorf("query: %w", err)
	}
	if fault, failed := rows.RankedFault(row); failed {
		return query, nil, cmp.Or(shortened(fault), "it failed, and does not say why"), nil
	}
	ids, scores, name, err := rows.RankedHits(row)
	if err != nil {
		return "", nil, "", err
	}
	if ranking, err = corpus.RankingOf(ids, scores); err != nil {
		return "", nil, "", fmt.Errorf("%s: %w", name, err)
	}
	return query, ranking, "", nil
}

// shortened cuts what a retriever says about its failure: some say all that they know.
func shortened(fault string) string {
	const most = 1000
	if len(fault) <= most {
		return fault
	}
	return strings.ToValidUTF8(fault[:most], "") + "…"
}
