package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"assay/cmd/assay/internal/workspace"
	"assay/corpus"
	"assay/corpus/text"

	"golang.org/x/term" // raw facts about terminals, from the Go team
)

// app is what the commands share: the process, the global flags, and how to open things.
type app struct {
	process
	dir  string // --workspace
	name string // --annotator

	unsaid error // the first failure to print a line: a full disk behind a > must not look like success
}

// workspace finds the workspace at hand.
func (a *app) workspace() (*workspace.Workspace, error) {
	dir := a.dir
	if dir == "" {
		dir = a.getenv("ASSAY_WORKSPACE")
	}
	start, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w, err := workspace.Find(dir, start)
	if errors.Is(err, workspace.ErrNone) {
		return nil, withHint(err, "make one with \"assay init DIR\", or try \"assay demo\"")
	}
	return w, err
}

// annotator resolves who is speaking; it asks once where there is a terminal to ask on.
func (a *app) annotator() (string, error) {
	name, err := a.knownAnnotator()
	if name != "" || err != nil {
		return name, err
	}
	if !a.interactive() {
		return "", withHint(usagef("who is labeling is not known"), "say --annotator NAME or set ASSAY_ANNOTATOR")
	}
	suggestion := ""
	if u, err := user.Current(); err == nil && corpus.CheckID(u.Username) == nil {
		suggestion = u.Username
	}
	fmt.Fprintf(a.stderr, "Your name, as labels will carry it [%s]: ", text.Sanitize(suggestion))
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && line == "" {
		return "", usagef("who is labeling is not known")
	}
	name = strings.TrimSpace(line)
	if name == "" {
		name = suggestion
	}
	if err := corpus.CheckID(name); err != nil {
		return "", usagef("annotator: %w", err)
	}
	if dir, err := os.UserConfigDir(); err == nil {
		if err := workspace.RememberAnnotator(dir, name); err != nil {
			fmt.Fprintf(a.stderr, "note: the name could not be remembered: %s\n", text.Sanitize(err.Error()))
		}
	}
	return name, nil
}

// knownAnnotator is the annotator without asking; "" where nobody said.
func (a *app) knownAnnotator() (string, error) {
	name := a.name
	if name == "" {
		name = a.getenv("ASSAY_ANNOTATOR")
	}
	if name == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			name = workspace.RememberedAnnotator(dir)
		}
	}
	if name != "" {
		if err := corpus.CheckID(name); err != nil {
			return "", usagef("annotator: %w", err)
		}
	}
	return name, nil
}

// interactive reports whether a person is at both ends.
func (a *app) interactive() bool { return isTerminal(a.stdin) && isTerminal(a.stderr) }

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say prints a line for people on stderr.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, "%s\n", text.Sanitize(fmt.Sprintf(format, args...)))
}

// line prints a line for people on stdout.
func (a *app) line(format string, args ...any) {
	if _, err := fmt.Fprintf(a.stdout, "%s\n", text.Sanitize(fmt.Sprintf(format, args...))); err != nil && a.unsaid == nil {
		a.unsaid = err
	}
}

// printJSON prints one value as one line of JSON. On a terminal, characters that could drive it are escaped, which
// leaves the value the same.
func (a *app) printJSON(v any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	_, err := io.WriteString(a.data(), b.String())
	return err
}

// data is where bytes for other programs go: untouched into files and pipes, inert on a terminal.
func (a *app) data() io.Writer {
	if isTerminal(a.stdout) {
		return inert{a.stdout}
	}
	return a.stdout
}

// inert shows text on a terminal without letting it drive the terminal. Writers hand it whole lines.
type inert struct{ w io.Writer }

func (i inert) Write(p []byte) (int, error) {
	_, err := io.WriteString(i.w, text.SanitizeLines(string(p)))
	return len(p), err
}
