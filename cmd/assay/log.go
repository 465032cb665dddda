package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"assay/cmd/assay/internal/desk"
	"assay/corpus"
	"assay/store"

	"github.com/spf13/cobra"
)

func (a *app) logCommand() *cobra.Command {
	var n int
	var query, batch string
	var batches, asJSON bool
	c := &cobra.Command{
		Use:   "log",
		Short: "Say who said what, when; undo an import",
		Long: `Say who said what, when, newest first. Nothing is ever overwritten: a change and its undo are both here.

"assay log --batches" lists imports; "assay log undo BATCH" takes one back, except for what was changed since.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 1 {
				return usagef("-n %d is below 1", n)
			}
			w, err := a.workspace()
			if err != nil {
				return err
			}
			db, err := a.readStore(w)
			if err != nil {
				return fmt.Errorf("log: %w", err)
			}
			defer db.Close()
			if batches {
				return a.printBatches(db, asJSON)
			}
			events, err := newestEvents(db, n, func(e corpus.Event) bool {
				return (query == "" || e.Subject.Query == query) && (batch == "" || e.Batch == batch) &&
					(a.name == "" || e.Annotator == a.name)
			})
			if err != nil {
				return fmt.Errorf("log: %w", err)
			}
			for _, e := range events {
				if asJSON {
					if err := a.printJSON(e); err != nil {
						return err
					}
					continue
				}
				a.line("%s  %s  %s", e.At.UTC().Format("2006-01-02 15:04:05"), padRight(orDash(e.Annotator), 8), describeEvent(e))
			}
			return nil
		},
	}
	c.Flags().IntVarP(&n, "number", "n", 20, "how many events to print")
	c.Flags().StringVar(&query, "query", "", "only about this query")
	c.Flags().StringVar(&batch, "batch", "", "only of this import")
	c.Flags().BoolVar(&batches, "batches", false, "list imports")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	c.AddCommand(a.logUndoCommand())
	return c
}

// newestEvents walks the journal backwards until n events were kept.
func newestEvents(db *store.DB, n int, keep func(corpus.Event) bool) ([]corpus.Event, error) {
	counts, err := db.Counts()
	if err != nil {
		return nil, err
	}
	const page = 1000
	var out []corpus.Event
	for end := counts.Events; end > 0 && len(out) < n; {
		start := max(0, end-page)
		events, err := db.Events(uint64(start), end-start)
		if err != nil {
			return nil, err
		}
		for i := len(events) - 1; i >= 0 && len(out) < n; i-- {
			if keep(events[i]) {
				out = append(out, events[i])
			}
		}
		end = start
	}
	return out, nil
}

// describeEvent says in one line what an event did.
func describeEvent(e corpus.Event) string {
	var b strings.Builder
	if e.Reverts != "" {
		b.WriteString("took back: ")
	}
	state := e.After
	gone := len(state) == 0 || string(state) == "null"
	if gone {
		state = e.Before
	}
	switch e.Kind {
	case corpus.EventLabel:
		var l corpus.Label
		_ = json.Unmarshal(state, &l) // an event that does not decode still says what it is about
		verb := "graded " + l.Grade.String()
		if gone {
			verb = "no grade (was " + l.Grade.String() + ")"
		}
		fmt.Fprintf(&b, "%s: %s %s", e.Subject.Query, e.Subject.Chunk, verb)
		if e.Found != nil && e.Found.Search != "" {
			fmt.Fprintf(&b, " (found by %q", text80(e.Found.Search))
			if e.Found.Rank > 0 {
				fmt.Fprintf(&b, ", row %d", e.Found.Rank)
			}
			b.WriteString(")")
		}
	case corpus.EventQuery:
		var q corpus.Query
		_ = json.Unmarshal(state, &q)
		verb := queryVerb(e, q, gone)
		fmt.Fprintf(&b, "%s %s: %q", verb, e.Subject.Query, text80(q.Text))
	case corpus.EventWork:
		var w corpus.Work
		_ = json.Unmarshal(state, &w)
		if gone {
			w.State = corpus.Open
		}
		fmt.Fprintf(&b, "%s: %s", e.Subject.Query, w.State)
	case corpus.EventSaid:
		var said corpus.Said
		_ = json.Unmarshal(state, &said)
		verb := ""
		if gone {
			verb = "removed "
		}
		fmt.Fprintf(&b, "%s: %s%s %s", e.Subject.Query, verb, e.Subject.What, text80(said.Value))
	case corpus.EventSearch:
		var s corpus.SearchTried
		_ = json.Unmarshal(state, &s)
		fmt.Fprintf(&b, "%s: searched %q, read to row %d of %d", e.Subject.Query, text80(s.Text), s.Deepest, s.Results)
	case corpus.EventScale:
		var s corpus.Scale
		_ = json.Unmarshal(state, &s)
		fmt.Fprintf(&b, "scale: %s", describeScale(s))
	case corpus.EventCorpus:
		var c corpus.Info
		_ = json.Unmarshal(state, &c)
		fmt.Fprintf(&b, "corpus %s: %s", c.ID, count(c.Chunks, "chunk"))
	default:
		fmt.Fprintf(&b, "%s", e.Kind)
	}
	if e.Batch != "" {
		fmt.Fprintf(&b, "  [%s]", e.Batch)
	}
	return b.String()
}

// queryVerb says what became of a query: it came, went, was reworded, left out or taken back in.
func queryVerb(e corpus.Event, q corpus.Query, gone bool) string {
	var was corpus.Query
	known := len(e.Before) > 0 && json.Unmarshal(e.Before, &was) == nil
	switch {
	case gone:
		return "removed query"
	case known && q.Excluded && !was.Excluded:
		return "left out query"
	case known && !q.Excluded && was.Excluded:
		return "took in query"
	case known && q.Text != was.Text:
		return "reworded query"
	case known:
		return "changed query"
	}
	return "query"
}

type batchJSON struct {
	ID       string         `json:"batch"`
	At       string         `json:"at"`
	Who      []string       `json:"annotators"`
	Kinds    map[string]int `json:"kinds"`
	Undone   bool           `json:"undone"`
	Undoes   []string       `json:"undoes,omitempty"`
	Reverted int            `json:"reverted"`
}

func (a *app) printBatches(db *store.DB, asJSON bool) error {
	batches, err := db.Batches()
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for i := len(batches) - 1; i >= 0; i-- {
		b := batches[i]
		out := batchJSON{
			ID: b.ID, At: b.First.UTC().Format("2006-01-02T15:04:05Z"), Who: b.Annotators, Kinds: map[string]int{},
			Undone: b.Undone(), Undoes: b.Reverts, Reverted: b.Reverted,
		}
		var kinds []string
		for _, k := range []corpus.EventKind{corpus.EventQuery, corpus.EventLabel, corpus.EventWork, corpus.EventSaid, corpus.EventSearch} {
			if n := b.Kinds[k]; n > 0 {
				out.Kinds[string(k)] = n
				kinds = append(kinds, fmt.Sprintf("%d %s", n, k))
			}
		}
		if asJSON {
			if err := a.printJSON(out); err != nil {
				return err
			}
			continue
		}
		note := ""
		if out.Undone {
			note = fmt.Sprintf("  taken back (%d of %d)", b.Reverted, b.Events)
		}
		if len(b.Reverts) > 0 {
			note = "  takes back " + strings.Join(b.Reverts, ", ")
		}
		a.line("%s  %s  %s%s", b.First.UTC().Format("2006-01-02 15:04:05"), b.ID, strings.Join(kinds, ", "), note)
	}
	return nil
}

func (a *app) logUndoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "undo BATCH",
		Short: "Take an import back, except for what was changed since",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			db, err := a.openStore(cmd.Context(), w)
			if err != nil {
				return fmt.Errorf("log undo: %w", err)
			}
			defer db.Close()
			who, err := a.knownAnnotator()
			if err != nil {
				return err
			}
			reverted, kept, err := db.UndoBatch(cmd.Context(), store.Author{Annotator: who, Role: "undo"}, args[0])
			if errors.Is(err, store.ErrNoBatch) {
				return withHint(fmt.Errorf("log undo: %w", err), "assay log --batches lists them")
			}
			if err != nil {
				return fmt.Errorf("log undo: %w", err)
			}
			if asJSON {
				return a.printJSON(map[string]any{"batch": args[0], "reverted": reverted, "kept": len(kept)})
			}
			a.line("took back %s of %s", count(reverted, "change"), args[0])
			drift, err := desk.DriftOf(cmd.Context(), db, nil)
			if err != nil {
				return fmt.Errorf("log undo: %w", err)
			}
			if drift.Unknown > 0 {
				a.say("warning: %s on queries that are no longer here: kept; import the queries again to see them", count(drift.Unknown, "label"))
			}
			for i, e := range kept {
				if i == 20 {
					a.say("… and %d more", len(kept)-20)
					break
				}
				a.say("kept, since it was changed later: %s", describeEvent(e))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}
