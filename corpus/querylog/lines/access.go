package lines

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Access is one request of an access log, in the common or the combined format.
type Access struct {
	Host   string // the client's address
	User   string // as the server authenticated them; "" where it did not
	Time   time.Time
	Method string
	Target string // path and query, or a whole URL
	Status int
	Agent  string // "" in the common format
}

// ParseAccess takes a line apart, with a virtual host before it or without. It is false where the line is none of an
// access log.
func ParseAccess(line string) (Access, bool) {
	var a Access
	open := strings.IndexByte(line, '[')
	if open < 5 {
		return a, false
	}
	// vhost:port client ident user [time]
	before := strings.Fields(line[:open])
	if len(before) == 4 {
		before = before[1:]
	}
	if len(before) != 3 {
		return a, false
	}
	a.Host = before[0]
	if before[2] != "-" {
		a.User = before[2]
	}
	stamp, rest, ok := strings.Cut(line[open+1:], "]")
	if !ok {
		return a, false
	}
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", stamp)
	if err != nil {
		return a, false
	}
	a.Time = at.UTC()
	request, rest, ok := quoted(rest)
	if !ok {
		return a, false
	}
	a.Method, a.Target, _ = strings.Cut(request, " ")
	if i := strings.LastIndex(a.Target, " HTTP/"); i >= 0 {
		a.Target = a.Target[:i]
	}
	rest = strings.TrimLeft(rest, " ")
	status, rest, _ := strings.Cut(rest, " ")
	if a.Status, err = strconv.Atoi(status); err != nil || len(status) != 3 {
		return a, false
	}
	if _, rest, ok = strings.Cut(rest, " "); !ok { // bytes
		return a, true
	}
	if _, rest, ok = quoted(rest); ok { // referer
		a.Agent, _, _ = quoted(rest)
	}
	if a.Agent == "-" {
		a.Agent = ""
	}
	return a, true
}

// quoted reads a quoted text, in which servers escape quotes, backslashes and bytes (\x22), and what comes after it.
func quoted(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return unescaped(s[1:i]), s[i+1:], true
		}
	}
	return "", s, false
}

func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == 'x' && i+2 < len(s):
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				b.WriteString(`\x`)
				continue
			}
			b.WriteByte(byte(n))
			i += 2
		case c == 't':
			b.WriteByte('\t')
		case c == 'n':
			b.WriteByte('\n')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// SearchParams are the parameters in which sites put what was searched for, the commonest first.
var SearchParams = []string{"q", "query", "search", "search_query", "searchterm", "search_term", "keywords", "keyword", "s", "term", "text", "k", "wd", "p", "kw"}

// Search is what a request's target searches for, by the first of the parameters that it has. found is false where it
// has none; the error says what is wrong with its escapes.
func Search(target string, params []string) (query, param string, found bool, err error) {
	_, raw, ok := strings.Cut(target, "?")
	if !ok {
		return "", "", false, nil
	}
	raw, _, _ = strings.Cut(raw, "#")
	for _, want := range params {
		for pair := range strings.SplitSeq(raw, "&") {
			name, value, _ := strings.Cut(pair, "=")
			if name != want && !sameName(name, want) {
				continue
			}
			query, err := url.QueryUnescape(value)
			return query, want, true, err
		}
	}
	return "", "", false, nil
}

// sameName compares a parameter's name, which may be escaped, as search%5Bquery%5D is.
func sameName(name, want string) bool {
	if strings.IndexByte(name, '%') < 0 {
		return strings.EqualFold(name, want)
	}
	plain, err := url.QueryUnescape(name)
	return err == nil && strings.EqualFold(plain, want)
}
