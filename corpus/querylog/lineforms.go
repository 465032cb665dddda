package querylog

import (
	"strings"

	"assay/corpus/querylog/lines"
	"assay/corpus/rows"
)

// parseAccess reads a line of an access log. Requests that failed asked something too, so that their status doesn't
// matter. What was sent otherwise than with GET (a probe's HEAD, a form's POST) is no search that its address names.
func (l *Log) parseAccess(row rows.Row, a *Asked) (bool, error) {
	access, ok := lines.ParseAccess(place{}.text(row))
	if !ok {
		return true, row.Reject("the line is none of an access log in the common or combined format", "")
	}
	a.At, a.User, a.Agent = access.Time, access.Host, access.Agent
	if access.User != "" {
		a.User = access.User
	}
	if access.Method != "GET" {
		return false, nil
	}
	return l.search(row, access.Target, a)
}

// search reads what a request searches for.
func (l *Log) search(row rows.Row, target string, a *Asked) (bool, error) {
	query, param, found, err := lines.Search(target, l.opt.Params)
	switch {
	case !found:
		return false, nil
	case err != nil:
		return true, row.Reject(err.Error(), "")
	}
	a.Query.Text, a.textField = query, param
	return true, nil
}

// requestFields hold a request's address, or its first line, in rows of JSON.
var requestFields = []string{"request_uri", "requesturi", "request_url", "requesturl", "requestpath", "request", "uri", "url", "cs-uri", "http.url", "url.original", "path"}

// requestOf is the target of a request in a row of JSON, "" where the row has none.
func requestOf(row rows.Row) string {
	fields := row
	for _, n := range []string{"request", "httpRequest", "http_request", "http"} {
		if v, _, ok := row.Get(n); ok && v.Kind() == rows.Object {
			fields.Fields, _ = v.Members()
		}
	}
	for _, n := range requestFields {
		v, _, _ := fields.Get(n)
		s, isText := v.Text()
		if !isText {
			continue
		}
		if target := lines.Request(s); target != "" {
			s = target
		}
		if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "http://") && !strings.HasPrefix(s, "https://") {
			continue
		}
		if strings.IndexByte(s, '?') < 0 {
			v, _, _ := fields.Get("args", "query_string", "querystring", "url.query")
			if args, _ := v.Text(); args != "" && args != "-" {
				s += "?" + strings.TrimPrefix(args, "?")
			}
		}
		return s
	}
	return ""
}

// carried is the line of another log that a row of JSON carries, as containers and shippers of logs write it, and what it
// is; Detect where it is none.
func carried(row rows.Row) (string, Format) {
	for _, n := range []string{"log", "message", "textPayload"} {
		v, _, _ := row.Get(n)
		line, ok := v.Text()
		if line = strings.TrimRight(line, "\r\n"); !ok || line == "" {
			continue
		}
		if _, ok := lines.ParseAccess(line); ok {
			return line, AccessLog
		}
		if lines.IsSlow(line) {
			return line, SlowLog
		}
	}
	return "", Detect
}

// parseJSONAccess reads a request as servers write it in JSON: flat, or in an object of its own.
func (l *Log) parseJSONAccess(row rows.Row, a *Asked) (bool, error) {
	if line, format := carried(row); format == AccessLog {
		row.Fields = []rows.Field{{Name: "text", Value: rows.StringValue(line)}}
		return l.parseAccess(row, a)
	}
	target := requestOf(row)
	lay := l.shape(row)
	a.At, _ = lines.Time(strings.TrimSpace(lay.roles[timeRole].text(row)))
	a.who(row, lay)
	fields := row.Fields
	for _, n := range []string{"request", "httpRequest", "http_request", "http"} {
		if v, _, ok := row.Get(n); ok && v.Kind() == rows.Object {
			inner, _ := v.Members()
			fields = append(fields[:len(fields):len(fields)], inner...)
		}
	}
	all := rows.Row{Fields: fields}
	said := func(names ...string) string {
		v, _, _ := all.Get(names...)
		s, _ := v.Text()
		if list, ok := v.Strings(); ok && len(list) > 0 {
			s = list[0]
		}
		return s
	}
	if a.User == "" || a.User == "-" {
		a.User = said("remote_ip", "remoteIp", "client_ip", "remote_addr")
	}
	if a.Agent == "" {
		if a.Agent = said("userAgent", "user_agent"); a.Agent == "" {
			headers, _, _ := all.Get("headers")
			inner, _ := headers.Members()
			all.Fields = inner
			a.Agent = said("User-Agent")
		}
	}
	method := said("method", "request_method", "requestMethod", "RequestMethod", "http_method")
	if line := said("request"); method == "" && lines.Request(line) != "" {
		method, _, _ = strings.Cut(line, " ")
	}
	if target == "" || method != "" && method != "GET" {
		return false, nil
	}
	return l.search(row, target, a)
}

// parseSlow reads a line of a search slow log.
func (l *Log) parseSlow(row rows.Row, a *Asked) (bool, error) {
	slow, ok := lines.ParseSlow(place{}.text(row))
	if !ok {
		return true, row.Reject("the line is none of a search slow log", "")
	}
	a.At = slow.Time
	if slow.Other {
		return false, nil
	}
	return l.body(row, slow.Source, a)
}

// parseSlowJSON reads a row of a search slow log in JSON, as either engine writes it.
func (l *Log) parseSlowJSON(row rows.Row, a *Asked) (bool, error) {
	if line, format := carried(row); format == SlowLog {
		row.Fields = []rows.Field{{Name: "text", Value: rows.StringValue(line)}}
		return l.parseSlow(row, a)
	}
	a.At, _ = lines.Time(strings.TrimSpace(l.shape(row).roles[timeRole].text(row))) // its user is the engine's account
	for _, n := range []string{"component", "elasticsearch.component", "log.logger", "type"} {
		if s := find(row, []string{n}).text(row); lines.Other(s) {
			return false, nil
		}
	}
	v := find(row, []string{"elasticsearch.slowlog.source", "source"}).value(row)
	body, ok := v.Text()
	if !ok {
		body = string(v.Raw())
	}
	return l.body(row, body, a)
}

// body reads what a search's body looks for.
func (l *Log) body(row rows.Row, body string, a *Asked) (bool, error) {
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
