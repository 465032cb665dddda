package querylog

import (
	"bytes"
	"strings"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
	"assay/corpus/trace"
)

// sniffed is what the beginning of a text says before anything reads rows from it.
type sniffed struct {
	wanted Format // by the caller; Detect for any
	format Format // of lines, which a reader of rows would take for a table or for anything; Detect where it is none
	binary bool
}

// sniff recognises formats of lines.
func (f *sniffed) sniff(head []byte) rows.Format {
	if f.binary = isBinary(head); f.binary {
		return rows.Lines
	}
	if f.wanted != Detect && f.wanted != AccessLog && f.wanted != SlowLog && f.wanted != Topics {
		return rows.Detect
	}
	f.format = lineFormat(head)
	start := bytes.TrimLeft(head, " \t\r\n[")
	switch {
	case f.wanted != Detect && f.format != f.wanted:
		f.format = Detect
		if f.wanted != Topics && !bytes.HasPrefix(start, []byte("{")) {
			f.format = f.wanted // the caller knows; each line that is none says so
		}
	}
	if f.format != Detect {
		return rows.Lines
	}
	switch {
	case f.wanted == Topics:
		return rows.TSV
	case f.wanted == Detect && isTimedTable(head):
		return rows.CSV
	}
	return rows.Detect
}

// isTimedTable reports whether the first lines are cells between commas, equally many, with a time always in the same
// one. Lines of text have commas too, but no times.
func isTimedTable(head []byte) bool {
	const enough = 20
	timed := map[int]int{}
	width, seen := 0, 0
	for line := range bytes.Lines(head) {
		s := strings.TrimSpace(string(line))
		if s == "" || len(line) > 10_000 {
			continue
		}
		cells := strings.Split(s, ",")
		if seen++; width == 0 {
			width = len(cells)
		}
		if width < 2 || len(cells) < width || strings.IndexByte(s, '\t') >= 0 {
			return false // a quoted comma makes more cells, never fewer
		}
		for i, c := range cells[:width] {
			if _, ok := lines.Time(strings.Trim(c, ` "`)); ok {
				timed[i]++
			}
		}
		if seen == enough {
			break
		}
	}
	for _, n := range timed {
		if n == seen && seen > 1 {
			return true
		}
	}
	return false
}

// lineFormat is what most of the first lines are.
func lineFormat(head []byte) Format {
	if lines.OpensTopics(string(head[:min(len(head), 4<<10)])) {
		return Topics
	}
	var seen, access, slow int
	for line := range bytes.Lines(head) {
		s := strings.TrimSpace(string(line))
		if s == "" {
			continue
		}
		if seen++; seen > 50 {
			break
		}
		if _, ok := lines.ParseAccess(s); ok {
			access++
		} else if lines.IsSlow(s) {
			slow++
		}
	}
	switch seen = min(seen, 50); {
	case access*2 > seen:
		return AccessLog
	case slow*2 > seen:
		return SlowLog
	}
	return Detect
}

// isBinary reports whether a text has more control characters than any log: one in thirty.
func isBinary(head []byte) bool {
	n := 0
	for _, c := range head {
		if c < 0x20 && !(c >= '\b' && c <= '\r') && c != 0x1b {
			n++
		}
	}
	return n > 8 && n*30 > len(head)
}

// splitTopics makes each topic a row of its lines.
func splitTopics() (split func(rows.Row) ([]ahead, bool), end func() []ahead) {
	var topics lines.Topics
	var base rows.Row
	made := func(from []lines.Topic) []ahead {
		var out []ahead
		for _, t := range from {
			row := base
			row.Line, row.EndLine, row.Raw = t.First, t.Last, []byte(t.Raw)
			if t.Fault != "" {
				out = append(out, ahead{err: row.Reject(t.Fault, "")})
				continue
			}
			title := t.Title
			if title == "" {
				title = t.Description
			}
			row.Fields = []rows.Field{{Name: "title", Value: rows.StringValue(title)}}
			if t.ID != "" {
				row.Fields = append(row.Fields, rows.Field{Name: "num", Value: rows.StringValue(t.ID)})
			}
			out = append(out, ahead{row: row})
		}
		return out
	}
	split = func(row rows.Row) ([]ahead, bool) {
		base = row
		return made(topics.Line(row.Line, place{}.text(row))), true
	}
	return split, func() []ahead { return made(topics.End()) }
}

// unwrapped are the rows that one object of JSON holds: a search engine's document (_source), or the list in what an
// API answered (data, hits), the spans of a trace. It is false where the object is a row itself.
func unwrapped(row rows.Row) ([]ahead, bool) {
	if spans, ok := trace.Split(row); ok {
		out := make([]ahead, len(spans))
		for i, s := range spans {
			out[i].row = s
		}
		return out, true
	}
	if len(row.Fields) > 0 && len(row.Fields) <= 12 {
		for _, f := range row.Fields {
			switch f.Name {
			case "_source":
				if fields, ok := f.Value.Members(); ok && has(row, "_index") {
					row.Fields = fields
					return []ahead{{row: row}}, true
				}
			case "data":
				if out := inner(row, f.Value); has(row, "meta") && out != nil {
					return out, true
				}
			case "hits":
				if fields, ok := f.Value.Members(); ok {
					hits, _, _ := (rows.Row{Fields: fields}).Get("hits")
					if out := inner(row, hits); out != nil {
						return out, true
					}
				}
			}
		}
	}
	return nil, false
}

// inner are the objects of a list as rows; nil where the list holds anything else.
func inner(row rows.Row, list rows.Value) []ahead {
	var out []ahead
	elems, _ := list.Elements()
	for _, e := range elems {
		fields, ok := e.Members()
		if !ok {
			return nil
		}
		part := row
		part.Fields, part.Raw = fields, e.Raw()
		if parts, ok := unwrapped(part); ok {
			out = append(out, parts...)
		} else {
			out = append(out, ahead{row: part})
		}
	}
	return out
}

func has(row rows.Row, name string) bool {
	for _, f := range row.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
