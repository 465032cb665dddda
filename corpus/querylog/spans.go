package querylog

import (
	"strings"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
	"assay/corpus/trace"
)

// parseSpans reads an export of traces. What users asked is the input of whole traces, where the export has them; an
// export of retrievers' steps alone is read for what the retrievers were asked. Other steps ask nothing.
func (l *Log) parseSpans(format Format, first []rows.Row) func(rows.Row, *Asked) (bool, error) {
	wanted := func(s trace.Span) bool { return s.Kind == trace.Retriever }
	roots, wholes := 0, 0
	for _, row := range first {
		s := trace.Decode(row, trace.Format(format))
		if s.Query == "" || !s.Root() {
			continue
		}
		if roots++; s.Kind == trace.Whole {
			wholes++
		}
	}
	switch {
	case wholes > 0:
		wanted = func(s trace.Span) bool { return s.Kind == trace.Whole }
	case roots > 0:
		wanted = trace.Span.Root
	}
	return func(row rows.Row, a *Asked) (bool, error) {
		s := trace.Decode(row, trace.Format(format))
		if !wanted(s) || s.Query == "" {
			return false, nil
		}
		a.Query.Text, a.Query.Turns, a.textField = s.Query, s.Turns, "input"
		a.User, a.Session = s.User, s.Session
		if s.Session == "" && !s.Root() {
			a.Session = s.TraceID
		}
		if t, ok := lines.Time(strings.TrimSpace(s.At)); ok {
			a.At = t
		}
		return true, nil
	}
}
