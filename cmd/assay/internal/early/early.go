// Package early keeps Bubble Tea from probing the terminal before main runs.
//
// Importing Bubble Tea asks the terminal for its background colour in an init function, for every subcommand: five
// seconds of waiting and stray escape bytes where the terminal stays mute. The probe is skipped for TERM=dumb, so
// this package says so for as long as packages initialise, and main takes it back in its first line.
//
// Go initialises packages by dependency, then by import path: a package that depends on os alone and whose path sorts
// before "github.com/…" comes first. It therefore imports os and nothing else; a test in cmd/assay runs the real
// binary under a mute pseudo-terminal.
package early

import "os"

var term, hadTerm = hide()

func hide() (string, bool) {
	term, ok := os.LookupEnv("TERM")
	os.Setenv("TERM", "dumb")
	return term, ok
}

// Restore gives TERM back its value. Call it first in main.
func Restore() {
	if hadTerm {
		os.Setenv("TERM", term)
		return
	}
	os.Unsetenv("TERM")
}
