package querylog

import (
	"strings"
	"time"

	"assay/corpus"
	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
)

// parseAccess reads a line of an access log. Requests that failed asked something too, so that their status doesn't
// matter; only what was sent with GET and HEAD names it in the log.
func (l *Log) parseAccess(row rows.Row, a *Asked) (bool, error) {
	access, ok := lines.ParseAccess(string(row.Raw))
	if !ok {
		return true, row.Reject("the line is none of an access log in the common or combined format", "")
	}
	a.At, a.User, a.Agent = access.Time, access.Host, access.Agent
	if access.User != "" {
		a.User = access.User
	}
	return l.search(row, access.Target, a)
}

// search reads what a request searches for.
func (l *Log) search(row rows.Row, target string, a *Asked) (bool, error) {
	params := append(append([]string{}, l.opt.Params...), lines.SearchParams...)
	if len(l.opt.Params) > 0 {
		params = l.opt.Params
	}
	query, param, found, err := lines.Search(target, params)
	switch {
	case !found:
		return false, nil
	case err != nil:
		return true, row.Reject("the search's escapes can't be read: "+strings.TrimPrefix(err.Error(), "invalid URL escape "), "")
	}
	if query = strings.ToValidUTF8(query, "\ufffd"); strings.ContainsRune(query, 0) {
		return true, row.Reject("the search holds byte 0x00 (NUL)", "")
	}
	a.Query.Text, a.textField = query, param
	return true, nil
}

// jsonAccess reports whether rows of JSON are those of an access log: each has a request with its URL, and none has a
// query of its own.
func jsonAccess(first []rows.Row) bool {
	n := 0
	for _, row := range first {
		if _, _, ok := row.Get(textNames...); ok || requestOf(row) == "" {
			continue
		}
		n++
	}
	return n > 0 && n*2 > len(first)
}

// requestOf is the target of a request in a row of JSON.
func requestOf(row rows.Row) string {
	v, _, ok := row.Get("request_uri", "request", "uri", "url", "path", "request_url", "cs-uri", "http.url", "url.original")
	s, isText := v.Text()
	if !ok || !isText {
		return ""
	}
	if _, rest, ok := strings.Cut(s, " "); ok { // "GET /search?q=x HTTP/1.1"
		s, _, _ = strings.Cut(rest, " HTTP/")
	}
	if strings.HasPrefix(s, "/") || strings.Contains(s, "://") {
		return s
	}
	return ""
}

func (l *Log) parseJSONAccess(row rows.Row, a *Asked) (bool, error) {
	target := requestOf(row)
	lay := l.shape(row)
	if t, ok := parseTime(strings.TrimSpace(saidAt(row, lay.roles[timeRole]))); ok {
		a.At = t
	}
	a.User, a.Session, a.Agent = saidAt(row, lay.roles[userRole]), saidAt(row, lay.roles[sessionRole]), saidAt(row, lay.roles[agentRole])
	return l.search(row, target, a)
}

// parseSlow reads a line of a search slow log, as text or JSON.
func (l *Log) parseSlow(row rows.Row, a *Asked) (bool, error) {
	var body string
	if l.r.Stats().Format == rows.Lines {
		slow, ok := lines.ParseSlow(string(row.Raw))
		if !ok {
			return true, row.Reject("the line is none of a search slow log", "")
		}
		if slow.Phase == "fetch" {
			return false, nil // the same search as its query phase
		}
		body, a.At = slow.Source, slow.Time
	} else {
		v, _, ok := row.Get("elasticsearch.slowlog.source", "source")
		if !ok {
			return false, nil
		}
		if body, ok = v.Text(); !ok {
			body = string(v.Raw())
		}
		lay := l.shape(row)
		if t, ok := parseTime(strings.TrimSpace(saidAt(row, lay.roles[timeRole]))); ok {
			a.At = t
		}
	}
	if strings.TrimSpace(body) == "" {
		return false, nil
	}
	query, ok := lines.SearchText(body)
	switch {
	case !ok:
		return true, row.Reject("the search's source is no JSON: slow logs cut long ones off", "raise index.search.slowlog.source where the log is written")
	case query == "":
		return false, nil
	}
	a.Query.Text, a.textField = query, "source"
	return true, nil
}

// topicsReader puts lines together to topics: all lines but a topic's last hold none.
type topicsReader struct {
	log   *Log
	topic lines.Topic
	open  bool
}

func (t *topicsReader) parse(row rows.Row, a *Asked) (bool, error) {
	begun, done := t.topic.Line(string(row.Raw))
	if begun {
		t.open = true
	}
	if !done {
		return false, nil
	}
	if !t.open {
		return true, row.Reject("a topic ends here that did not begin", "")
	}
	t.open = false
	if t.topic.ID != "" {
		if err := corpus.CheckID(t.topic.ID); err != nil {
			return true, row.Reject(err.Error(), "")
		}
	}
	a.Query.ID, a.Query.Text = t.topic.ID, t.topic.Title
	a.textField, a.idField = "title", "num"
	if a.Query.Text == "" {
		a.Query.Text, a.textField = t.topic.Description, "desc"
	}
	return true, nil
}

// guessed are the columns of a table without header, as far as their content tells.
type guessed struct{ text, time, user string }

// guessColumns tells the columns of a log without header by their content: times, ids that come again, and the one
// column of words that is left.
func guessColumns(columns []string, first []rows.Row) (g guessed, ok bool) {
	if len(first) < 2 {
		return g, false
	}
	type column struct {
		name                     string
		times, spaced, filled, n int
		distinct                 map[string]bool
		bytes                    int
	}
	found := make([]column, len(columns))
	for i, name := range columns {
		found[i] = column{name: name, distinct: map[string]bool{}}
		for _, row := range first {
			s := strings.TrimSpace(saidAt(row, i))
			found[i].n++
			if s == "" {
				continue
			}
			found[i].filled++
			found[i].distinct[s] = true
			found[i].bytes += len(s)
			if t, isTime := parseTime(s); isTime && t.After(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) && t.Year() < 2200 {
				found[i].times++
			}
			if strings.ContainsAny(s, " \u3000") {
				found[i].spaced++
			}
		}
	}
	best := -1
	for i, c := range found {
		switch {
		case c.filled > 0 && c.times*10 >= c.filled*9:
			if g.time == "" {
				g.time = c.name
			}
		case c.spaced*5 >= c.filled && c.filled > 0:
			if best < 0 || c.spaced*found[best].filled > found[best].spaced*c.filled {
				best = i
			}
		case c.filled*10 >= c.n*9 && c.spaced == 0 && len(c.distinct)*10 <= c.filled*9 && g.user == "":
			g.user = c.name
		}
	}
	if best < 0 {
		return g, false
	}
	g.text = found[best].name
	return g, true
}
