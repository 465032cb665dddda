package lines

import (
	"strconv"
	"strings"
	"time"
)

// Access is one request of an access log, in the common or the combined format.
type Access struct {
	Host   string // the client's address, the first where proxies name several
	User   string // as the server authenticated them; "" where it did not
	Time   time.Time
	Method string // "" where what was sent is no request, such as TLS on a plain port
	Target string // path and query, or a whole URL
	Status int
	Agent  string // "" in the common format
}

// ParseAccess takes a line apart, with a virtual host before it or without. It is false where the line is none of an
// access log.
func ParseAccess(line string) (Access, bool) {
	var a Access
	open := strings.Index(line, " [")
	if open < 1 || !a.client(line[:open]) {
		return a, false
	}
	stamp, rest, ok := strings.Cut(line[open+2:], "]")
	if !ok {
		return a, false
	}
	if a.Time, ok = accessTime(stamp); !ok {
		return a, false
	}
	request, rest, ok := quoted(rest)
	if !ok {
		return a, false
	}
	a.Method, a.Target = splitRequest(request)
	status, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	var err error
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

// client reads what stands before the time: "[vhost] address[, proxy…] ident user". Names of users may have spaces.
func (a *Access) client(s string) bool {
	f := strings.Fields(s)
	last := 0
	for last < len(f)-1 && strings.HasSuffix(f[last], ",") {
		last++
	}
	if last > 0 { // the client, then its proxies
		f[last] = strings.TrimSuffix(f[0], ",")
		f = f[last:]
	}
	switch {
	case len(f) < 3:
		return false
	case len(f) > 3 && f[1] != "-": // vhost:port
		f = f[1:]
	}
	if len(f) > 3 && f[1] != "-" {
		return false
	}
	a.Host = f[0]
	if a.User = strings.Join(f[2:], " "); a.User == "-" || a.User == `""` {
		a.User = ""
	}
	return true
}

// splitRequest takes "GET /search?q=red shoes HTTP/1.1" apart, in which careless clients leave spaces.
func splitRequest(s string) (method, target string) {
	method, target, ok := strings.Cut(s, " ")
	if !ok || len(method) < 3 || len(method) > 20 || strings.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return "", ""
	}
	if i := strings.LastIndex(target, " HTTP/"); i >= 0 {
		target = target[:i]
	}
	return method, target
}

// Request is the target of a request line ("GET /search?q=x HTTP/1.1"), "" where the text is none.
func Request(s string) string {
	_, target := splitRequest(s)
	return target
}

const accessLayout = "02/Jan/2006:15:04:05 -0700"

// accessTime reads the time of an access log by hand: every line has one, always in the same places.
func accessTime(s string) (time.Time, bool) {
	if len(s) != len(accessLayout) || s[2] != '/' || s[6] != '/' || s[11] != ':' || s[14] != ':' || s[17] != ':' || s[20] != ' ' {
		t, err := time.Parse(time.RFC3339Nano, s) // nginx's $time_iso8601
		return t.UTC(), err == nil
	}
	month := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s[3:6])
	day, ok1 := digits(s[0:2])
	year, ok2 := digits(s[7:11])
	hour, ok3 := digits(s[12:14])
	minute, ok4 := digits(s[15:17])
	second, ok5 := digits(s[18:20])
	zoneHour, ok6 := digits(s[22:24])
	zoneMinute, ok7 := digits(s[24:26])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7) || month < 0 || month%3 != 0 || s[21] != '+' && s[21] != '-' ||
		day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59 {
		return time.Time{}, false
	}
	zone := time.Duration(zoneHour)*time.Hour + time.Duration(zoneMinute)*time.Minute
	if s[21] == '+' {
		zone = -zone
	}
	t := time.Date(year, time.Month(month/3+1), day, hour, minute, second, 0, time.UTC)
	if t.Day() != day && second < 60 {
		return time.Time{}, false // the 30th of February
	}
	return t.Add(zone), true
}

func digits(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// quoted reads a quoted text, in which servers escape quotes, backslashes and bytes (\x22), and what comes after it.
func quoted(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	escaped := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			escaped = true
		case '"':
			if escaped {
				return unescaped(s[1:i]), s[i+1:], true
			}
			return s[1:i], s[i+1:], true
		}
	}
	return "", s, false
}

func unescaped(s string) string {
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
		case c == 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
