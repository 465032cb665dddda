package remote

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

const secret = `s3cr3t/"<key>& +x`

func environment(name string) (string, bool) {
	v, ok := map[string]string{"KEY": secret, "USER_NAME": "ann", "EMPTY": ""}[name]
	return v, ok
}

func withSecret(h HTTP) HTTP {
	h.LookupEnv = environment
	h.Headers = map[string]string{"Authorization": "Bearer ${KEY}", "X-Api-Key": "typed-in-12345", "X-User": "${USER_NAME}", "X-Price": "$5 {a}"}
	return h
}

func TestHeaders(t *testing.T) {
	var got http.Header
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		io.WriteString(w, `[]`)
	})
	if answers, err := collect(t, t.Context(), withSecret(h), some(1), 5); err != nil || answers["q1"].Err != "" {
		t.Errorf("%v, %v", answers, err)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + secret, "X-Api-Key": "typed-in-12345", "X-User": "ann", "X-Price": "$5 {a}", "Accept": "application/json", "User-Agent": "assay",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q", name, got.Get(name))
		}
	}
	for value, want := range map[string]string{
		"${NOPE}": "header X-Key: the environment variable NOPE is not set", "${EMPTY}": "EMPTY is not set", "a${": "${ begins no ${NAME}", "${}": "begins no", "${A B}": "begins no",
		"${KEY": "begins no", "${1}": "begins no", "a\nb": "another control character in it", "${KEY}\r": "control character",
	} {
		h := withSecret(h)
		h.Headers = map[string]string{"x-key": value}
		err := h.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", value, err)
		}
		if askErr := h.Ask(t.Context(), some(1), 1, nil); askErr == nil || askErr.Error() != err.Error() {
			t.Errorf("%q: %v", value, askErr)
		}
	}
	for _, headers := range []map[string]string{{"": "a"}, {"a b": "c"}, {"a:": "b"}, {"é": "b"}, {"accept-encoding": "gzip"}, {"Content-Length": "1"}, {"a": "1", "A": "2"}} {
		h.Headers = headers
		if h.Check() == nil {
			t.Errorf("%q are headers", headers)
		}
	}
}

// Whatever a service does with a secret, it is in no message and no ranking.
func TestSecretsAreNotSeen(t *testing.T) {
	quoted, _ := json.Marshal(secret)
	long := strings.Repeat(" ", excerptLen-len(secret)/2)
	for _, echo := range []string{
		"bad key " + secret, "bad key " + url.QueryEscape(secret), "bad key " + url.PathEscape(secret), `{"error":` + string(quoted) + `}`, `{"hits":[` + string(quoted) + `]}`,
		`{"hits":[{"id":"a","score":` + string(quoted) + `}]}`, `{"hits":[{"id":"a ` + string(quoted[1:]) + `}]}`, "x" + strings.Repeat("y", excerptShow-5) + secret,
		long + secret, secret, "typed-in-12345 ann", `{"message":"` + strings.Repeat("z", maxFault-4) + string(quoted[1:]) + `}`, "Authorization: Bearer " + secret,
	} {
		for _, code := range []int{200, 401, 500} {
			h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(code)
				io.WriteString(w, echo)
			})
			answers, err := collect(t, t.Context(), withSecret(h), some(1), 5)
			a := answers["q1"]
			if err != nil || a.Err == "" {
				t.Errorf("%d %q: %+v, %v", code, echo, a, err)
			}
			for _, part := range []string{"s3cr3t", "s3c", "typed", "ann"} {
				if strings.Contains(a.Err, part) {
					t.Errorf("%d %.40q: %q", code, echo, a.Err)
				}
			}
		}
	}
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "bad key: "+r.Header.Get("Authorization")+", sorry")
	})
	answers, _ := collect(t, t.Context(), withSecret(h), some(1), 5)
	if a := answers["q1"]; !strings.HasSuffix(a.Err, ": bad key: "+redacted+", sorry") {
		t.Errorf("%q", a.Err)
	}
}

const plainSecret = "Zk7-qP2x/Vw9_tR4.mB8+aa=="

