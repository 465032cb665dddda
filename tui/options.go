package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"assay/corpus/text"
	"assay/tui/port"
	"assay/tui/screen"
)

// The screens by name, for Options.Start.
const (
	Label   = "label"
	Queries = "queries"
	Check   = "check"
)

// Options are what Run needs. Desk and Finder are required; Checker, Exporter and Importer may be nil, their actions then say
// that they are not available.
type Options struct {
	Desk     port.Desk
	Finder   port.Finder
	Checker  port.Checker
	Exporter port.Exporter
	Importer port.Importer

	Theme   string // "dark", "light", "none"; "" and "auto" are dark: the terminal is never asked
	NoColor bool   // as NO_COLOR asks: no styles at all
	Mouse   bool   // off unless asked for: a terminal with the mouse captured can't select text

	In  io.Reader // the terminal; nil is os.Stdin
	Out io.Writer // nil is os.Stdout

	Now     func() time.Time // nil is time.Now
	Tick    screen.Tick      // nil is tea.Tick
	Signals <-chan os.Signal // SIGINT, SIGHUP and SIGTERM as the caller catches them; nil for none

	Start string           // Label (also ""), Queries or Check
	Query screen.OpenQuery // what the label screen begins with; its zero value is the first open query
}

// ErrNoTerminal says that there is no terminal to run in.
var ErrNoTerminal = errors.New("this needs a terminal, and input or output is none")

// SignalError says that a signal ended the program, after drafts were saved and the terminal restored.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return fmt.Sprintf("ended by signal: %v", e.Signal) }

// ErrHangup says that the terminal went away.
var ErrHangup = errors.New("the terminal is gone")

// UnsavedError says that the annotator left while writes were not acknowledged yet, or that they never were.
type UnsavedError struct{ Writes int }

func (e *UnsavedError) Error() string {
	if e.Writes == 1 {
		return "left before the last change was saved: look at it again next time"
	}
	return fmt.Sprintf("left before the last %d changes were saved: look at them again next time", e.Writes)
}

// CrashError is a fault in the program itself. The terminal is restored, what was saved is safe.
type CrashError struct {
	Value any    // what panic was called with
	Stack []byte // where
}

func (e *CrashError) Error() string {
	return "a fault in the program: " + text.Sanitize(fmt.Sprint(e.Value))
}

// Unwrap gives the value where it is an error.
func (e *CrashError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
