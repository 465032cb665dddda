package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"assay/corpus"
	"assay/corpus/remote"
	"assay/corpus/retrieval"
	"assay/corpus/text"
	"assay/export"
)

// Asking is a retriever that is asked, and the file that keeps what it says.
type Asking struct {
	Retriever remote.Retriever
	Path      string // of the kept run
	Header    export.RunHeader
	Now       func() time.Time
	Asked     func(done, of int) // progress; may be nil
}

// hopeless is after how many failures, and nothing else, asking ends: an address with a typo should not be asked
// hundreds of times, a few seconds each.
const hopeless = 5

// Ask asks the retriever for what the kept run does not hold yet: queries that it never answered, or whose text is
// another one now. Each answer is in the file before the next is handed over, so that what came back is never asked
// for, nor paid for, twice. Where ctx ends early the answers so far stand, and the error is ctx's. A run of which no query
// was ever answered is not kept.
func (a Asking) Ask(ctx context.Context, queries []corpus.Query) (r Retrieved, kept int, err error) {
	file, known, err := export.OpenKeptRun(a.Path, a.Header, a.Now)
	if err != nil {
		return r, 0, err
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	r = Retrieved{Corpus: file.Header.Corpus, Failed: map[string]string{}, Latency: map[string]time.Duration{}}
	r.Name, r.Rankings, r.Scorer = file.Header.Name, map[string]corpus.Ranking{}, describeRetriever(file.Header.Retriever)
	for _, reject := range file.Rejects {
		r.Warnings = append(r.Warnings, reject.Error())
	}
	take := func(ans export.RunAnswer) {
		delete(r.Failed, ans.QueryID)
		if ans.Err != "" {
			r.Failed[ans.QueryID] = ans.Err
			return
		}
		r.Rankings[ans.QueryID] = ans.Ranking
		if ans.Latency > 0 {
			r.Latency[ans.QueryID] = ans.Latency
		}
	}
	rest := export.Unanswered(queries, known)
	texts := make(map[string]corpus.Hash, len(rest))
	for _, q := range rest {
		texts[q.ID] = corpus.HashText(q.Text)
	}
	for _, q := range queries {
		if _, open := texts[q.ID]; !open {
			take(known[q.ID])
			kept++
		}
	}
	progress := func(done int) {
		if a.Asked != nil {
			a.Asked(done, len(queries))
		}
	}
	progress(kept)
	if len(rest) == 0 {
		return r, kept, nil
	}
	done, answered := kept, false
	for _, ans := range known {
		answered = answered || ans.Err == ""
	}
	defer func() {
		if !answered && len(r.Rankings) == 0 {
			_ = os.Remove(a.Path) // nothing was answered, ever: there is nothing to keep
		}
	}()
	err = a.Retriever.Ask(ctx, rest, a.Header.Depth, func(ans remote.Answer) error {
		line := export.RunAnswer{
			QueryID: ans.QueryID, Query: texts[ans.QueryID], Ranking: ans.Ranking, Latency: ans.Latency,
			Attempts: ans.Attempts, At: a.Now().UTC(), Err: ans.Err,
		}
		if err := file.Append(line); err != nil {
			return fmt.Errorf("keep what the retriever said: %w", err)
		}
		take(line)
		done++
		progress(done)
		if !answered && len(r.Rankings) == 0 && done >= hopeless && len(rest) > hopeless {
			return fmt.Errorf("the retriever answered none of the first %d queries, last query %s: %s", done, ans.QueryID, ans.Err)
		}
		return nil
	})
	return r, kept, err
}

// describeRetriever says what was asked, for reports.
func describeRetriever(r export.RunRetriever) string {
	if r.Kind == "exec" {
		return "exec " + r.Command
	}
	return r.Kind + " " + r.URL
}

// RetrievedFrom is a run that was read from a file.
func RetrievedFrom(f export.RunFile) Retrieved {
	r := Retrieved{Run: f.Run, Failed: f.Failed, Latency: f.Latency, Warnings: warningsOf(f)}
	if f.Header != nil {
		r.Corpus, r.Scorer = f.Header.Corpus, describeRetriever(f.Header.Retriever)
	}
	return r
}

// warningsOf are what is wrong with a run's file.
func warningsOf(f export.RunFile) []string {
	warnings := slices.Clone(f.Warnings)
	if n := f.Stats.Rejected; n > 0 {
		line := text.Count(n, "line of the run's file was", "lines of the run's file were") + " rejected"
		if len(f.Stats.Rejects) > 0 {
			line += fmt.Sprintf(", first %v", f.Stats.Rejects[0])
		}
		warnings = append(warnings, line)
	}
	return warnings
}

// Unasked marks the queries that a kept run never got to as failed: it was interrupted, and their silence says nothing
// about the retriever.
func (r *Retrieved) Unasked(file export.RunFile, queries []retrieval.Query) {
	if file.Header == nil {
		return
	}
	for _, q := range queries {
		_, answered := r.Rankings[q.ID]
		_, failed := r.Failed[q.ID]
		if !answered && !failed && (q.Done || len(q.Grades) > 0) {
			if r.Failed == nil {
				r.Failed = map[string]string{}
			}
			r.Failed[q.ID] = "it was not asked yet when the run ended"
		}
	}
}

// ToAsk are the queries that a figure or a block of a report needs a ranking of.
func (b Bench) ToAsk(texts []corpus.Query) []corpus.Query {
	known := make(map[string]corpus.Query, len(texts))
	for _, q := range texts {
		known[q.ID] = q
	}
	var list []corpus.Query
	for _, q := range b.Queries {
		text, ok := known[q.ID]
		if ok && (q.Done || len(q.Grades) > 0) {
			list = append(list, text)
			delete(known, q.ID)
		}
	}
	return list
}

// Textless are the queries that should be asked and have no text.
func (b Bench) Textless(texts []corpus.Query) []string {
	known := make(map[string]bool, len(texts))
	for _, q := range texts {
		known[q.ID] = true
	}
	missing := map[string]bool{}
	for _, q := range b.Queries {
		if !known[q.ID] && (q.Done || len(q.Grades) > 0) {
			missing[q.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(missing))
}
