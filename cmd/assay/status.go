package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"assay/cmd/assay/internal/desk"
	"assay/corpus"
	"assay/corpus/index"
	"assay/store"

	"github.com/spf13/cobra"
)

type statusJSON struct {
	Workspace  string                     `json:"workspace"`
	Name       string                     `json:"name"`
	Scale      corpus.Scale               `json:"scale"`
	Corpus     *corpus.Info               `json:"corpus"` // null where nothing is indexed
	CorpusNote string                     `json:"corpus_note,omitempty"`
	Queries    int                        `json:"queries"`
	Excluded   int                        `json:"excluded"`
	Done       int                        `json:"done"`
	Labeled    int                        `json:"labeled"`
	Labels     int                        `json:"labels"`
	Events     int                        `json:"events"`
	Annotators map[string]annotatorStatus `json:"annotators"`
	Stale      int                        `json:"stale_labels"`
	Gone       int                        `json:"labels_on_missing_chunks"`
	Unknown    int                        `json:"labels_on_unknown_queries"`
}

type annotatorStatus struct {
	Labels  int `json:"labels"`
	Done    int `json:"done"`
	Later   int `json:"later"`
	Skipped int `json:"skipped"`
}

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Say what is labeled and what is left",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			out := statusJSON{Workspace: w.Root, Name: w.Name(), Scale: w.Scale(), Annotators: map[string]annotatorStatus{}}
			ix, err := index.Open(w.Path("corpus"))
			switch {
			case errors.Is(err, index.ErrNone):
				out.CorpusNote = err.Error()
			case err != nil:
				out.CorpusNote = err.Error()
			default:
				defer ix.Close()
				info := ix.Info()
				out.Corpus = &info
			}
			db, err := a.readStore(w)
			if err != nil {
				return fmt.Errorf("status: %w", err)
			}
			defer db.Close()
			if err := out.count(db); err != nil {
				return fmt.Errorf("status: %w", err)
			}
			drift, err := desk.DriftOf(cmd.Context(), db, ix)
			if err != nil {
				return fmt.Errorf("status: %w", err)
			}
			out.Stale, out.Gone, out.Unknown = drift.Stale, drift.Gone, drift.Unknown
			if asJSON {
				return a.printJSON(out)
			}
			a.printStatus(out)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}

func (s *statusJSON) count(db *store.DB) error {
	c, err := db.Counts()
	if err != nil {
		return err
	}
	s.Queries, s.Excluded, s.Done, s.Labeled, s.Labels, s.Events = c.Queries, c.Excluded, c.Done, c.Labeled, c.Labels, c.Events
	for name, n := range c.Annotators {
		s.Annotators[name] = annotatorStatus{
			Labels: n.Labels, Done: n.States[corpus.Done], Later: n.States[corpus.Later], Skipped: n.States[corpus.Skipped],
		}
	}
	return nil
}

func (a *app) printStatus(s statusJSON) {
	a.line("%s · %s", s.Name, s.Workspace)
	switch {
	case s.Corpus == nil:
		a.line("corpus      %s", s.CorpusNote)
	default:
		a.line("corpus      %s · %.12s · %s", count(s.Corpus.Chunks, "chunk"), s.Corpus.Fingerprint, s.Corpus.Chunking)
	}
	a.line("scale       %s", describeScale(s.Scale))
	included := s.Queries - s.Excluded
	share := 0.0
	if included > 0 {
		share = float64(s.Done) / float64(included)
	}
	excluded := ""
	if s.Excluded > 0 {
		excluded = fmt.Sprintf(" · %d left out", s.Excluded)
	}
	a.line("queries     %d/%d done  %s  %.0f%%%s", s.Done, included, bar(share, 20), share*100, excluded)
	a.line("labels      %d on %s", s.Labels, count(s.Labeled, "query"))
	var names []string
	for name := range s.Annotators {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		n := s.Annotators[name]
		line := fmt.Sprintf("  %s %s, %d done", padRight(name, 9), count(n.Labels, "label"), n.Done)
		if n.Later > 0 {
			line += fmt.Sprintf(", %d for later", n.Later)
		}
		if n.Skipped > 0 {
			line += fmt.Sprintf(", %d skipped", n.Skipped)
		}
		a.line("%s", line)
	}
	if s.Stale > 0 {
		a.line("stale       %s made on a text that is different now", count(s.Stale, "label"))
	}
	if s.Gone > 0 {
		a.line("missing     %s on chunks that are not in the corpus", count(s.Gone, "label"))
	}
	if s.Unknown > 0 {
		a.line("unknown     %s on queries that were never imported", count(s.Unknown, "label"))
	}
	a.line("next        %s", s.next())
}

func (s *statusJSON) next() string {
	switch {
	case s.Corpus == nil:
		return "assay index PATH…"
	case s.Queries == 0:
		return "assay import queries LOG"
	case s.Done < s.Queries-s.Excluded:
		return "assay (label the next query)"
	}
	return "assay check, assay export"
}

// padRight fills s up with spaces, by characters.
func padRight(s string, width int) string {
	if n := len([]rune(s)); n < width {
		return s + strings.Repeat(" ", width-n)
	}
	return s
}
