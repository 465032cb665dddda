package main

import (
	"runtime"

	"github.com/spf13/cobra"
)

// program is how events and exports name the program that wrote them.
func program() string { return "assay " + version }

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.printJSON(map[string]string{"version": version, "go": runtime.Version()})
			}
			a.line("%s (%s %s/%s)", program(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return c
}
