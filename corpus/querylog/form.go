package querylog

import (
	"fmt"
	"slices"
	"strings"

	"assay/corpus/rows"
	"assay/corpus/text"
	"assay/corpus/trace"
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

// rows is the format to read the rows in; Detect where it is found out.
func (f Format) rows() (rows.Format, error) {
	switch f {
	case Detect, AccessLog, SlowLog, Topics, UBI, Langfuse, LangSmith, OpenInference:
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
	asks   func(rows.Row, *layout) bool                         // false where the row holds no query, and is no mistake; nil: all do
	parse  func(row rows.Row, a *Asked) (holds bool, err error) // nil where names say it all
	split  func(rows.Row) ([]ahead, bool)                       // the rows that a row holds; false for itself. nil: all are themselves
	end    func() []ahead                                       // what the end of the log completes; may be nil
}

// settle finds out what the log is from its first rows.
func (l *Log) settle(found sniffed) error {
	f := &l.form
	f.id, f.text, f.roles = idNames, textNames, roleNames
	first := l.firstRows()
	format := l.opt.Format
	switch {
	case format != Detect:
	case found.format != Detect:
		format = found.format
	default:
		format = l.recognise(first)
	}
	f.format, l.stats.Format = format, format
	base := l.r.Stats().Format
	switch format {
	case AccessLog:
		f.parse = l.parseAccess
		if base != rows.Lines {
			f.parse = l.parseJSONAccess
		}
	case SlowLog:
		f.parse = l.parseSlow
		if base != rows.Lines {
			f.parse = l.parseSlowJSON
		}
	case Topics:
		if base == rows.Lines {
			f.id, f.text = []string{"num"}, []string{"title"}
		}
	case UBI:
		f.text, f.id, f.asks = []string{"user_query"}, nil, ubiAsks(first)
	case Langfuse, LangSmith, OpenInference:
		f.parse = l.parseSpans(format, first)
		f.chat = true
	}
	l.override()
	if columns := l.r.Columns(); columns != nil && f.parse == nil {
		if err := l.table(columns, first); err != nil {
			return err
		}
	} else if err := l.unknownFields(first); err != nil {
		return err
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
	if base == Format(rows.Lines) || len(first) == 0 {
		return base
	}
	counts := map[Format]int{}
	for _, row := range first {
		if f := rowFormat(row); f != Detect {
			counts[f]++
		}
	}
	for _, f := range Formats() {
		if counts[f]*2 > len(first) {
			return f
		}
	}
	if columns := l.r.Columns(); len(columns) == 2 && base == Format(rows.TSV) && !l.r.Stats().Header && topicTable(first) {
		return Topics
	}
	return base
}

// topicTable reports whether a table of two columns is of topics, an id and a text, rather than of users or times and
// what they asked.
func topicTable(first []rows.Row) bool {
	g, _ := guessColumns([]string{"1", "2"}, first)
	return g.time == "" && g.user == ""
}

// override puts the names that the caller gave in place of the usual ones.
func (l *Log) override() {
	f := &l.form
	if l.opt.IDField != "" {
		f.id = []string{l.opt.IDField}
	}
	if l.opt.TextField != "" {
		f.text, f.parse, f.asks = []string{l.opt.TextField}, nil, nil
	}
	for r, name := range map[role]string{timeRole: l.opt.TimeField, userRole: l.opt.UserField, sessionRole: l.opt.SessionField} {
		if name != "" {
			f.roles[r] = []string{name}
		}
	}
}

// unknownFields is an error where none of the first rows has a field that the caller named.
func (l *Log) unknownFields(first []rows.Row) error {
	if len(first) == 0 {
		return nil
	}
	for _, name := range l.opt.Columns() {
		if slices.ContainsFunc(first, func(row rows.Row) bool { return l.has(row, name) }) {
			continue
		}
		known := keys(first)
		fault := &rows.Error{File: l.r.File(), Reason: fmt.Sprintf("no row has a key %q", name), Advice: "the keys are " + shortList(known)}
		if l.r.Stats().Format == rows.Lines {
			fault.Reason, fault.Advice = fmt.Sprintf("a log of lines has no field %q", name), ""
		} else if near, ok := text.Nearest(name, known); ok {
			fault.Advice = fmt.Sprintf("did you mean %q?", near)
		}
		return fault
	}
	return nil
}

func (l *Log) has(row rows.Row, name string) bool {
	return find(row, []string{name}).found()
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
	if !stats.Header && l.opt.TextField == "" && l.opt.IDField == "" {
		if guess, ok := guessColumns(columns, first); ok && (err != nil || guess.time != "" || guess.user != "") {
			id, query, err = "", guess.text, nil
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
		l.stats.TimeField, l.stats.UserField, l.stats.SessionField = l.opt.TimeField, l.opt.UserField, l.opt.SessionField
		return
	}
	long, titled, texts := 0, 0, 0
	for _, row := range first {
		lay := l.shape(row)
		for r, into := range map[role]*string{timeRole: &l.stats.TimeField, userRole: &l.stats.UserField, sessionRole: &l.stats.SessionField} {
			if *into == "" {
				*into = lay.roles[r].name
			}
		}
		if len(lay.text) > 0 {
			texts++
			if len(lay.text[0].text(row)) > 1000 {
				long++
			}
		}
		if _, _, ok := row.Get("title", "doc_id", "chunk_id"); ok {
			titled++
		}
	}
	switch {
	case texts == 0 && l.form.asks == nil:
		l.stats.Warning = "no row at its beginning has a query: name the key that holds it with --text-field (the keys are " + shortList(keys(first)) + ")"
	case long*2 > len(first) || titled == len(first) && long*5 > len(first):
		l.stats.Warning = "its texts are long: this looks like documents rather than queries (assay index brings those in)"
	}
}

// keys are the names of all fields, each once.
func keys(first []rows.Row) []string {
	var known []string
	seen := map[string]bool{}
	for _, row := range first {
		for _, f := range row.Fields {
			if !seen[f.Name] {
				seen[f.Name] = true
				known = append(known, f.Name)
			}
		}
	}
	return known
}

// rowFormat tells formats whose keys say what they are.
func rowFormat(row rows.Row) Format {
	if f := trace.Detect(row); f != "" {
		return Format(f)
	}
	switch {
	case isUBI(row):
		return UBI
	case isSlowJSON(row):
		return SlowLog
	case has(row, "log") || has(row, "message") || has(row, "textPayload"):
		if _, format := carried(row); format != Detect {
			return format
		}
	}
	if isAccessJSON(row) {
		return AccessLog
	}
	return Detect
}

// isUBI reports whether a row is an event of OpenSearch's User Behavior Insights: a query, or what was done with its
// results.
func isUBI(row rows.Row) bool {
	if !has(row, "client_id") && !has(row, "query_id") {
		return false
	}
	return has(row, "user_query") && (has(row, "client_id") || has(row, "query_response_id") || has(row, "query_attributes")) ||
		has(row, "action_name") && has(row, "event_attributes")
}

// ubiAsks tells queries from what was done with their results. Where a log has queries of their own, its events (a
// click, which repeats its query) ask nothing; where it has events alone, those of searching ask.
func ubiAsks(first []rows.Row) func(rows.Row, *layout) bool {
	queries := slices.ContainsFunc(first, func(row rows.Row) bool { return !has(row, "action_name") })
	return func(row rows.Row, lay *layout) bool {
		if len(lay.text) == 0 || lay.text[0].value(row).Kind() <= rows.Null {
			return false
		}
		if !has(row, "action_name") {
			return true
		}
		v, _, _ := row.Get("action_name")
		action, _ := v.Text()
		action = strings.ToLower(action)
		return !queries && (strings.Contains(action, "search") || strings.Contains(action, "query"))
	}
}

// isSlowJSON reports whether a row is a line of a slow log in JSON.
func isSlowJSON(row rows.Row) bool {
	v, _, ok := row.Get("type", "event.dataset", "log.logger")
	if s, _ := v.Text(); ok && strings.Contains(s, "slowlog") && strings.Contains(s, "search") {
		return true
	}
	return has(row, "elasticsearch.slowlog.source") || has(row, "source") && has(row, "took_millis")
}

// isAccessJSON reports whether a row is a request with its URL and no query of its own.
func isAccessJSON(row rows.Row) bool {
	if _, _, ok := row.Get(textNames...); ok || requestOf(row) == "" {
		return false
	}
	if v, _, ok := row.Get("status", "status_code"); ok { // of a request, not of a ticket
		s, _ := v.Text()
		return len(s) == 3 && s[0] >= '1' && s[0] <= '5'
	}
	_, _, ok := row.Get("method", "request_method", "http_method", "remote_addr", "remote_ip", "client_ip", "http_user_agent", "user_agent", "requestMethod")
	return ok || has(row, "httpRequest")
}
