package main

import (
	"fmt"

	"assay/export"

	"github.com/spf13/cobra"
)

func (a *app) importCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "import queries|labels|run FILE…",
		Short: "Bring in queries, labels or a run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("say what to import: queries, labels or run")
			}
			return fmt.Errorf("can't import %q: only queries, labels or run", text80(args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(a.importQueriesCommand(), a.importLabelsCommand(), a.importRunCommand())
	return c
}

// importedFile says what became of one file's rows.
type importedFile struct {
	File      string `json:"file"`
	Format    string `json:"format"`
	TextField string `json:"text_field,omitempty"` // where the queries were found
	IDField   string `json:"id_field,omitempty"`
	Accepted  int    `json:"accepted"`
	Rejected  int    `json:"rejected"`
	Blank     int    `json:"blank"`
}

// rejectJSON is one row that was not taken.
type rejectJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Hint   string `json:"hint,omitempty"`
}

// allRefused makes an import of which nothing could be used an error.
func allRefused(files []importedFile) error {
	accepted, rejected := 0, 0
	for _, f := range files {
		accepted += f.Accepted
		rejected += f.Rejected
	}
	if accepted == 0 && rejected > 0 {
		return fmt.Errorf("no row could be used: %d of %d were refused", rejected, rejected)
	}
	return nil
}

func rowCounts(f importedFile) string {
	return fmt.Sprintf("%d accepted + %d rejected = %d (and %d blank)", f.Accepted, f.Rejected, f.Accepted+f.Rejected, f.Blank)
}

// at is "file:line", or the file alone where no line is known.
func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// printRejects lists refused rows by line; the total is always said.
func (a *app) printRejects(rejects []rejectJSON, files []importedFile) {
	const most = 20
	total := 0
	for _, f := range files {
		total += f.Rejected
	}
	for i, r := range rejects {
		if i == most {
			break
		}
		a.say("%s: %s", at(r.File, r.Line), r.Reason)
		if r.Hint != "" && (i == 0 || rejects[i-1].Hint != r.Hint) {
			a.say("hint: %s", r.Hint)
		}
	}
	if more := max(total, len(rejects)) - min(most, len(rejects)); more > 0 {
		a.say("… and %s more refused (--json lists them)", count(more, "row"))
	}
}

func exportRejects(s export.Stats) []rejectJSON {
	out := []rejectJSON{}
	for _, r := range s.Rejects {
		out = append(out, rejectJSON{r.File, r.Line, r.Reason, r.Hint})
	}
	return out
}
