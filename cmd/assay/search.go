package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/index"
	"assay/corpus/text"

	"github.com/spf13/cobra"
)

// openIndex opens the workspace's index for reading.
func (a *app) openIndex(w *workspace.Workspace) (*index.Index, error) {
	ix, err := index.Open(w.Path("corpus"))
	if errors.Is(err, index.ErrNone) {
		return nil, withHint(err, "assay index PATH… reads a corpus")
	}
	return ix, err
}

// foundJSON is one line of search --json.
type foundJSON struct {
	Rank    int     `json:"rank"`
	ChunkID string  `json:"chunk_id"`
	DocID   string  `json:"doc_id"`
	Score   float64 `json:"score"`
	Title   string  `json:"title"`
	Snippet string  `json:"snippet"`
	Text    string  `json:"text,omitempty"`
}

type searchJSON struct {
	Search  string      `json:"search"`
	Mode    corpus.Mode `json:"mode"`
	Total   int         `json:"total"`
	Partial bool        `json:"partial"`
	Note    string      `json:"note,omitempty"`
	Scorer  string      `json:"scorer"`
	Corpus  corpus.Hash `json:"corpus"`
	Hits    []foundJSON `json:"hits"`
}

func (a *app) searchCommand() *cobra.Command {
	var n int
	var mode string
	var whole, asJSON bool
	c := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Search the corpus once and print what is found",
		Long: `Search the corpus once and print what is found.

The words are literal unless --mode query: then "phrase", -not, word*, fuzzy~ and doc:PATH mean something.
Put -- before words that start with a dash.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(corpus.Modes(), corpus.Mode(mode)) {
				return usagef("mode %q is not plain, query, exact or phrase", text80(mode))
			}
			if n < 1 {
				return usagef("-n %d is below 1", n)
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			ix, err := a.openIndex(w)
			if err != nil {
				return fmt.Errorf("search: %w", err)
			}
			defer ix.Close()
			res, err := ix.Search(cmd.Context(), corpus.SearchRequest{
				Text: strings.Join(args, " "), Mode: corpus.Mode(mode), Limit: n, RelevantFrom: w.Scale().RelevantFrom,
			})
			var syntax *index.SyntaxError
			if errors.As(err, &syntax) {
				return usageError{err}
			}
			if err != nil {
				return fmt.Errorf("search: %w", err)
			}
			out := searchJSON{
				Search: res.Request.Text, Mode: res.Request.Mode, Total: res.Total, Partial: res.Partial, Note: res.Note,
				Scorer: res.Scorer, Corpus: ix.Info().Fingerprint, Hits: []foundJSON{},
			}
			for i, h := range res.Hits {
				f := foundJSON{Rank: i + 1, ChunkID: h.ChunkID, DocID: h.DocID, Score: h.Score, Title: h.Title, Snippet: h.Snippet}
				if whole {
					chunk, err := ix.Chunk(cmd.Context(), h.ChunkID)
					if err != nil {
						return fmt.Errorf("search: %w", err)
					}
					f.Text = chunk.Text
				}
				out.Hits = append(out.Hits, f)
			}
			if asJSON {
				return a.printJSON(out)
			}
			a.printFound(out)
			return nil
		},
	}
	c.Flags().IntVarP(&n, "number", "n", 10, "how many chunks to print")
	c.Flags().StringVar(&mode, "mode", string(corpus.Plain), "plain, query, exact (words only as typed) or phrase")
	c.Flags().BoolVar(&whole, "text", false, "print whole chunks")
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}

func (a *app) printFound(out searchJSON) {
	for _, h := range out.Hits {
		a.line("%3d  %8.4f  %s  %s", h.Rank, h.Score, h.ChunkID, h.Title)
		if h.Text != "" {
			for l := range strings.SplitSeq(h.Text, "\n") {
				a.line("     %s", l)
			}
			continue
		}
		a.line("     %s", h.Snippet)
	}
	more := ""
	if out.Partial {
		more = "at least "
	}
	a.say("%s%s found · %s", more, count(out.Total, "chunk"), out.Scorer)
	if out.Note != "" {
		a.say("note: %s", out.Note)
	}
}

// count is "1 chunk" or "3 chunks".
func count(n int, noun string) string { return text.Count(n, noun, plural(noun)) }

// countAre is "1 label is" or "3 labels are".
func countAre(n int, noun string) string { return text.Count(n, noun+" is", plural(noun)+" are") }

// countThat is "1 query that is" or "3 queries that are".
func countThat(n int, noun string) string {
	return text.Count(n, noun+" that is", plural(noun)+" that are")
}

func plural(noun string) string {
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return stem + "ies"
	}
	return noun + "s"
}