// guises are the ways in which a service may give a value back, on purpose or not.
func guises(v string) map[string]string {
	each := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(v) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	split := func(by string) string { return strings.Join(strings.Split(v, ""), by) }
	return map[string]string{
		"named entities":   strings.NewReplacer("/", "&sol;", "+", "&plus;", "_", "&lowbar;", "=", "&equals;").Replace(v),
		"decimal entities": each("&#%d;"), "hex entities": each("&#x%x;"), "long entities": each("&#0000%d;"),
		"escaped entities": each("&amp;#%d;"), "percent": each("%%%02x"), "percent twice": each("%%25%02X"), "unicode escapes": each(`\u%04x`), "braces": each(`\u{%x}`),
		"hex escapes": each(`\x%02x`), "octal escapes": each(`\%03o`), "JSON in JSON": each(`\\u%04X`), "lower case": strings.ToLower(v), "upper case": strings.ToUpper(v),
		"hex": each("%02x"), "HEX": each("%02X"), "hex with colons": each("%02x:"), "bytes": each("%d, "), "spaces": split(" "), "zero width": split("\u200b"), "joiners": split("\u2060\ufeff"),
		"controls": split("\x01"), "line ends": split("\n"), "soft hyphens": split("\u00ad"), "marks": split("\u0301"), "torn escapes": strings.ReplaceAll(each("&#%d;"), "#", "#\u200b"),
		"base64": base64.StdEncoding.EncodeToString([]byte(v)), "url base64": base64.URLEncoding.EncodeToString([]byte(v)), "raw base64": base64.RawStdEncoding.EncodeToString([]byte(v)),
		"base64 after 1": base64.StdEncoding.EncodeToString([]byte("=" + v + "!")), "base64 after 2": base64.StdEncoding.EncodeToString([]byte(": " + v + "!!")),
		"base64 of a header": base64.RawURLEncoding.EncodeToString([]byte("Authorization: Bearer " + v)), "beginning": v[:len(v)/2], "end": v[len(v)/2:],
	}
}

// No guise gets a secret into a message, or into the id of a hit.
func TestSecretsInAnyGuise(t *testing.T) {
	h, _ := serve(t, nil)
	h.LookupEnv = func(string) (string, bool) { return plainSecret, true }
	h.Headers = map[string]string{"Authorization": "Bearer ${KEY}"}
	s, err := h.prepare()
	if err != nil {
		t.Fatal(err)
	}
	for name, echo := range guises(plainSecret) {
		for _, around := range []string{"%s", "bad key %s, sorry", "<p>%s</p>", strings.Repeat("x ", 95) + "%s", strings.Repeat(" ", 3000) + "%s"} {
			text := strings.ReplaceAll(around, "%s", echo)
			if got := s.excerpt([]byte(text), false); got != "; "+unsaid {
				t.Errorf("%s: %q is quoted as %q", name, text, got)
			}
			if got := s.line("there are no hits: " + text); !strings.HasSuffix(got, unsaid) {
				t.Errorf("%s: %q", name, got)
			}
		}
		if part := name == "beginning" || name == "end"; s.secrets.within("chunk-"+echo) == part {
			t.Errorf("%s: an id that holds it: %v", name, part)
		}
	}
	for _, text := range []string{
		"no index handbook", "Incorrect API key provided: Zk7-****aa==", `{"error":{"code":"invalid_api_key","param":null}}`, "<html><body>502 Bad Gateway</body></html>", "a100%", `c:\users\x`,
		"Bearer", strings.Repeat("0123456789abcdef", 100), "&&&", "%%%", "\\",
	} {
		if got := s.excerpt([]byte(text), false); got != ": "+oneLine(text, excerptShow) {
			t.Errorf("%q is quoted as %q", text, got)
		}
		if s.secrets.within(text) {
			t.Errorf("%q holds a secret", text)
		}
	}
	// The end of what was cut off may be the beginning of a secret.
	if got := s.excerpt([]byte(strings.Repeat(" ", excerptLen-20)+"&#90;&#107;&#55;"), true); got != "" {
		t.Errorf("%q", got)
	}
}

// What a service says to refused credentials is about them, so nothing of it is quoted.
func TestRefusedCredentialsAreNotQuoted(t *testing.T) {
	for code, want := range map[int]string{
		401: "the service says 401 Unauthorized", 403: "the service says 403 Forbidden", 407: "the service says 407 Proxy Authentication Required",
		400: "the service says 400 Bad Request: no such index", 404: "the service says 404 Not Found: no such index",
	} {
		h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, "no such index")
		})
		if answers, err := collect(t, t.Context(), h, some(1), 5); err != nil || answers["q1"].Err != want {
			t.Errorf("%d: %v, %v", code, answers, err)
		}
	}
}

