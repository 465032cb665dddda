package querylog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
	"assay/corpus/text"
)

// Format is what a log is.
type Format string

// The formats: those of corpus/rows, and those that say what the rows mean.
const (
	Detect        Format = ""
	AccessLog     Format = "access-log"    // web servers, common and combined format
	SlowLog       Format = "slow-log"      // search slow logs of Elasticsearch and OpenSearch, text or JSON
	UBI           Format = "ubi"           // OpenSearch User Behavior Insights, query events
	Langfuse      Format = "langfuse"      // observations
	LangSmith     Format = "langsmith"     // runs
	OpenInference Format = "openinference" // spans, as Phoenix exports them
	Topics        Format = "topics"        // TREC topics in SGML
)

// Formats are the names that Options.Format takes.
func Formats() []Format {
	return []Format{
		Format(rows.JSONLines), Format(rows.JSON), Format(rows.CSV), Format(rows.TSV), Format(rows.Lines),
		AccessLog, SlowLog, UBI, Langfuse, LangSmith, OpenInference, Topics,
	}
}

// rows is the format to read the rows in; the others are found out.
func (f Format) rows() (rows.Format, error) {
	switch f {
	case AccessLog, Topics:
		return rows.Lines, nil
	case Detect, SlowLog, UBI, Langfuse, LangSmith, OpenInference:
		return rows.Detect, nil
	}
	if slices.Contains(Formats(), f) {
		return rows.Format(f), nil
	}
	var names []string
	for _, n := range Formats() {
		names = append(names, string(n))
	}
	advice := "formats are " + strings.Join(names, ", ")
	if near, ok := text.Nearest(string(f), names); ok {
		advice = fmt.Sprintf("did you mean %s? %s", near, advice)
	}
	return "", &rows.Error{Reason: fmt.Sprintf("no format is called %q", f), Advice: advice}
}

// form is how the rows of a log are read.
type form struct {
	format Format
	table  bool     // the rows are cells of a table, whose columns are known from the start
	id     []string // names to try, in order
	text   []string
	roles  [roles][]string
	chat   bool
	parse  func(row rows.Row, a *Asked) (holds bool, err error) // nil where names say it all
}

// sniff recognises formats of lines, which a reader of rows would take for a table or for anything.
func sniff(head []byte) rows.Format {
	var seen, access, slow int
	for line := range bytes.Lines(head) {
		s := strings.TrimSpace(string(line))
		if s == "" {
			continue
		}
		if seen++; seen > 50 {
			break
		}
		if seen == 1 && lines.OpensTopics(s) {
			return rows.Lines
		}
		if _, ok := lines.ParseAccess(s); ok {
			access++
		} else if lines.IsSlow(s) {
			slow++
		}
	}
	if most := max(access, slow); most > 0 && most*2 > min(seen, 50) {
		return rows.Lines
	}
	return rows.Detect
}

// settle finds out what the log is from its first rows.
func (l *Log) settle() error {
	f := &l.form
	f.id, f.text, f.roles = idNames, textNames, roleNames
	first := l.firstRows()
	format := l.opt.Format
	known, err := format.rows()
	if err != nil {
		return err
	}
	if known == rows.Detect && format == Detect || format == Format(rows.Detect) {
		format = l.recognise(first)
	}
	f.format, l.stats.Format = format, format
	switch format {
	case AccessLog:
		f.parse = l.parseAccess
	case SlowLog:
		f.parse = l.parseSlow
	case Topics:
		f.parse = (&topicsReader{log: l}).parse
	case UBI:
		f.text, f.id = []string{"user_query"}, nil
		f.roles[sessionRole] = nil // it has client_id
	case Langfuse, LangSmith, OpenInference:
		f.parse = l.parseSpans(format, first)
		f.chat = true
	default:
		if jsonAccess(first) {
			f.parse = l.parseJSONAccess
		}
	}
	l.override()
	if columns := l.r.Columns(); columns != nil && f.parse == nil {
		if err := l.table(columns, first); err != nil {
			return err
		}
	}
	l.noteFields(first)
	return nil
}

func (l *Log) firstRows() []rows.Row {
	var out []rows.Row
	for _, a := range l.ahead {
		if a.err == nil {
			out = append(out, a.row)
		}
	}
	return out
}

// recognise tells formats by what most of the first rows look like.
func (l *Log) recognise(first []rows.Row) Format {
	base := Format(l.r.Stats().Format)
	counts := map[Format]int{}
	for i, row := range first {
		if rows.Format(base) == rows.Lines {
			s := string(row.Raw)
			if i == 0 && lines.OpensTopics(strings.TrimSpace(s)) {
				return Topics
			}
			if _, ok := lines.ParseAccess(s); ok {
				counts[AccessLog]++
			} else if lines.IsSlow(s) {
				counts[SlowLog]++
			}
			continue
		}
		if f := spanFormat(row); f != Detect {
			counts[f]++
		}
	}
	for _, f := range Formats() {
		if counts[f] > 0 && counts[f]*2 > len(first) {
			return f
		}
	}
	return base
}

