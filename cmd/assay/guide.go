package main

import (
	"strings"

	"assay/cmd/assay/guide"
	"assay/corpus/text"
	reports "assay/export/report"

	"github.com/spf13/cobra"
)

func (a *app) guideCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "guide [TOPIC]",
		Short: "Read the user guide",
		Long: `Read the user guide: the list of its pages, or a page. "assay guide schema" prints the JSON Schema of what
"check --json" prints, "assay guide schema compare" that of "compare --json".`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var names []string
			for _, t := range guide.Topics() {
				names = append(names, t.Name)
			}
			if len(args) == 0 {
				for _, t := range guide.Topics() {
					a.line("%s %s", padRight(t.Name, 18), t.Summary)
				}
				a.say("assay guide TOPIC shows a page; assay guide schema prints the JSON Schema of check --json")
				return nil
			}
			if args[0] == "schema" {
				return a.printSchema(args[1:])
			}
			if len(args) > 1 {
				return usagef("one page at a time; only schema takes a second word")
			}
			page, ok := guide.Page(strings.TrimSuffix(args[0], ".md"))
			if !ok {
				err := usagef("there is no page %q", text80(args[0]))
				if near, ok := text.Nearest(args[0], names); ok {
					return withHint(err, "did you mean \"assay guide "+near+"\"?")
				}
				return withHint(err, "assay guide lists the pages")
			}
			for l := range strings.SplitSeq(strings.TrimRight(page, "\n"), "\n") {
				a.line("%s", l)
			}
			return nil
		},
	}
	for _, t := range guide.Topics() {
		c.ValidArgs = append(c.ValidArgs, t.Name)
	}
	return c
}

// printSchema prints a JSON Schema as it is.
func (a *app) printSchema(of []string) error {
	schema := reports.CheckSchema()
	switch {
	case len(of) == 0 || of[0] == "check":
	case of[0] == "compare":
		schema = reports.ComparisonSchema()
	default:
		return usagef("there is a schema of check and of compare, not of %q", text80(of[0]))
	}
	_, err := a.data().Write(schema)
	return err
}