func TestBasicCredentials(t *testing.T) {
	for _, headers := range []map[string]string{
		{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:open sesame 7"))},
		{"Authorization": "basic  ${KEY}"}, {"X-Auth": "Basic ${KEY}"},
	} {
		h := HTTP{URL: "http://127.0.0.1/", Headers: headers}
		h.LookupEnv = func(string) (string, bool) {
			return base64.RawStdEncoding.EncodeToString([]byte("ann:open sesame 7")), true
		}
		s, err := h.prepare()
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{"ann:open sesame 7", "wrong password open sesame 7", "OPEN SESAME 7", "open&#32;sesame&#32;7"} {
			if got := s.excerpt([]byte("no: "+said+"."), false); strings.Contains(strings.ToLower(got), "sesame") {
				t.Errorf("%v: %q", headers, got)
			}
		}
		if got := s.excerpt([]byte("ann may not read this"), false); got != ": ann may not read this" {
			t.Errorf("%v: %q", headers, got)
		}
	}
	for _, value := range []string{"Basic", "Basic !!!", "Bearer YW5uOmE="} {
		if got := loginIn(value); got != nil {
			t.Errorf("%q: %q", value, got)
		}
	}
}

// FuzzSecrets holds that whatever surrounds a secret, and whichever way it is escaped, nothing of it is shown.
func FuzzSecrets(f *testing.F) {
	f.Add("a", "b", 0)
	f.Add("&#", "%", 3)
	f.Add("\\", "\\u00", 9)
	all := guises(plainSecret)
	names := slices.Sorted(maps.Keys(all))
	s := newSecrets([]string{plainSecret})
	f.Fuzz(func(t *testing.T, before, after string, n int) {
		name := names[uint(n)%uint(len(names))]
		if strings.Contains(name, "base64") || strings.Contains(name, "hex") || name == "HEX" {
			before = strings.TrimRight(before, "=\\%&#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ;{}") + " "
		}
		shown, _ := s.hide(before+" "+all[name]+" "+after, false)
		for _, r := range readings(shown) {
			if strings.Contains(r, bare(plainSecret)) && !strings.Contains(bare(before), bare(plainSecret)) && !strings.Contains(bare(after), bare(plainSecret)) {
				t.Fatalf("%s is shown in %q", name, shown)
			}
		}
	})
}

func TestRedirects(t *testing.T) {
	var got atomic.Pointer[http.Request]
	var body atomic.Value
	end := func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body.Store(string(b))
		got.Store(r)
		io.WriteString(w, `["a"]`)
	}
	other := httptest.NewServer(http.HandlerFunc(end))
	defer other.Close()
	var to string
	var code int
	var calls atomic.Int32
	h, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Path == "/end" {
			end(w, r)
			return
		}
		http.Redirect(w, r, to, code)
	})
	h = withSecret(h)
	h.Retries = 3
	for _, c := range []struct {
		to      string
		code    int
		headers bool
		want    string
	}{
		{"/end", 307, true, ""},
		{"/end", 308, true, ""},
		{other.URL + "/end", 307, false, ""},
		{"/end", 302, false, "in a way that loses the request: give that url"},
		{"/end", 303, false, "loses the request"},
		{"/again", 307, false, "the service redirects more than 5 times"},
		{"ftp://127.0.0.1/" + url.PathEscape(secret), 307, false, "the service redirects to ftp://127.0.0.1/" + redacted},
	} {
		to, code = c.to, c.code
		got.Store(nil)
		calls.Store(0)
		answers, err := collect(t, t.Context(), h, some(1), 5)
		a := answers["q1"]
		if err != nil || !strings.Contains(a.Err, c.want) || (a.Err == "") != (c.want == "") || a.Attempts != 1 || calls.Load() > 6 || strings.Contains(a.Err, "s3cr3t") {
			t.Errorf("%d to %s: %+v, %v", c.code, c.to, a, err)
		}
		r := got.Load()
		if (r != nil) != (c.want == "") {
			t.Errorf("%d to %s: arrived: %v", c.code, c.to, r)
		}
		if r == nil {
			continue
		}
		for name := range h.Headers {
			if (r.Header.Get(name) != "") != c.headers {
				t.Errorf("%s: %s is %q", c.to, name, r.Header.Get(name))
			}
		}
		if r.Header.Get("Content-Type") != "application/json" || body.Load() != `{"query": "what is 1?", "k": 5}` || r.Referer() != "" && !c.headers {
			t.Errorf("%v %s", r.Header, body.Load())
		}
	}
	h.Method, to, code = "GET", other.URL+"/end", 302
	if answers, err := collect(t, t.Context(), h, some(1), 5); err != nil || answers["q1"].Err != "" || got.Load().Header.Get("Authorization") != "" {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestSameOrigin(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"http://a/x", "http://a/y"}: true, {"http://a", "http://A:80"}: true, {"https://a", "https://a:443/"}: true, {"http://a", "https://a"}: true, {"http://a:80", "https://a:443"}: true,
		{"https://a", "http://a"}: false, {"http://a", "http://b"}: false, {"http://a", "http://sub.a"}: false, {"http://a", "http://a:81"}: false, {"http://a:81", "https://a"}: false, {"http://a", "https://a:444"}: false,
	} {
		a, _ := url.Parse(pair[0])
		b, _ := url.Parse(pair[1])
		if sameOrigin(a, b) != want {
			t.Errorf("%v: %v", pair, !want)
		}
	}
}
