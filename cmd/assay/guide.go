package main

import (
	"strings"

	"assay/cmd/assay/guide"
	"assay/corpus/text"

	"github.com/spf13/cobra"
)

func (a *app) guideCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "guide [TOPIC]",
		Short: "Read the user guide",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var names []string
			for _, t := range guide.Topics() {
				names = append(names, t.Name)
			}
			if len(args) == 0 {
				for _, t := range guide.Topics() {
					a.line("%s %s", padRight(t.Name, 18), t.Summary)
				}
				a.say("assay guide TOPIC shows a page")
				return nil
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
