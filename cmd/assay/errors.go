package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"assay/corpus/index"
	"assay/corpus/text"
	"assay/export"
	"assay/store"
	"assay/tui"
)

// Exit codes, as the help of assay lists them.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitGate        = 3
	exitLocked      = 4
	exitInterrupted = 130
)

// usageError is a mistake in how the command was called.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// gateError says that the command worked and the result is not good enough.
type gateError struct{ error }

func (e gateError) Unwrap() error { return e.error }

// hinted is an error with advice.
type hinted struct {
	error
	hint string
}

func (h hinted) Hint() string  { return h.hint }
func (h hinted) Unwrap() error { return h.error }

func withHint(err error, hint string) error { return hinted{err, hint} }

// silent ends a command with a code when everything worth saying was said.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// exitCode sorts an error into the exit codes.
func exitCode(err error) int {
	var usage usageError
	var quiet silent
	var gate gateError
	var locked *store.LockedError
	var building *index.BuildingError
	var ended *tui.SignalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &quiet):
		return int(quiet)
	case errors.As(err, &usage), errors.Is(err, tui.ErrNoTerminal):
		return exitUsage
	case errors.As(err, &gate):
		return exitGate
	case errors.As(err, &locked), errors.As(err, &building), errors.Is(err, export.ErrRunLocked):
		return exitLocked
	case errors.As(err, &ended):
		if s, ok := ended.Signal.(syscall.Signal); ok {
			return 128 + int(s)
		}
		return exitError
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitError
}

// report prints an error as one line, and its hint as another.
func report(w io.Writer, err error) {
	var quiet silent
	if err == nil || errors.As(err, &quiet) {
		return
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "error: interrupted")
		return
	}
	lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
	fmt.Fprintf(w, "error: %s\n", text.Sanitize(strings.Join(lines, "; ")))
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(w, "hint: %s\n", text.Sanitize(h.Hint()))
	}
	var crash *tui.CrashError
	if errors.As(err, &crash) {
		fmt.Fprintf(w, "hint: what was shown as saved is safe; please report this:\n%s", text.SanitizeLines(string(crash.Stack)))
	}
}
