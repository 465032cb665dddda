package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"assay/corpus/retrieval"

	"golang.org/x/text/encoding/unicode" // UTF-16, from the Go team
	"golang.org/x/text/transform"
)

// NotReportError says that a file is no report of a check.
type NotReportError struct {
	Path string
	Err  error // why; may be nil
}

func (e *NotReportError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s is no report of a check: %v", e.Path, e.Err)
	}
	return e.Path + " is no report of a check"
}

// Unwrap gives what is wrong with the file.
func (e *NotReportError) Unwrap() error { return e.Err }

// Hint says where reports come from.
func (e *NotReportError) Hint() string { return "assay check --json --per-query writes one" }

// IsCheck reports whether a file begins as what check --json prints does, whoever formatted it since.
func IsCheck(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return false // what is read from a pipe is gone
	}
	d := json.NewDecoder(decoded(io.LimitReader(file, 4<<10)))
	for _, want := range []json.Token{json.Delim('{'), "assay", "check"} {
		if got, err := d.Token(); err != nil || got != want {
			return false
		}
	}
	return true
}

// decoded is text without its byte order mark, and in UTF-8 where the mark says UTF-16, which is what PowerShell's >
// writes.
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(unicode.UTF8.NewDecoder()))
}

// ReadCheck reads what check --json prints. The error is a *NotReportError where it is something else.
func ReadCheck(path string) (retrieval.Report, error) {
	var r retrieval.Report
	file, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer file.Close()
	d := json.NewDecoder(decoded(file))
	if err := d.Decode(&r); err != nil {
		return r, &NotReportError{path, err}
	}
	switch {
	case r.Assay != "check":
		return r, &NotReportError{Path: path}
	case r.Version > 1:
		return r, fmt.Errorf("%s is a report of version %d, made by a newer program: this one reads version 1", path, r.Version)
	case r.Version < 1:
		return r, &NotReportError{path, fmt.Errorf("it has version %d", r.Version)}
	case len(r.Measures) == 0:
		return r, &NotReportError{path, fmt.Errorf("it holds no measure")}
	}
	if _, err := d.Token(); err != io.EOF {
		return r, &NotReportError{path, fmt.Errorf("something follows it")}
	}
	return r, nil
}