// override puts the names that the caller gave in place of the usual ones.
func (l *Log) override() {
	f := &l.form
	if l.opt.IDField != "" {
		f.id = []string{l.opt.IDField}
	}
	if l.opt.TextField != "" {
		f.text, f.parse = []string{l.opt.TextField}, nil
	}
	for r, name := range map[role]string{timeRole: l.opt.TimeField, userRole: l.opt.UserField, sessionRole: l.opt.SessionField} {
		if name != "" {
			f.roles[r] = []string{name}
		}
	}
}

// table settles the columns of a table; keys of JSON are looked for row by row. The error says which columns there
// are, where none of them can be told to hold the query.
func (l *Log) table(columns []string, first []rows.Row) error {
	f := &l.form
	f.table = true
	stats := l.r.Stats()
	for _, name := range []string{l.opt.TimeField, l.opt.UserField, l.opt.SessionField} {
		if name != "" && column(columns, name) == "" {
			return &rows.Error{File: l.r.File(), Reason: fmt.Sprintf("no column %q", name), Advice: tableHint(columns, stats.Header, l.opt)}
		}
	}
	id, query, err := tableColumns(columns, stats, l.opt)
	if err != nil && !stats.Header && l.opt.TextField == "" {
		if guess, ok := guessColumns(columns, first); ok {
			query, err = guess.text, nil
			for r, name := range map[role]string{timeRole: guess.time, userRole: guess.user} {
				if name != "" && slices.Equal(f.roles[r], roleNames[r]) {
					f.roles[r] = []string{name}
				}
			}
		}
	}
	if err != nil {
		return &rows.Error{File: l.r.File(), Reason: err.Error(), Advice: tableHint(columns, stats.Header, l.opt)}
	}
	f.id, f.text = nil, []string{query}
	if id != "" {
		f.id = []string{id}
	}
	return nil
}

// noteFields says where things were found, and what looks odd.
func (l *Log) noteFields(first []rows.Row) {
	if l.form.parse != nil || len(first) == 0 {
		return
	}
	lay := l.shape(first[0])
	name := func(at int) string {
		if at < 0 {
			return ""
		}
		return first[0].Fields[at].Name
	}
	l.stats.TimeField, l.stats.UserField, l.stats.SessionField = name(lay.roles[timeRole]), name(lay.roles[userRole]), name(lay.roles[sessionRole])
	long, titled := 0, 0
	for _, row := range first {
		lay := l.shape(row)
		if len(lay.text) > 0 && len(saidAt(row, lay.text[0])) > 1000 {
			long++
		}
		if _, _, ok := row.Get("title", "doc_id", "chunk_id"); ok {
			titled++
		}
	}
	if long*2 > len(first) || titled == len(first) && long*5 > len(first) {
		l.stats.Warning = "its texts are long: this looks like documents rather than queries (assay index brings those in)"
	}
}

// spanFormat tells exports whose keys say what they are.
func spanFormat(row rows.Row) Format {
	has := func(names ...string) bool {
		for _, n := range names {
			if !slices.ContainsFunc(row.Fields, func(f rows.Field) bool { return f.Name == n }) {
				return false
			}
		}
		return true
	}
	switch {
	case has("user_query") && (has("client_id") || has("query_response_id") || has("query_attributes")):
		return UBI
	case has("run_type", "inputs"):
		return LangSmith
	case has("input") && (has("trace_id", "parent_observation_id") || has("traceId", "parentObservationId") || has("trace_id", "type", "start_time") || has("traceId", "type", "startTime")):
		return Langfuse
	case has("attributes") && (has("context") || has("trace_id") || has("traceId") || has("span_id")), has("openinference.span.kind"), has("attributes.openinference.span.kind"):
		return OpenInference
	case slowJSON(row):
		return SlowLog
	}
	return Detect
}

// slowJSON reports whether a row is a line of a slow log in JSON.
func slowJSON(row rows.Row) bool {
	v, _, ok := row.Get("type", "event.dataset", "log.logger")
	s, _ := v.Text()
	if ok && strings.Contains(s, "slowlog") && strings.Contains(s, "search") {
		return true
	}
	_, _, source := row.Get("elasticsearch.slowlog.source", "source")
	_, _, took := row.Get("elasticsearch.slowlog.took", "took", "took_millis")
	return source && took
}

// members are the fields of a value that is an object, or is the text of one.
func members(v rows.Value) []rows.Field {
	if s, ok := v.Text(); ok {
		if !strings.HasPrefix(strings.TrimSpace(s), "{") || !json.Valid([]byte(s)) {
			return nil
		}
		parsed, err := rows.ParseValue([]byte(s))
		if err != nil {
			return nil
		}
		v = parsed
	}
	fields, _ := v.Members()
	return fields
}
