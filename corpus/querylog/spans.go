package querylog

import (
	"strings"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
	"assay/corpus/trace"
)

// parseSpans reads an export of traces. What users asked is the input of whole traces, where the export has them; an
// export of retrievers' steps alone, or of steps that don't say whose they are, is read for what the retrievers were asked. Other steps ask nothing.
func (l *Log) parseSpans(format Format, first []rows.Row) func(rows.Row, *Asked) (bool, error) {
	wanted := func(s trace.Span) bool { return s.Kind == trace.Retriever }
	roots, wholes, steps, retrievers := 0, 0, 0, 0
	traces, again := map[string]bool{}, false // whether one has several spans
	for _, row := range first {
		s := trace.Decode(row, trace.Format(format))
		if !s.Root() {
			steps++
		}
		if s.Kind == trace.Retriever {
			retrievers++
		}
		again = again || s.TraceID != "" && traces[s.TraceID]
		traces[s.TraceID] = true
		if s.Query == "" || !s.Root() {
			continue
		}
		if roots++; s.Kind == trace.Whole {
			wholes++
		}
	}
	// Where an export leaves out what belongs to what, every step looks like a root.
	flat := steps == 0 && again && retrievers > 0
	switch {
	case wholes > 0:
		wanted = func(s trace.Span) bool { return s.Kind == trace.Whole }
	case roots > 0 && !flat:
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
