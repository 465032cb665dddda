package remote

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/corpus"
)

func TestSettings(t *testing.T) {
	fine := HTTP{URL: "http://127.0.0.1/search", LookupEnv: environment}
	if err := fine.Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*HTTP){
		"url: want one that begins with http":            func(h *HTTP) { h.URL = "file:///etc/passwd" },
		"url: want one that begins with http:// or http": func(h *HTTP) { h.URL = "" },
		"url: there is no host":                          func(h *HTTP) { h.URL = "http:///search" },
		"url: name and password":                         func(h *HTTP) { h.URL = "http://ann:pw@127.0.0.1/" },
		"url: a query can't choose the host":             func(h *HTTP) { h.URL = "http://127.0.0.{{k}}/" },
		"url: a query can't choose":                      func(h *HTTP) { h.URL = "http://{{query}}.example/" },
		"url: ${ } is for headers only":                  func(h *HTTP) { h.URL = "http://127.0.0.1/?key=${KEY}" },
		"url: {{text}} stands for nothing":               func(h *HTTP) { h.URL = "http://127.0.0.1/?q={{text}}" },
		"body: {{}} stands for nothing":                  func(h *HTTP) { h.Body = `{"q":{{}}}` },
		"body: {{Query}} stands for nothing":             func(h *HTTP) { h.Body = `{"q":{{Query}}}` },
		"write no others around them":                    func(h *HTTP) { h.Body = `{"q":"{{query}}"}` },
		"body: it is no JSON":                            func(h *HTTP) { h.Body = `q={{query}}` },
		"body: it is no JSON; {{query}}":                 func(h *HTTP) { h.Body = `{"q":"find {{query}}"}` },
		"method: want GET, POST or PUT":                  func(h *HTTP) { h.Method = "DELETE" },
		"path of the hits: ":                             func(h *HTTP) { h.Hits = "$.a[" },
		"path of the hits: .. finds things":              func(h *HTTP) { h.Hits = "$..hits" },
		"path of the id: it may lead to several":         func(h *HTTP) { h.ID = "$.ids[*]" },
		"path of the score: it may lead":                 func(h *HTTP) { h.Score = "$.a.*" },
		"can't be negative":                              func(h *HTTP) { h.Retries = -1 },
		"timeout, retries, waits":                        func(h *HTTP) { h.Timeout = -1 },
	} {
		h := fine
		change(&h)
		if err := h.Check(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, body := range []string{`{"q":{{query}},"n":"{{k}}"}`, "{}\n{\"q\":{{query}}}\n", `[{{ query_id }}]`, `{"q":"fixed"}`} {
		h := fine
		h.Body = body
		if err := h.Check(); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// A query's text stays in its place, whatever it is: the body's other values and the URL's other parts are as they were.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"plain", `"`, `\`, `","k":9`, "é\u2028\x00", "../..", "?&#=%", "{{k}}", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q := corpus.Query{ID: "q1", Text: query}
		body, err := fill(`{"a":{{query}},"k":{{k}}}`, q, 5, inJSON)
		var got map[string]any
		if err != nil || json.Unmarshal([]byte(body), &got) != nil || len(got) != 2 || utf8.ValidString(query) && got["a"] != query || got["k"] != 5.0 {
			t.Errorf("%q: %s, %v", query, body, err)
		}
		filled, err := fill("http://h/s/{{query}}/t?a={{query}}&b={{query_id}}", q, 5, inURL)
		u, parseErr := url.Parse(filled)
		if err != nil || parseErr != nil || u.Host != "h" || u.Path != "/s/"+query+"/t" || u.Query().Get("a") != query || u.Query().Get("b") != "q1" || len(u.Query()) != 2 || u.Fragment != "" {
			t.Errorf("%q: %s, %v %v", query, filled, err, parseErr)
		}
	})
}

// A URL is kept and shown, so what opens something has no place in it; the message names the parameter and no value.
func TestURLHoldsNoSecret(t *testing.T) {
	for _, name := range []string{
		"api_key", "apikey", "API-KEY", "apiKey", "key", "x-key", "token", "access_token", "authToken", "auth", "authorization", "password", "passwd", "pwd", "client_secret", "sig", "X-Amz-Signature",
		"X-Amz-Security-Token", "session", "sessionid", "jsessionid", "subscription-key", "x-functions-key", "jwt", "credential", "api%5Fkey", "a%70i_key",
	} {
		for _, form := range []string{"http://h/?%s=hush-12345", "http://h/s?q={{query}}&%s=hush-12345#x", "http://h/s;%s=hush-12345/x", "http://h/?a;%s=hush-12345", "https://h/#%s=hush-12345", "http://h/?%s=a{{k}}hush-12345"} {
			_, err := checkURL(strings.Replace(form, "%s", name, 1))
			if err == nil || !strings.Contains(err.Error(), "looks like a secret") || !strings.Contains(err.Error(), "${NAME}") || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s in %s: %v", name, form, err)
			}
		}
	}
	for _, url := range []string{
		"http://h/?keyword=a&keys=b&sort_key=c&author=ann&max_tokens=5&session_type=a&assignature_id=4&design=x&passage=3&monkey=1", "http://h/?key={{query}}&token={{query_id}}", "http://h/?api_key=", "http://h/?api_key",
		"http://h/token/key?q={{query}}", "http://h/?q=token&z=api_key",
	} {
		if _, err := checkURL(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := (HTTP{URL: "http://127.0.0.1/?api_key=hush"}).Check(); err == nil {
		t.Error("Check lets it pass")
	}
}
