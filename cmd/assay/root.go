package main

import (
	"context"
	"fmt"

	"assay/corpus/text"

	"github.com/spf13/cobra" // the command line: subcommands, flags, help and completion, kept by a large community
)

const longHelp = `assay builds gold sets for retrieval in a terminal: bring in a corpus and a log of real queries, mark
which chunks answer each query, and measure a retriever against what was marked.

Exit codes: 0 ok, 1 error, 2 usage, 3 a gate failed, 4 locked by another process, 130 interrupted; 129 and 143 where a
signal ended the labeling screen.`

// run is the whole program: it returns the exit code.
func run(ctx context.Context, p process) int {
	a := &app{process: p}
	root := a.root()
	root.SetArgs(p.args)
	err := root.ExecuteContext(ctx)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil && a.unsaid != nil {
		err = fmt.Errorf("write to standard output: %w", a.unsaid)
	}
	report(p.stderr, err)
	return exitCode(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "assay",
		Short:         "Build gold sets for retrieval",
		Long:          longHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Version = version
	root.SetVersionTemplate(program() + "\n")
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return withHint(usageError{err}, c.CommandPath()+" --help lists the flags")
	})
	flags := root.PersistentFlags()
	flags.StringVarP(&a.dir, "workspace", "w", "", "the workspace's folder (else ASSAY_WORKSPACE, else the nearest parent with an assay.toml)")
	flags.StringVar(&a.name, "annotator", "", "who is labeling (else ASSAY_ANNOTATOR, else the name that was remembered)")

	root.AddGroup(
		&cobra.Group{ID: "begin", Title: "Begin"},
		&cobra.Group{ID: "bring", Title: "Bring in"},
		&cobra.Group{ID: "label", Title: "Label"},
		&cobra.Group{ID: "use", Title: "Measure and hand over"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	label := a.labelCommand()
	add("begin", a.demoCommand(), a.initCommand(), a.guideCommand())
	add("bring", a.indexCommand(), a.importCommand())
	add("label", label, a.searchCommand(), a.statusCommand(), a.logCommand(), a.forgetCommand())
	add("use", a.checkCommand(), a.compareCommand(), a.exportCommand())
	root.AddCommand(a.versionCommand())

	// Plain assay is label; a word that is no command is a mistake with advice.
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := usagef("there is no command %q", text.Sanitize(args[0]))
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		if near, ok := text.Nearest(args[0], names); ok {
			return withHint(err, fmt.Sprintf("did you mean \"assay %s\"?", near))
		}
		return withHint(err, "assay help lists the commands")
	}
	root.RunE = label.RunE
	root.Flags().AddFlagSet(label.Flags())
	wrapArgs(root)
	return root
}

// wrapArgs turns complaints about arguments into usage errors, for every command.
func wrapArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			if _, ok := err.(hinted); ok {
				return err
			}
			return withHint(usageError{err}, cmd.CommandPath()+" --help says how")
		}
	}
	for _, sub := range c.Commands() {
		wrapArgs(sub)
	}
}
