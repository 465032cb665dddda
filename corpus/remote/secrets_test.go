package remote

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
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
