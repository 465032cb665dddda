package trace

import (
	"strings"

	"assay/corpus/rows"
)

// Detect tells from its keys which export a row is of, "" where it is of none.
func Detect(row rows.Row) Format {
	names := map[string]bool{}
	for _, f := range row.Fields {
		names[f.Name] = true
	}
	has := func(all ...string) bool {
		for _, n := range all {
			if !names[n] {
				return false
			}
		}
		return true
	}
	switch {
	case has("run_type", "inputs"):
		return LangSmith
	case has("openinference.span.kind"), has("attributes.openinference.span.kind"), has("attributes.input.value"),
		has("attributes") && (has("context") || has("context.span_id") || has("trace_id") || has("traceId") || has("span_id") || has("spanId")):
		return OpenInference
	case !has("input"):
		return ""
	case has("trace_id", "parent_observation_id"), has("traceId", "parentObservationId"),
		has("trace_id", "type", "start_time"), has("traceId", "type", "startTime"),
		has("output") && (has("observations") || has("name", "timestamp") && (has("sessionId") || has("session_id") || has("userId"))):
		return Langfuse
	}
	return ""
}

// Split are the spans that one row holds, as rows: those of an OTLP export (resourceSpans), and a trace of Langfuse's
// with its observations. It is false where the row is one span.
func Split(row rows.Row) ([]rows.Row, bool) {
	for _, f := range row.Fields {
		switch f.Name {
		case "resourceSpans", "resource_spans":
			return otlp(row, f.Value)
		case "observations":
			if get(row, "input").Kind() != rows.Absent {
				return observations(row, f.Value)
			}
		}
	}
	return nil, false
}

func otlp(row rows.Row, resources rows.Value) ([]rows.Row, bool) {
	var out []rows.Row
	list, ok := resources.Elements()
	for _, r := range list {
		for _, name := range []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans"} {
			scopes, _ := reach(r, name).Elements()
			for _, scope := range scopes {
				spans, _ := reach(scope, "spans").Elements()
				for _, span := range spans {
					out = append(out, otlpSpan(row, span))
				}
			}
		}
	}
	return out, ok && len(out) > 0
}

// otlpSpan names what a span holds as Phoenix's exports do.
func otlpSpan(row rows.Row, span rows.Value) rows.Row {
	row.Raw = span.Raw()
	in := rows.Row{Fields: members(span)}
	row.Fields = nil
	for _, n := range [][]string{
		{"name", "name"}, {"context.trace_id", "traceId", "trace_id"}, {"context.span_id", "spanId", "span_id"},
		{"parent_id", "parentSpanId", "parent_span_id"}, {"start_time", "startTimeUnixNano", "start_time_unix_nano"},
	} {
		if v, _, ok := in.Get(n[1:]...); ok {
			row.Fields = append(row.Fields, rows.Field{Name: n[0], Value: v})
		}
	}
	attributes, _ := get(in, "attributes").Elements()
	for _, a := range attributes {
		pair := rows.Row{Fields: members(a)}
		if typed, _ := get(pair, "value").Members(); len(typed) == 1 { // {"stringValue": …}
			row.Fields = append(row.Fields, rows.Field{Name: "attributes." + first(pair, "key"), Value: typed[0].Value})
		}
	}
	return row
}

// observations are a trace's steps behind the trace itself, to which those without a parent then belong.
func observations(row rows.Row, list rows.Value) ([]rows.Row, bool) {
	elems, ok := list.Elements()
	if !ok {
		return nil, false
	}
	out := []rows.Row{row}
	out[0].Fields = nil
	for _, f := range row.Fields {
		if f.Name != "observations" {
			out[0].Fields = append(out[0].Fields, f)
		}
	}
	for _, e := range elems {
		fields, ok := e.Members()
		if !ok {
			return nil, false // ids, where the trace does not hold its steps
		}
		step := row
		step.Raw, step.Fields = e.Raw(), nil
		parent := false
		for _, f := range fields {
			if strings.EqualFold(f.Name, "parentObservationId") || f.Name == "parent_observation_id" {
				text, _ := f.Value.Text()
				if parent = text != ""; !parent {
					continue
				}
			}
			step.Fields = append(step.Fields, f)
		}
		if !parent {
			step.Fields = append(step.Fields, rows.Field{Name: "parentObservationId", Value: get(row, "id")})
		}
		out = append(out, step)
	}
	return out, true
}
