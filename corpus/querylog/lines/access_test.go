package lines

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2024, 5, 1, 12, 0, 5, 0, time.UTC)

func TestParseAccess(t *testing.T) {
	const at = `[01/May/2024:14:00:05 +0200]`
	for _, c := range []struct {
		name, line string
		want       Access
	}{
		{"common", `192.0.2.7 - - ` + at + ` "GET /search?q=red+shoes HTTP/1.1" 200 512`,
			Access{Host: "192.0.2.7", Method: "GET", Target: "/search?q=red+shoes", Status: 200}},
		{"combined", `192.0.2.7 - ann ` + at + ` "GET /?q=a HTTP/1.1" 200 - "https://example.org/" "Mozilla/5.0 (X11; \"x\")"`,
			Access{Host: "192.0.2.7", User: "ann", Method: "GET", Target: "/?q=a", Status: 200, Agent: `Mozilla/5.0 (X11; "x")`}},
		{"a virtual host before it", `shop.example.org:443 192.0.2.7 - ben ` + at + ` "GET /?q=a HTTP/2.0" 304 0 "-" "-"`,
			Access{Host: "192.0.2.7", User: "ben", Method: "GET", Target: "/?q=a", Status: 304}},
		{"a user with a space", `192.0.2.7 - Chi C ` + at + ` "GET /?q=a HTTP/1.1" 200 1`,
			Access{Host: "192.0.2.7", User: "Chi C", Method: "GET", Target: "/?q=a", Status: 200}},
		{"behind proxies", `192.0.2.7, 198.51.100.1, 198.51.100.2 - - ` + at + ` "GET / HTTP/1.1" 200 1`,
			Access{Host: "192.0.2.7", Method: "GET", Target: "/", Status: 200}},
		{"IPv6", `2001:db8::1 - - ` + at + ` "GET / HTTP/1.1" 200 1`, Access{Host: "2001:db8::1", Method: "GET", Target: "/", Status: 200}},
		{"spaces in the address", `h - - ` + at + ` "GET /?q=red shoes HTTP/1.1" 200 1`, Access{Host: "h", Method: "GET", Target: "/?q=red shoes", Status: 200}},
		{"bytes as escapes", `h - - ` + at + ` "GET /?q=caf\xc3\xa9\"\\ HTTP/1.1" 200 1`, Access{Host: "h", Method: "GET", Target: `/?q=café"\`, Status: 200}},
		{"no protocol", `h - - ` + at + ` "GET /?q=a" 200 1`, Access{Host: "h", Method: "GET", Target: "/?q=a", Status: 200}},
		{"TLS on a plain port", `h - - ` + at + ` "\x16\x03\x01" 400 150 "-" "-"`, Access{Host: "h", Status: 400}},
		{"nothing sent", `h - - ` + at + ` "-" 408 - "-" "-"`, Access{Host: "h", Status: 408}},
		{"more after the agent", `h - - ` + at + ` "GET / HTTP/1.1" 200 1 "-" "curl/8" "192.0.2.9" rt=0.1`, Access{Host: "h", Method: "GET", Target: "/", Status: 200, Agent: "curl/8"}},
	} {
		got, ok := ParseAccess(c.line)
		c.want.Time = noon
		if !ok || got != c.want {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", c.name, got, ok, c.want)
		}
	}
}

func TestNotAnAccessLog(t *testing.T) {
	for _, line := range []string{
		"", "red shoes", "[]", " [", `h - - [yesterday] "GET / HTTP/1.1" 200 1`, `h - - [01/May/2024:14:00:05 +0200] GET / 200 1`,
		`h - - [01/May/2024:14:00:05 +0200] "GET / HTTP/1.1" OK 1`, `h - - [01/May/2024:14:00:05 +0200] "GET / HTTP/1.1`,
		`h - - [31/Feb/2024:14:00:05 +0200] "GET / HTTP/1.1" 200 1`, `h - - [01/Mai/2024:14:00:05 +0200] "GET / HTTP/1.1" 200 1`,
		`h - - [01/May/2024:24:00:05 +0200] "GET / HTTP/1.1" 200 1`, `one two [01/May/2024:14:00:05 +0200] "GET / HTTP/1.1" 200 1`,
		`a b c d e [01/May/2024:14:00:05 +0200] "GET / HTTP/1.1" 200 1`, `why is [x] "so" 200 times slower than [y]`,
		`[2024-05-01T12:00:05,000][INFO ][i.s.s.query] [node] [shop][0] took[1ms], took_millis[1], source[{}]`,
	} {
		if got, ok := ParseAccess(line); ok {
			t.Errorf("%q is read as %+v", line, got)
		}
	}
}

// The hand-written reader of times agrees with the standard library's.
func TestAccessTime(t *testing.T) {
	for year := 1999; year < 2030; year += 7 {
		for month := time.January; month <= time.December; month++ {
			for _, zone := range []int{0, 5*3600 + 1800, -8 * 3600} {
				want := time.Date(year, month, 28, 23, 59, 58, 0, time.FixedZone("", zone))
				got, ok := accessTime(want.Format(accessLayout))
				if !ok || !got.Equal(want) || got.Location() != time.UTC {
					t.Fatalf("%v is read as %v, %v", want, got, ok)
				}
			}
		}
	}
	if got, ok := accessTime("2024-05-01T14:00:05+02:00"); !ok || !got.Equal(noon) {
		t.Errorf("%v, %v", got, ok)
	}
}

func TestSearch(t *testing.T) {
	for _, c := range []struct {
		target       string
		params       []string
		query, param string
		found        bool
	}{
		{"/search?q=red+shoes", nil, "red shoes", "q", true},
		{"/search?page=2&q=red%20shoes&lang=en", nil, "red shoes", "q", true},
		{"/search?Q=a", nil, "a", "q", true},
		{"https://example.org/s?wd=%E9%9E%8B#top", nil, "鞋", "wd", true},
		{"/search?s=second&query=first", nil, "first", "query", true},
		{"/search?q=&s=shoes", nil, "shoes", "s", true},
		{"/search?q=&s=+", nil, "", "q", true},
		{"/search?q=first&q=second", nil, "first", "q", true},
		{"/search?q", nil, "", "q", true},
		{"/search?search%5Bquery%5D=a", []string{"search[query]"}, "a", "search[query]", true},
		{"/search?q=a&frage=b", []string{"frage", "q"}, "b", "frage", true},
		{"/search?q=a", []string{"frage"}, "", "", false},
		{"/search?q=100%", nil, "100%", "q", true},
		{"/search?q=50%zz+off", nil, "50%zz off", "q", true},
		{"/search?q=a%26b%3Dc", nil, "a&b=c", "q", true},
		{"/search?q=404", nil, "404", "q", true},
		// A post's number, or a page's, is no search, unless the caller says so.
		{"/?p=123", nil, "", "", false},
		{"/list?k=2", nil, "", "", false},
		{"/?p=shoes", nil, "shoes", "p", true},
		{"/?p=123", []string{"p"}, "123", "p", true},
		{"/logo.png", nil, "", "", false},
		{"/?utm_source=q", nil, "", "", false},
		{"", nil, "", "", false},
	} {
		query, param, found, err := Search(c.target, c.params)
		if query != c.query || param != c.param || found != c.found || err != nil {
			t.Errorf("Search(%q, %q) = %q, %q, %v, %v", c.target, c.params, query, param, found, err)
		}
	}
	for _, target := range []string{"/?q=caf%E9", "/?q=a%00b", "/?q=%FF%FE"} {
		if _, _, found, err := Search(target, nil); !found || err == nil {
			t.Errorf("%s has no fault", target)
		}
	}
}

func FuzzAccessLog(f *testing.F) {
	f.Add(`192.0.2.7 - ann [01/May/2024:14:00:05 +0200] "GET /search?q=red+shoes HTTP/1.1" 200 512 "-" "curl/8"`)
	f.Add(`v:80 h - - [01/May/2024:14:00:05 +0200] "GET /?q=%zz%20\"\xff HTTP/1.1" 200 512`)
	f.Add(`a, b, c - - [2024-05-01T14:00:05+02:00] "-" 400 0`)
	f.Fuzz(func(t *testing.T, line string) {
		a, ok := ParseAccess(line)
		if ok && (a.Host == "" || a.Time.IsZero() || strings.Contains(a.Method, " ")) {
			t.Errorf("%q: %+v", line, a)
		}
		query, param, found, err := Search(a.Target, nil)
		if !found && (query != "" || param != "" || err != nil) || found && param == "" {
			t.Errorf("%q: %q, %q, %v", a.Target, query, param, err)
		}
		again, ok2 := ParseAccess(line)
		if ok != ok2 || ok && again != a {
			t.Errorf("%q is read in two ways", line)
		}
	})
}
