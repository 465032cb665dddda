package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/cmd/assay/internal/intake"
	"assay/corpus"
	"assay/corpus/text"
	"assay/store"

	"github.com/spf13/cobra"
)

// forgottenJSON says what was removed, and where it still is.
type forgottenJSON struct {
	Queries    int      `json:"queries"`
	Already    []string `json:"already"`
	Events     int      `json:"events"`
	Labels     int      `json:"labels"`
	Statements int      `json:"statements"`
	Searches   int      `json:"searches"`
	Drafts     int      `json:"drafts"`
	Mentions   int      `json:"mentions"`
	Frame      int      `json:"frame"`
	SameText   []string `json:"same_text"`
	StillHeld  []string `json:"still_held"`
}

func (a *app) forgetCommand() *cobra.Command {
	var yes, asJSON bool
	c := &cobra.Command{
		Use:   "forget QUERY…",
		Short: "Remove a query for good, history included",
		Long: `Remove queries for good: from labels, journal, drafts and logs, with everything that was said of them.

There is no way back: log undo can't bring them back, and no later import does. Backups, exports and other files of the
workspace that still hold a query are listed; they are left alone.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error { return a.forget(cmd, ids, yes, asJSON) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "don't ask")
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}

func (a *app) forget(cmd *cobra.Command, ids []string, yes, asJSON bool) error {
	ctx := cmd.Context()
	w, err := a.workspace()
	if err != nil {
		return err
	}
	db, err := a.openStore(ctx, w)
	if err != nil {
		return err
	}
	defer db.Close()
	logs := w.Path("logs")
	texts, known, err := intake.TextsOf(db, logs, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if gone, err := db.IsForgotten(id); err != nil {
			return err
		} else if !known[id] && !gone {
			return a.noQuery(db, id)
		}
	}
	if !yes {
		if err := a.confirmForget(ids, texts); err != nil {
			return err
		}
	}
	who, err := a.knownAnnotator()
	if err != nil {
		return err
	}
	out, err := intake.Forget(ctx, db, logs, store.Author{Annotator: who, Role: "forget"}, ids, texts)
	if err != nil && !errors.Is(err, store.ErrTraces) {
		return err
	}
	traces := err
	held, err := intake.StillHeld(ctx, w.Root, ids, texts)
	if err != nil {
		return err
	}
	if asJSON {
		j := forgottenJSON{
			out.Queries, orEmpty(out.Already), out.Events, out.Labels, out.Statements, out.Searches, out.Drafts, out.Mentions + out.FrameMentions,
			out.Frame, orEmpty(out.SameText), orEmpty(held),
		}
		if err := a.printJSON(j); err != nil {
			return err
		}
		return traces
	}
	a.line("forgotten: %s, %s, %s, %s, %s; %s", count(out.Queries, "query"), count(out.Labels, "label"), count(out.Statements, "statement"),
		text.Count(out.Searches, "search", "searches"), count(out.Drafts, "draft"), count(out.Events, "event"))
	if out.Frame > 0 {
		a.line("in the frame of the logs: %s", count(out.Frame, "query"))
	}
	if n := out.Mentions + out.FrameMentions; n > 0 {
		a.line("taken out of what is said of other queries: %s", count(n, "mention"))
	}
	for _, id := range out.Already {
		a.say("note: %q was forgotten before", text80(id))
	}
	for _, id := range out.SameText {
		a.say("note: %q asks the very same, and stays: it is a query of its own", text80(id))
	}
	for _, path := range held {
		a.say("still held by %s", path)
	}
	if len(held) == 0 {
		a.say("no other file of the workspace holds it")
	} else {
		a.say("hint: remove these files, or make them again, for it to be gone from them too")
	}
	return traces
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// confirmForget asks where somebody can answer. Elsewhere it wants --yes.
func (a *app) confirmForget(ids, texts []string) error {
	if !a.interactive() {
		return withHint(usagef("forgetting can't be undone"), "say --yes")
	}
	for _, t := range texts {
		a.say("  %s", text80(t))
	}
	fmt.Fprintf(a.stderr, "Forget %s for good, with all that was said of it? Type yes: ", count(len(ids), "query"))
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" || err != nil && answer == "" {
		return errors.New("nothing was forgotten")
	}
	return nil
}

// noQuery says that there is no query of an id, and which one it may have meant.
func (a *app) noQuery(db *store.DB, id string) error {
	err := fmt.Errorf("there is no query %q", text80(id))
	queries, e := db.Queries()
	if e != nil {
		return err
	}
	i := slices.IndexFunc(queries, func(q corpus.Query) bool { return q.Text == id })
	if i >= 0 {
		return withHint(err, fmt.Sprintf("a query with this text has the id %s", queries[i].ID))
	}
	return withHint(err, "the queries screen (Q) shows ids")
}
