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
	roots := 0
	for _, row := range first {
		if s := trace.Decode(row, trace.Format(format)); s.Root() && s.Query != "" {
			roots++
		}
	}
	return func(row rows.Row, a *Asked) (bool, error) {
		s := trace.Decode(row, trace.Format(format))
		if roots > 0 && !s.Root() || roots == 0 && s.Kind != trace.Retriever {
			return false, nil
		}
		if strings.TrimSpace(s.Query) == "" {
			if s.Query != "" {
				a.textField = "input"
				return true, nil
			}
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
